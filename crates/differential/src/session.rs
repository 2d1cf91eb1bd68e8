//! One run of one family under one protocol: draw, run, compare, repair, shrink, report.
//!
//! A difference does not end the run. The keys it touched are deleted on both servers, later
//! differences of the same pipeline on the same keys are taken for its consequences, and the run
//! goes on: one run should show all it can. What is new is shrunk on a second pair of servers.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::command::{Command, Step};
use crate::families::Family;
use crate::generator::Generator;
use crate::keyspace::Mismatch;
use crate::known::Known;
use crate::pair::{Finding, Pair};
use crate::pools::universe;
use crate::report::{Group, Report};
use crate::rng::Rng;
use crate::shrink::{minimise, shorten};
use testkit::server::Program;

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The oracle and the server under test.
    pub programs: [Program; 2],
    /// The seed.
    pub seed: u64,
    /// How many steps.
    pub steps: usize,
    /// 2 or 3.
    pub protocol: u8,
    /// After how many different differences to stop.
    pub most: usize,
    /// Differences that are meant.
    pub known: Known,
}

/// Steps drawn at once.
const BATCH: usize = 50;
/// Steps between two comparisons of all data.
const COMPARE_EVERY: usize = 200;
/// Steps after which both servers are emptied, so that a history stays short enough to shrink.
const EPOCH: usize = 4000;
/// How often one kind of difference in the data is shrunk (each time another command may be to
/// blame).
const SHRUNK_PER_KIND: usize = 3;
/// How much one shrinking may take.
const SHRINK_RUNS: usize = 500;
const SHRINK_TIME: Duration = Duration::from_secs(8);

/// What a shrunk list must still show.
#[derive(Clone, Debug)]
enum Goal {
    Reply { title: String, kind: String },
    Data { kind: String },
}

/// What was sent and what came back, as the report shows it.
#[derive(Clone, Debug)]
struct Evidence {
    sent: String,
    replies: [String; 2],
}

impl Evidence {
    fn of_data(mismatch: &Mismatch) -> Self {
        let key = Command::new(vec![mismatch.key.clone()]);
        let sent = format!("(data of {key} in database {})", mismatch.database);
        Self { sent, replies: mismatch.found.clone() }
    }
}

/// A shrunk case.
struct Case {
    steps: Vec<Step>,
    evidence: Evidence,
    repeats: bool,
}

struct Session<'a> {
    settings: &'a Settings,
    family: &'static Family,
    pair: Pair,
    fresh: Option<Pair>,
    generator: Generator,
    history: Vec<Step>,
    universe: BTreeSet<Vec<u8>>,
    data_kinds: BTreeMap<String, usize>,
    report: Report,
}

/// Runs a family.
///
/// # Errors
/// When the family's list does not parse. A server that does not start is in the report.
pub fn run(family: &'static Family, settings: &Settings) -> Result<Report, String> {
    let protocol = settings.protocol;
    let stream = format!("{}/{protocol}", family.name);
    let generator = Generator::new(family, Rng::new(settings.seed, &stream))?;
    let [oracle, tested] = &settings.programs;
    let report = Report {
        heading: format!("{} RESP{protocol} seed {}", family.name, settings.seed),
        names: [oracle.name(), tested.name()],
        ..Report::default()
    };
    let pair = match Pair::start([oracle, tested], protocol, Duration::from_secs(5)) {
        Ok(pair) => pair,
        Err(error) => return Ok(Report { stopped: Some(error.to_string()), ..report }),
    };
    let mut session = Session {
        settings,
        family,
        pair,
        fresh: None,
        generator,
        history: Vec::new(),
        universe: universe(),
        data_kinds: BTreeMap::new(),
        report,
    };
    if let Err(error) = session.all() {
        session.report.stopped = Some(error.to_string());
    }
    Ok(session.report)
}

impl Session<'_> {
    fn all(&mut self) -> io::Result<()> {
        let start = Instant::now();
        let mut since_comparison = 0;
        while self.report.steps < self.settings.steps {
            let batch = self.generator.steps(BATCH);
            if batch.is_empty() {
                break;
            }
            let findings = self.pair.run(&batch);
            self.report.steps += batch.len();
            since_comparison += batch.len();
            self.history.extend(batch.iter().cloned());
            if !findings.is_empty() {
                self.take_findings(findings, batch.len())?;
            }
            if since_comparison >= COMPARE_EVERY {
                since_comparison = 0;
                self.compare()?;
                self.progress(start);
            }
            if self.history.len() > EPOCH {
                self.fresh()?;
            }
            if self.report.groups.len() >= self.settings.most {
                self.report.stopped = Some("enough different differences".to_owned());
                break;
            }
        }
        self.compare()
    }

    fn progress(&self, start: Instant) {
        if !io::stderr().is_terminal() {
            return;
        }
        let elapsed = start.elapsed().as_millis().max(1);
        let rate = self.report.steps as u128 * 1000 / elapsed;
        eprint!("\r{}: {} steps, {rate}/s \x1b[K", self.report.heading, self.report.steps);
        if self.report.steps >= self.settings.steps {
            eprint!("\r\x1b[K");
        }
    }

    fn fresh(&mut self) -> io::Result<()> {
        self.history.clear();
        self.pair.reset()
    }

    fn take_findings(&mut self, findings: Vec<Finding>, batch: usize) -> io::Result<()> {
        let first = self.history.len() - batch;
        let mut tainted: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut start_anew = false;
        let mut walked = first;
        for finding in findings {
            self.spread(&mut tainted, walked..first + finding.at);
            walked = first + finding.at;
            if unknown_to_tested(&finding) {
                self.report.missing.insert(finding.command.name());
                self.generator.mute(finding.command.name());
                // What it wrote on the oracle may be under any of its words.
                return self.fresh();
            }
            let keys = finding.command.keys(&self.universe);
            if keys.iter().any(|key| tainted.contains(key)) {
                continue;
            }
            if keys.is_empty() && !tainted.is_empty() {
                // It asked about all keys, of which some are known to differ.
                return self.fresh();
            }
            start_anew |= finding.lost || keys.is_empty() || finding.command.name() == "EXEC";
            let steps = self.history[..=first + finding.at].to_vec();
            self.take_reply(&finding, steps);
            tainted.extend(keys);
            if start_anew {
                break;
            }
        }
        self.spread(&mut tainted, walked..self.history.len());
        if start_anew || !self.repair(tainted) {
            return self.fresh();
        }
        Ok(())
    }

    /// Adds the keys that commands of the history name together with tainted ones: what differs in
    /// one key may have been stored in another.
    fn spread(&self, tainted: &mut BTreeSet<Vec<u8>>, steps: Range<usize>) {
        for command in self.history[steps].iter().filter_map(Step::command) {
            let keys = command.keys(&self.universe);
            if keys.iter().any(|key| tainted.contains(key)) {
                tainted.extend(keys);
            }
        }
    }

    /// Deletes keys on both servers; false when that does not make them equal again.
    fn repair(&mut self, keys: BTreeSet<Vec<u8>>) -> bool {
        // One by one, with a pair of deletes: the first may reply differently, the second must not.
        for key in keys {
            let delete = Step::Send(Command::new(vec![b"DEL".to_vec(), key]));
            let steps = [delete.clone(), delete];
            let findings = self.pair.run(&steps);
            if findings.iter().any(|finding| finding.at > 0 || finding.lost) {
                return false;
            }
            self.history.extend(steps);
        }
        true
    }

    fn take_reply(&mut self, finding: &Finding, steps: Vec<Step>) {
        let title = finding.command.title();
        if self.settings.known.reason(&title, &finding.kind).is_some() {
            self.report.accepted += 1;
            return;
        }
        let known = |group: &&mut Group| group.title == title && group.kind == finding.kind;
        if let Some(group) = self.report.groups.iter_mut().find(known) {
            group.seen += 1;
            return;
        }
        let obituary = if finding.lost { self.pair.obituary() } else { None };
        let goal = Goal::Reply { title: title.clone(), kind: finding.kind.clone() };
        let keys = finding.command.keys(&self.universe);
        let evidence =
            Evidence { sent: finding.command.to_string(), replies: finding.replies.clone() };
        let mut case = self.shrink(&goal, steps, &keys, evidence);
        if let Some(text) = obituary {
            let reply = &mut case.evidence.replies[1];
            *reply = format!("{reply}\n             {text}");
        }
        self.add(title, finding.kind.clone(), case);
    }

    fn compare(&mut self) -> io::Result<()> {
        self.report.comparisons += 1;
        let mismatches = match self.pair.compare_data() {
            Ok(mismatches) => mismatches,
            Err(error) => {
                let text = self.pair.obituary().unwrap_or_default();
                let reason = format!("comparing the data: {error} {text}");
                self.report.stopped.get_or_insert(reason);
                return self.fresh();
            }
        };
        if mismatches.is_empty() {
            return Ok(());
        }
        for mismatch in mismatches {
            self.take_data(&mismatch);
        }
        self.fresh()
    }

    fn take_data(&mut self, mismatch: &Mismatch) {
        if self.settings.known.reason("DATA", &mismatch.kind).is_some() {
            self.report.accepted += 1;
            return;
        }
        let seen = self.data_kinds.entry(mismatch.kind.clone()).or_default();
        *seen += 1;
        if *seen > SHRUNK_PER_KIND {
            let same = |group: &&mut Group| group.kind == mismatch.kind;
            if let Some(group) = self.report.groups.iter_mut().find(same) {
                group.seen += 1;
            }
            return;
        }
        let goal = Goal::Data { kind: mismatch.kind.clone() };
        let keys = BTreeSet::from([mismatch.key.clone()]);
        let evidence = Evidence::of_data(mismatch);
        let case = self.shrink(&goal, self.history.clone(), &keys, evidence);
        let culprit = case.steps.last().and_then(Step::command).map(Command::title);
        let title = culprit.filter(|_| case.repeats).unwrap_or_else(|| "DATA".to_owned());
        let known = |group: &&mut Group| group.title == title && group.kind == mismatch.kind;
        if let Some(group) = self.report.groups.iter_mut().find(known) {
            group.seen += 1;
            return;
        }
        self.add(title, mismatch.kind.clone(), case);
    }

    fn add(&mut self, title: String, kind: String, case: Case) {
        let Settings { seed, protocol, .. } = self.settings;
        let (name, step) = (self.family.name, self.report.steps);
        let origin =
            format!("--family {name} --protocol {protocol} --seed {seed}, before step {step}");
        self.report.groups.push(Group {
            title,
            kind,
            origin,
            command: case.evidence.sent,
            replies: case.evidence.replies,
            steps: case.steps.iter().map(Step::to_string).collect(),
            repeats: case.repeats,
            seen: 1,
        });
    }

    /// The shortest list found that shows the goal on empty servers, or the last few steps on the
    /// keys and `false` when it does not show there.
    fn shrink(
        &mut self,
        goal: &Goal,
        steps: Vec<Step>,
        keys: &BTreeSet<Vec<u8>>,
        evidence: Evidence,
    ) -> Case {
        let universe = &self.universe;
        let related: Vec<Step> =
            steps.iter().filter(|step| concerns(step, keys, universe)).cloned().collect();
        let tail = related[related.len().saturating_sub(8)..].to_vec();
        let vague = Case { steps: tail, evidence, repeats: false };
        if self.fresh.is_none() {
            let [oracle, tested] = &self.settings.programs;
            let patience = Duration::from_millis(1500);
            self.fresh = Pair::start([oracle, tested], self.settings.protocol, patience).ok();
        }
        let Some(fresh) = &mut self.fresh else { return vague };
        let lists = [related, steps];
        let Some(start) = lists.into_iter().find(|list| shows(fresh, goal, list).is_some()) else {
            return vague;
        };
        let deadline = Instant::now() + SHRINK_TIME;
        let mut runs = 0;
        let mut fails = |list: &[Step]| {
            runs += 1;
            runs <= SHRINK_RUNS && Instant::now() < deadline && shows(fresh, goal, list).is_some()
        };
        let small = minimise(start, &mut fails);
        let steps = shorten(small, &mut fails);
        let evidence = shows(fresh, goal, &steps).unwrap_or(vague.evidence);
        Case { steps, evidence, repeats: true }
    }
}

/// Whether the oracle knows a command that the other server does not.
fn unknown_to_tested(finding: &Finding) -> bool {
    let [oracle, tested] = [0, 1].map(|at| finding.replies[at].starts_with("-ERR unknown command"));
    tested && !oracle
}

/// Whether a step could have to do with the keys: it names one of them, or no key at all.
fn concerns(step: &Step, keys: &BTreeSet<Vec<u8>>, universe: &BTreeSet<Vec<u8>>) -> bool {
    let Some(command) = step.command() else { return true };
    let named = command.keys(universe);
    named.is_empty() || named.iter().any(|key| keys.contains(key))
}

/// Whether the steps show the goal on empty servers; if so, what was sent and found.
fn shows(fresh: &mut Pair, goal: &Goal, steps: &[Step]) -> Option<Evidence> {
    if steps.is_empty() || fresh.reset().is_err() {
        return None;
    }
    let findings = fresh.run(steps);
    match goal {
        Goal::Reply { title, kind } => findings
            .into_iter()
            .find(|finding| finding.command.title() == *title && finding.kind == *kind)
            .map(|finding| Evidence {
                sent: finding.command.to_string(),
                replies: finding.replies,
            }),
        Goal::Data { kind } => fresh
            .compare_data()
            .ok()?
            .into_iter()
            .find(|mismatch| mismatch.kind == *kind)
            .map(|mismatch| Evidence::of_data(&mismatch)),
    }
}
