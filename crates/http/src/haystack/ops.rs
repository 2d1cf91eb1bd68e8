//! The operations there are.

use super::Format;
use super::call::{Call, Reply};
use super::fault::Fault;
use super::{about, commit, eval, his, invoke, lists, nav, point_write, read, watch};

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Tells of the server.
    About,
    /// Ends a login.
    Close,
    /// Lists what the server knows.
    List(lists::What),
    /// Reads records.
    Read,
    /// Writes records as text.
    Export,
    /// Reads definitions; libraries alone.
    Definitions(bool),
    /// Goes from sites to what is there.
    Navigate,
    /// Changes records.
    Commit,
    /// Reads histories.
    HisRead,
    /// Writes histories.
    HisWrite,
    /// Reads and writes levels of points.
    PointWrite,
    /// Calls a function.
    Invoke,
    /// Runs an expression.
    Eval,
    /// Opens watches, or adds to them.
    Subscribe,
    /// Takes records out of watches, or closes them.
    Unsubscribe,
    /// Reads what has changed of watches.
    Poll,
}

/// An operation.
#[derive(Debug)]
pub struct Op {
    /// Its name.
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    /// It can be asked for by GET.
    pub changes_nothing: bool,
    /// What it does.
    does: Does,
}

impl Op {
    /// The format of its answer where another is asked for: one that has meta if it is of no use
    /// without that.
    pub fn format(&self, asked: Format) -> Format {
        if self.does == Does::Subscribe && !asked.tells_meta() { Format::Zinc } else { asked }
    }
}

const fn reads(name: &'static str, about: &'static str, does: Does) -> Op {
    Op { name, about, changes_nothing: true, does }
}

const fn acts(name: &'static str, about: &'static str, does: Does) -> Op {
    Op { name, about, changes_nothing: false, does }
}

/// Every operation, by name.
pub static OPS: &[Op] = &[
    reads("about", "Tells of the server and the caller", Does::About),
    acts("close", "Ends a login", Does::Close),
    acts("commit", "Adds, changes or removes records", Does::Commit),
    reads("defs", "Reads the definitions among the records", Does::Definitions(false)),
    acts("eval", "Runs one of a few expressions of Axon", Does::Eval),
    reads("export", "Writes records in the format that is asked for", Does::Export),
    reads("filetypes", "Lists the formats of grids", Does::List(lists::What::Filetypes)),
    reads("formats", "Lists the formats, as Haystack 3 did", Does::List(lists::What::Formats)),
    reads("hisRead", "Reads histories of points", Does::HisRead),
    acts("hisWrite", "Writes histories of points", Does::HisWrite),
    acts("invokeAction", "Calls a loaded function about a record", Does::Invoke),
    reads("libs", "Reads the libraries among the definitions", Does::Definitions(true)),
    reads("nav", "Goes from sites to what lies below", Does::Navigate),
    reads("ops", "Lists the operations", Does::List(lists::What::Ops)),
    acts("pointWrite", "Reads or writes the levels of a point", Does::PointWrite),
    reads("read", "Reads records by a filter or by ids", Does::Read),
    acts("watchPoll", "Reads the records of a watch that have changed", Does::Poll),
    acts("watchSub", "Opens a watch of records, or adds some to it", Does::Subscribe),
    acts("watchUnsub", "Takes records out of a watch, or closes it", Does::Unsubscribe),
];

/// The operation of this name.
pub fn find(name: &[u8]) -> Option<&'static Op> {
    OPS.iter().find(|op| op.name.as_bytes() == name)
}

/// Does what is asked for.
///
/// # Errors
/// Why not.
pub async fn run(op: &'static Op, call: Call) -> Result<Reply, Fault> {
    match op.does {
        Does::About => about::run(&call),
        Does::Close => Ok(about::close(&call)),
        Does::List(what) => Ok(lists::grid(what).into()),
        Does::Read => read::read(call).await,
        Does::Export => read::export(call).await,
        Does::Definitions(libs) => read::definitions(call, libs).await,
        Does::Navigate => nav::run(call).await,
        Does::Commit => commit::run(call).await,
        Does::HisRead => his::read(call).await,
        Does::HisWrite => his::write(call).await,
        Does::PointWrite => point_write::run(call).await,
        Does::Invoke => invoke::run(call).await,
        Does::Eval => eval::run(call).await,
        Does::Subscribe => watch::subscribe(call).await,
        Does::Unsubscribe => watch::unsubscribe(call).await,
        Does::Poll => watch::poll(call).await,
    }
}
