//! The nodes or relationships that an index, or an id, finds for each row.
//!
//! Where the index cannot tell (it is asked about a list, or a value cannot be computed), all are
//! passed on that have the label or type: the conditions behind this tell, or fail.

use std::sync::Arc;

use super::scan::{labels, shown};
use super::{Batch, Boxed, Column, Operator, ROWS, Run, narrow, row_number};
use crate::evaluate::evaluate;
use crate::plan::{Access, Expression, LabelTest, Live, PatternEdge, PatternNode, asking};
use crate::query::{Class, Error, Explained};
use crate::storage::{Entity, Found, LabelId, Of, Property, TypeId, View};
use crate::value::Value;
use crate::value::stored::to_property;

/// What is looked for.
#[derive(Clone, Copy)]
pub enum Target<'p> {
    Node(&'p PatternNode),
    Edge(&'p PatternEdge),
}

/// After so many entries the statement is asked whether it goes on.
const STEPS: usize = 16 * ROWS;

/// Finds what an index has for each row.
pub struct IndexScan<'p> {
    input: Boxed<'p>,
    target: Target<'p>,
    access: Access<'p>,
    live: Live,
    at_work: Option<Rows<'p>>,
    /// All that have the label or type, once they were asked for.
    all: Option<Arc<Vec<u32>>>,
}

/// Rows at work.
struct Rows<'p> {
    batch: Batch,
    /// The values that are asked for; none: one of them cannot be computed.
    values: Option<Vec<(&'p Expression, Column)>>,
    row: usize,
    /// What is left of what is found for the row.
    found: Option<Left>,
}

enum Left {
    Found(Found),
    Ids(Arc<Vec<u32>>, usize),
}

/// What is asked of each that is found.
enum Fits {
    Labels(Vec<LabelId>),
    Type(TypeId),
}

impl Fits {
    fn new(target: Target<'_>, run: &Run<'_>) -> Option<Fits> {
        match target {
            Target::Node(node) => labels(node, run).map(Fits::Labels),
            Target::Edge(edge) => match &edge.types {
                Some(LabelTest::Name(name)) => run.view().edge_type(name).map(Fits::Type),
                _ => None,
            },
        }
    }

    fn fits(&self, view: &View, id: u32) -> bool {
        match self {
            Fits::Labels(labels) => {
                view.has(Entity::Node(id)) && labels.iter().all(|&label| view.has_label(id, label))
            }
            Fits::Type(kind) => view.ends(id).is_some_and(|ends| ends.kind == *kind),
        }
    }
}

impl Left {
    fn take(&mut self, most: usize, ids: &mut Vec<u32>) {
        match self {
            Left::Found(found) => found.take(most, ids),
            Left::Ids(all, through) => {
                let end = all.len().min(*through + most);
                ids.extend_from_slice(&all[*through..end]);
                *through = end;
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Left::Found(found) => found.is_empty(),
            Left::Ids(all, through) => *through >= all.len(),
        }
    }
}

impl<'p> IndexScan<'p> {
    pub fn new(
        input: Boxed<'p>,
        target: Target<'p>,
        access: Access<'p>,
        live: Live,
    ) -> IndexScan<'p> {
        IndexScan { input, target, access, live, at_work: None, all: None }
    }

    fn begin(&mut self, batch: Batch, run: &mut Run<'_>) -> Result<(), Error> {
        let (mut wanted, mut values) = (Vec::new(), Some(Vec::new()));
        self.access.for_each_value(&mut |value| wanted.push(value));
        for value in wanted {
            match (evaluate(value, &batch, run), &mut values) {
                (Ok(column), Some(values)) => values.push((value, column)),
                (Ok(_), None) => {}
                (Err(error), _) if matches!(error.class, Class::Ended | Class::OutOfMemory) => {
                    return Err(error);
                }
                (Err(_), _) => values = None,
            }
        }
        self.at_work = Some(Rows { batch, values, row: 0, found: None });
        Ok(())
    }

    /// What is found for a row.
    fn find(&mut self, run: &mut Run<'_>) -> Result<Left, Error> {
        let Some(rows) = &self.at_work else { return Ok(Left::Ids(Arc::default(), 0)) };
        match self.found(rows, run.view()) {
            Some(left) => Ok(left),
            None => self.all(run).map(|all| Left::Ids(all, 0)),
        }
    }

    fn found(&self, rows: &Rows<'p>, view: &View) -> Option<Left> {
        let values = rows.values.as_ref()?;
        let mut value = |wanted: &Expression| {
            let found = values.iter().find(|(value, _)| std::ptr::eq(*value, wanted));
            found.map(|(_, column)| column.value(rows.row))
        };
        match &self.access {
            Access::Index(on, equal, then) => {
                let index = view.index_on(on.of, &on.keys)?;
                let equal: Vec<Property> = equal
                    .iter()
                    .map(|wanted| to_property(&value(wanted)?).ok())
                    .collect::<Option<_>>()?;
                let equal: Vec<_> = equal.iter().map(Property::as_ref).collect();
                let mut found = None;
                asking(*then, &mut value, &mut |probe| found = index.find(&equal, probe))?;
                found.map(Left::Found)
            }
            Access::Id(wanted) => ids(&[value(wanted)?]),
            Access::Ids(wanted) => match value(wanted)? {
                Value::List(list, _) => ids(&list),
                Value::Null => ids(&[]),
                _ => None,
            },
        }
    }

    /// All that have the label or type.
    fn all(&mut self, run: &mut Run<'_>) -> Result<Arc<Vec<u32>>, Error> {
        if let Some(all) = &self.all {
            return Ok(Arc::clone(all));
        }
        let (mut all, labels) = (
            Vec::new(),
            match self.target {
                Target::Node(node) => labels(node, run),
                Target::Edge(_) => Some(Vec::new()),
            },
        );
        if let Some(labels) = labels {
            let segments = match self.target {
                Target::Node(_) => run.view().node_segments(),
                Target::Edge(_) => run.view().edge_segments(),
            };
            for segment in 0..segments {
                run.check()?;
                let before = all.len();
                match self.target {
                    Target::Node(_) => run.view().append_nodes(segment, &labels, &mut all),
                    Target::Edge(_) => run.view().append_edges(segment, &mut all),
                }
                run.keep((all.len() - before) * size_of::<u32>())?;
            }
        }
        let all = Arc::new(all);
        self.all = Some(Arc::clone(&all));
        Ok(all)
    }

    /// The next rows of those at work.
    fn rows(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let (mut rows, mut ids, mut seen) = (Vec::new(), Vec::new(), 0);
        let Some(fits) = Fits::new(self.target, run) else {
            self.at_work = None;
            return Ok(None);
        };
        loop {
            let Some(at_work) = &mut self.at_work else { return Ok(None) };
            if ids.len() >= ROWS || at_work.row >= at_work.batch.len() {
                break;
            }
            match &mut at_work.found {
                Some(left) => {
                    let before = ids.len();
                    left.take(ROWS - before, &mut ids);
                    seen += ids.len() - before;
                    if seen >= STEPS {
                        seen = 0;
                        run.check()?;
                    }
                    let view = run.view();
                    let mut at = 0;
                    ids.retain(|&id| {
                        at += 1;
                        at <= before || fits.fits(view, id)
                    });
                    rows.resize(ids.len(), row_number(at_work.row));
                    if left.is_empty() {
                        at_work.found = None;
                        at_work.row += 1;
                    }
                }
                None => {
                    let left = self.find(run)?;
                    if let Some(at_work) = &mut self.at_work {
                        at_work.found = Some(left);
                    }
                }
            }
        }
        let Some(at_work) = &self.at_work else { return Ok(None) };
        let mut out = at_work.batch.gather_live(&rows, &self.live);
        match self.target {
            Target::Node(node) => out.set(node.slot, Column::nodes(ids)),
            Target::Edge(edge) => out.set(edge.slot, Column::edges(ids)),
        }
        if at_work.row >= at_work.batch.len() {
            self.at_work = None;
        }
        Ok(Some(out))
    }
}

/// The ids that some values are, each once. None: one of them is no id, and may be equal to one.
fn ids(values: &[Value]) -> Option<Left> {
    let mut ids: Vec<u32> = Vec::with_capacity(values.len());
    for value in values {
        match value {
            Value::Integer(id) => ids.extend(u64::try_from(*id).ok().map(narrow)),
            Value::Float(_) => return None,
            _ => {}
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Some(Left::Ids(Arc::new(ids), 0))
}

impl Operator for IndexScan<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            run.check()?;
            match self.rows(run)? {
                Some(out) if out.is_empty() => {}
                Some(out) => return Ok(Some(out)),
                None => match self.input.next(run)? {
                    Some(batch) => self.begin(batch, run)?,
                    None => {
                        let kept = self.all.take().map_or(0, |all| all.len() * size_of::<u32>());
                        run.release(kept);
                        return Ok(None);
                    }
                },
            }
        }
    }

    fn explain(&self) -> Explained {
        let (name, details) = match (&self.access, self.target) {
            (Access::Index(..), Target::Node(node)) => ("Node By Index Scan", shown(node)),
            (Access::Index(on, ..), Target::Edge(edge)) => {
                debug_assert!(matches!(on.of, Of::Type(_)));
                ("Edge By Index Scan", shown_edge(edge))
            }
            (_, Target::Edge(edge)) => ("Edge By ID Scan", shown_edge(edge)),
            (_, Target::Node(node)) if node.labels.is_empty() => ("NodeByIdSeek", shown(node)),
            (_, Target::Node(node)) => ("Node By Label and ID Scan", shown(node)),
        };
        Explained::new(name, details, vec![self.input.explain()])
    }
}

fn shown_edge(edge: &PatternEdge) -> String {
    match &edge.types {
        Some(LabelTest::Name(kind)) => format!("[{}:{kind}]", edge.name),
        _ => format!("[{}]", edge.name),
    }
}
