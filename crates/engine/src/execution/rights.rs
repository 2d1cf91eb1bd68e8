//! ACL check: may this client send this request? Asked before a command runs, before it is queued,
//! again when a transaction runs it, and again when a blocked one is served.

use std::cell::OnceCell;
use std::sync::Arc;

use acl::{Denied, Permission, Request};
use base::{
    Args, Channels, CmdError, Effect, Find, Flag, Handler, KeyFlag, KeySpec, Millis, Property,
    Start, error,
};
use smallvec::SmallVec;
use store::Txn;

use crate::access::{Account, Context, Reason, Refusal};
use crate::admin::client_line::{Asking, Viewer, line};
use crate::client::Client;
use crate::client::session::{Session, SessionUser};
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::key_facts;

/// A request, as rules see it.
pub(crate) struct Asked<'a> {
    entry: &'a Entry,
    argv: &'a [&'a [u8]],
    keys: OnceCell<SmallVec<[(usize, Permission); 4]>>,
    channels: OnceCell<SmallVec<[usize; 4]>>,
}

impl<'a> Asked<'a> {
    /// `argv` has as many words as the command needs.
    pub fn new(entry: &'a Entry, argv: &'a [&'a [u8]]) -> Self {
        Asked { entry, argv, keys: OnceCell::new(), channels: OnceCell::new() }
    }

    fn find_keys(&self) -> SmallVec<[(usize, Permission); 4]> {
        let mut found = SmallVec::new();
        if let ([key], true) = (self.entry.spec.keys, self.entry.facts.one_key) {
            // Most commands: without a search, and without memory.
            if !key.flags.contains(&KeyFlag::NotKey) {
                let needed = Permission::needed(key_facts::flags(self.entry, key, self.argv));
                found.push((1, needed));
            }
            return found;
        }
        for key in self.entry.spec.keys {
            if key.flags.contains(&KeyFlag::NotKey) {
                continue;
            }
            let Some(positions) = key_facts::positions(self.entry, key, self.argv) else {
                // The request cannot be split into keys and others: it fails before it touches one.
                return SmallVec::new();
            };
            let needed = Permission::needed(key_facts::flags(self.entry, key, self.argv));
            found.extend(positions.into_iter().map(|at| (at, needed)));
            found.extend(repeated(key, self.argv).map(|at| (at, needed)));
        }
        found
    }

    fn find_channels(&self) -> SmallVec<[usize; 4]> {
        match self.entry.spec.behaviour.words.channels {
            Channels::None => SmallVec::new(),
            Channels::Publish | Channels::PublishShard => SmallVec::from_slice(&[1]),
            Channels::Subscribe | Channels::SubscribePatterns => (1..self.argv.len()).collect(),
        }
    }
}

/// Keys behind a word that may be said more than once: a spec finds the first, but the command may
/// go by the last.
fn repeated<'a>(key: &KeySpec, argv: &'a [&'a [u8]]) -> impl Iterator<Item = usize> + 'a {
    let told = match (key.start, key.find) {
        (Start::Keyword { word, from, .. }, Find::Range { last: 0, .. }) => {
            usize::try_from(from).ok().map(|from| (word, from))
        }
        _ => None,
    };
    told.into_iter().flat_map(move |(word, from)| {
        let is_word = move |at: &usize| argv[*at - 1].eq_ignore_ascii_case(word.as_bytes());
        (from + 1..argv.len()).filter(is_word)
    })
}

impl Request for Asked<'_> {
    fn command(&self) -> usize {
        self.entry.number
    }

    fn is_for_everybody(&self) -> bool {
        self.entry.has(Flag::NoAuth)
    }

    fn first_argument(&self) -> Option<&[u8]> {
        self.argv.get(self.entry.naming.words).copied()
    }

    fn keys(&self) -> &[(usize, Permission)] {
        self.keys.get_or_init(|| self.find_keys())
    }

    fn channels(&self) -> &[usize] {
        self.channels.get_or_init(|| self.find_channels())
    }

    fn takes_patterns(&self) -> bool {
        self.entry.spec.behaviour.words.channels == Channels::SubscribePatterns
    }

    fn word(&self, at: usize) -> &[u8] {
        self.argv.get(at).copied().unwrap_or_default()
    }
}

/// Decides about a request of a session that is not known to be free; a refusal is logged. A
/// session whose user is gone is closed.
///
/// # Errors
/// `NOPERM`, in Redis's words.
#[cold]
pub(crate) fn admit(
    (engine, now): (&Engine, Millis),
    session: &mut Session,
    entry: &Entry,
    argv: &[&[u8]],
) -> Result<(), CmdError> {
    let context =
        if session.transaction.multi.is_some() { Context::Multi } else { Context::TopLevel };
    let place = Place { context, command: entry.name() };
    let Err(denied) = check((engine, now), session, (entry, argv), place)? else { return Ok(()) };
    Err(refusal(entry, denied))
}

fn refusal(entry: &Entry, denied: Denied) -> CmdError {
    match denied {
        Denied::Command => CmdError::owned(format!(
            "NOPERM this user has no permissions to run the '{}' command",
            entry.name()
        )),
        Denied::Key(_) => error::NO_PERMISSION_FOR_KEY,
        Denied::Channel(_) => error::NO_PERMISSION_FOR_CHANNEL,
    }
}

/// The answer to a request of a transaction that was allowed when it was queued and is not now.
pub(crate) fn exec_refusal(
    (engine, now): (&Engine, Millis),
    session: &mut Session,
    entry: &Entry,
    argv: &[&[u8]],
) -> Option<CmdError> {
    let place = Place { context: Context::Multi, command: "exec" };
    inner_refusal((engine, now), session, (entry, argv), place, |denied| {
        let reason = match denied {
            Denied::Command => "no permission to execute the command or subcommand",
            Denied::Key(_) => "no permission to touch the specified keys",
            Denied::Channel(_) => "no permission to access one of the channels used as arguments",
        };
        format!(
            "NOPERM ACLs rules changed between the moment the transaction was accumulated and the \
             EXEC call. This command is no longer allowed for the following reason: {reason}"
        )
    })
}

/// The answer to a command of a script that its user may not run.
pub(crate) fn script_refusal(
    (engine, now): (&Engine, Millis),
    session: &mut Session,
    entry: &Entry,
    argv: &[&[u8]],
) -> Option<CmdError> {
    let place = Place { context: Context::Script, command: entry.name() };
    inner_refusal((engine, now), session, (entry, argv), place, |denied| {
        let what = match denied {
            Denied::Command => "run this command or subcommand",
            Denied::Key(_) => "access at least one of the keys mentioned in the command arguments",
            Denied::Channel(_) => "publish to the channel mentioned in the command",
        };
        format!("ERR The user executing the script can't {what}")
    })
}

/// The answer to a command inside a transaction or a script, if it is refused: what `text` says,
/// or that the user is gone.
fn inner_refusal(
    (engine, now): (&Engine, Millis),
    session: &mut Session,
    request: (&Entry, &[&[u8]]),
    place: Place,
    text: impl FnOnce(Denied) -> String,
) -> Option<CmdError> {
    if session.user.login.is_free(&engine.users) {
        return None;
    }
    match check((engine, now), session, request, place) {
        Err(gone) => Some(gone),
        Ok(Ok(())) => None,
        Ok(Err(denied)) => Some(CmdError::owned(text(denied))),
    }
}

/// Whether a session's user may run this. Nothing is logged.
pub(crate) fn may_run(
    engine: &Engine,
    session: &mut Session,
    entry: &Entry,
    argv: &[&[u8]],
) -> bool {
    session.user.login.is_free(&engine.users)
        || session
            .user
            .login
            .current(&engine.users)
            .is_some_and(|rules| rules.check(&Asked::new(entry, argv)).is_ok())
}

/// The decision by the present rules. `Err` if the user is gone.
fn check(
    (engine, now): (&Engine, Millis),
    session: &mut Session,
    (entry, argv): (&Entry, &[&[u8]]),
    place: Place,
) -> Result<Result<(), Denied>, CmdError> {
    let Session { user: SessionUser { login, .. }, client, closing, .. } = session;
    let Some(rules) = login.current(&engine.users) else {
        *closing = true;
        return Err(error::NO_AUTH);
    };
    let verdict = rules.check(&Asked::new(entry, argv));
    if let Err(denied) = verdict {
        let who = Who { client, name: login.name() };
        note(engine, now, &who, (entry, argv), (denied, place));
    }
    Ok(verdict)
}

/// The client whose request was refused.
struct Who<'a> {
    client: &'a Client,
    name: &'a [u8],
}

/// Where a request was refused, and what the client was running then.
#[derive(Clone, Copy)]
struct Place {
    context: Context,
    command: &'static str,
}

fn note(
    engine: &Engine,
    now: Millis,
    who: &Who<'_>,
    (entry, argv): (&Entry, &[&[u8]]),
    (denied, place): (Denied, Place),
) {
    let (reason, object) = match denied {
        Denied::Command => (Reason::Command, entry.name().as_bytes()),
        Denied::Key(at) => (Reason::Key, argv.get(at).copied().unwrap_or_default()),
        Denied::Channel(at) => (Reason::Channel, argv.get(at).copied().unwrap_or_default()),
    };
    let asking = Asking { command: place.command, words: argv };
    engine.log_refusal(now, who.client, &asking, (reason, place.context), object, who.name);
}

impl Engine {
    /// Remembers a refusal for `ACL LOG`.
    pub(crate) fn log_refusal(
        &self,
        now: Millis,
        client: &Client,
        asking: &Asking<'_>,
        (reason, context): (Reason, Context),
        object: &[u8],
        username: &[u8],
    ) {
        let viewer = Viewer { engine: self, now, own: client.id };
        let refusal = Refusal {
            count: 1,
            reason,
            context,
            object: object.to_vec(),
            username: username.to_vec(),
            at: now,
            client: line(&viewer, client, asking),
        };
        self.users.log.add(refusal, self.config().security.acl.log_max_len);
    }
}

/// Whether a blocked request may still be served. Its user may have lost the right, or be gone,
/// since it was admitted.
///
/// # Errors
/// The refusal.
pub(crate) fn may_be_served(
    (engine, now): (&Engine, Millis),
    client: &Client,
    entry: &Entry,
    argv: &[&[u8]],
) -> Result<(), CmdError> {
    let account = engine.users.of(client);
    if account.is_gone() {
        return Err(error::NO_AUTH);
    }
    let rules = account.rules();
    if rules.is_free() {
        return Ok(());
    }
    let Err(denied) = rules.check(&Asked::new(entry, argv)) else { return Ok(()) };
    let who = Who { client, name: account.name() };
    let place = Place { context: Context::TopLevel, command: entry.name() };
    note(engine, now, &who, (entry, argv), (denied, place));
    Err(refusal(entry, denied))
}

/// Whether the rules still allow a subscription that was just made: they may have changed since the
/// request was admitted, and the thread that changed them may have looked for listeners before.
pub(crate) fn may_stay_subscribed(
    engine: &Engine,
    session: &mut Session,
    name: &[u8],
    is_pattern: bool,
) -> bool {
    session.user.login.is_free(&engine.users)
        || session
            .user
            .login
            .current(&engine.users)
            .is_some_and(|rules| rules.may_listen(name, is_pattern))
}

/// What runs in the place of a `SORT` whose patterns would read keys that its user may not read.
/// Told as the command's own error, as in Redis.
#[inline]
pub(crate) fn sort_in_place_of(
    engine: &Engine,
    session: &mut Session,
    entry: &Entry,
    argv: &[&[u8]],
) -> Option<Handler<Txn>> {
    if !entry.is(Property::ReadsByPattern) || session.user.login.is_free(&engine.users) {
        return None;
    }
    let option = first_pattern(argv, entry.has(Flag::Write))?;
    let rules = session.user.login.current(&engine.users);
    if rules.is_some_and(|rules| rules.reads_any_key(&Asked::new(entry, argv))) {
        return None;
    }
    Some(match option {
        Pattern::By => deny_by,
        Pattern::Get => deny_get,
    })
}

/// Lets a command that finds keys by itself find those alone that its user may read, or may write
/// if it writes.
pub(crate) fn limit_keys(engine: &Engine, txn: &mut Txn, session: &mut Session, entry: &Entry) {
    txn.set_key_filter(key_filter(engine, session, entry));
}

/// The keys that a command which finds keys by itself may find for its user, if not all.
pub(crate) fn key_filter(
    engine: &Engine,
    session: &mut Session,
    entry: &Entry,
) -> Option<store::KeyFilter> {
    if session.user.login.is_free(&engine.users) {
        return None;
    }
    let write = entry.has(Flag::Write);
    let needed = Permission { read: !write, write };
    let command = entry.number;
    Some(match session.user.login.current(&engine.users) {
        Some(rules) => {
            let rules = rules.clone();
            Arc::new(move |key| rules.may_find(command, key, needed))
        }
        // The user is gone.
        None => Arc::new(|_| false),
    })
}

/// Whether a session's user may read, by a command, every key that begins as one of these does.
pub(crate) fn may_read_all<'k>(
    engine: &Engine,
    session: &mut Session,
    entry: &Entry,
    mut beginnings: impl Iterator<Item = &'k [u8]>,
) -> bool {
    if session.user.login.is_free(&engine.users) {
        return true;
    }
    let Some(rules) = session.user.login.current(&engine.users) else { return false };
    let needed = Permission { read: true, write: false };
    beginnings.all(|beginning| rules.may_find_all(entry.number, beginning, needed))
}

enum Pattern {
    By,
    Get,
}

/// The first option of a SORT that reads other keys; none if something before it is wrong.
fn first_pattern(argv: &[&[u8]], may_store: bool) -> Option<Pattern> {
    let mut rest = argv.get(2..)?;
    while let [option, after @ ..] = rest {
        rest = match (option.to_ascii_uppercase().as_slice(), after) {
            (b"ASC" | b"DESC" | b"ALPHA", after) => after,
            (b"LIMIT", [from, count, after @ ..]) => {
                base::num::parse_i64(from).and(base::num::parse_i64(count))?;
                after
            }
            (b"STORE", [_, after @ ..]) if may_store => after,
            (b"BY", [pattern, after @ ..]) => {
                if pattern.contains(&b'*') {
                    return Some(Pattern::By);
                }
                after
            }
            (b"GET", [_, ..]) => return Some(Pattern::Get),
            _ => return None,
        };
    }
    None
}

fn deny_by(_: &mut Txn, _: Args<'_>, _: &mut dyn base::Reply) -> Result<Effect, CmdError> {
    Err(CmdError::new("ERR BY option of SORT denied due to insufficient ACL permissions."))
}

fn deny_get(_: &mut Txn, _: Args<'_>, _: &mut dyn base::Reply) -> Result<Effect, CmdError> {
    Err(CmdError::new("ERR GET option of SORT denied due to insufficient ACL permissions."))
}

impl Account {
    /// Whether it may still be used, and this password is one of its own.
    #[must_use]
    pub fn lets_in(&self, password: &[u8]) -> bool {
        self.rules().lets_in(password) && !self.is_gone()
    }
}
