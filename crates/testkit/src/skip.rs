//! Says that something could not be tested here, and what to install.
//!
//! The test then passes: an absent tool must not look like a broken Kvist. But neither may it look
//! as if all had been tested, and the test harness swallows what a passing test prints. So the line
//! goes to standard error past the harness; `tests/whole.py` shows each once.

use std::io::Write;
use std::sync::Mutex;

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// `tool` is not here: install `package`, which `purpose` needs.
pub fn without(tool: &str, package: &str, purpose: &str) {
    because(&format!("{tool} is not here: install {package} to {purpose}"));
}

/// Another reason, in one line. It is said once.
pub fn because(reason: &str) {
    let mut said = SAID.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !said.iter().any(|earlier| earlier == reason) {
        said.push(reason.to_owned());
        // One write: programs of tests that run side by side share the terminal.
        let _ = std::io::stderr().write_all(format!("SKIP: {reason}\n").as_bytes());
    }
}
