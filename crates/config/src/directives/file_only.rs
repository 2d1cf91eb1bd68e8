//! Directives that stand in files and on the command line only: CONFIG GET and CONFIG SET don't
//! know them.

/// What such a directive does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Read another file here.
    Include,
    /// Declare a user.
    User,
    /// Give a command another name.
    Rename,
    /// Long without effect in Redis too.
    Obsolete,
    /// Known, but ignoring it would be dangerous.
    Refuse,
    /// Belongs to another program.
    Sentinel,
}

/// A directive of files only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileOnly {
    /// Its name.
    pub name: &'static str,
    /// Fewest and most arguments after the name.
    pub args: (usize, usize),
    /// What it does.
    pub action: Action,
    /// One sentence for the reference.
    pub doc: &'static str,
}

/// All of them.
pub(crate) const LIST: &[FileOnly] = &[
    FileOnly {
        name: "include",
        args: (1, 1),
        action: Action::Include,
        doc: "Read another file at this point; a pattern with *, ? or [ reads all that match, in \
              order of name. The last setting of a directive wins, so what should not be \
              overridden goes after the include.",
    },
    FileOnly {
        name: "user",
        args: (1, usize::MAX),
        action: Action::User,
        doc: "Declare a user and what it may do, in the words of ACL SETUSER. The default user \
              begins without any rights, too.",
    },
    FileOnly {
        name: "rename-command",
        args: (2, 2),
        action: Action::Rename,
        doc: "Have a command called by another name; by none, if that is empty. ACL rules, \
              statistics and the journal go on knowing it by its own name. To keep users from a \
              command, ACL rules are the better way.",
    },
    FileOnly {
        name: "loadmodule",
        args: (1, usize::MAX),
        action: Action::Refuse,
        doc: "Load a module. Modules for Redis cannot be loaded, so it is refused.",
    },
    FileOnly {
        name: "sentinel",
        args: (0, usize::MAX),
        action: Action::Sentinel,
        doc: "A setting of Redis Sentinel; always refused.",
    },
    FileOnly {
        name: "list-max-ziplist-entries",
        args: (1, 1),
        action: Action::Obsolete,
        doc: "Obsolete; see list-max-listpack-size.",
    },
    FileOnly {
        name: "list-max-ziplist-value",
        args: (1, 1),
        action: Action::Obsolete,
        doc: "Obsolete; see list-max-listpack-size.",
    },
    FileOnly {
        name: "lua-replicate-commands",
        args: (1, 1),
        action: Action::Obsolete,
        doc: "Obsolete; effects are always what is replicated.",
    },
];

/// The directive of that (lower-case) name.
pub(crate) fn find(name: &str) -> Option<&'static FileOnly> {
    LIST.iter().find(|directive| directive.name == name)
}
