//! Commands about the connection: who is there, which database, which protocol.

mod auth;
mod client;
mod echo;
mod hello;
mod ping;
mod quit;
mod reset;
mod select;

use base::Spec;

use self::auth::Auth;
use self::echo::Echo;
use self::hello::Hello;
use self::ping::Ping;
use self::quit::Quit;
use self::reset::Reset;
use self::select::Select;
use crate::control::acts;
use crate::table::Action;

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    let mut rows = acts![Auth, Echo, Hello, Ping, Quit, Reset, Select];
    rows.extend(client::rows());
    rows
}
