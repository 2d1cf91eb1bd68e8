//! The nodes of the tree, and who pays for them.

use std::sync::{Arc, OnceLock};

use base::{Charge, Versions};
use table::size_class;

/// Bits of a block's number that choose a branch at each level.
pub(crate) const BITS: usize = 5;
/// How many branches a node of the tree has.
pub const FAN_OUT: usize = 1 << BITS;
/// The two reference counts before each node.
const COUNTS: usize = 2 * size_of::<usize>();

/// A part of a large value: what is copied at once.
pub trait Block: Clone + Send + Sync + 'static {
    /// Bytes of heap that it owns, beyond its own size. O(1): it is asked around every edit.
    fn memory(&self) -> usize;
}

/// Something that a value holds, or versions of it, or both.
pub(crate) struct Node<T> {
    pub value: T,
    /// What it takes, charged to versions since the value has left it.
    charge: OnceLock<Charge>,
}

impl<T> Node<T> {
    pub fn new(value: T) -> Arc<Self> {
        Arc::new(Node { value, charge: OnceLock::new() })
    }

    /// Bytes of its allocation.
    pub const fn size() -> usize {
        size_class(COUNTS + size_of::<Self>())
    }
}

/// A copy belongs to the value that makes it, whatever became of the original.
impl<T: Clone> Clone for Node<T> {
    fn clone(&self) -> Self {
        Node { value: self.value.clone(), charge: OnceLock::new() }
    }
}

/// The branches of a node.
pub(crate) struct Branches<B>(pub [Link<B>; FAN_OUT]);

impl<B> Branches<B> {
    pub fn none() -> Self {
        Branches([const { Link::None }; FAN_OUT])
    }

    pub fn are_none(&self) -> bool {
        self.0.iter().all(|link| matches!(link, Link::None))
    }
}

impl<B> Clone for Branches<B> {
    fn clone(&self) -> Self {
        Branches(std::array::from_fn(|at| self.0[at].clone()))
    }
}

/// What hangs somewhere in the tree.
pub(crate) enum Link<B> {
    None,
    Block(Arc<Node<B>>),
    Branches(Arc<Node<Branches<B>>>),
}

impl<B> Clone for Link<B> {
    fn clone(&self) -> Self {
        match self {
            Link::None => Link::None,
            Link::Block(node) => Link::Block(Arc::clone(node)),
            Link::Branches(node) => Link::Branches(Arc::clone(node)),
        }
    }
}

impl<B: Block> Node<B> {
    /// Bytes that a block takes in all.
    pub fn block_size(&self) -> usize {
        Self::size() + self.value.memory()
    }
}

/// Lets a value leave a node: versions that hold it pay for it from now on. The caller drops the
/// value's reference next, and is the only one that could make others.
pub(crate) fn leave<T>(node: &Arc<Node<T>>, versions: Option<&Arc<Versions>>, bytes: usize) {
    if Arc::strong_count(node) > 1 {
        charge(node, versions, bytes);
    }
}

pub(crate) fn charge<T>(node: &Node<T>, versions: Option<&Arc<Versions>>, bytes: usize) {
    // Without versions nothing else can hold it.
    if let Some(versions) = versions {
        node.charge.get_or_init(|| versions.charge(bytes));
    }
}

/// Makes a node the value's own, by a copy if a version shares it.
pub(crate) fn own<'n, T: Clone>(
    node: &'n mut Arc<Node<T>>,
    versions: Option<&Arc<Versions>>,
    bytes: usize,
) -> &'n mut T {
    if Arc::get_mut(node).is_none() {
        let copy = Arc::new(Node::clone(node));
        let left = std::mem::replace(node, copy);
        // The version that held it may have gone by now: then the node goes here, with its charge.
        leave(&left, versions, bytes);
    }
    // Nothing else holds it, so this copies nothing.
    &mut Arc::make_mut(node).value
}

impl<B: Block> Link<B> {
    /// Lets a value leave all of this that versions hold. `held`: they hold what is above it.
    pub fn leave_whole(&self, versions: &Arc<Versions>, held: bool) {
        match self {
            Link::None => {}
            Link::Block(node) => {
                if held || Arc::strong_count(node) > 1 {
                    charge(node, Some(versions), node.block_size());
                }
            }
            Link::Branches(node) => {
                let held = held || Arc::strong_count(node) > 1;
                if held {
                    charge(node, Some(versions), Node::<Branches<B>>::size());
                }
                node.value.0.iter().for_each(|link| link.leave_whole(versions, held));
            }
        }
    }
}
