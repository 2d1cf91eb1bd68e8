//! A key and a path in its document, which many of the commands take and nothing else.

use base::{Args, CmdError, Key};

use super::document;

/// A key and a path, the root if there is none.
pub(super) struct Place<'a> {
    pub key: Key<'a>,
    pub path: &'a [u8],
}

impl<'a> Place<'a> {
    pub fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let path = args.take().unwrap_or(document::ROOT);
        args.end()?;
        Ok(Place { key, path })
    }
}
