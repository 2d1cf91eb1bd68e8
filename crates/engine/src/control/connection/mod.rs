//! Commands about the connection: user, database, protocol.

mod auth;
mod client;
mod echo;
mod hello;
mod ping;
mod quit;
mod reset;
mod select;

use base::{Behaviour, Category, Flag, Group, Locks, Property, Spec};

use self::auth::Auth;
use self::echo::Echo;
use self::hello::Hello;
use self::ping::Ping;
use self::quit::Quit;
use self::reset::Reset;
use self::select::Select;
use crate::control::acts;
use crate::engine::entry::Action;

/// What those have in common that may be said before anything else, even without a password.
const INTRODUCTION: Spec = Spec {
    group: Group::Connection,
    flags: &[Flag::NoScript, Flag::Loading, Flag::Stale, Flag::Fast, Flag::NoAuth, Flag::AllowBusy],
    categories: &[Category::Connection],
    behaviour: Behaviour::NEW.locks(|_| Locks::Nothing).properties(&[Property::OfSession]),
    ..Spec::NEW
};

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![Auth, Echo, Hello, Ping, Quit, Reset, Select];
    rows.extend(client::rows());
    rows
}
