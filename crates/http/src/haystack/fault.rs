//! Operations that fail: by a status where the request or the server is to blame, else by a grid
//! that says so.

use haystack::{Dict, Grid, Value};

use hyper::StatusCode;

use crate::reply::Refusal;
use crate::session::NoReply;

/// How commands say that a key holds no project.
const NO_PROJECT: &[u8] = b"ERR no such project";

/// Why an operation is not done.
#[derive(Debug)]
pub enum Fault {
    /// Told by a status.
    Refused(Refusal),
    /// Told by a grid.
    Failed {
        /// The kind of error, as clients of Haystack know it.
        kind: String,
        /// What is wrong.
        text: String,
    },
}

impl Fault {
    /// An argument that is missing or wrong.
    pub fn argument(text: impl Into<String>) -> Self {
        Fault::Failed { kind: "ArgErr".to_owned(), text: text.into() }
    }

    /// What an error of a command means: what is wrong with the request or the server is told by a
    /// status, as on the other routes, all else by a grid.
    pub fn of_error(error: &[u8]) -> Self {
        let text = String::from_utf8_lossy(error);
        let (code, rest) = text.split_once(' ').unwrap_or((&text, ""));
        if code.ends_with("Err") {
            return Fault::Failed { kind: code.to_owned(), text: rest.to_owned() };
        }
        if code == "WRONGTYPE" || error.starts_with(NO_PROJECT) {
            return Fault::Refused(Refusal::new(404, "there is no such project"));
        }
        let refusal = Refusal::of_error(error);
        if refusal.status != StatusCode::BAD_REQUEST {
            return Fault::Refused(refusal);
        }
        let text = if code == "ERR" { rest } else { &text };
        Fault::Failed { kind: "Err".to_owned(), text: text.to_owned() }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Fault::Refused(refusal)
    }
}

impl From<NoReply> for Fault {
    fn from(why: NoReply) -> Self {
        Fault::Refused(why.into())
    }
}

impl From<haystack::Error> for Fault {
    fn from(error: haystack::Error) -> Self {
        Fault::argument(error.to_string())
    }
}

/// The grid that tells of a failure.
pub fn grid(kind: &str, text: &str) -> Grid {
    let mut meta = Dict::new();
    // All of these are names of tags.
    let told = meta.put("err", Value::MARKER).and_then(|()| {
        meta.put("dis", text)?;
        meta.put("errType", kind)?;
        meta.put("errTrace", format!("{kind}: {text}"))
    });
    debug_assert!(told.is_ok());
    Grid::empty(meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_commands() {
        let told = |error: &str| match Fault::of_error(error.as_bytes()) {
            Fault::Refused(refusal) => refusal.status.as_u16().to_string(),
            Fault::Failed { kind, text } => format!("{kind}: {text}"),
        };
        assert_eq!(told("UnknownRecErr a"), "UnknownRecErr: a");
        assert_eq!(told("ERR invalid limit"), "Err: invalid limit");
        assert_eq!(told("ERR no such project: FOLIO.OPEN makes one"), "404");
        assert_eq!(told("WRONGTYPE it is a list"), "404");
        assert_eq!(told("NOPERM no"), "403");
        assert_eq!(told("OOM no"), "503");
        assert_eq!(told("LOADING yet"), "503");
        assert_eq!(told("ERR unknown command 'folio.read'"), "501");
        assert_eq!(told("UNKILLABLE x"), "Err: UNKILLABLE x");
        let grid = grid("CommitErr", "it is there");
        assert_eq!(grid.meta().get("errTrace").unwrap().as_str(), Some("CommitErr: it is there"));
    }
}
