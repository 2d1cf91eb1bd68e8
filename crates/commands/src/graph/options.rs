//! What may stand behind a query: in any case and order, and what is none of them is passed over.

use std::time::Duration;

use base::{Args, CmdError, QueryBounds, num};

const TIMEOUT: CmdError = CmdError::new("Failed to parse query timeout value");
const VERSION: CmdError = CmdError::new("Failed to parse graph version value");

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// For people.
    #[default]
    Verbose,
    /// For a program: values with their types, names as numbers.
    Compact,
    /// Each row as a text of JSON.
    Json,
    /// Packed columns, for clients that know of them.
    Columns,
}

/// What a client wants beside the answer to its query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// How the reply is written.
    pub form: Form,
    /// How long the query may run, if not as long as any other; 0: as long as it takes.
    pub timeout: Option<u64>,
    /// The version of the names that the client knows.
    pub version: Option<u32>,
}

impl Options {
    /// Those of a request.
    ///
    /// # Errors
    /// A number is missing, or is none.
    pub fn parse(args: &mut Args<'_>) -> Result<Self, CmdError> {
        let mut options = Options::default();
        while args.left() > 0 {
            if args.token("--columns") {
                options.form = Form::Columns;
            } else if args.token("--compact") {
                // A client that asks for columns may fall back on this where there are none.
                if options.form != Form::Columns {
                    options.form = Form::Compact;
                }
            } else if args.token("--json") {
                options.form = Form::Json;
            } else if args.token("timeout") {
                options.timeout = Some(number(args).ok_or(TIMEOUT)?);
            } else if args.token("version") {
                options.version = Some(number(args).ok_or(VERSION)?);
            } else {
                args.next()?;
            }
        }
        Ok(options)
    }

    /// How long the query may run, by these bounds.
    pub fn time(&self, bounds: QueryBounds) -> Option<Duration> {
        match self.timeout {
            None => bounds.time,
            Some(0) => bounds.most_time,
            Some(millis) => Some(Duration::from_millis(millis)),
        }
    }
}

fn number<T: TryFrom<i64>>(args: &mut Args<'_>) -> Option<T> {
    T::try_from(num::parse_i64(args.take()?)?).ok()
}
