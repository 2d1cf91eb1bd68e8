//! Tells the process's supervisor its state: the notification protocol of systemd, a datagram to
//! the socket named in `NOTIFY_SOCKET`. Without one it says nothing.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The dataset is loaded and connections are accepted.
pub const READY: &str = "READY=1\nSTATUS=Ready to accept connections\n";
/// The dataset is being loaded.
pub const LOADING: &str = "STATUS=Loading the dataset\n";
/// The process is about to end.
pub const STOPPING: &str = "STOPPING=1\nSTATUS=Stopping\n";

/// Sends it, if there is a supervisor. A failure to send it is ignored.
pub fn tell(state: &str) {
    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let name = name.as_encoded_bytes();
    let address = match name.strip_prefix(b"@") {
        Some(rest) => SocketAddr::from_abstract_name(rest),
        None => SocketAddr::from_pathname(String::from_utf8_lossy(name).as_ref()),
    };
    let told = address
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    if let Err(error) = told {
        tracing::warn!(%error, "the supervisor could not be told");
    }
}
