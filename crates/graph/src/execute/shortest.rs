//! The shortest ways between two nodes: breadth first, level by level.

use std::collections::HashMap;
use std::sync::Arc;

use super::hop::shown_hop;
use super::steps::{Steps, list};
use super::{Batch, Boxed, Column, NO_ID, Operator, Run, row_number};
use crate::cypher::ast::PathKind;
use crate::plan::Hop;
use crate::query::{Error, Explained};
use crate::value::Value;

/// After so many steps the statement is asked whether it goes on.
const STEPS: usize = 256;

/// Bytes of a way that is kept; a little more while it is longer.
fn memory_of(way: &[u32]) -> usize {
    size_of::<(u32, Vec<u32>)>() + size_of_val(way)
}

/// Finds the shortest way, or all that are as short.
pub struct Shortest<'p> {
    input: Boxed<'p>,
    hop: Hop<'p>,
}

/// How a node was reached first: by which relationships, from which nodes.
type Reached = HashMap<u32, (u64, Vec<(u32, u32)>)>;

impl<'p> Shortest<'p> {
    pub fn new(input: Boxed<'p>, hop: Hop<'p>) -> Shortest<'p> {
        Shortest { input, hop }
    }

    /// The shortest ways of a row, each as its relationships.
    fn ways(
        &self,
        (from, to): (u32, u32),
        steps: &Steps,
        at: (&Batch, usize),
        run: &mut Run<'_>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let (min, max) = self.hop.edge.length.unwrap_or((1, 1));
        if from == NO_ID || to == NO_ID {
            return Ok(Vec::new());
        }
        if from == to && min == 0 {
            return Ok(vec![Vec::new()]);
        }
        let kept = run.kept();
        let mut reached = Reached::new();
        let mut last = Vec::new();
        let mut level = vec![from];
        let mut length = 0;
        while last.is_empty() && !level.is_empty() && length < max {
            run.check()?;
            length += 1;
            let mut next = Vec::new();
            for (done, &node) in level.iter().enumerate() {
                if done % STEPS == STEPS - 1 {
                    run.check()?;
                }
                for (edge, other) in steps.from(node, &self.hop, at, run)? {
                    if other == to {
                        last.push((node, edge));
                    }
                    if other == from {
                        continue;
                    }
                    let (at, by) = reached.entry(other).or_insert_with(|| {
                        next.push(other);
                        (length, Vec::new())
                    });
                    if *at == length {
                        by.push((node, edge));
                        run.keep(32)?;
                    }
                }
            }
            level = next;
        }
        let mut ways = Vec::new();
        for (node, edge) in last {
            self.back((node, edge), from, &reached, &mut ways, run)?;
        }
        run.release(run.kept().saturating_sub(kept));
        // Until the batch is passed on.
        run.keep(ways.iter().map(|way| memory_of(way)).sum())?;
        Ok(ways)
    }

    /// All ways back from the last relationship to the start.
    fn back(
        &self,
        last: (u32, u32),
        from: u32,
        reached: &Reached,
        ways: &mut Vec<Vec<u32>>,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        let all = self.hop.edge.kind == PathKind::AllShortest;
        let mut open = vec![(last.0, vec![last.1])];
        run.keep(memory_of(&open[0].1))?;
        let mut taken = 0_usize;
        while let Some((node, way)) = open.pop() {
            taken += 1;
            if taken.is_multiple_of(STEPS) {
                run.check()?;
            }
            if !all && !ways.is_empty() {
                break;
            }
            if node == from {
                ways.push(way.into_iter().rev().collect());
                continue;
            }
            let Some((_, by)) = reached.get(&node) else { continue };
            for &(before, edge) in by.iter().rev().filter(|(_, edge)| !way.contains(edge)) {
                let mut longer = way.clone();
                longer.push(edge);
                run.keep(memory_of(&longer))?;
                open.push((before, longer));
            }
            run.release(memory_of(&way));
        }
        Ok(())
    }
}

impl Operator for Shortest<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let hop = &self.hop;
        while let Some(batch) = self.input.next(run)? {
            let steps = Steps::new(hop, &batch, run)?;
            let from = batch.column(hop.from).node_ids(batch.len())?;
            let to = batch.column(hop.to).node_ids(batch.len())?;
            let kept = run.kept();
            let (mut rows, mut lists) = (Vec::new(), Vec::new());
            for row in 0..batch.len() {
                let ways = self.ways((from[row], to[row]), &steps, (&batch, row), run)?;
                for way in ways {
                    rows.push(row_number(row));
                    lists.push(match (hop.edge.length, &way[..]) {
                        (None, &[edge]) => Value::Relationship(edge.into()),
                        _ => list(&way, hop.reversed)?,
                    });
                }
            }
            run.release(run.kept().saturating_sub(kept));
            let mut out = batch.gather(&rows);
            out.set(hop.edge.slot, Column::Values(Arc::new(lists)));
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        Explained::new("Shortest Path", shown_hop(&self.hop), vec![self.input.explain()])
    }
}
