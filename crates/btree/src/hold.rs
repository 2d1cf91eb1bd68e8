//! How a tree holds its nodes: alone, or together with versions of it.
//!
//! ```text
//!   Alone    a leaf stands in its parent, an inner node in a box        no versions, no counts
//!   Shared   each node is counted (`blocks::Shared`)                    64 bytes more a node
//! ```
//!
//! The code of the tree is the same for both: before it edits a node it makes it its own, which is
//! a copy where a version shares it, and nothing at all where the tree is alone.

use std::sync::{Arc, OnceLock};

use base::Versions;
use table::size_class;

use crate::inner::Inner;
use crate::layout::Layout;

/// How the nodes of a tree are held: [`Alone`] or [`Shared`].
pub trait Hold: Sized + 'static {
    /// Whether versions can hold nodes, too.
    const SHARES: bool;
    /// What holds a leaf.
    type Leaf<L: Layout>: Held<L>;
    /// What holds an inner node.
    type Inner<L: Layout>: Held<Inner<L, Self>>;
    /// What a tree knows of versions.
    type Known: Default;

    /// The versions that there are, if there ever was one.
    fn versions(known: &Self::Known) -> Option<&Arc<Versions>>;
}

/// A node that something holds.
pub trait Held<T>: Clone {
    /// Bytes of the allocation that it is in.
    const SIZE: usize;

    /// Holds a node.
    fn new(node: T) -> Self;

    /// The node, to read.
    fn get(&self) -> &T;

    /// The node, to edit. It took so many bytes.
    fn own(&mut self, versions: Option<&Arc<Versions>>, bytes: usize) -> &mut T;

    /// The node by itself. It took so many bytes.
    fn take(self, versions: Option<&Arc<Versions>>, bytes: usize) -> T;

    /// The tree leaves the node, of so many bytes. `held`: versions hold what is above it. Whether
    /// versions hold the node.
    fn leave(&self, versions: Option<&Arc<Versions>>, held: bool, bytes: usize) -> bool;
}

/// No node is anything else's.
pub struct Alone;

/// A version is one more reference to the root; what an edit changes is copied while one is there.
pub struct Shared;

/// A node where it stands.
#[derive(Clone)]
pub struct InPlace<T>(T);

impl Hold for Alone {
    const SHARES: bool = false;
    type Leaf<L: Layout> = InPlace<L>;
    type Inner<L: Layout> = Box<Inner<L, Alone>>;
    type Known = ();

    fn versions((): &()) -> Option<&Arc<Versions>> {
        None
    }
}

impl Hold for Shared {
    const SHARES: bool = true;
    type Leaf<L: Layout> = blocks::Shared<L>;
    type Inner<L: Layout> = blocks::Shared<Inner<L, Shared>>;
    type Known = OnceLock<Arc<Versions>>;

    fn versions(known: &Self::Known) -> Option<&Arc<Versions>> {
        known.get()
    }
}

impl<T: Clone> Held<T> for InPlace<T> {
    const SIZE: usize = 0;

    #[inline]
    fn new(node: T) -> Self {
        InPlace(node)
    }

    #[inline]
    fn get(&self) -> &T {
        &self.0
    }

    #[inline]
    fn own(&mut self, _versions: Option<&Arc<Versions>>, _bytes: usize) -> &mut T {
        &mut self.0
    }

    #[inline]
    fn take(self, _versions: Option<&Arc<Versions>>, _bytes: usize) -> T {
        self.0
    }

    #[inline]
    fn leave(&self, _versions: Option<&Arc<Versions>>, _held: bool, _bytes: usize) -> bool {
        false
    }
}

impl<T: Clone> Held<T> for Box<T> {
    const SIZE: usize = size_class(size_of::<T>());

    #[inline]
    fn new(node: T) -> Self {
        Box::new(node)
    }

    #[inline]
    fn get(&self) -> &T {
        self
    }

    #[inline]
    fn own(&mut self, _versions: Option<&Arc<Versions>>, _bytes: usize) -> &mut T {
        self
    }

    #[inline]
    fn take(self, _versions: Option<&Arc<Versions>>, _bytes: usize) -> T {
        *self
    }

    #[inline]
    fn leave(&self, _versions: Option<&Arc<Versions>>, _held: bool, _bytes: usize) -> bool {
        false
    }
}

impl<T: Clone> Held<T> for blocks::Shared<T> {
    const SIZE: usize = blocks::Shared::<T>::SIZE;

    #[inline]
    fn new(node: T) -> Self {
        blocks::Shared::new(node)
    }

    #[inline]
    fn get(&self) -> &T {
        blocks::Shared::get(self)
    }

    #[inline]
    fn own(&mut self, versions: Option<&Arc<Versions>>, bytes: usize) -> &mut T {
        blocks::Shared::own(self, versions, bytes)
    }

    #[inline]
    fn take(self, versions: Option<&Arc<Versions>>, bytes: usize) -> T {
        blocks::Shared::take(self, versions, bytes)
    }

    fn leave(&self, versions: Option<&Arc<Versions>>, held: bool, bytes: usize) -> bool {
        let held = held || self.is_shared();
        if held {
            self.leave_held(versions, bytes);
        }
        held
    }
}

/// What an edit has to tell: how many bytes the tree takes, and which versions share its nodes.
pub struct Account<'t> {
    /// Bytes of all nodes.
    pub bytes: &'t mut usize,
    /// None: no version was ever made.
    pub versions: Option<&'t Arc<Versions>>,
}

impl Account<'_> {
    /// A node has grown, or shrunk.
    #[inline]
    pub fn changed(&mut self, before: usize, now: usize) {
        *self.bytes = self.bytes.wrapping_add(now).wrapping_sub(before);
    }
}
