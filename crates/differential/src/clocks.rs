//! Replies about streams in which times stand: when something was delivered, when a consumer was
//! seen.
//!
//! ```text
//!   XPENDING key group - + 10              [id, consumer, idle, deliveries] ...
//!   XINFO CONSUMERS                        ... idle n
//!   XINFO STREAM FULL                      ... seen-time n
//!     pel of a group                       [id, consumer, time, deliveries] ...
//!     pel of a consumer                    [id, time, deliveries] ...
//! ```
//!
//! The times are compared with a tolerance, everything else exactly.

use crate::resp::Value;

/// Whether two replies agree but for times, and the times about so.
#[must_use]
pub fn alike(a: &Value, b: &Value, slack: i64) -> bool {
    let (Value::Many { kind: x, items: one }, Value::Many { kind: y, items: two }) = (a, b) else {
        return a == b;
    };
    if x != y || one.len() != two.len() {
        return false;
    }
    let time = time_in(one);
    one.iter().zip(two).enumerate().all(|(at, (a, b))| {
        let named = at.checked_sub(1).and_then(|before| one[before].bytes());
        let is_time = Some(at) == time || matches!(named, Some(b"idle" | b"seen-time"));
        match (a.integer(), b.integer()) {
            (Some(a), Some(b)) if is_time => a.abs_diff(b) <= slack.unsigned_abs(),
            _ => alike(a, b, slack),
        }
    })
}

/// Where in such a list a time stands, if it looks like one that has one.
fn time_in(items: &[Value]) -> Option<usize> {
    let is_id = |value: &Value| value.bytes().is_some_and(|text| text.contains(&b'-'));
    match items {
        [id, name, time, count]
            if is_id(id)
                && name.bytes().is_some()
                && time.integer().is_some()
                && count.integer().is_some() =>
        {
            Some(2)
        }
        [id, time, count] if is_id(id) && time.integer().is_some() && count.integer().is_some() => {
            Some(1)
        }
        _ => None,
    }
}
