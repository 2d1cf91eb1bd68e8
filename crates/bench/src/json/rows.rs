//! The rows: what is sent, and what must be there before.

use super::documents::Document;
use super::scripts::{Answer, Digests, Form};

/// What redis-benchmark puts twelve digits for.
pub(super) const RANDOM: &str = "__rand_int__";

/// How a row's values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As plain strings, to compare with.
    String,
    /// As documents, with `JSON.*`.
    Document,
    /// As text that scripts parse.
    Text,
    /// As MessagePack that scripts unpack.
    MessagePack,
}

/// A row of the report.
pub(super) struct Row {
    /// What it is called.
    pub name: String,
    /// What is done, whichever way.
    pub operation: String,
    pub way: Way,
    /// What brings about the values it works on.
    pub prepare: Vec<Vec<String>>,
    /// The command to time.
    pub command: Vec<String>,
    /// What is asked to see that it did its work, and what the answer must be.
    pub proof: Option<(Vec<String>, Answer)>,
    /// Bytes that go over the line for it, or are looked at, roughly.
    bytes: usize,
}

impl Row {
    /// How often it is sent: less often the more bytes there are, so that no row takes longer than
    /// half a second or so.
    pub fn requests(&self, most: u64, pipeline: u32) -> u64 {
        /// So many bytes take as long as everything else about a request.
        const WEIGHTLESS: usize = 4096;
        let weight = u64::try_from(1 + self.bytes / WEIGHTLESS).unwrap_or(1);
        let faster = if pipeline > 1 { 4 } else { 1 };
        (most * faster / weight).max(1000)
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The rows about a document; those of scripts only if some server runs scripts.
pub(super) fn of(document: &Document, digests: Option<&Digests>) -> Result<Vec<Row>, String> {
    let mut rows = plain(document);
    if let Some(digests) = digests {
        for form in [Form::Text, Form::MessagePack] {
            rows.extend(scripted(document, digests, form)?);
        }
    }
    Ok(rows)
}

/// Documents with `JSON.*`, and plain strings.
fn plain(document: &Document) -> Vec<Row> {
    let (name, text) = (document.title(), document.text.as_str());
    let whole = document.canonical.as_str();
    let as_document = words(&["JSON.SET", "doc", ".", text]);
    let as_string = |value: &str| words(&["SET", "text", value]);
    let row = |what: String, way, prepare: Vec<String>, command: &[&str], bytes| Row {
        name: format!("{name} {}{what}", if way == Way::Document { "JSON." } else { "" }),
        operation: format!("{name} {what}"),
        way,
        prepare: vec![prepare],
        command: words(command),
        proof: None,
        bytes,
    };
    let kept = |what: &str, command: &[&str], bytes| {
        row(what.to_owned(), Way::Document, as_document.clone(), command, bytes)
    };
    let (get, set) = (whole.len(), text.len());
    let mut rows = vec![
        row("GET string".to_owned(), Way::String, as_string(whole), &["GET", "text"], get),
        kept("GET .", &["JSON.GET", "doc", "."], get),
        row("SET string".to_owned(), Way::String, as_string("-"), &["SET", "text", text], set),
        kept("SET .", &["JSON.SET", "doc", ".", text], set),
    ];
    for path in document.scalars {
        rows.push(kept(&format!("GET {path}"), &["JSON.GET", "doc", path], 0));
        // A number cannot begin with a zero.
        let command = ["JSON.SET", "doc", path, &format!("1{RANDOM}")];
        rows.push(kept(&format!("SET {path}"), &command, 0));
    }
    let size = document.scalar_size;
    let (get, set) = (format!("GET {size} B"), "SET 13 B".to_owned());
    rows.push(row(get, Way::String, as_string(&"7".repeat(size)), &["GET", "text"], 0));
    let value = format!("1{RANDOM}");
    rows.push(row(set, Way::String, as_string("-"), &["SET", "text", &value], 0));
    if let Some((path, part)) = &document.container {
        rows.push(kept(&format!("GET {path}"), &["JSON.GET", "doc", path], part.len()));
        let title = format!("GET {} B", part.len());
        rows.push(row(title, Way::String, as_string(part), &["GET", "text"], part.len()));
    }
    rows
}

/// The same with scripts.
fn scripted(document: &Document, digests: &Digests, form: Form) -> Result<Vec<Row>, String> {
    let name = document.title();
    let way = if form == Form::Text { Way::Text } else { Way::MessagePack };
    let text = document.text.as_str();
    let root = digests.set_root(form, text);
    // A script that takes a document apart costs as much as one of several times its size.
    let bytes = |apart: bool| if apart { 8 * text.len() } else { text.len() };
    let row = |verb: &str, path: &str, command: Vec<String>, proof, apart| {
        let place = if path == "." { "root" } else { "path" };
        Row {
            name: format!("{name} Lua {}-{}-{place} {path}", form.name(), verb.to_lowercase()),
            operation: format!("{name} {verb} {path}"),
            way,
            prepare: vec![root.clone()],
            command,
            proof: Some(proof),
            bytes: bytes(apart),
        }
    };
    let is_packed = form == Form::MessagePack;
    let whole =
        || -> Result<_, String> { Ok((digests.get_root(form), Answer::document(document)?)) };
    let mut rows = vec![
        row("GET", ".", digests.get_root(form), whole()?, is_packed),
        row("SET", ".", root.clone(), whole()?, is_packed),
    ];
    let container = document.container.as_ref().map(|(path, _)| path);
    for path in document.scalars.iter().chain(container) {
        let get = digests.get_path(form, path);
        let proof = (get.clone(), Answer::Value(document.at(path)?));
        rows.push(row("GET", path, get.clone(), proof, true));
        if document.scalars.contains(path) {
            // What is written while answers are checked.
            let proof = (get, Answer::Value(format!("1{}", "0".repeat(RANDOM.len()))));
            rows.push(row("SET", path, digests.set_path(form, path), proof, true));
        }
    }
    Ok(rows)
}
