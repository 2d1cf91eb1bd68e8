//! 1,024 consecutive ids: which of them live, and what belongs to each but its properties.
//!
//! Segments that have an id free are a list: the one whose id became free last comes first, and of
//! its ids the lowest is used next. So finding an id, and giving it back, is one step.

use blocks::{Block, Ledger, Tree};

use super::{KeyId, LabelId, NodeId, SEGMENT, Slot, SlotSet, TypeId, make_room, vec_bytes};

/// No segment.
pub(crate) const NONE: u32 = u32::MAX;
/// How many segments there may be, so that `u32::MAX` is no id.
const MOST: usize = (1 << 22) - 1;

/// The ids of a segment.
#[derive(Clone)]
pub(crate) struct Slots {
    pub live: SlotSet,
    pub count: u16,
    /// The next segment with a free id, if this one has any.
    next: u32,
    /// Of which keys there are values here, in order.
    pub keys: Vec<KeyId>,
}

impl Slots {
    fn new(next: u32) -> Self {
        Slots { live: SlotSet::default(), count: 0, next, keys: Vec::new() }
    }

    /// With these ids, and that segment next in the list.
    pub fn of(live: SlotSet, next: u32) -> Self {
        // 1,024 at most.
        let count = live.count() as u16;
        Slots { live, count, next, keys: Vec::new() }
    }

    /// The next segment with a free id, if this one has any.
    pub fn next(&self) -> u32 {
        self.next
    }

    fn is_full(&self) -> bool {
        usize::from(self.count) == SEGMENT
    }

    /// There are values of this key from now on, or none any more.
    pub fn note_key(&mut self, key: KeyId, is_there: bool) {
        match (self.keys.binary_search(&key), is_there) {
            (Err(at), true) => self.keys.insert(at, key),
            (Ok(at), false) => {
                self.keys.remove(at);
            }
            _ => {}
        }
    }
}

/// A segment of nodes or edges.
pub(crate) trait Segment: Block {
    fn new(slots: Slots) -> Self;
    fn slots(&self) -> &Slots;
    fn slots_mut(&mut self) -> &mut Slots;
}

/// Segments of nodes or of edges, and which ids are used next.
pub(crate) struct Ids<S> {
    pub segments: Tree<S>,
    /// The first segment with a free id.
    free: u32,
    pub count: u32,
}

impl<S> Clone for Ids<S> {
    fn clone(&self) -> Self {
        Ids { segments: self.segments.clone(), ..*self }
    }
}

impl<S> Default for Ids<S> {
    fn default() -> Self {
        Ids { segments: Tree::default(), free: NONE, count: 0 }
    }
}

impl<S: Segment> Ids<S> {
    /// Whether this id lives.
    pub fn has(&self, id: u32) -> bool {
        self.of(id).is_some_and(|segment| segment.slots().live.has(super::slot_of(id)))
    }

    /// Whether all of these live, but for `u32::MAX`, which is no id. Those of one segment that
    /// follow each other are asked for together.
    pub fn has_all(&self, ids: &[u32]) -> bool {
        let mut rest = ids;
        while let Some(&first) = rest.first() {
            let number = super::segment_of(first);
            let other = rest.iter().position(|&id| super::segment_of(id) != number);
            let (here, behind) = rest.split_at(other.unwrap_or(rest.len()));
            let lives = |slots: &Slots| {
                slots.is_full() || here.iter().all(|&id| slots.live.has(super::slot_of(id)))
            };
            let there = match self.segments.get(number) {
                Some(segment) => lives(segment.slots()),
                None => here.iter().all(|&id| id == u32::MAX),
            };
            if !there {
                return false;
            }
            rest = behind;
        }
        true
    }

    /// The segment of an id.
    pub fn of(&self, id: u32) -> Option<&S> {
        self.segments.get(super::segment_of(id))
    }

    /// The first segment with a free id.
    pub fn first_free(&self) -> u32 {
        self.free
    }

    pub fn set_first_free(&mut self, number: u32) {
        self.free = number;
    }

    /// Adds a segment with these ids, of which nothing else is known yet.
    pub fn restore(&mut self, ledger: &mut Ledger, slots: Slots) -> Option<()> {
        let number = self.segments.len();
        if number >= MOST {
            return None;
        }
        self.count += u32::from(slots.count);
        self.segments.put(ledger, number, S::new(slots));
        Some(())
    }

    /// Whether the list has each segment with a free id once, and no other.
    pub fn free_list_is_whole(&self) -> bool {
        let not_full = self.segments.iter().filter(|segment| !segment.slots().is_full()).count();
        let (mut at, mut found) = (self.free, 0);
        while at != NONE && found <= not_full {
            match self.segments.get(at as usize).map(Segment::slots) {
                Some(slots) if !slots.is_full() => at = slots.next,
                _ => return false,
            }
            found += 1;
        }
        found == not_full
    }

    /// The id that would be taken next; `None`: there is none.
    pub fn next(&self) -> Option<u32> {
        let (number, slot) = match self.segments.get(self.free as usize) {
            Some(segment) => (self.free as usize, segment.slots().live.lowest_missing()?),
            None => (self.segments.len(), 0),
        };
        // It is below 2^32 as there are fewer segments.
        (number < MOST).then_some((number * SEGMENT) as u32 + u32::from(slot))
    }

    /// Takes an id, and tells its segment what is there now.
    pub fn take(&mut self, ledger: &mut Ledger, fill: impl FnOnce(&mut S, Slot)) -> Option<u32> {
        let id = self.next()?;
        let (number, slot) = (super::segment_of(id), super::slot_of(id));
        if number == self.segments.len() {
            self.segments.put(ledger, number, S::new(Slots::new(NONE)));
            self.free = number as u32;
        }
        let free = &mut self.free;
        self.segments.edit(ledger, number, |segment| {
            let slots = segment.slots_mut();
            slots.live.add(slot);
            slots.count += 1;
            if slots.is_full() {
                *free = slots.next;
            }
            fill(segment, slot);
        });
        self.count += 1;
        Some(id)
    }

    /// Gives a living id back.
    pub fn give_back(&mut self, ledger: &mut Ledger, id: u32) {
        let (number, free) = (super::segment_of(id), &mut self.free);
        self.segments.edit(ledger, number, |segment| {
            let slots = segment.slots_mut();
            if slots.is_full() {
                slots.next = std::mem::replace(free, number as u32);
            }
            slots.live.take(super::slot_of(id));
            slots.count -= 1;
        });
        self.count -= 1;
    }
}

/// 1,024 nodes.
#[derive(Clone)]
pub(crate) struct NodeSegment {
    pub slots: Slots,
    /// Who has which label, in order of labels; none is empty.
    labels: Vec<(LabelId, Box<SlotSet>)>,
}

impl NodeSegment {
    /// Who has a label.
    pub fn label(&self, label: LabelId) -> Option<&SlotSet> {
        let at = self.labels.binary_search_by_key(&label, |(label, _)| *label).ok()?;
        Some(&self.labels[at].1)
    }

    /// All labels here, in order, and which nodes have them.
    pub fn labels(&self) -> impl Iterator<Item = (LabelId, &SlotSet)> {
        self.labels.iter().map(|(label, bits)| (*label, &**bits))
    }

    /// Sets all labels: in order, none of them empty.
    pub fn set_labels(&mut self, labels: Vec<(LabelId, Box<SlotSet>)>) {
        self.labels = labels;
    }

    /// The labels of a node, in order.
    pub fn labels_of(&self, slot: Slot) -> impl Iterator<Item = LabelId> + '_ {
        self.labels.iter().filter(move |(_, bits)| bits.has(slot)).map(|(label, _)| *label)
    }

    /// Gives a node a label. Returns whether it had it not.
    pub fn add_label(&mut self, slot: Slot, label: LabelId) -> bool {
        let at = match self.labels.binary_search_by_key(&label, |(label, _)| *label) {
            Ok(at) => at,
            Err(at) => {
                self.labels.insert(at, (label, Box::default()));
                at
            }
        };
        self.labels[at].1.add(slot)
    }

    /// Takes a label from a node. Returns whether it had it.
    pub fn remove_label(&mut self, slot: Slot, label: LabelId) -> bool {
        let Ok(at) = self.labels.binary_search_by_key(&label, |(label, _)| *label) else {
            return false;
        };
        let had = self.labels[at].1.take(slot);
        if had && self.labels[at].1.is_empty() {
            self.labels.remove(at);
        }
        had
    }
}

impl Block for NodeSegment {
    fn memory(&self) -> usize {
        let bits = table::size_class(size_of::<SlotSet>());
        vec_bytes(&self.slots.keys) + vec_bytes(&self.labels) + self.labels.len() * bits
    }
}

impl Segment for NodeSegment {
    fn new(slots: Slots) -> Self {
        NodeSegment { slots, labels: Vec::new() }
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slots_mut(&mut self) -> &mut Slots {
        &mut self.slots
    }
}

/// What an edge connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Its type.
    pub kind: TypeId,
    /// Where it begins.
    pub source: NodeId,
    /// Where it ends.
    pub target: NodeId,
}

/// 1,024 edges.
#[derive(Clone)]
pub(crate) struct EdgeSegment {
    pub slots: Slots,
    sources: Vec<NodeId>,
    targets: Vec<NodeId>,
    kinds: Kinds,
}

/// The types of the edges of a segment.
#[derive(Clone)]
enum Kinds {
    /// All have this one.
    One(TypeId),
    Each(Vec<TypeId>),
}

impl EdgeSegment {
    /// What an edge connects, if it lives.
    pub fn ends(&self, slot: Slot) -> Option<Ends> {
        if !self.slots.live.has(slot) {
            return None;
        }
        let at = usize::from(slot);
        let kind = match &self.kinds {
            Kinds::One(kind) => *kind,
            Kinds::Each(kinds) => *kinds.get(at)?,
        };
        Some(Ends { kind, source: *self.sources.get(at)?, target: *self.targets.get(at)? })
    }

    /// An edge connects this from now on.
    pub fn connect(&mut self, slot: Slot, ends: Ends) {
        self.kinds.set(slot, self.sources.len(), ends.kind);
        set(&mut self.sources, slot, ends.source);
        set(&mut self.targets, slot, ends.target);
    }
}

impl Kinds {
    /// `held`: for how many edges there is room yet.
    fn set(&mut self, slot: Slot, held: usize, kind: TypeId) {
        match self {
            Kinds::One(only) if *only == kind => {}
            Kinds::One(only) if held == 0 => *only = kind,
            Kinds::One(only) => {
                *self = Kinds::Each(vec![*only; held]);
                self.set(slot, held, kind);
            }
            Kinds::Each(kinds) => set(kinds, slot, kind),
        }
    }
}

/// Sets an element, which may be the first one behind the end: the lowest free id is used first.
fn set<T: Copy + Default>(vec: &mut Vec<T>, slot: Slot, value: T) {
    while vec.len() <= usize::from(slot) {
        make_room(vec);
        vec.push(T::default());
    }
    vec[usize::from(slot)] = value;
}

impl Block for EdgeSegment {
    fn memory(&self) -> usize {
        let kinds = match &self.kinds {
            Kinds::One(_) => 0,
            Kinds::Each(kinds) => vec_bytes(kinds),
        };
        vec_bytes(&self.slots.keys) + vec_bytes(&self.sources) + vec_bytes(&self.targets) + kinds
    }
}

impl Segment for EdgeSegment {
    fn new(slots: Slots) -> Self {
        EdgeSegment { slots, sources: Vec::new(), targets: Vec::new(), kinds: Kinds::One(0) }
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slots_mut(&mut self) -> &mut Slots {
        &mut self.slots
    }
}
