//! GRAPH.SLOWLOG: answers the statements that took longest on a graph, or forgets them.

use ::graph::storage::SlowStatement;
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag, KeySpec, Protocol,
    Reply, Run, Spec,
};
use types::Graph;

use super::NO_GRAPH;

const UNKNOWN: CmdError = CmdError::new("Unknown subcommand");

/// The statements that took longest.
pub struct Slowlog<'a> {
    key: Key<'a>,
    word: Option<&'a [u8]>,
}

impl<'a> Command<'a> for Slowlog<'a> {
    const SPEC: Spec = Spec {
        name: "graph.slowlog",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Lists the slowest statements on a graph, or clears the list.",
        complexity: "O(1)",
        grammar: "key:key [RESET]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, word) = (args.key()?, args.take());
        if args.left() > 0 {
            return Err(base::error::wrong_arity("graph.slowlog"));
        }
        Ok(Slowlog { key, word })
    }
}

impl<H: Forks<Graph>> Run<H> for Slowlog<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let graph = host.peek(self.key)?.and_then(Graph::graph).ok_or(NO_GRAPH)?;
        match self.word {
            None => {
                let statements = graph.slow_log().statements();
                out.array(statements.len());
                statements.iter().for_each(|statement| write(statement, out));
            }
            Some(word) if word.eq_ignore_ascii_case(b"reset") => {
                graph.slow_log().clear();
                out.ok();
            }
            Some(_) => return Err(UNKNOWN),
        }
        // What is remembered is no part of what the key holds: nothing is journalled or told.
        Ok(Effect::None)
    }
}

fn write(statement: &SlowStatement, out: &mut dyn Reply) {
    out.array(5);
    match out.protocol() {
        Protocol::Resp2 => out.bulk(statement.at.to_string().as_bytes()),
        Protocol::Resp3 => out.double_digits(&statement.at.to_string()),
    }
    out.bulk(statement.command.as_bytes());
    out.bulk(statement.query.as_bytes());
    out.bulk(five_digits(statement.millis).as_bytes());
    out.bulk_or_null(statement.parameters.as_ref().map(|text| text.as_bytes()));
}

/// A number of milliseconds with five digits: 12.346, 264.33, 41360.
fn five_digits(millis: f64) -> String {
    let before = millis.max(1.0).log10().floor().clamp(0.0, 4.0);
    // Between 0 and 4.
    let text = format!("{millis:.*}", 4 - before as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::five_digits;

    #[test]
    fn five_digits_are_shown() {
        for (millis, text) in [
            (12.3456, "12.346"),
            (264.3334, "264.33"),
            (41_360.2, "41360"),
            (123_456.7, "123457"),
            (2517.0, "2517"),
            (44.92, "44.92"),
            (0.5, "0.5"),
        ] {
            assert_eq!(five_digits(millis), text);
        }
    }
}
