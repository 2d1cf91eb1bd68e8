//! The names that rules are made of: every command of this server, and every command of Redis
//! 7.0.15 that it does not have.
//!
//! A file of users that was written for Redis must be read here, and written back, without losing
//! a rule; and a command that this server gets in a later version must find the rules about it.
//! What Redis does not know is not counted when categories are chosen to describe a user: so the
//! same rules are described in the same words.

use std::collections::HashMap;

use crate::category::Categories;

/// Names and categories, a command per line.
const REDIS: &str = include_str!("../data/redis-7.0.15.txt");

/// One command.
#[derive(Debug)]
pub(crate) struct Word {
    /// Lower-case name; a subcommand is `container|sub`.
    pub name: Box<str>,
    pub categories: Categories,
    /// Whether it is a subcommand.
    pub is_child: bool,
    /// The numbers of its subcommands, by name.
    pub children: Vec<usize>,
    /// Redis knows it too.
    pub in_redis: bool,
}

/// All commands that rules can speak of, by number.
#[derive(Debug)]
pub struct Vocabulary {
    words: Vec<Word>,
    numbers: HashMap<Box<str>, usize>,
    /// The numbers of commands that are no subcommands, by name.
    tops: Vec<usize>,
}

impl Vocabulary {
    /// The vocabulary of a server with these commands, which get the numbers from 0 on: name and
    /// categories of each. Subcommands are named `container|sub`.
    #[must_use]
    pub fn new<'s>(commands: impl IntoIterator<Item = (&'s str, Vec<&'s str>)>) -> Self {
        let mut vocabulary =
            Vocabulary { words: Vec::new(), numbers: HashMap::new(), tops: Vec::new() };
        for (name, categories) in commands {
            vocabulary.add(name, Categories::of(categories));
        }
        for (name, categories) in redis() {
            let number = match vocabulary.numbers.get(name) {
                Some(&number) => number,
                None => vocabulary.add(name, Categories::of(categories)),
            };
            vocabulary.words[number].in_redis = true;
        }
        vocabulary.link();
        vocabulary
    }

    fn add(&mut self, name: &str, categories: Categories) -> usize {
        let number = self.words.len();
        let word = Word {
            name: name.into(),
            categories,
            is_child: name.contains('|'),
            children: Vec::new(),
            in_redis: false,
        };
        self.words.push(word);
        self.numbers.insert(name.into(), number);
        number
    }

    /// Tells containers of their subcommands.
    fn link(&mut self) {
        let mut by_name: Vec<usize> = (0..self.words.len()).collect();
        by_name.sort_by(|&a, &b| self.words[a].name.cmp(&self.words[b].name));
        for number in by_name {
            let parent = self.words[number].name.split_once('|').map(|(parent, _)| parent);
            match parent.map(|parent| self.numbers.get(parent).copied()) {
                Some(Some(parent)) => self.words[parent].children.push(number),
                _ => self.tops.push(number),
            }
        }
    }

    /// How many commands there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of the command of this name, in any case; subcommands as `container|sub`.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let name = str::from_utf8(name).ok()?.to_ascii_lowercase();
        self.numbers.get(name.as_str()).copied()
    }

    /// The full name of a command.
    #[must_use]
    pub fn name(&self, command: usize) -> &str {
        self.words.get(command).map_or("", |word| &word.name)
    }

    pub(crate) fn word(&self, command: usize) -> &Word {
        &self.words[command]
    }

    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// Commands that are no subcommands, by name.
    pub(crate) fn tops(&self) -> &[usize] {
        &self.tops
    }
}

/// The commands of Redis and their categories.
pub(crate) fn redis() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    REDIS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, words.collect()))
    })
}
