//! A cursor over the arguments of one request.

use crate::{CmdError, Edited, EditedSlot, Key, KeyHasher, error, num};

/// The arguments of one request, read from left to right.
///
/// `argv[0]` is the command's name; reading starts behind it (or behind the subcommand). Arity
/// has been checked against the spec before a command sees its arguments, so [`Args::next`]
/// failing means a syntax error inside the optional part.
#[derive(Clone)]
pub struct Args<'a> {
    argv: &'a [&'a [u8]],
    at: usize,
    /// Hash of `argv[1]`, computed when the request was decoded.
    first: Option<u64>,
    hasher: &'a KeyHasher,
    woken: bool,
    edited: Option<&'a EditedSlot>,
}

impl<'a> Args<'a> {
    /// A cursor behind the first `skip` words. `first` is the hash of `argv[1]`, if known.
    #[inline]
    #[must_use]
    pub fn new(
        argv: &'a [&'a [u8]],
        skip: usize,
        first: Option<u64>,
        hasher: &'a KeyHasher,
    ) -> Self {
        Args { argv, at: skip, first, hasher, woken: false, edited: None }
    }

    /// The same arguments, of a request that has waited and runs again because a key was fed.
    #[must_use]
    pub fn woken(self) -> Self {
        Args { woken: true, ..self }
    }

    /// Whether the request has waited and runs again.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        self.woken
    }

    /// The same arguments, of a request whose command has changed a fork and is to install it.
    #[must_use]
    pub fn installing(self, edited: &'a EditedSlot) -> Self {
        Args { edited: Some(edited), ..self }
    }

    /// What the command is to install, if that is what it runs for.
    #[must_use]
    pub fn take_edited(&self) -> Option<Edited> {
        self.edited?.take()
    }

    /// The whole request, name included.
    #[inline]
    #[must_use]
    pub fn argv(&self) -> &'a [&'a [u8]] {
        self.argv
    }

    /// How many arguments are left.
    #[inline]
    #[must_use]
    pub fn left(&self) -> usize {
        self.argv.len() - self.at
    }

    /// All arguments not read yet, without moving.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'a [&'a [u8]] {
        &self.argv[self.at..]
    }

    /// The next argument.
    ///
    /// # Errors
    /// A syntax error when there is none.
    #[inline]
    #[allow(clippy::should_implement_trait)] // it is fallible, unlike an iterator's
    pub fn next(&mut self) -> Result<&'a [u8], CmdError> {
        self.take().ok_or(error::SYNTAX)
    }

    /// The next argument, if any.
    #[inline]
    pub fn take(&mut self) -> Option<&'a [u8]> {
        let arg = self.argv.get(self.at).copied()?;
        self.at += 1;
        Some(arg)
    }

    /// The next argument without moving.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.argv.get(self.at).copied()
    }

    /// The next argument as a key.
    ///
    /// # Errors
    /// A syntax error when there is none.
    #[inline]
    pub fn key(&mut self) -> Result<Key<'a>, CmdError> {
        let at = self.at;
        let bytes = self.next()?;
        let hash = match self.first {
            Some(hash) if at == 1 => hash,
            _ => self.hasher.hash(bytes),
        };
        Ok(Key { bytes, hash })
    }

    /// Hashes bytes that turned out to be a key (patterns of `SORT … BY`, for example).
    #[inline]
    #[must_use]
    pub fn key_of<'b>(&self, bytes: &'b [u8]) -> Key<'b> {
        self.hasher.key(bytes)
    }

    /// The hasher of the store, for commands that compute key names while they run.
    #[inline]
    #[must_use]
    pub fn hasher(&self) -> &'a KeyHasher {
        self.hasher
    }

    /// The next `count` arguments as keys.
    ///
    /// # Errors
    /// A syntax error when there are fewer.
    pub fn keys(&mut self, count: usize) -> Result<Vec<Key<'a>>, CmdError> {
        if self.left() < count {
            return Err(error::SYNTAX);
        }
        (0..count).map(|_| self.key()).collect()
    }

    /// All remaining arguments as keys.
    pub fn keys_to_end(&mut self) -> Vec<Key<'a>> {
        let mut keys = Vec::with_capacity(self.left());
        while let Ok(key) = self.key() {
            keys.push(key);
        }
        keys
    }

    /// The next argument as a signed 64-bit integer.
    ///
    /// # Errors
    /// "value is not an integer or out of range"; a syntax error when there is none.
    #[inline]
    pub fn integer(&mut self) -> Result<i64, CmdError> {
        num::parse_i64(self.next()?).ok_or(error::NOT_INTEGER)
    }

    /// The next argument as a double; NaN is refused.
    ///
    /// # Errors
    /// "value is not a valid float"; a syntax error when there is none.
    pub fn double(&mut self) -> Result<f64, CmdError> {
        num::parse_f64(self.next()?).ok_or(error::NOT_FLOAT)
    }

    /// Consumes the next argument if it is `token`, in any case.
    #[inline]
    pub fn token(&mut self, token: &str) -> bool {
        let hit = self.peek().is_some_and(|arg| arg.eq_ignore_ascii_case(token.as_bytes()));
        self.at += usize::from(hit);
        hit
    }

    /// That everything has been read.
    ///
    /// # Errors
    /// A syntax error otherwise.
    #[inline]
    pub fn end(&self) -> Result<(), CmdError> {
        if self.left() == 0 { Ok(()) } else { Err(error::SYNTAX) }
    }
}
