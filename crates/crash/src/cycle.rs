//! The cycle: start, check, work, kill, and again on the same directory.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use differential::rng::Rng;

use crate::check::{self, Promise};
use crate::clock;
use crate::disturb::{Disturber, Moment};
use crate::observe;
use crate::partition::Partition;
use crate::sanity;
use crate::server::{Server, State};
use crate::settings::{Fsync, Settings};
use crate::shared::{Shared, lock};
use crate::worker;
use crate::workload::Work;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);
/// A directory larger than this is not kept as it was at the kill.
const KEPT_BYTES: u64 = 256 << 20;

/// What a run came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How often the server was killed under load.
    pub cycles: u64,
    /// Units sent, and acknowledged.
    pub units: [u64; 2],
    /// Kills while it was starting: in all, and seen to be loading.
    pub early_kills: [u64; 2],
    /// What it was doing when it was killed, and how often.
    pub moments: Vec<(Moment, u64)>,
    /// The longest recovery.
    pub slowest: Duration,
    /// What was wrong; the run ends at the first cycle with something.
    pub violations: Vec<String>,
    /// Where to look, if something was wrong.
    pub dir: Option<PathBuf>,
    /// Commands that the server does not have.
    pub missing: Vec<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moments: Vec<String> = self.moments.iter().map(|(m, n)| format!("{m:?} {n}")).collect();
        writeln!(
            f,
            "{} kills ({}), {} more while starting ({} seen loading); {} units sent, {} \
             acknowledged; slowest recovery {} ms",
            self.cycles,
            moments.join(", "),
            self.early_kills[0],
            self.early_kills[1],
            self.units[0],
            self.units[1],
            self.slowest.as_millis(),
        )?;
        if !self.missing.is_empty() {
            writeln!(f, "not tried, the server does not have them: {}", self.missing.join(" "))?;
        }
        for violation in &self.violations {
            writeln!(f, "VIOLATION {violation}")?;
        }
        if let (false, Some(dir)) = (self.violations.is_empty(), &self.dir) {
            let (now, then) = (dir.display(), at_kill(dir));
            writeln!(f, "the directory: {now} (at the kill: {}; log: {now}.log)", then.display())?;
        }
        Ok(())
    }
}

/// A run under way.
struct Run<'a> {
    settings: &'a Settings,
    dir: PathBuf,
    rng: Rng,
    partitions: Vec<Partition>,
    outcome: Outcome,
    /// What the next check has to find; none before the first life.
    promise: Option<Promise>,
    recovery: Duration,
}

static DIRECTORIES: AtomicU32 = AtomicU32::new(0);

/// Runs all cycles.
///
/// # Errors
/// When the harness itself fails; what the server does wrong is in the outcome.
pub fn run(settings: &Settings) -> io::Result<Outcome> {
    let number = DIRECTORIES.fetch_add(1, Ordering::Relaxed);
    let dir = settings.place.join(format!("kvist-crash-{}-{number}", std::process::id()));
    fs::create_dir_all(&dir)?;
    let prefixes = (0..settings.connections).map(|n| format!("w{n:02}:"));
    let prefixes = prefixes.chain((settings.ballast > 0).then(|| "b:".to_owned()));
    let mut run = Run {
        settings,
        rng: Rng::new(settings.seed, "cycles"),
        partitions: prefixes.map(|prefix| Partition::new(prefix.as_bytes())).collect(),
        outcome: Outcome { dir: Some(dir.clone()), ..Outcome::default() },
        dir,
        promise: None,
        recovery: Duration::ZERO,
    };
    for cycle in 0..settings.cycles {
        run.cycle(cycle)?;
        if !run.outcome.violations.is_empty() {
            return Ok(run.outcome);
        }
    }
    // The last kill is followed by a look, too.
    run.recover(settings.cycles)?;
    if run.outcome.violations.is_empty() {
        run.forget();
    }
    Ok(run.outcome)
}

impl Run<'_> {
    fn cycle(&mut self, cycle: u64) -> io::Result<()> {
        let Some((mut server, fsync)) = self.recover(cycle)? else { return Ok(()) };
        let work = Work {
            cycle,
            pipeline: self.settings.pipeline.max(1),
            ballast: self.settings.ballast,
            missing: self.outcome.missing.iter().cloned().collect(),
        };
        let shared = Shared::new(server.port(), work, std::mem::take(&mut self.partitions));
        let moment = Moment::pick(&mut self.rng, self.settings);
        let (kill, death, unprotected) = self.live_and_die(&mut server, &shared, moment, cycle);
        let counter_seen = shared.counter_seen.load(Ordering::SeqCst);
        self.outcome.violations.append(&mut lock(&shared.violations));
        let partitions = shared.partitions.into_iter();
        self.partitions =
            partitions.map(|l| l.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        for partition in &mut self.partitions {
            partition.close(death, moment == Moment::Asked);
            let acked = partition.units.iter().filter(|unit| unit.acked.is_some()).count();
            self.outcome.units[0] += partition.units.len() as u64;
            self.outcome.units[1] += acked as u64;
            self.outcome.violations.extend(partition.violations.drain(..).take(3));
        }
        self.count(moment);
        self.promise = Some(self.promised(fsync, moment, kill, unprotected, counter_seen));
        if self.settings.verbose {
            let sent: usize = self.partitions.iter().map(|partition| partition.units.len()).sum();
            let off = if unprotected.is_some() { ", journal off" } else { "" };
            println!("cycle {cycle}: {}, {sent} units, killed {moment:?}{off}", fsync.word());
        }
        if self.outcome.violations.is_empty() {
            keep(&self.dir)?;
            if let Some(tamper) = self.settings.tamper {
                tamper(&self.dir)?;
            }
        }
        Ok(())
    }

    /// What the server must still know.
    fn promised(
        &self,
        fsync: Fsync,
        moment: Moment,
        kill: i64,
        unprotected: Option<i64>,
        counter_seen: i64,
    ) -> Promise {
        let by_policy = match (moment, fsync) {
            // A server that ends on its own feet takes everything along.
            (Moment::Asked, _) | (_, Fsync::Always) => Promise::EVERYTHING,
            (_, Fsync::EverySecond) => kill - 1000 - self.settings.flush_ms,
            (_, Fsync::No) => Promise::NOTHING,
        };
        let safe = by_policy == Promise::EVERYTHING && unprotected.is_none();
        Promise {
            acked_by: unprotected.map_or(by_policy, |since| by_policy.min(since)),
            counter_seen: if safe { counter_seen } else { 0 },
        }
    }

    fn count(&mut self, moment: Moment) {
        self.outcome.cycles += 1;
        match self.outcome.moments.iter_mut().find(|(seen, _)| *seen == moment) {
            Some((_, count)) => *count += 1,
            None => self.outcome.moments.push((moment, 1)),
        }
    }

    /// Starts the server, sometimes killing it while it starts, and checks what it remembers.
    fn recover(&mut self, cycle: u64) -> io::Result<Option<(Server, Fsync)>> {
        let fsync = self.settings.fsync_now(&mut self.rng);
        while self.promise.is_some() && self.rng.chance(35) {
            self.kill_while_starting(fsync)?;
        }
        let started = Server::start(&self.settings.program, &self.dir, fsync, PATIENCE);
        let (server, took) = match started {
            Ok(started) => started,
            Err(error) => {
                self.outcome.violations.push(format!("cycle {cycle}: {error}"));
                return Ok(None);
            }
        };
        self.recovery = took;
        self.outcome.slowest = self.outcome.slowest.max(took);
        let mut wrong = sanity::persistence(server.port())?;
        let seen = observe::observe(server.port())?;
        let promise = self.promise.unwrap_or(Promise { acked_by: i64::MAX, counter_seen: 0 });
        wrong.extend(check::check(&self.partitions, &seen, promise));
        wrong.extend(sanity::writes(server.port())?);
        if self.promise.is_none() {
            self.outcome.missing = sanity::missing(server.port())?;
        }
        for partition in &mut self.partitions {
            partition.restart(seen.share_of(&partition.base.prefix));
        }
        // A first life is lived even so: what it does wrong may say more.
        let go_on = wrong.is_empty() || self.promise.is_none();
        let heading = format!("found before cycle {cycle}: ");
        self.outcome.violations.extend(wrong.into_iter().map(|text| format!("{heading}{text}")));
        Ok(go_on.then_some((server, fsync)))
    }

    fn kill_while_starting(&mut self, fsync: Fsync) -> io::Result<()> {
        let mut server = Server::spawn(&self.settings.program, &self.dir, fsync)?;
        let most = usize::try_from(self.recovery.as_millis()).unwrap_or(0) + 15;
        let wait = Duration::from_millis(u64::try_from(self.rng.below(most)).unwrap_or(0));
        let until_loading = self.rng.chance(50);
        let begin = Instant::now();
        let mut loading = false;
        while begin.elapsed() < wait || (until_loading && begin.elapsed() < 4 * wait) {
            std::thread::sleep(Duration::from_millis(1));
            if until_loading {
                loading = server.state() == State::Loading;
                if loading {
                    break;
                }
            }
        }
        loading |= server.state() == State::Loading;
        server.kill();
        self.outcome.early_kills[0] += 1;
        self.outcome.early_kills[1] += u64::from(loading);
        Ok(())
    }

    /// Lets all threads work until the server is dead. Returns when it was killed, when it was
    /// surely dead, and since when the journal had been off.
    fn live_and_die(
        &mut self,
        server: &mut Server,
        shared: &Shared,
        moment: Moment,
        cycle: u64,
    ) -> (i64, i64, Option<i64>) {
        let rngs = |what: &str| Rng::new(self.settings.seed, &format!("{what} of cycle {cycle}"));
        let share = match moment {
            Moment::Early => self.rng.below(50),
            _ => 300 + self.rng.below(1400),
        };
        let life = Duration::from_secs_f64(self.settings.seconds.max(0.01))
            .mul_f64(f64::from(u32::try_from(share).unwrap_or(0)) / 1000.0);
        let end = Instant::now() + life;
        let settings = self.settings;
        std::thread::scope(|scope| {
            for at in 0..shared.partitions.len() {
                let mut rng = rngs(&format!("lane {at}"));
                scope.spawn(move || worker::work(shared, at, &mut rng));
            }
            scope.spawn(|| worker::read(shared));
            let mut rng = rngs("the one who overturns");
            scope.spawn(move || worker::overturn(shared, &mut rng));
            let mut rng = rngs("the disturber");
            let mut unprotected = None;
            let lived = Disturber::open(shared.port).and_then(|mut hand| {
                let lived = hand.run(end, moment, settings, &mut rng);
                unprotected = hand.unprotected;
                lived.map(|()| hand)
            });
            let hand = match lived {
                Ok(hand) => Some(hand),
                Err(error) => {
                    shared.complain(format!("the disturber lost the server: {error}"));
                    None
                }
            };
            if !server.is_alive() {
                shared.complain(format!("the server died by itself: {}", server.log_end()));
            }
            // What is promised is measured from before the kill, what may have happened to after.
            let kill = clock::now();
            shared.doomed.store(true, Ordering::SeqCst);
            if let (Moment::Asked, Some(mut hand)) = (moment, hand) {
                // While a rewrite has to be finished first it may refuse.
                let asked = Instant::now();
                hand.ask_to_end();
                while !server.ends_within(Duration::from_millis(200)) {
                    hand.ask_to_end();
                    if asked.elapsed() > Duration::from_secs(20) {
                        shared.complain("the server does not end when asked to".to_owned());
                        break;
                    }
                }
            }
            server.kill();
            shared.stop.store(true, Ordering::SeqCst);
            (kill, clock::now(), unprotected)
        })
    }

    fn forget(&mut self) {
        // Everything was fine: these are not needed. What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.dir);
        let _ = fs::remove_dir_all(at_kill(&self.dir));
        let _ = fs::remove_file(self.dir.with_extension("log"));
        self.outcome.dir = None;
    }
}

fn at_kill(dir: &Path) -> PathBuf {
    dir.with_extension("at-kill")
}

/// Keeps the directory as it is, to find out what happened.
fn keep(dir: &Path) -> io::Result<()> {
    let copy = at_kill(dir);
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    if size(dir)? <= KEPT_BYTES { copy_tree(dir, &copy) } else { Ok(()) }
}

fn size(dir: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        sum += if entry.file_type()?.is_dir() {
            size(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(sum)
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
