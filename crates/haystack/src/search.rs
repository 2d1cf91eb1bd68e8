//! The search option of reads: a glob, a regular expression behind `re:`, a filter behind `f:`.

use regex_automata::nfa::thompson::{self, pikevm::Cache, pikevm::PikeVM};
use regex_automata::util::syntax;

use crate::{Error, Filter};

/// Characters of a pattern, at most: what a search costs is in proportion to it.
const LONGEST: usize = 1_000;
/// Patterns of fewer characters are not looked for in ids.
const FOR_IDS: usize = 8;
/// Bytes of a compiled expression, at most.
const LARGEST: usize = 1 << 20;

/// What is searched for.
///
/// ```
/// use kvist_haystack::Search;
/// let mut search = Search::parse("main*st")?.unwrap();
/// assert!(search.matches("MAIN Street", None, []));
/// assert!(!search.matches("Street", None, ["Main"]));
/// assert!(Search::parse("  ")?.is_none());
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub struct Search {
    what: What,
    /// Whether ids are looked at.
    in_ids: bool,
}

enum What {
    /// The pieces between stars, in small letters.
    Glob(Vec<Vec<char>>),
    Regex(Box<(PikeVM, Cache)>),
    Filter(Filter),
}

impl Search {
    /// What a text asks for; nothing if it is blank. A malformed expression or filter is a glob. An
    /// error if it is too long.
    pub fn parse(text: &str) -> Result<Option<Search>, Error> {
        let text = text.trim();
        if text.chars().count() > LONGEST {
            return Err(Error::new(format!("Search of more than {LONGEST} characters")));
        }
        let special = match text.split_once(':') {
            Some(("re", pattern)) => regex(pattern),
            Some(("f", filter)) => Filter::parse(filter).ok().map(What::Filter),
            _ => None,
        };
        let what = special.unwrap_or_else(|| What::Glob(glob(text)));
        let in_ids = text.chars().count() >= FOR_IDS;
        Ok((!text.is_empty()).then_some(Search { what, in_ids }))
    }

    /// The filter, if it is one: then [`Search::matches`] has nothing to say.
    pub fn filter(&self) -> Option<&Filter> {
        if let What::Filter(filter) = &self.what { Some(filter) } else { None }
    }

    /// Whether a record matches: its display string, its id, or any of the texts of its tags. Ids
    /// are looked at by patterns of eight characters and more. False if this is a filter.
    pub fn matches<'a>(
        &mut self,
        dis: &str,
        id: Option<&str>,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> bool {
        let id = id.filter(|_| self.in_ids);
        self.fits(dis) || id.is_some_and(|id| self.fits(id)) || {
            texts.into_iter().any(|text| self.fits(text))
        }
    }

    fn fits(&mut self, text: &str) -> bool {
        match &mut self.what {
            What::Glob(pieces) => contains(pieces, text),
            What::Regex(regex) => {
                let (engine, cache) = regex.as_mut();
                engine.is_match(cache, text)
            }
            What::Filter(_) => false,
        }
    }
}

fn regex(pattern: &str) -> Option<What> {
    let engine = PikeVM::builder()
        .syntax(syntax::Config::new().nest_limit(50))
        .thompson(thompson::Config::new().nfa_size_limit(Some(LARGEST)))
        .build(&format!(r"\A(?:{pattern})\z"))
        .ok()?;
    let cache = engine.create_cache();
    Some(What::Regex(Box::new((engine, cache))))
}

fn glob(text: &str) -> Vec<Vec<char>> {
    let pieces = text.split('*').filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece.chars().flat_map(char::to_lowercase).collect()).collect()
}

/// Whether the pieces are in a text, one behind the other; the first place for each is the best.
fn contains(pieces: &[Vec<char>], text: &str) -> bool {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut rest = text.as_slice();
    pieces.iter().all(|piece| {
        let fits = |window: &[char]| {
            window.iter().zip(piece).all(|(c, wanted)| *wanted == '?' || c == wanted)
        };
        let at = rest.windows(piece.len()).position(fits);
        rest = at.and_then(|at| rest.get(at + piece.len()..)).unwrap_or_default();
        at.is_some()
    })
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
