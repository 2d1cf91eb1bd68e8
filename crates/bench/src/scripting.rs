//! What reports about scripts share: which servers run them, and their digests.

use std::io;

use crate::client::{Client, Reply};
use crate::peer::Peer;

/// What stands in a table where a server runs no scripts.
pub(crate) const NO_SCRIPTS: &str = "no scripts";
/// What stands in a table where a server has no functions.
pub(crate) const NO_FUNCTIONS: &str = "no functions";

/// Loads scripts; their digests, or none if the server knows no `EVAL`.
///
/// # Errors
/// It knows `EVAL`, and refuses one of these.
pub(crate) fn load(peer: &Peer, sources: &[&str]) -> io::Result<Option<Vec<String>>> {
    let mut client = Client::connect(&peer.addr)?;
    if client.call(&[b"EVAL", b"return 7", b"0"])? != Reply::Int(7) {
        return Ok(None);
    }
    let mut digests = Vec::new();
    for source in sources {
        match client.call(&[b"SCRIPT", b"LOAD", source.as_bytes()])? {
            Reply::Bytes(Some(digest)) => {
                digests.push(String::from_utf8_lossy(&digest).into_owned());
            }
            other => {
                let what = format!("{}: SCRIPT LOAD: {other:?} for {source}", peer.name);
                return Err(io::Error::other(what));
            }
        }
    }
    Ok(Some(digests))
}

/// Loads a library; whether the server has functions.
pub(crate) fn load_library(peer: &Peer, code: &str) -> io::Result<bool> {
    let mut client = Client::connect(&peer.addr)?;
    let answer = client.call(&[b"FUNCTION", b"LOAD", b"REPLACE", code.as_bytes()])?;
    Ok(matches!(answer, Reply::Bytes(Some(_))))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    /// A server of one client that knows no scripts.
    fn without() -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let addr = listener.local_addr().expect("an address").to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut answers = stream.try_clone().expect("a second handle");
                let mut requests = Client::over(stream);
                while let Ok(Reply::List(words)) = requests.read() {
                    let is_info = words[0] == Reply::Bytes(Some(b"INFO".to_vec()));
                    let answer = if is_info { "$-1\r\n" } else { "-ERR unknown command\r\n" };
                    if answers.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            }
        });
        Peer::running("without", &addr).expect("it answers INFO")
    }

    #[test]
    fn a_server_without_scripts_is_no_error() {
        let peer = without();
        assert_eq!(load(&peer, &["return 1"]).expect("an answer"), None);
        assert!(!load_library(&peer, "#!lua name=x").expect("an answer"));
    }
}
