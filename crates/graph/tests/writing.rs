//! What clauses that write do to a graph, and what they say that they did.

use std::sync::Arc;

use base::Versions;
use kvist_graph::procedure::Builtin;
use kvist_graph::query::{self, Answer, Error, NoInterrupt, Prepared, Settings, Statistics};
use kvist_graph::storage::{Entity, Graph};
use kvist_graph::temporal::Clock;
use kvist_graph::value::{Map, Value, text};

/// A graph to ask.
#[derive(Default)]
struct World {
    graph: Graph,
    versions: Arc<Versions>,
}

impl World {
    fn run(&mut self, text: &str) -> Result<Answer, Error> {
        let prepared = Prepared::compile(text, &Builtin)?;
        let (parameters, clock) = (Map::default(), Clock::default());
        let settings = Settings {
            parameters: &parameters,
            clock: &clock,
            seed: 1,
            memory: 64 << 20,
            interrupt: &NoInterrupt,
            profile: false,
        };
        if !prepared.writes() {
            return query::read(&self.graph.freeze(&self.versions), &prepared, &settings);
        }
        let mut fork = self.graph.fork(&self.versions);
        let answer = query::write(&mut fork, &prepared, &settings)?;
        let Ok((_, settled)) = self.graph.adopt(fork) else { panic!("nobody else writes") };
        drop(settled);
        Ok(answer)
    }

    fn does(&mut self, text: &str) -> Statistics {
        self.run(text).unwrap_or_else(|error| panic!("{text}: {error}")).statistics
    }

    /// The rows as texts.
    fn asks(&mut self, text: &str) -> Vec<String> {
        let answer = self.run(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let row = |row: query::Row<'_>| {
            let columns = (0..answer.columns.len()).map(|at| text::verbose(&row.value(at)));
            columns.collect::<Vec<_>>().join(" ")
        };
        answer.rows().map(row).collect()
    }

    /// The class and the detail of an error. The graph is what it was.
    fn fails(&mut self, text: &str) -> String {
        let before = self.image();
        let Err(error) = self.run(text) else { panic!("{text} is done") };
        assert_eq!(before, self.image(), "{text} leaves a trace");
        format!("{} {}", error.class.name(), error.detail)
    }

    fn image(&self) -> Vec<u8> {
        let mut image = Vec::new();
        (0..self.graph.image_parts()).for_each(|part| self.graph.put_image_part(part, &mut image));
        image
    }
}

#[test]
fn what_is_made_is_counted() {
    let mut world = World::default();
    let made = world.does("CREATE (:A:B {x: 1, y: null})-[:T {z: 2}]->(:A)");
    let expected = Statistics {
        labels_added: 2,
        nodes_created: 2,
        relationships_created: 1,
        properties_set: 2,
        ..Statistics::default()
    };
    assert_eq!(made, expected);
    let set = world.does("MATCH (a:B) SET a.x = 2, a.y = 3, a:C, a:A REMOVE a.nothing");
    let expected = Statistics {
        labels_added: 1,
        properties_set: 2,
        properties_removed: 1,
        ..Statistics::default()
    };
    assert_eq!(set, expected);
    let replaced = world.does("MATCH (a:B) SET a = {y: 3, w: 4} REMOVE a:A:C");
    let expected = Statistics {
        labels_removed: 2,
        properties_set: 2,
        properties_removed: 2,
        ..Statistics::default()
    };
    assert_eq!(replaced, expected);
    let deleted = world.does("MATCH (n) DETACH DELETE n");
    let expected =
        Statistics { nodes_deleted: 2, relationships_deleted: 1, ..Statistics::default() };
    assert_eq!(deleted, expected);
}

#[test]
fn a_row_sees_what_those_before_it_have_set() {
    let mut world = World::default();
    world.does("CREATE (:A {x: 0}), (:A {x: 10})");
    world.does("MATCH (a:A) UNWIND [1, 2, 3] AS i SET a.x = a.x + i");
    assert_eq!(world.asks("MATCH (a:A) RETURN a.x ORDER BY a.x"), ["6", "16"]);
    world.does("MATCH (a:A {x: 6}), (b:A {x: 16}) SET a.x = b.x, b.x = a.x");
    assert_eq!(world.asks("MATCH (a:A) RETURN a.x"), ["16", "16"]);
    world.does("MATCH (a:A) SET a += {y: 1, x: null} SET a.y = a.y + 1");
    assert_eq!(world.asks("MATCH (a:A) RETURN a.x, a.y"), ["NULL 2", "NULL 2"]);
}

#[test]
fn a_clause_sees_nothing_of_what_those_behind_it_make() {
    let mut world = World::default();
    world.does("CREATE (), ()");
    assert_eq!(world.does("MATCH (n) CREATE (m)").nodes_created, 2);
    assert_eq!(world.does("MATCH (n) CREATE (m) WITH m MATCH (x) CREATE (y)").nodes_created, 36);
    assert_eq!(
        world.asks("UNWIND range(1, 3) AS i CREATE (n) WITH n MATCH (m) RETURN count(*)"),
        ["129"]
    );
    // Many more than fit in a batch.
    let made = world.does("UNWIND range(1, 5000) AS i CREATE (:Many {i: i})");
    assert_eq!(made.nodes_created, 5000);
    assert_eq!(world.does("MATCH (n:Many) CREATE (:Many {i: -n.i})").nodes_created, 5000);
    assert_eq!(world.asks("MATCH (n:Many) RETURN count(n), sum(n.i)"), ["10000 0"]);
}

#[test]
fn merge_finds_what_rows_before_have_made() {
    let mut world = World::default();
    let merged = world.does("UNWIND [1, 2, 1, 2, 3] AS i MERGE (n:N {i: i})");
    assert_eq!(merged.nodes_created, 3);
    let merged = world.does(
        "UNWIND [1, 3, 4] AS i MERGE (n:N {i: i}) \
         ON CREATE SET n.made = true ON MATCH SET n.found = coalesce(n.found, 0) + 1",
    );
    assert_eq!((merged.nodes_created, merged.properties_set), (1, 4));
    assert_eq!(
        world.asks("MATCH (n:N) RETURN n.i, n.made, n.found ORDER BY n.i"),
        ["1 NULL 1", "2 NULL NULL", "3 NULL 1", "4 true NULL"]
    );
    let both = "MATCH (a:N {i: 1}), (b:N {i: 2}) MERGE (a)-[r:T]-(b) RETURN startNode(r).i";
    assert_eq!(world.asks(both), ["1"]);
    world.does("MATCH (a:N {i: 1}), (b:N {i: 2}) CREATE (b)-[:T]->(a)");
    assert_eq!(world.asks(&format!("{both} AS s ORDER BY s")), ["1", "2"]);
    assert_eq!(world.fails("MERGE (:N {i: null})"), "SemanticError MergeReadOwnWrites");
    assert_eq!(
        world.asks("MERGE p = (:X {i: 1})-[:U]->(y:Y) RETURN length(p), labels(y)"),
        ["1 [Y]"]
    );
}

#[test]
fn what_is_deleted_is_not_what_is_made_next() {
    let mut world = World::default();
    world.does("CREATE (:A {x: 1})-[:T]->(:B {x: 2})");
    // Ids that became free are used first: the new node must not be taken for the old one.
    let asked = "MATCH (a:A)-[r]->(b) DETACH DELETE a, b \
                 CREATE (c:C)-[:U]->(d:C) RETURN type(r), a = c, a = d, id(a) = id(c)";
    assert_eq!(world.asks(asked), ["T false false true"]);
    let deleted = "EntityNotFound DeletedEntityAccess";
    for asked in ["n.x", "labels(n)", "properties(n)", "keys(n)", "n:C", "[n][0].x", "n {.x}"] {
        let text = format!("MATCH (n:C) DETACH DELETE n CREATE (:C) RETURN {asked}");
        assert_eq!(world.fails(&text), deleted, "{asked}");
    }
    assert_eq!(world.fails("MATCH (n:C) DETACH DELETE n SET n.x = 1"), deleted);
    let created = world.fails("MATCH (n:C) DETACH DELETE n CREATE (n)-[:T]->()");
    assert!(created.starts_with("EntityNotFound"), "{created}");
}

#[test]
fn what_was_deleted_can_be_shown() {
    let mut world = World::default();
    world.does("CREATE (:A {x: 1})-[:T]->(:B)");
    let answer = world.run("MATCH (a:A)-[r]->() DETACH DELETE a RETURN a, r").unwrap();
    let row = answer.rows().next().unwrap();
    let (Value::Node(node), Value::Relationship(edge)) = (row.value(0), row.value(1)) else {
        panic!("other columns")
    };
    let node = answer.deleted(node).unwrap();
    assert_eq!((node.entity, &*node.names[0]), (Entity::Node(0), "A"));
    assert_eq!(node.properties.get("x"), Some(&Value::Integer(1)));
    let edge = answer.deleted(edge).unwrap();
    assert_eq!((&*edge.names[0], edge.ends), ("T", Some((0, 1))));
}

#[test]
fn subqueries_that_write_see_no_rows_of_their_own() {
    let mut world = World::default();
    world.does("CREATE (), ()");
    let asked = "MATCH (n) CALL { CREATE (:M) } MATCH (m:M) RETURN count(*)";
    assert_eq!(world.asks(asked), ["4"]);
    // What looks at the graph in a column sees all that was made, not a part of it.
    let asked = "UNWIND range(1, 3000) AS i CREATE (:X) RETURN COUNT { (x:X) } AS c";
    let counts = world.asks(asked);
    assert!(counts.iter().all(|count| count == "3000"), "{:?}", counts.first());
}

#[test]
fn nodes_with_relationships_are_deleted_with_them_or_not_at_all() {
    let mut world = World::default();
    world.does("CREATE (:A)-[:T]->(:B)<-[:T]-(:C)");
    let connected = "ConstraintVerificationFailed DeleteConnectedNode";
    assert_eq!(world.fails("MATCH (a:A) DELETE a"), connected);
    assert_eq!(world.fails("MATCH (a:A)-[r]->(b) DELETE a, b, r"), connected);
    // The relationship goes in a later clause.
    let deleted = world.does("MATCH (a:A)-[r]->() DELETE a DELETE r");
    assert_eq!((deleted.nodes_deleted, deleted.relationships_deleted), (1, 1));
    let deleted = world.does("MATCH p = (:B)--() DELETE p, p, null");
    assert_eq!((deleted.nodes_deleted, deleted.relationships_deleted), (2, 1));
    // A loop is one relationship.
    world.does("CREATE (a:L)-[:T]->(a)");
    let deleted = world.does("MATCH (a:L)--(b) DETACH DELETE a, b");
    assert_eq!((deleted.nodes_deleted, deleted.relationships_deleted), (1, 1));
    world.does("CREATE (:L)-[:T]->()");
    let again = "MATCH (a:L) DELETE a WITH 1 AS x MATCH (b:L) DETACH DELETE b CREATE (:New)";
    assert_eq!(world.does(again).nodes_deleted, 1);
    assert_eq!(world.asks("MATCH (n:New) RETURN count(n)"), ["1"]);
}

#[test]
fn a_failed_statement_leaves_no_trace() {
    let mut world = World::default();
    world.does("CREATE (:A {x: 1}), (:A {x: 'one'})");
    assert_eq!(
        world.fails("MATCH (a:A) CREATE (:New:Label {key: a.x}) SET a.y = a.x % 2"),
        "TypeError InvalidArgumentType"
    );
    assert_eq!(world.fails("MATCH (a:A) SET a.y = {b: 1}"), "TypeError InvalidPropertyType");
    assert_eq!(world.fails("CREATE (n) RETURN 1 / 0"), "ArithmeticError DivisionByZero");
}

#[test]
fn foreach_does_all_for_each() {
    let mut world = World::default();
    let made = world.does(
        "FOREACH (i IN [1, 2, 3] | CREATE (n:N {i: i}) SET n.j = i * 10 \
         FOREACH (k IN range(1, i) | CREATE (n)-[:HAS]->(:K {k: k})))",
    );
    assert_eq!((made.nodes_created, made.relationships_created), (9, 6));
    world.does("MATCH (n:N) WITH collect(n) AS all FOREACH (n IN all | SET n.sum = n.i + n.j)");
    assert_eq!(world.asks("MATCH (n:N) RETURN n.sum ORDER BY n.sum"), ["11", "22", "33"]);
    // Each element sees what those before it have made.
    world.does("FOREACH (i IN [1, 1, 2] | MERGE (m:M {i: i}) SET m.c = coalesce(m.c, 0) + 1)");
    assert_eq!(world.asks("MATCH (m:M) RETURN m.i, m.c ORDER BY m.i"), ["1 2", "2 1"]);
    assert_eq!(world.does("FOREACH (i IN null | CREATE ())").nodes_created, 0);
    assert_eq!(
        world.fails("WITH 1 AS x FOREACH (i IN [1] | SET x.y = 1)").split(' ').next(),
        Some("TypeError")
    );
}

#[test]
fn limits_stop_rows_and_no_writes() {
    let mut world = World::default();
    assert_eq!(
        world.does("UNWIND range(1, 3000) AS i CREATE (n) RETURN n LIMIT 0").nodes_created,
        3000
    );
    assert_eq!(
        world.does("UNWIND range(1, 3000) AS i CREATE (n) RETURN n LIMIT 1").nodes_created,
        3000
    );
    assert_eq!(world.does("MATCH (n) WITH n LIMIT 5 DELETE n").nodes_deleted, 5);
}

#[test]
fn procedures_tell_what_there_is() {
    let mut world = World::default();
    world.does("CREATE (:B)-[:T {k: 1}]->(:A {z: 1})");
    assert_eq!(world.asks("CALL db.labels()"), ["B", "A"]);
    assert_eq!(world.asks("CALL DB.LABELS() YIELD label RETURN count(label)"), ["2"]);
    assert_eq!(world.asks("CALL db.relationshipTypes"), ["T"]);
    let keys = "CALL db.propertyKeys() YIELD propertyKey AS key WHERE key > 'm' RETURN key";
    assert_eq!(world.asks(keys), ["z"]);
    assert_eq!(
        world.asks("CALL db.meta.stats() YIELD nodeCount, relCount, labels RETURN *"),
        ["{B: 1, A: 1} 2 1"]
    );
    let functions = world.asks("CALL dbms.functions() YIELD name RETURN name");
    for name in ["collect", "toUpper", "startNode", "date.truncate"] {
        assert!(functions.iter().any(|function| function == name), "{name}");
    }
    let described = "CALL dbms.functions() YIELD name, return_type, arguments, aggregation, \
                     variable_len WITH * WHERE name IN ['labels', 'count'] \
                     RETURN name, return_type, arguments, aggregation, variable_len";
    assert_eq!(
        world.asks(described),
        [
            "count Integer or Null [Map, Node, Edge, List, Path, Datetime, Date, Time, Duration, \
             String, Boolean, Integer, Float, Null, Point, or Vectorf32] true false",
            "labels List or Null [Node or Null] false false",
        ]
    );
    assert!(world.asks("CALL dbms.procedures()").contains(&"db.labels READ".to_owned()));
    assert_eq!(world.fails("CALL no.such()"), "ProcedureError ProcedureNotFound");
    let rows = "MATCH (n) CALL db.labels() YIELD label RETURN count(*)";
    assert_eq!(world.asks(rows), ["4"]);
    let value = |answer: Answer| answer.rows().next().map(|row| row.value(0));
    assert_eq!(world.run("CALL db.labels()").map(value), Ok(Some(Value::from("B"))));
}

/// What a statement adds to its fork counts as what it keeps.
#[test]
fn statements_that_make_too_much_are_refused() {
    let mut world = World::default();
    world.does("CREATE (:N {x: 1})");
    for text in [
        "UNWIND range(1, 2000000) AS i CREATE (:M {i: i})",
        "FOREACH (i IN range(1, 2000000) | CREATE (:M {i: i}))",
        "UNWIND range(1, 2000000) AS i MATCH (n:N) CREATE (n)-[:T {i: i}]->(n)",
        "MATCH (n:N) FOREACH (i IN range(1, 1000000) | CREATE (n)-[:T]->(:M {i: i}))",
        "MATCH (n:N) UNWIND range(1, 2000000) AS i SET n.x = i",
    ] {
        assert_eq!(world.fails(text), "OutOfMemory OutOfMemory", "{text}");
    }
}

/// Rows that look for a node all at once have what they have one after the other.
#[test]
fn rows_that_want_the_same_node_share_it() {
    let mut world = World::default();
    world.does("CREATE (:M {x: 1, c: 10}), (:M {x: 1}), (:M:B {x: 2, y: 1}), (:N {x: 3})");
    let rows = "UNWIND [1, 3, 3.0, '3', 2, 3, 1.0, 0.0/0.0, 0.0/0.0] AS x";
    let made = world.does(&format!(
        "{rows} MERGE (m:M {{x: x}}) ON CREATE SET m.c = 0 ON MATCH SET m.c = m.c + 1"
    ));
    assert_eq!((made.nodes_created, made.properties_set), (4, 12));
    assert_eq!(
        world.asks("MATCH (m:M) RETURN m.x, m.c ORDER BY toString(m.x), m.c"),
        ["1 12", "1 NULL", "2 NULL", "3 0", "3 2", "-nan 0", "-nan 0"]
    );
    // What a row sets may be what another looks for: one after the other.
    world.does("UNWIND [7, 8, 8] AS x MERGE (o:O {x: x}) ON CREATE SET o.x = 8");
    assert_eq!(world.asks("MATCH (o:O) RETURN o.x"), ["8"]);
    world.does(
        "UNWIND [1, 2, 2] AS x MERGE (p:P {x: x}) ON MATCH SET p:Q ON CREATE SET p += {y: x}",
    );
    assert_eq!(world.asks("MATCH (p:P) RETURN p.x, p.y, p:Q"), ["1 1 false", "2 2 true"]);
    // Two properties, and rows that go on with what they have.
    assert_eq!(
        world.asks("UNWIND [1, 2, 1] AS y MERGE (b:B {x: 2, y: y}) RETURN y, b.x, b:M"),
        ["1 2 true", "2 2 false", "1 2 true"]
    );
    assert_eq!(
        world.fails("UNWIND [1, null] AS x MERGE (:M {x: x})"),
        "SemanticError MergeReadOwnWrites"
    );
    world.does("MATCH (m:M) MERGE (:One)");
    assert_eq!(world.asks("MATCH (o:One) RETURN count(o)"), ["1"]);
}

/// A `MERGE` goes through the nodes once, not once for each row, and looks for a relationship
/// from the side that has fewer.
#[test]
fn merge_takes_time_in_proportion_to_its_rows() {
    let mut world = World::default();
    for _ in 0..2 {
        world.does("UNWIND range(1, 30000) AS i MERGE (m:M {x: i})");
    }
    assert_eq!(world.asks("MATCH (m:M) RETURN count(m)"), ["30000"]);
    world.does("CREATE (:Hub)");
    for _ in 0..2 {
        world.does("MATCH (h:Hub), (m:M) WHERE m.x <= 10000 MERGE (h)-[:T]->(m)");
    }
    assert_eq!(world.asks("MATCH (:Hub)-[t:T]->() RETURN count(t)"), ["10000"]);
}
