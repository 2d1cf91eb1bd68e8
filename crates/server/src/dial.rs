//! Connections that this program makes to other servers.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use engine::{DialError, Line};

/// Connects to a host and port; each read and write may then take as long. Of a name's addresses
/// the first counts that answers.
///
/// # Errors
/// There is no such name, or no address answers.
pub fn connect(host: &str, port: u16, timeout: Duration) -> io::Result<TcpStream> {
    let mut failed = io::Error::other("the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(timeout))?;
                stream.set_write_timeout(Some(timeout))?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// The same as the engine wants it.
///
/// # Errors
/// Whether the connection was refused or timed out.
pub fn dial(host: &str, port: u16, timeout: Duration) -> Result<Box<dyn Line>, DialError> {
    match connect(host, port, timeout) {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Err(DialError::Refused),
        Err(_) => Err(DialError::Unreachable),
    }
}
