//! How long values of one type are: what JSON.STRLEN, JSON.ARRLEN and JSON.OBJLEN share.

use ::json::{Kind, Node, Tree};
use base::{Args, CmdError, Effect, Key, Reply};
use types::Documents;

use super::document;

/// A key and a path, the root if there is none.
pub(super) struct Place<'a> {
    pub key: Key<'a>,
    pub path: &'a [u8],
}

impl<'a> Place<'a> {
    pub fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let path = if args.left() > 0 { args.next()? } else { document::ROOT };
        args.end()?;
        Ok(Place { key, path })
    }
}

/// What one of the commands measures, and how it says that it cannot.
pub(super) struct Measure {
    /// The type that has a length.
    pub kind: Kind,
    /// JSONPath on a key that is not there. (A legacy path finds nothing there.)
    pub no_key: CmdError,
    /// A legacy path without a match; none if that is nothing, and no error.
    pub no_path: Option<CmdError>,
    /// A legacy path whose match is of another type.
    pub mismatch: fn(Node<'_>) -> CmdError,
}

impl Measure {
    pub fn run<H: Documents>(
        &self,
        place: &Place<'_>,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::selection(tools, place.path)?;
            let found = document::look(host, place.key, tools, |root| {
                let found = document::matches(&path, root)?;
                if path.is_legacy() {
                    return self.one(found.first().copied(), out);
                }
                out.array(found.len());
                for node in found {
                    match self.length(node) {
                        Some(length) => out.count(length),
                        None => out.null(),
                    }
                }
                Ok(())
            })?;
            match found {
                Some(done) => done?,
                None if path.is_legacy() => out.null(),
                None => return Err(self.no_key.clone()),
            }
            Ok(Effect::None)
        })
    }

    fn one(&self, found: Option<Node<'_>>, out: &mut dyn Reply) -> Result<(), CmdError> {
        let Some(node) = found else {
            return match &self.no_path {
                Some(error) => Err(error.clone()),
                None => {
                    out.null();
                    Ok(())
                }
            };
        };
        out.count(self.length(node).ok_or_else(|| (self.mismatch)(node))?);
        Ok(())
    }

    /// The bytes of a string, or how much is in a container.
    fn length(&self, node: Node<'_>) -> Option<usize> {
        if node.kind() != self.kind {
            return None;
        }
        Some(node.as_bytes().map_or_else(|| node.len(), <[u8]>::len))
    }
}
