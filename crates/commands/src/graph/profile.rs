//! GRAPH.PROFILE: runs a statement, and answers how many rows its operators made.

use ::graph::query::Answer;
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Query, Reply, Run, Spec,
};
use types::Graph;

use super::install::install;
use super::options::Options;
use super::statement::Statement;

/// Runs a statement and shows its operators.
pub struct Profile<'a> {
    key: Key<'a>,
    text: &'a [u8],
    options: Options,
    edited: Option<Edited>,
}

impl<'a> Command<'a> for Profile<'a> {
    const SPEC: Spec = Spec {
        name: "graph.profile",
        group: Group::Graph,
        since: "1.0.0",
        summary: "Runs an openCypher statement on a graph, and shows what its operators did.",
        complexity: "As much as the statement does",
        grammar: "key:key query:string [TIMEOUT timeout:integer]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Graph],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let (key, text) = (args.key()?, args.next()?);
        Ok(Profile { key, text, options: Options::parse(&mut args)?, edited })
    }
}

impl<H: Forks<Graph>> Run<H> for Profile<'_> {
    fn run(self, host: &mut H, _: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, "graph.profile", edited)?
        {
            return Ok(effect);
        }
        let is_there = host.peek(self.key)?.is_some();
        let statement = Statement::new(host, self.text, self.options)?;
        let mut statement = statement.with_text("GRAPH.PROFILE", self.text);
        statement.profile = true;
        if is_there
            && !statement.writes()
            && let Some(version) = host.share(self.key)?
        {
            return Ok(Effect::Query(Query::over_with_words(
                version,
                move |graph, words, pace, out| {
                    let answer = statement.read(graph, words, pace, &*out)?;
                    show(&statement, &answer, out);
                    Ok(())
                },
            )));
        }
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, pace, out| {
            let answer = statement.write(fork, words, pace, &*out)?;
            show(&statement, &answer, out);
            Ok(())
        })))
    }
}

/// Writes the operators, each with its rows. Their times are not taken apart: all of it is told of
/// the last one, as clients want a time in each line.
fn show(statement: &Statement, answer: &Answer, out: &mut dyn Reply) {
    let lines = answer.profile.as_ref().map(|profile| profile.lines()).unwrap_or_default();
    out.array(lines.len());
    for (number, line) in lines.iter().enumerate() {
        let took = statement.took().as_secs_f64() * 1000.0;
        let millis = if number == 0 { took } else { 0.0 };
        out.bulk(format!("{line}, Execution time: {millis:.6} ms").as_bytes());
    }
}
