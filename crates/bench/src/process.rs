//! What the kernel says about a process: processor time and memory.

use std::fs;
use std::io;

/// Processor seconds used by all threads of a process, ended ones included.
///
/// # Errors
/// The process is gone.
pub(crate) fn cpu_seconds(pid: u32) -> io::Result<f64> {
    schedule(pid, 1)
}

/// Seconds in which the threads of a process ran or waited for a processor: what they would have
/// used on a machine of their own.
///
/// # Errors
/// The process is gone.
pub(crate) fn wanted_seconds(pid: u32) -> io::Result<f64> {
    schedule(pid, 2)
}

/// The sum of the first fields of all threads' schedstat: seconds of running, of waiting to run.
fn schedule(pid: u32, fields: usize) -> io::Result<f64> {
    // schedstat counts nanoseconds, but only of living threads; servers keep theirs.
    let mut nanos: u64 = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = fs::read_to_string(task?.path().join("schedstat")).unwrap_or_default();
        let numbers = text.split(' ').take(fields).map(|n| n.parse::<u64>().unwrap_or(0));
        nanos += numbers.sum::<u64>();
    }
    // Exact for any run shorter than a hundred days.
    Ok(nanos as f64 / 1e9)
}

/// User and system processor seconds, in the kernel's ticks of 10 ms.
///
/// # Errors
/// The process is gone.
pub(crate) fn user_system_seconds(pid: u32) -> io::Result<(f64, f64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The command name in parentheses may hold spaces; the fields behind it do not.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) / 100.0, ticks(12) / 100.0))
}

/// Resident memory in bytes.
///
/// # Errors
/// The process is gone.
pub(crate) fn resident_bytes(pid: u32) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        .or_else(|_| fs::read_to_string(format!("/proc/{pid}/status")))?;
    let line = text.lines().find(|l| l.starts_with("Rss:") || l.starts_with("VmRSS:"));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<u64>().ok());
    Ok(kib.unwrap_or(0) * 1024)
}

/// Memory of a process and its children in bytes, where pages that several share count once: what
/// a server that forks to save costs.
///
/// # Errors
/// The process is gone.
pub(crate) fn tree_bytes(pid: u32) -> io::Result<u64> {
    let own = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let pids = children.split_whitespace();
    // A child may be gone by now.
    let rollup = |pid| fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    Ok(pss(&own) + pids.map(|pid| pss(&rollup(pid))).sum::<u64>())
}

fn pss(rollup: &str) -> u64 {
    let line = rollup.lines().find(|line| line.starts_with("Pss:"));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Touches so much memory, and frees it again: what the system then has at hand, the next to ask
/// for memory gets at its usual price.
pub(crate) fn touch_memory(bytes: u64) {
    const PAGE: usize = 4096;
    let mut memory = vec![0_u8; usize::try_from(bytes).unwrap_or(0)];
    memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
    drop(std::hint::black_box(memory));
}
