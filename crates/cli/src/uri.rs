//! `redis://[user[:password]@]host[:port][/db]`, read as `redis-cli -u` reads it; `rediss://` is
//! the same over TLS.

/// The parts of a URI; what is missing was not said.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Uri {
    /// The user, if one comes before the password.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The host, without the brackets of an IPv6 address.
    pub host: Option<String>,
    /// The port.
    pub port: Option<u16>,
    /// The database.
    pub db: Option<i64>,
    /// Over TLS.
    pub tls: bool,
}

/// Takes a URI apart.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<Uri, String> {
    let (tls, rest) = match (text.strip_prefix("redis://"), text.strip_prefix("rediss://")) {
        (Some(rest), _) => (false, rest),
        (None, Some(rest)) => (true, rest),
        (None, None) => return Err("Invalid URI scheme".to_owned()),
    };
    let (login, place) = match rest.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, rest),
    };
    let mut uri = Uri { tls, ..Uri::default() };
    if let Some(login) = login {
        match login.split_once(':') {
            Some((user, password)) => {
                uri.user = Some(decode(user)?).filter(|user| !user.is_empty());
                uri.password = Some(decode(password)?);
            }
            None => uri.password = Some(decode(login)?),
        }
    }
    let (address, db) = match place.split_once('/') {
        Some((address, db)) => (address, Some(db)),
        None => (place, None),
    };
    if let Some(db) = db.map(|db| db.split('?').next().unwrap_or_default())
        && !db.is_empty()
    {
        uri.db = Some(db.parse().map_err(|_| format!("Invalid database '{db}' in URI"))?);
    }
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (address, None),
    };
    if let Some(port) = port {
        uri.port = Some(port.parse().map_err(|_| format!("Invalid port '{port}' in URI"))?);
    }
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    uri.host = Some(decode(host)?).filter(|host| !host.is_empty());
    Ok(uri)
}

/// Undoes percent-encoding.
fn decode(text: &str) -> Result<String, String> {
    let wrong = || format!("Incorrect percent-encoding in URI: '{text}'");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let (high, low) = (digit().ok_or_else(wrong)?, digit().ok_or_else(wrong)?);
        bytes.push(high << 4 | low);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts() {
        let uri = parse("redis://us:p%40w@example.com:7000/3").unwrap();
        assert_eq!(uri.user.as_deref(), Some("us"));
        assert_eq!(uri.password.as_deref(), Some("p@w"));
        assert_eq!(uri.host.as_deref(), Some("example.com"));
        assert_eq!((uri.port, uri.db), (Some(7000), Some(3)));
    }

    #[test]
    fn few_parts() {
        assert_eq!(parse("redis://").unwrap(), Uri::default());
        let secret = parse("redis://secret@h").unwrap();
        assert_eq!((secret.user, secret.password), (None, Some("secret".into())));
        let secret = parse("redis://:secret@h/").unwrap();
        assert_eq!((secret.user, secret.password), (None, Some("secret".into())));
        let six = parse("redis://[::1]:6380").unwrap();
        assert_eq!((six.host.as_deref(), six.port), (Some("::1"), Some(6380)));
        assert_eq!(parse("redis://[::1]").unwrap().host.as_deref(), Some("::1"));
    }

    #[test]
    fn two_letters_s_mean_tls() {
        let uri = parse("rediss://h:1").unwrap();
        assert!(uri.tls);
        assert_eq!((uri.host.as_deref(), uri.port), (Some("h"), Some(1)));
        assert!(!parse("redis://h:1").unwrap().tls);
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in ["http://h", "rediss:/h", "redis://h:x", "redis://h/x", "redis://%4@h", "h"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
