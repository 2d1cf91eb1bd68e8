//! Groups of words that stand for each other.
//!
//! Groups are applied when a query is evaluated: a word is replaced by the union of the words of
//! its groups. RediSearch writes group numbers into the index instead, so that documents indexed
//! before a group are not found until they are scanned again.

use std::collections::{BTreeMap, BTreeSet};

use super::lower;

/// The groups of an index (`FT.SYNUPDATE`). A word may be in several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    groups: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>,
    of: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>,
}

impl Synonyms {
    /// Adds words to a group, which is created if need be.
    pub fn update<'w>(&mut self, group: &[u8], words: impl IntoIterator<Item = &'w [u8]>) {
        let members = self.groups.entry(group.to_vec()).or_default();
        for word in words {
            let word = lower(word).into_owned();
            self.of.entry(word.clone()).or_default().insert(group.to_vec());
            members.insert(word);
        }
    }

    /// Every word with its groups, both in order (`FT.SYNDUMP`).
    pub fn dump(&self) -> impl Iterator<Item = (&[u8], impl Iterator<Item = &[u8]>)> {
        self.of.iter().map(|(word, groups)| (word.as_slice(), groups.iter().map(Vec::as_slice)))
    }

    /// The other words of the groups of a word in lower case, in order, each once.
    pub fn of(&self, word: &[u8]) -> Vec<&[u8]> {
        let groups = self.of.get(word).into_iter().flatten();
        let members = groups.filter_map(|group| self.groups.get(group)).flatten();
        let mut others: Vec<&[u8]> = members.map(Vec::as_slice).filter(|it| *it != word).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}
