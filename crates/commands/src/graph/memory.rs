//! GRAPH.MEMORY USAGE: tells what the parts of a graph take.
//!
//! The parts are FalkorDB's, by name; what is told is how much of ours serves the same end. Nothing
//! is estimated: `SAMPLES` is read and passed over.

use ::graph::storage::Usage;
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Property, Query, Reply, Run, Spec, error, num,
};
use types::Graph;

use super::NO_GRAPH;

const NO_COUNT: CmdError = CmdError::new("SAMPLES must be a non-negative integer");

/// Tells what a graph takes.
pub struct Memory<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Memory<'a> {
    const SPEC: Spec = Spec {
        name: "graph.memory",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Reports how many megabytes the parts of a graph take.",
        complexity: "O(N), when N is the number of nodes and relationships divided by 1024",
        grammar: "usage={usage!USAGE key:key [SAMPLES count:integer]}",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(2, &[KeyFlag::ReadOnly])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery, Property::ReadsMetadata]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let word = args.next()?;
        let unknown = |word: &[u8], more: &str| {
            let after = format!("'. expecting GRAPH.MEMORY USAGE <key>{more}");
            CmdError::quoting("ERR unknown subcommand '", error::until_zero(word), &after)
        };
        if !word.eq_ignore_ascii_case(b"usage") {
            return Err(unknown(word, ""));
        }
        let key = args.key()?;
        if let Some(word) = args.take() {
            let count = args.take().filter(|_| args.left() == 0);
            let count = count.ok_or_else(|| error::wrong_arity("graph.memory"))?;
            if !word.eq_ignore_ascii_case(b"samples") {
                return Err(unknown(word, " SAMPLES <x>"));
            }
            num::parse_i64(count).filter(|&count| count >= 0).ok_or(NO_COUNT)?;
        }
        Ok(Memory { key })
    }
}

impl<H: Forks<Graph>> Run<H> for Memory<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        let all = host.peek(self.key)?.map(base::DataType::memory).ok_or(NO_GRAPH)?;
        let version = host.share(self.key)?.ok_or(NO_GRAPH)?;
        Ok(Effect::Query(Query::over(version, move |graph, pace, out| {
            let mut usage = Usage::default();
            while usage.add_segment(graph) {
                pace.go_on(&*out, usage.memory())?;
            }
            let labels: Vec<&str> = graph.label_names().collect();
            let types: Vec<&str> = graph.type_names().collect();
            out.map(9);
            part("total_graph_sz_mb", all, out);
            part("label_matrices_sz_mb", usage.labels, out);
            part("relation_matrices_sz_mb", usage.lists, out);
            part("amortized_node_block_sz_mb", usage.nodes, out);
            parts("amortized_node_attributes_by_label_sz_mb", &labels, &usage.of_labels, out);
            part("amortized_unlabeled_nodes_attributes_sz_mb", usage.unlabelled, out);
            part("amortized_edge_block_sz_mb", usage.edges, out);
            parts("amortized_edge_attributes_by_type_sz_mb", &types, &usage.of_types, out);
            part("indices_sz_mb", usage.indexes, out);
            Ok(())
        })))
    }
}

fn part(name: &str, bytes: usize, out: &mut dyn Reply) {
    out.bulk(name.as_bytes());
    out.count(bytes >> 20);
}

fn parts(name: &str, names: &[&str], bytes: &[usize], out: &mut dyn Reply) {
    out.bulk(name.as_bytes());
    out.map(names.len());
    for (at, name) in names.iter().enumerate() {
        part(name, bytes.get(at).copied().unwrap_or(0), out);
    }
}
