//! How long a command takes, as a histogram: `LATENCY HISTOGRAM` and the percentiles of `INFO`.
//!
//! The buckets are those Redis chose of Gil Tene's HDR histogram, two significant digits from a
//! nanosecond to a second, so that the same times show the same numbers:
//!
//! ```text
//!   0 … 255 ns       one bucket for each
//!   2^e … 2^(e+1)    128 buckets of 2^(e-7) ns, for e = 8 … 29
//! ```
//!
//! A bucket is found with a shift, and counted with a plain add by the thread that owns it. Buckets
//! are made 128 at a time when a time first falls among them: a command's times lie in a few powers
//! of two, and a command that never ran has no buckets at all.

use std::sync::OnceLock;

use crate::metrics::stats::Counter;

/// Longer times count as this: a second.
const LONGEST: u64 = 1_000_000_000;
/// Buckets per power of two, from 256 ns on.
const FINENESS: usize = 128;
/// Doublings of 1.024 µs until every time is covered.
const STEPS: u32 = 20;
/// Number of groups of so many buckets.
const GROUPS: usize = 24;
/// Number of buckets.
const BUCKETS: usize = FINENESS * GROUPS;

/// Neighbouring buckets.
type Group = OnceLock<Box<[Counter]>>;

/// Times of one command, in nanoseconds, as one thread saw them.
#[derive(Default)]
pub struct Latency(OnceLock<Box<[Group]>>);

impl Latency {
    /// Counts a time that `times` runs took each. Only the owning thread may.
    pub fn add(&self, nanos: u64, times: u64) {
        let bucket = bucket_of(nanos);
        let groups = self.0.get_or_init(|| (0..GROUPS).map(|_| Group::new()).collect());
        let group = groups[bucket / FINENESS]
            .get_or_init(|| (0..FINENESS).map(|_| Counter::default()).collect());
        group[bucket % FINENESS].add(times);
    }

    /// Forgets everything. Counts that the owner adds meanwhile may survive it.
    pub fn reset(&self) {
        for (_, group) in self.groups() {
            group.iter().for_each(Counter::reset);
        }
    }

    /// The groups there are, with the number of their first bucket.
    fn groups(&self) -> impl Iterator<Item = (usize, &[Counter])> {
        let groups = self.0.get().into_iter().flat_map(|groups| groups.iter().enumerate());
        groups.filter_map(|(at, group)| Some((at * FINENESS, &**group.get()?)))
    }
}

/// The times of one command over all threads.
#[derive(Clone, Debug)]
pub struct Histogram(Vec<u64>);

impl Histogram {
    /// The sum of these; `None` if nothing was counted.
    pub fn sum<'l>(threads: impl Iterator<Item = &'l Latency>) -> Option<Self> {
        let mut sum = vec![0; BUCKETS];
        for (first, group) in threads.flat_map(Latency::groups) {
            for (total, counter) in sum[first..].iter_mut().zip(group) {
                *total += counter.get();
            }
        }
        sum.iter().any(|&count| count > 0).then_some(Histogram(sum))
    }

    /// How many runs were counted.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// How many runs took at most so many microseconds, at powers of two, as far as the number
    /// grows. Redis's steps: 1.024 µs, doubled again and again, each to the end of its bucket.
    #[must_use]
    pub fn steps(&self) -> Vec<(u64, u64)> {
        let (mut steps, mut known, mut sum) = (Vec::new(), 0, 0);
        let mut counts = self.0.iter().enumerate().peekable();
        for step in 0..=STEPS {
            // Where the bucket of 1024 << step ends.
            let end = (1032 << step) - 1;
            while let Some((_, count)) = counts.next_if(|(at, _)| last_of(*at) <= end) {
                sum += count;
            }
            if sum > known {
                steps.push((end / 1000, sum));
                known = sum;
            }
        }
        steps
    }

    /// The same at all of the steps, whether the number grows there or not: the nanoseconds at
    /// which each ends, and how many runs took at most so long. Longer ones are in
    /// [`Histogram::runs`] alone.
    #[must_use]
    pub fn ends(&self) -> Vec<(u64, u64)> {
        let (mut sum, mut counts) = (0, self.0.iter().enumerate().peekable());
        let end = |step: u32| {
            let end = (1032_u64 << step) - 1;
            while let Some((_, count)) = counts.next_if(|(at, _)| last_of(*at) <= end) {
                sum += count;
            }
            (end, sum)
        };
        (0..=STEPS).map(end).collect()
    }

    /// The nanoseconds of all runs together, as far as the buckets tell: within 0.4 %.
    #[must_use]
    pub fn nanos(&self) -> u64 {
        let middle = |at: usize| match at {
            0 => 0,
            _ => u64::midpoint(last_of(at - 1) + 1, last_of(at)),
        };
        self.0.iter().enumerate().map(|(at, count)| count * middle(at)).sum()
    }

    /// The nanoseconds that so many percent of the runs took at most.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> u64 {
        // Lossless for any count a run can reach.
        let wanted = (percent / 100.0 * self.runs() as f64).round().max(1.0);
        let mut sum = 0;
        let reached = self.0.iter().position(|&count| {
            sum += count;
            sum as f64 >= wanted
        });
        last_of(reached.unwrap_or(BUCKETS - 1))
    }
}

/// The bucket of a time.
fn bucket_of(nanos: u64) -> usize {
    let nanos = nanos.clamp(1, LONGEST);
    // Below 2^8 a bucket is a nanosecond wide; from there on its width doubles with the time.
    let shift = (u64::BITS - 1 - nanos.leading_zeros()).saturating_sub(7);
    // Both terms are small: at most 22 × 128, and 255.
    shift as usize * FINENESS + (nanos >> shift) as usize
}

/// The longest time in a bucket.
fn last_of(bucket: usize) -> u64 {
    let (shift, first) = match bucket {
        0..256 => (0, bucket),
        _ => (bucket / FINENESS - 1, bucket % FINENESS + FINENESS),
    };
    ((first as u64 + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[u64]) -> Histogram {
        let latency = Latency::default();
        times.iter().for_each(|&nanos| latency.add(nanos, 1));
        Histogram::sum([latency].iter()).unwrap()
    }

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        for bucket in 1..BUCKETS - 1 {
            assert_eq!(bucket_of(last_of(bucket)), bucket.min(bucket_of(LONGEST)));
            if last_of(bucket) < LONGEST {
                assert_eq!(bucket_of(last_of(bucket) + 1), bucket + 1);
            }
        }
        assert_eq!(bucket_of(u64::MAX), bucket_of(LONGEST));
        assert!(bucket_of(u64::MAX) < BUCKETS);
    }

    /// What redis-server 7.0.15 shows for the same times.
    #[test]
    fn numbers_are_those_of_redis() {
        let times = [1000, 2000, 4000, 8000, 16_000, 30_000, 60_000, 107_000, 60_249_000];
        let labels: Vec<u64> = of(&times).steps().into_iter().map(|(label, _)| label).collect();
        assert_eq!(labels, [1, 2, 4, 8, 16, 33, 66, 132, 67633]);
        let shown = [3000, 5000, 8000, 9000, 14_000, 15_000, 30_000, 46_000, 54_000, 107_000];
        let ends = shown.map(|nanos| of(&[nanos]).percentile(50.0));
        let theirs = [3007, 5023, 8031, 9023, 14_015, 15_039, 30_079, 46_079, 54_015, 107_007];
        assert_eq!(ends, theirs);
    }

    #[test]
    fn steps_count_up_and_percentiles_order() {
        let histogram = of(&[500, 1500, 1500, 3000, 2_000_000_000]);
        assert_eq!(histogram.steps()[..3], [(1, 1), (2, 3), (4, 4)]);
        assert_eq!(histogram.steps().last().map(|step| step.1), Some(5));
        assert_eq!(histogram.runs(), 5);
        assert!(histogram.percentile(0.0) < 512);
        assert!((1500..1520).contains(&histogram.percentile(50.0)));
        assert!(histogram.percentile(100.0) >= LONGEST);
    }

    #[test]
    fn ends_are_always_the_same_and_sums_are_near() {
        let histogram = of(&[500, 1500, 1500, 3000, 2_000_000_000]);
        let ends = histogram.ends();
        assert_eq!(ends[..3], [(1031, 1), (2063, 3), (4127, 4)]);
        assert_eq!(ends.len(), of(&[1]).ends().len());
        assert_eq!(ends.last(), Some(&((1032 << 20) - 1, 5)));
        assert!(ends.is_sorted());
        for nanos in [1, 255, 256, 70_001, 123_456_789] {
            let sum = of(&[nanos, nanos]).nanos();
            assert!(sum.abs_diff(2 * nanos) <= 2 * nanos / 250, "{nanos} {sum}");
        }
    }

    #[test]
    fn nothing_counted_is_no_histogram() {
        let latency = Latency::default();
        assert!(Histogram::sum([&latency].into_iter()).is_none());
        latency.add(5, 3);
        latency.reset();
        assert!(Histogram::sum([&latency].into_iter()).is_none());
    }
}
