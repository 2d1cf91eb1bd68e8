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
//! The times are compared with a tolerance, everything else exactly. They may have been set long
//! before the reply, when the two servers happened to be further apart than now; what the tests set
//! on purpose lies further back still.

use crate::resp::Value;

/// Milliseconds that two servers may always have been apart.
const APART: i64 = 20_000;

/// Whether two replies agree but for times, and the times about so. `slack` as in
/// [`difference`](crate::rules::difference).
#[must_use]
pub fn alike(a: &Value, b: &Value, slack: i64) -> bool {
    let slack = slack.max(APART);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: Vec<Value>) -> Value {
        Value::Many { kind: b'*', items }
    }

    fn text(text: &str) -> Value {
        Value::Bulk { kind: b'$', body: text.into() }
    }

    fn number(n: i64) -> Value {
        Value::Line { kind: b':', text: n.to_string().into_bytes() }
    }

    fn pending(time: i64, count: i64) -> Value {
        list(vec![list(vec![text("1-1"), text("c"), number(time), number(count)])])
    }

    #[test]
    fn times_are_near_and_all_else_exact() {
        assert!(alike(&pending(5, 1), &pending(900, 1), 10));
        assert!(!alike(&pending(5, 1), &pending(100_000, 1), 10), "claimed as idle");
        assert!(!alike(&pending(5, 1), &pending(5, 2), 10), "other deliveries");
        let seen = |at| list(vec![text("seen-time"), number(at), text("pel-count"), number(3)]);
        assert!(alike(&seen(1000), &seen(1005), 10));
        let count = |n| list(vec![text("seen-time"), number(7), text("pel-count"), number(n)]);
        assert!(!alike(&count(3), &count(4), 10));
        assert!(!alike(&number(1), &number(2), 10));
    }
}
