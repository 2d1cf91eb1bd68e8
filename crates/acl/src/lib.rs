//! Who may do what: users, their rules, and the decision about a request.
//!
//! ```text
//!   words of a rule ──► User::apply ──► Selector: a bit per command, patterns of keys, of channels
//!                                          │
//!   Request (command, keys, channels) ──► User::check ──► Ok, or what stands in the way
//! ```
//!
//! A [`User`] is a plain value: the code that keeps users makes a changed copy and puts it in the
//! place of the old one, so that a rule that cannot be accepted changes nothing. Commands are known
//! by their numbers in a [`Vocabulary`], which also knows those of Redis that this server does not
//! have: rules written for Redis stay what they are.
//!
//! Nothing here knows sockets, clocks, files or random numbers.
#![forbid(unsafe_code)]

mod bits;
mod category;
mod check;
mod describe;
mod error;
mod file;
mod password;
mod pattern;
pub mod scram;
mod selector;
mod user;
mod vocabulary;

pub use category::CATEGORIES;
pub use check::{Denied, Request};
pub use error::RuleError;
pub use file::{ACL_LOAD_FAILED, merge_selectors, parse_file, valid_name};
pub use password::Password;
pub use pattern::{KeyPattern, Permission};
pub use scram::{PlainPassword, ScramKeys};
pub use selector::Selector;
pub use user::{Terms, User};
pub use vocabulary::Vocabulary;

#[cfg(test)]
mod tests;
