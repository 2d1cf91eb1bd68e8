//! Resolves the names of an aggregation's steps to columns.
//!
//! A column is a property that is loaded, or what a step makes; each name has one. They are in the
//! order in which they are first mentioned, in which clients see them.

use std::mem;

use super::group::Groups;
use super::sort::{Key, Sorter};
use super::{Origin, Pipeline, Property, Stage};
use crate::arguments::text;
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::query::Parameters;
use crate::request::{Aggregate, Limit, Load, Reduce, Returned, SortKey, Step};
use crate::schema::Definition;

/// Rows that `SORTBY` keeps if neither `MAX` nor `LIMIT` says how many.
const DEFAULT_SORTED: usize = 10;

/// Columns by name.
type Places = hashbrown::HashMap<Vec<u8>, usize, foldhash::fast::RandomState>;

struct Compiler<'a> {
    definition: &'a Definition,
    extra: &'a [&'a [u8]],
    parameters: &'a Parameters,
    loads_all: bool,
    seed: u64,
    properties: Vec<Property>,
    /// The column of each property.
    property_places: Vec<usize>,
    names: Vec<Vec<u8>>,
    places: Places,
    /// Columns before the first `GROUPBY`, after which nothing can be loaded.
    width: Option<usize>,
    stages: Vec<Stage>,
    needs_matched_terms: bool,
}

impl Pipeline {
    /// Compiles the steps of an aggregation. `extra` are the names of what rows have beside
    /// attributes (`__key`, `__score`, distances); `seed` is of `RANDOM_SAMPLE`.
    ///
    /// # Errors
    /// A name that there is not, an expression that cannot be read.
    pub fn compile(
        aggregate: &Aggregate,
        definition: &Definition,
        extra: &[&[u8]],
        seed: u64,
    ) -> Result<Self> {
        let loads_all = aggregate.load == Load::All;
        let mut compiler = Compiler {
            definition,
            extra,
            parameters: &aggregate.options.parameters,
            loads_all,
            seed,
            properties: Vec::new(),
            property_places: Vec::new(),
            names: Vec::new(),
            places: Places::default(),
            width: None,
            stages: Vec::new(),
            needs_matched_terms: false,
        };
        if aggregate.add_scores {
            compiler.resolve(b"__score")?;
        }
        if let Load::These(list) = &aggregate.load {
            list.iter().for_each(|loaded| compiler.load(loaded));
        }
        compiler.steps(&aggregate.steps)?;
        let width = compiler.width.unwrap_or(compiler.names.len());
        let in_order = compiler.property_places.iter().copied().eq(0..compiler.properties.len());
        Ok(Self {
            properties: compiler.properties,
            places: (!in_order).then_some(compiler.property_places),
            width,
            stages: compiler.stages,
            names: compiler.names,
            needs_matched_terms: compiler.needs_matched_terms,
            loads_all,
            ready: Vec::new(),
            ready_size: 0,
        })
    }
}

impl Compiler<'_> {
    /// The column of this name, which is there or is made.
    fn column(&mut self, name: &[u8]) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len();
        self.names.push(name.to_vec());
        self.places.insert(name.to_vec(), place);
        place
    }

    fn add(&mut self, name: &[u8], origin: Origin) -> usize {
        let place = self.column(name);
        self.properties.push(Property { name: name.to_vec(), origin });
        self.property_places.push(place);
        place
    }

    /// Where a name that is no column yet comes from.
    fn origin(&self, name: &[u8]) -> Option<Origin> {
        if let Some(id) = self.definition.attribute(name) {
            return Some(Origin::Attribute(id));
        }
        self.extra.iter().position(|extra| *extra == name).map(Origin::Extra)
    }

    fn load(&mut self, loaded: &Returned) {
        if self.places.contains_key(&loaded.name) {
            return;
        }
        let field = || Origin::Field(loaded.identifier.clone());
        let origin = self.origin(&loaded.identifier).unwrap_or_else(field);
        self.add(&loaded.name, origin);
    }

    /// The column that a step refers to.
    fn resolve(&mut self, name: &[u8]) -> Result<usize> {
        if let Some(place) = self.places.get(name) {
            return Ok(*place);
        }
        let origin = match self.width {
            Some(_) => None,
            None => {
                self.origin(name).or_else(|| self.loads_all.then(|| Origin::Field(name.to_vec())))
            }
        };
        let unknown = || {
            let name = text(name);
            Error::new(format!("Property `{name}` not loaded nor in schema"))
        };
        Ok(self.add(name, origin.ok_or_else(unknown)?))
    }

    fn expression(&mut self, text: &[u8]) -> Result<Expression> {
        let parameters = self.parameters;
        let expression = Expression::parse(text, parameters, &mut |name| self.resolve(name))?;
        self.needs_matched_terms |= expression.needs_matched_terms();
        Ok(expression)
    }

    fn steps(&mut self, steps: &[Step]) -> Result<()> {
        let mut steps = steps.iter().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Apply { expression, name } => {
                    let expression = self.expression(expression)?;
                    let place = self.column(name);
                    self.stages.push(Stage::Apply { expression, place });
                }
                Step::Filter(expression) => {
                    let expression = self.expression(expression)?;
                    self.stages.push(Stage::Filter(expression));
                }
                Step::Limit(limit) => {
                    // Side by side the two are one step, whichever comes first.
                    if let Some(Step::SortBy { keys, max: None }) = steps.peek() {
                        steps.next();
                        self.sort(keys, Some(end(limit)))?;
                    }
                    self.limit(*limit);
                }
                Step::SortBy { keys, max } => {
                    let limit = match steps.peek() {
                        Some(Step::Limit(limit)) => Some(end(limit)),
                        _ => None,
                    };
                    self.sort(keys, max.or(limit))?;
                }
                Step::GroupBy { properties, reducers } => self.group(properties, reducers)?,
            }
        }
        Ok(())
    }

    fn limit(&mut self, limit: Limit) {
        self.stages.push(Stage::Limit { limit, seen: 0 });
    }

    fn sort(&mut self, keys: &[SortKey], most: Option<usize>) -> Result<()> {
        let mut resolved = Vec::with_capacity(keys.len());
        for SortKey { name, descending } in keys {
            resolved.push(Key { place: self.resolve(name)?, descending: *descending });
        }
        let sorter = Sorter::new(resolved, most.unwrap_or(DEFAULT_SORTED));
        self.stages.push(Stage::Sort(sorter));
        Ok(())
    }

    fn group(&mut self, properties: &[Vec<u8>], reducers: &[Reduce]) -> Result<()> {
        let keys = properties.iter().map(|name| self.resolve(name)).collect::<Result<Vec<_>>>()?;
        let mut compiled = Vec::with_capacity(reducers.len());
        for reduce in reducers {
            let reducer =
                super::reduce::Reducer::compile(&reduce.reducer, &mut |name| self.resolve(name))?;
            compiled.push(reducer);
        }
        self.width.get_or_insert(self.names.len());
        mem::take(&mut self.names);
        mem::take(&mut self.places);
        // A name that occurs twice is one column, as for clients that make a dictionary of a row.
        let mut places = Vec::new();
        for name in properties.iter().chain(reducers.iter().map(|reduce| &reduce.name)) {
            places.push(self.column(name));
        }
        let groups = Groups::new(keys, compiled, places, self.names.len(), self.seed);
        self.stages.push(Stage::Group(groups));
        Ok(())
    }
}

fn end(limit: &Limit) -> usize {
    limit.offset.saturating_add(limit.count)
}
