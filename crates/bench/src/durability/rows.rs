//! Figures into tables: medians per server, ratios to Kvist's first peer, and what the kills said.

use std::fmt::{Display, Write as _};
use std::fs;
use std::io;
use std::path::Path;

use super::peers::{Home, Policy, Program};
use super::recovery::PUBLISHED;
use super::survive::Survival;
use super::{Options, PARTS};
use crate::chart;
use crate::report::median;

/// One figure of one round.
struct Figure {
    part: &'static str,
    row: String,
    server: usize,
    metric: &'static str,
    value: f64,
}

/// What a kill of a server said about a row.
struct Told {
    part: &'static str,
    row: String,
    server: usize,
    text: String,
}

/// All figures of a report; server 0 is Kvist.
pub(super) struct Rows {
    names: Vec<String>,
    figures: Vec<Figure>,
    told: Vec<Told>,
    failures: Vec<String>,
}

impl Rows {
    /// An empty report on these programs, which are asked for their versions.
    pub fn new(programs: &[Program], options: &Options) -> io::Result<Self> {
        let mut names = Vec::new();
        for program in programs {
            let home = Home::new(&options.dir)?;
            let peer = program.start(home.path(), Policy::Off)?;
            names.push(format!("{} {}", program.name, peer.version));
        }
        Ok(Self { names, figures: Vec::new(), told: Vec::new(), failures: Vec::new() })
    }

    /// Adds a figure.
    pub fn add(
        &mut self,
        part: &'static str,
        row: &str,
        server: usize,
        metric: &'static str,
        value: f64,
    ) {
        self.figures.push(Figure { part, row: row.to_owned(), server, metric, value });
    }

    /// Adds what a kill said; the last word counts.
    pub fn told(&mut self, part: &'static str, row: &str, server: usize, text: String) {
        self.told.retain(|told| (told.part, &*told.row, told.server) != (part, row, server));
        self.told.push(Told { part, row: row.to_owned(), server, text });
    }

    /// Gives what was measured; a failure is kept for the end, so that the rest is measured too.
    pub fn note<T>(&mut self, server: usize, row: &str, result: io::Result<T>) -> Option<T> {
        result.map_err(|error| self.fail(server, row, &error)).ok()
    }

    fn fail(&mut self, server: usize, row: &str, why: &dyn Display) {
        let text = format!("{}: {row}: {why}", self.names[server]);
        eprintln!("FAILED {text}");
        self.failures.push(text);
    }

    /// Adds what a kill came to.
    pub fn survived(
        &mut self,
        part: &'static str,
        row: &str,
        server: usize,
        policy: Policy,
        result: io::Result<Survival>,
    ) {
        let Some(survival) = self.note(server, row, result) else { return };
        let Survival { acked, found, forgot, kept } = survival;
        let text = match policy {
            Policy::Off => format!("{found} of {acked} (none promised)"),
            _ if found == acked => format!("{found} of {acked}"),
            _ => format!("{found} of {acked}, the last {:.2} s missing", forgot.as_secs_f64()),
        };
        if !kept {
            self.fail(server, row, &format!("lost what was acknowledged: {text}"));
        }
        self.told(part, row, server, text);
    }

    /// An error that lists what failed.
    pub fn verdict(&self) -> io::Result<()> {
        if self.failures.is_empty() {
            return Ok(());
        }
        Err(io::Error::other(format!("failed:\n  {}", self.failures.join("\n  "))))
    }

    /// Writes `durability.csv`, `.md` and a chart per part.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        fs::write(dir.join("durability.csv"), self.csv())?;
        fs::write(dir.join("durability.md"), self.markdown())?;
        for (part, metric, title) in [
            ("rates", "CPU µs/op", "SERVER CPU, MICROSECONDS PER WRITE (LESS IS BETTER)"),
            ("snapshot", "p99 ms with", "P99 OF WRITES DURING SNAPSHOTS, MS (LESS IS BETTER)"),
            ("recovery", "s", "SECONDS FROM START TO FIRST ANSWER (LESS IS BETTER)"),
        ] {
            let groups: Vec<chart::Group> = self
                .rows_of(part)
                .into_iter()
                .map(|row| chart::Group {
                    title: row.clone(),
                    values: (0..self.names.len())
                        .map(|who| self.median(part, &row, who, metric))
                        .map(|value| if value.is_finite() { value } else { 0.0 })
                        .collect(),
                })
                .collect();
            if !groups.is_empty() {
                let file = dir.join(format!("durability-{part}.png"));
                chart::write(&file, title, &self.names, &groups)?;
            }
        }
        Ok(())
    }

    /// The tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for part in PARTS {
            let rows = self.rows_of(part);
            if rows.is_empty() {
                continue;
            }
            let metrics = self.metrics_of(part);
            let _ = write!(text, "## {part}\n\n| |");
            for name in &self.names {
                let _ = write!(text, " {name}: {} · after kill -9 |", metrics.join(" · "));
            }
            let published = part == "recovery";
            text += if published { " NeuroIndex, published: s |" } else { "" };
            text += if self.names.len() > 1 { " first ÷ second |" } else { "" };
            let ratio = usize::from(self.names.len() > 1);
            let columns = self.names.len() + usize::from(published) + ratio;
            let _ = write!(text, "\n|---|{}", "---|".repeat(columns));
            for row in rows {
                let _ = write!(text, "\n| {row} |");
                for who in 0..self.names.len() {
                    let figures = metrics.iter().map(|m| shown(self.median(part, &row, who, m)));
                    let told = self
                        .told
                        .iter()
                        .find(|told| (told.part, &told.row, told.server) == (part, &row, who));
                    let told = told.map_or("-", |told| &told.text);
                    let _ = write!(text, " {} · {told} |", figures.collect::<Vec<_>>().join(" · "));
                }
                if published {
                    let keys = row.split(' ').next().and_then(|n| n.parse::<u64>().ok());
                    let found = PUBLISHED.iter().find(|(size, _)| Some(*size) == keys);
                    let _ = write!(text, " {} |", found.map_or("-".into(), |(_, s)| s.to_string()));
                }
                if self.names.len() > 1 {
                    let ratios = metrics.iter().map(|m| shown(self.ratio(part, &row, m)));
                    let _ = write!(text, " {} |", ratios.collect::<Vec<_>>().join(" · "));
                }
            }
            text += "\n\n";
        }
        text += "Servers and what they fork share processor 0, the load has processor 1; \
                 recoveries have all processors if not said otherwise. Figures are medians; ratios \
                 are taken round by round.\n";
        for failure in &self.failures {
            let _ = writeln!(text, "\n**FAILED** {failure}");
        }
        text
    }

    fn csv(&self) -> String {
        let mut text = String::from("part,row,server,metric,value\n");
        for Figure { part, row, server, metric, value } in &self.figures {
            let name = &self.names[*server];
            let _ = writeln!(text, "{part},{},{name},{metric},{value:.6}", row.replace(',', ";"));
        }
        text
    }

    fn rows_of(&self, part: &str) -> Vec<String> {
        let mut rows = Vec::new();
        for figure in self.figures.iter().filter(|figure| figure.part == part) {
            if !rows.contains(&figure.row) {
                rows.push(figure.row.clone());
            }
        }
        rows
    }

    fn metrics_of(&self, part: &str) -> Vec<&'static str> {
        let mut metrics = Vec::new();
        for figure in self.figures.iter().filter(|figure| figure.part == part) {
            if !metrics.contains(&figure.metric) {
                metrics.push(figure.metric);
            }
        }
        metrics
    }

    fn values(&self, part: &str, row: &str, server: usize, metric: &str) -> Vec<f64> {
        let wanted =
            |f: &&Figure| (f.part, &*f.row, f.server, f.metric) == (part, row, server, metric);
        self.figures.iter().filter(wanted).map(|figure| figure.value).collect()
    }

    fn median(&self, part: &str, row: &str, server: usize, metric: &str) -> f64 {
        median(self.values(part, row, server, metric))
    }

    fn ratio(&self, part: &str, row: &str, metric: &str) -> f64 {
        let second = self.values(part, row, 1, metric);
        let pairs = self.values(part, row, 0, metric).into_iter().zip(second);
        median(pairs.map(|(a, b)| a / b.max(1e-9)).collect())
    }
}

fn shown(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 1000.0 => format!("{v:.0}"),
        v => format!("{v:.3}"),
    }
}
