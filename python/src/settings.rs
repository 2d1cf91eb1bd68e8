//! What Python says about a connection, as the client's options.

use crate::words::Encoding;
use client::{Address, Keepalive, Options, Protocol, Tls};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// Everything a connection is made from.
pub struct Settings {
    /// The server, and how to connect to it.
    pub options: Options,
    /// How text is encoded and decoded.
    pub encoding: Encoding,
    /// Idle time after which a connection is tried with `PING` before it is used.
    pub health_interval: Option<Duration>,
}

impl Settings {
    /// Reads the names that `kvist.connection` gives to things.
    pub fn new(values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let value = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
            Ok(values.get_item(name)?.filter(|value| !value.is_none()))
        };
        let text = |name: &str| -> PyResult<Option<String>> {
            value(name)?.map(|value| value.extract()).transpose()
        };
        let seconds = |name: &str| -> PyResult<Option<Duration>> {
            value(name)?.map(|value| duration(&value)).transpose()
        };
        let flag = |name: &str| -> PyResult<bool> {
            value(name)?.map_or(Ok(false), |value| value.is_truthy())
        };
        let address = match text("path")? {
            Some(path) => Address::Unix(path.into()),
            None => Address::Tcp(
                text("host")?.unwrap_or_else(|| "localhost".to_owned()),
                value("port")?.map_or(Ok(6379), |port| port.extract())?,
            ),
        };
        let mut options = Options::new(address);
        options.db = value("db")?.map_or(Ok(0), |db| db.extract())?;
        options.username = text("username")?.filter(|name| !name.is_empty());
        options.password = text("password")?.filter(|password| !password.is_empty());
        options.protocol =
            match value("protocol")?.map(|value| value.extract::<u8>()).transpose()? {
                None => Protocol::Newest,
                Some(2) => Protocol::Resp2,
                Some(3) => Protocol::Resp3,
                Some(_) => return Err(PyValueError::new_err("protocol must be either 2 or 3")),
            };
        options.connect_timeout = seconds("connect_timeout")?;
        options.timeout = seconds("timeout")?;
        options.keepalive = match value("keepalive")? {
            None => None,
            Some(value) => {
                let (idle, interval, probes) = value.extract::<(u64, u64, u32)>()?;
                Some(Keepalive {
                    idle: Duration::from_secs(idle),
                    interval: Duration::from_secs(interval),
                    probes,
                })
            }
        };
        options.name = text("client_name")?;
        options.library = value("library")?.map(|value| value.extract()).transpose()?;
        options.tls = value("tls")?.map(|value| trust(value.cast::<PyDict>()?)).transpose()?;
        let encoding = text("encoding")?.unwrap_or_else(|| "utf-8".to_owned());
        let errors = text("encoding_errors")?.unwrap_or_else(|| "strict".to_owned());
        Ok(Settings {
            options,
            encoding: Encoding::new(&encoding, &errors, flag("decode_responses")?)
                .raw(flag("raw")?),
            health_interval: seconds("health_check_interval")?.filter(|wait| !wait.is_zero()),
        })
    }
}

/// A number of seconds; a negative one makes no sense, and an endless one is none.
pub fn duration(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds: f64 = value.extract()?;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{seconds} is not a number of seconds")))
}

fn trust(values: &Bound<'_, PyDict>) -> PyResult<Tls> {
    let text = |name: &str| -> PyResult<Option<String>> {
        let value = values.get_item(name)?.filter(|value| !value.is_none());
        value.map(|value| value.extract()).transpose()
    };
    let flag = |name: &str| -> PyResult<bool> {
        values.get_item(name)?.map_or(Ok(false), |value| value.is_truthy())
    };
    let cert_file = text("certfile")?;
    Ok(Tls {
        name: text("name")?,
        ca_cert_file: text("ca_certs")?,
        ca_cert_dir: text("ca_path")?,
        ca_cert_text: text("ca_data")?,
        insecure: flag("insecure")?,
        any_name: flag("any_name")?,
        key_file: text("keyfile")?.or_else(|| cert_file.clone()),
        cert_file,
        key_passphrase: text("password")?,
        protocols: text("protocols")?,
        ciphers: text("ciphers")?,
    })
}
