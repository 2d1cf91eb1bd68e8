//! Users as text: the words of a rule put together, and a whole file of users.

use std::collections::BTreeMap;

use crate::error::RuleError;
use crate::pattern::has_spaces;
use crate::user::{Terms, User};

/// Stands behind the errors of a file.
pub const ACL_LOAD_FAILED: &str =
    "WARNING: ACL errors detected, no change to the previously active ACL rules was performed";

/// Whether a user may have this name: it must be a word in a file.
#[must_use]
pub fn valid_name(name: &[u8]) -> bool {
    !has_spaces(name)
}

/// Puts the words of selectors together: `(+get`, `~x)` becomes `(+get ~x)`.
///
/// # Errors
/// The word with a parenthesis that is never closed.
///
/// ```
/// # use kvist_acl::merge_selectors;
/// let merged = merge_selectors(&[b"on", b"(+get", b"~x)"]).unwrap();
/// assert_eq!(merged, [b"on".to_vec(), b"(+get ~x)".to_vec()]);
/// ```
pub fn merge_selectors<'w>(words: &[&'w [u8]]) -> Result<Vec<Vec<u8>>, &'w [u8]> {
    let mut merged = Vec::new();
    let mut open: Option<(&[u8], Vec<u8>)> = None;
    for &word in words {
        let closes = word.last() == Some(&b')');
        if word.first() == Some(&b'(') && !closes {
            // As in Redis, one that was open before is forgotten.
            open = Some((word, word.to_vec()));
            continue;
        }
        match open.take() {
            Some((first, mut selector)) => {
                selector.push(b' ');
                selector.extend_from_slice(word);
                if closes {
                    merged.push(selector);
                } else {
                    open = Some((first, selector));
                }
            }
            None => merged.push(word.to_vec()),
        }
    }
    match open {
        Some((first, _)) => Err(first),
        None => Ok(merged),
    }
}

/// Reads a file of users; `name` stands for it in errors.
///
/// # Errors
/// What is wrong with each line that is, in one text without line breaks.
pub fn parse_file(
    terms: Terms<'_>,
    text: &[u8],
    name: &str,
) -> Result<BTreeMap<Vec<u8>, User>, Vec<u8>> {
    let (mut users, mut errors) = (BTreeMap::new(), Vec::new());
    for (at, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = trim(line, b" \t\r\n");
        if !line.is_empty()
            && let Err(error) = parse_line(terms, &mut users, line, &format!("{name}:{}", at + 1))
        {
            errors.extend_from_slice(&error);
        }
    }
    if errors.is_empty() {
        return Ok(users);
    }
    errors.extend_from_slice(ACL_LOAD_FAILED.as_bytes());
    Err(errors)
}

fn parse_line(
    terms: Terms<'_>,
    users: &mut BTreeMap<Vec<u8>, User>,
    line: &[u8],
    place: &str,
) -> Result<(), Vec<u8>> {
    let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    let [b"user", name, rules @ ..] = words.as_slice() else {
        let text = " should start with user keyword followed by the username. ";
        return Err(format!("{place}{text}").into_bytes());
    };
    let saying = |before: &str, quoted: &[u8], after: &str| {
        [before.as_bytes(), quoted, after.as_bytes()].concat()
    };
    if !valid_name(name) {
        let before = format!("'{place}: username '");
        return Err(saying(&before, name, "' contains invalid characters. "));
    }
    if users.contains_key(*name) {
        let number = place.rsplit(':').next().unwrap_or_default();
        let after = format!("' found on line {number}. ");
        return Err(saying("WARNING: Duplicate user '", name, &after));
    }
    let merged = merge_selectors(rules).map_err(|_| {
        format!("{place}: Unmatched parenthesis in selector definition.").into_bytes()
    });
    let mut user = User::new(terms);
    let applied = merged.and_then(|rules| {
        rules.iter().try_for_each(|rule| {
            let rule = trim(rule, b"\t\r\n");
            user.apply(terms, rule).map_err(|error| match error {
                // Only here: it cannot be a password.
                RuleError::Unknown => {
                    let before = format!("{place}: Error in applying operation '");
                    saying(&before, rule, &format!("': {error}. "))
                }
                _ => format!("{place}: {error}. ").into_bytes(),
            })
        })
    });
    // Also if its rules are wrong: a second one of that name is told, too.
    users.insert(name.to_vec(), user);
    applied
}

fn trim<'t>(mut text: &'t [u8], edges: &[u8]) -> &'t [u8] {
    while let [first, rest @ ..] = text
        && edges.contains(first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && edges.contains(last)
    {
        text = rest;
    }
    text
}
