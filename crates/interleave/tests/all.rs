//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-interleave --test all FILE::
//! ```

// What they share.
mod memory;
mod poller;

// The tests.
mod blocked;
mod changes;
mod held_replies;
mod inboxes;
mod indexes;
mod locks;
mod moved;
mod precedence;
