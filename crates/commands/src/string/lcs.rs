//! LCS: the longest common subsequence of two strings.
//!
//! The classic dynamic program over prefixes (Wagner and Fischer, 1974), walked back from the end
//! to find the matching ranges in the order Redis reports them: last match first.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Reply, Run, RunTime, Spec, Strings, error,
};

/// Finds what two strings have in common.
pub struct Lcs<'a> {
    keys: [Key<'a>; 2],
    /// Read only after the types of the keys have been checked.
    options: Args<'a>,
}

impl<'a> Command<'a> for Lcs<'a> {
    const SPEC: Spec = Spec {
        name: "lcs",
        group: Group::String,
        since: "7.0.0",
        summary: "Finds the longest common subsequence of two strings.",
        complexity: "O(N*M), when N and M are the lengths of the strings",
        grammar: "key1:key key2:key [LEN] [IDX] [MINMATCHLEN len:integer] [WITHMATCHLEN]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::String],
        keys: &[KeySpec::range(1, 1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.run_time(RunTime::Long),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Lcs { keys: [args.key()?, args.key()?], options: args })
    }
}

/// What to answer.
struct Options {
    only_length: bool,
    ranges: bool,
    least_match: i64,
    with_match_length: bool,
}

impl Options {
    fn parse(mut args: Args<'_>) -> Result<Self, CmdError> {
        let mut options =
            Options { only_length: false, ranges: false, least_match: 0, with_match_length: false };
        while args.left() > 0 {
            if args.token("IDX") {
                options.ranges = true;
            } else if args.token("LEN") {
                options.only_length = true;
            } else if args.token("WITHMATCHLEN") {
                options.with_match_length = true;
            } else if args.left() > 1 && args.token("MINMATCHLEN") {
                options.least_match = args.integer()?.max(0);
            } else {
                return Err(error::SYNTAX);
            }
        }
        if options.only_length && options.ranges {
            return Err(CmdError::new(
                "ERR If you want both the length and indexes, please just use IDX.",
            ));
        }
        Ok(options)
    }
}

/// One run of equal bytes: its range in each string, ends included.
struct Match {
    a: (usize, usize),
    b: (usize, usize),
}

impl Match {
    fn len(&self) -> usize {
        self.a.1 - self.a.0 + 1
    }
}

impl<H: Strings> Run<H> for Lcs<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let not_string = |_| CmdError::new("ERR The specified keys must contain string values");
        // Both are looked up, whatever the first one holds.
        let (a, b) = (host.string(self.keys[0]), host.string(self.keys[1]));
        let a = a.map_err(not_string)?.unwrap_or_default();
        let b = b.map_err(not_string)?.unwrap_or_default();
        let options = Options::parse(self.options)?;
        let table = Table::new(a, b, host.limits().string_max)?;
        if options.only_length {
            out.count(table.length());
            return Ok(Effect::None);
        }
        let (text, matches) = table.walk_back(a, b);
        if !options.ranges {
            out.bulk(&text);
            return Ok(Effect::None);
        }
        let long = |m: &&Match| i64::try_from(m.len()).unwrap_or(i64::MAX) >= options.least_match;
        let shown: Vec<&Match> = matches.iter().filter(long).collect();
        out.map(2);
        out.bulk(b"matches");
        out.array(shown.len());
        for found in shown {
            out.array(if options.with_match_length { 3 } else { 2 });
            for (from, to) in [found.a, found.b] {
                out.array(2);
                out.count(from);
                out.count(to);
            }
            if options.with_match_length {
                out.count(found.len());
            }
        }
        out.bulk(b"len");
        out.count(table.length());
        Ok(Effect::None)
    }
}

/// Lengths of the longest common subsequences of all pairs of prefixes.
struct Table {
    cells: Vec<u32>,
    width: usize,
}

impl Table {
    /// Fills the table.
    ///
    /// # Errors
    /// It would take more than `most` bytes.
    fn new(a: &[u8], b: &[u8], most: usize) -> Result<Self, CmdError> {
        let too_long = || {
            CmdError::new(
                "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len",
            )
        };
        let width = b.len() + 1;
        let cells = width.checked_mul(a.len() + 1).ok_or_else(too_long)?;
        if cells.checked_mul(4).is_none_or(|bytes| bytes > most) {
            return Err(too_long());
        }
        let mut table = Table { cells: vec![0; cells], width };
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table.cells[i * width + j] = if a[i - 1] == b[j - 1] {
                    table.at(i - 1, j - 1) + 1
                } else {
                    table.at(i - 1, j).max(table.at(i, j - 1))
                };
            }
        }
        Ok(table)
    }

    fn at(&self, i: usize, j: usize) -> u32 {
        self.cells[i * self.width + j]
    }

    fn length(&self) -> usize {
        self.cells.last().map_or(0, |&n| n as usize)
    }

    /// The subsequence itself and its runs, last run first.
    fn walk_back(&self, a: &[u8], b: &[u8]) -> (Vec<u8>, Vec<Match>) {
        let (mut i, mut j) = (a.len(), b.len());
        let mut text = Vec::with_capacity(self.length());
        let mut matches: Vec<Match> = Vec::new();
        while i > 0 && j > 0 {
            if a[i - 1] == b[j - 1] {
                text.push(a[i - 1]);
                match matches.last_mut() {
                    Some(run) if run.a.0 == i && run.b.0 == j => {
                        run.a.0 = i - 1;
                        run.b.0 = j - 1;
                    }
                    _ => matches.push(Match { a: (i - 1, i - 1), b: (j - 1, j - 1) }),
                }
                i -= 1;
                j -= 1;
            } else if self.at(i - 1, j) > self.at(i, j - 1) {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        text.reverse();
        (text, matches)
    }
}
