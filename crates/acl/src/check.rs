//! The decision: may this user send this request?

use base::glob;

use crate::pattern::Permission;
use crate::selector::Selector;
use crate::user::User;

/// What has to be known of a request. Keys and channels are asked for only if it matters.
pub trait Request {
    /// The number of its command in the vocabulary.
    fn command(&self) -> usize;
    /// Whether any client may send it: `AUTH` and what else must be possible without rights.
    fn is_for_everybody(&self) -> bool;
    /// The first word behind the command's name.
    fn first_argument(&self) -> Option<&[u8]>;
    /// The keys, and what is done to them: their positions among its words.
    fn keys(&self) -> &[(usize, Permission)];
    /// Positions of the channels that it subscribes or publishes to.
    fn channels(&self) -> &[usize];
    /// Whether the channels are patterns.
    fn takes_patterns(&self) -> bool;
    /// The word at a position.
    fn word(&self, at: usize) -> &[u8];
}

/// What stands in the way of a request. In the order in which reasons are told, the last first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Denied {
    /// The command.
    Command,
    /// The key at this position.
    Key(usize),
    /// The channel at this position.
    Channel(usize),
}

impl User {
    /// Whether one of the selectors allows the request.
    ///
    /// # Errors
    /// The reason of the selector that came furthest.
    pub fn check(&self, request: &dyn Request) -> Result<(), Denied> {
        let mut denied = Denied::Command;
        for selector in &self.selectors {
            match selector.check(request) {
                Ok(()) => return Ok(()),
                Err(reason) => denied = denied.max(reason),
            }
        }
        Err(denied)
    }

    /// Whether one of the selectors allows the request and also the reading of any key: `SORT`
    /// finds keys by patterns.
    #[must_use]
    pub fn reads_any_key(&self, request: &dyn Request) -> bool {
        let allows = |selector: &&Selector| {
            let reads_all = selector.all_keys || selector.keys.iter().any(|k| k.reads_all());
            reads_all && selector.check(request).is_ok()
        };
        self.selectors.iter().any(|selector| allows(&selector))
    }

    /// Whether one of the selectors allows a command, and to do this to a key that it finds by
    /// itself.
    #[must_use]
    pub fn may_find(&self, command: usize, key: &[u8], needed: Permission) -> bool {
        let allows = |selector: &Selector| {
            (selector.all_commands || selector.commands.has(command))
                && (selector.all_keys || selector.keys.iter().any(|k| k.allows(key, needed)))
        };
        self.selectors.iter().any(allows)
    }

    /// The same of every key that begins so. What several patterns allow together counts as not
    /// allowed.
    #[must_use]
    pub fn may_find_all(&self, command: usize, beginning: &[u8], needed: Permission) -> bool {
        let allows = |selector: &Selector| {
            (selector.all_commands || selector.commands.has(command))
                && (selector.all_keys
                    || selector.keys.iter().any(|k| k.allows_all(beginning, needed)))
        };
        self.selectors.iter().any(allows)
    }

    /// Whether a subscription may stay: to a channel, or to a pattern, which must be one of those
    /// that are allowed word for word.
    #[must_use]
    pub fn may_listen(&self, channel: &[u8], is_pattern: bool) -> bool {
        self.selectors.iter().any(|selector| selector.allows_channel(channel, is_pattern))
    }
}

impl Selector {
    fn check(&self, request: &dyn Request) -> Result<(), Denied> {
        self.check_command(request)?;
        if !self.all_keys {
            let denied = |&&(at, needed): &&(usize, Permission)| {
                !self.keys.iter().any(|pattern| pattern.allows(request.word(at), needed))
            };
            if let Some(&(at, _)) = request.keys().iter().find(denied) {
                return Err(Denied::Key(at));
            }
        }
        if !self.all_channels {
            let is_pattern = request.takes_patterns();
            let denied = |&&at: &&usize| !self.allows_channel(request.word(at), is_pattern);
            if let Some(&at) = request.channels().iter().find(denied) {
                return Err(Denied::Channel(at));
            }
        }
        Ok(())
    }

    #[inline]
    fn check_command(&self, request: &dyn Request) -> Result<(), Denied> {
        let command = request.command();
        if self.all_commands || self.commands.has(command) || request.is_for_everybody() {
            return Ok(());
        }
        let first = request.first_argument().ok_or(Denied::Command)?;
        let mut allowed = self.first_arguments_of(command).iter();
        if allowed.any(|argument| argument.eq_ignore_ascii_case(first)) {
            Ok(())
        } else {
            Err(Denied::Command)
        }
    }

    fn allows_channel(&self, channel: &[u8], is_pattern: bool) -> bool {
        self.all_channels
            || self.channels.iter().any(|allowed| {
                if is_pattern { allowed == channel } else { glob::matches(allowed, channel) }
            })
    }
}
