//! What the walks in steps share: SCAN over keys, HSCAN, SSCAN and ZSCAN over elements; and the
//! walk over all keys at once.

use base::{Args, CmdError, Databases, Key, Kind, Reply, error, glob};

/// Elements a step visits when the client does not say.
const COUNT: usize = 10;

/// One step of a walk over a collection: where it goes on, and options that are not parsed yet.
///
/// As in Redis, the options are looked at only after the key was found to hold something: a
/// missing key answers an empty step whatever they say.
pub(crate) struct Step<'a> {
    pub key: Key<'a>,
    pub cursor: u64,
    options: Args<'a>,
}

/// What the options say.
pub(crate) struct Options<'a> {
    pattern: Option<&'a [u8]>,
    count: usize,
    /// `TYPE`, which only `SCAN` knows.
    pub kind: Option<&'a [u8]>,
}

impl<'a> Step<'a> {
    /// # Errors
    /// "invalid cursor".
    pub fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let cursor = parse_cursor(args.next()?)?;
        Ok(Step { key, cursor, options: args })
    }

    /// # Errors
    /// An unknown option, or a count that is no positive integer.
    pub fn options(&self) -> Result<Options<'a>, CmdError> {
        Options::parse(self.options.clone(), false)
    }
}

impl<'a> Options<'a> {
    /// # Errors
    /// An unknown option, or a count that is no positive integer.
    pub fn parse(mut args: Args<'a>, of_keys: bool) -> Result<Self, CmdError> {
        let mut options = Options { pattern: None, count: COUNT, kind: None };
        while args.left() > 0 {
            if args.left() > 1 && args.token("COUNT") {
                let count = args.integer()?;
                options.count =
                    usize::try_from(count).ok().filter(|&n| n > 0).ok_or(error::SYNTAX)?;
            } else if args.left() > 1 && args.token("MATCH") {
                options.pattern = Some(args.next()?);
            } else if of_keys && args.left() > 1 && args.token("TYPE") {
                options.kind = Some(args.next()?);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(options)
    }
}

impl Options<'_> {
    /// Whether the element passes the pattern; `*` alone lets even the empty one pass, which it
    /// would not as a glob.
    pub fn accepts(&self, element: &[u8]) -> bool {
        let pattern = self.pattern.filter(|pattern| *pattern != b"*");
        pattern.is_none_or(|pattern| glob::matches(pattern, element))
    }

    /// Calls `visit` with cursor after cursor until enough elements were visited; `visit` returns
    /// the next cursor and how many elements it saw. Returns where the next step begins.
    pub fn walk(&self, mut cursor: u64, mut visit: impl FnMut(u64) -> (u64, usize)) -> u64 {
        let mut seen = 0;
        // Empty stretches cost, too: Redis bounds them at ten per requested element.
        for _ in 0..self.count.saturating_mul(10) {
            let (next, elements) = visit(cursor);
            seen += elements;
            cursor = next;
            if cursor == 0 || seen >= self.count {
                break;
            }
        }
        cursor
    }
}

/// A cursor as C's `strtoul` reads it, which is what clients can send to Redis: the empty text is
/// 0 and a sign is allowed, but no space in front.
///
/// # Errors
/// "invalid cursor".
pub(crate) fn parse_cursor(text: &[u8]) -> Result<u64, CmdError> {
    cursor_of(text).ok_or(error::INVALID_CURSOR)
}

fn cursor_of(text: &[u8]) -> Option<u64> {
    let (negative, digits) = match text {
        [] => return Some(0),
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let cursor = digits.iter().try_fold(0u64, |cursor, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        cursor.checked_mul(10)?.checked_add(digit.into())
    })?;
    Some(if negative { cursor.wrapping_neg() } else { cursor })
}

/// Answers all keys of the database that are accepted. O(n) in the number of its keys.
pub(crate) fn answer_keys<H: Databases>(
    host: &mut H,
    out: &mut dyn Reply,
    accepts: impl Fn(&[u8], Kind) -> bool,
) {
    let (mut keys, mut cursor) = (Vec::new(), 0);
    loop {
        cursor = host.scan(cursor, &mut |key, kind| {
            if accepts(key, kind) {
                keys.push(key.to_vec());
            }
        });
        if cursor == 0 {
            break;
        }
    }
    out.array(keys.len());
    keys.iter().for_each(|key| out.bulk(key));
}

/// Writes a step's reply: the next cursor and the elements.
pub(crate) fn reply(cursor: u64, elements: &[Vec<u8>], out: &mut dyn Reply) {
    out.array(2);
    out.bulk(itoa::Buffer::new().format(cursor).as_bytes());
    out.array(elements.len());
    elements.iter().for_each(|element| out.bulk(element));
}
