//! What the worker threads know of each other, and how other threads reach them.
//!
//! ```text
//!   pool        all workers: their inboxes, how far each is, connections counted
//!   inbox       what is handed to a worker, and its waker      queue    the protocol of that
//!   precedence  what came before goes first, on other workers   rounds   the protocol of that
//!   progress    how far one worker is
//!   alive       a thread that breaks stops the server
//! ```

mod alive;
mod inbox;
mod pool;
mod precedence;
mod progress;
mod queue;
mod rounds;

pub use self::alive::Alive;
pub use self::inbox::{
    Address, Inbox, InboxMessage, detach_thread, must_back_off, wait, wake_others,
};
pub use self::pool::{Replacements, WorkerPool};
pub use self::precedence::{DeferredQueue, attach_thread, others_first};
pub use self::progress::Progress;
