//! Figures into a table: medians per server, ratios taken round by round, and first what we lose.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::report::median;

/// What a figure counts; less is better in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Processor time of the server, in milliseconds of the whole row.
    CpuMillis,
    /// The same of one of many, in microseconds.
    CpuMicros,
    /// Milliseconds by the clock.
    Millis,
    /// Bytes.
    Bytes,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::CpuMillis => "CPU ms",
            Unit::CpuMicros => "CPU µs each",
            Unit::Millis => "ms",
            Unit::Bytes => "MB",
        }
    }

    fn shown(self, value: f64) -> String {
        match self {
            Unit::Bytes => format!("{:.1}", value / 1e6),
            _ if value >= 100.0 => format!("{value:.0}"),
            _ => format!("{value:.2}"),
        }
    }
}

/// A row: what was measured of each server, once a round.
struct Row {
    name: String,
    unit: Unit,
    /// The part of a peer's figure that ours is to be at most.
    aim: f64,
    sides: Vec<Vec<f64>>,
}

/// All figures; side 0 is Kvist.
pub(super) struct Rows {
    names: Vec<String>,
    rows: Vec<Row>,
    /// Lines that stand below the tables.
    pub notes: String,
}

impl Rows {
    /// An empty report on servers of these names.
    pub fn new(names: Vec<String>) -> Rows {
        Rows { names, rows: Vec::new(), notes: String::new() }
    }

    /// Adds a figure.
    pub fn add(&mut self, side: usize, name: &str, (unit, aim): (Unit, f64), value: f64) {
        let known = self.rows.iter().position(|row| row.name == name && row.unit == unit);
        let at = known.unwrap_or_else(|| {
            let sides = vec![Vec::new(); self.names.len()];
            self.rows.push(Row { name: name.to_owned(), unit, aim, sides });
            self.rows.len() - 1
        });
        self.rows[at].sides[side].push(value);
    }

    /// The rows in which a peer is ahead, and those in which we are not as far ahead as is wanted.
    pub fn losses(&self) -> (Vec<String>, Vec<String>) {
        let (mut lost, mut short) = (Vec::new(), Vec::new());
        for row in &self.rows {
            for (side, name) in self.names.iter().enumerate().skip(1) {
                let ratio = row.ratio(side);
                let unit = row.unit.name();
                if ratio > 1.0 {
                    lost.push(format!("{} ({unit}): {ratio:.2} of {name}", row.name));
                } else if ratio > row.aim {
                    let wanted = row.aim;
                    let text = format!("{ratio:.2} of {name}, wanted {wanted:.2}");
                    short.push(format!("{} ({unit}): {text}", row.name));
                }
            }
        }
        (lost, short)
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("## Graphs\n");
        // Writing to a string cannot fail.
        if self.names.len() > 1 {
            let (lost, short) = self.losses();
            for (title, rows) in [("Lost", lost), ("Ahead, but not as far as is wanted", short)] {
                let _ =
                    writeln!(text, "\n{title}: {}\n", if rows.is_empty() { "nothing" } else { "" });
                rows.iter().for_each(|row| text.push_str(&format!("* {row}\n")));
            }
        }
        text += "\n| row | unit |";
        self.names.iter().for_each(|name| text.push_str(&format!(" {name} |")));
        self.names.iter().skip(1).for_each(|name| text.push_str(&format!(" ÷ {name} |")));
        text += " wanted |\n|---|---|";
        text += &"---|".repeat(2 * self.names.len());
        for row in &self.rows {
            let _ = write!(text, "\n| {} | {} |", row.name, row.unit.name());
            for side in &row.sides {
                let value = median(side.clone());
                let shown = if value.is_nan() { "–".to_owned() } else { row.unit.shown(value) };
                let _ = write!(text, " {shown} |");
            }
            for side in 1..self.names.len() {
                let ratio = row.ratio(side);
                let shown = if ratio.is_nan() { "–".to_owned() } else { format!("{ratio:.2}") };
                let _ = write!(text, " {shown} |");
            }
            let _ = write!(text, " {:.2} |", row.aim);
        }
        text +=
            "\n\nMedians; ratios are taken round by round. CPU is that of the server's process.\n";
        text += &self.notes;
        text
    }

    /// Writes `graph.md` and `graph.csv`.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        let mut csv = String::from("server,row,unit,value\n");
        for row in &self.rows {
            for (name, values) in self.names.iter().zip(&row.sides) {
                let (title, unit) = (row.name.replace(',', ""), row.unit.name());
                for value in values {
                    let _ = writeln!(csv, "{name},{title},{unit},{value:.4}");
                }
            }
        }
        fs::write(dir.join("graph.csv"), csv)?;
        fs::write(dir.join("graph.md"), self.markdown())
    }
}

impl Row {
    /// Our figure over a peer's, the median of the rounds.
    fn ratio(&self, side: usize) -> f64 {
        let pairs = self.sides[0].iter().zip(&self.sides[side]);
        median(pairs.map(|(ours, theirs)| ours / theirs.max(1e-9)).collect())
    }
}
