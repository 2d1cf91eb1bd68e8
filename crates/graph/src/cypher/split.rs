//! A text of several statements, cut where each ends: at a semicolon that is in no string, name or
//! comment.

use std::borrow::Cow;

use super::lexer::{Kind, Scanner, name};
use super::progress::Progress;

/// The statements of a text, one after the other.
pub struct Statements<'t> {
    text: &'t str,
    progress: Option<&'t Progress<'t>>,
}

impl<'t> Statements<'t> {
    /// The statements of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Statements { text, progress: None }
    }

    /// The same, with a step for each token. When [it is to end](Progress::has_ended), no statement
    /// comes any more.
    #[must_use]
    pub fn with_progress(text: &'t str, progress: &'t Progress<'t>) -> Self {
        Statements { text, progress: Some(progress) }
    }

    fn has_ended(&self) -> bool {
        self.progress.is_some_and(Progress::has_ended)
    }

    /// What no statement has been made of yet.
    #[must_use]
    pub fn rest(&self) -> &'t str {
        self.text
    }

    /// The next statement that ends with a semicolon, without it; one that has no tokens is passed
    /// over. `None` leaves what has no semicolon as the rest.
    pub fn next_ended(&mut self) -> Option<&'t str> {
        loop {
            let mut scanner = Scanner::new(self.text, 0);
            let mut any = false;
            let end = loop {
                let token = scanner.token().ok()?;
                if self.progress.is_some_and(|progress| !progress.step()) {
                    return None;
                }
                match token.kind {
                    Kind::End => return None,
                    Kind::Semicolon => break scanner.at() as usize,
                    _ => any = true,
                }
            };
            let statement = self.text.get(..end - 1)?;
            self.text = self.text.get(end..)?;
            if any {
                return Some(statement.trim());
            }
        }
    }

    /// Whether nothing is left but blanks and comments.
    #[must_use]
    pub fn is_done(&self) -> bool {
        Scanner::new(self.text, 0).token().is_ok_and(|token| token.kind == Kind::End)
    }
}

/// All statements, the last with its semicolon or without.
impl<'t> Iterator for Statements<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if let Some(statement) = self.next_ended() {
            return Some(statement);
        }
        if self.has_ended() {
            return None;
        }
        let done = self.is_done();
        let rest = std::mem::take(&mut self.text);
        (!done).then_some(rest.trim())
    }
}

/// The words of a line, no more than so many: names, in backticks or not, and numbers.
#[must_use]
pub fn split_words(text: &str, most: usize) -> Option<Vec<Cow<'_, str>>> {
    let (mut scanner, mut words) = (Scanner::new(text, 0), Vec::new());
    loop {
        let token = scanner.token().ok()?;
        let word = text.get(token.start as usize..token.end as usize)?;
        match token.kind {
            Kind::End => return Some(words),
            _ if words.len() >= most => return None,
            Kind::Word | Kind::Number => words.push(Cow::Borrowed(word)),
            Kind::Quoted => words.push(name(word)),
            _ => return None,
        }
    }
}

/// The labels of a word, between which are colons; one in backticks may have some itself.
#[must_use]
pub fn split_labels(text: &str) -> Vec<Cow<'_, str>> {
    let (mut labels, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let quoted = rest.starts_with('`').then(|| quoted_end(rest)).flatten();
        let end = quoted.or_else(|| rest.find(':')).unwrap_or(rest.len());
        let (label, more) = rest.split_at(end);
        labels.push(name(label));
        rest = more.strip_prefix(':').unwrap_or(more);
    }
    labels
}

/// Behind the backtick that ends a name: one that is not one of two.
fn quoted_end(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text.get(at..)?.find('`')? + 1;
        match text.as_bytes().get(at) {
            Some(b'`') => at += 1,
            None | Some(b':') => return Some(at),
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Progress, Statements, split_labels, split_words};

    #[test]
    fn semicolons_end_statements_and_nothing_else_does() {
        let text =
            "CREATE ();\n;// a; b\nRETURN ';', \"\\\";\", `;` /* ; */;\n\nMATCH (n)\nRETURN n ";
        let all: Vec<&str> = Statements::new(text).collect();
        let second = "// a; b\nRETURN ';', \"\\\";\", `;` /* ; */";
        assert_eq!(all, ["CREATE ()", second, "MATCH (n)\nRETURN n"]);
        assert_eq!(Statements::new(" ; // only\n;").count(), 0);
        assert_eq!(Statements::new("").count(), 0);
    }

    #[test]
    fn what_has_no_end_is_left() {
        let mut statements = Statements::new("RETURN 1; RETURN 'a;");
        assert_eq!(statements.next_ended(), Some("RETURN 1"));
        assert_eq!(statements.next_ended(), None);
        assert_eq!(statements.rest(), " RETURN 'a;");
        // It is a statement all the same, which is wrong by itself.
        assert_eq!(statements.next(), Some("RETURN 'a;"));
        assert_eq!(statements.next(), None);
    }

    #[test]
    fn a_long_statement_may_be_ended_while_it_is_looked_for() {
        for text in
            ["1 ".repeat(100_000), format!("{};", "1 ".repeat(100_000)), ";".repeat(100_000)]
        {
            let asked = Cell::new(0);
            let go_on = |_| {
                asked.set(asked.get() + 1);
                asked.get() < 3
            };
            let progress = Progress::new(usize::MAX, &go_on);
            let mut statements = Statements::with_progress(&text, &progress);
            assert_eq!((statements.next(), asked.get()), (None, 3));
            assert!(progress.has_ended());
            assert_eq!((statements.next(), asked.get()), (None, 3));
        }
        let progress = Progress::within(usize::MAX);
        let all: Vec<&str> = Statements::with_progress("A;B", &progress).collect();
        assert_eq!(all, ["A", "B"]);
    }

    #[test]
    fn words_and_labels_may_stand_in_backticks() {
        let words = split_words(" g UNIQUE `a ``b` 2", 9).unwrap_or_default();
        assert_eq!(words, ["g", "UNIQUE", "a `b", "2"]);
        assert_eq!(split_words("a b c", 2), None);
        assert_eq!(split_words("a - b", 9), None);
        assert_eq!(split_words("`a", 9), None);
        assert_eq!(split_labels("Person:a b:`c:d`:`e``:f`"), ["Person", "a b", "c:d", "e`:f"]);
        assert_eq!(split_labels("").len(), 0);
        assert_eq!(split_labels("`a:b"), ["`a", "b"]);
    }
}
