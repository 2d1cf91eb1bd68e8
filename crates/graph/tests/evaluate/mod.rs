//! A small evaluator of expressions and of `WITH … RETURN`, so that values and functions can be
//! checked by the technology compatibility kit without a parser, a plan or a graph: a node is a map
//! of its properties here, by its label.

use std::collections::HashMap;
use std::sync::Arc;

use kvist_graph::function::{self, Context, string};
use kvist_graph::value::{Value, access, arithmetic, comparison, equality, logic};

/// What is not evaluated here, or an error of the evaluation.
#[derive(Debug)]
pub enum Stop {
    /// The query uses what this does not know.
    Beyond,
    /// The expression has no value.
    Fails(kvist_graph::value::Error),
}

impl From<kvist_graph::value::Error> for Stop {
    fn from(error: kvist_graph::value::Error) -> Stop {
        Stop::Fails(error)
    }
}

pub type Result<T> = std::result::Result<T, Stop>;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(String),
    Sign(&'static str),
}

const SIGNS: [&str; 25] = [
    "<>", "<=", ">=", "..", "=~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", ".", "+",
    "-", "*", "/", "%", "^", "|", "$",
];

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if first.is_ascii_digit() {
            let mut end = 0;
            let bytes = rest.as_bytes();
            while end < bytes.len() {
                let range = bytes[end] == b'.' && bytes.get(end + 1) == Some(&b'.');
                let exponent = matches!(bytes[end], b'+' | b'-') && bytes[end - 1] == b'e';
                let part = bytes[end].is_ascii_alphanumeric() || bytes[end] == b'.' || exponent;
                if range || !part {
                    break;
                }
                end += 1;
            }
            out.push(Token::Number(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if first == '\'' || first == '"' {
            let (text, behind) = quoted(&rest[1..], first)?;
            out.push(Token::Text(text));
            rest = behind;
        } else if first == '`' {
            let (name, behind) = in_backticks(&rest[1..])?;
            out.push(Token::Name(name));
            rest = behind;
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).ok_or(Stop::Beyond)?;
            out.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
    }
    Ok(out)
}

fn quoted(text: &str, end: char) -> Result<(String, &str)> {
    let mut out = String::new();
    let mut letters = text.char_indices();
    while let Some((place, letter)) = letters.next() {
        match letter {
            _ if letter == end => return Ok((out, &text[place + letter.len_utf8()..])),
            '\\' => match letters.next().ok_or(Stop::Beyond)?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'u' => {
                    let hex: String = letters.by_ref().take(4).map(|(_, c)| c).collect();
                    let code = u32::from_str_radix(&hex, 16).map_err(|_| Stop::Beyond)?;
                    out.push(char::from_u32(code).ok_or(Stop::Beyond)?);
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    Err(Stop::Beyond)
}

/// A name up to its backtick, where two of them are one of the name.
fn in_backticks(text: &str) -> Result<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('`').ok_or(Stop::Beyond)?;
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        let Some(behind) = rest.strip_prefix('`') else { return Ok((name, rest)) };
        name.push('`');
        rest = behind;
    }
}

type Names = HashMap<String, Value>;

/// Evaluates a text.
pub struct Evaluator<'a> {
    tokens: Vec<Token>,
    place: usize,
    names: Names,
    context: &'a Context<'a>,
}

/// The value of an expression that stands alone.
pub fn expression(text: &str, context: &Context<'_>) -> Result<Value> {
    let mut evaluator = Evaluator { tokens: tokens(text)?, place: 0, names: Names::new(), context };
    let value = evaluator.or()?;
    if evaluator.place == evaluator.tokens.len() { Ok(value) } else { Err(Stop::Beyond) }
}

/// Nodes by their label; without one it is empty.
pub type Graph = HashMap<String, Value>;

/// Runs a query over a graph of single nodes, and gives the row that it returns, if it does.
pub fn query(
    text: &str,
    graph: &mut Graph,
    parameters: &Graph,
    context: &Context<'_>,
) -> Result<Option<Vec<Value>>> {
    let names = parameters.iter().map(|(name, value)| (format!("${name}"), value.clone()));
    let names = names.collect();
    let mut evaluator = Evaluator { tokens: tokens(text)?, place: 0, names, context };
    evaluator.clauses(graph)
}

/// What a node keeps of a map: no nulls.
fn properties(map: &Value) -> Value {
    let Value::Map(map) = map else { return Value::Null };
    let kept = map.iter().filter(|(_, value)| !value.is_null());
    Value::map(kept.map(|(key, value)| (key.clone(), value.clone())))
}

impl Evaluator<'_> {
    fn peek_name(&self, name: &str) -> bool {
        let Some(Token::Name(next)) = self.tokens.get(self.place) else { return false };
        next.eq_ignore_ascii_case(name)
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let found = self.peek_name(name);
        self.place += usize::from(found);
        found
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.place), Some(Token::Sign(it)) if *it == sign);
        self.place += usize::from(found);
        found
    }

    fn wants(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign) { Ok(()) } else { Err(Stop::Beyond) }
    }

    fn name(&mut self) -> Result<String> {
        let Some(Token::Name(name)) = self.tokens.get(self.place) else {
            return Err(Stop::Beyond);
        };
        self.place += 1;
        Ok(name.clone())
    }

    fn clauses(&mut self, graph: &mut Graph) -> Result<Option<Vec<Value>>> {
        loop {
            if self.takes_name("CREATE") {
                self.create(graph)?;
            } else if self.takes_name("MATCH") {
                self.find(graph)?;
            } else if self.takes_name("WITH") {
                if self.takes("*") {
                    continue;
                }
                let mut named = Names::new();
                for (name, value) in self.items()? {
                    named.insert(name.ok_or(Stop::Beyond)?, value);
                }
                named.extend(self.names.drain().filter(|(name, _)| name.starts_with('$')));
                self.names = named;
            } else if self.takes_name("RETURN") {
                let row = self.items()?.into_iter().map(|(_, value)| value).collect();
                return if self.is_done() { Ok(Some(row)) } else { Err(Stop::Beyond) };
            } else {
                return if self.is_done() { Ok(None) } else { Err(Stop::Beyond) };
            }
        }
    }

    fn is_done(&self) -> bool {
        self.place == self.tokens.len()
    }

    /// `(name:Label {…})`
    fn node(&mut self) -> Result<(Option<String>, String, Value)> {
        self.wants("(")?;
        let name = self.name().ok();
        let label = if self.takes(":") { self.name()? } else { String::new() };
        let map = if self.takes("{") { properties(&self.map()?) } else { Value::map::<&str>([]) };
        self.wants(")")?;
        Ok((name, label, map))
    }

    fn create(&mut self, graph: &mut Graph) -> Result<()> {
        loop {
            let (_, label, map) = self.node()?;
            if graph.insert(label, map).is_some() {
                return Err(Stop::Beyond);
            }
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    fn find(&mut self, graph: &Graph) -> Result<()> {
        loop {
            let (name, label, _) = self.node()?;
            let node = graph.get(&label).ok_or(Stop::Beyond)?;
            self.names.insert(name.ok_or(Stop::Beyond)?, node.clone());
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    fn items(&mut self) -> Result<Vec<(Option<String>, Value)>> {
        let mut items = Vec::new();
        loop {
            let start = self.place;
            let value = self.or()?;
            let bare = self.place == start + 1;
            let name = if self.takes_name("AS") {
                Some(self.name()?)
            } else {
                match &self.tokens[start] {
                    Token::Name(name) if bare => Some(name.clone()),
                    _ => None,
                }
            };
            items.push((name, value));
            if !self.takes(",") {
                return Ok(items);
            }
        }
    }

    fn or(&mut self) -> Result<Value> {
        let mut value = self.xor()?;
        while self.takes_name("OR") {
            value = logic::or(logic::truth(&value)?, logic::truth(&self.xor()?)?).into();
        }
        Ok(value)
    }

    fn xor(&mut self) -> Result<Value> {
        let mut value = self.and()?;
        while self.takes_name("XOR") {
            value = logic::xor(logic::truth(&value)?, logic::truth(&self.and()?)?).into();
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<Value> {
        let mut value = self.not()?;
        while self.takes_name("AND") {
            value = logic::and(logic::truth(&value)?, logic::truth(&self.not()?)?).into();
        }
        Ok(value)
    }

    fn not(&mut self) -> Result<Value> {
        if self.takes_name("NOT") {
            return Ok(logic::not(logic::truth(&self.not()?)?).into());
        }
        self.compared()
    }

    fn compared(&mut self) -> Result<Value> {
        let mut left = self.predicated()?;
        let mut all: Option<logic::Truth> = None;
        while let Some(Token::Sign(sign)) = self.tokens.get(self.place) {
            let compare: fn(&Value, &Value) -> logic::Truth = match *sign {
                "=" => equality::equal,
                "<>" => |a, b| logic::not(equality::equal(a, b)),
                "<" => comparison::less,
                "<=" => comparison::less_or_equal,
                ">" => comparison::greater,
                ">=" => comparison::greater_or_equal,
                _ => break,
            };
            self.place += 1;
            let right = self.predicated()?;
            let holds = compare(&left, &right);
            all = Some(all.map_or(holds, |so_far| logic::and(so_far, holds)));
            left = right;
        }
        Ok(all.map_or(left, Value::from))
    }

    fn predicated(&mut self) -> Result<Value> {
        let mut value = self.sum()?;
        loop {
            if self.takes_name("IN") {
                value = equality::is_in(&value, &self.sum()?)?.into();
            } else if self.takes_name("IS") {
                let not = self.takes_name("NOT");
                if !self.takes_name("NULL") {
                    return Err(Stop::Beyond);
                }
                value = Value::Boolean(value.is_null() != not);
            } else if self.takes_name("STARTS") {
                self.takes_name("WITH");
                value = string::starts_with(&value, &self.sum()?).into();
            } else if self.takes_name("ENDS") {
                self.takes_name("WITH");
                value = string::ends_with(&value, &self.sum()?).into();
            } else if self.takes_name("CONTAINS") {
                value = string::contains(&value, &self.sum()?).into();
            } else {
                return Ok(value);
            }
        }
    }

    fn sum(&mut self) -> Result<Value> {
        let mut value = self.product()?;
        loop {
            if self.takes("+") {
                value = arithmetic::add(&value, &self.product()?)?;
            } else if self.takes("-") {
                value = arithmetic::subtract(&value, &self.product()?)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<Value> {
        let mut value = self.power()?;
        loop {
            if self.takes("*") {
                value = arithmetic::multiply(&value, &self.power()?)?;
            } else if self.takes("/") {
                value = arithmetic::divide(&value, &self.power()?)?;
            } else if self.takes("%") {
                value = arithmetic::remainder(&value, &self.power()?)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn power(&mut self) -> Result<Value> {
        let mut value = self.unary()?;
        while self.takes("^") {
            value = arithmetic::power(&value, &self.unary()?)?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Result<Value> {
        if self.takes("-") {
            if let Some(Token::Number(digits)) = self.tokens.get(self.place).cloned()
                && let Ok(number) = format!("-{digits}").parse::<i64>()
            {
                self.place += 1;
                return self.postfix(Value::Integer(number));
            }
            return Ok(arithmetic::negate(&self.unary()?)?);
        }
        if self.takes("+") {
            return self.unary();
        }
        let atom = self.atom()?;
        self.postfix(atom)
    }

    fn postfix(&mut self, mut value: Value) -> Result<Value> {
        loop {
            if self.takes(".") {
                value = access::property(&value, &self.name()?)?;
            } else if self.takes("[") {
                value = self.indexed(&value)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn indexed(&mut self, value: &Value) -> Result<Value> {
        let from = if self.takes("..") { None } else { Some(self.or()?) };
        if from.is_some() && self.takes("]") {
            return Ok(access::element(value, &from.unwrap_or_default())?);
        }
        if from.is_some() {
            self.wants("..")?;
        }
        let to = if self.takes("]") { None } else { Some(self.or()?) };
        if to.is_some() {
            self.wants("]")?;
        }
        Ok(access::slice(value, from.as_ref(), to.as_ref())?)
    }

    fn atom(&mut self) -> Result<Value> {
        let token = self.tokens.get(self.place).cloned().ok_or(Stop::Beyond)?;
        self.place += 1;
        match token {
            Token::Text(text) => Ok(Value::from(text)),
            Token::Number(digits) => match digits.parse::<i64>() {
                Ok(number) => Ok(Value::Integer(number)),
                Err(_) => digits.parse().map(Value::Float).map_err(|_| Stop::Beyond),
            },
            Token::Sign("(") => {
                let value = self.or()?;
                self.wants(")")?;
                Ok(value)
            }
            Token::Sign("[") => Ok(Value::from(self.elements("]")?).checked()?),
            Token::Sign("{") => self.map(),
            Token::Sign("$") => {
                let name = format!("${}", self.name()?);
                self.names.get(&name).cloned().ok_or(Stop::Beyond)
            }
            Token::Sign(_) => Err(Stop::Beyond),
            Token::Name(name) => self.named(name),
        }
    }

    fn named(&mut self, name: String) -> Result<Value> {
        if let Some(value) = self.names.get(&name) {
            return Ok(value.clone());
        }
        match name.to_ascii_lowercase().as_str() {
            "null" => return Ok(Value::Null),
            "true" => return Ok(Value::Boolean(true)),
            "false" => return Ok(Value::Boolean(false)),
            _ => {}
        }
        let mut full = name;
        while self.takes(".") {
            full = format!("{full}.{}", self.name()?);
        }
        let function = function::named(&full).ok_or(Stop::Beyond)?;
        self.wants("(")?;
        let arguments = self.elements(")")?;
        Ok(function.call(self.context, &arguments)?)
    }

    fn elements(&mut self, end: &str) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        while !self.takes(end) {
            values.push(self.or()?);
            if !self.takes(",") {
                self.wants(end)?;
                break;
            }
        }
        Ok(values)
    }

    fn map(&mut self) -> Result<Value> {
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        while !self.takes("}") {
            let key = self.name()?;
            self.wants(":")?;
            entries.push((key.into(), self.or()?));
            if !self.takes(",") {
                self.wants("}")?;
                break;
            }
        }
        Ok(Value::map(entries).checked()?)
    }
}
