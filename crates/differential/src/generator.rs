//! Draws the steps of one family: forms, scenarios, mutations, and the steps each command needs.
//!
//! The draw depends on the seed and on the list of muted commands alone, so that a seed names a
//! run.

use std::collections::BTreeSet;

use crate::command::{Command, Step};
use crate::families::{self, Family};
use crate::grammar::Form;
use crate::mutate::{kept_back, mutate, recase};
use crate::pools::{Draw, universe};
use crate::rng::Rng;

/// Draws steps.
#[derive(Debug)]
pub struct Generator {
    family: &'static Family,
    lists: Vec<(&'static Family, Vec<(usize, Form)>)>,
    rng: Rng,
    muted: BTreeSet<String>,
}

/// How many of 100 commands are changed into almost-valid ones.
const MUTATED: usize = 12;

impl Generator {
    /// A generator for a family; `rng` decides everything it draws.
    ///
    /// # Errors
    /// When a form does not parse.
    pub fn new(family: &'static Family, rng: Rng) -> Result<Self, String> {
        let mut lists = Vec::new();
        for family in families::every() {
            let mut forms = Vec::new();
            for (weight, text) in family.forms {
                forms.push((*weight, Form::parse(text)?));
            }
            lists.push((family, forms));
        }
        Ok(Self { family, lists, rng, muted: BTreeSet::new() })
    }

    /// The random source, for scenarios.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Draws no more of a command the other server does not know.
    pub fn mute(&mut self, name: String) {
        self.muted.insert(name);
    }

    /// At least `wanted` steps.
    pub fn steps(&mut self, wanted: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while steps.len() < wanted {
            if let Some((percent, scenario)) = self.family.scenario
                && self.rng.chance(percent)
            {
                steps.extend(scenario(self));
                continue;
            }
            let step = self.step_of(self.family.name);
            if step.command().is_some_and(|c| c.name() == "DBSIZE") {
                steps.push(touch_all());
            }
            steps.push(step);
        }
        let muted = |step: &Step| step.command().is_some_and(|c| self.muted.contains(&c.name()));
        steps.retain(|step| !muted(step));
        steps
    }

    /// One step of a family's forms.
    pub fn step_of(&mut self, family: &'static str) -> Step {
        loop {
            let command = self.draw(family);
            if kept_back(&command) {
                continue;
            }
            return match command.name().as_str() {
                "SCAN" | "HSCAN" | "SSCAN" | "ZSCAN" => Step::Scan(command),
                "SPOP" | "SRANDMEMBER" | "HRANDFIELD" | "ZRANDMEMBER" | "RANDOMKEY" => {
                    Step::Random(command)
                }
                name if name.contains("LEX") || command.has("BYLEX") => Step::Lexical(command),
                _ => Step::Send(command),
            };
        }
    }

    fn draw(&mut self, name: &str) -> Command {
        let Some((family, forms)) = self.lists.iter().find(|(family, _)| family.name == name)
        else {
            return Command::words(&["PING"]);
        };
        let total: usize = forms.iter().map(|(weight, _)| weight).sum();
        let mut place = self.rng.below(total);
        let mut chosen = &forms[0].1;
        for (weight, form) in forms {
            if place < *weight {
                chosen = form;
                break;
            }
            place -= weight;
        }
        let mut draw = Draw::new(Rng::new(self.rng.number(), ""), family.home);
        let mut args = chosen.draw(&mut draw);
        if self.rng.chance(MUTATED) {
            mutate(&mut args, &mut self.rng);
        }
        if self.rng.chance(5) {
            recase(&mut args, &mut self.rng);
        }
        Command::new(args)
    }
}

/// DBSIZE counts expired keys until a command looks at them: look at all of them first.
fn touch_all() -> Step {
    let mut args = vec![b"EXISTS".to_vec()];
    args.extend(universe());
    Step::Send(Command::new(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_a_run() {
        for &family in families::ALL {
            let draw = |seed| {
                let rng = Rng::new(seed, family.name);
                Generator::new(family, rng).unwrap().steps(300)
            };
            assert_eq!(draw(4), draw(4));
            assert_ne!(draw(4), draw(5));
        }
    }

    #[test]
    fn muted_commands_are_not_drawn() {
        let rng = Rng::new(1, "");
        let mut generator = Generator::new(&families::strings::FAMILY, rng).unwrap();
        generator.mute("SET".to_owned());
        let steps = generator.steps(2000);
        assert!(steps.iter().all(|s| s.command().is_none_or(|c| c.name() != "SET")));
    }
}
