//! What the server says about its commands: hints behind the cursor, and `help`.

use std::collections::BTreeMap;

use wire::Value;

/// One command, as `COMMAND DOCS` describes it.
#[derive(Clone, Debug, Default)]
pub struct Doc {
    /// Its arguments, written out.
    pub syntax: String,
    /// One sentence.
    pub summary: String,
    /// The version it appeared in.
    pub since: String,
    /// Its group.
    pub group: String,
}

/// All commands, by lower-cased name; subcommands as `container sub`.
#[derive(Clone, Debug, Default)]
pub struct Docs(BTreeMap<String, Doc>);

impl Docs {
    /// Reads the reply to `COMMAND DOCS`, of either protocol. What it does not know it leaves out.
    #[must_use]
    pub fn read(reply: &Value) -> Self {
        let mut docs = Docs::default();
        for (name, doc) in pairs(reply) {
            docs.add(&text(name), doc);
        }
        docs
    }

    fn add(&mut self, name: &str, reply: &Value) {
        let mut doc = Doc::default();
        for (key, value) in pairs(reply) {
            match text(key).as_str() {
                "summary" => doc.summary = text(value),
                "since" => doc.since = text(value),
                "group" => doc.group = text(value),
                "arguments" => doc.syntax = syntax(value.as_slice().unwrap_or_default()),
                "subcommands" => {
                    for (name, sub) in pairs(value) {
                        self.add(&text(name).replacen('|', " ", 1), sub);
                    }
                }
                _ => {}
            }
        }
        self.0.insert(name.to_ascii_lowercase(), doc);
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The command a line begins with, and how many of its words are the name.
    #[must_use]
    pub fn find(&self, words: &[Vec<u8>]) -> Option<(&Doc, usize)> {
        let lower = |word: &Vec<u8>| String::from_utf8_lossy(word).to_ascii_lowercase();
        let first = lower(words.first()?);
        if let Some(second) = words.get(1)
            && let Some(doc) = self.0.get(&format!("{first} {}", lower(second)))
        {
            return Some((doc, 2));
        }
        self.0.get(&first).map(|doc| (doc, 1))
    }

    /// The names that begin with a text, in lower case.
    pub fn beginning_with<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        let from = start.to_owned();
        self.0
            .range(from..)
            .map(|(name, _)| name.as_str())
            .take_while(move |n| n.starts_with(start))
    }

    /// The commands of a group.
    pub fn of_group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = (&'a str, &'a Doc)> {
        self.0.iter().filter(move |(_, doc)| doc.group == group).map(|(n, d)| (n.as_str(), d))
    }

    /// What is left to type behind a line: the arguments not given yet.
    #[must_use]
    pub fn hint(&self, line: &str) -> Option<String> {
        let words = wire::split_line(line.as_bytes())?;
        let (doc, name) = self.find(&words)?;
        let mut left = parts(&doc.syntax);
        let given = words.len() - name;
        left.drain(..given.min(left.len()));
        let hint = left.join(" ");
        let space = if line.ends_with(' ') { "" } else { " " };
        (!hint.is_empty()).then(|| format!("{space}{hint}"))
    }
}

/// The top-level parts of a syntax: words, and whatever is in brackets as one.
fn parts(syntax: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in syntax.char_indices() {
        match c {
            '[' | '<' => depth += 1,
            ']' | '>' => depth -= 1,
            ' ' if depth == 0 => {
                parts.push(&syntax[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < syntax.len() {
        parts.push(&syntax[start..]);
    }
    parts
}

/// The arguments of a command, written out as in its documentation.
fn syntax(arguments: &[Value]) -> String {
    arguments.iter().map(argument).collect::<Vec<_>>().join(" ")
}

fn argument(reply: &Value) -> String {
    let (mut name, mut kind, mut token) = (String::new(), String::new(), None);
    let (mut flags, mut inner): (Vec<String>, &[Value]) = (Vec::new(), &[]);
    for (key, value) in pairs(reply) {
        match text(key).as_str() {
            "name" => name = text(value),
            "type" => kind = text(value),
            "token" => token = Some(text(value)),
            "flags" => flags = value.as_slice().unwrap_or_default().iter().map(text).collect(),
            "arguments" => inner = value.as_slice().unwrap_or_default(),
            _ => {}
        }
    }
    let has = |flag: &str| flags.iter().any(|f| f == flag);
    let own = match kind.as_str() {
        "pure-token" => String::new(),
        "oneof" => inner.iter().map(argument).collect::<Vec<_>>().join("|"),
        "block" => syntax(inner),
        _ => name,
    };
    let repeat = |what: &str| {
        if has("multiple") { format!("{what} [{what} ...]") } else { what.to_owned() }
    };
    let written = match token {
        None => repeat(&own),
        Some(token) if own.is_empty() => token,
        Some(token) if has("multiple_token") => repeat(&format!("{token} {own}")),
        Some(token) => format!("{token} {}", repeat(&own)),
    };
    if has("optional") { format!("[{written}]") } else { written }
}

/// The pairs of a map, or of the array that stands for one in RESP2.
fn pairs(reply: &Value) -> Vec<(&Value, &Value)> {
    match reply {
        Value::Map(pairs) => pairs.iter().map(|(key, value)| (key, value)).collect(),
        Value::Array(items) => items.chunks_exact(2).map(|two| (&two[0], &two[1])).collect(),
        _ => Vec::new(),
    }
}

fn text(reply: &Value) -> String {
    String::from_utf8_lossy(reply.as_bytes().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::Bulk(text.as_bytes().to_vec())
    }

    fn map(pairs: &[(&str, Value)]) -> Value {
        Value::Array(pairs.iter().flat_map(|(k, v)| [bulk(k), v.clone()]).collect())
    }

    fn docs() -> Docs {
        let key = map(&[("name", bulk("key")), ("type", bulk("key"))]);
        let value = map(&[("name", bulk("value")), ("type", bulk("string"))]);
        let pure =
            |t: &str| map(&[("name", bulk(t)), ("type", bulk("pure-token")), ("token", bulk(t))]);
        let flags = |f: &str| Value::Array(vec![Value::Simple(f.into())]);
        let condition = map(&[
            ("name", bulk("condition")),
            ("type", bulk("oneof")),
            ("flags", flags("optional")),
            ("arguments", Value::Array(vec![pure("NX"), pure("XX")])),
        ]);
        let many =
            map(&[("name", bulk("key")), ("type", bulk("key")), ("flags", flags("multiple"))]);
        let get =
            map(&[("summary", bulk("Gets.")), ("arguments", Value::Array(vec![many.clone()]))]);
        Docs::read(&map(&[
            ("set", map(&[("arguments", Value::Array(vec![key, value, condition]))])),
            ("del", map(&[("group", bulk("generic")), ("arguments", Value::Array(vec![many]))])),
            ("config", map(&[("subcommands", map(&[("config|get", get)]))])),
        ]))
    }

    #[test]
    fn hints_shrink_as_arguments_come() {
        let docs = docs();
        assert_eq!(docs.hint("set").as_deref(), Some(" key value [NX|XX]"));
        assert_eq!(docs.hint("SET a ").as_deref(), Some("value [NX|XX]"));
        assert_eq!(docs.hint("set a b").as_deref(), Some(" [NX|XX]"));
        assert_eq!(docs.hint("set a b NX"), None);
        assert_eq!(docs.hint("del").as_deref(), Some(" key [key ...]"));
        assert_eq!(docs.hint("config get ").as_deref(), Some("key [key ...]"));
        assert_eq!(docs.hint("nothing"), None);
        assert_eq!(docs.hint("set \"a"), None);
    }

    #[test]
    fn names_complete() {
        let docs = docs();
        assert_eq!(docs.beginning_with("con").collect::<Vec<_>>(), ["config", "config get"]);
        assert_eq!(docs.of_group("generic").count(), 1);
    }
}
