//! Commands about the connection: who is there, which database, which protocol.

mod ping;

use base::Spec;

use self::ping::Ping;
use crate::control::acts;
use crate::table::Action;

/// The rows of this family.
pub(crate) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Ping]
}
