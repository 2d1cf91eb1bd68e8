//! `tidy.allow`: the exceptions, each with its size and its reason.
//!
//! ```text
//! # comment
//! crates/x/src/y.rs  function-length=84  the state machine reads better in one piece
//! ```
//!
//! The size is exact: a file that grows beyond it is a finding, and so is one that shrank below
//! it or needs no exception any more. So the list can only become shorter and its numbers smaller.

use super::Finding;
use std::collections::BTreeMap;

/// Where the exceptions stand.
pub const FILE: &str = "tidy.allow";

/// Takes out the findings that are excused; adds one for each exception that does not fit. Also
/// returns how many exceptions were used.
pub fn apply(listed: &str, findings: Vec<Finding>) -> (Vec<Finding>, usize) {
    let mut groups: BTreeMap<(String, String), Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        let key = (finding.path.clone(), finding.rule.to_owned());
        groups.entry(key).or_default().push(finding);
    }
    let mut left = Vec::new();
    let mut used = 0;
    for (n, line) in listed.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let problem = match Entry::read(line) {
            Some(entry) => entry.settle(&mut groups, &mut used),
            None => Some("an exception is `PATH RULE=SIZE REASON`".to_owned()),
        };
        if let Some(text) = problem {
            let path = FILE.to_owned();
            left.push(Finding { path, line: n + 1, rule: "allow", size: 1, text });
        }
    }
    left.extend(groups.into_values().flatten());
    (left, used)
}

struct Entry<'a> {
    path: &'a str,
    rule: &'a str,
    size: usize,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Entry<'a>> {
        let mut words = line.split_whitespace();
        let path = words.next()?;
        let (rule, size) = words.next()?.split_once('=')?;
        words.next()?; // the reason
        Some(Entry { path, rule, size: size.parse().ok()? })
    }

    /// Removes the findings this exception is for, or says why it is not right.
    fn settle(
        &self,
        groups: &mut BTreeMap<(String, String), Vec<Finding>>,
        used: &mut usize,
    ) -> Option<String> {
        let Entry { path, rule, size } = self;
        let key = ((*path).to_owned(), (*rule).to_owned());
        let Some(findings) = groups.get(&key) else {
            return Some(format!("{path} needs no exception from `{rule}`: remove this line"));
        };
        let now = measure(findings);
        if now > *size {
            return Some(format!("{path} has grown: `{rule}` is {now}, and {size} was granted"));
        }
        groups.remove(&key);
        *used += 1;
        (now < *size).then(|| format!("{path} has shrunk: lower this to {rule}={now}"))
    }
}

/// The largest length, or the number of offences: offences have size 1, so the larger of both.
fn measure(findings: &[Finding]) -> usize {
    findings.iter().map(|finding| finding.size).max().unwrap_or(0).max(findings.len())
}

#[cfg(test)]
#[path = "allow_tests.rs"]
mod tests;
