//! Figures into tables: medians per server, ratios taken round by round.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::chart;
use crate::load::{Sample, Shape};
use crate::peer::Peer;

/// One run of one test on one server.
pub(crate) struct Cell {
    pub peer: usize,
    pub shape: Shape,
    pub sample: Sample,
}

/// Bytes per key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// By the server's own account.
    pub used: f64,
    /// By the kernel's.
    pub resident: f64,
}

/// What keys of one kind take on every server.
pub(crate) struct KeyGroup {
    pub title: String,
    pub memory: Vec<Memory>,
}

/// All figures of a report; peer 0 is Kvist.
pub(crate) struct Report {
    /// What its files are called.
    file: &'static str,
    names: Vec<String>,
    pub kinds: Vec<KeyGroup>,
    pub cells: Vec<Cell>,
    /// Which servers could not do which tests, and why.
    gaps: Vec<Gap>,
    /// What stands below the tables, as Markdown.
    pub notes: String,
}

/// A test that a server cannot do.
struct Gap {
    peer: usize,
    test: String,
    why: &'static str,
}

/// One row of the summary: a test in a shape, with one entry per server.
struct Row {
    title: String,
    /// Medians: CPU-µs, its user part, rate, p50, p99.
    medians: Vec<[f64; 5]>,
    /// Kvist's CPU over the server's, median of the rounds' ratios.
    ratios: Vec<f64>,
    /// Why a server was not measured.
    gaps: Vec<Option<&'static str>>,
}

impl Report {
    /// An empty report about these servers.
    pub fn new(file: &'static str, peers: &[Peer]) -> Self {
        let names = peers.iter().map(|p| format!("{} {}", p.name, p.version)).collect();
        let (kinds, cells, gaps) = (Vec::new(), Vec::new(), Vec::new());
        Report { file, names, kinds, cells, gaps, notes: String::new() }
    }

    /// Says in the table that a server cannot do a test, in whatever shape.
    pub fn cannot(&mut self, peer: usize, test: &str, why: &'static str) {
        self.gaps.push(Gap { peer, test: test.to_owned(), why });
    }

    /// What a test cost a server in each round, in CPU µs.
    pub fn costs(&self, peer: usize, test: &str, shape: Shape) -> Vec<f64> {
        self.of(peer, test, shape).iter().map(|sample| sample.cpu).collect()
    }

    /// Writes a CSV, a Markdown and a PNG file.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        let file = |ending: &str| dir.join(format!("{}.{ending}", self.file));
        fs::write(file("csv"), self.csv())?;
        fs::write(file("md"), self.markdown())?;
        let rows = self.rows();
        let groups: Vec<chart::Group> = rows
            .iter()
            .map(|row| chart::Group {
                title: row.title.clone(),
                values: row
                    .medians
                    .iter()
                    .map(|m| if m[0].is_nan() { 0.0 } else { m[0] })
                    .collect(),
            })
            .collect();
        chart::write(
            &file("png"),
            "SERVER CPU, MICROSECONDS PER OPERATION (LESS IS BETTER)",
            &self.names,
            &groups,
        )
    }

    /// The tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("| test |");
        for name in &self.names {
            let _ = write!(text, " {name}: CPU µs/op (user) · op/s · p50/p99 ms |");
        }
        for name in &self.names[1..] {
            let _ = write!(text, " CPU ÷ {name} |");
        }
        text += "\n|---|";
        text += &"---|".repeat(self.names.len() * 2 - 1);
        for row in self.rows() {
            let _ = write!(text, "\n| {} |", row.title);
            for ([cpu, user, rate, p50, p99], gap) in row.medians.iter().zip(&row.gaps) {
                if let Some(why) = gap {
                    let _ = write!(text, " {why} |");
                    continue;
                }
                let _ = write!(text, " {cpu:.3} ({user:.3}) · {rate:.0} · {p50:.2}/{p99:.2} |");
            }
            for ratio in &row.ratios {
                let _ = write!(text, " {ratio:.2} |");
            }
        }
        text.push('\n');
        text += &self.memory();
        text += &self.notes;
        // Where a server was not measured there is no number.
        text.replace("NaN", "–")
    }

    /// What keys take, by the servers' own account and by the kernel's.
    fn memory(&self) -> String {
        if self.kinds.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n| bytes per key |");
        for name in &self.names {
            let _ = write!(text, " {name}: own account · resident |");
        }
        for name in &self.names[1..] {
            let _ = write!(text, " own account ÷ {name} |");
        }
        text += "\n|---|";
        text += &"---|".repeat(self.names.len() * 2 - 1);
        for KeyGroup { title, memory } in &self.kinds {
            let _ = write!(text, "\n| {title} |");
            for Memory { used, resident } in memory {
                let _ = write!(text, " {used:.1} · {resident:.1} |");
            }
            for peer in &memory[1..] {
                let _ = write!(text, " {:.2} |", memory[0].used / peer.used);
            }
        }
        text.push('\n');
        text
    }

    fn csv(&self) -> String {
        let mut text =
            String::from("server,test,clients,pipeline,rate,p50_ms,p99_ms,cpu_us,user_us\n");
        for Cell { peer, shape, sample } in &self.cells {
            let _ = writeln!(
                text,
                "{},{},{},{},{:.1},{:.3},{:.3},{:.4},{:.4}",
                self.names[*peer],
                sample.test.replace(',', ";"),
                shape.clients,
                shape.pipeline,
                sample.rate,
                sample.p50,
                sample.p99,
                sample.cpu,
                sample.user
            );
        }
        text
    }

    fn rows(&self) -> Vec<Row> {
        let mut titles: Vec<(String, Shape)> = Vec::new();
        for cell in &self.cells {
            let title = (cell.sample.test.clone(), cell.shape);
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles.into_iter().map(|(test, shape)| self.row(&test, shape)).collect()
    }

    /// The samples of a test, one for each round.
    fn of(&self, peer: usize, test: &str, shape: Shape) -> Vec<&Sample> {
        self.cells
            .iter()
            .filter(|c| c.peer == peer && c.shape == shape && c.sample.test == test)
            .map(|c| &c.sample)
            .collect()
    }

    fn row(&self, test: &str, shape: Shape) -> Row {
        let of = |peer: usize| self.of(peer, test, shape);
        let kvist = of(0);
        let medians = (0..self.names.len()).map(|peer| {
            let samples = of(peer);
            let part = |f: fn(&Sample) -> f64| median(samples.iter().map(|s| f(s)).collect());
            [part(|s| s.cpu), part(|s| s.user), part(|s| s.rate), part(|s| s.p50), part(|s| s.p99)]
        });
        let ratios = (1..self.names.len()).map(|peer| {
            let pairs = kvist.iter().zip(of(peer));
            median(pairs.map(|(k, p)| k.cpu / p.cpu.max(1e-9)).collect())
        });
        Row {
            title: format!("{test} {shape}"),
            medians: medians.collect(),
            ratios: ratios.collect(),
            gaps: (0..self.names.len())
                .map(|peer| {
                    let mut gaps = self.gaps.iter();
                    gaps.find(|gap| gap.peer == peer && gap.test == test).map(|gap| gap.why)
                })
                .collect(),
        }
    }
}

/// The middle value; not a number if there is none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
    }
}
