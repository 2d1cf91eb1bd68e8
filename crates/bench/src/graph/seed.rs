//! The graph that is measured: persons with four properties, and two types of relationships.
//!
//! ```text
//!   (:Person {id: i, name: 'Person_i', age: i % 100, score: i % 1000 / 10})     an index on id
//!   (i)-[:KNOWS {weight: i % 100 / 100}]->((7 i + 13) % n)
//!   (i)-[:FOLLOWS {since: 2000 + i % 25}]->((31 i + 97) % n)
//! ```
//!
//! With a scale of 1 there are two million persons and as many relationships of each type, as in
//! pyrsedis's report. Everything is made from numbers by the statements themselves, so that
//! loading measures the server.

/// Persons at a scale of 1.
const PERSONS: f64 = 2_000_000.0;

/// How many persons one statement makes, or follows.
pub(super) const BATCH: u64 = 50_000;

/// The graph at some scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    /// How many persons there are.
    pub persons: u64,
}

/// A query whose rows are read by the million, and how many of them there must be.
pub(super) struct Large {
    pub name: &'static str,
    pub statement: String,
    pub rows: u64,
}

impl Seed {
    /// The graph of a scale; never smaller than what the queries tell apart.
    pub fn new(scale: f64) -> Seed {
        let persons = (PERSONS * scale).clamp(1000.0, 100.0 * PERSONS);
        // Bounded, and whole hundreds: all ages are equally frequent.
        Seed { persons: persons as u64 / 100 * 100 }
    }

    /// The id of a person, another one for each number.
    pub fn drawn(self, number: u64) -> u64 {
        number.wrapping_mul(7919) % (self.persons - 100)
    }

    /// What makes the index.
    pub fn index() -> &'static str {
        "CREATE INDEX FOR (p:Person) ON (p.id)"
    }

    /// What makes the persons, a batch to a statement.
    pub fn nodes(self) -> Vec<String> {
        let make = |(first, last)| {
            format!(
                "UNWIND range({first}, {last}) AS i CREATE (:Person {{id: i, name: 'Person_' + \
                 toString(i), age: i % 100, score: toFloat(i % 1000) / 10}})"
            )
        };
        self.batches().map(make).collect()
    }

    /// What makes relationships of a type, a batch to a statement.
    ///
    /// A range of persons is found by the index, and for each the other end: looking both up by
    /// what `UNWIND` gives takes FalkorDB twenty times as long.
    pub fn edges(self, (kind, properties, times, plus): (&str, &str, u64, u64)) -> Vec<String> {
        let persons = self.persons;
        let make = |(first, last)| {
            format!(
                "MATCH (a:Person) WHERE a.id >= {first} AND a.id <= {last} \
                 MATCH (b:Person {{id: ({times} * a.id + {plus}) % {persons}}}) \
                 CREATE (a)-[:{kind} {{{properties}}}]->(b)"
            )
        };
        self.batches().map(make).collect()
    }

    /// What makes the relationships of type `KNOWS`.
    pub fn knows(self) -> Vec<String> {
        self.edges(("KNOWS", "weight: toFloat(a.id % 100) / 100", 7, 13))
    }

    /// What makes the relationships of type `FOLLOWS`.
    pub fn follows(self) -> Vec<String> {
        self.edges(("FOLLOWS", "since: 2000 + a.id % 25", 31, 97))
    }

    fn batches(self) -> impl Iterator<Item = (u64, u64)> {
        let persons = self.persons;
        let ranges = (0..persons).step_by(usize::try_from(BATCH).unwrap_or(1));
        ranges.map(move |first| (first, (first + BATCH).min(persons) - 1))
    }

    /// The queries of pyrsedis's report, with the limits that it names.
    pub fn queries(self) -> Vec<Large> {
        const NODES: &str = "MATCH (p:Person) RETURN p.id, p.name, p.age, p.score";
        const EDGES: &str = "MATCH (a:Person)-[r:KNOWS]->(b:Person) RETURN";
        let persons = self.persons;
        let limited = |name, statement: String, limit: u64| Large {
            name,
            statement: format!("{statement} LIMIT {limit}"),
            rows: limit.min(persons),
        };
        let whole = |name, statement: String, rows| Large { name, statement, rows };
        vec![
            limited("10,000 nodes, 4 properties", NODES.to_owned(), 10_000),
            limited("100,000 nodes, 4 properties", NODES.to_owned(), 100_000),
            limited("500,000 nodes, 4 properties", NODES.to_owned(), 500_000),
            whole("all nodes, 4 properties", NODES.to_owned(), persons),
            limited(
                "100,000 edges, 3 columns",
                format!("{EDGES} a.name, b.name, r.weight"),
                100_000,
            ),
            whole("all KNOWS, 2 columns", format!("{EDGES} a.id, b.id"), persons),
            limited(
                "100,000 rows over 2 hops",
                "MATCH (a:Person)-[:KNOWS]->(b:Person)-[:FOLLOWS]->(c:Person) \
                 RETURN a.id, b.id, c.id"
                    .to_owned(),
                100_000,
            ),
            whole(
                "GROUP BY age",
                "MATCH (p:Person) RETURN p.age, count(*), avg(p.score)".to_owned(),
                100,
            ),
            limited("100,000 whole nodes", "MATCH (p:Person) RETURN p".to_owned(), 100_000),
            limited("100,000 whole edges", format!("{EDGES} r"), 100_000),
        ]
    }
}
