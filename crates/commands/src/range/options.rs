//! What may be said behind the span: `REV`, `LIMIT`, `CURSOR`, `TYPE`, `WITHVALUES`, in any order.

use base::{Args, CmdError, Kind, error};

use super::cursor;

/// What they say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Options {
    /// From the last key to the first.
    pub reverse: bool,
    /// Most keys.
    pub limit: Option<usize>,
    /// A page is wanted, from here on: from the beginning, or from behind a name.
    pub page: Option<Option<Vec<u8>>>,
    /// Only keys of this type.
    pub kind: Option<Kind>,
    /// With what strings hold.
    pub values: bool,
}

impl Options {
    /// # Errors
    /// An unknown option, a limit that is no positive integer, a cursor of no walk, a type that
    /// there is not.
    pub fn parse(mut args: Args<'_>) -> Result<Self, CmdError> {
        let mut options = Options::default();
        // It means something else in the other direction, which may be said behind it.
        let mut at = None;
        while args.left() > 0 {
            if args.token("REV") {
                options.reverse = true;
            } else if args.token("WITHVALUES") {
                options.values = true;
            } else if args.left() > 1 && args.token("LIMIT") {
                options.limit = Some(limit(&mut args)?);
            } else if args.left() > 1 && args.token("CURSOR") {
                at = Some(args.next()?);
            } else if args.left() > 1 && args.token("TYPE") {
                let name = args.next()?;
                options.kind = Some(Kind::named(name).ok_or_else(|| unknown_type(name))?);
            } else {
                return Err(error::SYNTAX);
            }
        }
        options.page = at.map(|text| cursor::read(text, options.reverse)).transpose()?;
        Ok(options)
    }
}

/// The next argument as a limit.
///
/// # Errors
/// It is no positive integer.
pub(super) fn limit(args: &mut Args<'_>) -> Result<usize, CmdError> {
    let limit = args.integer()?;
    usize::try_from(limit).ok().filter(|&limit| limit > 0).ok_or(error::RANGE_LIMIT)
}

fn unknown_type(name: &[u8]) -> CmdError {
    CmdError::quoting("ERR unknown type name '", &name[..name.len().min(128)], "'")
}
