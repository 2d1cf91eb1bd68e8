//! URLs of servers: `redis://`, `rediss://` (encrypted) and `unix://`.
//!
//! ```text
//!   rediss://user:pass%40word@host:6379/3?timeout=2
//!   scheme   credentials      address   db query
//!
//!   unix://user:pass@/run/kvist.sock?db=3
//! ```
//!
//! Every part is percent-decoded by itself, after the parts were told apart, so that a password may
//! contain anything. What the query says about a name both parts can give (`db`) wins.

use crate::error::Error;
use crate::options::{Address, Options, Protocol};
use crate::secure::Tls;
use std::path::PathBuf;
use std::time::Duration;

/// The parts of a URL, decoded but not interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// `redis`, `rediss` or `unix`.
    pub scheme: String,
    /// Before the `:` of the credentials.
    pub username: Option<String>,
    /// Behind it.
    pub password: Option<String>,
    /// Absent for `unix`, and where the URL names none. IPv6 addresses have no brackets.
    pub host: Option<String>,
    /// Absent where the URL names none.
    pub port: Option<u16>,
    /// With its first slash; empty if there is none.
    pub path: String,
    /// Names and values, in order.
    pub query: Vec<(String, String)>,
}

impl Url {
    /// Takes a URL apart.
    ///
    /// ```
    /// use kvist_client::Url;
    ///
    /// let url = Url::parse("redis://:p%3A@[::1]:7000/5?client_name=x%20y").unwrap();
    /// assert_eq!(url.password.as_deref(), Some("p:"));
    /// assert_eq!((url.host.as_deref(), url.port), (Some("::1"), Some(7000)));
    /// assert_eq!(url.path, "/5");
    /// assert_eq!(url.query, [("client_name".to_owned(), "x y".to_owned())]);
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`] for another scheme, a port that is none, and bytes that are no UTF-8.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        if !["redis", "rediss", "unix"].contains(&scheme) {
            return Err(Error::Invalid(
                "a URL must begin with redis://, rediss:// or unix://".to_owned(),
            ));
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        // The last `@`: one in a password that was not encoded must not become the host.
        let (credentials, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (username, password) = match credentials.split_once(':') {
            Some((username, password)) => (username, Some(password)),
            None => (credentials, None),
        };
        let (host, port) = host_and_port(place)?;
        let given = |text: &str| (!text.is_empty()).then(|| decode(text, false)).transpose();
        let mut pairs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !value.is_empty() {
                pairs.push((decode(name, true)?, decode(value, true)?));
            }
        }
        Ok(Url {
            scheme: scheme.to_owned(),
            username: given(username)?,
            password: password.map(given).transpose()?.flatten(),
            host: given(host)?,
            port,
            path: decode(path, false)?,
            query: pairs,
        })
    }

    /// The number of the database that the path names, if it names one.
    #[must_use]
    pub fn path_db(&self) -> Option<u32> {
        if self.scheme == "unix" { None } else { self.path.replace('/', "").parse().ok() }
    }
}

impl Options {
    /// The options that a URL stands for. Of the query, `db`, `username`, `password`, `protocol`,
    /// `client_name`, `timeout`, `connect_timeout` (both in seconds, with a fraction if need be),
    /// `ca_certs`, `certfile` and `keyfile` (paths) are understood.
    ///
    /// ```
    /// use kvist_client::{Address, Options};
    ///
    /// let options = Options::from_url("redis://example.org/2?timeout=0.5").unwrap();
    /// assert_eq!(options.address, Address::Tcp("example.org".into(), 6379));
    /// assert_eq!(options.db, 2);
    /// assert_eq!(options.timeout.unwrap().as_millis(), 500);
    /// assert!(Options::from_url("redis://example.org?colour=red").is_err());
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`] for what [`Url::parse`] refuses, and for a query that is not understood:
    /// a misspelt timeout would otherwise be none.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let url = Url::parse(url)?;
        let mut options = if url.scheme == "unix" {
            Options::unix(PathBuf::from(&url.path))
        } else {
            Options::tcp(
                url.host.clone().unwrap_or_else(|| "localhost".to_owned()),
                url.port.unwrap_or(6379),
            )
        };
        options.db = url.path_db().unwrap_or(0);
        options.username = url.username.clone();
        options.password = url.password.clone();
        if url.scheme == "rediss" {
            options.tls = Some(Tls::default());
        }
        for (name, value) in &url.query {
            options.set(name, value)?;
        }
        if url.scheme == "unix"
            && matches!(&options.address, Address::Unix(path) if path.as_os_str().is_empty())
        {
            return Err(Error::Invalid("a unix:// URL needs a path".to_owned()));
        }
        Ok(options)
    }

    /// Applies one parameter of a query.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let wrong = || Error::Invalid(format!("'{value}' is not a valid '{name}' in a URL"));
        let seconds = || {
            let seconds: f64 = value.parse().map_err(|_| wrong())?;
            Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
        };
        match name {
            "db" => self.db = value.parse().map_err(|_| wrong())?,
            "username" => self.username = Some(value.to_owned()),
            "password" => self.password = Some(value.to_owned()),
            "client_name" => self.name = Some(value.to_owned()),
            "timeout" | "socket_timeout" => self.timeout = Some(seconds()?),
            "connect_timeout" | "socket_connect_timeout" => {
                self.connect_timeout = Some(seconds()?);
            }
            "protocol" => {
                self.protocol = match value {
                    "2" => Protocol::Resp2,
                    "3" => Protocol::Resp3,
                    _ => return Err(wrong()),
                }
            }
            "ca_certs" | "certfile" | "keyfile" if self.tls.is_some() => {
                let tls = self.tls.get_or_insert_default();
                let path = Some(value.to_owned());
                match name {
                    "ca_certs" => tls.ca_cert_file = path,
                    "certfile" => tls.cert_file = path,
                    _ => tls.key_file = path,
                }
            }
            _ => return Err(Error::Invalid(format!("a URL cannot set '{name}'"))),
        }
        Ok(())
    }
}

/// A host and a port; the host of an IPv6 address is in brackets.
fn host_and_port(place: &str) -> Result<(&str, Option<u16>), Error> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest
                .split_once(']')
                .ok_or_else(|| Error::Invalid(format!("'{place}' is no address")))?;
            (host, port.strip_prefix(':').unwrap_or_default())
        }
        None => place.rsplit_once(':').unwrap_or((place, "")),
    };
    if port.is_empty() {
        return Ok((host, None));
    }
    let port = port.parse().map_err(|_| Error::Invalid(format!("'{port}' is no port")))?;
    Ok((host, Some(port)))
}

/// Percent-decodes; in a query, `+` is a space.
fn decode(text: &str, query: bool) -> Result<String, Error> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|n| u8::try_from(n).ok());
        match (first, rest) {
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    out.push(high * 16 + low);
                    bytes = after;
                    continue;
                }
                _ => out.push(b'%'), // as browsers do: a lone sign stands for itself
            },
            (b'+', _) if query => out.push(b' '),
            (other, _) => out.push(*other),
        }
        bytes = rest;
    }
    String::from_utf8(out)
        .map_err(|_| Error::Invalid(format!("'{text}' is not UTF-8 once decoded")))
}

#[cfg(test)]
#[path = "url_tests.rs"]
mod tests;
