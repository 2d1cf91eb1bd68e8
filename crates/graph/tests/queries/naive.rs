//! Random patterns on random small graphs, against all ways to try: each node of the graph for each
//! node of the pattern, each relationship for each relationship.

use std::fmt::Write as _;

use base::Rng;
use kvist_graph::storage::Graph;
use testkit::seed;

use super::{run, sorted};

/// A relationship of the graph.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [usize; 2],
    kind: usize,
    x: i64,
}

/// A graph as lists.
#[derive(Debug, Default)]
struct Lists {
    /// Of each node its label, and its property.
    nodes: Vec<(usize, i64)>,
    edges: Vec<Edge>,
}

/// A node of a pattern: a variable by number, the label and the property that it is to have.
#[derive(Clone, Debug)]
struct Node {
    variable: usize,
    label: Option<usize>,
    x: Option<i64>,
}

/// A relationship of a pattern, with the node that it leads to.
#[derive(Clone, Debug)]
struct Step {
    /// Out, in, or either.
    way: usize,
    kinds: Vec<usize>,
    length: Option<(usize, usize)>,
    x: Option<i64>,
    to: Node,
}

/// A `MATCH`, or what follows a comma in one.
#[derive(Clone, Debug)]
struct Path {
    start: Node,
    steps: Vec<Step>,
    /// Whether it begins a clause: `MATCH`, or `OPTIONAL MATCH`.
    begins: bool,
    optional: bool,
    /// Which two variables are to be in order by their properties.
    condition: Option<[usize; 2]>,
}

/// Variables that several nodes may share; beyond these each is alone.
const NAMED: usize = 4;
const LABELS: [&str; 2] = ["A", "B"];
const TYPES: [&str; 2] = ["T", "U"];

/// A match: what each variable is, and the relationships of each step.
type Row = (Vec<Option<usize>>, Vec<Option<Vec<usize>>>);

fn draw_lists(rng: &mut Rng) -> Lists {
    let nodes = (0..1 + rng.below(5)).map(|_| (rng.below(2), rng.below(3) as i64)).collect();
    let mut lists = Lists { nodes, edges: Vec::new() };
    let count = lists.nodes.len();
    for _ in 0..rng.below(9) {
        let ends = [rng.below(count), rng.below(count)];
        lists.edges.push(Edge { ends, kind: rng.below(2), x: rng.below(2) as i64 });
    }
    lists
}

fn made_of(lists: &Lists) -> Graph {
    let mut text = String::from("CREATE ");
    for (place, (label, x)) in lists.nodes.iter().enumerate() {
        write!(text, "(n{place}:{} {{x: {x}}}), ", LABELS[*label]).unwrap();
    }
    for edge in &lists.edges {
        let ([from, to], kind) = (edge.ends, TYPES[edge.kind]);
        write!(text, "(n{from})-[:{kind} {{x: {}}}]->(n{to}), ", edge.x).unwrap();
    }
    super::graph(text.trim_end_matches(", "))
}

fn sometimes<T>(rng: &mut Rng, one_in: usize, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    if rng.below(one_in) == 0 { Some(value(rng)) } else { None }
}

fn draw_node(rng: &mut Rng, next: &mut usize) -> Node {
    let named = rng.below(3) > 0;
    let variable = if named { rng.below(NAMED) } else { *next };
    *next += usize::from(!named);
    let label = sometimes(rng, 4, |rng| rng.below(2));
    Node { variable, label, x: sometimes(rng, 6, |rng| rng.below(3) as i64) }
}

fn draw_step(rng: &mut Rng, next: &mut usize) -> Step {
    let kinds = match rng.below(4) {
        0 => vec![0],
        1 => vec![1],
        2 => vec![0, 1],
        _ => Vec::new(),
    };
    let length = sometimes(rng, 4, |rng| {
        let min = rng.below(3);
        (min, if rng.below(3) == 0 { usize::MAX } else { min + rng.below(3) })
    });
    let x = sometimes(rng, 6, |rng| rng.below(2) as i64);
    Step { way: rng.below(3), kinds, length, x, to: draw_node(rng, next) }
}

fn draw_paths(rng: &mut Rng) -> Vec<Path> {
    let mut next = NAMED;
    let mut seen: Vec<usize> = Vec::new();
    let mut paths = Vec::new();
    for place in 0..1 + rng.below(3) {
        let start = draw_node(rng, &mut next);
        let steps: Vec<Step> = (0..rng.below(3)).map(|_| draw_step(rng, &mut next)).collect();
        let begins = place == 0 || rng.below(2) == 0;
        let optional = begins && rng.below(4) == 0;
        let nodes = std::iter::once(&start).chain(steps.iter().map(|step| &step.to));
        seen.extend(nodes.map(|node| node.variable).filter(|&variable| variable < NAMED));
        let condition = match seen.len() {
            0 => None,
            count => sometimes(rng, 3, |rng| [seen[rng.below(count)], seen[rng.below(count)]]),
        };
        paths.push(Path { start, steps, begins, optional, condition });
    }
    paths
}

fn write_node(node: &Node, text: &mut String) {
    text.push('(');
    if node.variable < NAMED {
        write!(text, "v{}", node.variable).unwrap();
    }
    node.label.iter().for_each(|&label| write!(text, ":{}", LABELS[label]).unwrap());
    node.x.iter().for_each(|x| write!(text, " {{x: {x}}}").unwrap());
    text.push(')');
}

fn write_step(step: &Step, number: usize, text: &mut String) {
    text.push_str(if step.way == 1 { "<-" } else { "-" });
    let kinds: Vec<&str> = step.kinds.iter().map(|&kind| TYPES[kind]).collect();
    write!(text, "[r{number}{}{}", if kinds.is_empty() { "" } else { ":" }, kinds.join("|"))
        .unwrap();
    match step.length {
        Some((min, usize::MAX)) => write!(text, "*{min}..").unwrap(),
        Some((min, max)) => write!(text, "*{min}..{max}").unwrap(),
        None => {}
    }
    step.x.iter().for_each(|x| write!(text, " {{x: {x}}}").unwrap());
    text.push_str(if step.way == 0 { "]->" } else { "]-" });
    write_node(&step.to, text);
}

/// The query, and how many named variables and steps it has.
fn text_of(paths: &[Path]) -> String {
    let (mut text, mut steps, mut named) = (String::new(), Vec::new(), Vec::new());
    for (place, path) in paths.iter().enumerate() {
        let keyword = if path.optional { " OPTIONAL MATCH " } else { " MATCH " };
        text.push_str(if path.begins { keyword } else { ", " });
        write_node(&path.start, &mut text);
        for step in &path.steps {
            write_step(step, steps.len(), &mut text);
            steps.push(step.length.is_some());
        }
        let nodes = std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.to));
        named.extend(nodes.map(|node| node.variable).filter(|&variable| variable < NAMED));
        // A WHERE ends its clause.
        if paths.get(place + 1).is_none_or(|next| next.begins)
            && let Some([one, other]) = path.condition
        {
            write!(text, " WHERE v{one}.x <= v{other}.x").unwrap();
        }
    }
    named.sort_unstable();
    named.dedup();
    let nodes = named.iter().map(|variable| format!("v{variable}.n"));
    let edges = steps.iter().enumerate().map(|(number, several)| match several {
        true => format!("[e IN r{number} | e.n]"),
        false => format!("CASE WHEN r{number} IS NOT NULL THEN [r{number}.n] END"),
    });
    let columns: Vec<String> = nodes.chain(edges).collect();
    format!("{text} RETURN {}", if columns.is_empty() { "1".into() } else { columns.join(", ") })
}

/// Tries everything.
struct Naive<'a> {
    lists: &'a Lists,
    found: Vec<Row>,
    /// How many more steps are tried.
    left: usize,
}

/// How much is tried for a query: what would take more is passed over.
const TRIES: usize = 20_000;

impl Naive<'_> {
    fn fits(&self, node: &Node, at: usize, row: &Row) -> bool {
        let (label, x) = self.lists.nodes[at];
        row.0[node.variable].is_none_or(|bound| bound == at)
            && node.label.is_none_or(|wanted| wanted == label)
            && node.x.is_none_or(|wanted| wanted == x)
    }

    /// Finds the rest of the paths of a clause, of which the first is at one of its steps.
    fn clause(&mut self, paths: &[Path], at: Option<(usize, usize)>, row: &Row, used: &[usize]) {
        let Some(path) = paths.first() else {
            return self.found.push(row.clone());
        };
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let Some((step, from)) = at else {
            for node in 0..self.lists.nodes.len() {
                if self.fits(&path.start, node, row) {
                    let mut row = row.clone();
                    row.0[path.start.variable] = Some(node);
                    self.clause(paths, Some((0, node)), &row, used);
                }
            }
            return;
        };
        let Some(wanted) = path.steps.get(step) else {
            return self.clause(&paths[1..], None, row, used);
        };
        self.way(paths, (step, from), wanted, (row, used), &[]);
    }

    /// Goes one relationship further, or ends a step.
    fn way(
        &mut self,
        paths: &[Path],
        (step, at): (usize, usize),
        wanted: &Step,
        (row, used): (&Row, &[usize]),
        way: &[usize],
    ) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let (min, max) = wanted.length.unwrap_or((1, 1));
        if way.len() >= min && self.fits(&wanted.to, at, row) {
            let mut row = row.clone();
            row.0[wanted.to.variable] = Some(at);
            row.1.push(Some(way.to_vec()));
            self.clause(paths, Some((step + 1, at)), &row, &[used, way].concat());
        }
        if way.len() >= max {
            return;
        }
        for (number, edge) in self.lists.edges.iter().enumerate() {
            if used.contains(&number)
                || way.contains(&number)
                || !wanted.kinds.is_empty() && !wanted.kinds.contains(&edge.kind)
                || wanted.x.is_some_and(|x| x != edge.x)
            {
                continue;
            }
            let [from, to] = edge.ends;
            let longer = [way, &[number]].concat();
            if wanted.way != 1 && from == at {
                self.way(paths, (step, to), wanted, (row, used), &longer);
            }
            if wanted.way != 0 && to == at && !(wanted.way == 2 && from == to) {
                self.way(paths, (step, from), wanted, (row, used), &longer);
            }
        }
    }
}

/// The rows of all clauses; none if they are too many.
fn naive(lists: &Lists, paths: &[Path], variables: usize) -> Option<Vec<Row>> {
    let mut left = TRIES;
    let mut rows: Vec<Row> = vec![(vec![None; variables], Vec::new())];
    let mut bound: Vec<usize> = Vec::new();
    let mut rest = paths;
    while let Some(first) = rest.first() {
        let end = rest[1..].iter().position(|path| path.begins).map_or(rest.len(), |end| end + 1);
        let (clause, behind) = rest.split_at(end);
        let steps: usize = clause.iter().map(|path| path.steps.len()).sum();
        let of_clause: Vec<usize> = clause
            .iter()
            .flat_map(|path| {
                std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.to))
            })
            .map(|node| node.variable)
            .collect();
        let condition = clause.last().and_then(|path| path.condition);
        let mut next = Vec::new();
        for row in rows {
            let mut naive = Naive { lists, found: Vec::new(), left };
            // What is null already matches nothing.
            let is_null = |variable: &usize| bound.contains(variable) && row.0[*variable].is_none();
            if !of_clause.iter().any(is_null) {
                naive.clause(clause, None, &row, &[]);
            }
            left = naive.left;
            if left == 0 {
                return None;
            }
            if let Some([one, other]) = condition {
                let x = |row: &Row, variable: usize| row.0[variable].map(|at| lists.nodes[at].1);
                naive.found.retain(|row| match (x(row, one), x(row, other)) {
                    (Some(one), Some(other)) => one <= other,
                    _ => false,
                });
            }
            if naive.found.is_empty() && first.optional {
                let mut row = row.clone();
                row.1.extend(vec![None; steps]);
                naive.found.push(row);
            }
            next.extend(naive.found);
        }
        bound.extend(of_clause.iter().filter(|&&variable| variable < NAMED));
        rows = next;
        rest = behind;
    }
    Some(rows)
}

fn shown(row: &Row, paths: &[Path]) -> String {
    let mut named: Vec<usize> = paths
        .iter()
        .flat_map(|path| std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.to)))
        .map(|node| node.variable)
        .filter(|&variable| variable < NAMED)
        .collect();
    named.sort_unstable();
    named.dedup();
    let null = || "NULL".to_owned();
    let nodes = named.iter().map(|&v| row.0[v].map_or_else(null, |node| node.to_string()));
    let edges = row.1.iter().map(|way| way.as_ref().map_or_else(null, |way| format!("{way:?}")));
    let columns: Vec<String> = nodes.chain(edges).collect();
    if columns.is_empty() { "1".into() } else { columns.join(" | ") }
}

#[test]
fn patterns_find_what_trying_all_finds() {
    let mut rng = seed::rng();
    let (mut empty, mut full) = (0, 0);
    for _ in 0..seed::setting("KVIST_ROUNDS", 1_500) {
        let lists = draw_lists(&mut rng);
        let mut graph = made_of(&lists);
        run(&mut graph, "MATCH (n) SET n.n = id(n)").unwrap();
        run(&mut graph, "MATCH ()-[r]->() SET r.n = id(r)").unwrap();
        for _ in 0..4 {
            let paths = draw_paths(&mut rng);
            let text = text_of(&paths);
            let Some(expected) = naive(&lists, &paths, NAMED + 12) else { continue };
            let mut expected: Vec<String> = expected.iter().map(|row| shown(row, &paths)).collect();
            expected.sort();
            assert_eq!(sorted(&mut graph, &text), expected, "{text}\n{lists:?}");
            *(if expected.is_empty() { &mut empty } else { &mut full }) += 1;
        }
    }
    assert!(full > empty / 4, "{full} queries found something, {empty} nothing");
}
