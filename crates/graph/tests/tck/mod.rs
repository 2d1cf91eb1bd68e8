//! The technology compatibility kit of openCypher: feature files in Gherkin, of which this reads
//! what they use. The kit is looked for beside the repository; without it, one line says so.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::skip;

pub mod compare;
pub mod environment;
pub mod notation;
pub mod observed;
pub mod page;
pub mod run;

/// Where the kit is, from the root of the repository.
const BESIDE: &str = "../shared/data/opencypher-tck/tck";

/// A scenario; an outline is one for each of its examples.
pub struct Scenario {
    /// The folder of its file, below `features`.
    pub folder: String,
    /// Its file and its name; of an outline, with the number of the example.
    pub name: String,
    /// What is done and expected.
    pub steps: Vec<Step>,
}

/// A step of a scenario.
#[derive(Clone, Default)]
pub struct Step {
    /// Its line, without the first word.
    pub text: String,
    /// The text between triple quotes.
    pub doc: String,
    /// The table.
    pub table: Vec<Vec<String>>,
}

impl Scenario {
    /// All queries of the scenario: those that prepare, and the one it is about.
    pub fn queries(&self) -> impl Iterator<Item = &str> {
        let ran = |step: &&Step| step.text.ends_with("executed:") || step.text.ends_with("query:");
        self.steps.iter().filter(ran).map(|step| step.doc.as_str())
    }

    /// When the query is to fail (`compile time`, `runtime`, `any time`), and of what.
    pub fn failure(&self) -> Option<(&str, &str)> {
        self.raised()?.1.split_once(": ")
    }

    /// Of which class the error is that it is to fail with; empty if it is not to fail.
    pub fn failure_class(&self) -> &str {
        let class = self.raised().map_or("", |(class, _)| class);
        class.strip_prefix("a ").or_else(|| class.strip_prefix("an ")).unwrap_or(class)
    }

    fn raised(&self) -> Option<(&str, &str)> {
        self.steps.iter().find_map(|step| step.text.split_once(" should be raised at "))
    }

    /// Its folder and its name: no two have the same.
    pub fn line(&self) -> String {
        format!("{}: {}", self.folder, self.name)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(BESIDE)
}

/// The query that makes a graph which scenarios name.
pub fn named_graph(name: &str) -> String {
    let file = root().join("graphs").join(name).join(format!("{name}.cypher"));
    fs::read_to_string(file).expect("the kit has the graphs that it names")
}

/// All scenarios, in the order of their files.
pub fn scenarios() -> Option<Vec<Scenario>> {
    let mut files = Vec::new();
    let features = root().join("features");
    collect(&features, &mut files);
    if files.is_empty() {
        skip::because("no technology compatibility kit of openCypher at ../shared/data");
        return None;
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a feature file is text");
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let folder = file.parent().and_then(|folder| folder.strip_prefix(&features).ok());
        let folder = folder.and_then(Path::to_str).unwrap_or_default();
        read((folder, stem), &text, &mut all);
    }
    Some(all)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "feature") {
            files.push(path);
        }
    }
}

/// What is read of a scenario before its examples are put in.
#[derive(Default)]
struct Outline {
    folder: String,
    name: String,
    steps: Vec<Step>,
    examples: Vec<Vec<Vec<String>>>,
    in_examples: bool,
}

fn read((folder, file): (&str, &str), text: &str, all: &mut Vec<Scenario>) {
    let mut outline = Outline::default();
    // What stands before the first scenario: the steps that all of them begin with.
    let mut background = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some((kind, name)) = trimmed.split_once(": ").filter(|(kind, _)| is_scenario(kind)) {
            if outline.name.is_empty() {
                background = std::mem::take(&mut outline.steps);
            }
            finish(std::mem::take(&mut outline), all);
            outline.name = format!("{file} {kind}: {name}");
            folder.clone_into(&mut outline.folder);
            outline.steps.clone_from(&background);
        } else if trimmed.starts_with("Examples:") {
            outline.in_examples = true;
            outline.examples.push(Vec::new());
        } else if trimmed == "\"\"\"" {
            let indent = line.len() - line.trim_start().len();
            let doc: Vec<&str> =
                lines.by_ref().take_while(|line| line.trim() != "\"\"\"").collect();
            let doc = doc.iter().map(|line| line.get(indent..).unwrap_or_default());
            let doc = doc.collect::<Vec<_>>().join("\n");
            outline.steps.last_mut().expect("a text belongs to a step").doc = doc;
        } else if trimmed.starts_with('|') {
            outline.row(cells(trimmed));
        } else if let Some(step) = step(trimmed) {
            outline.steps.push(step);
        }
    }
    finish(outline, all);
}

/// The step that a line begins.
fn step(line: &str) -> Option<Step> {
    let (word, text) = line.split_once(' ')?;
    let begins = ["Given", "When", "Then", "And", "But"].contains(&word);
    begins.then(|| Step { text: text.to_owned(), ..Step::default() })
}

fn is_scenario(kind: &str) -> bool {
    kind == "Scenario" || kind == "Scenario Outline"
}

impl Outline {
    fn row(&mut self, cells: Vec<String>) {
        let table = if self.in_examples {
            self.examples.last_mut()
        } else {
            self.steps.last_mut().map(|step| &mut step.table)
        };
        if let Some(table) = table {
            table.push(cells);
        }
    }
}

/// The cells of a row of a table.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = line.chars().skip(1).peekable();
    while let Some(char) = chars.next() {
        let cell = cells.last_mut().expect("there is a cell");
        match char {
            '|' => cells.push(String::new()),
            '\\' if matches!(chars.peek(), Some('|' | '\\')) => cell.extend(chars.next()),
            '\\' if chars.peek() == Some(&'n') => {
                chars.next();
                cell.push('\n');
            }
            char => cell.push(char),
        }
    }
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn finish(outline: Outline, all: &mut Vec<Scenario>) {
    if outline.name.is_empty() {
        return;
    }
    if outline.examples.is_empty() {
        all.push(Scenario { folder: outline.folder, name: outline.name, steps: outline.steps });
        return;
    }
    let mut example = 0;
    for table in &outline.examples {
        let Some((header, rows)) = table.split_first() else { continue };
        for row in rows {
            let put_in = |text: &str| {
                header.iter().zip(row).fold(text.to_owned(), |text, (name, value)| {
                    text.replace(&format!("<{name}>"), value)
                })
            };
            let steps = outline.steps.iter().map(|step| Step {
                text: put_in(&step.text),
                doc: put_in(&step.doc),
                table: step
                    .table
                    .iter()
                    .map(|row| row.iter().map(|c| put_in(c)).collect())
                    .collect(),
            });
            example += 1;
            let name = format!("{} #{example}", put_in(&outline.name));
            let (folder, steps) = (outline.folder.clone(), steps.collect());
            all.push(Scenario { folder, name, steps });
        }
    }
}
