//! A connection on its way back to its worker.

use super::{Connection, Turn};
use crate::slab::ConnectionKey;

/// A connection that another thread returns, and what is to happen to it.
pub struct ReturnedConnection {
    /// Its key in its worker's slab.
    pub key: ConnectionKey,
    /// The connection.
    pub connection: Box<Connection>,
    /// What its turn led to.
    pub turn: Turn,
}
