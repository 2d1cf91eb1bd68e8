//! Requests and replies as they are written down in tests.
//!
//! ```text
//!   # what begins with a hash, and what is empty, says nothing
//!   RPUSH list a b
//!       :2
//!   LRANGE list 0 -1
//!       *2|$1|a|$1|b
//! ```
//!
//! A request is a line, and the indented line behind it its reply as it comes over the wire, with
//! bars in place of line ends. Of a request without such a line the reply is not looked at.

/// The words of a request that is written as a line, with one space between two of them.
#[must_use]
pub fn words(line: &str) -> Vec<&[u8]> {
    line.split(' ').map(str::as_bytes).collect()
}

/// The same, to be kept.
#[must_use]
pub fn request(line: &str) -> Vec<Vec<u8>> {
    words(line).into_iter().map(<[u8]>::to_vec).collect()
}

/// A reply in the form in which it is written down.
#[must_use]
pub fn shown(reply: &[u8]) -> String {
    let text = String::from_utf8_lossy(reply);
    text.strip_suffix("\r\n").unwrap_or(&text).replace("\r\n", "|")
}

/// Runs every request of a transcript, and compares what `answer` says, in the form of
/// [`shown`]; all differences are told at once.
///
/// ```
/// let text = "
///     PING
///         +PONG
///     # whatever that is
///     TIME
/// ";
/// kvist_testkit::transcript::play(text, |line| format!("+{}", line.replace('I', "O")));
/// ```
///
/// # Panics
/// With the differences.
pub fn play(text: &str, mut answer: impl FnMut(&str) -> String) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty()).peekable();
    let margin = lines.peek().map_or(0, |(_, line)| indent(line));
    let mut differences = Vec::new();
    while let Some((number, line)) = lines.next() {
        let request = line.trim();
        if request.starts_with('#') {
            continue;
        }
        assert!(indent(line) <= margin, "line {}: a reply to nothing: {request}", number + 1);
        let expected = lines.next_if(|(_, next)| indent(next) > margin);
        let reply = answer(request);
        let Some((_, expected)) = expected else { continue };
        if reply != expected.trim_start() {
            let (number, expected) = (number + 1, expected.trim_start());
            differences.push(format!("{number}: {request}\n  wanted {expected}\n  got    {reply}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_compared_where_they_are_written() {
        let mut asked = Vec::new();
        let text = "  # a comment\n\n  GET a\n      $1|x\n  GET b\n  GET c\n      _\n";
        play(text, |line| {
            asked.push(line.to_owned());
            if line == "GET a" { shown(b"$1\r\nx\r\n") } else { "_".to_owned() }
        });
        assert_eq!(asked, ["GET a", "GET b", "GET c"]);
    }

    #[test]
    #[should_panic(expected = "3: GET b\n  wanted :2\n  got    :1")]
    fn all_differences_are_told() {
        play("GET a\n  :1\nGET b\n  :2\n", |_| ":1".to_owned());
    }

    #[test]
    fn a_line_is_taken_apart_at_each_space() {
        assert_eq!(words("SET a  "), [&b"SET"[..], b"a", b"", b""]);
        assert_eq!(request("GET a"), [b"GET".to_vec(), b"a".to_vec()]);
    }
}
