//! `CALL procedure(…) YIELD …`.

use std::cell::Cell;

use super::{Batch, Boxed, Column, Operator, ROWS, Run, row_number};
use crate::algorithm::{self, Budget};
use crate::cypher::ProcedureBody;
use crate::evaluate::evaluate;
use crate::plan::ProcedureCall;
use crate::query::{Class, Error, Explained};
use crate::value::Value;

/// Calls a procedure for each row.
pub struct CallProcedure<'p> {
    input: Boxed<'p>,
    call: &'p ProcedureCall,
    at_work: Option<AtWork>,
}

/// The rows that the procedure is called for.
struct AtWork {
    batch: Batch,
    arguments: Vec<Column>,
    /// The row that is next.
    row: usize,
    /// What the call for the row before has yielded, and how many rows of it were passed on.
    yielded: Option<(Yielded, usize)>,
}

/// The rows of a call.
enum Yielded {
    Table(Vec<Vec<Value>>),
    /// With the bytes that are kept for it.
    Columns(algorithm::Rows, usize),
}

impl Yielded {
    fn len(&self) -> usize {
        match self {
            Yielded::Table(rows) => rows.len(),
            Yielded::Columns(rows, _) => rows.len(),
        }
    }

    /// How many bytes a value has beside itself; 0 if that is not known before it is made.
    fn width(&self, row: usize, place: usize) -> usize {
        match self {
            Yielded::Table(_) => 0,
            Yielded::Columns(rows, _) => rows.columns.get(place).map_or(0, |all| all.width(row)),
        }
    }

    fn value(&self, row: usize, place: usize) -> Result<Value, Error> {
        match self {
            Yielded::Table(rows) => {
                Ok(rows.get(row).and_then(|row| row.get(place)).cloned().unwrap_or_default())
            }
            Yielded::Columns(rows, _) => {
                let value = rows.columns.get(place).map(|column| column.value(row));
                Ok(value.unwrap_or_default().checked()?)
            }
        }
    }
}

impl<'p> CallProcedure<'p> {
    pub fn new(input: Boxed<'p>, call: &'p ProcedureCall) -> CallProcedure<'p> {
        CallProcedure { input, call, at_work: None }
    }

    /// Takes the next rows to call for.
    fn take(&mut self, run: &mut Run<'_>) -> Result<bool, Error> {
        let Some(batch) = self.input.next(run)? else { return Ok(false) };
        let mut arguments = Vec::new();
        for argument in &self.call.arguments {
            arguments.push(evaluate(argument, &batch, run)?);
        }
        self.at_work = Some(AtWork { batch, arguments, row: 0, yielded: None });
        Ok(true)
    }
}

fn yielded(call: &ProcedureCall, arguments: &[Value], run: &mut Run<'_>) -> Result<Yielded, Error> {
    match &call.body {
        ProcedureBody::Table(compute) => Ok(Yielded::Table(compute(run.view(), arguments)?)),
        ProcedureBody::Algorithm(procedure) => compute(procedure, arguments, run),
    }
}

/// Runs an algorithm with what is left of the statement's memory.
fn compute(
    procedure: &algorithm::Procedure,
    arguments: &[Value],
    run: &mut Run<'_>,
) -> Result<Yielded, Error> {
    let (holds, settings) = (run.fit()?, run.settings());
    let ended = Cell::new(None);
    let go_on = |taken: usize| {
        let asked = settings.interrupt.check(holds.saturating_add(taken));
        asked.map_err(|why| ended.set(Some(why))).is_ok()
    };
    let mut budget = Budget::new(settings.memory.saturating_sub(holds), &go_on);
    let called = procedure.call(run.view(), arguments, settings.seed, &mut budget);
    let rows = called.map_err(|error| match (error, ended.get()) {
        (algorithm::Error::Ended, Some(why)) => why.into(),
        (algorithm::Error::Memory, _) => Error::out_of_memory(settings.memory),
        (other, _) => Error::new(Class::ArgumentError, "InvalidArgumentValue", other.to_string()),
    })?;
    let bytes = rows.memory();
    run.keep(bytes)?;
    Ok(Yielded::Columns(rows, bytes))
}

/// The next rows of a call, for the row that it was made for, as many as a batch has room for.
struct Out {
    rows: Vec<u32>,
    columns: Vec<Vec<Value>>,
    /// Bytes of the lists among the values.
    bytes: usize,
}

impl Out {
    /// Takes rows over. Tells how many of them were taken over by now.
    fn fill(
        &mut self,
        (from, through): (&Yielded, usize),
        row: usize,
        (call, run): (&ProcedureCall, &Run<'_>),
    ) -> Result<usize, Error> {
        let mut at = through;
        while at < from.len() && self.rows.len() < ROWS {
            for (column, (place, _)) in self.columns.iter_mut().zip(&call.columns) {
                let width = from.width(at, *place);
                if width > 0 {
                    self.bytes = self.bytes.saturating_add(width);
                    run.check_made(self.bytes)?;
                }
                column.push(from.value(at, *place)?);
            }
            self.rows.push(row_number(row));
            at += 1;
        }
        Ok(at)
    }
}

impl AtWork {
    /// Calls, and takes rows over, until a batch is full. True if there is nothing left here.
    fn fill(
        &mut self,
        out: &mut Out,
        call: &ProcedureCall,
        run: &mut Run<'_>,
    ) -> Result<bool, Error> {
        while out.rows.len() < ROWS {
            run.check()?;
            if let Some((from, through)) = &mut self.yielded {
                *through = match call.is_void {
                    true => from.len(),
                    false => out.fill((from, *through), self.row - 1, (call, run))?,
                };
                if *through < from.len() {
                    return Ok(false);
                }
                if let Yielded::Columns(_, bytes) = from {
                    run.release(*bytes);
                }
                self.yielded = None;
            }
            if self.row >= self.batch.len() {
                return Ok(true);
            }
            let arguments = self.arguments.iter().map(|column| column.value(self.row));
            let arguments: Vec<Value> = arguments.collect();
            self.yielded = Some((yielded(call, &arguments, run)?, 0));
            self.row += 1;
        }
        Ok(false)
    }
}

impl Operator for CallProcedure<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if self.at_work.is_none() && !self.take(run)? {
                return Ok(None);
            }
            let Some(at_work) = &mut self.at_work else { return Ok(None) };
            let columns = vec![Vec::new(); self.call.columns.len()];
            let mut filled = Out { rows: Vec::new(), columns, bytes: 0 };
            let done = at_work.fill(&mut filled, self.call, run)?;
            let mut out = match self.call.is_void && done {
                // One without columns leaves the rows as they are.
                true => at_work.batch.clone(),
                false => at_work.batch.gather(&filled.rows),
            };
            for (column, (_, slot)) in filled.columns.into_iter().zip(&self.call.columns) {
                out.set(*slot, Column::of(column));
            }
            if done {
                self.at_work = None;
            }
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
    }

    fn explain(&self) -> Explained {
        Explained::new("ProcedureCall", &*self.call.name, vec![self.input.explain()])
    }
}
