//! Indexes, aliases and dictionaries as records and snapshots keep them.
//!
//! ```text
//!   | count | steps ... |
//!
//!   step:  | 1 | db | name | words of the definition | groups: name, terms |   an index
//!          | 2 | db | name |                                                   no index
//!          | 3 | db | alias | 0, or 1 and the index |                          an alias
//!          | 4 | db | name | terms |                                           a dictionary
//!          | 5 | db | name | groups: name, terms |                            synonyms of an index
//! ```
//!
//! A snapshot holds the steps from nothing to all. A step that is applied twice leads to the same.
//! That databases were emptied or have changed places the records of the keyspace say.

use std::collections::BTreeSet;
use std::sync::Arc;

use journal::codec::{Malformed, Source, put_bytes, put_number};
use search::schema::Definition;

/// Groups of synonyms with their terms.
pub(crate) type Synonyms = Vec<(Box<[u8]>, Vec<Box<[u8]>>)>;

/// A change of what there is.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// This index is there, empty, in place of one of the same name.
    Index { db: usize, name: Box<[u8]>, definition: Arc<Definition>, synonyms: Synonyms },
    /// An index has these groups of synonyms; its documents stay as they are.
    Synonyms { db: usize, name: Box<[u8]>, synonyms: Synonyms },
    /// This one is gone, with its aliases.
    NoIndex { db: usize, name: Box<[u8]> },
    /// An alias leads to this index, or nowhere.
    Alias { db: usize, alias: Box<[u8]>, index: Option<Box<[u8]>> },
    /// A dictionary has these terms; without any there is none.
    Dictionary { db: usize, name: Box<[u8]>, terms: BTreeSet<Box<[u8]>> },
    /// A database has nothing any more.
    Clear { db: usize },
    /// Two databases have changed places.
    Swap { a: usize, b: usize },
}

/// Steps as bytes.
pub(crate) fn written(steps: &[Step]) -> Vec<u8> {
    let mut out = Vec::new();
    let kept = |step: &&Step| !matches!(step, Step::Clear { .. } | Step::Swap { .. });
    put_number(&mut out, steps.iter().filter(kept).count() as u64);
    steps.iter().filter(kept).for_each(|step| put(&mut out, step));
    out
}

fn put(out: &mut Vec<u8>, step: &Step) {
    match step {
        Step::Index { db, name, definition, synonyms } => {
            put_head(out, 1, *db, name);
            put_list(out, &definition.to_words());
            put_synonyms(out, synonyms);
        }
        Step::Synonyms { db, name, synonyms } => {
            put_head(out, 5, *db, name);
            put_synonyms(out, synonyms);
        }
        Step::NoIndex { db, name } => put_head(out, 2, *db, name),
        Step::Alias { db, alias, index } => {
            put_head(out, 3, *db, alias);
            out.push(u8::from(index.is_some()));
            index.iter().for_each(|index| put_bytes(out, index));
        }
        Step::Dictionary { db, name, terms } => {
            put_head(out, 4, *db, name);
            put_number(out, terms.len() as u64);
            terms.iter().for_each(|term| put_bytes(out, term));
        }
        Step::Clear { .. } | Step::Swap { .. } => {}
    }
}

fn put_synonyms(out: &mut Vec<u8>, synonyms: &Synonyms) {
    put_number(out, synonyms.len() as u64);
    for (group, terms) in synonyms {
        put_bytes(out, group);
        put_list(out, terms);
    }
}

fn put_head(out: &mut Vec<u8>, kind: u8, db: usize, name: &[u8]) {
    out.push(kind);
    put_number(out, db as u64);
    put_bytes(out, name);
}

fn put_list(out: &mut Vec<u8>, words: &[impl AsRef<[u8]>]) {
    put_number(out, words.len() as u64);
    words.iter().for_each(|word| put_bytes(out, word.as_ref()));
}

/// Reads steps.
///
/// # Errors
/// It is something else.
pub(crate) fn read(body: &[u8]) -> Result<Vec<Step>, Malformed> {
    let mut source = Source::new(body);
    let mut steps = Vec::new();
    for _ in 0..source.length()? {
        steps.push(step(&mut source)?);
    }
    if source.is_done() { Ok(steps) } else { Err(Malformed("bytes after the indexes")) }
}

fn step(source: &mut Source<'_>) -> Result<Step, Malformed> {
    let kind = source.byte()?;
    let db = usize::try_from(source.number()?).map_err(|_| Malformed("a database"))?;
    let name: Box<[u8]> = source.bytes()?.into();
    Ok(match kind {
        1 => {
            let words = list(source)?;
            let words: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
            let definition = Definition::parse(&words);
            let definition = Arc::new(definition.map_err(|_| Malformed("a definition"))?);
            Step::Index { db, name, definition, synonyms: synonyms(source)? }
        }
        2 => Step::NoIndex { db, name },
        3 => {
            let index = match source.byte()? {
                0 => None,
                _ => Some(source.bytes()?.into()),
            };
            Step::Alias { db, alias: name, index }
        }
        4 => Step::Dictionary { db, name, terms: list(source)?.into_iter().collect() },
        5 => Step::Synonyms { db, name, synonyms: synonyms(source)? },
        _ => return Err(Malformed("a change of indexes of an unknown kind")),
    })
}

fn synonyms(source: &mut Source<'_>) -> Result<Synonyms, Malformed> {
    (0..source.length()?).map(|_| Ok((source.bytes()?.into(), list(source)?))).collect()
}

fn list(source: &mut Source<'_>) -> Result<Vec<Box<[u8]>>, Malformed> {
    (0..source.length()?).map(|_| source.bytes().map(Box::from)).collect()
}
