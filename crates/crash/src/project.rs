//! Projects of records as the model knows them, and the few diffs that the workload makes of them.
//!
//! Records have a number in their id and a text. They are written as Zinc and read again from that
//! text, by the model.

use std::collections::BTreeMap;

use crate::value::Bytes;

/// The texts of the records, by the numbers in their ids.
pub type Project = BTreeMap<i64, Bytes>;

/// What a batch does.
#[derive(Clone, Debug, PartialEq)]
pub enum Batch {
    /// Records of these numbers, first and last, with this text. None may be there.
    Add(i64, i64, Bytes),
    /// Records of these numbers get this text. All must be there.
    Update(i64, i64, Bytes),
    /// Records of these numbers go. All must be there.
    Remove(i64, i64),
}

impl Batch {
    /// Its words behind the key.
    #[must_use]
    pub fn words(&self) -> Vec<Bytes> {
        let (verb, first, last, text) = match self {
            Batch::Add(first, last, text) => ("ADD", first, last, Some(text)),
            Batch::Update(first, last, text) => ("UPDATE", first, last, Some(text)),
            Batch::Remove(first, last) => ("REMOVE", first, last, None),
        };
        let dis = text.map(|text| format!(" dis:\"{}\"", text.escape_ascii())).unwrap_or_default();
        let records = (*first..=*last).map(|number| format!("{{id:@r{number}{dis}}}"));
        let records = format!("[{}]", records.collect::<Vec<_>>().join(","));
        ["FORCE", verb, &records].iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    /// The batch with these words.
    #[must_use]
    pub fn read(words: &[Bytes]) -> Option<Batch> {
        let [_, verb, records] = words else { return None };
        let records = std::str::from_utf8(records).ok()?;
        let first = number_behind(records, records.find("@r")?)?;
        let last = number_behind(records, records.rfind("@r")?)?;
        let text = records.split('"').nth(1).unwrap_or_default().as_bytes().to_vec();
        Some(match &verb[..] {
            b"ADD" => Batch::Add(first, last, text),
            b"UPDATE" => Batch::Update(first, last, text),
            b"REMOVE" => Batch::Remove(first, last),
            _ => return None,
        })
    }

    /// Does it; false if it cannot be done, and nothing has happened.
    pub fn apply(&self, project: &mut Project) -> bool {
        let (first, last, is_new) = match self {
            Batch::Add(first, last, _) => (*first, *last, true),
            Batch::Update(first, last, _) | Batch::Remove(first, last) => (*first, *last, false),
        };
        if (first..=last).any(|number| project.contains_key(&number) == is_new) {
            return false;
        }
        for number in first..=last {
            match self {
                Batch::Add(_, _, text) | Batch::Update(_, _, text) => {
                    project.insert(number, text.clone());
                }
                Batch::Remove(..) => drop(project.remove(&number)),
            }
        }
        true
    }
}

/// The number in the id that begins at a place of a text.
fn number_behind(text: &str, at: usize) -> Option<i64> {
    let rest = text.get(at + 2..)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// A project from names and values of its records, one after the other, as a map has them: `id`
/// comes first. `None`: two records have the same id, or something else was answered.
#[must_use]
pub fn from_pairs(pairs: &[(Bytes, Bytes)]) -> Option<Project> {
    let (mut project, mut number) = (Project::new(), None);
    for (name, value) in pairs {
        let value = std::str::from_utf8(value).ok()?;
        if name == b"id" {
            number = number_behind(value, 0);
            if project.insert(number?, Bytes::new()).is_some() {
                return None;
            }
        } else if name == b"dis" {
            *project.get_mut(&number?)? = value.trim_matches('"').as_bytes().to_vec();
        }
    }
    Some(project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_read_from_their_words() {
        for batch in [
            Batch::Add(1, 1, b"text 5".to_vec()),
            Batch::Update(3, 12, b"a".to_vec()),
            Batch::Remove(7, 9),
        ] {
            assert_eq!(Batch::read(&batch.words()), Some(batch));
        }
    }

    #[test]
    fn a_batch_is_done_whole_or_not_at_all() {
        let mut project = Project::new();
        assert!(Batch::Add(1, 3, b"x".to_vec()).apply(&mut project));
        let before = project.clone();
        assert!(!Batch::Add(3, 4, b"y".to_vec()).apply(&mut project));
        assert!(!Batch::Update(3, 4, b"y".to_vec()).apply(&mut project));
        assert!(!Batch::Remove(0, 3).apply(&mut project));
        assert_eq!(project, before);
        assert!(Batch::Remove(2, 2).apply(&mut project));
        let pair = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        let pairs = [
            pair("id", "@r1 \"x\""),
            pair("dis", "\"x\""),
            pair("mod", "2024"),
            pair("id", "@r3 \"x\""),
            pair("dis", "\"x\""),
        ];
        assert_eq!(from_pairs(&pairs), Some(project));
    }
}
