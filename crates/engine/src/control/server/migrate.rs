//! MIGRATE: keys move to another server. What is done is in `crate::migrate`; here is what is
//! asked.

use std::sync::Arc;

use base::{
    Args, Behaviour, Category, CmdError, Command, Find, Flag, Group, KeyFlag, KeyRules, KeySpec,
    Locks, Reply, Spec, Start, error,
};
use wire::RespWriter;

use crate::background::{BackgroundWorker, Place, Waiting};
use crate::control::{Act, Control, acts};
use crate::engine::entry::Action;
use crate::migrate::{Credentials, Order, run};

/// The rows of these commands.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Migrate]
}

/// Milliseconds that a step may take if none are given.
const TIMEOUT: i64 = 1000;
/// Milliseconds that a step may take at most: those behind in the queue wait as long.
const TIMEOUT_MAX: i64 = 600_000;

/// Moves keys to another server.
pub struct Migrate(Order);

/// The keys of one of its specs: those behind `KEYS`, or else the one in its place, which is empty
/// where there are others.
fn keys(key: &KeySpec, argv: &[&[u8]]) -> Option<Vec<usize>> {
    let mut at = 6;
    let listed = loop {
        let Some(word) = argv.get(at) else { break None };
        at += match word.to_ascii_uppercase().as_slice() {
            b"AUTH" => 2,
            b"AUTH2" => 3,
            b"KEYS" => break Some(at + 1),
            _ => 1,
        };
    };
    let single = !key.flags.contains(&KeyFlag::Incomplete);
    match (listed, single) {
        (None, true) => Some(vec![3]),
        (None, false) => Some(Vec::new()),
        (Some(_), _) if !argv[3].is_empty() => None,
        (Some(_), true) => Some(Vec::new()),
        (Some(first), false) => Some((first..argv.len()).collect()),
    }
}

/// `MIGRATE host port key db timeout … AUTH password | AUTH2 user password … KEYS key …`
fn secret(argv: &[&[u8]], at: usize) -> bool {
    let is = |at: usize, name: &str| {
        argv.get(at).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    };
    let keys = (6..argv.len()).find(|&at| is(at, "keys")).unwrap_or(argv.len());
    let behind = |by: usize, name: &str| at >= 6 + by && is(at - by, name);
    at < keys && (behind(1, "auth") || behind(1, "auth2") || behind(2, "auth2"))
}

impl<'a> Command<'a> for Migrate {
    const SPEC: Spec = Spec {
        name: "migrate",
        group: Group::Generic,
        since: "2.6.0",
        summary: "Moves keys to another server.",
        complexity: "that of DUMP and DEL here and of RESTORE there, for every key, and the bytes \
                     between",
        grammar: "host:string port:integer key_or_empty_string=(key:key | empty_string!) \
                  destination-db:integer timeout:integer [COPY @3.0.0] [REPLACE @3.0.0] \
                  [authentication=([AUTH password:string @4.0.7] | [AUTH2 \
                  username_password={username:string password:string} @6.0.0])] \
                  [KEYS key:key#1... @3.0.6]",
        arity: -6,
        flags: &[Flag::Write],
        categories: &[Category::Keyspace, Category::Dangerous],
        keys: &[
            KeySpec::one(3, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]),
            KeySpec {
                flags: &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete, KeyFlag::Incomplete],
                start: Start::Keyword { word: "KEYS", from: -2, over: &[] },
                find: Find::Range { last: -1, step: 1, limit: 0 },
            },
        ],
        behaviour: Behaviour::NEW
            .locks(|_| Locks::Nothing)
            .key_rules(KeyRules {
                // What makes the second spec incomplete is looked for here.
                flags: |_, _| &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete],
                positions: Some(keys),
                ..KeyRules::NEW
            })
            .secret(secret),
        history: &[
            ("3.0.0", "`COPY` and `REPLACE`."),
            ("3.0.6", "`KEYS`."),
            ("4.0.7", "`AUTH`."),
            ("6.0.0", "`AUTH2`."),
        ],
        tips: &["nondeterministic_output"],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let own = |word: &[u8]| word.to_vec();
        let (host, port, key) = (args.next()?, args.next()?, args.next()?);
        let (db, timeout) = (args.next()?, args.next()?);
        let mut order = Order {
            host: String::from_utf8_lossy(host).into_owned(),
            port: port_of(port),
            keys: Vec::new(),
            from: 0,
            db: 0,
            timeout: std::time::Duration::ZERO,
            copy: false,
            replace: false,
            credentials: Credentials::default(),
        };
        let mut listed = None;
        while args.left() > 0 {
            if args.token("COPY") {
                order.copy = true;
            } else if args.token("REPLACE") {
                order.replace = true;
            } else if args.left() > 1 && args.token("AUTH") {
                order.credentials.password = Some(own(args.next()?));
            } else if args.left() > 2 && args.token("AUTH2") {
                order.credentials.user = Some(own(args.next()?));
                order.credentials.password = Some(own(args.next()?));
            } else if args.token("KEYS") {
                if !key.is_empty() {
                    return Err(CmdError::new(
                        "ERR When using MIGRATE KEYS option, the key argument must be set to the \
                         empty string",
                    ));
                }
                listed = Some(args.rest().iter().map(|word| own(word)).collect());
                break;
            } else {
                return Err(error::SYNTAX);
            }
        }
        order.keys = listed.unwrap_or_else(|| vec![own(key)]);
        let number = |word: &[u8]| base::num::parse_i64(word).ok_or(error::NOT_INTEGER);
        let millis = number(timeout)?;
        order.db = number(db)?;
        let millis = if millis <= 0 { TIMEOUT } else { millis.min(TIMEOUT_MAX) };
        order.timeout = std::time::Duration::from_millis(u64::try_from(millis).unwrap_or(1));
        Ok(Migrate(order))
    }
}

/// A port as Redis reads it: digits, as far as there are any. One that cannot be is 0, where no
/// server listens.
fn port_of(word: &[u8]) -> u16 {
    let digits: Vec<u8> = word.iter().copied().take_while(u8::is_ascii_digit).collect();
    let text = std::str::from_utf8(&digits).unwrap_or_default();
    text.parse().unwrap_or(0)
}

impl Act for Migrate {
    fn act(self, control: &mut Control<'_>, _: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if control.in_exec {
            // Its keys are held, and no thread may wait for another server while it holds them.
            return Err(CmdError::new("ERR MIGRATE cannot run inside a transaction"));
        }
        let Migrate(mut order) = self;
        order.from = control.session.db;
        let engine = control.engine.me().ok_or(error::INTERNAL)?;
        let store = &engine.store;
        let shard = |key: &Vec<u8>| store.shard_of(store.hasher().hash(key));
        if order.keys.iter().any(|key| store.locks.is_overdue(shard(key))) {
            return Err(engine.busy());
        }
        let mut place = Place::take(&engine.background, control.session)?;
        place.holds(order.memory());
        let waiting = Waiting::begin(&engine.waits.blocked, place, control.session);
        let own = Arc::clone(&engine);
        let work = move |waiting: Waiting, worker: &mut BackgroundWorker| {
            let done = run(&own, worker, order);
            waiting.answer(|out| match done {
                Ok(true) => out.ok(),
                Ok(false) => out.simple("NOKEY"),
                Err(error) => {
                    own.metrics.stats.error(error.code());
                    out.error_bytes(error.bytes());
                }
            });
        };
        // Without a thread the wait is dropped, and the client told.
        waiting.run_on(&engine.background.remote, &engine, work);
        Ok(())
    }
}
