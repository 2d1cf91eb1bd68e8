//! Users in files: `user` lines of the configuration, the file named by `aclfile`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acl::User;
use config::{Config, UserLine};

use crate::access::{Account, DEFAULT, Declared, first_rules};
use crate::admin::scram_file::{self, SavedKeys};
use crate::client::Client;
use crate::engine::Engine;
use crate::replace_file::replace_file;

/// Users may be declared in one place only.
const BOTH: &str = "Configuring Kvist with users defined in the configuration file and at the same \
setting an ACL file path is invalid. Please define either an ACL file or declare users directly in \
the configuration file, but not both.";

/// Where the users are kept, if in a file of their own. A relative name belongs to `dir`.
fn path_of(config: &Config) -> Option<PathBuf> {
    config.security.acl.file.as_ref().map(|file| Path::new(&config.process.dir).join(file))
}

impl Engine {
    /// Makes the users that the configuration declares, or those of `aclfile`. Asked once, before
    /// any client can connect.
    ///
    /// # Errors
    /// What is wrong, for the administrator. The server must not start then.
    pub fn load_users(&self) -> Result<(), String> {
        let config = self.config();
        let lines = self.configuration.settings.lock().users().to_vec();
        match path_of(&config) {
            Some(_) if !lines.is_empty() => return Err(BOTH.to_owned()),
            Some(path) => {
                let users = self.read_users(&path, &config);
                let users = users.map_err(|e| String::from_utf8_lossy(&e).into_owned())?;
                self.replace_users(users, scram_file::read(&path));
                self.users.all().iter().for_each(|account| self.derive_keys_of(account));
            }
            None => self.declare_users(&lines, &config).map_err(|error| error.to_string())?,
        }
        *self.users.declared.lock() =
            Declared { lines: self.users.lines(), in_file: !lines.is_empty() };
        Ok(())
    }

    fn declare_users(&self, lines: &[UserLine], config: &Config) -> Result<(), config::LoadError> {
        let terms = self.users.terms(config);
        let mut users: BTreeMap<Vec<u8>, User> = BTreeMap::new();
        for line in lines {
            let words: Vec<&[u8]> = line.words.iter().map(Vec::as_slice).collect();
            let Some((&name, rules)) = words.split_first() else { continue };
            let wrong = |word: &[u8], error: &dyn std::fmt::Display| {
                let secret = matches!(word.first(), Some(b'>' | b'<'));
                let word = if secret { b"(redacted)" } else { word };
                let word = String::from_utf8_lossy(word);
                line.rejected(format!("Error in user declaration '{word}': {error}"))
            };
            if !acl::valid_name(name) {
                return Err(line.rejected("Spaces not allowed in ACL usernames".to_owned()));
            }
            if users.contains_key(name) {
                return Err(wrong(name, &acl::RuleError::Duplicate));
            }
            let rules = acl::merge_selectors(rules)
                .map_err(|word| wrong(word, &"Unmatched parenthesis in selector definition."))?;
            let mut user = User::new(terms);
            if name == DEFAULT {
                user.apply(terms, b"reset").map_err(|error| wrong(name, &error))?;
            }
            for rule in rules {
                user.apply(terms, &rule).map_err(|error| wrong(&rule, &error))?;
            }
            users.insert(name.to_vec(), user);
        }
        self.replace_users(users, SavedKeys::default());
        Ok(())
    }

    /// The users in a file.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong with its lines.
    fn read_users(&self, path: &Path, config: &Config) -> Result<BTreeMap<Vec<u8>, User>, Vec<u8>> {
        let name = path.display().to_string();
        let text = std::fs::read(path).map_err(|error| {
            let reason = plain(&error);
            format!("Error loading ACLs, opening file '{name}': {reason}").into_bytes()
        })?;
        acl::parse_file(self.users.terms(config), &text, &name)
    }

    /// Puts these users in the place of all there are; those that were there and are not the
    /// default one are gone, even if one of the same name takes the place. A default user that is
    /// not among them is what `requirepass` makes of it. Keys for SCRAM are those that were saved,
    /// and those that users of the same name and password had. Which users are gone.
    fn replace_users(
        &self,
        mut users: BTreeMap<Vec<u8>, User>,
        mut saved: SavedKeys,
    ) -> Vec<Arc<Account>> {
        let all = &self.users;
        if let Some(secret) = saved.secret {
            all.proofs.set_secret(secret);
        }
        let rules = users.remove(DEFAULT);
        let rules = rules.unwrap_or_else(|| first_rules(&all.vocabulary, &self.config()));
        let mut accounts: BTreeMap<Vec<u8>, Arc<Account>> = users
            .into_iter()
            .map(|(name, rules)| {
                let mut keys = all.proofs.keys_of(&name);
                if let Some(account) = all.find(&name) {
                    let had = account.keys.lock();
                    keys.restore(had.salt(), had.keys().to_vec());
                }
                if let Some((salt, known)) = saved.users.remove(&name) {
                    keys.restore(salt, known);
                }
                (name.clone(), Account::new(&name, rules, keys))
            })
            .collect();
        all.count(0, accounts.values().map(|account| account.memory()).sum());
        accounts.insert(DEFAULT.to_vec(), Arc::clone(&all.default));
        if let Some((salt, known)) = saved.users.remove(DEFAULT) {
            all.default.keys.lock().restore(salt, known);
        }
        all.publish(&all.default, rules);
        let before = std::mem::replace(&mut *all.accounts.write(), accounts);
        let gone = before.into_values().filter(|account| !Arc::ptr_eq(account, &all.default));
        let gone: Vec<Arc<Account>> = gone.collect();
        all.count(gone.iter().map(|account| account.memory()).sum(), 0);
        gone
    }

    /// The file of users, if there is one.
    pub(crate) fn acl_file(&self) -> Option<PathBuf> {
        path_of(&self.config())
    }

    /// `ACL LOAD`: the users of the file, or none changed. Clients of all others than the default
    /// user are disconnected; whether `own` is one, which is left to the caller. Waits for the
    /// disk.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn reload_users(&self, path: &Path, own: &Client) -> Result<bool, Vec<u8>> {
        let _file = self.users.file.lock();
        let users = self.read_users(path, &self.config())?;
        let saved = scram_file::read(path);
        // Users may change while the file is read, and not while it is put in force.
        let _changing = self.users.changing.lock();
        let gone = self.replace_users(users, saved);
        self.users.all().iter().for_each(|account| self.derive_keys_of(account));
        let silenced = self.silence(&self.users.default, own);
        Ok(self.dismiss(&gone, own) | silenced)
    }

    /// `ACL SAVE`: the file says what is in force. Waits for the disk.
    ///
    /// # Errors
    /// Those of the system; the file is then as it was.
    pub(crate) fn save_users(&self, path: &Path) -> io::Result<()> {
        let _file = self.users.file.lock();
        // What a password was given in is not kept: its keys have to be.
        self.users.all().iter().for_each(|account| account.make_keys());
        let (lines, keys) = {
            // Of one moment; clients may change users again while it is written.
            let _changing = self.users.changing.lock();
            (self.users.lines(), scram_file::text(&self.users))
        };
        let beside = scram_file::path_beside(path);
        // Without any user's keys there is no such file, unless it was there.
        if keys.is_some() || beside.exists() {
            replace_file(&beside, &keys.unwrap_or_default())?;
        }
        let mut text = Vec::new();
        for line in lines {
            text.extend_from_slice(&line);
            text.push(b'\n');
        }
        replace_file(path, &text)
    }

    /// The `user` lines for the configuration file; `None` if those it has are good.
    ///
    /// # Errors
    /// Users have changed that are declared in a file which is not rewritten.
    pub(crate) fn lines_to_rewrite(
        &self,
        lines: &[UserLine],
        file: &Path,
    ) -> io::Result<Option<Vec<Vec<u8>>>> {
        let config = self.config();
        if config.security.acl.file.is_some() {
            return Ok(None);
        }
        let now = self.users.lines();
        let declared = self.users.declared.lock();
        if declared.lines == now {
            return Ok(None);
        }
        let is_elsewhere = |line: &UserLine| match &line.source {
            config::Source::File { name, .. } => {
                let canonical = |path: &Path| path.canonicalize().ok();
                canonical(Path::new(name)) != canonical(file)
            }
            _ => true,
        };
        if lines.iter().any(is_elsewhere) {
            let why = "users have changed that are declared outside of the main file";
            return Err(io::Error::other(why));
        }
        // `requirepass` says it all, unless there is more to say.
        let plain = first_rules(&self.users.vocabulary, &config);
        let plain = plain.line(&self.users.vocabulary, DEFAULT);
        if !declared.in_file && now == [plain] { Ok(None) } else { Ok(Some(now)) }
    }

    /// The configuration file has these `user` lines now.
    pub(crate) fn lines_rewritten(&self, lines: Vec<Vec<u8>>) {
        *self.users.declared.lock() = Declared { lines, in_file: true };
    }
}

/// The text of an error without its number.
pub(super) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
