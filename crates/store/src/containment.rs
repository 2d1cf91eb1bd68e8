//! Calls of other parts of the program from within a transaction. Their panics go no further: what
//! breaks is theirs, and the shards that the transaction holds must be given back as they are.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls `what`; whether it came to its end. If it panicked, that is in the log.
pub(crate) fn contain(what: &str, call: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(()) => true,
        Err(panic) => {
            let said = message(&*panic);
            tracing::error!(said, "{what} panicked and was contained");
            false
        }
    }
}

/// What a panic said.
pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "unknown panic".to_owned())
}
