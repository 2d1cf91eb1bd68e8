//! What a table of the kit says a value is: `(:A {x: 1})`, `[:T]`, `<(:A)-[:T]->(:B)>`, `[1, 'a']`.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::str::Chars;

/// What is expected of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// A string, or the text of a date and its like.
    String(String),
    List(Vec<Expected>),
    Map(Properties),
    Node(Node),
    Edge(Edge),
    /// A node, and edges with the node that each leads to.
    Path(Node, Vec<Hop>),
}

pub type Properties = BTreeMap<String, Expected>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    pub labels: BTreeSet<String>,
    pub properties: Properties,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edge {
    pub kind: String,
    pub properties: Properties,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    pub edge: Edge,
    /// Whether it leads from left to right.
    pub forth: bool,
    pub node: Node,
}

/// Reads what a cell of a table says.
pub fn read(text: &str) -> Result<Expected, String> {
    let mut reader = Reader { rest: text.chars().peekable() };
    let value = reader.value();
    reader.space();
    match (value, reader.rest.next()) {
        (Some(value), None) => Ok(value),
        (_, rest) => Err(format!("not read: {text}, from {rest:?}")),
    }
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.rest.next_if(|char| char.is_whitespace()).is_some() {}
    }

    fn peek(&mut self) -> Option<char> {
        self.space();
        self.rest.peek().copied()
    }

    /// Takes a sign if it is next.
    fn eat(&mut self, sign: char) -> bool {
        self.space();
        self.rest.next_if_eq(&sign).is_some()
    }

    fn expect(&mut self, signs: &str) -> Option<()> {
        signs.chars().try_for_each(|sign| self.eat(sign).then_some(()))
    }

    fn value(&mut self) -> Option<Expected> {
        match self.peek()? {
            '\'' => self.string().map(Expected::String),
            '{' => self.map().map(Expected::Map),
            '(' => self.node().map(Expected::Node),
            '<' => self.path(),
            '[' => self.list_or_edge(),
            _ => word(&self.word()),
        }
    }

    /// Letters, digits, and what numbers are written with.
    fn word(&mut self) -> String {
        self.space();
        let is_of_word = |char: &char| char.is_alphanumeric() || "+-._".contains(*char);
        std::iter::from_fn(|| self.rest.next_if(is_of_word)).collect()
    }

    fn name(&mut self) -> Option<String> {
        if !self.eat('`') {
            self.space();
            let of_name = |char: &char| char.is_alphanumeric() || *char == '_';
            let name: String = std::iter::from_fn(|| self.rest.next_if(of_name)).collect();
            return (!name.is_empty()).then_some(name);
        }
        let name = std::iter::from_fn(|| self.rest.next_if(|char| *char != '`')).collect();
        self.eat('`').then_some(name)
    }

    fn string(&mut self) -> Option<String> {
        self.expect("'")?;
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '\'' => return Some(text),
                '\\' => text.push(match self.rest.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    other => other,
                }),
                char => text.push(char),
            }
        }
    }

    fn map(&mut self) -> Option<Properties> {
        self.expect("{")?;
        let mut entries = Properties::new();
        while !self.eat('}') {
            if !entries.is_empty() {
                self.expect(",")?;
            }
            let name = self.name()?;
            self.expect(":")?;
            entries.insert(name, self.value()?);
        }
        Some(entries)
    }

    /// `{…}` if there is one.
    fn properties(&mut self) -> Option<Properties> {
        if self.peek() == Some('{') { self.map() } else { Some(Properties::new()) }
    }

    fn node(&mut self) -> Option<Node> {
        self.expect("(")?;
        let mut labels = BTreeSet::new();
        while self.eat(':') {
            labels.insert(self.name()?);
        }
        let properties = self.properties()?;
        self.expect(")")?;
        Some(Node { labels, properties })
    }

    /// What follows the bracket of an edge.
    fn edge(&mut self) -> Option<Edge> {
        self.expect(":")?;
        let kind = self.name()?;
        let properties = self.properties()?;
        self.expect("]")?;
        Some(Edge { kind, properties })
    }

    fn list_or_edge(&mut self) -> Option<Expected> {
        self.expect("[")?;
        if self.peek()? == ':' {
            return self.edge().map(Expected::Edge);
        }
        let mut values = Vec::new();
        while !self.eat(']') {
            if !values.is_empty() {
                self.expect(",")?;
            }
            values.push(self.value()?);
        }
        Some(Expected::List(values))
    }

    fn path(&mut self) -> Option<Expected> {
        self.expect("<")?;
        let first = self.node()?;
        let mut hops = Vec::new();
        while !self.eat('>') {
            let back = self.eat('<');
            self.expect("-[")?;
            let edge = self.edge()?;
            self.expect("-")?;
            let forth = self.eat('>');
            if back == forth {
                return None;
            }
            hops.push(Hop { edge, forth, node: self.node()? });
        }
        Some(Expected::Path(first, hops))
    }
}

fn word(word: &str) -> Option<Expected> {
    Some(match word {
        "null" => Expected::Null,
        "true" => Expected::Boolean(true),
        "false" => Expected::Boolean(false),
        "NaN" => Expected::Float(f64::NAN),
        "Inf" => Expected::Float(f64::INFINITY),
        "-Inf" => Expected::Float(f64::NEG_INFINITY),
        _ => match word.parse() {
            Ok(number) => Expected::Integer(number),
            Err(_) => Expected::Float(word.parse().ok()?),
        },
    })
}

#[test]
fn values_are_read_as_they_are_written() {
    let list = read("[1, -2.5e3, 'it\\'s', null, [true]]").unwrap();
    let Expected::List(values) = &list else { panic!("{list:?}") };
    assert_eq!(values[1], Expected::Float(-2500.0));
    assert_eq!(values[2], Expected::String("it's".to_owned()));
    assert_eq!(values[4], Expected::List(vec![Expected::Boolean(true)]));
    let Ok(Expected::Node(node)) = read("(:B:A {x: 1, `a b`: {}})") else { panic!("no node") };
    assert_eq!(node.labels.iter().collect::<Vec<_>>(), ["A", "B"]);
    assert_eq!(node.properties["a b"], Expected::Map(Properties::new()));
    let Ok(Expected::Edge(edge)) = read("[:T {x: 1}]") else { panic!("no edge") };
    assert_eq!(edge.kind, "T");
    let path = read("<(:A)-[:T]->()<-[:U {x: 1}]-(:C)>").unwrap();
    let Expected::Path(_, hops) = &path else { panic!("{path:?}") };
    assert_eq!(hops.iter().map(|hop| hop.forth).collect::<Vec<_>>(), [true, false]);
    for wrong in ["", "[1", "(:)", "<(:A)-[:T]-(:B)>", "1 2", "{a}", "'a"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
