//! Errors as gRPC has them: a code, a text, and the details of google.rpc.
//!
//! The text of a command's error stays as it is; its first word, which programs go by, is also the
//! reason of an `ErrorInfo` of domain `kvist`. What will pass by itself says when to try again.

use std::time::Duration;

use base::error::{NO_RANGE_INDEX, QUERY_STOPPED, REPLY_TOO_LONG, is_crowd};
use engine::exchange::NoAnswer;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The domain of errors.
const DOMAIN: &str = "kvist";
/// When to try again where the trouble passes by itself.
const RETRY: Duration = Duration::from_millis(100);

/// No credentials where some are asked for.
pub const MISSING_KEY: &str = "Missing API key";
/// Wrong credentials.
pub const INVALID_KEY: &str = "Invalid API key";
/// Credentials that cannot be read.
pub const MALFORMED_KEY: &str = "Invalid API key format";

const DENIED: &str = "DENIED The server is in protected mode and its default user has no password, \
    so connections from other machines may do nothing. From this machine, give the default user a \
    password (CONFIG SET requirepass, ACL SETUSER), or say CONFIG SET protected-mode no if no \
    other machine can reach the port.";

fn detailed(code: Code, message: &str, reason: &str, retry: bool) -> Status {
    let mut details = ErrorDetails::with_error_info(reason, DOMAIN, []);
    if retry {
        details.set_retry_info(Some(RETRY));
    }
    Status::with_error_details(code, message, details)
}

/// The first word of an error.
pub fn reason(error: &str) -> &str {
    error.split(' ').next().unwrap_or_default()
}

/// The status for an error of the engine's.
pub fn refusal(error: &[u8]) -> Status {
    let text = String::from_utf8_lossy(error);
    let reason = reason(&text);
    let (code, retry) = match reason {
        "NOAUTH" | "WRONGPASS" => (Code::Unauthenticated, false),
        "NOPERM" | "DENIED" => (Code::PermissionDenied, false),
        "WRONGTYPE" | "READONLY" | "MISCONF" | "NOTBUSY" => (Code::FailedPrecondition, false),
        "OOM" => (Code::ResourceExhausted, false),
        "LOADING" | "BUSY" | "MASTERDOWN" | "TRYAGAIN" => (Code::Unavailable, true),
        "EXECABORT" | "UNBLOCKED" => (Code::Aborted, false),
        "NOSCRIPT" | "NOGROUP" => (Code::NotFound, false),
        "BUSYKEY" | "BUSYGROUP" => (Code::AlreadyExists, false),
        "INTERNAL" => (Code::Internal, false),
        _ if text.starts_with("ERR unknown ") => (Code::Unimplemented, false),
        _ if is_crowd(error) => (Code::ResourceExhausted, true),
        _ if error == QUERY_STOPPED.bytes() => (Code::Unavailable, true),
        _ if error == REPLY_TOO_LONG.bytes() => (Code::ResourceExhausted, false),
        _ if error == NO_RANGE_INDEX.bytes() => (Code::FailedPrecondition, false),
        _ if text.starts_with("ERR no such key") => (Code::NotFound, false),
        _ if text.starts_with("ERR internal error") => (Code::Internal, false),
        _ => (Code::InvalidArgument, false),
    };
    detailed(code, &text, reason, retry)
}

/// An argument that cannot be.
pub fn invalid(field: &str, message: &str) -> Status {
    let details = ErrorDetails::with_bad_request_violation(field, message);
    Status::with_error_details(Code::InvalidArgument, message, details)
}

/// The call is not authenticated.
pub fn unauthenticated(message: &str) -> Status {
    Status::unauthenticated(message)
}

/// Protected mode.
pub fn denied() -> Status {
    detailed(Code::PermissionDenied, DENIED, "DENIED", false)
}

/// There is no database of that number.
pub fn no_such_database() -> Status {
    invalid("database", "ERR DB index is out of range")
}

/// The client waits no longer.
pub fn too_late() -> Status {
    Status::deadline_exceeded("the deadline has passed")
}

/// A command about the connection it comes in, of which calls have none of their own.
pub fn not_here(name: &str) -> Status {
    let message = format!("ERR {} is about a connection, and a call has none", name.to_uppercase());
    detailed(Code::FailedPrecondition, &message, "ERR", false)
}

/// A limit of the server's on what clients make it keep.
pub fn exhausted(message: &str) -> Status {
    Status::resource_exhausted(message)
}

/// The same where others are in the way for a while.
fn crowded(message: &str) -> Status {
    let details = ErrorDetails::with_retry_info(Some(RETRY));
    Status::with_error_details(Code::ResourceExhausted, message, details)
}

/// What a call sends has stopped coming.
pub fn did_not_come() -> Status {
    Status::deadline_exceeded("the request did not come to its end in time")
}

/// What a call sends ended inside a message.
pub fn cut_off() -> Status {
    Status::internal("the request ended inside a message")
}

/// Credentials that were right are not any more.
pub fn no_longer() -> Status {
    unauthenticated("the credentials of this call do not hold any more")
}

/// It has run, and the disk cannot confirm it. Not `UNAVAILABLE`, which clients may have set up to
/// be tried again by itself: it would be done twice.
fn not_durable(why: &str) -> Status {
    let message = format!("NOTDURABLE it is done, but not known to be durable: {why}");
    detailed(Code::Unknown, &message, "NOTDURABLE", false)
}

/// Why a request has no answer.
pub fn no_answer(why: NoAnswer) -> Status {
    match why {
        NoAnswer::Crowded => crowded("too many requests that run for long are waiting"),
        NoAnswer::NotDurable(why) => not_durable(&why),
        NoAnswer::Ended | NoAnswer::Broken => broken(),
    }
}

/// A mistake of ours.
pub fn broken() -> Status {
    Status::internal("the reply is not what it must be")
}

/// A reply that no reader of messages would take.
pub fn too_deep() -> Status {
    Status::out_of_range("the reply has too many levels")
}

#[cfg(test)]
mod tests {
    use base::error::{CROWDED, QUERY_GIVEN_UP};

    use super::*;

    #[test]
    fn codes_and_reasons_follow_the_first_word() {
        let [crowd, given_up, stopped, too_long] =
            [CROWDED, QUERY_GIVEN_UP, QUERY_STOPPED, REPLY_TOO_LONG].map(|text| text.to_string());
        for (text, code, reason) in [
            ("WRONGTYPE Operation against", Code::FailedPrecondition, "WRONGTYPE"),
            ("OOM command not allowed", Code::ResourceExhausted, "OOM"),
            ("NOPERM this user", Code::PermissionDenied, "NOPERM"),
            ("ERR unknown command 'x'", Code::Unimplemented, "ERR"),
            ("ERR syntax error", Code::InvalidArgument, "ERR"),
            ("LOADING Redis is loading", Code::Unavailable, "LOADING"),
            (
                "ERR range queries are disabled: range-index is set to no",
                Code::FailedPrecondition,
                "ERR",
            ),
            (&*crowd, Code::ResourceExhausted, "ERR"),
            (&*given_up, Code::ResourceExhausted, "ERR"),
            (&*stopped, Code::Unavailable, "ERR"),
            (&*too_long, Code::ResourceExhausted, "ERR"),
            ("", Code::InvalidArgument, ""),
        ] {
            let status = refusal(text.as_bytes());
            assert_eq!((status.code(), status.message()), (code, text));
            let info = status.get_details_error_info();
            let info = info.map(|info| (info.reason, info.domain));
            assert_eq!(info, Some((reason.to_owned(), "kvist".to_owned())));
            let passes = code == Code::Unavailable || text == crowd || text == given_up;
            assert_eq!(status.get_details_retry_info().is_some(), passes, "{text}");
        }
        let status = no_answer(NoAnswer::Crowded);
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert!(status.get_details_retry_info().is_some());
    }
}
