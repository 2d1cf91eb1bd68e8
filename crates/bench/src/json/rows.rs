//! The rows: what is sent, and what must be there before.

use super::documents::Document;

/// What redis-benchmark puts twelve digits for.
pub(super) const RANDOM: &str = "__rand_int__";

/// A row of the report.
pub(super) struct Row {
    /// What it is called.
    pub name: String,
    /// Whether a server must know `JSON.*`.
    pub needs_documents: bool,
    /// What brings about the values it works on.
    pub prepare: Vec<Vec<String>>,
    /// The command to time.
    pub command: Vec<String>,
    /// Bytes that go over the line for it, roughly.
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

/// The rows about a document.
pub(super) fn of(document: &Document) -> Vec<Row> {
    let (name, text) = (document.title(), document.text.as_str());
    let whole = document.canonical.as_str();
    let as_document = words(&["JSON.SET", "doc", ".", text]);
    let as_string = |value: &str| words(&["SET", "text", value]);
    let row = |name: String, needs_documents, prepare: Vec<String>, command: &[&str], bytes| Row {
        name,
        needs_documents,
        prepare: vec![prepare],
        command: words(command),
        bytes,
    };
    let (get, set) = (whole.len(), text.len());
    let mut rows = vec![
        row(format!("{name} GET string"), false, as_string(whole), &["GET", "text"], get),
        row(
            format!("{name} JSON.GET ."),
            true,
            as_document.clone(),
            &["JSON.GET", "doc", "."],
            get,
        ),
        row(format!("{name} SET string"), false, as_string("-"), &["SET", "text", text], set),
        row(
            format!("{name} JSON.SET ."),
            true,
            as_document.clone(),
            &["JSON.SET", "doc", ".", text],
            set,
        ),
    ];
    for path in document.scalars {
        let title = format!("{name} JSON.GET {path}");
        rows.push(row(title, true, as_document.clone(), &["JSON.GET", "doc", path], 0));
        let title = format!("{name} JSON.SET {path}");
        // A number cannot begin with a zero.
        let command = ["JSON.SET", "doc", path, &format!("1{RANDOM}")];
        rows.push(row(title, true, as_document.clone(), &command, 0));
    }
    let size = document.scalar_size;
    let (get, set) = (format!("{name} GET {size} B"), format!("{name} SET 13 B"));
    rows.push(row(get, false, as_string(&"7".repeat(size)), &["GET", "text"], 0));
    rows.push(row(set, false, as_string("-"), &["SET", "text", &format!("1{RANDOM}")], 0));
    if let Some((path, part)) = &document.container {
        let title = format!("{name} JSON.GET {path}");
        rows.push(row(title, true, as_document, &["JSON.GET", "doc", path], part.len()));
        let title = format!("{name} GET {} B", part.len());
        rows.push(row(title, false, as_string(part), &["GET", "text"], part.len()));
    }
    rows
}
