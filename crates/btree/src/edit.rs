//! One element inserted, removed or replaced: what is done going down and coming back.

use crate::hold::{Account, Held, Hold};
use crate::inner::Inner;
use crate::layout::Layout;
use crate::node::{Node, Split, is_full, own_inner, own_leaf};

/// Runs `$edit`, and tells `$account` by how much the memory of `$owner` changes.
macro_rules! accounted {
    ($account:expr, $owner:expr, $edit:expr) => {{
        let before = $owner.memory();
        let result = $edit;
        $account.changed(before, $owner.memory());
        result
    }};
}
pub(crate) use accounted;

/// What became of an element that was to be inserted.
pub(crate) enum Inserted<L: Layout, H: Hold> {
    /// It was there.
    Already,
    /// It is there now.
    Here,
    /// And the node has split.
    Split(Split<L, H>),
}

impl<L: Layout, H: Hold> Node<L, H> {
    /// Inserts an element.
    pub(crate) fn insert(
        &mut self,
        item: L::Item<'_>,
        account: &mut Account<'_>,
    ) -> Inserted<L, H> {
        match self {
            Node::Leaf(leaf) => insert_in_leaf(own_leaf::<L, H>(leaf, account), item, account),
            Node::Inner(inner) => {
                let inner = own_inner::<L, H>(inner, account);
                let kid = inner.kid_of(item);
                let inserted = inner.kids[kid].insert(item, account);
                match inserted {
                    Inserted::Already => return Inserted::Already,
                    Inserted::Here => inner.counts[kid] += 1,
                    Inserted::Split(split) => {
                        inner.counts[kid] += 1;
                        if let Some(split) = inner.take_in(kid, split, account) {
                            return Inserted::Split(split);
                        }
                    }
                }
                Inserted::Here
            }
        }
    }

    /// Removes an element; whether it was there.
    pub(crate) fn remove(&mut self, item: L::Item<'_>, account: &mut Account<'_>) -> bool {
        match self {
            Node::Leaf(leaf) => {
                let leaf = own_leaf::<L, H>(leaf, account);
                leaf.touch();
                let at = leaf.lower_bound(item);
                let found = at < leaf.len() && leaf.order_to(at, item).is_eq();
                if found {
                    accounted!(account, leaf, leaf.remove(at, at + 1));
                }
                found
            }
            Node::Inner(inner) => {
                let inner = own_inner::<L, H>(inner, account);
                let kid = inner.kid_of(item);
                let found = inner.kids[kid].remove(item, account);
                if found {
                    inner.counts[kid] -= 1;
                    inner.settle(kid, account);
                }
                found
            }
        }
    }

    /// Puts `new` in the place of `old`, if it belongs there; whether that was so.
    pub(crate) fn replace(
        &mut self,
        old: L::Item<'_>,
        new: L::Item<'_>,
        account: &mut Account<'_>,
    ) -> bool {
        match self {
            Node::Leaf(leaf) => {
                let at = leaf.get().lower_bound(old);
                let stays = keeps_its_place(leaf.get(), at, old, new);
                if stays {
                    let leaf = own_leaf::<L, H>(leaf, account);
                    accounted!(account, leaf, leaf.replace(at, old, new));
                }
                stays
            }
            Node::Inner(inner) => {
                let inner = own_inner::<L, H>(inner, account);
                let kid = inner.kid_of(old);
                inner.kids[kid].replace(old, new, account)
            }
        }
    }

    /// Removes the elements whose rank is from `from` to before `to`, showing each to `visit`.
    pub(crate) fn remove_ranks(
        &mut self,
        from: usize,
        to: usize,
        visit: &mut dyn FnMut(L::Item<'_>),
        account: &mut Account<'_>,
    ) {
        match self {
            Node::Leaf(leaf) => {
                let leaf = own_leaf::<L, H>(leaf, account);
                (from..to).for_each(|at| visit(leaf.item(at)));
                accounted!(account, leaf, leaf.remove(from, to));
            }
            Node::Inner(inner) => {
                own_inner::<L, H>(inner, account).remove_ranks(from, to, visit, account);
            }
        }
    }

    /// Puts a new root above this one after it has split. There are `len` elements in both.
    pub(crate) fn raise(&mut self, split: Split<L, H>, len: usize, account: &mut Account<'_>) {
        let mut inner = Inner::default();
        inner.push(None, std::mem::take(self), len - split.count);
        inner.push(Some(&split.separator), split.right, split.count);
        *self = Node::Inner(Held::new(inner));
        *account.bytes += self.memory();
    }

    /// Takes roots with less than two kids away.
    pub(crate) fn lower(&mut self, account: &mut Account<'_>) {
        while let Node::Inner(inner) = self
            && inner.get().kids.len() < 2
        {
            let inner = own_inner::<L, H>(inner, account);
            *account.bytes -= H::Inner::<L>::SIZE + inner.memory();
            *self = inner.kids.pop().unwrap_or_default();
        }
    }
}

/// Whether `new` can stand where `old` does, at a place of this leaf, if it does.
#[inline]
fn keeps_its_place<L: Layout>(leaf: &L, at: usize, old: L::Item<'_>, new: L::Item<'_>) -> bool {
    if at == leaf.len() || leaf.order_to(at, old).is_ne() {
        return false;
    }
    // At an end of the leaf, only moves away from it are safe: the bound of the neighbour isn't
    // known here.
    let above = match at.checked_sub(1) {
        Some(before) => leaf.order_to(before, new).is_lt(),
        None => L::order(new, old).is_ge(),
    };
    let below = match at + 1 {
        next if next < leaf.len() => leaf.order_to(next, new).is_gt(),
        _ => L::order(new, old).is_le(),
    };
    above && below && L::size(new) <= L::size(old)
}

fn insert_in_leaf<L: Layout, H: Hold>(
    leaf: &mut L,
    item: L::Item<'_>,
    account: &mut Account<'_>,
) -> Inserted<L, H> {
    leaf.touch();
    let at = leaf.lower_bound(item);
    if at < leaf.len() && leaf.order_to(at, item).is_eq() {
        return Inserted::Already;
    }
    if leaf.is_empty() || !is_full::<L>(leaf.len(), leaf.bytes(), item) {
        accounted!(account, leaf, leaf.insert(at, item));
        return Inserted::Here;
    }
    let cut = if at == 0 || at == leaf.len() { at } else { leaf.len() / 2 };
    let right = accounted!(account, leaf, {
        let mut right = leaf.split_off(cut);
        if at > cut || right.is_empty() {
            right.insert(at - cut, item);
        } else {
            leaf.insert(at, item);
        }
        right
    });
    let separator = match leaf.len().checked_sub(1) {
        Some(last) => L::separator(leaf.item(last), right.item(0)),
        None => L::own(right.item(0)), // never: it has kept some, or got the new one
    };
    let count = right.len();
    let right = Node::Leaf(Held::new(right));
    *account.bytes += right.memory();
    Inserted::Split(Split { separator, right, count })
}
