//! What the operators of a statement share while it runs.
//!
//! A statement is asked whether it may go on by work, not by rows: rows may be few, and one value
//! large. Every operator calls
//!
//! * `check()` for each batch, and now and then in loops that can be long: it asks the `Interrupt`,
//!   and whether what the statement keeps fits its memory;
//! * `work(units)` for each row, before a value is hashed, compared or stored, with its
//!   `Value::units` (O(1): one for a value and one for each 16 bytes of text and each value
//!   inside): at 32,768 units it does what `check` does;
//! * `check_made(bytes)` where a batch has made values that are gone with it;
//! * `keep(bytes)` and `release(bytes)` for what it keeps beyond a batch.
//!
//! Functions have no `Run`: `Context::work` counts for the same statement. Writers of replies ask
//! their `Pace` by the same units.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use blocks::Block;

use super::gone::Gone;
use crate::function::{Context, Watch};
use crate::plan::{Estimates, Facts};
use crate::query::{Ended, Error, Interrupt, Settings, Statistics};
use crate::storage::{Entity, Graph, KeyId, View};
use crate::value::Value;

/// After so many units of work a statement is asked whether it goes on: some tenths of a
/// millisecond. See [`Value::units`](crate::value::Value::units).
const UNITS: u64 = 1 << 15;

/// What is told how many relationships are looked at, is asked for so many rows.
const ROWS: usize = 64;

/// The work of a statement, and whether it is to end.
struct Meter<'g> {
    interrupt: &'g dyn Interrupt,
    /// Units since it was last asked.
    units: Cell<u64>,
    /// What it kept when it was last asked.
    holds: Cell<usize>,
    /// What the answer was, when it was to end.
    ended: Cell<Option<Ended>>,
}

impl Meter<'_> {
    /// Notes units of work: all since it was last asked, if it is to be asked now.
    fn due(&self, units: u32) -> Option<u64> {
        let worked = self.units.get() + u64::from(units);
        self.units.set(if worked < UNITS { worked } else { 0 });
        (worked >= UNITS).then_some(worked)
    }

    /// Asks with so much work, which is done or about to be.
    fn ask(&self, units: u64, holds: usize) -> Result<(), Error> {
        let told = self.interrupt.work(usize::try_from(units).unwrap_or(usize::MAX));
        self.ended.set(told.err());
        told?;
        self.check(holds)
    }

    fn check(&self, holds: usize) -> Result<(), Error> {
        self.holds.set(holds);
        let asked = self.interrupt.check(holds);
        self.ended.set(asked.err());
        Ok(asked?)
    }
}

impl Watch for Meter<'_> {
    fn may_go_on(&self, units: u32) -> bool {
        self.due(units).is_none_or(|worked| self.ask(worked, self.holds.get()).is_ok())
    }
}

/// The graph: to read, or to change.
enum Subject<'g> {
    Read(&'g View),
    Write(&'g mut Graph),
}

/// What the operators of a statement share while it runs.
pub struct Run<'g> {
    subject: Subject<'g>,
    settings: &'g Settings<'g>,
    context: Context<'g>,
    kept: usize,
    work: Rc<Meter<'g>>,
    /// What was changed.
    pub statistics: Statistics,
    /// What was deleted.
    pub gone: Gone,
    /// What values were in the row before, for `prev`.
    pub previous: HashMap<usize, Value>,
    estimates: Estimates,
}

impl<'g> Run<'g> {
    /// A run that only reads.
    #[must_use]
    pub fn reading(view: &'g View, settings: &'g Settings<'g>) -> Run<'g> {
        Run::new(Subject::Read(view), settings)
    }

    /// A run that may change the graph.
    #[must_use]
    pub fn writing(graph: &'g mut Graph, settings: &'g Settings<'g>) -> Run<'g> {
        Run::new(Subject::Write(graph), settings)
    }

    fn new(subject: Subject<'g>, settings: &'g Settings<'g>) -> Run<'g> {
        let mut context = Context::new(settings.clock, settings.seed);
        context.room = context.room.min(settings.memory);
        let (units, holds, ended) = (Cell::new(0), Cell::new(0), Cell::new(None));
        let work = Rc::new(Meter { interrupt: settings.interrupt, units, holds, ended });
        context.watch = Some(Rc::<Meter<'g>>::clone(&work));
        Run {
            subject,
            settings,
            context,
            kept: 0,
            work,
            statistics: Statistics::default(),
            gone: Gone::default(),
            previous: HashMap::new(),
            estimates: Estimates::default(),
        }
    }

    /// The same, with functions that make so many bytes of shorter values at most.
    #[must_use]
    pub fn with_room(mut self, bytes: usize) -> Run<'g> {
        self.context.room = self.context.room.min(bytes);
        self
    }

    /// The graph as it is now.
    #[must_use]
    pub fn view(&self) -> &View {
        match &self.subject {
            Subject::Read(view) => view,
            Subject::Write(graph) => graph,
        }
    }

    /// What is known before a match is planned.
    #[must_use]
    pub fn facts(&self) -> Facts<'_> {
        let (view, parameters) = (self.view(), self.settings.parameters);
        Facts { view, parameters, estimates: &self.estimates }
    }

    /// The graph, to change.
    ///
    /// # Errors
    /// It is only read.
    pub fn graph(&mut self) -> Result<&mut Graph, Error> {
        match &mut self.subject {
            Subject::Write(graph) => Ok(graph),
            Subject::Read(_) => Err(Error::unsupported("A change in a query that only reads")),
        }
    }

    /// What the statement is told.
    #[must_use]
    pub fn settings(&self) -> &'g Settings<'g> {
        self.settings
    }

    /// What functions are told.
    #[must_use]
    pub fn context(&self) -> &Context<'g> {
        &self.context
    }

    /// Whether the statement may go on: asked for each batch.
    ///
    /// # Errors
    /// It is to end.
    pub fn check(&self) -> Result<(), Error> {
        let holds = self.fit()?;
        self.work.check(holds)
    }

    /// Notes work on a value that takes long where the value is large: to hash it, to compare it,
    /// to make it, to store it. What goes through the rows of a batch says this for each row,
    /// before the work is done: rows are few, and a value of one may be all that the statement is
    /// about.
    ///
    /// # Errors
    /// The statement is to end.
    #[inline]
    pub fn work(&self, units: u32) -> Result<(), Error> {
        match self.work.due(units) {
            Some(worked) => self.work.ask(worked, self.fit()?),
            None => Ok(()),
        }
    }

    /// Asks for many rows of a batch that are worked at together, if what is asked counts: some of
    /// them may take as long as a statement has that is answered at once.
    ///
    /// # Errors
    /// The statement is to end.
    pub fn check_rows(&self, rows: usize) -> Result<(), Error> {
        let asked = if self.settings.interrupt.counts() { rows / ROWS } else { 0 };
        (0..asked).try_for_each(|_| self.check())
    }

    /// Says how much is copied when a property is set where versions have the values next to it,
    /// if that is counted.
    ///
    /// # Errors
    /// This is too much.
    #[inline]
    pub fn count_copy(&self, entity: Entity, key: KeyId) -> Result<(), Error> {
        if !self.settings.interrupt.counts() {
            return Ok(());
        }
        let bytes = self.view().chunk(entity, key).map_or(0, Block::memory);
        Ok(self.settings.interrupt.copy(bytes)?)
    }

    /// Why a function was told that it is to end, if it was.
    #[must_use]
    pub fn ended(&self) -> Option<Error> {
        self.work.ended.take().map(Error::from)
    }

    /// What operators keep, and what the statement has added to its fork.
    ///
    /// # Errors
    /// This is too much.
    pub fn fit(&self) -> Result<usize, Error> {
        let added = match &self.subject {
            Subject::Read(_) => 0,
            Subject::Write(graph) => graph.added(),
        };
        let holds = self.kept.saturating_add(added);
        if holds <= self.settings.memory {
            return Ok(holds);
        }
        Err(Error::out_of_memory(self.settings.memory))
    }

    /// Whether there is room for so many bytes that an expression has made of the rows of a batch,
    /// and the statement may go on.
    ///
    /// # Errors
    /// There is none, or it is to end.
    pub fn check_made(&self, bytes: usize) -> Result<(), Error> {
        let holds = self.fit()?.saturating_add(bytes);
        if holds > self.settings.memory {
            return Err(Error::out_of_memory(self.settings.memory));
        }
        self.work.check(holds)
    }

    /// Notes bytes that an operator keeps beyond its current batch.
    ///
    /// # Errors
    /// These are too many.
    pub fn keep(&mut self, bytes: usize) -> Result<(), Error> {
        self.kept = self.kept.saturating_add(bytes);
        self.fit().map(drop)
    }

    /// Notes that bytes are no longer kept.
    pub fn release(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_sub(bytes);
    }

    /// The bytes that operators keep.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept
    }
}
