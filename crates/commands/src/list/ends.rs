//! The ends of a list as commands name them, and what taking from one leaves to remember.

use base::{Args, Argv, Class, CmdError, Effect, Holds, Key, Reply, error};
use types::{End, List};

/// `LEFT` or `RIGHT`.
pub(super) fn parse_end(args: &mut Args<'_>) -> Result<End, CmdError> {
    if args.token("LEFT") {
        Ok(End::Head)
    } else if args.token("RIGHT") {
        Ok(End::Tail)
    } else {
        Err(error::SYNTAX)
    }
}

/// The word for an end in `LMOVE` and its like.
pub(super) fn end_name(end: End) -> &'static [u8] {
    match end {
        End::Head => b"LEFT",
        End::Tail => b"RIGHT",
    }
}

/// Writes the `count` elements nearest to `end` as an array and removes them.
pub(super) fn take(list: &mut List, end: End, count: usize, out: &mut dyn Reply) {
    let count = count.min(list.len());
    out.array(count);
    match end {
        End::Head => list.range(0, count).for_each(|element| out.bulk(element)),
        End::Tail => {
            list.range(list.len() - count, count).rev().for_each(|element| out.bulk(element));
        }
    }
    list.drop_from(end, count);
}

/// That `count` elements were taken from an end: free of blocking and of choice between keys.
pub(super) fn taken(key: Key<'_>, end: End, count: usize) -> Effect {
    let name: &[u8] = if end == End::Head { b"LPOP" } else { b"RPOP" };
    let mut argv = Argv::new(&[name, key.bytes]);
    argv.push_int(i64::try_from(count).unwrap_or(i64::MAX));
    Effect::Rewritten(argv)
}

/// Tells that elements were taken from an end.
pub(super) fn notify_pop<H: Holds<List>>(host: &mut H, key: Key<'_>, end: End) {
    host.notify_taken(Class::List, if end == End::Head { "lpop" } else { "rpop" }, key);
}
