//! A statement that is checked and bound, and how it runs.

use std::cell::Cell;
use std::sync::Arc;

use super::at_once::Tries;
use super::index::IndexStatement;
use super::lookup::Lookup;
use super::{Answer, Class, Ended, Error, Explained, Interrupt, NoInterrupt, Settings, header};
use crate::cypher::ast::{Body, Statement};
use crate::cypher::{self, Environment, Progress, check_along};
use crate::execute::{Batch, Run, build};
use crate::plan::{self, Estimates, Facts, Query, bind, is_short, is_short_change};
use crate::storage::{Graph, View};
use crate::value::{Map, Value};

/// A statement that is checked and bound: good for any graph, any parameters and any thread.
#[derive(Clone, Debug)]
pub struct Prepared {
    work: Work,
    columns: Arc<[Box<str>]>,
    writes: bool,
    /// How it is answered at once, if it does no more than look up nodes.
    lookup: Option<Lookup>,
    /// How it has fared where it was asked.
    tries: Tries,
}

/// What a statement does.
#[derive(Clone, Debug)]
enum Work {
    Query(Query),
    Index(IndexStatement),
}

impl Prepared {
    /// Prepares a text. Its header, if it has one, is passed over: [`parameters`] reads it.
    ///
    /// # Errors
    /// It is no openCypher, makes no sense, or uses what is not supported.
    pub fn compile(text: &str, environment: &dyn Environment) -> Result<Prepared, Error> {
        Prepared::compile_within(text, environment, usize::MAX, &NoInterrupt)
    }

    /// The same with so many bytes of memory, about. Asks after each thousand tokens or so whether
    /// it goes on, and tells what it has become.
    ///
    /// # Errors
    /// See [`compile`](Prepared::compile); or the text is too long for them, or it is to end.
    pub fn compile_within(
        text: &str,
        environment: &dyn Environment,
        memory: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<Prepared, Error> {
        asking(memory, interrupt, |progress| {
            let header = cypher::header(text, progress);
            let header = header.map_err(|error| Error::of_text(&error, text))?;
            Prepared::read((text, header.body), environment, progress)
        })
    }

    /// The same of what stands behind the header of a text, which ends at a byte as [`parameters`]
    /// has said.
    ///
    /// # Errors
    /// See [`compile_within`](Prepared::compile_within).
    pub fn compile_behind(
        text: &str,
        header: u32,
        environment: &dyn Environment,
        memory: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<Prepared, Error> {
        asking(memory, interrupt, |progress| Prepared::read((text, header), environment, progress))
    }

    fn read(
        (text, header): (&str, u32),
        environment: &dyn Environment,
        progress: &Progress<'_>,
    ) -> Result<Prepared, Error> {
        let of_text = |error: cypher::Error| Error::of_text(&error, text);
        let body = cypher::statement(text, header, progress).map_err(of_text)?;
        let statement = Statement { parameters: Vec::new(), body };
        let facts = check_along(&statement, environment, progress).map_err(of_text)?;
        let work = match &statement.body {
            Body::Query(query) => Work::Query(bind(query, facts.procedures, progress)?),
            Body::Index(command) => Work::Index(IndexStatement::new(command)?),
        };
        let columns = facts.columns.iter().map(|name| Box::from(&**name)).collect();
        let lookup = match &work {
            Work::Query(query) => Lookup::of(query),
            Work::Index(_) => None,
        };
        Ok(Prepared { work, columns, writes: facts.writes, lookup, tries: Tries::default() })
    }

    /// Whether it may change the graph.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Whether it takes no longer than a moment on a graph, and may be answered where it is asked.
    /// What it goes through beyond that, an [`AtOnceBudget`](super::AtOnceBudget) is told. Not so
    /// one that has ended there several times in a row, but for one time of many: see
    /// [`note_at_once`](Prepared::note_at_once).
    #[must_use]
    pub fn is_short(&self, view: &View, settings: &Settings<'_>) -> bool {
        match &self.work {
            _ if !self.tries.is_worth() => false,
            Work::Query(query) => {
                let (parameters, estimates) = (settings.parameters, &Estimates::default());
                let facts = Facts { view, parameters, estimates };
                if self.writes { is_short_change(query, facts) } else { is_short(query, facts) }
            }
            Work::Index(_) => false,
        }
    }

    /// Notes whether it was answered where it was asked, or ended there: it began anew elsewhere.
    pub fn note_at_once(&self, answered: bool) {
        self.tries.note(answered);
    }

    /// What it answers where it is asked, if it only reads and that takes no longer than a moment.
    #[must_use]
    pub fn answer_at_once(&self, view: &View, settings: &Settings<'_>) -> Option<Answer> {
        let found = self.lookup.as_ref().and_then(|one| one.rows(view, settings.parameters));
        if let Some(batches) = found {
            let columns = Arc::clone(&self.columns);
            return Some(Answer { columns, batches, ..Answer::default() });
        }
        let is_short = !self.writes && self.is_short(view, settings);
        if !is_short {
            return None;
        }
        let answer = read(view, self, settings);
        if answer.is_err() {
            self.note_at_once(false);
        }
        answer.ok()
    }

    /// The names of its columns; none if it returns nothing.
    #[must_use]
    pub fn columns(&self) -> &[Box<str>] {
        &self.columns
    }

    /// The operators that would run on a graph.
    #[must_use]
    pub fn explain(&self, view: &View, settings: &Settings<'_>) -> Explained {
        let run = Run::reading(view, settings);
        match &self.work {
            Work::Query(query) => self.results(build(query, Batch::new(1), &run).explain()),
            Work::Index(statement) => statement.explain(),
        }
    }

    fn results(&self, plan: Explained) -> Explained {
        match self.columns.is_empty() {
            true => plan,
            false => Explained::new("Results", "", vec![plan]),
        }
    }

    fn run(&self, run: &mut Run<'_>) -> Result<Answer, Error> {
        let query = match &self.work {
            Work::Query(query) => query,
            Work::Index(_) if run.settings().profile => {
                let message = "Can't profile index operations.";
                return Err(Error::new(Class::SemanticError, "NotProfiled", message));
            }
            Work::Index(statement) => {
                statement.run(run)?;
                return Ok(Answer { statistics: run.statistics, ..Answer::default() });
            }
        };
        let mut operators = build(query, Batch::new(1), run);
        let mut batches = Vec::new();
        run.check()?;
        while let Some(batch) = operators.next(run)? {
            run.check()?;
            if self.columns.is_empty() {
                continue;
            }
            let batch = batch.project(&query.columns);
            run.keep(batch.memory())?;
            batches.push(batch);
        }
        run.finish()?;
        let profile = run.settings().profile.then(|| {
            let shown = self.results(operators.explain());
            let answered = batches.iter().map(|batch| batch.len() as u64).sum();
            Explained { rows: shown.rows.or(Some(answered)), ..shown }
        });
        let columns = Arc::clone(&self.columns);
        let (statistics, deleted) = (run.statistics, run.gone.take());
        Ok(Answer { columns, batches, statistics, deleted, profile })
    }
}

/// Reads a text, within so many bytes. What ends it, is asked meanwhile, and is the error then:
/// whatever reading has come to.
fn asking<R>(
    memory: usize,
    interrupt: &dyn Interrupt,
    read: impl FnOnce(&Progress<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let ended = Cell::new(None::<Ended>);
    let go_on = |holds: usize| {
        ended.set(interrupt.check(holds).err());
        ended.get().is_none()
    };
    let done = read(&Progress::new(memory, &go_on));
    ended.get().map_or(done, |ended| Err(ended.into()))
}

/// Runs a statement that only reads.
///
/// # Errors
/// See [`Error`].
pub fn read(view: &View, prepared: &Prepared, settings: &Settings<'_>) -> Result<Answer, Error> {
    prepared.run(&mut Run::reading(view, settings))
}

/// Runs a statement on a graph that it may change. After an error the graph may have changed in
/// part: it is a fork, which the caller drops.
///
/// # Errors
/// See [`Error`].
pub fn write(
    graph: &mut Graph,
    prepared: &Prepared,
    settings: &Settings<'_>,
) -> Result<Answer, Error> {
    let answer = write_part(graph, prepared, settings)?;
    check_constraints(graph, settings.interrupt)?;
    Ok(answer)
}

/// The same for one of several statements that are one: [`check_constraints`] is asked at the end
/// of all.
///
/// # Errors
/// See [`Error`].
pub fn write_part(
    graph: &mut Graph,
    prepared: &Prepared,
    settings: &Settings<'_>,
) -> Result<Answer, Error> {
    prepared.run(&mut Run::writing(graph, settings))
}

/// Whether what was changed of a fork meets the constraints. Asks meanwhile whether it goes on.
///
/// # Errors
/// One is broken, or it is to end.
pub fn check_constraints(graph: &Graph, interrupt: &dyn Interrupt) -> Result<(), Error> {
    let holds = graph.added();
    match graph.broken_constraint(|| interrupt.check(holds).map_err(Error::from))? {
        Some(broken) => Err(Error::broken(&broken, graph)),
        None => Ok(()),
    }
}

/// The most bytes that a function in a header makes of shorter ones.
const HEADER_ROOM: usize = 16 << 10;

/// The parameters of a text's header, and the byte at which the query begins behind it: by what
/// stands there it is found again. Takes time and memory by the length of the header alone, as it
/// may be read where nothing can end it: a function makes 16 KiB at most.
///
/// # Errors
/// The header is malformed, or an expression in it has no value, or too large a one.
pub fn parameters(text: &str, settings: &Settings<'_>) -> Result<(Map, u32), Error> {
    asking(settings.memory, settings.interrupt, |progress| {
        match header::written_out(text, progress) {
            Some(read) => Ok(read),
            None => constants(text, settings, HEADER_ROOM, progress),
        }
    })
}

/// The value of an expression that names nothing, as those of a header are. It takes what a
/// statement with it takes.
///
/// # Errors
/// It is no such expression, or has no value.
pub fn constant(text: &str, settings: &Settings<'_>) -> Result<Value, Error> {
    let text = format!("CYPHER value={text}");
    asking(settings.memory, settings.interrupt, |progress| {
        let header =
            cypher::header(&text, progress).map_err(|error| Error::of_text(&error, &text))?;
        // With the same name again there are two of them as well.
        let is_one = header.parameters.len() == 1 && header.body as usize == text.len();
        let (values, _) = evaluated(&header, settings, usize::MAX, progress)?;
        let value = values.get("value").filter(|_| is_one).cloned();
        value.ok_or_else(|| {
            Error::new(Class::SyntaxError, "NoConstant", "It is no constant expression")
        })
    })
}

/// The constants of a header, with functions that make so many bytes of shorter values at most.
pub(super) fn constants(
    text: &str,
    settings: &Settings<'_>,
    room: usize,
    progress: &Progress<'_>,
) -> Result<(Map, u32), Error> {
    let header = cypher::header(text, progress).map_err(|error| Error::of_text(&error, text))?;
    evaluated(&header, settings, room, progress)
}

fn evaluated(
    header: &cypher::Header,
    settings: &Settings<'_>,
    room: usize,
    progress: &Progress<'_>,
) -> Result<(Map, u32), Error> {
    let graph = Graph::default();
    let mut run = Run::reading(&graph, settings).with_room(room);
    let mut entries = Vec::with_capacity(header.parameters.len());
    for parameter in &header.parameters {
        let value = plan::bind_constant(&parameter.value, progress)?;
        let value = crate::evaluate::evaluate(&value, &Batch::new(1), &mut run)?.value(0);
        entries.push((parameter.name.text.clone(), value));
    }
    Ok((Map::new(entries), header.body))
}
