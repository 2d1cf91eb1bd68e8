//! The page of the documents that says what passes of the kit, and what fails.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Scenario;

/// What a scenario has come to.
pub struct Outcome<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Why it fails, if it does.
    pub why: Option<String>,
}

/// How many pass, of how many.
#[derive(Clone, Copy, Default)]
struct Count {
    passed: usize,
    of: usize,
}

const INTRODUCTION: &str = "\
# openCypher's compatibility kit

<!-- Written by a test: KVIST_TCK_WRITE=1 cargo test -p kvist-graph --test all kit:: -->

The openCypher project publishes scenarios that tell whether a database speaks its language: a
graph, a statement, and the rows, side effects or error that it has to come to. A test runs all of
them, and fails where this page says anything else. An error counts only if it is of the class, of
the phase (compile time or runtime) and of the detail that the scenario names, and if the graph is
as it was before.
";

const NONE: &str = "No scenario fails: of no class, in no phase.\n";

/// What stands before a scenario that fails.
const ITEM: &str = "* `";

/// The page.
pub fn write(outcomes: &[Outcome<'_>]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let all = outcomes.iter().fold(Count::default(), Count::with);
    let _ =
        write!(page, "\n**{} of {} scenarios pass.**\n", thousands(all.passed), thousands(all.of));
    table(&mut page, "## By what they are about", "folder", outcomes, |it| it.folder.clone());
    table(&mut page, "## By what is expected", "class and phase of error", outcomes, expected);
    page.push_str("\n## What fails\n\n");
    let failing: Vec<_> = outcomes.iter().filter(|it| it.why.is_some()).collect();
    if failing.is_empty() {
        page.push_str(NONE);
    }
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for it in failing {
        groups.entry(expected(it.scenario)).or_default().push(it.scenario.line());
    }
    for (number, (group, lines)) in groups.iter_mut().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        let _ = write!(page, "{gap}### {group}\n\n");
        lines.sort();
        for line in lines {
            let _ = writeln!(page, "{ITEM}{line}`");
        }
    }
    page
}

/// The scenarios that a page says fail.
pub fn failing(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| line.strip_prefix(ITEM)?.strip_suffix('`'))
}

/// What a scenario expects: rows, or a class of error in a phase.
fn expected(scenario: &Scenario) -> String {
    let Some((phase, _)) = scenario.failure() else { return "rows, or side effects".to_owned() };
    format!("{} at {phase}", scenario.failure_class())
}

fn table(
    page: &mut String,
    title: &str,
    of: &str,
    outcomes: &[Outcome<'_>],
    group: impl Fn(&Scenario) -> String,
) {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for it in outcomes {
        let count = counts.entry(group(it.scenario)).or_default();
        *count = count.with(it);
    }
    let _ = write!(page, "\n{title}\n\n| {of} | pass | of |\n| --- | ---: | ---: |\n");
    for (name, Count { passed, of }) in counts {
        let _ = writeln!(page, "| {name} | {} | {} |", thousands(passed), thousands(of));
    }
}

impl Count {
    fn with(self, it: &Outcome<'_>) -> Self {
        Count { passed: self.passed + usize::from(it.why.is_none()), of: self.of + 1 }
    }
}

/// Below a million.
fn thousands(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{thousands},{:03}", number % 1000),
    }
}

mod tests {
    use super::super::Step;
    use super::*;

    fn scenario(name: &str, step: &str) -> Scenario {
        let steps = vec![Step { text: step.to_owned(), ..Step::default() }];
        Scenario { folder: "clauses/match".to_owned(), name: name.to_owned(), steps }
    }

    #[test]
    fn a_page_lists_what_fails_by_class_and_phase() {
        let rows = scenario("a", "the result should be, in any order:");
        let early = scenario("b", "a SyntaxError should be raised at compile time: X");
        let late = scenario("c", "a TypeError should be raised at runtime: Y");
        let of = |scenario, fails: bool| Outcome { scenario, why: fails.then(|| "so".to_owned()) };
        let page = write(&[of(&rows, false), of(&early, true), of(&late, true), of(&rows, true)]);
        assert!(page.contains("**1 of 4 scenarios pass.**"), "{page}");
        assert!(page.contains("| clauses/match | 1 | 4 |"), "{page}");
        assert!(page.contains("| SyntaxError at compile time | 0 | 1 |"), "{page}");
        assert!(page.contains("\n### TypeError at runtime\n\n* `clauses/match: c`\n"), "{page}");
        let failing: Vec<&str> = failing(&page).collect();
        assert_eq!(failing, ["clauses/match: b", "clauses/match: c", "clauses/match: a"]);
        assert!(!page.contains(NONE));
        assert!(write(&[of(&rows, false)]).ends_with(NONE));
    }
}
