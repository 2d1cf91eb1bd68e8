//! The text format of Prometheus, version 0.0.4.

use std::fmt::{Display, Write};

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A number that only grows.
    Counter,
    /// A number.
    Gauge,
    /// Counts of what was at most so much.
    Histogram,
    /// Shares of what was at most so much.
    Summary,
}

impl MetricKind {
    fn word(self) -> &'static str {
        match self {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
            MetricKind::Summary => "summary",
        }
    }
}

/// A page of metrics.
#[derive(Default)]
pub struct Page(String);

impl Page {
    /// Begins a metric. All its samples follow at once.
    pub fn metric(&mut self, name: &str, kind: MetricKind, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {}", kind.word());
    }

    /// A sample.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            self.0.push(if at == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            for c in text.chars() {
                match c {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    c => self.0.push(c),
                }
            }
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// A metric of one sample.
    pub fn one(&mut self, name: &str, kind: MetricKind, help: &str, value: impl Display) {
        self.metric(name, kind, help);
        self.sample(name, &[], value);
    }

    /// The text.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }
}

/// A whole number of parts, such as nanoseconds, as a decimal fraction of the whole.
#[must_use]
pub fn decimal(parts: u64, digits: usize) -> String {
    let scale = 10_u64.pow(u32::try_from(digits).unwrap_or(0));
    let fraction = format!("{:0digits$}", parts % scale);
    match fraction.trim_end_matches('0') {
        "" => (parts / scale).to_string(),
        fraction => format!("{}.{fraction}", parts / scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_labels() {
        let mut page = Page::default();
        page.metric("a", MetricKind::Gauge, "A.");
        page.sample("a", &[("x", "1\"2\\3\n"), ("y", "")], 1.5);
        page.sample("a", &[], 2);
        let text = "# HELP a A.\n# TYPE a gauge\na{x=\"1\\\"2\\\\3\\n\",y=\"\"} 1.5\na 2\n";
        assert_eq!(page.finish(), text);
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal(1_500_000_000, 9), "1.5");
        assert_eq!(decimal(1, 9), "0.000000001");
        assert_eq!(decimal(0, 9), "0");
        assert_eq!(decimal(7_000, 3), "7");
    }
}
