//! How long a string may become.

use base::{CmdError, Keyspace, error};

/// That a string of `length` bytes may grow by `more`.
///
/// # Errors
/// It would pass `proto-max-bulk-len`.
pub(super) fn check_length<H: Keyspace>(
    length: usize,
    more: usize,
    host: &H,
) -> Result<(), CmdError> {
    match length.checked_add(more) {
        Some(total) if total <= host.limits().string_max => Ok(()),
        _ => Err(error::STRING_TOO_LONG),
    }
}
