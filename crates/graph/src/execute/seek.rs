//! The nodes whose property equals something of the row. For many rows the nodes are put into a
//! table by that property once, and each row looks there; a single row goes through the nodes, of
//! which the condition behind this lets those pass that fit.
//!
//! The table says which nodes may fit: equality itself is asked behind it, as of all nodes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::given::Given;
use super::scan::{Scan, labels, shown};
use super::{Batch, Boxed, Column, Operator, ROWS, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::{Expression, Live, PatternNode};
use crate::query::{Class, Error, Explained};
use crate::storage::Vector;
use crate::value::equivalence::Key;
use crate::value::stored::from_property;

/// What a property of a node is to be equal to.
#[derive(Clone, Copy)]
pub struct Wanted<'p> {
    pub node: &'p PatternNode,
    pub key: &'p Arc<str>,
    pub value: &'p Expression,
}

/// Nodes by a property.
#[derive(Default)]
struct Table {
    nodes: HashMap<Key, Vec<u32>>,
    bytes: usize,
}

/// Finds the nodes whose property equals something of the row.
pub struct Seek<'p> {
    input: Boxed<'p>,
    wanted: Wanted<'p>,
    live: Live,
    table: Option<Table>,
    /// Goes through all nodes for the only row so far.
    scan: Option<Scan<'p>>,
    seen: usize,
    /// The rows at work, what each wants, the row that is next, and its next node.
    at_work: Option<(Batch, Column, usize, usize)>,
}

impl<'p> Seek<'p> {
    pub fn new(input: Boxed<'p>, wanted: Wanted<'p>, live: Live) -> Seek<'p> {
        Seek { input, wanted, live, table: None, scan: None, seen: 0, at_work: None }
    }

    fn table(&self, run: &mut Run<'_>) -> Result<Table, Error> {
        let mut table = Table::default();
        let labels = labels(self.wanted.node, run);
        let (Some(labels), Some(key)) = (labels, run.view().key(self.wanted.key)) else {
            return Ok(table);
        };
        let mut ids = Vec::new();
        for segment in 0..run.view().node_segments() {
            run.check()?;
            let before = table.bytes;
            let view = run.view();
            ids.clear();
            view.append_nodes(segment, &labels, &mut ids);
            let mut vector = Vector::default();
            view.fetch_of_nodes(key, &ids, &mut vector);
            for (at, &id) in ids.iter().enumerate() {
                let value = from_property(vector.get(at));
                if value.is_null() {
                    continue;
                }
                table.bytes += 4;
                match table.nodes.entry(Key(value)) {
                    Entry::Occupied(mut nodes) => nodes.get_mut().push(id),
                    Entry::Vacant(place) => {
                        table.bytes += 64 + place.key().0.memory();
                        place.insert(vec![id]);
                    }
                }
            }
            run.keep(table.bytes - before)?;
        }
        Ok(table)
    }

    /// Goes through all nodes for these rows.
    fn scan_for(&mut self, batch: Batch) {
        let given = Box::new(Given(Some(batch)));
        self.scan = Some(Scan::new(given, self.wanted.node, self.live.clone()));
    }

    /// Rows that come in: how they are worked on.
    fn begin(&mut self, batch: Batch, run: &mut Run<'_>) -> Result<(), Error> {
        self.seen += batch.len();
        if self.seen <= 1 {
            self.scan_for(batch);
            return Ok(());
        }
        if self.table.is_none() {
            self.table = Some(self.table(run)?);
        }
        match evaluate(self.wanted.value, &batch, run) {
            Ok(values) => self.at_work = Some((batch, values, 0, 0)),
            Err(error) if matches!(error.class, Class::Ended | Class::OutOfMemory) => {
                return Err(error);
            }
            // What has no value is asked of each node that there is, and says so there.
            Err(_) => self.scan_for(batch),
        }
        Ok(())
    }

    /// The next rows of those at work.
    fn found(&mut self) -> Option<Batch> {
        let (batch, values, row, through) = self.at_work.as_mut()?;
        let table = self.table.as_ref()?;
        let (mut rows, mut nodes) = (Vec::new(), Vec::new());
        while *row < batch.len() && nodes.len() < ROWS {
            let all = table.nodes.get(&Key(values.value(*row))).map_or(&[][..], |all| all);
            let end = all.len().min(*through + ROWS - nodes.len());
            nodes.extend_from_slice(&all[*through..end]);
            rows.resize(nodes.len(), row_number(*row));
            *through = end;
            if end == all.len() {
                *row += 1;
                *through = 0;
            }
        }
        let mut out = batch.gather_live(&rows, &self.live);
        out.set(self.wanted.node.slot, Column::nodes(nodes));
        if *row >= batch.len() {
            self.at_work = None;
        }
        Some(out)
    }
}

impl Operator for Seek<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            run.check()?;
            if let Some(scan) = &mut self.scan {
                match scan.next(run)? {
                    Some(batch) => return Ok(Some(batch)),
                    None => self.scan = None,
                }
            }
            match self.found() {
                Some(out) if out.is_empty() => {}
                Some(out) => return Ok(Some(out)),
                None => match self.input.next(run)? {
                    Some(batch) => self.begin(batch, run)?,
                    None => {
                        run.release(self.table.take().map_or(0, |table| table.bytes));
                        return Ok(None);
                    }
                },
            }
        }
    }

    fn explain(&self) -> Explained {
        let node = self.wanted.node;
        let name = if node.labels.is_empty() { "All Node Scan" } else { "Node By Label Scan" };
        let details = format!("{} by {}", shown(node), self.wanted.key);
        Explained::new(name, details, vec![self.input.explain()])
    }
}
