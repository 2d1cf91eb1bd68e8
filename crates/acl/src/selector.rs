//! One set of permissions: commands, keys and channels that go together. A user has one, and may
//! have more, any of which can allow a request.

use crate::bits::Bits;
use crate::category;
use crate::error::RuleError;
use crate::pattern::{KeyPattern, has_spaces};
use crate::vocabulary::Vocabulary;

/// A set of permissions.
#[derive(Clone, Debug)]
pub struct Selector {
    /// Nothing about commands was ever taken away since all were allowed.
    pub(crate) all_commands: bool,
    /// Commands that are not known today are allowed too.
    pub(crate) future: bool,
    pub(crate) commands: Bits,
    /// Commands allowed with certain first arguments only, as these were written.
    pub(crate) first_arguments: Vec<(usize, Vec<Vec<u8>>)>,
    pub(crate) all_keys: bool,
    pub(crate) keys: Vec<KeyPattern>,
    pub(crate) all_channels: bool,
    pub(crate) channels: Vec<Vec<u8>>,
}

impl Selector {
    /// No permissions; all channels if that is what new users get.
    pub(crate) fn new(vocabulary: &Vocabulary, all_channels: bool) -> Self {
        Selector {
            all_commands: false,
            future: false,
            commands: Bits::none(vocabulary.len()),
            first_arguments: Vec::new(),
            all_keys: false,
            keys: Vec::new(),
            all_channels,
            channels: Vec::new(),
        }
    }

    /// The patterns of channels it allows; `None` if it allows all.
    #[must_use]
    pub fn channels(&self) -> Option<&[Vec<u8>]> {
        (!self.all_channels).then_some(&self.channels)
    }

    /// Bytes that it takes beside itself.
    pub(crate) fn memory(&self) -> usize {
        let texts = |all: &Vec<Vec<u8>>| {
            let bytes = all.iter().map(Vec::capacity).sum::<usize>();
            all.capacity() * size_of::<Vec<u8>>() + bytes
        };
        let keys = self.keys.iter().map(|key| key.glob.capacity()).sum::<usize>();
        let arguments = self.first_arguments.iter().map(|(_, all)| texts(all)).sum::<usize>();
        self.commands.memory()
            + self.keys.capacity() * size_of::<KeyPattern>()
            + keys
            + self.first_arguments.capacity() * size_of::<(usize, Vec<Vec<u8>>)>()
            + arguments
            + texts(&self.channels)
    }

    /// Whether it allows everything there is.
    pub(crate) fn is_free(&self) -> bool {
        self.all_commands && self.all_keys && self.all_channels
    }

    /// Applies one rule.
    pub(crate) fn apply(&mut self, words: &Vocabulary, rule: &[u8]) -> Result<(), RuleError> {
        match rule.to_ascii_lowercase().as_slice() {
            b"" => {}
            b"allkeys" | b"~*" => {
                self.all_keys = true;
                self.keys.clear();
            }
            b"resetkeys" => {
                self.all_keys = false;
                self.keys.clear();
            }
            b"allchannels" | b"&*" => {
                self.all_channels = true;
                self.channels.clear();
            }
            b"resetchannels" => {
                self.all_channels = false;
                self.channels.clear();
            }
            b"allcommands" | b"+@all" => self.every_command(true),
            b"nocommands" | b"-@all" => self.every_command(false),
            _ => return self.apply_one(words, rule),
        }
        Ok(())
    }

    fn apply_one(&mut self, words: &Vocabulary, rule: &[u8]) -> Result<(), RuleError> {
        match rule {
            [b'~' | b'%', ..] => self.add_keys(rule),
            [b'&', channel @ ..] => self.add_channels(channel),
            [b'+', b'@', category @ ..] => self.allow_category(words, category, true),
            [b'-', b'@', category @ ..] => self.allow_category(words, category, false),
            [b'+', command @ ..] => self.add_command(words, command),
            [b'-', command @ ..] => {
                let command = words.find(command).ok_or(RuleError::Unknown)?;
                self.allow(words, command, false);
                Ok(())
            }
            _ => Err(RuleError::Syntax),
        }
    }

    fn add_keys(&mut self, rule: &[u8]) -> Result<(), RuleError> {
        if self.all_keys {
            return Err(RuleError::KeysAfterAll);
        }
        let new = KeyPattern::read(rule)?;
        match self.keys.iter_mut().find(|pattern| pattern.glob == new.glob) {
            Some(known) => {
                known.permission.read |= new.permission.read;
                known.permission.write |= new.permission.write;
            }
            None => self.keys.push(new),
        }
        Ok(())
    }

    fn add_channels(&mut self, pattern: &[u8]) -> Result<(), RuleError> {
        if self.all_channels {
            return Err(RuleError::ChannelsAfterAll);
        }
        if has_spaces(pattern) {
            return Err(RuleError::Syntax);
        }
        if !self.channels.iter().any(|known| known == pattern) {
            self.channels.push(pattern.to_vec());
        }
        Ok(())
    }

    /// Allows a command, a subcommand, or a command with a first argument.
    fn add_command(&mut self, words: &Vocabulary, rule: &[u8]) -> Result<(), RuleError> {
        let Some(bar) = rule.iter().rposition(|&byte| byte == b'|') else {
            let command = words.find(rule).ok_or(RuleError::Unknown)?;
            self.allow(words, command, true);
            return Ok(());
        };
        let (name, sub) = (&rule[..bar], &rule[bar + 1..]);
        let command = words.find(name).ok_or(RuleError::Unknown)?;
        if words.word(command).is_child {
            return Err(RuleError::ArgumentOfSubcommand);
        }
        if sub.is_empty() {
            return Err(RuleError::Syntax);
        }
        if words.word(command).children.is_empty() {
            self.add_first_argument(command, sub);
        } else {
            let sub = words.find(rule).ok_or(RuleError::Unknown)?;
            self.allow(words, sub, true);
        }
        Ok(())
    }

    fn add_first_argument(&mut self, command: usize, argument: &[u8]) {
        let at = match self.first_arguments.iter().position(|(known, _)| *known == command) {
            Some(at) => at,
            None => {
                self.first_arguments.push((command, Vec::new()));
                self.first_arguments.len() - 1
            }
        };
        let arguments = &mut self.first_arguments[at].1;
        if !arguments.iter().any(|known| known.eq_ignore_ascii_case(argument)) {
            arguments.push(argument.to_vec());
        }
    }

    fn allow_category(
        &mut self,
        words: &Vocabulary,
        name: &[u8],
        on: bool,
    ) -> Result<(), RuleError> {
        let category = category::find(name).ok_or(RuleError::Unknown)?;
        self.allow_all_of(words, category, on);
        Ok(())
    }

    /// Allows or forbids the commands of a category, by its place in the list of them.
    pub(crate) fn allow_all_of(&mut self, words: &Vocabulary, category: usize, on: bool) {
        for (command, word) in words.words().iter().enumerate() {
            if word.categories.has(category) {
                self.allow(words, command, on);
            }
        }
    }

    /// Allows or forbids a command, with its subcommands and whatever the first argument.
    pub(crate) fn allow(&mut self, words: &Vocabulary, command: usize, on: bool) {
        self.commands.set(command, on);
        for &child in &words.word(command).children {
            self.commands.set(child, on);
        }
        self.all_commands &= on;
        self.first_arguments.retain(|(known, _)| *known != command);
    }

    /// Allows or forbids every command, also those to come.
    pub(crate) fn every_command(&mut self, on: bool) {
        self.commands.fill(on);
        self.all_commands = on;
        self.future = on;
        self.first_arguments.clear();
    }

    /// The first arguments with which a command is allowed though it is not otherwise.
    pub(crate) fn first_arguments_of(&self, command: usize) -> &[Vec<u8>] {
        let found = self.first_arguments.iter().find(|(known, _)| *known == command);
        found.map_or(&[], |(_, arguments)| arguments)
    }
}
