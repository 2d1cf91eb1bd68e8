//! Counters. Each thread writes its own; a reader adds them up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use crate::metrics::latency::{Histogram, Latency};

/// A number that one thread writes and others read.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds; only the owning thread may. A plain load and store: no locked instruction.
    #[inline]
    pub fn add(&self, n: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
    }

    /// Says it anew; only the owning thread may.
    #[inline]
    pub fn set(&self, n: u64) {
        self.0.store(n, Ordering::Relaxed);
    }

    /// The number.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// What is counted per command.
#[derive(Default)]
pub struct CommandCounters {
    /// Times it ran.
    pub calls: Counter,
    /// Nanoseconds it ran.
    pub nanos: Counter,
    /// Times it was refused before it ran.
    pub rejected: Counter,
    /// Times it ran and answered an error.
    pub failed: Counter,
    /// How long it ran, if `latency-tracking` is on.
    pub latency: Latency,
}

impl CommandCounters {
    /// Counts the time of so many runs that took so long each.
    #[inline]
    pub fn took(&self, nanos: u64, runs: u64, with_latency: bool) {
        self.nanos.add(nanos * runs);
        if with_latency {
            self.latency.add(nanos, runs);
        }
    }
}

/// What one thread counts.
pub struct Counters {
    /// Per command, by its number in the table.
    pub commands: Vec<CommandCounters>,
    /// Bytes received.
    pub net_input: Counter,
    /// Bytes sent.
    pub net_output: Counter,
    /// Reads of keys that were there.
    pub hits: Counter,
    /// Reads of keys that were not.
    pub misses: Counter,
    /// Connections accepted.
    pub connections: Counter,
    /// Connections refused: too many clients.
    pub refused: Counter,
    /// Reads from sockets, those that brought nothing among them.
    pub reads: Counter,
    /// Writes to sockets, those that the kernel refused among them.
    pub writes: Counter,
    /// Error replies.
    pub errors: Counter,
    /// Clients closed because their output buffer grew too large.
    pub output_overflows: Counter,
    /// Clients closed because their input buffer grew too large.
    pub input_overflows: Counter,
    /// Commands that changed something; never reset.
    pub changes: Counter,
    /// Bytes that the thread's interpreter of scripts takes now.
    pub scripts_vm: Counter,
    /// Bytes that its interpreter of functions takes now.
    pub functions_vm: Counter,
}

/// Sums over all threads.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)] // the names are those of `Counters`
pub struct Totals {
    /// Commands that ran: those of a transaction each, refused ones not.
    pub executed: u64,
    pub net_input: u64,
    pub net_output: u64,
    pub hits: u64,
    pub misses: u64,
    pub connections: u64,
    pub refused: u64,
    pub reads: u64,
    pub writes: u64,
    pub errors: u64,
    pub output_overflows: u64,
    pub input_overflows: u64,
    /// Per command: calls, nanoseconds, rejected, failed.
    pub commands: Vec<[u64; 4]>,
}

/// All threads' counters, and what is counted rarely enough to share.
#[derive(Default)]
pub struct Stats {
    threads: RwLock<Vec<Arc<Counters>>>,
    errors: Mutex<BTreeMap<String, u64>>,
    rates: Mutex<Rates>,
    /// Memory at its highest, as sampled.
    pub peak_memory: AtomicU64,
    /// Commands that changed something behind a wait, whichever thread served them.
    served: AtomicU64,
    /// Clients closed because all of them together took too much memory.
    pub evicted_clients: AtomicU64,
    /// Nanoseconds spent looking for keys past their deadline.
    expiring: AtomicU64,
    /// Share of the keys looked at that were past it: a running mean in parts per million.
    stale: AtomicU64,
}

/// Rates over the last sixteen samples.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    last: Option<(u64, [u64; 3])>,
    samples: Vec<[f64; 3]>,
}

impl Stats {
    /// Counters for a new thread.
    pub fn register(&self, commands: usize) -> Arc<Counters> {
        let counters = Arc::new(Counters {
            commands: (0..commands).map(|_| CommandCounters::default()).collect(),
            net_input: Counter::default(),
            net_output: Counter::default(),
            hits: Counter::default(),
            misses: Counter::default(),
            connections: Counter::default(),
            refused: Counter::default(),
            reads: Counter::default(),
            writes: Counter::default(),
            errors: Counter::default(),
            output_overflows: Counter::default(),
            input_overflows: Counter::default(),
            changes: Counter::default(),
            scripts_vm: Counter::default(),
            functions_vm: Counter::default(),
        });
        self.threads.write().push(Arc::clone(&counters));
        counters
    }

    /// Commands that have changed something since the start.
    #[must_use]
    pub fn changes(&self) -> u64 {
        let served = self.served.load(Ordering::Relaxed);
        served + self.threads.read().iter().map(|counters| counters.changes.get()).sum::<u64>()
    }

    /// A command has changed something behind a wait, in a thread that may not be its client's.
    pub fn changed_by_served(&self) {
        self.served.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes that the interpreters of all threads take: those of scripts, those of functions.
    #[must_use]
    pub fn interpreters(&self) -> (usize, usize) {
        let threads = self.threads.read();
        let sum = |of: fn(&Counters) -> &Counter| {
            let sum = threads.iter().map(|thread| of(thread).get()).sum::<u64>();
            usize::try_from(sum).unwrap_or(usize::MAX)
        };
        (sum(|thread| &thread.scripts_vm), sum(|thread| &thread.functions_vm))
    }

    /// Counts an error reply by its code word.
    pub fn error(&self, code: &str) {
        let mut errors = self.errors.lock();
        // The words come from our own texts; scripts may make up more, so they are bounded.
        if let Some(count) = errors.get_mut(code) {
            *count += 1;
        } else if errors.len() < 128 {
            errors.insert(code.to_owned(), 1);
        }
    }

    /// Error replies by code word.
    #[must_use]
    pub fn errors(&self) -> BTreeMap<String, u64> {
        self.errors.lock().clone()
    }

    /// Sums over all threads.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut sum = Totals::default();
        for thread in self.threads.read().iter() {
            sum.net_input += thread.net_input.get();
            sum.net_output += thread.net_output.get();
            sum.hits += thread.hits.get();
            sum.misses += thread.misses.get();
            sum.connections += thread.connections.get();
            sum.refused += thread.refused.get();
            sum.reads += thread.reads.get();
            sum.writes += thread.writes.get();
            sum.errors += thread.errors.get();
            sum.output_overflows += thread.output_overflows.get();
            sum.input_overflows += thread.input_overflows.get();
            sum.commands.resize(thread.commands.len(), [0; 4]);
            for (total, counter) in sum.commands.iter_mut().zip(&thread.commands) {
                sum.executed += counter.calls.get();
                total[0] += counter.calls.get();
                total[1] += counter.nanos.get();
                total[2] += counter.rejected.get();
                total[3] += counter.failed.get();
            }
        }
        sum
    }

    /// How long a command ran, by its number in the table; `None` if that was never counted.
    #[must_use]
    pub fn latency(&self, command: usize) -> Option<Histogram> {
        let threads = self.threads.read();
        Histogram::sum(threads.iter().filter_map(|t| Some(&t.commands.get(command)?.latency)))
    }

    /// `CONFIG RESETSTAT`. Counts that other threads add meanwhile may survive it. Memory at its
    /// highest stays, as in Redis.
    pub fn reset(&self) {
        for thread in self.threads.read().iter() {
            let tallies = [
                &thread.net_input,
                &thread.net_output,
                &thread.hits,
                &thread.misses,
                &thread.connections,
                &thread.refused,
                &thread.reads,
                &thread.writes,
                &thread.errors,
                &thread.output_overflows,
                &thread.input_overflows,
            ];
            tallies.into_iter().for_each(Counter::reset);
            for counter in &thread.commands {
                [&counter.calls, &counter.nanos, &counter.rejected, &counter.failed]
                    .into_iter()
                    .for_each(Counter::reset);
                counter.latency.reset();
            }
        }
        self.errors.lock().clear();
        self.evicted_clients.store(0, Ordering::Relaxed);
        self.expiring.store(0, Ordering::Relaxed);
        self.stale.store(0, Ordering::Relaxed);
        *self.rates.lock() = Rates::default();
    }

    /// A round of looking for keys past their deadline is done: how long it took, how many keys
    /// it deleted and how many it looked at.
    pub fn expire_round(&self, took: Duration, deleted: usize, seen: usize) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.expiring.fetch_add(nanos, Ordering::Relaxed);
        let share = (deleted as u64).saturating_mul(1_000_000).checked_div(seen as u64);
        let mean = (share.unwrap_or(0) + self.stale.load(Ordering::Relaxed) * 19) / 20;
        self.stale.store(mean, Ordering::Relaxed);
    }

    /// Percentage of the keys looked at that were past their deadline: a running mean.
    #[must_use]
    pub fn stale_percentage(&self) -> f64 {
        // Lossless: at most a million.
        self.stale.load(Ordering::Relaxed) as f64 / 10_000.0
    }

    /// Milliseconds spent so.
    #[must_use]
    pub fn expiring_millis(&self) -> u64 {
        self.expiring.load(Ordering::Relaxed) / 1_000_000
    }

    /// Takes a sample for the rates; `micros` is a monotonic clock.
    pub fn sample(&self, micros: u64, memory: u64) {
        self.peak_memory.fetch_max(memory, Ordering::Relaxed);
        let totals = self.totals();
        let now = [totals.executed, totals.net_input, totals.net_output];
        let mut rates = self.rates.lock();
        if let Some((then, before)) = rates.last {
            // Lossless for any count a run can reach.
            let seconds = (micros.saturating_sub(then)).max(1) as f64 / 1e6;
            let rate = |i: usize| now[i].saturating_sub(before[i]) as f64 / seconds;
            let sample = [rate(0), rate(1), rate(2)];
            if rates.samples.len() == 16 {
                rates.samples.remove(0);
            }
            rates.samples.push(sample);
        }
        rates.last = Some((micros, now));
    }

    /// Requests, bytes in and bytes out per second, averaged over the last samples.
    #[must_use]
    pub fn rates(&self) -> [f64; 3] {
        let rates = self.rates.lock();
        let n = rates.samples.len().max(1) as f64;
        // Not `sum`: of nothing that is -0, and readers of INFO do not expect a sign.
        [0, 1, 2].map(|i| rates.samples.iter().fold(0.0, |sum, sample| sum + sample[i]) / n)
    }
}
