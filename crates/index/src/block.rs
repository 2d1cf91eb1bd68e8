//! Sorted byte strings, packed: what all of them begin with is kept once.
//!
//! ```text
//!   +--------+-------+----------+----------------------+--------+------------------------+
//!   | count  | wide? | prefix # | end of each rest     | prefix | rest 0 | rest 1 | ...   |
//!   |  u16   |  u16  |   u32    | u16 or u32, count of |        |                        |
//!   +--------+-------+----------+----------------------+--------+------------------------+
//! ```
//!
//! One allocation, never changed once it is packed: a change packs another. The prefix is what the
//! first and the last have in common, which all between them share, too; a string alone is all
//! prefix. Ends are counted from the first rest on, and are wide if the rests take 64 KiB.

use core::cmp::Ordering;
use core::ops::Range;

use table::size_class;

use crate::Change;
use crate::prefix::common;

/// Bytes before the ends.
const HEAD: usize = 8;

/// Sorted strings; see the head of this file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block(Box<[u8]>);

impl Block {
    /// Packs the strings `get(range)`: at most 65,535, in order, none twice.
    pub fn pack<'k>(range: Range<usize>, get: impl Fn(usize) -> &'k [u8]) -> Self {
        let Some(last) = range.end.checked_sub(1).filter(|&last| last >= range.start) else {
            return Block::default();
        };
        let first = get(range.start);
        let prefix = if range.len() == 1 { first.len() } else { common(first, get(last)) };
        let rests: usize = range.clone().map(|at| get(at).len() - prefix).sum();
        let wide = rests > usize::from(u16::MAX);
        let width = if wide { 4 } else { 2 };
        let mut out = Vec::with_capacity(HEAD + width * range.len() + prefix + rests);
        let count = u16::try_from(range.len()).unwrap_or(u16::MAX);
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&u16::from(wide).to_le_bytes());
        // No string is 4 GiB long: the hash table takes none.
        out.extend_from_slice(&u32::try_from(prefix).unwrap_or(u32::MAX).to_le_bytes());
        let mut end = 0;
        for at in range.clone() {
            end += get(at).len() - prefix;
            let bytes = u32::try_from(end).unwrap_or(u32::MAX).to_le_bytes();
            out.extend_from_slice(&bytes[..width]);
        }
        out.extend_from_slice(&first[..prefix]);
        range.for_each(|at| out.extend_from_slice(&get(at)[prefix..]));
        Block(out.into_boxed_slice())
    }

    #[inline]
    fn half(&self, at: usize) -> usize {
        self.0.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
    }

    #[inline]
    fn word(&self, at: usize) -> usize {
        let four = self.0.get(at..at + 4).and_then(|four| four.first_chunk::<4>());
        four.map_or(0, |four| u32::from_le_bytes(*four) as usize)
    }

    #[inline]
    fn width(&self) -> usize {
        if self.half(2) == 0 { 2 } else { 4 }
    }

    /// How many strings there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.half(0)
    }

    /// What all of them begin with.
    #[inline]
    pub fn prefix(&self) -> &[u8] {
        let start = HEAD + self.len() * self.width();
        self.0.get(start..start + self.word(4)).unwrap_or_default()
    }

    /// The rests behind the prefix, for callers that read several.
    #[inline]
    pub fn rests(&self) -> Rests<'_> {
        let width = self.width();
        let ends = self.len() * width;
        let start = HEAD + ends + self.word(4);
        Rests {
            ends: self.0.get(HEAD..HEAD + ends).unwrap_or_default(),
            bytes: self.0.get(start..).unwrap_or_default(),
            wide: width == 4,
        }
    }

    /// The string at `at`.
    pub fn get(&self, at: usize) -> Vec<u8> {
        [self.prefix(), self.rests().get(at)].concat()
    }

    /// How many strings are smaller than `key`, and whether it is one of them.
    pub fn lower_bound(&self, key: &[u8]) -> (usize, bool) {
        let (prefix, len) = (self.prefix(), self.len());
        let head = key.get(..prefix.len()).unwrap_or(key);
        match head.cmp(prefix) {
            // Shorter than the prefix, if it agrees as far as it goes.
            Ordering::Less => return (0, false),
            Ordering::Greater => return (len, false),
            Ordering::Equal => {}
        }
        let (rest, rests) = (key.get(prefix.len()..).unwrap_or_default(), self.rests());
        let (mut from, mut to) = (0, len);
        while from < to {
            let middle = from.midpoint(to);
            match rests.get(middle).cmp(rest) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return (middle, true),
                Ordering::Greater => to = middle,
            }
        }
        (from, false)
    }

    /// How many strings are not greater than `key`.
    #[inline]
    pub fn upper_bound(&self, key: &[u8]) -> usize {
        let (at, found) = self.lower_bound(key);
        at + usize::from(found)
    }

    /// The same strings with these changes, if there are at most so many then, of so many bytes,
    /// and bytes need only be moved: otherwise they have to be packed. `steps` is room to work in.
    pub fn splice(
        &self,
        changes: &[Change<'_>],
        (most, bytes): (usize, usize),
        steps: &mut Vec<Step>,
    ) -> Option<Block> {
        let (prefix, rests) = (self.prefix(), self.rests());
        let (count, size) = self.plan(changes, steps)?;
        let raw = count * prefix.len() + size;
        if count < 2 || count > most || raw > bytes || size > usize::from(u16::MAX) {
            return None;
        }
        let mut out = Vec::with_capacity(HEAD + 2 * count + prefix.len() + size);
        out.extend_from_slice(&u16::try_from(count).ok()?.to_le_bytes());
        out.extend_from_slice(&self.0[2..HEAD]);
        let rest_of = |change: usize| changes[change].key.get(prefix.len()..).unwrap_or_default();
        // Below 2^16, see above.
        let put = |out: &mut Vec<u8>, end: usize| {
            out.extend_from_slice(&u16::try_from(end).unwrap_or(u16::MAX).to_le_bytes());
        };
        let (mut from, mut end) = (0, 0);
        let last = Step { at: self.len(), came: None };
        for step in steps.iter().chain([&last]) {
            let start = rests.start(from);
            (from..step.at).for_each(|at| put(&mut out, end + rests.end(at) - start));
            end += rests.start(step.at) - start;
            from = step.at + usize::from(step.came.is_none());
            if let Some(change) = step.came {
                end += rest_of(change).len();
                put(&mut out, end);
            }
        }
        out.extend_from_slice(prefix);
        from = 0;
        for step in steps.iter().chain([&last]) {
            out.extend_from_slice(&rests.bytes[rests.start(from)..rests.start(step.at)]);
            from = step.at + usize::from(step.came.is_none());
            if let Some(change) = step.came {
                out.extend_from_slice(rest_of(change));
            }
        }
        Some(Block(out.into_boxed_slice()))
    }

    /// Where changes change something, and how many strings there are then, of how many bytes
    /// behind the prefix; `None` if what comes does not begin with it.
    fn plan(&self, changes: &[Change<'_>], steps: &mut Vec<Step>) -> Option<(usize, usize)> {
        let (prefix, rests) = (self.prefix(), self.rests());
        if self.len() == 0 || self.width() != 2 {
            return None;
        }
        let (mut count, mut size) = (self.len(), rests.bytes.len());
        steps.clear();
        for (number, change) in changes.iter().enumerate() {
            let (at, found) = self.lower_bound(change.key);
            match (found, change.is_there) {
                (false, true) if !change.key.starts_with(prefix) => return None,
                (false, true) => {
                    count += 1;
                    size += change.key.len() - prefix.len();
                    steps.push(Step { at, came: Some(number) });
                }
                (true, false) => {
                    count -= 1;
                    size -= rests.get(at).len();
                    steps.push(Step { at, came: None });
                }
                _ => {}
            }
        }
        Some((count, size))
    }

    /// Bytes the strings would take without packing.
    pub fn raw_bytes(&self) -> usize {
        self.len() * self.prefix().len() + self.rests().bytes.len()
    }

    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        size_class(self.0.len())
    }
}

/// A place in a block where something changes.
pub(crate) struct Step {
    /// Before the string at this place comes another, or it goes itself.
    at: usize,
    /// Which change it is that comes.
    came: Option<usize>,
}

/// What is behind the prefix of each string.
#[derive(Clone, Copy)]
pub(crate) struct Rests<'b> {
    ends: &'b [u8],
    bytes: &'b [u8],
    wide: bool,
}

impl<'b> Rests<'b> {
    #[inline]
    fn end(&self, at: usize) -> usize {
        if self.wide {
            let four = self.ends.get(4 * at..).and_then(|ends| ends.first_chunk::<4>());
            return four.map_or(0, |four| u32::from_le_bytes(*four) as usize);
        }
        let two = self.ends.get(2 * at..).and_then(|ends| ends.first_chunk::<2>());
        two.map_or(0, |two| usize::from(u16::from_le_bytes(*two)))
    }

    /// Where the rest of the string at `at` begins.
    #[inline]
    fn start(&self, at: usize) -> usize {
        if at == 0 { 0 } else { self.end(at - 1) }
    }

    /// The rests of some strings that stand behind each other, in order.
    #[inline]
    pub fn of(self, range: Range<usize>) -> impl Iterator<Item = &'b [u8]> {
        let mut start = self.start(range.start);
        range.map(move |at| {
            let end = self.end(at);
            let rest = self.bytes.get(start..end).unwrap_or_default();
            start = end;
            rest
        })
    }

    /// The rest of the string at `at`.
    #[inline]
    pub fn get(&self, at: usize) -> &'b [u8] {
        self.bytes.get(self.start(at)..self.end(at)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(keys: &[&[u8]]) -> Block {
        Block::pack(0..keys.len(), |at| keys[at])
    }

    #[test]
    fn strings_come_back() {
        let long = vec![b'x'; 70_000];
        let longer = [&long[..], b"y"].concat();
        let z = vec![b'z'; 70_000];
        for keys in [
            vec![],
            vec![&b""[..]],
            vec![b"", b"a"],
            vec![b"key:1", b"key:10", b"key:2"],
            vec![&long[..], &longer[..], &z[..]],
        ] {
            let block = packed(&keys);
            assert_eq!(block.len(), keys.len());
            let back: Vec<Vec<u8>> = (0..keys.len()).map(|at| block.get(at)).collect();
            assert_eq!(back, keys);
            assert_eq!(block.raw_bytes(), keys.iter().map(|key| key.len()).sum::<usize>());
        }
    }

    #[test]
    fn bounds_agree_with_a_search_of_all() {
        let keys: [&[u8]; 5] = [b"ab", b"abc", b"abd", b"abd\0", b"abz"];
        let block = packed(&keys);
        for probe in ["", "a", "ab", "aba", "abc", "abcc", "abd", "abd\0", "abzz", "ac", "b"] {
            let probe = probe.as_bytes();
            let less = keys.iter().filter(|key| **key < probe).count();
            assert_eq!(block.lower_bound(probe), (less, keys.contains(&probe)), "{probe:?}");
            let upper = keys.iter().filter(|key| **key <= probe).count();
            assert_eq!(block.upper_bound(probe), upper, "{probe:?}");
        }
    }

    #[test]
    fn what_is_common_is_kept_once() {
        let keys: Vec<Vec<u8>> = (0..56).map(|n| format!("key:00012{n:02}").into_bytes()).collect();
        let block = Block::pack(0..keys.len(), |at| &keys[at]);
        assert_eq!(block.0.len(), HEAD + 56 * 2 + 9 + 56 * 2);
        assert_eq!(block.memory(), 256);
    }

    #[test]
    fn what_the_allocator_adds_counts() {
        let keys: Vec<Vec<u8>> = (0..56_u64).map(|n| format!("{:016x}", n << 57).into()).collect();
        let block = Block::pack(0..keys.len(), |at| &keys[at]);
        assert_eq!(block.0.len(), HEAD + 56 * 2 + 56 * 16);
        assert_eq!(block.memory(), 1024);
    }
}
