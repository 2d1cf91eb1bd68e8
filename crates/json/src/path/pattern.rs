//! Regular expressions of paths: compiled once if they stand in the path, remembered for one
//! evaluation if they come from the document.
//!
//! Matching is linear in the text for any pattern, so that no pattern backtracks for ever. It is a
//! few instructions a byte with a state machine that is made while it runs. For some patterns that
//! machine has no end, `1[01]{1000}2` for one: what takes a step for each state and byte instead is
//! paid for as such. (That is why the engines are put together here, where they tell when they
//! give up, and not by the `regex` crate.)
//!
//! But compiling one can take a thousand times longer than reading it: `\w{100}` makes a machine
//! of hundreds of kilobytes. So a pattern is compiled within ever larger limits, and each attempt
//! is paid for beforehand: by the path's [`Allowance`] if the pattern stands in it, and a path
//! whose patterns need more does not compile; by the [`Budget`] of the evaluation if it comes from
//! the document. A pattern that is none, or one of a document that is too large, matches nothing.

use regex_automata::Input;
use regex_automata::hybrid::dfa;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures, pikevm};
use regex_automata::util::{pool::Pool, syntax};

use super::budget::{Budget, Flow};
use super::error::PathError;
use super::limits::MAX_PATTERNS;

/// How long the patterns of a path may be together, and one of a document alone, in bytes.
const MAX_TEXT: usize = 4096;

/// How large a compiled pattern may be, in bytes: what is tried, one after the other.
const LIMITS: [usize; 4] = [4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// How large the patterns of a path may be together.
const MAX_COMPILED: usize = 512 << 10;

/// How much of the state machine is kept, in bytes.
const MACHINE: usize = 256 << 10;

/// How many patterns of one document are remembered.
const REMEMBERED: usize = 64;

/// What an attempt to compile costs, beside a price for each byte of the limit and of the pattern.
const ATTEMPT: usize = 1_000;

fn price(text: &str, limit: usize) -> usize {
    ATTEMPT + 20 * text.len() + limit / 4
}

/// How a pattern is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// `match()`: the whole text, I-Regexp.
    Match,
    /// `search()`: anywhere, I-Regexp.
    Search,
    /// `=~`: anywhere, with all the syntax of the `regex` crate.
    Operator,
}

/// A pattern, ready to be used.
#[derive(Debug)]
pub(super) struct Pattern {
    /// None: it is no pattern.
    engines: Option<Box<Engines>>,
    /// What it takes at most, but for what is made while it runs.
    bytes: usize,
}

/// The two ways to match a pattern.
#[derive(Debug)]
struct Engines {
    /// Makes the state machine while it runs, and gives up if that does not pay.
    machine: dfa::DFA,
    /// Goes through all states for every byte.
    states: pikevm::PikeVM,
    /// What they write while they run, for each thread.
    scratch: Pool<Scratch, fn() -> Scratch>,
}

#[derive(Default, Debug)]
struct Scratch {
    machine: Option<dfa::Cache>,
    states: Option<pikevm::Cache>,
}

/// What came of compiling within a limit.
enum Attempt {
    Done(Pattern),
    TooLarge,
}

/// Why a text is no pattern.
enum Unfit {
    TooLarge,
    NoPattern,
}

/// The states of a pattern.
fn automaton(text: &str, usage: Usage, limit: usize) -> Result<NFA, Unfit> {
    let states =
        thompson::Config::new().nfa_size_limit(Some(limit)).which_captures(WhichCaptures::None);
    // In RFC 9485 a dot is anything but the two line ends.
    let syntax = syntax::Config::new().nest_limit(64).crlf(usage != Usage::Operator);
    let built = thompson::Compiler::new().configure(states).syntax(syntax).build(text);
    built.map_err(|error| match error.size_limit() {
        Some(_) => Unfit::TooLarge,
        None => Unfit::NoPattern,
    })
}

impl Engines {
    fn new(states: NFA) -> Option<Engines> {
        let config = dfa::Config::new()
            .cache_capacity(MACHINE)
            .skip_cache_capacity_check(true)
            // Where a byte outside of ASCII decides whether a word ends, it gives up.
            .unicode_word_boundary(true)
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let machine = dfa::Builder::new().configure(config).build_from_nfa(states.clone());
        Some(Engines {
            machine: machine.ok()?,
            states: pikevm::PikeVM::new_from_nfa(states).ok()?,
            scratch: Pool::new(Scratch::default),
        })
    }

    fn matches(&self, text: &str, budget: &mut Budget) -> Flow<bool> {
        let mut scratch = self.scratch.get();
        let input = Input::new(text).earliest(true);
        let cache = scratch.machine.get_or_insert_with(|| self.machine.create_cache());
        if let Ok(found) = self.machine.try_search_fwd(cache, &input) {
            return Ok(found.is_some());
        }
        let states = self.states.get_nfa().states().len();
        budget.charge(text.len().saturating_mul(states) / 8)?;
        let cache = scratch.states.get_or_insert_with(|| self.states.create_cache());
        Ok(self.states.is_match(cache, input))
    }
}

impl Pattern {
    /// What is no pattern matches nothing.
    const NONE: Pattern = Pattern { engines: None, bytes: 0 };

    fn within(limit: usize, text: &str, usage: Usage) -> Attempt {
        let compile = |text: &str| automaton(text, usage, limit);
        // Only what is a pattern by itself is put between anchors: `a)|(b` is none.
        let compiled = match compile(text) {
            Ok(_) if usage == Usage::Match => compile(&format!(r"\A(?:{text})\z")),
            compiled => compiled,
        };
        match compiled {
            Ok(states) => {
                let engines = Engines::new(states).map(Box::new);
                Attempt::Done(Pattern { engines, bytes: limit })
            }
            Err(Unfit::TooLarge) => Attempt::TooLarge,
            Err(Unfit::NoPattern) => Attempt::Done(Pattern::NONE),
        }
    }

    /// Whether it matches, at the price of the text's length.
    pub fn matches(&self, text: &str, budget: &mut Budget) -> Flow<bool> {
        budget.charge(1 + text.len() / 32)?;
        match &self.engines {
            Some(engines) => engines.matches(text, budget),
            None => Ok(false),
        }
    }

    /// Bytes on the heap at most, roughly: what is built while matching grows with use.
    pub fn memory(&self) -> usize {
        self.bytes
    }
}

/// What the patterns of a path may still take.
#[derive(Debug)]
pub(super) struct Allowance {
    patterns: usize,
    text: usize,
    compiled: usize,
    spent: usize,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { patterns: MAX_PATTERNS, text: MAX_TEXT, compiled: MAX_COMPILED, spent: 0 }
    }
}

impl Allowance {
    /// Compiles a pattern that stands in the path.
    pub fn compile(&mut self, text: &str, usage: Usage) -> Result<Pattern, PathError> {
        self.patterns = self.patterns.checked_sub(1).ok_or(PathError::Patterns)?;
        self.text = self.text.checked_sub(text.len()).ok_or(PathError::Patterns)?;
        for limit in LIMITS {
            if limit > self.compiled {
                break;
            }
            self.spent += price(text, limit);
            if let Attempt::Done(pattern) = Pattern::within(limit, text, usage) {
                self.compiled -= pattern.bytes;
                return Ok(pattern);
            }
        }
        Err(PathError::Patterns)
    }

    /// What compiling has cost.
    pub fn spent(&self) -> usize {
        self.spent
    }
}

/// Patterns that came from the document, the last used first.
#[derive(Default)]
pub(super) struct Patterns {
    known: Vec<(Usage, Box<str>, Pattern)>,
}

impl Patterns {
    /// Whether a pattern matches a text.
    pub fn matches(
        &mut self,
        pattern: &str,
        usage: Usage,
        text: &str,
        budget: &mut Budget,
    ) -> Flow<bool> {
        let found =
            self.known.iter().position(|(of, known, _)| *of == usage && **known == *pattern);
        let at = match found {
            Some(at) => at,
            None => {
                let compiled = compile(pattern, usage, budget)?;
                self.known.truncate(REMEMBERED - 1);
                self.known.push((usage, pattern.into(), compiled));
                self.known.len() - 1
            }
        };
        self.known[..=at].rotate_right(1);
        budget.charge(at)?;
        match self.known.first() {
            Some((_, _, pattern)) => pattern.matches(text, budget),
            None => Ok(false),
        }
    }
}

/// Compiles a pattern of a document.
fn compile(text: &str, usage: Usage, budget: &mut Budget) -> Flow<Pattern> {
    if text.len() > MAX_TEXT {
        return Ok(Pattern::NONE);
    }
    for limit in LIMITS {
        budget.charge(price(text, limit))?;
        if let Attempt::Done(pattern) = Pattern::within(limit, text, usage) {
            return Ok(pattern);
        }
    }
    Ok(Pattern::NONE)
}
