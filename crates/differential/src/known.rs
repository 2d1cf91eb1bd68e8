//! The list of differences that are meant: a text file, one line each.
//!
//! ```text
//! # command | kind, as the report prints it; * matches anything | reason
//! CLIENT SETINFO | * | newer than the version compared with
//! ```
//!
//! A line without a reason is refused: what cannot be justified is a bug.

/// One accepted difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    command: String,
    kind: String,
    reason: String,
}

/// The accepted differences.
#[derive(Clone, Debug, Default)]
pub struct Known {
    list: Vec<Accepted>,
}

impl Known {
    /// The list that belongs to the project.
    ///
    /// # Errors
    /// As [`Known::parse`].
    pub fn of_the_project() -> Result<Self, String> {
        Self::parse(include_str!("../known-differences.txt"))
            .map_err(|error| format!("known-differences.txt: {error}"))
    }

    /// Reads the list.
    ///
    /// # Errors
    /// Names the line that is not of the form `command | kind | reason`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut list = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let [command, kind, reason] = parts[..] else {
                return Err(format!("line {}: not `command | kind | reason`", number + 1));
            };
            if command.is_empty() || kind.is_empty() || reason.is_empty() {
                return Err(format!("line {}: an empty part", number + 1));
            }
            let [command, kind, reason] = [command, kind, reason].map(str::to_owned);
            list.push(Accepted { command, kind, reason });
        }
        Ok(Self { list })
    }

    /// The reason why a difference is accepted, if it is.
    #[must_use]
    pub fn reason(&self, command: &str, kind: &str) -> Option<&str> {
        let found = self.list.iter().find(|accepted| {
            matches(&accepted.command, command) && matches(&accepted.kind, kind)
        })?;
        Some(&found.reason)
    }
}

/// Whether `text` matches a pattern whose only special sign is `*`.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("GET", "GET"));
        assert!(!matches("GET", "GETEX"));
        assert!(matches("GET*", "GETEX"));
        assert!(matches("*a*c", "xxabc"));
        assert!(!matches("*a*c", "xxab"));
        assert!(matches("*", ""));
    }

    #[test]
    fn the_list_of_the_project_is_well_formed() {
        Known::of_the_project().unwrap();
    }

    #[test]
    fn a_reason_is_needed() {
        let known = Known::parse("# list\nOBJECT FREQ | error* | documented\n").unwrap();
        assert_eq!(known.reason("OBJECT FREQ", "error x / nil"), Some("documented"));
        assert_eq!(known.reason("OBJECT FREQ", "integer / nil"), None);
        assert!(Known::parse("GET | *").is_err());
        assert!(Known::parse("GET | * | ").is_err());
    }
}
