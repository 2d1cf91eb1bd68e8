//! From the sockets that are listened on to connections that a worker has.
//!
//! ```text
//!   listen     sockets are made      listening   and watched, moved, closed
//!   acceptor   takes connections from them, and deals them out to the workers
//!   backup_acceptor   does so while worker 0 is in the middle of something long
//! ```

mod acceptor;
pub mod backup_acceptor;
pub mod bind;
mod listening;

pub use self::acceptor::{Acceptor, Rules};
pub use self::bind::Listener;
pub use self::listening::Listening;
