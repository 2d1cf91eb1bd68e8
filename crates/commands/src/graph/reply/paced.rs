//! A graph whose entities are written into a reply, with what asks whether that goes on.
//!
//! A row is a few ids, and what it says may be any length: each mention of a node or relationship
//! writes all of its properties. So what writes them says before each how much it is.

use std::cell::{Cell, RefCell};
use std::ops::Deref;

use ::graph::storage::View;
use base::{CmdError, Pace, Reply, error};

/// So much work is done before it is asked whether it goes on: see `Value::units`.
const PIECE: u64 = 4096;

/// See the [module](self).
pub(super) struct Paced<'a> {
    view: &'a View,
    pace: RefCell<&'a mut dyn Pace>,
    /// The most bytes that the statement may keep.
    memory: usize,
    /// Bytes that the answer keeps while it is written.
    holds: usize,
    work: Cell<u64>,
    ended: RefCell<Option<CmdError>>,
}

impl<'a> Paced<'a> {
    /// A graph, and how many bytes are kept meanwhile.
    pub fn new(view: &'a View, pace: &'a mut dyn Pace, holds: usize) -> Self {
        let (memory, ended) = (pace.bounds().memory, RefCell::new(None));
        Paced { view, pace: RefCell::new(pace), memory, holds, work: Cell::new(PIECE), ended }
    }

    /// Whether it goes on with so much work: if not, nothing more is to be written, as the reply is
    /// taken back. `text`: bytes that are on their way into the reply.
    pub fn goes_on(&self, units: u64, out: &dyn Reply, text: usize) -> bool {
        if self.ended.borrow().is_some() {
            return false;
        }
        let work = self.work.get().saturating_add(units);
        self.work.set(if work < PIECE { work } else { 0 });
        if work < PIECE {
            return true;
        }
        let asked = self.ask(out, text);
        let goes_on = asked.is_ok();
        *self.ended.borrow_mut() = asked.err();
        goes_on
    }

    fn ask(&self, out: &dyn Reply, text: usize) -> Result<(), CmdError> {
        if text > self.memory.min(out.room()) {
            return Err(error::REPLY_TOO_LONG);
        }
        self.pace.borrow_mut().go_on(out, self.holds + text)
    }

    /// What ended it, if anything did.
    ///
    /// # Errors
    /// That.
    pub fn check(&self) -> Result<(), CmdError> {
        self.ended.borrow_mut().take().map_or(Ok(()), Err)
    }
}

impl Deref for Paced<'_> {
    type Target = View;

    fn deref(&self) -> &View {
        self.view
    }
}
