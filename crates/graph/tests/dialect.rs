//! What the compatibility kit has no queries for: FalkorDB's own forms, newer forms, the header,
//! and how errors are told.

use std::sync::Arc;

use kvist_graph::cypher::ast::{Body, IndexKind, IndexTarget};
use kvist_graph::cypher::{
    Class, Environment, NoProcedures, Procedure, ProcedureBody, Progress, Type, check, header,
    parse, statement,
};

/// How a query is printed, once it is known to make sense.
fn printed(query: &str) -> String {
    let statement = parse(query).unwrap_or_else(|error| panic!("{}", error.with_caret(query)));
    check(&statement, &Labels).unwrap_or_else(|error| panic!("{}", error.with_caret(query)));
    statement.to_string()
}

/// The class and the reply with which a query is refused.
fn refused(query: &str) -> (Class, String) {
    let checked = parse(query).and_then(|statement| check(&statement, &Labels));
    let Err(error) = checked else { panic!("{query} is accepted") };
    (error.class, error.reply(query))
}

/// One procedure.
struct Labels;

impl Environment for Labels {
    fn procedure(&self, name: &str) -> Option<Procedure> {
        let columns = vec![(Arc::from("label"), Type::STRING)];
        let is = name.eq_ignore_ascii_case("db.labels");
        let body = ProcedureBody::new(|_, _| Ok(Vec::new()));
        is.then_some(Procedure { arguments: Vec::new(), columns, writes: false, body })
    }

    fn has_function(&self, name: &str) -> bool {
        name == "my.own"
    }
}

#[test]
fn forms_that_the_kit_lacks() {
    for (query, expected) in [
        ("match (n:A|B&!C) return n", "MATCH (n:A|B&!C) RETURN n"),
        ("MATCH (n:A:B), (m:(A|B)&%) RETURN *", "MATCH (n:A&B), (m:(A|B)&%) RETURN *"),
        ("MATCH ()-[r:A|:B*..3 {x:1}]-() RETURN r", "MATCH ()-[r:A|B*..3 {x: 1}]-() RETURN r"),
        (
            "MATCH (n WHERE n.x>1)-[r WHERE r.y]->() RETURN n.x",
            "MATCH (n WHERE n.x > 1)-[r WHERE r.y]->() RETURN n.x",
        ),
        (
            "MATCH (a),(b) WITH shortestPath((a)-[*]->(b)) AS p RETURN p",
            "MATCH (a), (b) WITH shortestPath((a)-[*]->(b)) AS p RETURN p",
        ),
        (
            "UNWIND [1] AS x CALL { WITH x RETURN x AS y } RETURN y",
            "UNWIND [1] AS x CALL { WITH x RETURN x AS y } RETURN y",
        ),
        (
            "WITH 1 AS x CALL (x) { RETURN x AS y } RETURN y",
            "WITH 1 AS x CALL (x) { RETURN x AS y } RETURN y",
        ),
        (
            "FOREACH(i IN [1] | CREATE (:Q{i:i}) FOREACH(j IN [i] | MERGE (:R{j:j})))",
            "FOREACH (i IN [1] | CREATE (:Q {i: i}) FOREACH (j IN [i] | MERGE (:R {j: j})))",
        ),
        (
            "LOAD CSV WITH HEADERS FROM 'a' AS r FIELDTERMINATOR ';' RETURN r.x",
            "LOAD CSV WITH HEADERS FROM 'a' AS r FIELDTERMINATOR ';' RETURN r.x",
        ),
        ("CALL db.labels", "CALL db.labels"),
        (
            "CALL db.labels() YIELD label AS l WHERE l > '' RETURN l",
            "CALL db.labels() YIELD label AS l WHERE l > '' RETURN l",
        ),
        (
            "MATCH (n) WHERE EXISTS { (n)-->(m) WHERE m.x } RETURN count{(n)} AS c",
            "MATCH (n) WHERE EXISTS { MATCH (n)-->(m) WHERE m.x } RETURN COUNT { MATCH (n) } AS c",
        ),
        (
            "RETURN COLLECT { UNWIND [1] AS x RETURN x } AS c",
            "RETURN COLLECT { UNWIND [1] AS x RETURN x } AS c",
        ),
        ("RETURN 'a' =~ 'b.*' AS m, my.own(1) AS o", "RETURN 'a' =~ 'b.*' AS m, my.own(1) AS o"),
        ("RETURN filter(x IN [1] WHERE x>0) AS f", "RETURN [x IN [1] WHERE x > 0] AS f"),
        ("RETURN 1+1", "RETURN 1 + 1 AS `1+1`"),
        (
            "WITH {a: 1} AS m RETURN m {.a, .*, b: 2} AS p;",
            "WITH {a: 1} AS m RETURN m {.a, .*, b: 2} AS p",
        ),
        (
            "RETURN -(5) AS a, -9223372036854775808 AS b, - -1 AS c",
            "RETURN -(5) AS a, -9223372036854775808 AS b, --1 AS c",
        ),
        (
            "RETURN 1 < 2 <= 3 AS a, (1 < 2) = true AS b",
            "RETURN 1 < 2 <= 3 AS a, (1 < 2) = true AS b",
        ),
        (
            "WITH [1] AS x, 1 AS y RETURN [(y) IN x] AS a, [y = (1)] AS b",
            "WITH [1] AS x, 1 AS y RETURN [(y IN x)] AS a, [(y = 1)] AS b",
        ),
        (
            "MATCH (a) SET a.x = 1, a += {y: 2}, a = $p, a:B:C REMOVE a.x, a:B DETACH DELETE a",
            "MATCH (a) SET a.x = 1, a += {y: 2}, a = $p, a:B:C REMOVE a.x, a:B DETACH DELETE a",
        ),
        ("RETURN 1 AS `a``b`, 2 AS `match`", "RETURN 1 AS `a``b`, 2 AS `match`"),
        ("RETURN 'a\\'\\u0041\\uD83D\\uDE00\\d' AS s", "RETURN 'a\\'A😀\\\\d' AS s"),
    ] {
        assert_eq!(printed(query), expected);
        assert_eq!(printed(expected), expected);
    }
}

#[test]
fn commands_about_indexes() {
    let command = |query: &str| match parse(query).map(|statement| statement.body) {
        Ok(Body::Index(command)) => command,
        other => panic!("{query} is {other:?}"),
    };
    let old = command("CREATE INDEX ON :L(a, b)");
    assert_eq!(old, command("CREATE INDEX FOR (n:L) ON (n.a, n.b)"));
    assert!(!old.drop && old.kind == IndexKind::Range && old.properties.len() == 2);
    let edge = command("DROP FULLTEXT INDEX FOR ()-[r:T]->() ON (r.a)");
    assert!(edge.drop && edge.kind == IndexKind::Fulltext);
    assert_eq!(edge.target, IndexTarget::Relationship);
    let vector = command("CREATE VECTOR INDEX FOR (n:L) ON (n.v) OPTIONS {dimension: 3}");
    assert_eq!(vector.options.map(|options| options.len()), Some(1));
    assert_eq!(refused("CREATE INDEX FOR (n:L) ON (m.a)").0, Class::UndefinedVariable);
    let (_, told) = refused("CREATE CONSTRAINT ON (n:L) ASSERT n.p IS UNIQUE");
    assert_eq!(told, "Invalid constraint command use the GRAPH.CONSTRAINT command instead");
}

#[test]
fn the_header_is_read_alone() {
    let text = "CYPHER a=-1 `b c`={x:[1, 'RETURN']} set=2 RETURN $a, $`b c`, $set";
    let all = &Progress::within(usize::MAX);
    let header = header(text, all).expect("a header");
    let names: Vec<&str> = header.parameters.iter().map(|one| &*one.name.text).collect();
    assert_eq!(names, ["a", "b c", "set"]);
    let body = &text[header.body as usize..];
    assert!(body.starts_with("RETURN $a"));
    // The same query with other values has the same text behind the header, and the same tree.
    assert_eq!(statement(text, header.body, all), statement(body, 0, all));
    assert_eq!(parse("CYPHER RETURN 1").map(|statement| statement.parameters.len()), Ok(0));
    assert_eq!(refused("CYPHER a=b RETURN $a").0, Class::NonConstantExpression);
    assert_eq!(refused("CYPHER a= RETURN $a").0, Class::UnexpectedSyntax);
}

#[test]
fn places_of_errors() {
    let text = "RETURN 1 AS å,\n  2 AS b c";
    let error = parse(text).expect_err("two names");
    let location = error.location(text);
    assert_eq!((location.line, location.column, error.offset), (2, 10, 25));
    assert!(
        error.with_caret(text).ends_with("  2 AS b c\n         ^"),
        "{}",
        error.with_caret(text)
    );
    let (_, told) = refused("MATCH (n RETURN n");
    let expected = "errMsg: Invalid input 'R': expected a label, '{', a parameter or ')' line: 1, \
                    column: 10, offset: 9 errCtx: MATCH (n RETURN n errCtxOffset: 9";
    assert_eq!(told, expected);
    let long = format!("RETURN '{}' + ) + '{}'", "å".repeat(1000), "b".repeat(1000));
    assert!(refused(&long).1.len() < 800, "only a part of a long line is shown");
}

#[test]
fn errors_in_words_that_clients_know() {
    for (query, class, told) in [
        ("RETURN foo", Class::UndefinedVariable, "'foo' not defined"),
        ("RETURN foo(1)", Class::UnknownFunction, "Unknown function 'foo'"),
        (
            "RETURN toUpper()",
            Class::InvalidNumberOfArguments,
            "Received 0 arguments to function 'toupper', expected at least 1",
        ),
        (
            "MATCH (n) CREATE (n)",
            Class::VariableAlreadyBound,
            "The bound variable 'n' can't be redeclared in a CREATE clause",
        ),
        (
            "MATCH (n)-[n]->() RETURN n",
            Class::VariableTypeConflict,
            "The alias 'n' was specified for both a node and a relationship.",
        ),
        (
            "MATCH (n)",
            Class::InvalidClauseComposition,
            "Query cannot conclude with MATCH (must be a RETURN clause, an update clause, a \
             procedure call or a non-returning subquery)",
        ),
        (
            "RETURN 1 RETURN 2",
            Class::InvalidClauseComposition,
            "Unexpected clause following RETURN",
        ),
        (
            "RETURN 1 AND true",
            Class::InvalidArgumentType,
            "Type mismatch: expected Boolean or Null but was Integer",
        ),
        (
            "RETURN 9223372036854775808",
            Class::IntegerOverflow,
            "Integer overflow '9223372036854775808'",
        ),
        (
            "RETURN 1; RETURN 2",
            Class::InvalidClauseComposition,
            "Error: query with more than one statement is not supported.",
        ),
        ("CALL foo.bar()", Class::ProcedureNotFound, "Procedure `foo.bar` is not registered"),
        (
            "CALL db.labels(1)",
            Class::InvalidNumberOfArguments,
            "Procedure `db.labels` requires 0 arguments, got 1",
        ),
        (
            "CALL db.labels() YIELD foo RETURN foo",
            Class::UndefinedVariable,
            "Procedure `db.labels` does not yield output `foo`",
        ),
        (
            "UNWIND [1] AS x CALL { RETURN x AS y } RETURN y",
            Class::UndefinedVariable,
            "'x' not defined",
        ),
        (
            "WITH 1 AS x CALL (x) { RETURN 1 AS x } RETURN x",
            Class::VariableAlreadyBound,
            "Variable `x` already declared in outer scope",
        ),
        ("FOREACH (i IN [1] | CREATE ()) RETURN i", Class::UndefinedVariable, "'i' not defined"),
        (
            "FOREACH (i IN [1] | RETURN i)",
            Class::InvalidClauseComposition,
            "FOREACH can only have clauses that change the graph",
        ),
        (
            "RETURN EXISTS { CALL { CREATE () } RETURN 1 } AS e",
            Class::InvalidClauseComposition,
            "A subquery in an expression cannot change the graph",
        ),
        (
            "MATCH (a) WITH a.x AS x, count(*) AS c ORDER BY count(a) RETURN x",
            Class::UndefinedVariable,
            "'a' not defined",
        ),
        (
            "MATCH (a) WITH DISTINCT a.x AS x WHERE EXISTS { (b) WHERE b.x = a.x } RETURN x",
            Class::UndefinedVariable,
            "'a' not defined",
        ),
        (
            "MATCH (a) WITH DISTINCT a.x AS x WHERE (a)-->() RETURN x",
            Class::UndefinedVariable,
            "'a' not defined",
        ),
        ("CREATE (n:A|B)", Class::UnexpectedSyntax, ""),
        ("", Class::UnexpectedSyntax, ""),
        ("RETURN 'abc", Class::UnexpectedSyntax, ""),
        ("RETURN 1 /* c", Class::UnexpectedSyntax, ""),
    ] {
        let (found, said) = refused(query);
        assert_eq!(found, class, "{query}: {said}");
        assert!(told.is_empty() || said == told, "{query}: {said}");
    }
}

#[test]
fn facts_of_statements() {
    let facts = |query: &str| check(&parse(query).expect("a query"), &NoProcedures).expect("sense");
    let columns = facts("MATCH (b)-[a]-() RETURN *, 1+1").columns;
    assert_eq!(columns.iter().map(|name| &**name).collect::<Vec<_>>(), ["a", "b", "1+1"]);
    assert!(!facts("MATCH (n) RETURN n").writes);
    for query in [
        "CREATE ()",
        "MATCH (n) SET n.x = 1 RETURN n",
        "CALL { CREATE () } RETURN 1 AS x",
        "CREATE INDEX ON :L(p)",
        "UNWIND [1] AS x FOREACH (i IN [x] | MERGE ())",
    ] {
        assert!(facts(query).writes, "{query}");
    }
}
