//! A JSON document as it stands in snapshots and records.
//!
//! ```text
//!   | 0 | its text |                nothing has asked for more than the text yet
//!   | 1 | its binary form |         see `docs/internals/json.md`
//! ```
//!
//! Nothing here may be trusted: both are checked before they are taken.

use ::json::{Document, Registry, Value};
use base::codec::Malformed;

use crate::Json;

const TEXT: u8 = 0;
const BINARY: u8 = 1;

/// Appends a document.
pub(super) fn encode(out: &mut Vec<u8>, json: &Json) {
    let Some(document) = json.document() else { return };
    match (document.tree(), document.text()) {
        (Some(tree), _) => {
            out.push(BINARY);
            tree.root().encode(out);
        }
        (None, Some(text)) => {
            out.push(TEXT);
            out.extend_from_slice(text);
        }
        (None, None) => {}
    }
}

/// The document of these bytes.
///
/// # Errors
/// They are something else.
pub(super) fn decode(bytes: &[u8], registry: &mut Registry) -> Result<Json, Malformed> {
    const BROKEN: Malformed = Malformed("a JSON document");
    let document = match bytes.split_first().ok_or(BROKEN)? {
        (&TEXT, text) => Document::from_text(text, registry).map_err(|_| BROKEN)?,
        (&BINARY, rest) => Value::decode(rest, registry).map_err(|_| BROKEN)?.into(),
        _ => return Err(BROKEN),
    };
    Ok(Json::from(document))
}
