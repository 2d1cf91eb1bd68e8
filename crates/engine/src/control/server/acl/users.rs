//! ACL WHOAMI, USERS, LIST, GETUSER, SETUSER, DELUSER.

use acl::Selector;
use base::{Args, CmdError, Command, Property, Reply, Spec};
use wire::RespWriter;

use super::{ACL, MANAGING};
use crate::access::DEFAULT;
use crate::control::{Act, Control, bare, worded};

bare! {
    /// Answers the session's user.
    AclWhoAmI,
    Spec {
        name: "acl|whoami",
        summary: "Answers the user of this connection.",
        behaviour: ACL.behaviour.properties(&[Property::AllowedInScriptsByDebug]),
        ..ACL
    }
}

impl Act for AclWhoAmI<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.bulk(control.session.user.login.name());
        Ok(())
    }
}

bare! {
    /// Lists the users.
    AclUsers,
    Spec {
        name: "acl|users",
        summary: "Lists the users.",
        complexity: "O(N) in the number of users",
        ..MANAGING
    }
}

impl Act for AclUsers<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let all = control.engine.users.all();
        out.array(all.len());
        all.iter().for_each(|account| out.bulk(account.name()));
        Ok(())
    }
}

bare! {
    /// Lists the users with their rules.
    AclList,
    Spec {
        name: "acl|list",
        summary: "Lists the users with their rules, as in a file.",
        complexity: "O(N) in the number of users",
        ..MANAGING
    }
}

impl Act for AclList<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let lines = control.engine.users.lines();
        out.array(lines.len());
        lines.iter().for_each(|line| out.bulk(line));
        Ok(())
    }
}

/// Shows the rules of a user.
pub struct AclGetUser<'a> {
    name: &'a [u8],
}

impl<'a> Command<'a> for AclGetUser<'a> {
    const SPEC: Spec = Spec {
        name: "acl|getuser",
        summary: "Shows the rules of a user.",
        complexity: "O(N) in the number of rules",
        grammar: "username:string",
        history: &[
            ("6.2.0", "Patterns of channels in the reply."),
            ("7.0.0", "Selectors in the reply, and rules as they are written in files."),
        ],
        behaviour: MANAGING.behaviour.secret(|_, at| at > 1),
        ..MANAGING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(AclGetUser { name: args.next()? })
    }
}

impl Act for AclGetUser<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let users = &control.engine.users;
        let Some(account) = users.find(self.name) else {
            out.null();
            return Ok(());
        };
        let rules = account.rules();
        out.map(6);
        out.bulk(b"flags");
        let flags = rules.flags();
        out.set(flags.len());
        flags.iter().for_each(|flag| out.bulk(flag.as_bytes()));
        out.bulk(b"passwords");
        out.array(rules.passwords().len());
        rules.passwords().iter().for_each(|password| out.bulk(password.as_bytes()));
        let write = |selector: &Selector, out: &mut RespWriter<'_>| {
            out.bulk(b"commands");
            out.bulk(&selector.commands(&users.vocabulary));
            out.bulk(b"keys");
            out.bulk(&selector.keys());
            out.bulk(b"channels");
            out.bulk(&selector.channel_rules());
        };
        let Some((root, others)) = rules.selectors().split_first() else { return Ok(()) };
        write(root, out);
        out.bulk(b"selectors");
        out.array(others.len());
        for selector in others {
            out.map(3);
            write(selector, out);
        }
        Ok(())
    }
}

worded! {
    /// Makes or changes a user.
    AclSetUser,
    Spec {
        name: "acl|setuser",
        summary: "Makes a user, or changes its rules.",
        complexity: "O(N) in the number of rules given",
        grammar: "username:string [rule:string...]",
        history: &[
            ("6.2.0", "Patterns of channels."),
            ("7.0.0", "Selectors, and patterns of keys that may only be read or written."),
        ],
        behaviour: MANAGING.behaviour.secret(|_, at| at > 1),
        ..MANAGING
    },
    |control, words, out| {
        let Some((name, rules)) = words.split_first() else { return Err(base::error::SYNTAX) };
        if !acl::valid_name(name) {
            return Err(CmdError::new("ERR Usernames can't contain spaces or null characters"));
        }
        let rules = acl::merge_selectors(rules).map_err(|word| {
            let before = "ERR Unmatched parenthesis in acl selector starting at '";
            CmdError::quoting(before, word, "'.")
        })?;
        let session = &mut *control.session;
        let own_too = control.engine.set_user(name, &rules, &session.client).map_err(|bad| {
            let after = format!("': {}", bad.error);
            CmdError::quoting("ERR Error in ACL SETUSER modifier '", &bad.rule, &after)
        })?;
        session.closing |= own_too;
        out.ok();
        Ok(())
    }
}

worded! {
    /// Deletes users.
    AclDelUser,
    Spec {
        name: "acl|deluser",
        summary: "Deletes users and closes their connections.",
        complexity: "O(N) in the number of users and of connections",
        grammar: "username:string...",
        behaviour: MANAGING.behaviour.secret(|_, at| at > 1),
        ..MANAGING
    },
    |control, names, out| {
        if names.contains(&DEFAULT) {
            return Err(CmdError::new("ERR The 'default' user cannot be removed"));
        }
        let session = &mut *control.session;
        let (count, own_too) = control.engine.delete_users(names, &session.client);
        session.closing |= own_too;
        out.count(count);
        Ok(())
    }
}
