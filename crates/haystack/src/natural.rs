//! The order in which people sort: `Foo-2` before `Foo-10`.
//!
//! Letters of both cases are the same, and the digits at the end of a text are a number. A text is
//! compared by what stands before these digits, then by the number: that way three texts are never
//! in a circle, as they can be where digits count as a number only next to other digits.

use std::cmp::Ordering;

/// What stands before the digits at the end, and these without zeros in front.
fn parts(text: &str) -> (&str, &str) {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(name.len()..).unwrap_or_default();
    (name, digits)
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

fn by_number(a: &str, b: &str) -> Ordering {
    // No digits are before any.
    let there = (!a.is_empty()).cmp(&!b.is_empty());
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    there.then_with(|| a.len().cmp(&b.len())).then_with(|| a.cmp(b))
}

/// Compares two texts; equal are only those that are the same.
///
/// ```
/// use kvist_haystack::natural;
/// let mut names = ["Foo-10", "foo-2", "Foo", "bar-3"];
/// names.sort_by(|a, b| natural::compare(a, b));
/// assert_eq!(names, ["bar-3", "Foo", "foo-2", "Foo-10"]);
/// ```
pub fn compare(a: &str, b: &str) -> Ordering {
    let ((name, digits), (other, others)) = (parts(a), parts(b));
    folded(name).cmp(folded(other)).then_with(|| by_number(digits, others)).then_with(|| a.cmp(b))
}

#[cfg(test)]
#[path = "natural_tests.rs"]
mod tests;
