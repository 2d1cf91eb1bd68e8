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

use crate::node::{Node, charge};

/// A node whatever it holds, to be charged to versions.
pub(crate) trait Chargeable: Send + Sync {
    fn charge(&self, versions: &Arc<Versions>, bytes: usize);
}

impl<T: Send + Sync> Chargeable for Node<T> {
    fn charge(&self, versions: &Arc<Versions>, bytes: usize) {
        charge(self, Some(versions), bytes);
    }
}

/// Something of many nodes that a value has left whole.
pub trait Whole: Send + Sync {
    /// Charges to versions what they hold of it. O(nodes).
    fn leave_whole(&self, versions: &Arc<Versions>);
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
    /// What was left whole. Some nodes of it the fork has made itself.
    wholes: Vec<Box<dyn Whole>>,
    bytes: usize,
    /// All of it, until it is told apart.
    whole: Option<(Charge, Arc<Versions>)>,
}

/// Dropping what is not more than this takes some microseconds.
const FEW_NODES: usize = 64;
/// The same in bytes.
const FEW_BYTES: usize = 256 << 10;

impl Left {
    /// Whether it is dropped in a moment.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.wholes.is_empty() && self.nodes.len() <= FEW_NODES && self.bytes <= FEW_BYTES
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        let Some((whole, versions)) = self.whole.take() else { return };
        // What versions turn out to hold counts with the whole already.
        whole.divide(|| {
            for (node, bytes) in self.nodes.drain(..) {
                if Arc::strong_count(&node) > 1 {
                    node.charge(&versions, bytes);
                }
            }
            // Behind the nodes: some of those had what is in these, too.
            for whole in self.wholes.drain(..) {
                whole.leave_whole(&versions);
            }
        });
    }
}

/// Where nodes go that a value leaves: to versions, or on the list of a fork.
pub struct Leaving<'l> {
    versions: Option<&'l Arc<Versions>>,
    fork: Option<&'l mut Fork>,
}

impl<'l> Leaving<'l> {
    /// To versions; `None`: there never was one.
    #[must_use]
    pub fn to(versions: Option<&'l Arc<Versions>>) -> Self {
        Leaving { versions, fork: None }
    }

    /// The value leaves a node, which takes so many bytes, and drops it next. `held`: something
    /// else holds what is above it. Whether something else holds the node.
    pub(crate) fn leave<T: Send + Sync + 'static>(
        &mut self,
        node: &Arc<Node<T>>,
        held: bool,
        bytes: usize,
    ) -> bool {
        let held = held || Arc::strong_count(node) > 1;
        match &mut self.fork {
            _ if !held => {} // a fork has made it itself
            None => charge(node, self.versions, bytes),
            Some(fork) => {
                fork.left.bytes += bytes;
                let node: Arc<Node<T>> = Arc::clone(node);
                fork.left.nodes.push((node, bytes));
            }
        }
        held
    }

    /// Makes a node the value's own, by a copy if something else holds it.
    #[inline]
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
            self.leave(&left, false, bytes);
        }
        match Arc::get_mut(node) {
            Some(node) => &mut node.value,
            None => unreachable!("nothing else holds it"),
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
        versions.join(self.versions.get_or_init(|| Arc::clone(versions)));
    }

    /// The ledger of a fork of this value.
    #[must_use]
    pub fn fork(&self, versions: &Arc<Versions>) -> Ledger {
        let account = self.versions.get_or_init(|| versions.of_another_value());
        let shared = OnceLock::from(Arc::clone(account));
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

    /// The account of what versions keep of the value, where versions are there. O(1).
    #[must_use]
    pub fn living_versions(&self) -> Option<&Arc<Versions>> {
        self.versions().filter(|versions| versions.are_any())
    }

    /// Where versions are charged, once there was one or a fork.
    #[must_use]
    pub fn versions(&self) -> Option<&Arc<Versions>> {
        self.versions.get()
    }

    /// What edits of a part count in: the bytes, and where nodes go that the value leaves.
    pub fn parts(&mut self) -> (&mut usize, Leaving<'_>) {
        let leaving = Leaving { versions: self.versions.get(), fork: self.fork.as_mut() };
        (&mut self.bytes, leaving)
    }

    /// The value leaves something of so many bytes whole. O(1): what is returned charges to
    /// versions what they hold of it, and frees the rest. A fork returns nothing, and leaves it
    /// with all else when it is adopted.
    pub fn leave_whole(&mut self, whole: impl Whole + 'static, bytes: usize) -> Left {
        self.bytes -= bytes;
        let Some(fork) = &mut self.fork else {
            let versions = self.versions.get();
            let charge = versions.map(|all| (all.charge(bytes), Arc::clone(all)));
            let wholes: Vec<Box<dyn Whole>> = vec![Box::new(whole)];
            return Left { nodes: Vec::new(), wholes, bytes, whole: charge };
        };
        fork.left.bytes += bytes;
        fork.left.wholes.push(Box::new(whole));
        Left::default()
    }

    /// The value has left this node, which took so many bytes.
    pub(crate) fn left<T: Send + Sync + 'static>(&mut self, node: Arc<Node<T>>, bytes: usize) {
        self.parts().1.leave(&node, false, bytes);
    }

    /// Makes a node the value's own, by a copy if something else holds it.
    pub(crate) fn own<'n, T: Clone + Send + Sync + 'static>(
        &mut self,
        node: &'n mut Arc<Node<T>>,
        bytes: usize,
    ) -> &'n mut T {
        self.parts().1.own(node, bytes)
    }

    /// What was so many bytes large is so many now.
    #[inline]
    pub fn resized(&mut self, before: usize, now: usize) {
        self.bytes = self.bytes + now - before;
    }
}
