//! SCRAM's keys in a file beside that of the users, which stays one of Redis's.
//!
//! ```text
//!   users.acl          user ada on #9f86d0… ~* +@all
//!   users.acl.scram    secret c2VjcmV0…                      what salts of other names are made of
//!                      ada 9f86d0… 10000 SALT STORED SERVER  hexadecimal
//! ```
//!
//! A line is good for as long as the user has the password with that hash; what cannot be read is
//! passed over, and the user then has no keys until its password is given again.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use acl::scram::{Key, ROUNDS};
use acl::{Password, ScramKeys};

use crate::access::Users;

/// The longest file that is read.
const LONGEST: u64 = 64 << 20;

/// Keys as they were saved.
#[derive(Default)]
pub(crate) struct SavedKeys {
    /// What salts were made of.
    pub secret: Option<Key>,
    /// By user: salt and keys.
    pub users: BTreeMap<Vec<u8>, (Key, Vec<ScramKeys>)>,
}

/// Where the keys of the users in this file are.
pub(crate) fn path_beside(users: &Path) -> PathBuf {
    let mut name = users.as_os_str().to_owned();
    name.push(".scram");
    PathBuf::from(name)
}

/// Reads the keys that lie beside a file of users. There are none if they cannot be read.
pub(crate) fn read(users: &Path) -> SavedKeys {
    let path = path_beside(users);
    let mut text = Vec::new();
    let read = std::fs::File::open(&path)
        .and_then(|file| file.take(LONGEST).read_to_end(&mut text).map(drop));
    match read {
        Ok(()) => parse(&text, &path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => SavedKeys::default(),
        Err(error) => {
            tracing::warn!(%error, "the keys beside the file of users could not be read");
            SavedKeys::default()
        }
    }
}

fn parse(text: &[u8], path: &Path) -> SavedKeys {
    let mut saved = SavedKeys::default();
    let mut wrong = 0;
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        if !take_line(&mut saved, &words) {
            wrong += 1;
        }
    }
    if wrong > 0 {
        let file = path.display();
        tracing::warn!(%file, lines = wrong, "some users' keys could not be read");
    }
    saved
}

/// Takes one line; whether it is one.
fn take_line(saved: &mut SavedKeys, words: &[&[u8]]) -> bool {
    match words {
        [b"secret", secret] => {
            saved.secret = from_hex(secret);
            saved.secret.is_some()
        }
        [name, hash, rounds, salt, stored, server] => {
            let keys = (Password::read(hash).ok(), from_hex(stored), from_hex(server));
            let (Some(salt), (Some(password), Some(stored), Some(server))) = (from_hex(salt), keys)
            else {
                return false;
            };
            let user = saved.users.entry(name.to_vec()).or_insert((salt, Vec::new()));
            // One salt, and one number of rounds: a client is told them before its password is
            // known.
            let fits = user.0 == salt && *rounds == ROUNDS.to_string().as_bytes();
            if fits {
                user.1.push(ScramKeys { password, stored, server });
            }
            fits
        }
        _ => false,
    }
}

/// The text of all users' keys; `None` if none has any.
pub(crate) fn text(users: &Users) -> Option<Vec<u8>> {
    let mut text = [b"secret ", hex(&users.proofs.secret()).as_bytes(), b"\n"].concat();
    let mut any = false;
    for account in users.all() {
        let keys = account.keys.lock();
        for one in keys.keys() {
            any = true;
            text.extend_from_slice(account.name());
            text.push(b' ');
            text.extend_from_slice(one.password.as_bytes());
            let [salt, stored, server] = [&keys.salt(), &one.stored, &one.server].map(hex);
            text.extend(format!(" {ROUNDS} {salt} {stored} {server}\n").bytes());
        }
    }
    any.then_some(text)
}

fn hex(key: &Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &[u8]) -> Option<Key> {
    let mut key = Key::default();
    if text.len() != 2 * key.len() {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(text.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_passed_over() {
        let hash = Password::hash(b"pw");
        let hash = String::from_utf8_lossy(hash.as_bytes()).into_owned();
        let key = |byte: u8| hex(&[byte; 32]);
        let line = |salt: u8, rounds: u32| {
            format!("ada {hash} {rounds} {} {} {}\n", key(salt), key(2), key(3))
        };
        let good = [format!("secret {}\n", key(9)), line(1, ROUNDS)].concat();
        let path = Path::new("x");
        let read = parse(good.as_bytes(), path);
        assert_eq!((read.secret, read.users.len()), (Some([9; 32]), 1));
        assert_eq!(read.users[&b"ada"[..]].1.len(), 1);
        // Another salt, other rounds.
        let more = [good.clone(), line(7, ROUNDS), line(1, 1)].concat();
        assert_eq!(parse(more.as_bytes(), path).users[&b"ada"[..]].1.len(), 1);
        // Any part of it, and any byte of it changed, is read without harm.
        for at in 0..good.len() {
            let _ = parse(&good.as_bytes()[..at], path);
            let mut changed = good.clone().into_bytes();
            changed[at] = 0xff;
            let _ = parse(&changed, path);
        }
    }
}
