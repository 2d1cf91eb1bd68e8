//! What the operating system knows about this process. Elsewhere than on Linux the fields are
//! missing rather than wrong.

use std::fs::read_to_string;

/// Clock ticks per second in `/proc`: fixed by the Linux ABI, whatever the kernel's own rate.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CpuTime {
    pub user: f64,
    pub system: f64,
    pub children_user: f64,
    pub children_system: f64,
}

/// Processor time of the process, or of its main thread.
pub(super) fn cpu_time(main_thread: bool) -> Option<CpuTime> {
    let process = std::process::id();
    let path = if main_thread {
        format!("/proc/self/task/{process}/stat")
    } else {
        "/proc/self/stat".to_owned()
    };
    parse_stat(&read_to_string(path).ok()?)
}

/// Fields 14 to 17 of a `stat` line, counted behind the name, which may hold anything.
fn parse_stat(line: &str) -> Option<CpuTime> {
    let (_, behind) = line.rsplit_once(") ")?;
    let mut fields = behind.split(' ').skip(11).map(|field| field.parse::<f64>());
    let mut seconds = || Some(fields.next()?.ok()? / TICKS_PER_SECOND);
    Some(CpuTime {
        user: seconds()?,
        system: seconds()?,
        children_user: seconds()?,
        children_system: seconds()?,
    })
}

/// Resident memory in bytes.
pub(in crate::control::server) fn resident() -> Option<usize> {
    kibibytes("/proc/self/status", "VmRSS:")
}

/// The machine's memory in bytes.
pub(super) fn system_memory() -> Option<usize> {
    kibibytes("/proc/meminfo", "MemTotal:")
}

/// The number behind a label, in a file of `Label:  123 kB` lines.
fn kibibytes(path: &str, label: &str) -> Option<usize> {
    let text = read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    let number: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(number * 1024)
}

/// Kernel name, release and machine, as `uname` would tell.
pub(super) fn system() -> String {
    let release = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        "freebsd" => "FreeBSD",
        other => other,
    };
    format!("{name} {} {}", release.trim(), std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_behind_the_name() {
        let line = "7 (a) b) S 1 7 7 0 -1 4194304 10 0 0 0 250 100 3 4 20 0 1 0 55 9 9";
        let expected =
            CpuTime { user: 2.5, system: 1.0, children_user: 0.03, children_system: 0.04 };
        assert_eq!(parse_stat(line), Some(expected));
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_memory_and_time() {
        assert!(resident().unwrap() > 100_000);
        assert!(system_memory().unwrap() > resident().unwrap());
        assert!(cpu_time(false).is_some() && cpu_time(true).is_some());
    }
}
