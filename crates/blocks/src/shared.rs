//! One thing that a value holds, and versions of the value may hold too: what a block is in
//! [`Blocks`](crate::Blocks), for structures that are no vector.

use std::sync::Arc;

use crate::ledger::Leaving;
use crate::node::Node;

/// Something that is copied when it is edited while a version shares it. A clone is one more
/// reference to it.
///
/// The value tells what the thing takes in all, its own allocation ([`Shared::SIZE`]) included,
/// whenever it leaves one: from then on that much is charged to versions, if any holds it.
///
/// ```
/// # use std::sync::Arc;
/// use base::Versions;
/// use kvist_blocks::{Leaving, Shared};
///
/// let versions = Arc::new(Versions::default());
/// let mut word = Shared::new(7_u64);
/// let before = word.clone();
/// *word.own(&mut Leaving::to(Some(&versions)), Shared::<u64>::SIZE) = 8;
/// assert_eq!((*before.get(), *word.get()), (7, 8));
/// assert_eq!(versions.kept(), Shared::<u64>::SIZE);
/// drop(before);
/// assert_eq!(versions.kept(), 0);
/// ```
pub struct Shared<T>(Arc<Node<T>>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Shared<T> {
    /// Bytes of the allocation that it is in.
    pub const SIZE: usize = Node::<T>::size();

    /// A thing that the value has alone.
    #[must_use]
    pub fn new(value: T) -> Self {
        Shared(Node::new(value))
    }

    /// The thing, to read.
    #[inline]
    #[must_use]
    pub fn get(&self) -> &T {
        &self.0.value
    }

    /// The thing, to edit: a copy of the value's own if it was shared. It took so many bytes.
    #[inline]
    pub fn own(&mut self, leaving: &mut Leaving<'_>, bytes: usize) -> &mut T
    where
        T: Clone + Send + Sync + 'static,
    {
        leaving.own(&mut self.0, bytes)
    }

    /// The value leaves it, and drops it next. It takes so many bytes. `held`: something else holds
    /// what is above it, and so this. Whether something else holds it.
    pub fn leave(&self, leaving: &mut Leaving<'_>, held: bool, bytes: usize) -> bool
    where
        T: Send + Sync + 'static,
    {
        leaving.leave(&self.0, held, bytes)
    }

    /// The thing by itself: a copy if it is shared. The value has left it then.
    pub fn take(self, leaving: &mut Leaving<'_>, bytes: usize) -> T
    where
        T: Clone + Send + Sync + 'static,
    {
        match Arc::try_unwrap(self.0) {
            Ok(node) => node.value,
            Err(shared) => {
                let copy = shared.value.clone();
                leaving.leave(&shared, false, bytes);
                copy
            }
        }
    }
}
