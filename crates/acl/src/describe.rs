//! Rules in words: the shortest that Redis would find for the same permissions.
//!
//! What a user was given is not kept as it was said; the set of allowed commands is described
//! anew. Categories are chosen greedily, the best fitting first, and the rest is made right command
//! by command. Redis lists those commands in an order that changes with every start; here they are
//! in the order of the alphabet.

use crate::category::{CATEGORIES, OF_REDIS};
use crate::selector::Selector;
use crate::user::{Terms, User};
use crate::vocabulary::Vocabulary;

impl User {
    /// The line of `ACL LIST`, and of a file of users.
    #[must_use]
    pub fn line(&self, words: &Vocabulary, name: &[u8]) -> Vec<u8> {
        let mut line = [b"user ", name].concat();
        for flag in self.flags() {
            line.push(b' ');
            line.extend_from_slice(flag.as_bytes());
        }
        for password in &self.passwords {
            line.extend_from_slice(b" #");
            line.extend_from_slice(password.as_bytes());
        }
        for (at, selector) in self.selectors.iter().enumerate() {
            line.extend_from_slice(if at == 0 { b" " } else { b" (" });
            selector.write(words, &mut line);
            if at > 0 {
                line.push(b')');
            }
        }
        line
    }

    /// Whether the user is what [`User::default_user`] makes.
    #[must_use]
    pub fn is_pristine(&self, terms: Terms<'_>) -> bool {
        let pristine = User::default_user(terms);
        self.line(terms.vocabulary, b"") == pristine.line(terms.vocabulary, b"")
    }
}

impl Selector {
    fn write(&self, words: &Vocabulary, out: &mut Vec<u8>) {
        let keys = self.keys();
        if !keys.is_empty() {
            out.extend_from_slice(&keys);
            out.push(b' ');
        }
        if !self.all_channels {
            out.extend_from_slice(b"resetchannels ");
        }
        let channels = self.channel_rules();
        if !channels.is_empty() {
            out.extend_from_slice(&channels);
            out.push(b' ');
        }
        out.extend_from_slice(&self.commands(words));
    }

    /// The rules about keys, separated by spaces.
    #[must_use]
    pub fn keys(&self) -> Vec<u8> {
        if self.all_keys {
            return b"~*".to_vec();
        }
        let mut out = Vec::new();
        for pattern in &self.keys {
            if !out.is_empty() {
                out.push(b' ');
            }
            pattern.write(&mut out);
        }
        out
    }

    /// The rules about channels, separated by spaces.
    #[must_use]
    pub fn channel_rules(&self) -> Vec<u8> {
        if self.all_channels {
            return b"&*".to_vec();
        }
        let rules: Vec<Vec<u8>> =
            self.channels.iter().map(|channel| [b"&", channel.as_slice()].concat()).collect();
        rules.join(&b' ')
    }

    /// The rules about commands, separated by spaces.
    ///
    /// Time: categories × commands for each category that is chosen.
    #[must_use]
    pub fn commands(&self, words: &Vocabulary) -> Vec<u8> {
        let adds = !self.future;
        let mut told = Selector::new(words, false);
        told.every_command(!adds);
        let mut out: Vec<u8> = if adds { b"-@all".to_vec() } else { b"+@all".to_vec() };
        // What is left to be told: a category that has been told is taken out again.
        let mut left = self.clone();
        let mut chosen = [false; CATEGORIES.len()];
        while let Some(best) = left.best_category(words, adds, &chosen) {
            chosen[best] = true;
            told.allow_all_of(words, best, adds);
            left.allow_all_of(words, best, !adds);
            out.extend_from_slice(if adds { b" +@" } else { b" -@" });
            out.extend_from_slice(CATEGORIES[best].as_bytes());
        }
        for &command in words.tops() {
            self.tell(words, command, &mut told, &mut out);
            for &child in &words.word(command).children {
                self.tell(words, child, &mut told, &mut out);
            }
        }
        out
    }

    /// The category that says most about the commands with the fewest exceptions; `None` if each
    /// would need more exceptions than it says.
    fn best_category(
        &self,
        words: &Vocabulary,
        adds: bool,
        chosen: &[bool; CATEGORIES.len()],
    ) -> Option<usize> {
        let mut best: Option<(usize, usize, usize)> = None;
        for (category, _) in chosen.iter().enumerate().filter(|(_, chosen)| !**chosen) {
            let (mut same, mut different) = (0, 0);
            // What only this server has does not count in a category of Redis: the words for the
            // same rules must be the same.
            let counts = |in_redis: bool| in_redis || category >= OF_REDIS;
            for (command, word) in words.words().iter().enumerate() {
                if counts(word.in_redis) && word.categories.has(category) {
                    if self.commands.has(command) == adds {
                        same += 1;
                    } else {
                        different += 1;
                    }
                }
            }
            let better = best.is_none_or(|(_, fewest, most)| {
                different < fewest || (different == fewest && same > most)
            });
            if same > different && better {
                best = Some((category, different, same));
            }
        }
        best.map(|(category, ..)| category)
    }

    /// Tells of one command, if what was told so far is not so.
    fn tell(&self, words: &Vocabulary, command: usize, told: &mut Selector, out: &mut Vec<u8>) {
        let allowed = self.commands.has(command);
        let name = words.word(command).name.as_bytes();
        if told.commands.has(command) != allowed {
            told.allow(words, command, allowed);
            out.extend_from_slice(if allowed { b" +" } else { b" -" });
            out.extend_from_slice(name);
        }
        if !allowed {
            for argument in self.first_arguments_of(command) {
                out.extend_from_slice(&[b" +", name, b"|", argument].concat());
            }
        }
    }
}
