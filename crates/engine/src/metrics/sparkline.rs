//! A chart made of characters: `LATENCY GRAPH`.
//!
//! ```text
//!    #       a column per sample, four rows of three levels each: `_`, `o`, `#`,
//!    |       and `|` under a higher level
//!   o|
//!   ||o_#
//!
//!   54321    its label, downwards
//!   sssss
//! ```

/// Columns of a chart; more samples make another one below it.
pub(crate) const COLUMNS: usize = 80;
/// Rows of a chart.
const ROWS: usize = 4;
/// The levels within a row, lowest first.
const LEVELS: [char; 3] = ['_', 'o', '#'];

/// Draws samples with their labels. Each line ends with a line feed.
pub(crate) fn draw(samples: &[(u64, String)]) -> String {
    let lowest = samples.iter().map(|sample| sample.0).min().unwrap_or(0);
    let highest = samples.iter().map(|sample| sample.0).max().unwrap_or(0);
    let span = u128::from(highest - lowest).max(1);
    let steps = ROWS * LEVELS.len();
    let level = |value: u64| {
        let level = u128::from(value - lowest) * steps as u128 / span;
        usize::try_from(level).unwrap_or(steps).min(steps - 1)
    };
    let charts = samples.chunks(COLUMNS).map(|part| {
        let rows = (0..ROWS).rev().map(|row| line(part, |sample| shown(level(sample.0), row)));
        let chart: String = rows.collect();
        let height = part.iter().map(|sample| sample.1.len()).max().unwrap_or(0);
        let label = |at: usize| line(part, |sample| sample.1.chars().nth(at).unwrap_or(' '));
        let labels: String = (0..height).map(label).collect();
        format!("{chart}{}{labels}", line(part, |_| ' '))
    });
    charts.collect::<Vec<_>>().join("\n")
}

fn line(part: &[(u64, String)], column: impl Fn(&(u64, String)) -> char) -> String {
    part.iter().map(column).chain(['\n']).collect()
}

/// What a column shows in a row, counted from below.
fn shown(level: usize, row: usize) -> char {
    match level.checked_sub(row * LEVELS.len()) {
        None => ' ',
        Some(within) => LEVELS.get(within).copied().unwrap_or('|'),
    }
}

#[cfg(test)]
mod tests {
    use super::draw;

    /// What redis-server 7.0.15 drew of the same samples.
    #[test]
    fn charts_are_those_of_redis() {
        let values = [(50, "5s"), (132, "4s"), (20, "3s"), (5, "2s"), (30, "1s")];
        let samples = values.map(|(value, label)| (value, label.to_owned()));
        let expected = " #   \n |   \no|   \n||o_#\n     \n54321\nsssss\n";
        assert_eq!(draw(&samples), expected);
    }

    #[test]
    fn equal_samples_are_low_and_long_rows_are_cut() {
        let samples = vec![(7, "1m".to_owned()); 81];
        let chart = draw(&samples);
        assert_eq!(chart.lines().count(), 2 * 7 + 1);
        assert_eq!(chart.lines().nth(3), Some(&*"_".repeat(80)));
        assert!(chart.contains("\n\n") && chart.ends_with("1\nm\n"));
        assert_eq!(draw(&[]), "");
    }
}
