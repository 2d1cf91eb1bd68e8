//! MULTI, EXEC, DISCARD, WATCH, UNWATCH: thin words over `execution/multi.rs`.

use base::{
    Args, Behaviour, Category, CmdError, Command, Flag, Group, InTransaction, Key, KeyFlag,
    KeySpec, Locks, Property, Reply, Spec,
};
use wire::RespWriter;

use crate::control::{Act, Control, acts, bare};
use crate::engine::entry::Action;
use crate::execution::multi;

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Discard, Exec, Multi, Unwatch, Watch]
}

/// What the five have in common.
const TRANSACTION: Spec = Spec {
    group: Group::Transactions,
    flags: &[Flag::NoScript, Flag::Loading, Flag::Stale, Flag::Fast, Flag::AllowBusy],
    categories: &[Category::Transaction],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing).properties(&[Property::OfSession]),
    ..Spec::NEW
};

bare! {
    /// Throws the queued commands away.
    Discard,
    Spec {
        name: "discard",
        since: "2.0.0",
        summary: "Throws away the commands queued since MULTI and ends all watches.",
        complexity: "O(N), when N is the number of queued commands",
        behaviour: TRANSACTION.behaviour.transaction(InTransaction::Ends),
        ..TRANSACTION
    }
}

bare! {
    /// Runs the queued commands as one.
    Exec,
    Spec {
        name: "exec",
        since: "1.2.0",
        summary: "Runs the commands queued since MULTI without interruption.",
        complexity: "Depends on commands in the transaction",
        flags: &[Flag::NoScript, Flag::Loading, Flag::Stale, Flag::SkipSlowlog],
        behaviour: TRANSACTION.behaviour.transaction(InTransaction::Executes),
        ..TRANSACTION
    }
}

bare! {
    /// Starts queueing.
    Multi,
    Spec {
        name: "multi",
        since: "1.2.0",
        summary: "Starts a transaction: commands are queued until EXEC.",
        behaviour: TRANSACTION.behaviour.transaction(InTransaction::Begins),
        ..TRANSACTION
    }
}

bare! {
    /// Ends all watches.
    Unwatch,
    Spec {
        name: "unwatch",
        since: "2.2.0",
        summary: "Ends the session's watches.",
        ..TRANSACTION
    }
}

impl Act for Discard<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if control.session.transaction.multi.is_none() {
            return Err(CmdError::new("ERR DISCARD without MULTI"));
        }
        multi::discard(control.engine, control.txn, control.session);
        out.ok();
        Ok(())
    }
}

impl Act for Exec<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        multi::exec(control, out)
    }
}

impl Act for Multi<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        multi::begin(control.session)?;
        out.ok();
        Ok(())
    }
}

impl Act for Unwatch<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        // Inside EXEC the watches have been checked already, and its locks are held.
        if !control.in_exec {
            multi::unwatch(control.engine, control.txn, control.session);
        }
        out.ok();
        Ok(())
    }
}

/// Makes the next transaction depend on keys not having changed.
pub struct Watch<'a> {
    keys: Vec<Key<'a>>,
}

impl<'a> Command<'a> for Watch<'a> {
    const SPEC: Spec = Spec {
        name: "watch",
        since: "2.2.0",
        summary: "Makes EXEC run only if these keys have not changed since.",
        complexity: "O(1) for every key.",
        grammar: "key:key...",
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadOnly])],
        behaviour: TRANSACTION.behaviour.transaction(InTransaction::Precedes),
        ..TRANSACTION
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Watch { keys: args.keys_to_end() })
    }
}

impl Act for Watch<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        if control.session.transaction.multi.is_some() {
            return Err(CmdError::new("ERR WATCH inside MULTI is not allowed"));
        }
        multi::watch(control.engine, control.txn, control.session, &self.keys)?;
        out.ok();
        Ok(())
    }
}
