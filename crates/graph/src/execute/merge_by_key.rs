//! `MERGE` of one node by its properties: all rows look for it at once, those without one are
//! grouped by what they want, and the first of each group makes it. About O(rows + nodes), where
//! one row after the other is O(rows × nodes).

use std::collections::HashMap;
use std::ops::Range;

use super::apply::{number, numbered};
use super::build::matching;
use super::given::Given;
use super::{Batch, Column, NO_ID, ROWS, Run, assign, create, row_number};
use crate::evaluate::evaluate;
use crate::plan::{self, ByKey, Live};
use crate::query::Error;
use crate::value::Value;
use crate::value::equality::equal;
use crate::value::equivalence::Key;

/// The nodes that rows have, as pairs of a row's number and a node, by rows.
#[derive(Default)]
struct Rows {
    rows: Vec<u32>,
    nodes: Vec<u32>,
    /// Whether a node was made for the row.
    made: Vec<bool>,
}

impl Rows {
    fn push(&mut self, row: u32, node: u32, made: bool) {
        self.rows.push(row);
        self.nodes.push(node);
        self.made.push(made);
    }
}

/// The rows of a batch, each as often as its node is found, or once if that is made.
pub fn merge(
    merge: &plan::Merge,
    by: &ByKey,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Vec<Batch>, Error> {
    let kept = run.kept();
    let (origins, nodes) = found(merge, by, batch, run)?;
    let first = missing(merge, (batch, &origins), run)?;
    let new: Vec<u32> =
        (0_u32..).zip(&first).filter(|(row, first)| **first == *row).map(|(row, _)| row).collect();
    let mut made = batch.gather(&new);
    run.keep(made.memory())?;
    create::make_merged(&merge.create, &mut made, run)?;
    let made = made.column(by.made).node_ids(made.len())?;

    let mut all = Rows::default();
    let mut at = 0;
    for (row, &first) in (0_u32..).zip(&first) {
        if let Ok(place) = new.binary_search(&first) {
            all.push(row, made[place], first == row);
        }
        while origins.get(at) == Some(&row) {
            all.push(row, nodes[at], false);
            at += 1;
        }
    }
    run.release(run.kept().saturating_sub(kept));
    (0..all.rows.len())
        .step_by(ROWS)
        .map(|start| settle(merge, by, (&all, start..all.rows.len().min(start + ROWS)), batch, run))
        .collect()
}

/// What is there: the numbers of rows, in order, with their nodes.
fn found(
    merge: &plan::Merge,
    by: &ByKey,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<(Vec<u32>, Vec<u32>), Error> {
    let origin = merge.pattern.origin;
    let mut argument = batch.clone();
    argument.set(origin, numbered(batch.len()));
    let live = Live::these(&[origin, by.found]);
    let mut inner = matching(&merge.pattern, Box::new(Given(Some(argument))), &live, run);
    let (mut rows, mut nodes) = (Vec::new(), Vec::new());
    while let Some(found) = inner.next(run)? {
        let origins = found.column(origin);
        rows.extend((0..found.len()).map(|row| row_number(number(origins, row))));
        nodes.extend_from_slice(&found.column(by.found).node_ids(found.len())?);
        run.keep(found.len() * 8)?;
    }
    Ok((rows, nodes))
}

/// For each row without a node the first row that wants the same one, perhaps itself; for others no
/// row.
fn missing(
    merge: &plan::Merge,
    (batch, origins): (&Batch, &[u32]),
    run: &mut Run<'_>,
) -> Result<Vec<u32>, Error> {
    let properties = match merge.create.nodes.first().and_then(|node| node.properties.as_ref()) {
        Some(properties) => evaluate(properties, batch, run)?,
        None => Column::Constant(Value::list(Vec::new())),
    };
    let mut first = vec![NO_ID; batch.len()];
    let mut groups: HashMap<Key, u32> = HashMap::new();
    let mut found = origins.iter().copied().peekable();
    for (row, place) in (0_u32..).zip(&mut first) {
        if (row as usize).is_multiple_of(ROWS) {
            run.check()?;
        }
        if found.next_if_eq(&row).is_some() {
            while found.next_if_eq(&row).is_some() {}
            continue;
        }
        let wanted = properties.value(row as usize);
        *place = row;
        run.work(wanted.units())?;
        // What does not equal itself, such as NaN, is made for each row.
        if equal(&wanted, &wanted) == Some(true) {
            run.keep(size_of::<(Key, u32)>() + wanted.memory() + size_of::<u32>())?;
            *place = *groups.entry(Key(wanted)).or_insert(row);
        }
    }
    Ok(first)
}

/// Some of the rows with their nodes, to which is done what else is to be done.
fn settle(
    merge: &plan::Merge,
    by: &ByKey,
    (all, part): (&Rows, Range<usize>),
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Batch, Error> {
    let mut out = batch.gather(&all.rows[part.clone()]);
    out.set(by.made, Column::nodes(all.nodes[part.clone()].to_vec()));
    if !merge.on_create.is_empty() || !merge.on_match.is_empty() {
        for (row, &made) in all.made[part].iter().enumerate() {
            let items = if made { &merge.on_create } else { &merge.on_match };
            assign::assign(items, &out.row(row), run)?;
        }
    }
    run.check()?;
    Ok(out)
}
