//! A set of commands: a bit per number.

/// Commands as a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits(Box<[u64]>);

impl Bits {
    /// No command, of so many.
    pub fn none(commands: usize) -> Self {
        Bits(vec![0; commands.div_ceil(64)].into())
    }

    /// Bytes that it takes beside itself.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// Puts every command in, or takes every command out.
    pub fn fill(&mut self, all: bool) {
        self.0.fill(if all { u64::MAX } else { 0 });
    }

    /// Puts a command in or takes it out.
    pub fn set(&mut self, command: usize, on: bool) {
        let Some(word) = self.0.get_mut(command / 64) else { return };
        if on {
            *word |= 1 << (command % 64);
        } else {
            *word &= !(1 << (command % 64));
        }
    }

    /// Whether a command is in the set; no command that is not known is.
    #[inline]
    pub fn has(&self, command: usize) -> bool {
        self.0.get(command / 64).is_some_and(|word| word & (1 << (command % 64)) != 0)
    }
}
