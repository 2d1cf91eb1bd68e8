//! The report as RedisJSON's own has it: an operation to a line, a way of keeping documents to a
//! column, on each server.

use std::fmt::Write as _;

use super::rows::{Row, Way};
use super::{Options, Side};
use crate::report::{Report, median};
use crate::scripting::NO_SCRIPTS;

const WAYS: [(Way, &str); 3] =
    [(Way::Document, "JSON.*"), (Way::Text, "Lua json"), (Way::MessagePack, "Lua msgpack")];

/// The tables, one to a shape. The last column divides what `JSON.*` of the first server costs by
/// the cheapest script of another, round by round.
pub(super) fn tables(
    rows: &[Row],
    sides: &[Side<'_>],
    report: &Report,
    options: &Options,
) -> String {
    let mut operations: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.way != Way::String) {
        if !operations.contains(&row.operation.as_str()) {
            operations.push(&row.operation);
        }
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    for &shape in &options.shapes {
        let _ = write!(text, "\n| CPU µs/op {shape} |");
        for side in sides {
            for (_, title) in WAYS {
                let _ = write!(text, " {} {title} |", side.peer.name);
            }
        }
        text += " JSON.* ÷ the others' best script |\n|---|";
        text += &"---|".repeat(sides.len() * WAYS.len() + 1);
        for operation in &operations {
            let _ = write!(text, "\n| {operation} |");
            let mut best: Option<Vec<f64>> = None;
            for (number, side) in sides.iter().enumerate() {
                for (way, _) in WAYS {
                    let row = rows.iter().find(|r| r.way == way && r.operation == *operation);
                    let costs = row.map(|row| report.costs(number, &row.name, shape));
                    let costs = costs.unwrap_or_default();
                    let _ = match (costs.is_empty(), way) {
                        (false, _) => write!(text, " {:.2} |", median(costs.clone())),
                        (true, Way::Document) => write!(text, " – |"),
                        (true, _) if side.scripts => write!(text, " – |"),
                        (true, _) => write!(text, " {NO_SCRIPTS} |"),
                    };
                    let cheaper = |best: &Vec<f64>| median(costs.clone()) < median(best.clone());
                    let counts = number > 0 && way != Way::Document && !costs.is_empty();
                    if counts && best.as_ref().is_none_or(cheaper) {
                        best = Some(costs);
                    }
                }
            }
            let ours = rows.iter().find(|r| r.way == Way::Document && r.operation == *operation);
            let ours = ours.map(|row| report.costs(0, &row.name, shape)).unwrap_or_default();
            let pairs = ours.iter().zip(best.iter().flatten());
            let _ = write!(text, " {:.2} |", median(pairs.map(|(a, b)| a / b.max(1e-9)).collect()));
        }
        text.push('\n');
    }
    text
}
