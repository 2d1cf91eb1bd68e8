//! FT.AGGREGATE and FT.CURSOR: rows made of documents.

use ::search::aggregate::{Origin, Pipeline, Property, Record};
use ::search::document;
use ::search::error::Error;
use ::search::evaluate::{self, Hit, Partitions, Sort};
use ::search::expression::Value;
use ::search::number;
use ::search::partition::Partition;
use ::search::query::Query;
use ::search::request::{Aggregate, CursorRead, Step};
use ::search::schema::{AttributeId, Definition, Kind, Source};
use base::{CmdError, Protocol, Reply, Spec};
use wire::RespWriter;

use super::content::text_at;
use super::find::{Asked, again, distance_names};
use super::pace::{Asking, run};
use super::{READS, UNKNOWN, refused, reply};
use crate::control::{acts, worded};
use crate::engine::entry::Action;
use crate::search::cursors::{Batch, Cursor};
use crate::search::document::Stored;
use crate::search::load::with_document;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![FtAggregate, FtCursor]
}

worded! {
    /// Makes rows of documents.
    FtAggregate, Spec {
        name: "ft.aggregate",
        summary: "Makes rows of the documents that match a query: groups, sums, sorts them.",
        complexity: "O(N) in the documents that match",
        grammar: "index:string query:string [argument:string...]",
        ..READS
    }, |control, words, out| run(control, ("ft.aggregate", words), aggregate_rows, out)
}

fn aggregate_rows(
    asking: &mut Asking<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (name, words) = words.split_first().ok_or(UNKNOWN)?;
    let aggregate = Aggregate::parse(words).map_err(refused)?;
    let asked = Asked::begin(asking, name)?;
    asking.pace.limit(aggregate.options.timeout);
    let (total, mut batch) = make(asking, &asked, &aggregate)?;
    let Some(options) = aggregate.cursor else {
        put_rows(out, total, &batch.take(usize::MAX));
        return Ok(());
    };
    let first = batch.take(options.count);
    let cursor = Cursor {
        db: asked.db,
        index: asked.name.clone(),
        batch,
        count: options.count,
        max_idle: options.max_idle,
        used: asking.now,
    };
    let number = asking.engine.catalog.cursors.keep(cursor, asking.now)?;
    out.array(2);
    put_rows(out, total, &first);
    out.int(number);
    Ok(())
}

worded! {
    /// Reads on in the rows of a cursor, or drops it.
    FtCursor, Spec {
        name: "ft.cursor",
        summary: "Reads on in the rows of FT.AGGREGATE WITHCURSOR, or drops them.",
        complexity: "O(N) in the rows that are answered",
        grammar: "subcommand=(READ | DEL | GC) index:string cursor:string [argument:string...]",
        ..READS
    }, |control, words, out| {
        let &[verb, name, ref rest @ ..] = words else { return Err(UNKNOWN) };
        let read = CursorRead::parse(rest).map_err(refused)?;
        let known = control.engine.catalog.known();
        let (own, _) = known.index(control.session.db, name).ok_or(UNKNOWN)?;
        let (db, now) = (control.session.db, control.context.now);
        let cursors = &control.engine.catalog.cursors;
        match verb.to_ascii_uppercase().as_slice() {
            b"READ" => {
                let (rows, next) = cursors.read((db, own), &read, now)?;
                out.array(2);
                put_rows(out, 0, &rows);
                out.int(next);
            }
            b"DEL" => {
                cursors.drop_one((db, own), read.id)?;
                out.ok();
            }
            b"GC" => {
                cursors.reap(now);
                out.ok();
            }
            _ => return Err(CmdError::new("Unknown subcommand")),
        }
        Ok(())
    }
}

/// Rows for which partitions are taken once, at most, and values of these rows.
const TOGETHER: usize = 64;
const MOST_VALUES: usize = 1 << 16;
/// The most bytes that the rows of one request may take while they are made.
const MOST_BYTES: usize = 1 << 30;

/// How many documents match, and the rows that come out.
pub(super) fn make(
    asking: &mut Asking<'_>,
    asked: &Asked,
    aggregate: &Aggregate,
) -> Result<(usize, Batch), CmdError> {
    let definition = asked.definition();
    let options = aggregate.options.parse_options(asked.dialect);
    let query = Query::parse(&aggregate.query, definition, &options).map_err(refused)?;
    let distances = distance_names(&query);
    let mut extra: Vec<&[u8]> = vec![b"__key", b"__score"];
    extra.extend(distances.iter().map(|name| &name[..]));
    let seed = asking.engine.run.hashing.seed ^ asking.now;
    let pipeline = Pipeline::compile(aggregate, definition, &extra, seed).map_err(refused)?;
    let groups = aggregate.steps.iter().any(|step| matches!(step, Step::GroupBy { .. }));
    let maker = Maker { asked, definition, pipeline, dialect: options.dialect, extra: extra.len() };
    let scores = aggregate.add_scores;
    maker.run(asking, &query, (aggregate.options.scorer.unwrap_or_default(), scores), groups)
}

/// Makes rows.
struct Maker<'m> {
    asked: &'m Asked,
    definition: &'m Definition,
    pipeline: Pipeline,
    dialect: u8,
    /// How many values beside attributes there may be.
    extra: usize,
}

/// A row that waits for its document.
struct Half {
    key: Box<[u8]>,
    hit: Hit,
    values: Vec<Value>,
}

impl Maker<'_> {
    fn run(
        mut self,
        asking: &mut Asking<'_>,
        query: &Query,
        (scorer, scores): (evaluate::Scorer, bool),
        groups: bool,
    ) -> Result<(usize, Batch), CmdError> {
        let properties = self.pipeline.properties().to_vec();
        let asked = self.asked;
        let scores =
            scores || properties.iter().any(|property| property.origin == Origin::Extra(1));
        let options = evaluate::Options {
            scorer,
            sort: if query.knn.is_some() { Sort::Distance } else { Sort::None },
            limit: usize::MAX,
            with_scores: scores,
            admits: asked.admits(),
            synonyms: Some(asked.synonyms()),
            ..evaluate::Options::default()
        };
        let by_document: Vec<usize> =
            (0..properties.len()).filter(|&at| !self.is_indexed(&properties[at])).collect();
        let loads = self.pipeline.loads_all() || !by_document.is_empty();
        let index = &**asked.index;
        let found = evaluate::search(index, query, &options, &mut |_| asking.pace.check());
        let found = found.map_err(refused)?;
        let together = (MOST_VALUES / properties.len().max(1)).clamp(1, TOGETHER);
        for hits in found.hits.chunks(together) {
            let mut halves = Vec::with_capacity(hits.len());
            index.with_all(|partitions| {
                for hit in hits {
                    let partition = partitions[hit.partition];
                    let Some(key) = partition.key_of(hit.row) else { continue };
                    let Some(hit) = again(partition, (key, hit), query, &options) else { continue };
                    let values = self.values(partition, (key, &hit), &properties);
                    halves.push(Half { key: key.into(), hit, values });
                }
            });
            for half in halves {
                asking.pace.check().map_err(refused)?;
                if !loads {
                    self.push(Record::from(half.values))?;
                    continue;
                }
                let still = |key: &[u8], hit: &Hit| asked.as_it_is((key, hit), query, &options);
                self.load(asking, half, &still, (&properties, &by_document))?;
            }
            if self.pipeline.is_full() {
                break;
            }
        }
        let rows = self.pipeline.finish(&mut || asking.pace.check()).map_err(refused)?;
        Ok((found.total, Batch::of(rows, groups)))
    }

    /// Whether the index has a property as it is answered: numbers, and texts that are sortable.
    fn is_indexed(&self, property: &Property) -> bool {
        match property.origin {
            Origin::Attribute(id) => {
                let attribute = &self.definition.attributes[usize::from(id)];
                match attribute.kind {
                    Kind::Numeric => true,
                    Kind::Text { .. } | Kind::Tag { .. } => {
                        attribute.sortable && self.definition.source == Source::Hash
                    }
                    _ => false,
                }
            }
            Origin::Extra(_) => true,
            Origin::Field(_) => false,
        }
    }

    /// What the index knows of a row.
    fn values(
        &self,
        partition: &Partition,
        (key, hit): (&[u8], &Hit),
        properties: &[Property],
    ) -> Vec<Value> {
        let value = |property: &Property| match property.origin {
            Origin::Attribute(id) if self.is_indexed(property) => {
                partition.values(hit.row, id).map_or(Value::Null, |value| self.value_of(value))
            }
            Origin::Extra(0) => Value::Text(key.to_vec()),
            Origin::Extra(1) => Value::Number(hit.score),
            Origin::Extra(at) if at < self.extra => hit.distance.map_or(Value::Null, Value::Number),
            _ => Value::Null,
        };
        properties.iter().map(value).collect()
    }

    fn push(&mut self, record: Record) -> Result<(), CmdError> {
        self.pipeline.push(record).map_err(refused)?;
        match self.pipeline.memory() > MOST_BYTES {
            true => Err(refused(Error::new("ERR the rows take more memory than one query may"))),
            false => Ok(()),
        }
    }

    /// Reads what a row has of its document, and takes it in. Without a document, or if it does not
    /// match any more, it is no row.
    fn load(
        &mut self,
        asking: &mut Asking<'_>,
        half: Half,
        still: &dyn Fn(&[u8], &Hit) -> Option<Hit>,
        (properties, by_document): (&[Property], &[usize]),
    ) -> Result<(), CmdError> {
        let Half { key, hit, mut values } = half;
        let place = (self.asked.db, &*key);
        let what = (self.definition.source, asking.now);
        let (definition, dialect) = (self.definition, self.dialect);
        let all = self.pipeline.loads_all();
        let more = with_document(asking.held, place, what, |stored| {
            let now = still(&key, &hit)?;
            if now.order != hit.order {
                values = self.asked.index.with(now.partition, |partition| {
                    self.values(partition, (&key, &now), properties)
                });
            }
            for &at in by_document {
                let name = match &properties[at].origin {
                    Origin::Attribute(id) => identifier(definition, *id),
                    Origin::Field(name) => name,
                    Origin::Extra(_) => continue,
                };
                values[at] = of_document(stored, name, dialect);
            }
            Some(if all { everything(stored) } else { Vec::new() })
        });
        match more.flatten() {
            Some(more) => self.push(Record { values, more, terms: Vec::new() }),
            None => Ok(()),
        }
    }

    /// A value of the index as expressions have it.
    fn value_of(&self, value: document::Value) -> Value {
        match value {
            document::Value::Number(number) => Value::Number(number),
            document::Value::Text(text) => Value::Text(text),
            document::Value::Bool(is) => Value::Text(is.to_string().into_bytes()),
            document::Value::List(list) if self.dialect < 3 => {
                list.into_iter().next().map_or(Value::Null, |value| self.value_of(value))
            }
            document::Value::List(list) => {
                Value::List(list.into_iter().map(|value| self.value_of(value)).collect())
            }
            document::Value::Null | document::Value::Object => Value::Null,
        }
    }
}

fn identifier(definition: &Definition, id: AttributeId) -> &[u8] {
    &definition.attributes[usize::from(id)].identifier
}

/// A field, or what a path selects.
fn of_document(stored: &Stored<'_>, name: &[u8], dialect: u8) -> Value {
    let text = match stored {
        Stored::Hash(hash) => hash.get(name).map(<[u8]>::to_vec),
        _ => stored.root().and_then(|root| text_at(root, name, dialect > 2)),
    };
    text.map_or(Value::Null, Value::Text)
}

/// All fields of a document.
fn everything(stored: &Stored<'_>) -> Vec<(Vec<u8>, Value)> {
    match stored {
        Stored::Hash(hash) => {
            hash.iter().map(|(name, text)| (name.to_vec(), Value::Text(text.to_vec()))).collect()
        }
        _ => {
            let text = stored.text().map(|text| (b"$".to_vec(), Value::Text(text)));
            text.into_iter().collect()
        }
    }
}

/// Answers rows: a list with the number of matches before them, or a map.
pub(super) fn put_rows(out: &mut RespWriter<'_>, total: usize, rows: &[Vec<(Vec<u8>, Value)>]) {
    match out.protocol() {
        Protocol::Resp2 => {
            out.array(1 + rows.len());
            out.count(total);
            for row in rows {
                out.array(2 * row.len());
                put_pairs(out, row);
            }
        }
        Protocol::Resp3 => {
            reply::begin_map(out, total, rows.len());
            for row in rows {
                out.map(2);
                out.bulk(b"extra_attributes");
                out.map(row.len());
                put_pairs(out, row);
                out.bulk(b"values");
                out.array(0);
            }
        }
    }
}

fn put_pairs(out: &mut RespWriter<'_>, row: &[(Vec<u8>, Value)]) {
    for (name, value) in row {
        out.bulk(name);
        put_value(out, value);
    }
}

fn put_value(out: &mut RespWriter<'_>, value: &Value) {
    match value {
        Value::Null => out.null(),
        Value::Number(number) => out.bulk(number::print(*number).as_bytes()),
        Value::Text(text) => out.bulk(text),
        Value::List(list) => {
            out.array(list.len());
            list.iter().for_each(|value| put_value(out, value));
        }
    }
}
