//! The model's command on graphs.

use super::{Expect, Model};
use crate::graph::{Graph, Statement};
use crate::unit::Step;
use crate::value::Value;

impl Model {
    /// A statement makes its graph where there is none, whatever it finds in it.
    pub(super) fn run_graph(&mut self, command: &str, step: &Step) -> Option<Expect> {
        if command != "GRAPH.QUERY" {
            return None;
        }
        let args = step.command.args();
        let name = (step.db, args.get(1)?.clone());
        let mut graph = match self.value(&name) {
            Some(Value::Graph(graph)) => graph.clone(),
            _ => Graph::default(),
        };
        graph.apply(&Statement::read(args.get(2)?)?);
        self.change(&name, Value::Graph(graph));
        Some(Expect::Any)
    }
}
