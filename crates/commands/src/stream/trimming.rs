//! What XADD and XTRIM have in common: `MAXLEN | MINID [= | ~] threshold [LIMIT count]`.

use base::behaviour::count_at;
use base::{Args, Argv, CmdError, Millis, PackLimits, Reach, StreamId};
use types::Stream;
use types::stream::{Keep, Trim};

use super::ids;

const TWICE: CmdError =
    CmdError::new("ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
const NEGATIVE_LENGTH: CmdError = CmdError::new("ERR The MAXLEN argument must be >= 0.");
const NEGATIVE_LIMIT: CmdError = CmdError::new("ERR The LIMIT argument must be >= 0.");
const LIMIT_ALONE: CmdError =
    CmdError::new("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
const LIMIT_EXACT: CmdError =
    CmdError::new("ERR syntax error, LIMIT cannot be used without the special ~ option");

/// How many entries go at once by approximate trimming without a limit, unless nodes are larger
/// than usual.
const USUAL_LIMIT: usize = 10_000;

/// Which entries a request with these options behind its key goes through: those that go.
pub(super) fn reach(argv: &[&[u8]]) -> Reach {
    let is = |at: usize, option: &str| {
        argv.get(at).is_some_and(|word| word.eq_ignore_ascii_case(option.as_bytes()))
    };
    let (mut at, mut reach, mut limit, mut approximate) = (2, Reach::of(0), None, false);
    loop {
        if is(at, "MAXLEN") || is(at, "MINID") {
            let operator = argv.get(at + 1).is_some_and(|word| matches!(*word, b"~" | b"="));
            approximate = operator && argv[at + 1] == b"~";
            let threshold = at + 1 + usize::from(operator);
            // How many are older than an id only the stream knows.
            let beyond = if is(at, "MAXLEN") { count_at(argv, threshold) } else { 0 };
            reach = Reach { beyond, most: usize::MAX };
            at = threshold + 1;
        } else if is(at, "LIMIT") {
            limit = Some(count_at(argv, at + 1));
            at += 2;
        } else if is(at, "NOMKSTREAM") {
            at += 1;
        } else {
            break;
        }
    }
    if approximate {
        reach.most =
            reach.most.min(limit.map_or(USUAL_LIMIT, |n| if n == 0 { usize::MAX } else { n }));
    }
    reach
}

/// The options about trimming, as far as they were read.
#[derive(Default)]
pub(super) struct Trimming {
    keep: Option<Keep>,
    approximate: bool,
    limit: Option<u64>,
}

impl Trimming {
    /// Reads an option and what belongs to it; `false` if the next word is none.
    ///
    /// # Errors
    /// It cannot be.
    pub fn option(&mut self, args: &mut Args<'_>) -> Result<bool, CmdError> {
        if args.left() < 2 {
            return Ok(false);
        }
        let maxlen = args.token("MAXLEN");
        if maxlen || args.token("MINID") {
            if self.keep.is_some() {
                return Err(TWICE);
            }
            self.approximate = false;
            if args.left() >= 2 && matches!(args.peek(), Some(b"~" | b"=")) {
                self.approximate = args.next()? == b"~";
            }
            self.keep = Some(if maxlen {
                Keep::Last(u64::try_from(args.integer()?).map_err(|_| NEGATIVE_LENGTH)?)
            } else {
                Keep::From(ids::strict(args.next()?)?)
            });
            return Ok(true);
        }
        if args.token("LIMIT") {
            self.limit = Some(u64::try_from(args.integer()?).map_err(|_| NEGATIVE_LIMIT)?);
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether there is anything to trim by.
    pub fn is_given(&self) -> bool {
        self.keep.is_some()
    }

    /// Whether a limit goes with nothing to trim by.
    ///
    /// # Errors
    /// It does.
    pub fn check_alone(&self) -> Result<(), CmdError> {
        let alone = self.keep.is_none() && self.limit.is_some_and(|limit| limit > 0);
        if alone { Err(LIMIT_ALONE) } else { Ok(()) }
    }

    /// Whether a limit goes with exact trimming. In the append-only files of Redis it does: what
    /// was approximate is made exact there, and the limit stays. It means nothing then.
    ///
    /// # Errors
    /// It does, at `now`; a clock that stands at 0 is that of a file being read.
    pub fn check_exact(&self, now: Millis) -> Result<(), CmdError> {
        let wrong = self.limit.is_some() && !self.approximate;
        if wrong && now != 0 { Err(LIMIT_EXACT) } else { Ok(()) }
    }

    /// Whether what it removes depends on where nodes end.
    pub fn is_approximate(&self) -> bool {
        self.approximate
    }

    /// Trims; how many entries went.
    pub fn apply(&self, stream: &mut Stream, limits: &PackLimits) -> usize {
        let Some(keep) = self.keep else { return 0 };
        let limit = match self.limit {
            _ if !self.approximate => 0,
            Some(limit) => limit,
            None => usual_limit(limits),
        };
        stream.trim(&Trim { keep, approximate: self.approximate, limit })
    }

    /// Adds to `argv` the words that remove exactly what was just removed.
    pub fn write_exact(&self, stream: &Stream, argv: &mut Argv) {
        match self.keep {
            Some(Keep::Last(most)) => {
                let len = if self.approximate { stream.log().len() as u64 } else { most };
                argv.push(b"MAXLEN");
                argv.push(b"=");
                argv.push(itoa::Buffer::new().format(len).as_bytes());
            }
            Some(Keep::From(id)) => {
                let first = stream.log().first_id();
                let exact = !self.approximate || first == StreamId::MIN;
                argv.push(b"MINID");
                argv.push(b"=");
                ids::with_text(if exact { id } else { first }, |text| argv.push(text));
            }
            None => {}
        }
    }
}

/// How many entries `~` removes at most if the request does not say: a hundred nodes full.
fn usual_limit(limits: &PackLimits) -> u64 {
    match limits.stream_node_entries as u64 {
        0 => 10_000,
        entries => entries.saturating_mul(100).min(1_000_000),
    }
}
