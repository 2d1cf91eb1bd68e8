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
use blocks::{Leaving, Ledger};
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
    fn own(&mut self, leaving: &mut Leaving<'_>, bytes: usize) -> &mut T;

    /// The node by itself. It took so many bytes.
    fn take(self, leaving: &mut Leaving<'_>, bytes: usize) -> T;

    /// The tree leaves the node, of so many bytes. `held`: something else holds what is above it.
    /// Whether something else holds the node.
    fn leave(&self, leaving: &mut Leaving<'_>, held: bool, bytes: usize) -> bool;
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
    fn own(&mut self, _leaving: &mut Leaving<'_>, _bytes: usize) -> &mut T {
        &mut self.0
    }

    #[inline]
    fn take(self, _leaving: &mut Leaving<'_>, _bytes: usize) -> T {
        self.0
    }

    #[inline]
    fn leave(&self, _leaving: &mut Leaving<'_>, _held: bool, _bytes: usize) -> bool {
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
    fn own(&mut self, _leaving: &mut Leaving<'_>, _bytes: usize) -> &mut T {
        self
    }

    #[inline]
    fn take(self, _leaving: &mut Leaving<'_>, _bytes: usize) -> T {
        *self
    }

    #[inline]
    fn leave(&self, _leaving: &mut Leaving<'_>, _held: bool, _bytes: usize) -> bool {
        false
    }
}

impl<T: Clone + Send + Sync + 'static> Held<T> for blocks::Shared<T> {
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
    fn own(&mut self, leaving: &mut Leaving<'_>, bytes: usize) -> &mut T {
        blocks::Shared::own(self, leaving, bytes)
    }

    #[inline]
    fn take(self, leaving: &mut Leaving<'_>, bytes: usize) -> T {
        blocks::Shared::take(self, leaving, bytes)
    }

    fn leave(&self, leaving: &mut Leaving<'_>, held: bool, bytes: usize) -> bool {
        blocks::Shared::leave(self, leaving, held, bytes)
    }
}

/// What an edit has to tell: how many bytes the tree takes, and which nodes it leaves.
pub struct Account<'t> {
    /// Bytes of all nodes.
    pub bytes: &'t mut usize,
    /// Where nodes go that the tree leaves.
    pub leaving: Leaving<'t>,
}

impl<'t> Account<'t> {
    /// That of a tree by itself.
    #[inline]
    pub fn alone(bytes: &'t mut usize, versions: Option<&'t Arc<Versions>>) -> Self {
        Account { bytes, leaving: Leaving::to(versions) }
    }

    /// That of a part of a value.
    pub fn of_part(ledger: &'t mut Ledger) -> Self {
        let (bytes, leaving) = ledger.parts();
        Account { bytes, leaving }
    }

    /// A node has grown, or shrunk.
    #[inline]
    pub fn changed(&mut self, before: usize, now: usize) {
        *self.bytes = self.bytes.wrapping_add(now).wrapping_sub(before);
    }
}
