//! FT.EXPLAIN, FT.EXPLAINCLI, FT.TAGVALS, FT.SYNUPDATE, FT.SYNDUMP: what an index makes of words.

use std::collections::{BTreeMap, BTreeSet};

use ::search::evaluate::Partitions;
use ::search::query::Query;
use ::search::request::Search;
use ::search::schema::{Definition, Kind};
use ::search::text::Stemmer;
use base::{CmdError, Flag, Reply, Spec};
use wire::RespWriter;

use super::find::Asked;
use super::pace::{Asking, run};
use super::{CHANGES, READS, UNKNOWN, refused};
use crate::control::{Control, acts, worded};
use crate::engine::entry::Action;
use crate::search::catalog_image::Step;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![FtExplain, FtExplainCli, FtTagVals, FtSynUpdate, FtSynDump]
}

const EXPLAINS: Spec = Spec {
    name: "ft.explain",
    summary: "Shows how a query is read.",
    complexity: "O(N) in the length of the query",
    grammar: "index:string query:string [argument:string...]",
    ..READS
};

worded! {
    /// Shows how a query is read.
    FtExplain, EXPLAINS, |control, words, out| run(control, ("ft.explain", words), explain, out)
}

worded! {
    /// The same, line by line.
    FtExplainCli, Spec { name: "ft.explaincli", ..EXPLAINS },
    |control, words, out| run(control, ("ft.explaincli", words), explain_lines, out)
}

fn explain(
    asking: &mut Asking<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    out.bulk(explained(asking, words)?.as_bytes());
    Ok(())
}

fn explain_lines(
    asking: &mut Asking<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let text = explained(asking, words)?;
    let lines: Vec<&str> = text.split('\n').collect();
    out.array(lines.len());
    lines.iter().for_each(|line| out.bulk(line.as_bytes()));
    Ok(())
}

fn explained(asking: &Asking<'_>, words: &[&[u8]]) -> Result<String, CmdError> {
    let (name, words) = words.split_first().ok_or(UNKNOWN)?;
    let search = Search::parse(words).map_err(refused)?;
    let asked = Asked::begin(asking, name)?;
    let definition: &Definition = asked.definition();
    let options = search.parse_options(definition, asked.dialect);
    let query = Query::parse(&search.query, definition, &options).map_err(refused)?;
    let stemmer = Stemmer::new(search.language.as_ref().unwrap_or(&definition.language));
    let expand = |word: &[u8]| {
        let stem = stemmer.stem(word).map(|stem| [b"+", &stem[..]].concat());
        let synonyms = asked.synonyms().of(word).into_iter().map(|group| [b"~", group].concat());
        stem.into_iter().chain(synonyms).collect()
    };
    Ok(query.explain(definition, &expand))
}

worded! {
    /// Lists the values of a tag.
    FtTagVals, Spec {
        name: "ft.tagvals",
        summary: "Lists the values of a tag attribute.",
        complexity: "O(N) in the values",
        grammar: "index:string attribute:string",
        ..READS
    }, |control, words, out| {
        let &[name, attribute] = words else { return Err(UNKNOWN) };
        let (_, index) = control.index("ft.tagvals", name)?;
        if control.in_exec {
            control.txn.publish_changes_so_far();
        }
        let id = index.definition.attribute(attribute).ok_or(CmdError::new("No such field"))?;
        if !matches!(index.definition.attributes[usize::from(id)].kind, Kind::Tag { .. }) {
            return Err(CmdError::new("Not a tag field"));
        }
        let mut values: BTreeSet<Vec<u8>> = BTreeSet::new();
        for at in 0..index.count() {
            index.with(at, |partition| {
                let tags = partition.tag_values(id).into_iter().flatten();
                values.extend(tags.map(|(text, _)| text.to_vec()));
            });
        }
        out.set(values.len());
        values.iter().for_each(|value| out.bulk(value));
        Ok(())
    }
}

worded! {
    /// Adds terms to a group of synonyms.
    FtSynUpdate, Spec {
        name: "ft.synupdate",
        summary: "Adds terms to a group of synonyms of an index.",
        complexity: "O(N) in the terms of the index's groups",
        grammar: "index:string group:string [SKIPINITIALSCAN] term:string...",
        flags: &[Flag::Write, Flag::DenyOom],
        ..CHANGES
    }, |control, words, out| syn_update(control, words, out)
}

/// Terms are looked for with their synonyms where a query is evaluated, so nothing is indexed
/// again.
fn syn_update(
    control: &mut Control<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let &[name, group, ref terms @ ..] = words else { return Err(UNKNOWN) };
    let skips = terms.first().is_some_and(|word| word.eq_ignore_ascii_case(b"SKIPINITIALSCAN"));
    let terms = &terms[usize::from(skips)..];
    let (own, _) = control.index("ft.synupdate", name)?;
    let db = control.session.db;
    control.engine.catalog.change(control.txn, |known| {
        let (_, index) = known.index(db, &own).ok_or(UNKNOWN)?;
        let mut synonyms = index.synonyms.clone();
        let at = synonyms.iter().position(|(known, _)| **known == *group);
        let at = at.unwrap_or_else(|| {
            synonyms.push((group.into(), Vec::new()));
            synonyms.len() - 1
        });
        let group = &mut synonyms[at].1;
        let mut there: BTreeSet<Box<[u8]>> = group.iter().cloned().collect();
        for term in terms {
            let term: Box<[u8]> = term.to_ascii_lowercase().into();
            if there.insert(term.clone()) {
                group.push(term);
            }
        }
        let step = Step::Synonyms { db, name: own.clone(), synonyms };
        Ok(((), vec![step]))
    })?;
    control.context.counters.changes.add(1);
    out.ok();
    Ok(())
}

worded! {
    /// Lists terms with their groups of synonyms.
    FtSynDump, Spec {
        name: "ft.syndump",
        summary: "Lists terms with their groups of synonyms.",
        complexity: "O(N) in the terms",
        grammar: "index:string",
        ..READS
    }, |control, words, out| {
        let (_, index) = control.index("ft.syndump", words[0])?;
        let mut of: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
        for (group, terms) in &index.synonyms {
            terms.iter().for_each(|term| of.entry(term).or_default().push(group));
        }
        out.map(of.len());
        for (term, groups) in of {
            out.bulk(term);
            out.array(groups.len());
            groups.iter().for_each(|group| out.bulk(group));
        }
        Ok(())
    }
}
