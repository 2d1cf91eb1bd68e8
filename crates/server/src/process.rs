//! What the server asks of the operating system once: descriptors, a file with its number.

use std::path::PathBuf;

/// Descriptors kept for other things than clients, as in Redis.
const RESERVED: u64 = 32;
/// Descriptors of a worker: its poller and its waker.
const PER_WORKER: u64 = 2;

/// Raises the limit on open files to what `maxclients` needs; how many clients there can be.
#[must_use]
pub fn room_for_clients(maxclients: u32, workers: usize) -> usize {
    let other = RESERVED + PER_WORKER * u64::try_from(workers).unwrap_or(0);
    let wanted = u64::from(maxclients) + other;
    let (soft, hard) = match rlimit::Resource::NOFILE.get() {
        Ok(limits) => limits,
        Err(error) => {
            tracing::warn!(%error, "Unable to obtain the current limit of open files");
            return usize::try_from(maxclients).unwrap_or(usize::MAX);
        }
    };
    if soft >= wanted {
        return usize::try_from(maxclients).unwrap_or(usize::MAX);
    }
    // Root may raise the hard limit as well; other users get as much as it allows.
    let raised = [(wanted, hard.max(wanted)), (wanted.min(hard), hard)]
        .into_iter()
        .find_map(|(soft, hard)| rlimit::Resource::NOFILE.set(soft, hard).is_ok().then_some(soft));
    let have = raised.unwrap_or(soft);
    if have >= wanted {
        tracing::info!("Increased maximum number of open files to {have} (it was {soft})");
        return usize::try_from(maxclients).unwrap_or(usize::MAX);
    }
    let clients = have.saturating_sub(other).max(1);
    tracing::warn!(
        "maxclients {maxclients} needs {wanted} open files, but the limit is {have}: no more than \
         {clients} clients can connect. Raise it with 'ulimit -n'."
    );
    usize::try_from(clients).unwrap_or(usize::MAX)
}

/// A file with this process's number; removed when dropped.
pub struct PidFile(Option<PathBuf>);

impl PidFile {
    /// Writes it, if one is wanted. A failure is logged, as in Redis: it is no reason not to serve.
    #[must_use]
    pub fn write(path: Option<&str>) -> Self {
        let Some(path) = path else { return PidFile(None) };
        match std::fs::write(path, format!("{}\n", std::process::id())) {
            Ok(()) => PidFile(Some(PathBuf::from(path))),
            Err(error) => {
                tracing::warn!(%error, path, "the pid file could not be written");
                PidFile(None)
            }
        }
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // It may have been removed already.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Makes the program end silently when the reader of its output has left, as `head` does: printing
/// would panic then. Not for the server, which must not end because nothing reads what it says.
pub fn end_quietly_when_nobody_reads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let said = info.payload_as_str().unwrap_or_default();
        if said.starts_with("failed printing to std") && said.contains("Broken pipe") {
            // As a shell tells the end by SIGPIPE.
            std::process::exit(141);
        }
        usual(info);
    }));
}
