//! Evaluating a plan, a segment of 1,024 records at a time.

use haystack::filter::{Op, part_of_instant};
use haystack::{Cell, Evaluator, Filter, Name, Value};

use crate::bits::Bits;
use crate::plan::{PathStep, Plan, Step};
use crate::view::ID;
use crate::{SEGMENT, Slot, place_of, segment_of};

/// Whether a value, or a ref in it if it is a list, compares so.
pub fn passes(cell: &Cell<'_>, op: Op, to: &Cell<'_>) -> bool {
    let of_list = if let Cell::List(list) = cell { list } else { &[][..] };
    let mut refs = of_list.iter().filter(|value| value.as_id().is_some()).map(Value::cell);
    refs.any(|cell| op.holds(&cell, to)) || op.holds(cell, to)
}

impl Plan<'_> {
    /// The records of a segment, among some, that the filter finds.
    pub fn find(&self, segment: usize, among: Bits) -> Bits {
        self.bits(&self.step, segment, among)
    }

    fn bits(&self, step: &Step<'_>, segment: usize, among: Bits) -> Bits {
        match step {
            Step::Nothing => Bits::NONE,
            Step::Everything => among,
            Step::Tag(number) => among.and(&self.view.bits(*number, segment)),
            Step::NoTag(number) => among.and_not(&self.view.bits(*number, segment)),
            Step::Known(slots) => among.and(&known(slots, segment)),
            Step::Posted(number, value) => self.posted((*number, value), segment, &among),
            Step::Scan(number, op, value) => self.scan((*number, *op, value), segment, &among),
            Step::Path(path) => self.path(path, segment, &among),
            Step::Record(filter) => self.records(filter, segment, &among),
            Step::And(steps) => steps.iter().fold(among, |among, step| {
                if among.is_empty() { among } else { self.bits(step, segment, among) }
            }),
            Step::Or(steps) => steps.iter().fold(Bits::NONE, |found, step| {
                found.or(&self.bits(step, segment, among.and_not(&found)))
            }),
        }
    }

    fn posted(&self, (number, value): (u16, &Value), segment: usize, among: &Bits) -> Bits {
        let (mut found, to) = (Bits::NONE, value.cell());
        let Some(column) = self.view.columns.get(usize::from(number)) else { return found };
        // Another value may have the same hash.
        let posted = column.posted_in(&self.view.hasher, value, segment);
        for place in posted.map(place_of).filter(|place| among.has(*place)) {
            let chunk = column.chunks.get(segment);
            if chunk.is_some_and(|chunk| passes(&chunk.cell(place), Op::Eq, &to)) {
                found.add(place);
            }
        }
        found
    }

    fn scan(&self, (number, op, to): (u16, Op, &Value), segment: usize, among: &Bits) -> Bits {
        let column = self.view.columns.get(usize::from(number));
        let Some(chunk) = column.and_then(|column| column.chunks.get(segment)) else {
            return Bits::NONE;
        };
        let to = to.cell();
        if let Cell::Number(number, unit) = to
            && !number.is_nan()
            && let Some(found) = chunk.filter_numbers(unit, |own| compare(own, op, number))
        {
            return found.and(among);
        }
        chunk.filter(among, |cell| passes(cell, op, &to))
    }

    fn records(&self, filter: &Filter, segment: usize, among: &Bits) -> Bits {
        let evaluator = self.evaluator(filter);
        let mut found = Bits::NONE;
        for place in among.iter() {
            if evaluator.matches(&slot_at(segment, place)) {
                found.add(place);
            }
        }
        found
    }

    fn evaluator<'f>(&'f self, filter: &'f Filter) -> Evaluator<'f, &'f crate::View> {
        let evaluator = Evaluator::new(filter, self.view);
        match self.namespace {
            Some(namespace) => evaluator.with_namespace(namespace),
            None => evaluator,
        }
    }

    fn path(&self, path: &PathStep<'_>, segment: usize, among: &Bits) -> Bits {
        let column = self.view.columns.get(usize::from(path.first));
        let chunk = column.and_then(|column| column.chunks.get(segment));
        let without = match chunk {
            _ if !path.is_missing => Bits::NONE,
            Some(chunk) => among.and_not(&chunk.bits),
            None => *among,
        };
        let Some(chunk) = chunk else { return without };
        let mut found = without;
        for place in among.and(&chunk.bits).iter() {
            let is_found = match chunk.cell(place) {
                Cell::Ref(id, _) => self.leads(path, id),
                cell => self.passes_at(path, 0, cell),
            };
            if is_found {
                found.add(place);
            }
        }
        found
    }

    /// What the rest of a path says of where a ref leads.
    fn leads(&self, path: &PathStep<'_>, id: &str) -> bool {
        // Texts of columns stay where they are while those are read.
        let (at, said) = path.last.get();
        if at == id.as_ptr().addr() {
            return said;
        }
        let says = self.leads_anew(path, id);
        path.last.set((id.as_ptr().addr(), says));
        says
    }

    fn leads_anew(&self, path: &PathStep<'_>, id: &str) -> bool {
        if let Some(said) = path.said.borrow().get(id) {
            return *said;
        }
        let says = self.passes_behind(path, 0, id);
        path.said.borrow_mut().insert(Name::new(id), says);
        says
    }

    /// Whether a path, which has come to a tag of this value, has an end from there that passes:
    /// [`haystack::Evaluator`] says where it leads. It calls itself once for each tag.
    fn passes_at(&self, path: &PathStep<'_>, at: usize, cell: Cell<'_>) -> bool {
        let Some((next, _)) = path.tags.get(at + 1) else { return path.is_passed_by(&cell) };
        match cell {
            Cell::Dict(dict) => {
                self.passes_at(path, at + 1, dict.get(next).map_or(Cell::Null, Value::cell))
            }
            Cell::DateTime(instant) => self.passes_at(path, at + 1, part_of_instant(instant, next)),
            Cell::Ref(id, _) => self.passes_behind(path, at, id),
            Cell::List([]) => false,
            Cell::List(list) if list.iter().any(|value| value.as_id().is_some()) => {
                let mut ids = list.iter().filter_map(Value::as_id);
                ids.any(|id| self.passes_behind(path, at, id))
            }
            _ => path.is_missing,
        }
    }

    /// The same behind a ref in the value. Each record is looked at once for each tag, however many
    /// refs lead to it.
    fn passes_behind(&self, path: &PathStep<'_>, at: usize, id: &str) -> bool {
        let Some(slot) = self.view.slot_of(id) else { return path.is_missing };
        let (segment, place, next) = (segment_of(slot), place_of(slot), at + 1);
        if let Some(known) = path.known.borrow().get(next).and_then(|all| all.get(&segment))
            && known.looked_at.has(place)
        {
            return known.found.has(place);
        }
        let number = path.tags.get(next).and_then(|(_, number)| *number);
        let cell = number.map_or(Cell::Null, |number| self.view.cell_of(slot, number));
        let passes = self.passes_at(path, next, cell);
        if let Some(all) = path.known.borrow_mut().get_mut(next) {
            let known = all.entry(segment).or_default();
            known.looked_at.add(place);
            if passes {
                known.found.add(place);
            }
        }
        passes
    }

    /// The records of a segment, in the trash or not, that there are.
    pub fn live(&self, segment: usize) -> Bits {
        self.view.bits(ID, segment)
    }
}

impl PathStep<'_> {
    /// Whether the value at an end of it is what is looked for.
    fn is_passed_by(&self, end: &Cell<'_>) -> bool {
        match self.whole {
            Filter::Missing(_) => end.is_null(),
            Filter::Compare(_, op, value) => passes(end, *op, &value.cell()),
            _ => !end.is_null(),
        }
    }
}

/// Numbers as filters compare them; `to` is one.
fn compare(own: f64, op: Op, to: f64) -> bool {
    match op {
        Op::Eq => own == to,
        Op::Ne => own != to,
        // No number is below all that are numbers.
        Op::Lt => own < to || own.is_nan(),
        Op::Le => own <= to || own.is_nan(),
        Op::Gt => own > to,
        Op::Ge => own >= to,
    }
}

/// The places of a segment among records in order.
fn known(slots: &[Slot], segment: usize) -> Bits {
    let start = slots.partition_point(|slot| (*slot as usize) < segment * SEGMENT);
    let here = slots.get(start..).unwrap_or_default();
    let mut bits = Bits::NONE;
    for slot in here.iter().take_while(|slot| (**slot as usize) < (segment + 1) * SEGMENT) {
        bits.add(place_of(*slot));
    }
    bits
}

/// The record at a place of a segment.
pub fn slot_at(segment: usize, place: u16) -> Slot {
    (segment * SEGMENT) as Slot + Slot::from(place) // there is no segment beyond the last record
}
