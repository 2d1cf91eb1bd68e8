//! A plan as a tree of operators, to be shown.

use std::fmt;

/// An operator, and those it takes its rows from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// What it does.
    pub name: String,
    /// What it does that with.
    pub details: String,
    /// How many rows it has made, if it has run.
    pub rows: Option<u64>,
    /// What it takes its rows from.
    pub children: Vec<Explained>,
}

impl Explained {
    /// An operator.
    #[must_use]
    pub fn new(name: &str, details: impl Into<String>, children: Vec<Explained>) -> Explained {
        Explained { name: name.to_owned(), details: details.into(), rows: None, children }
    }

    /// The lines of the tree, the deeper the further in.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.append_lines(0, &mut lines);
        lines
    }

    fn append_lines(&self, depth: usize, lines: &mut Vec<String>) {
        let mut line = format!("{}{}", "    ".repeat(depth), self.name);
        if !self.details.is_empty() {
            line.push_str(" | ");
            line.push_str(&self.details);
        }
        if let Some(rows) = self.rows {
            line.push_str(&format!(" | Records produced: {rows}"));
        }
        lines.push(line);
        self.children.iter().for_each(|child| child.append_lines(depth + 1, lines));
    }
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}
