//! Whole numbers: each as its distance from the lowest, in as few bytes as the widest needs.

use crate::storage::{make_room, vec_bytes};

/// Whole numbers of a chunk, by position.
#[derive(Clone)]
pub struct Integers {
    base: i64,
    packed: Packed,
    /// No number is below, none above. They are what was there: after a removal they may be too far
    /// apart.
    low: i64,
    high: i64,
}

#[derive(Clone)]
enum Packed {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
    /// As they are: the base is 0.
    Eight(Vec<i64>),
}

impl Integers {
    /// None yet; the first will be this one.
    pub fn new(first: i64) -> Self {
        let base = first.saturating_sub(128);
        Integers { base, packed: Packed::One(Vec::new()), low: first, high: first }
    }

    pub fn len(&self) -> usize {
        match &self.packed {
            Packed::One(all) => all.len(),
            Packed::Two(all) => all.len(),
            Packed::Four(all) => all.len(),
            Packed::Eight(all) => all.len(),
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<i64> {
        Some(match &self.packed {
            Packed::One(all) => self.base.wrapping_add(i64::from(*all.get(at)?)),
            Packed::Two(all) => self.base.wrapping_add(i64::from(*all.get(at)?)),
            Packed::Four(all) => self.base.wrapping_add(i64::from(*all.get(at)?)),
            Packed::Eight(all) => *all.get(at)?,
        })
    }

    /// The least and the greatest number there may be.
    pub fn bounds(&self) -> (i64, i64) {
        (self.low, self.high)
    }

    /// Puts a number at a position: in the place of the one there, or before it.
    pub fn put(&mut self, at: usize, number: i64, before: bool) {
        self.low = self.low.min(number);
        self.high = self.high.max(number);
        if !self.fits(number) {
            self.widen();
        }
        let distance = number.wrapping_sub(self.base);
        // It fits, as was asked or made.
        match &mut self.packed {
            Packed::One(all) => place(all, at, distance as u8, before),
            Packed::Two(all) => place(all, at, distance as u16, before),
            Packed::Four(all) => place(all, at, distance as u32, before),
            Packed::Eight(all) => place(all, at, number, before),
        }
    }

    pub fn remove(&mut self, at: usize) {
        match &mut self.packed {
            Packed::One(all) => drop(all.remove(at)),
            Packed::Two(all) => drop(all.remove(at)),
            Packed::Four(all) => drop(all.remove(at)),
            Packed::Eight(all) => drop(all.remove(at)),
        }
    }

    /// Appends the numbers at these positions, a run.
    pub fn append_run(&self, run: std::ops::Range<usize>, out: &mut Vec<i64>) {
        let base = self.base;
        match &self.packed {
            Packed::One(all) => {
                out.extend(all[run].iter().map(|&n| base.wrapping_add(i64::from(n))))
            }
            Packed::Two(all) => {
                out.extend(all[run].iter().map(|&n| base.wrapping_add(i64::from(n))))
            }
            Packed::Four(all) => {
                out.extend(all[run].iter().map(|&n| base.wrapping_add(i64::from(n))))
            }
            Packed::Eight(all) => out.extend_from_slice(&all[run]),
        }
    }

    /// Appends the numbers at these positions.
    pub fn append(&self, positions: impl Iterator<Item = usize>, out: &mut Vec<i64>) {
        let base = self.base;
        match &self.packed {
            Packed::One(all) => {
                out.extend(positions.map(|at| base.wrapping_add(i64::from(all[at]))))
            }
            Packed::Two(all) => {
                out.extend(positions.map(|at| base.wrapping_add(i64::from(all[at]))))
            }
            Packed::Four(all) => {
                out.extend(positions.map(|at| base.wrapping_add(i64::from(all[at]))))
            }
            Packed::Eight(all) => out.extend(positions.map(|at| all[at])),
        }
    }

    pub fn memory(&self) -> usize {
        match &self.packed {
            Packed::One(all) => vec_bytes(all),
            Packed::Two(all) => vec_bytes(all),
            Packed::Four(all) => vec_bytes(all),
            Packed::Eight(all) => vec_bytes(all),
        }
    }

    fn fits(&self, number: i64) -> bool {
        let most = match &self.packed {
            Packed::One(_) => u64::from(u8::MAX),
            Packed::Two(_) => u64::from(u16::MAX),
            Packed::Four(_) => u64::from(u32::MAX),
            Packed::Eight(_) => return true,
        };
        number >= self.base && number.abs_diff(self.base) <= most
    }

    /// Packs all anew, so that everything between the bounds fits. What room there is beyond is on
    /// both sides: numbers that rise or fall one by one then do not come here each time.
    fn widen(&mut self) {
        let span = self.high.abs_diff(self.low);
        let most = [u64::from(u8::MAX), u64::from(u16::MAX), u64::from(u32::MAX)];
        let Some(width) = most.iter().position(|&most| span <= most) else {
            (self.base, self.packed) = (0, Packed::Eight(self.each(|n| n)));
            return;
        };
        let room = most[width] - span;
        // Half of 32 bits at most.
        let base = self.low.saturating_sub((room / 2) as i64);
        // Where positions have no value any more, what was there may be out of bounds: it is cut.
        self.packed = match width {
            0 => Packed::One(self.each(|n| n.wrapping_sub(base) as u8)),
            1 => Packed::Two(self.each(|n| n.wrapping_sub(base) as u16)),
            _ => Packed::Four(self.each(|n| n.wrapping_sub(base) as u32)),
        };
        self.base = base;
    }

    /// All numbers in another form.
    fn each<T>(&self, form: impl Fn(i64) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len() + 1);
        all.extend((0..self.len()).filter_map(|at| self.get(at)).map(form));
        all
    }
}

/// Puts an element at a position: in the place of the one there, or before it. Positions between
/// the end and this one get what is of no meaning.
pub(super) fn place<T: Default>(all: &mut Vec<T>, at: usize, value: T, before: bool) {
    if before {
        make_room(all);
        all.insert(at, value);
        return;
    }
    while all.len() <= at {
        make_room(all);
        all.push(T::default());
    }
    all[at] = value;
}
