//! What a script that failed is answered.

use base::CmdError;

use crate::Host;
use crate::interpreter::errors::{Extract, trimmed};
use crate::interpreter::interrupt::KILLED;
use crate::replies::lower::one_line;

/// An error that ended a call.
pub enum Failed {
    /// A table, or what its handler made one of.
    Table(Extract),
    /// What Lua raises without asking the handler: memory, errors in the handler.
    Plain(Vec<u8>),
}

impl Failed {
    /// The reply to a call of the script or function of this name, which the host is told of.
    pub fn of(self, name: &str, host: &mut dyn Host) -> CmdError {
        let counted = matches!(&self, Failed::Table(error) if error.counted);
        let text = match self {
            Failed::Plain(text) => {
                [b"ERR Error running script ", name.as_bytes(), b", ", &text].concat()
            }
            Failed::Table(error) => {
                let mut text = error.text;
                if let (Some(source), Some(line)) = (error.source, error.line) {
                    let place = [b" script: ", name.as_bytes(), b", on ", &source, b":", &line];
                    text.extend_from_slice(&place.concat());
                    text.push(b'.');
                }
                text
            }
        };
        let text = one_line(trimmed(&text));
        host.note_error(&text, counted);
        CmdError::from_bytes(text.into_owned())
    }
}

/// The end of a script that its host has ended outside of it.
pub fn killed() -> Failed {
    let text = [b"ERR ", KILLED].concat();
    let (source, line, counted) = (None, None, false);
    Failed::Table(Extract { text, source, line, counted })
}
