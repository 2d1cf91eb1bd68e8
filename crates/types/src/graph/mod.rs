//! Property graphs as values of keys.
//!
//! A key may hold a graph without a node: it is there from the first query on until it is deleted.
//! So the default, which holds no graph, is not an empty one.

mod copy;
mod image;
mod portable;
mod tools;

use std::sync::Arc;

pub use ::graph::storage::cut_statement;
use ::graph::storage::{Change, FrozenGraph, Graph as Stored, Settled, SlowLog};
use base::codec::{Malformed, Source};
use base::{DataType, Forked, Kind, PackLimits, Versioned, Versions};
use table::{UnalignedBox, size_class};

pub use self::copy::{GraphAssembly, GraphCopy};
pub use self::tools::GraphTools;

/// The value of a key that holds a graph. By default it holds none, and is no key then.
///
/// ```
/// use base::DataType;
/// use kvist_types::Graph;
/// let mut value = Graph::default();
/// assert!(value.is_empty());
/// let graph = value.graph_or_new();
/// let label = graph.make_label("Person").unwrap();
/// graph.create_node(&[label]).unwrap();
/// assert_eq!(value.elements(), 1);
/// ```
#[derive(Default)]
pub struct Graph(Option<UnalignedBox<Stored>>);

impl From<Stored> for Graph {
    fn from(graph: Stored) -> Self {
        Graph(Some(UnalignedBox::new(graph)))
    }
}

impl Graph {
    /// The graph.
    #[inline]
    #[must_use]
    pub fn graph(&self) -> Option<&Stored> {
        self.0.as_deref()
    }

    /// The graph, to be changed; one without nodes if there was none. Who changes it takes its
    /// changes, too: they are counted nowhere.
    pub fn graph_or_new(&mut self) -> &mut Stored {
        self.0.get_or_insert_with(|| UnalignedBox::new(Stored::default()))
    }
}

/// A copy has blocks of its own: nothing that becomes of the one concerns the other.
impl Clone for Graph {
    fn clone(&self) -> Self {
        let copy = self.graph().and_then(|graph| image::copy(graph).ok());
        debug_assert_eq!(copy.is_some(), self.0.is_some(), "an image of itself");
        Graph(copy.map(UnalignedBox::new))
    }
}

impl Versioned for Graph {
    type Frozen = FrozenGraph;

    fn freeze(&self, versions: &Arc<Versions>) -> FrozenGraph {
        self.graph()
            .map_or_else(|| Stored::default().freeze(versions), |graph| graph.freeze(versions))
    }
}

impl Forked for Graph {
    type Fork = Stored;
    type Changes = Vec<Change>;
    type Left = Settled;

    fn is_small(left: &Settled) -> bool {
        left.is_small()
    }

    fn fork(&self, versions: &Arc<Versions>) -> Stored {
        let new = || {
            let new = Stored::default();
            new.slow_log().count_in(versions);
            new
        };
        self.graph().map_or_else(new, |graph| graph.fork(versions))
    }

    fn adopt(&mut self, mut fork: Stored) -> Result<(Vec<Change>, Option<Settled>), Box<Stored>> {
        match &mut self.0 {
            Some(graph) => graph.adopt(fork).map(|(changes, left)| (changes, Some(left))),
            // What was made of no graph takes the place of none.
            None if fork.is_fork() => Err(Box::new(fork)),
            None => {
                let changes = fork.take_changes();
                self.0 = Some(UnalignedBox::new(fork));
                Ok((changes, None))
            }
        }
    }
}

impl DataType for Graph {
    const KIND: Kind = Kind::Graph;
    type Context = GraphTools;
    type Copying = GraphCopy;
    type Assembly = GraphAssembly;

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn elements(&self) -> usize {
        self.graph().map_or(0, |graph| graph.node_count() + graph.edge_count())
    }

    fn memory(&self) -> usize {
        let own = size_class(size_of::<Stored>()) + size_class(SlowLog::OWN);
        self.graph().map_or(0, |graph| own + graph.memory())
    }

    fn encoding(&self) -> &'static str {
        "raw"
    }

    fn free_effort(&self) -> usize {
        self.graph().map_or(0, Stored::free_effort)
    }

    fn versions(&self) -> Option<&Arc<Versions>> {
        self.graph()?.versions()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        if let Some(graph) = self.graph() {
            image::encode(graph, out);
        }
    }

    fn decode(
        source: &mut Source<'_>,
        _limits: &PackLimits,
        _tools: &mut GraphTools,
    ) -> Result<Self, Malformed> {
        image::decode(source).map(Graph::from)
    }

    fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
        image::skip(source)
    }
}
