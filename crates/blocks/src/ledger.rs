//! What a value made of several trees takes, and what becomes of a node that it leaves.
//!
//! ```text
//!   Ledger of a value   a node it leaves is charged to versions at once, if one holds it
//!   Ledger of a fork    a node it leaves is noted: the value it was forked from still counts it
//!   adopt(fork)         the value counts as the fork does; what the fork has left is one charge,
//!                       until `Left` is dropped and charges what versions hold, node by node
//! ```
//!
//! A fork that is dropped instead has changed nothing: what it made goes with it.

use std::sync::{Arc, OnceLock};

use base::{Charge, Versions};

use crate::node::{Node, charge, leave};

/// A node whatever it holds, to be charged to versions.
pub(crate) trait Chargeable: Send + Sync {
    fn charge(&self, versions: &Arc<Versions>, bytes: usize);
}

impl<T: Send + Sync> Chargeable for Node<T> {
    fn charge(&self, versions: &Arc<Versions>, bytes: usize) {
        charge(self, Some(versions), bytes);
    }
}

/// Counts what a value takes that consists of [`Tree`](crate::Tree)s and [`Root`](crate::Root)s.
#[derive(Default)]
pub struct Ledger {
    /// Bytes of all nodes that the value reaches.
    pub(crate) bytes: usize,
    /// Once there was a version or a fork.
    versions: OnceLock<Arc<Versions>>,
    fork: Option<Fork>,
}

/// What only the ledger of a fork has.
struct Fork {
    /// What the value took when it was forked.
    base: usize,
    left: Left,
}

/// The nodes that a fork has left. When the fork has been adopted, dropping this charges to
/// versions what they still hold of them, and frees the rest: it takes as long as the fork has
/// changed nodes, so it is dropped where that disturbs nothing, but soon.
#[derive(Default)]
#[must_use = "dropping it here takes time on the data path"]
pub struct Left {
    /// Those above come before those below.
    nodes: Vec<(Arc<dyn Chargeable>, usize)>,
    bytes: usize,
    /// All of it, until it is told apart.
    whole: Option<(Charge, Arc<Versions>)>,
}

impl Drop for Left {
    fn drop(&mut self) {
        let Some((_whole, versions)) = self.whole.take() else { return };
        for (node, bytes) in self.nodes.drain(..) {
            if Arc::strong_count(&node) > 1 {
                node.charge(&versions, bytes);
            }
        }
    }
}

impl Ledger {
    /// Bytes that the value takes, whether versions share them or not. O(1).
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes that a fork takes beyond what it shares with its value; 0 for a value. O(1).
    #[must_use]
    pub fn added(&self) -> usize {
        self.fork.as_ref().map_or(0, |fork| (self.bytes + fork.left.bytes) - fork.base)
    }

    /// Whether it is that of a fork.
    #[must_use]
    pub fn is_fork(&self) -> bool {
        self.fork.is_some()
    }

    /// A version or a fork of the value is made, which is charged there.
    pub fn share(&self, versions: &Arc<Versions>) {
        self.versions.get_or_init(|| Arc::clone(versions));
    }

    /// The ledger of a fork of this value.
    #[must_use]
    pub fn fork(&self, versions: &Arc<Versions>) -> Ledger {
        self.share(versions);
        let shared = OnceLock::from(Arc::clone(versions));
        let fork = Some(Fork { base: self.bytes, left: Left::default() });
        Ledger { bytes: self.bytes, versions: shared, fork }
    }

    /// The value is what the fork was from now on. O(1).
    pub fn adopt(&mut self, fork: Ledger) -> Left {
        self.bytes = fork.bytes;
        let Some(Fork { mut left, .. }) = fork.fork else { return Left::default() };
        if let Some(versions) = self.versions.get() {
            left.whole = Some((versions.charge(left.bytes), Arc::clone(versions)));
        }
        left
    }

    /// Where versions are charged, once there was one or a fork.
    #[must_use]
    pub fn versions(&self) -> Option<&Arc<Versions>> {
        self.versions.get()
    }

    /// The value has left this node, which took so many bytes.
    pub(crate) fn left<T: Send + Sync + 'static>(&mut self, node: Arc<Node<T>>, bytes: usize) {
        match &mut self.fork {
            None => leave(&node, self.versions.get(), bytes),
            // What is not shared the fork has made itself.
            Some(fork) if Arc::strong_count(&node) > 1 => {
                fork.left.bytes += bytes;
                fork.left.nodes.push((node, bytes));
            }
            Some(_) => {}
        }
    }

    /// Makes a node the value's own, by a copy if something else holds it.
    pub(crate) fn own<'n, T: Clone + Send + Sync + 'static>(
        &mut self,
        node: &'n mut Arc<Node<T>>,
        bytes: usize,
    ) -> &'n mut T {
        // References are made from references, and none are weak: a node with one is this one's
        // alone. Asking so costs a load, where a look at both counts would cost two exchanges.
        if Arc::strong_count(node) > 1 {
            let copy = Arc::new(Node::clone(node));
            let left = std::mem::replace(node, copy);
            self.left(left, bytes);
        }
        match Arc::get_mut(node) {
            Some(node) => &mut node.value,
            None => unreachable!("nothing else holds it"),
        }
    }

    /// What was so many bytes large is so many now.
    #[inline]
    pub fn resized(&mut self, before: usize, now: usize) {
        self.bytes = self.bytes + now - before;
    }
}
