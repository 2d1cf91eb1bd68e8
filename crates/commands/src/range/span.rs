//! How clients write spans: by bounds, or by what names begin with.

use base::{CmdError, error};
use types::{Edge, Span};

/// The span between two bounds, written as those of `ZRANGEBYLEX`: `-`, `+`, `[name` or `(name`.
///
/// # Errors
/// One of them is none of these.
pub(super) fn between<'a>(start: &'a [u8], end: &'a [u8]) -> Result<Span<'a>, CmdError> {
    let start = match start {
        [b'-'] | [b'-', 0, ..] => Edge::First,
        [b'+'] | [b'+', 0, ..] => Edge::Last,
        [b'[', name @ ..] => Edge::Before(name),
        [b'(', name @ ..] => Edge::After(name),
        _ => return Err(error::MIN_MAX_NOT_STRING),
    };
    let end = match end {
        [b'-'] | [b'-', 0, ..] => Edge::First,
        [b'+'] | [b'+', 0, ..] => Edge::Last,
        [b'[', name @ ..] => Edge::After(name),
        [b'(', name @ ..] => Edge::Before(name),
        _ => return Err(error::MIN_MAX_NOT_STRING),
    };
    Ok(Span { start, end })
}

/// The least name that is greater than all that begin with `prefix`, if there is one.
pub(super) fn behind(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut behind = prefix[..=last].to_vec();
    behind[last] += 1;
    Some(behind)
}

/// The span of the names that begin with `prefix`; `behind` is what [`behind`] says.
pub(super) fn of_prefix<'a>(prefix: &'a [u8], behind: Option<&'a [u8]>) -> Span<'a> {
    Span { start: Edge::Before(prefix), end: behind.map_or(Edge::Last, Edge::Before) }
}

/// What of a span is behind `name`, in the direction of a walk.
pub(super) fn rest<'a>(span: Span<'a>, reverse: bool, name: &'a [u8]) -> Span<'a> {
    // A name beyond the span's own edge changes nothing: then the edge is nearer.
    match reverse {
        false if span.start.is_before(name) => Span { start: Edge::After(name), ..span },
        true if !span.end.is_before(name) => Span { end: Edge::Before(name), ..span },
        _ => span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_a_prefix() {
        for (prefix, wanted) in [
            (&b""[..], None),
            (b"a", Some(&b"b"[..])),
            (b"a\xff", Some(b"b")),
            (b"a\xff\xffb\xff", Some(b"a\xff\xffc")),
            (b"\xff\xff", None),
            (b"\0", Some(b"\x01")),
        ] {
            assert_eq!(behind(prefix).as_deref(), wanted, "{prefix:?}");
        }
    }

    #[test]
    fn bounds() {
        let span = between(b"[a", b"(c").expect("a span");
        for (name, is_in) in [("", false), ("a", true), ("bz", true), ("c", false), ("d", false)] {
            assert_eq!(span.contains(name.as_bytes()), is_in, "{name}");
        }
        assert_eq!(between(b"-", b"+\0x"), Ok(Span::ALL));
        for bad in ["", "a", "+a", "-a", "]a"] {
            assert_eq!(between(bad.as_bytes(), b"+"), Err(error::MIN_MAX_NOT_STRING), "{bad}");
            assert_eq!(between(b"-", bad.as_bytes()), Err(error::MIN_MAX_NOT_STRING), "{bad}");
        }
    }

    #[test]
    fn the_rest_of_a_span_is_inside_it() {
        let span = between(b"[c", b"[m").expect("a span");
        for (reverse, name, first, last) in [
            (false, "a", "c", "m"),
            (false, "e", "f", "m"),
            (true, "z", "c", "m"),
            (true, "e", "c", "d"),
        ] {
            let rest = rest(span, reverse, name.as_bytes());
            assert!(rest.contains(first.as_bytes()) && rest.contains(last.as_bytes()));
            assert!(!rest.contains(b"b") && !rest.contains(b"n"), "{name}");
        }
        assert!(!rest(span, false, b"e").contains(b"e") && !rest(span, true, b"e").contains(b"e"));
    }
}
