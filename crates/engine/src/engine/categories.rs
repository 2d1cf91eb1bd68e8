//! The ACL categories of commands.

use base::{Category, Flag};

use super::entry::Entry;

/// The ACL categories of a command: those its flags imply, and its own.
pub(crate) fn categories(entry: &Entry) -> Vec<&'static str> {
    let own = entry.spec.categories;
    let belongs = |category: &&str| match *category {
        // What a script reads is its own affair: Redis leaves these out.
        "read" => entry.has(Flag::ReadOnly) && !own.contains(&Category::Scripting),
        "write" => entry.has(Flag::Write),
        "admin" => entry.has(Flag::Admin) || own.contains(&Category::Admin),
        "fast" => entry.has(Flag::Fast),
        "slow" => !entry.has(Flag::Fast),
        "blocking" => entry.has(Flag::Blocking),
        "dangerous" => entry.has(Flag::Admin) || own.contains(&Category::Dangerous),
        name if name == Category::PubSub.name() => {
            entry.has(Flag::PubSub) || own.contains(&Category::PubSub)
        }
        name => own.iter().any(|category| category.name() == name),
    };
    acl::CATEGORIES.into_iter().filter(belongs).collect()
}
