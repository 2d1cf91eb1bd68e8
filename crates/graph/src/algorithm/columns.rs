//! The rows of an algorithm, as columns.

use std::sync::Arc;

use crate::storage::{EdgeId, NodeId};
use crate::value::{Path, Value};

/// Nodes, each with a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// The nodes, in ascending order.
    pub nodes: Vec<NodeId>,
    /// Their numbers.
    pub scores: Vec<f64>,
}

/// Nodes, each with the group it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// The nodes, in ascending order.
    pub nodes: Vec<NodeId>,
    /// The id of a node that stands for the group.
    pub groups: Vec<NodeId>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultColumn {
    /// Nodes.
    Nodes(Vec<NodeId>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Lists of nodes.
    NodeLists(Vec<Vec<NodeId>>),
    /// Lists of edges.
    EdgeLists(Vec<Vec<EdgeId>>),
    /// Lists of numbers.
    FloatLists(Vec<Vec<f64>>),
    /// Lists of whole numbers.
    IntegerLists(Vec<Vec<i64>>),
    /// Paths.
    Paths(Vec<Arc<Path>>),
}

impl ResultColumn {
    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            ResultColumn::Nodes(all) => all.len(),
            ResultColumn::Floats(all) => all.len(),
            ResultColumn::Integers(all) => all.len(),
            ResultColumn::NodeLists(all) => all.len(),
            ResultColumn::EdgeLists(all) => all.len(),
            ResultColumn::FloatLists(all) => all.len(),
            ResultColumn::IntegerLists(all) => all.len(),
            ResultColumn::Paths(all) => all.len(),
        }
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of a row's value beside itself, if it is a list.
    #[must_use]
    pub fn width(&self, row: usize) -> usize {
        let values = match self {
            ResultColumn::NodeLists(all) | ResultColumn::EdgeLists(all) => {
                all.get(row).map(Vec::len)
            }
            ResultColumn::FloatLists(all) => all.get(row).map(Vec::len),
            ResultColumn::IntegerLists(all) => all.get(row).map(Vec::len),
            _ => None,
        };
        values.unwrap_or(0) * size_of::<Value>()
    }

    /// The bytes that it keeps.
    #[must_use]
    pub fn memory(&self) -> usize {
        fn lists<T>(all: &[Vec<T>]) -> usize {
            size_of_val(all) + all.iter().map(|list| size_of_val(&list[..])).sum::<usize>()
        }
        match self {
            ResultColumn::Nodes(all) => size_of_val(&all[..]),
            ResultColumn::Floats(all) => size_of_val(&all[..]),
            ResultColumn::Integers(all) => size_of_val(&all[..]),
            ResultColumn::NodeLists(all) | ResultColumn::EdgeLists(all) => lists(all),
            ResultColumn::FloatLists(all) => lists(all),
            ResultColumn::IntegerLists(all) => lists(all),
            ResultColumn::Paths(all) => {
                let each = |path: &Arc<Path>| size_of::<Path>() + path.memory();
                size_of_val(&all[..]) + all.iter().map(each).sum::<usize>()
            }
        }
    }

    /// The value of a row; null beyond the last.
    #[must_use]
    pub fn value(&self, row: usize) -> Value {
        let value = match self {
            ResultColumn::Nodes(all) => all.get(row).map(|&id| Value::Node(id.into())),
            ResultColumn::Floats(all) => all.get(row).map(|&number| Value::Float(number)),
            ResultColumn::Integers(all) => all.get(row).map(|&number| Value::Integer(number)),
            ResultColumn::NodeLists(all) => {
                all.get(row).map(|list| Value::list(list.iter().map(|&id| Value::Node(id.into()))))
            }
            ResultColumn::EdgeLists(all) => all
                .get(row)
                .map(|list| Value::list(list.iter().map(|&id| Value::Relationship(id.into())))),
            ResultColumn::FloatLists(all) => {
                all.get(row).map(|list| Value::list(list.iter().map(|&it| Value::Float(it))))
            }
            ResultColumn::IntegerLists(all) => {
                all.get(row).map(|list| Value::list(list.iter().map(|&it| Value::Integer(it))))
            }
            ResultColumn::Paths(all) => all.get(row).map(|path| Value::Path(path.clone())),
        };
        value.unwrap_or_default()
    }
}

/// Columns with their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The names, in the order in which they come without `YIELD`.
    pub names: &'static [&'static str],
    /// The columns, of one length.
    pub columns: Vec<ResultColumn>,
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, ResultColumn::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that they keep.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.columns.iter().map(ResultColumn::memory).sum()
    }

    /// The column of a name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ResultColumn> {
        self.columns.get(self.names.iter().position(|known| *known == name)?)
    }
}
