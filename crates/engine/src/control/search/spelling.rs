//! FT.SPELLCHECK: words that may have been meant.

use std::collections::BTreeMap;

use ::search::evaluate::Partitions;
use ::search::number;
use ::search::query::{Node, Parameters, ParseOptions, Query};
use ::search::request::{Spellcheck, Terms};
use ::search::spelling::{self, distance, letters};
use base::{CmdError, Protocol, Reply, Spec};
use wire::RespWriter;

use super::find::Asked;
use super::pace::{Asking, Pace, run};
use super::{READS, UNKNOWN, refused};
use crate::control::{acts, worded};
use crate::engine::entry::Action;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![FtSpellCheck]
}

/// The suggestions for a word: scores with texts, best first.
type Suggestions = Vec<(f64, Vec<u8>)>;

worded! {
    /// Tells which words of a query may be misspelt.
    FtSpellCheck, Spec {
        name: "ft.spellcheck",
        summary: "Suggests words for those of a query that no document has.",
        complexity: "O(N) in the words of the index",
        grammar: "index:string query:string [argument:string...]",
        ..READS
    }, |control, words, out| {
        // It tells of words of all documents.
        match control.index("ft.spellcheck", words.first().ok_or(UNKNOWN)?) {
            Err(refused) if refused != UNKNOWN => Err(refused),
            _ => run(control, ("ft.spellcheck", words), check_spelling, out),
        }
    }
}

fn check_spelling(
    asking: &mut Asking<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (name, words) = words.split_first().ok_or(UNKNOWN)?;
    let request = Spellcheck::parse(words).map_err(refused)?;
    let asked = Asked::begin(asking, name)?;
    let found = check(asking, &asked, &request)?;
    put(out, &found);
    Ok(())
}

/// The words of the query that are in no document, with what is suggested for each.
fn check(
    asking: &mut Asking<'_>,
    asked: &Asked,
    request: &Spellcheck,
) -> Result<Vec<(Vec<u8>, Suggestions)>, CmdError> {
    let options = ParseOptions {
        dialect: request.dialect.unwrap_or(asked.dialect),
        parameters: &Parameters::default(),
        verbatim: true,
        no_stop_words: false,
        in_fields: None,
    };
    let query = Query::parse(&request.query, asked.definition(), &options).map_err(refused)?;
    let Listed { included, excluded } = listed(asking, &request.terms)?;
    let mut checked = Vec::new();
    for word in words(&query) {
        let is_known = (0..asked.index.count())
            .any(|at| asked.index.with(at, |partition| partition.has_word(&word)));
        if is_known || excluded.contains(&word) {
            continue;
        }
        let found = similar(asked, &word, request.distance, &included, &mut asking.pace)?;
        checked.push((word, found));
    }
    Ok(checked)
}

/// Terms of dictionaries, and of the request.
#[derive(Default)]
struct Listed {
    /// They are suggested beside the index's words.
    included: Vec<Vec<u8>>,
    /// They are not misspelt.
    excluded: Vec<Vec<u8>>,
}

fn listed(asking: &Asking<'_>, asked: &[Terms]) -> Result<Listed, CmdError> {
    let known = asking.engine.catalog.known();
    let names = known.databases.get(&asking.db);
    let mut listed = Listed::default();
    for terms in asked {
        let list = if terms.include { &mut listed.included } else { &mut listed.excluded };
        let dictionary = names.and_then(|names| names.dictionaries.get(&*terms.dictionary));
        if dictionary.is_none() && terms.words.is_empty() {
            let name = String::from_utf8_lossy(&terms.dictionary);
            return Err(CmdError::owned(format!("Dict does not exist: {name}")));
        }
        list.extend(dictionary.into_iter().flatten().map(|term| term.to_vec()));
        list.extend(terms.words.iter().cloned());
    }
    Ok(listed)
}

/// The words of a query, each once, in order.
fn words(query: &Query) -> Vec<Vec<u8>> {
    let (mut found, mut nodes) = (Vec::new(), vec![&query.root]);
    let mut take = |word: &Vec<u8>| {
        if !found.contains(word) {
            found.push(word.clone());
        }
    };
    while let Some(node) = nodes.pop() {
        match node {
            Node::Word { text, .. } => take(text),
            Node::Phrase(words) => words.iter().for_each(&mut take),
            Node::And(parts) | Node::Or(parts) => nodes.extend(parts.iter().rev()),
            Node::Not(node)
            | Node::Optional(node)
            | Node::With { node, .. }
            | Node::In { node, .. } => nodes.push(node),
            _ => {}
        }
    }
    found
}

/// Words that are near to one, each with its share of all documents.
fn similar(
    asked: &Asked,
    word: &[u8],
    most: usize,
    included: &[Vec<u8>],
    pace: &mut Pace<'_>,
) -> Result<Suggestions, CmdError> {
    let (typed, mut found) = (letters(word), BTreeMap::<Vec<u8>, usize>::new());
    let is_near = |other: &[u8]| distance(&typed, &letters(other), most).is_some();
    let (mut documents, mut failed) = (0, None);
    for at in 0..asked.index.count() {
        asked.index.with(at, |partition| {
            documents += partition.len();
            for (nth, (other, count)) in partition.words_from(b"").enumerate() {
                if nth % 1024 == 1023
                    && let Err(error) = pace.check()
                {
                    failed = Some(error);
                    return;
                }
                if is_near(other) {
                    *found.entry(other.to_vec()).or_default() += count;
                }
            }
        });
        if let Some(error) = failed {
            return Err(refused(error));
        }
    }
    for term in included.iter().filter(|term| is_near(term)) {
        found.entry(term.clone()).or_default();
    }
    let scored = |(text, count)| (spelling::score(count, documents), text);
    let mut found: Suggestions = found.into_iter().map(scored).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    Ok(found)
}

fn put(out: &mut RespWriter<'_>, checked: &[(Vec<u8>, Suggestions)]) {
    match out.protocol() {
        Protocol::Resp2 => {
            out.array(checked.len());
            for (word, suggestions) in checked {
                out.array(3);
                out.bulk(b"TERM");
                out.bulk(word);
                out.array(suggestions.len());
                for (score, text) in suggestions {
                    out.array(2);
                    out.bulk(number::print_digits(*score, 17).as_bytes());
                    out.bulk(text);
                }
            }
        }
        Protocol::Resp3 => {
            out.map(1);
            out.bulk(b"results");
            out.map(checked.len());
            for (word, suggestions) in checked {
                out.bulk(word);
                out.array(suggestions.len());
                for (score, text) in suggestions {
                    out.map(1);
                    out.bulk(text);
                    out.double(*score);
                }
            }
        }
    }
}
