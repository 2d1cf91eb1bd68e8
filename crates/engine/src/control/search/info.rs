//! FT._LIST and FT.INFO: which indexes there are, and what is in one.

use std::sync::atomic::Ordering;

use ::search::evaluate::Partitions;
use ::search::partition::{Figures, Partition};
use ::search::schema::{Attribute, Detail};
use base::{CmdError, Protocol, Reply, Spec};
use wire::RespWriter;

use super::{READS, UNKNOWN};
use crate::control::Act;
use crate::control::{Control, acts, bare, worded};
use crate::engine::entry::Action;
use crate::search::Index;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![List, Info]
}

bare! {
    /// Lists all indexes.
    List, Spec {
        name: "ft._list",
        summary: "Lists the indexes of the database.",
        complexity: "O(N) in the number of indexes",
        ..READS
    }
}

impl Act for List<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let known = control.engine.catalog.known();
        let names = known.databases.get(&control.session.db);
        out.set(names.map_or(0, |names| names.indexes.len()));
        names.into_iter().flat_map(|names| names.indexes.keys()).for_each(|name| out.bulk(name));
        Ok(())
    }
}

worded! {
    /// Describes an index.
    Info, Spec {
        name: "ft.info",
        summary: "Describes an index: its definition, its size, documents that it could not take.",
        complexity: "O(N) in its attributes",
        grammar: "index:string",
        ..READS
    }, |control, words, out| {
        let &[name] = words else { return Err(UNKNOWN) };
        let (name, index) = control.index("ft.info", name)?;
        if control.in_exec {
            control.txn.publish_changes_so_far();
        }
        describe(&name, &index, out);
        Ok(())
    }
}

/// What an index holds, over its partitions.
fn figures(index: &Index) -> Figures {
    let mut all = Figures::default();
    (0..index.count()).for_each(|at| all += index.with(at, Partition::figures));
    all
}

/// The reply, field by field.
struct Fields<'o, 'w> {
    out: &'o mut RespWriter<'w>,
}

impl Fields<'_, '_> {
    fn text(&mut self, name: &str, text: &[u8]) {
        self.out.bulk(name.as_bytes());
        self.out.bulk(text);
    }

    /// A number: text in RESP2, where it is not whole.
    fn number(&mut self, name: &str, number: f64) {
        self.out.bulk(name.as_bytes());
        put_number(self.out, number);
    }

    fn map(&mut self, name: &str, pairs: &[(&str, f64)]) {
        self.out.bulk(name.as_bytes());
        self.out.map(pairs.len());
        for (name, number) in pairs {
            self.number(name, *number);
        }
    }
}

fn put_number(out: &mut RespWriter<'_>, number: f64) {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true if out.protocol() == Protocol::Resp2 => out.int(number as i64),
        true => out.int(number as i64),
        false => out.double(number),
    }
}

fn put_detail(out: &mut RespWriter<'_>, detail: &Detail) {
    match detail {
        Detail::Text(text) => out.bulk(text),
        Detail::Number(number) if out.protocol() == Protocol::Resp2 => {
            out.bulk(number.to_string().as_bytes());
        }
        Detail::Number(number) => out.double(*number),
        Detail::List(texts) => {
            out.array(texts.len());
            texts.iter().for_each(|text| out.bulk(text));
        }
    }
}

fn describe(name: &[u8], index: &Index, out: &mut RespWriter<'_>) {
    let figures = figures(index);
    let definition = &index.definition;
    out.map(35 - usize::from(definition.stop_words.is_none()));
    let mut fields = Fields { out };
    fields.text("index_name", name);
    fields.out.bulk(b"index_options");
    let options = definition.index_options();
    fields.out.array(options.len());
    options.iter().for_each(|option| fields.out.bulk(option.as_bytes()));
    fields.out.bulk(b"index_definition");
    let pairs = definition.index_definition();
    fields.out.map(pairs.len());
    for (name, detail) in &pairs {
        fields.out.bulk(name.as_bytes());
        put_detail(fields.out, detail);
    }
    fields.out.bulk(b"attributes");
    fields.out.array(definition.attributes.len());
    definition.attributes.iter().for_each(|attribute| put_attribute(fields.out, attribute));
    sizes(&mut fields, &figures, index);
    progress(&mut fields, index);
    if let Some(words) = &definition.stop_words {
        fields.out.bulk(b"stopwords_list");
        fields.out.array(words.len());
        words.iter().for_each(|word| fields.out.bulk(word));
    }
    failures(&mut fields, index);
}

fn put_attribute(out: &mut RespWriter<'_>, attribute: &Attribute) {
    let described = attribute.describe();
    let pairs = described.pairs.len();
    match out.protocol() {
        Protocol::Resp2 => out.array(2 * pairs + described.flags.len()),
        Protocol::Resp3 => out.map(pairs + 1),
    }
    for (name, detail) in &described.pairs {
        out.bulk(name.as_bytes());
        put_detail(out, detail);
    }
    if out.protocol() == Protocol::Resp3 {
        out.bulk(b"flags");
        out.array(described.flags.len());
    }
    described.flags.iter().for_each(|flag| out.bulk(flag.as_bytes()));
}

/// What it holds: 19 fields.
fn sizes(fields: &mut Fields<'_, '_>, figures: &Figures, index: &Index) {
    const MEGABYTE: f64 = 1024.0 * 1024.0;
    let ratio = |all: usize, of: usize| if of == 0 { 0.0 } else { all as f64 / of as f64 };
    fields.number("num_docs", figures.documents as f64);
    fields.number("max_doc_id", figures.documents as f64);
    fields.number("num_terms", figures.terms as f64);
    fields.number("num_records", figures.records as f64);
    // Postings have no blocks that are counted by themselves.
    fields.number("total_inverted_index_blocks", figures.terms as f64);
    let bytes = [
        ("inverted_sz_mb", figures.inverted),
        ("vector_index_sz_mb", figures.vectors),
        // Positions are among the postings.
        ("offset_vectors_sz_mb", 0),
        ("doc_table_size_mb", figures.documents_table),
        ("sortable_values_size_mb", figures.sortable),
        ("key_table_size_mb", figures.key_table),
        ("tag_overhead_sz_mb", figures.tags),
        ("text_overhead_sz_mb", figures.text),
        ("total_index_memory_sz_mb", index.memory()),
        ("geoshapes_sz_mb", 0),
    ];
    bytes.iter().for_each(|(name, bytes)| fields.number(name, *bytes as f64 / MEGABYTE));
    fields.number("records_per_doc_avg", ratio(figures.records, figures.documents));
    fields.number("bytes_per_record_avg", ratio(figures.inverted, figures.records));
    fields.number("offsets_per_term_avg", 0.0);
    fields.number("offset_bits_per_record_avg", 0.0);
}

/// How far it is: 9 fields.
fn progress(fields: &mut Fields<'_, '_>, index: &Index) {
    let failures = index.failures.count.load(Ordering::Relaxed);
    fields.number("hash_indexing_failures", failures as f64);
    let took = index.filling.took.load(Ordering::Relaxed);
    fields.number("total_indexing_time", took as f64 / 1000.0);
    fields.number("indexing", f64::from(u8::from(index.is_filling())));
    fields.number("percent_indexed", index.filled());
    fields.number("number_of_uses", index.uses.load(Ordering::Relaxed) as f64);
    fields.number("cleaning", 0.0);
    // Nothing is collected behind its back: entries are taken out where they are.
    fields
        .map("gc_stats", &[("bytes_collected", 0.0), ("total_ms_run", 0.0), ("total_cycles", 0.0)]);
    let cursors = [
        ("global_idle", 0.0),
        ("global_total", 0.0),
        ("index_capacity", 128.0),
        ("index_total", 0.0),
    ];
    fields.map("cursor_stats", &cursors);
    let dialects = [("dialect_1", 0.0), ("dialect_2", 0.0), ("dialect_3", 0.0), ("dialect_4", 0.0)];
    fields.map("dialect_stats", &dialects);
}

/// Documents that it could not take: 2 fields.
fn failures(fields: &mut Fields<'_, '_>, index: &Index) {
    let last = index.failures.last.lock().clone();
    let (key, why) =
        last.map_or((b"N/A".to_vec(), "N/A".to_owned()), |(key, why)| (key.into(), why));
    let count = index.failures.count.load(Ordering::Relaxed) as f64;
    let put = |fields: &mut Fields<'_, '_>| {
        fields.number("indexing failures", count);
        fields.text("last indexing error", why.as_bytes());
        fields.text("last indexing error key", &key);
    };
    fields.out.bulk(b"Index Errors");
    fields.out.map(4);
    put(fields);
    fields.text("background indexing status", b"OK");
    fields.out.bulk(b"field statistics");
    let attributes = &index.definition.attributes;
    fields.out.array(attributes.len());
    for attribute in attributes {
        fields.out.map(3);
        fields.text("identifier", &attribute.identifier);
        fields.text("attribute", &attribute.name);
        fields.out.bulk(b"Index Errors");
        fields.out.map(3);
        fields.number("indexing failures", 0.0);
        fields.text("last indexing error", b"N/A");
        fields.text("last indexing error key", b"N/A");
    }
}
