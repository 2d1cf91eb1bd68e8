//! A user: whether it may come in and with which passwords, and what it may do then.

use crate::error::RuleError;
use crate::password::Password;
use crate::scram::{MOST_KEYS, PlainPassword};
use crate::selector::Selector;
use crate::vocabulary::Vocabulary;

/// What a rule means beside its words.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'v> {
    /// The names of commands.
    pub vocabulary: &'v Vocabulary,
    /// New users, and new selectors, may use all channels: `acl-pubsub-default`.
    pub all_channels: bool,
}

/// What was said about payloads of `RESTORE`. They are always checked here; the words are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payloads {
    NothingSaid,
    Checked,
    Trusted,
}

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    pub(crate) on: bool,
    pub(crate) any_password: bool,
    pub(crate) payloads: Payloads,
    pub(crate) passwords: Vec<Password>,
    /// Passwords that were given in plain since they were taken last.
    plain: Vec<PlainPassword>,
    /// The user's own permissions first, then the selectors.
    pub(crate) selectors: Vec<Selector>,
}

impl User {
    /// A user who may not come in and may do nothing.
    #[must_use]
    pub fn new(terms: Terms<'_>) -> Self {
        User {
            on: false,
            any_password: false,
            payloads: Payloads::NothingSaid,
            passwords: Vec::new(),
            plain: Vec::new(),
            selectors: vec![Selector::new(terms.vocabulary, terms.all_channels)],
        }
    }

    /// The default user as a server without rules has it: on, without a password, free.
    #[must_use]
    pub fn default_user(terms: Terms<'_>) -> Self {
        let mut user = User::new(terms);
        user.on = true;
        user.any_password = true;
        for root in &mut user.selectors {
            root.every_command(true);
            root.all_keys = true;
            root.all_channels = true;
        }
        user
    }

    /// Applies one rule: a word, or a whole selector in parentheses.
    ///
    /// # Errors
    /// What is wrong with it; the user is unchanged then.
    pub fn apply(&mut self, terms: Terms<'_>, rule: &[u8]) -> Result<(), RuleError> {
        match rule.to_ascii_lowercase().as_slice() {
            b"on" => self.on = true,
            b"off" => self.on = false,
            b"nopass" => self.take_any_password(),
            b"resetpass" => {
                self.any_password = false;
                self.passwords.clear();
            }
            b"sanitize-payload" => self.payloads = Payloads::Checked,
            b"skip-sanitize-payload" => self.payloads = Payloads::Trusted,
            b"reset" => {
                *self = User::new(terms);
                self.payloads = Payloads::Checked;
            }
            b"clearselectors" => self.selectors.truncate(1),
            _ => return self.apply_one(terms, rule),
        }
        Ok(())
    }

    fn apply_one(&mut self, terms: Terms<'_>, rule: &[u8]) -> Result<(), RuleError> {
        match rule {
            [b'>', password @ ..] => self.add_plain_password(password),
            [b'#', hash @ ..] => self.add_password(Password::read(hash)?),
            [b'<', password @ ..] => return self.remove_password(&Password::hash(password)),
            [b'!', hash @ ..] => return self.remove_password(&Password::read(hash)?),
            [b'(', inner @ .., b')'] => {
                let mut selector = Selector::new(terms.vocabulary, terms.all_channels);
                for rule in inner.split(|&byte| byte == b' ') {
                    selector.apply(terms.vocabulary, rule)?;
                }
                self.selectors.push(selector);
            }
            _ => {
                let Some(root) = self.selectors.first_mut() else { return Ok(()) };
                return root.apply(terms.vocabulary, rule);
            }
        }
        Ok(())
    }

    /// Takes any password from now on.
    pub fn take_any_password(&mut self) {
        self.any_password = true;
        self.passwords.clear();
    }

    /// Takes this password and no other: `requirepass`.
    pub fn take_only(&mut self, password: &[u8]) {
        self.passwords.clear();
        self.add_plain_password(password);
    }

    fn add_plain_password(&mut self, password: &[u8]) {
        let hash = Password::hash(password);
        self.add_password(hash.clone());
        self.plain.retain(|known| known.hash() != &hash);
        if self.plain.len() == MOST_KEYS {
            self.plain.remove(0);
        }
        self.plain.push(PlainPassword::new(password, hash));
    }

    /// Takes the passwords that were given in plain, of those that it still has: the last
    /// [`MOST_KEYS`]. What puts a user in force takes them, so that they are not kept.
    pub fn take_plain_passwords(&mut self) -> Vec<PlainPassword> {
        let mut plain = std::mem::take(&mut self.plain);
        plain.retain(|plain| self.passwords.contains(plain.hash()));
        plain
    }

    fn add_password(&mut self, password: Password) {
        if !self.passwords.contains(&password) {
            self.passwords.push(password);
        }
        self.any_password = false;
    }

    fn remove_password(&mut self, password: &Password) -> Result<(), RuleError> {
        let before = self.passwords.len();
        self.passwords.retain(|known| known != password);
        if self.passwords.len() == before { Err(RuleError::NoSuchPassword) } else { Ok(()) }
    }

    /// Whether this password lets the user in. It takes as long whichever password it is.
    #[must_use]
    pub fn lets_in(&self, password: &[u8]) -> bool {
        self.lets_in_hashed(&Password::hash(password))
    }

    /// The same of a password that was hashed.
    #[must_use]
    pub fn lets_in_hashed(&self, given: &Password) -> bool {
        let known = self.passwords.iter().fold(false, |known, one| known | one.is(given));
        self.on && (self.any_password | known)
    }

    /// Whether who says nothing is this user, if it is the default one.
    #[must_use]
    pub fn needs_no_password(&self) -> bool {
        self.on && self.any_password
    }

    /// Whether any password will do.
    #[must_use]
    pub fn takes_any_password(&self) -> bool {
        self.any_password
    }

    /// Its passwords.
    #[must_use]
    pub fn passwords(&self) -> &[Password] {
        &self.passwords
    }

    /// Its own permissions first, then its selectors.
    #[must_use]
    pub fn selectors(&self) -> &[Selector] {
        &self.selectors
    }

    /// Bytes of its passwords and permissions.
    #[must_use]
    pub fn memory(&self) -> usize {
        let own = self.selectors.capacity() * size_of::<Selector>()
            + self.passwords.capacity() * size_of::<Password>();
        let passwords = self.passwords.len() * Password::MEMORY;
        own + passwords + self.selectors.iter().map(Selector::memory).sum::<usize>()
    }

    /// Whether nothing has to be checked: one selector allows everything.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.selectors.iter().any(Selector::is_free)
    }

    /// Its flags, in Redis's words and order.
    #[must_use]
    pub fn flags(&self) -> Vec<&'static str> {
        let mut flags = vec![if self.on { "on" } else { "off" }];
        if self.any_password {
            flags.push("nopass");
        }
        match self.payloads {
            Payloads::NothingSaid => {}
            Payloads::Checked => flags.push("sanitize-payload"),
            Payloads::Trusted => flags.push("skip-sanitize-payload"),
        }
        flags
    }
}
