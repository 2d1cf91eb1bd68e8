//! The words that a call becomes, as a line of text.
//!
//! ```text
//! EXPIRE name {in_seconds(time)} [nx: NX | xx: XX] [count?: COUNT count] *fields @get=get
//!
//! WORD 'word'             a literal word
//! "TWO WORDS"             the name of a command that has two
//! name {expression}       one word
//! *name *{expression}     any number of words
//! [condition: …]          words that are sent if the condition is true
//! [name?: …]              … if the argument is not None
//! [a: … | b: … | : …]     … of the first condition that is true; none: otherwise
//! [for x in y: …]         … for each
//! @name=value             an option for the code that executes the command: not sent
//! @{expression}           several such options
//! ```

/// What a template says.
pub(crate) struct Template {
    /// The command's name, in upper case.
    pub(crate) command: String,
    /// What follows the name.
    pub(crate) pieces: Vec<Piece>,
    /// Options, as they stand in a call.
    pub(crate) options: Vec<String>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Piece {
    /// An expression for one word, or, with its star, for several.
    Words(String),
    Group(Vec<Branch>),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Branch {
    pub(crate) when: When,
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum When {
    If(String),
    For(String),
    Otherwise,
}

/// Reads a template.
pub(crate) fn read(text: &str) -> Result<Template, String> {
    let mut template = Template { command: String::new(), pieces: Vec::new(), options: Vec::new() };
    let mut rest = text.trim();
    if let Some(quoted) = rest.strip_prefix('"') {
        let (name, after) = quoted.split_once('"').ok_or("a name that does not end")?;
        template.command = name.to_owned();
        rest = after;
    } else {
        let (name, after) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        template.command = name.to_owned();
        rest = after;
    }
    if !template.command.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Err("no command".to_owned());
    }
    template.pieces = pieces(rest, Some(&mut template.options))?;
    Ok(template)
}

fn pieces(text: &str, mut options: Option<&mut Vec<String>>) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = token_end(rest).ok_or("a bracket that does not end")?;
        let (token, after) = rest.split_at(end);
        rest = after.trim_start();
        if let Some(option) = token.strip_prefix('@') {
            options.as_mut().ok_or("an option inside a group")?.push(option_of(option)?);
        } else if let Some(group) = token.strip_prefix('[') {
            let inner = group.strip_suffix(']').ok_or("a group that does not end")?;
            let branches: Result<Vec<Branch>, String> =
                split(inner, '|').into_iter().map(branch).collect();
            found.push(Piece::Group(branches?));
        } else {
            found.push(Piece::Words(word(token)?));
        }
    }
    Ok(found)
}

fn word(token: &str) -> Result<String, String> {
    if let Some(spread) = token.strip_prefix('*') {
        return Ok(format!("*{}", word(spread)?));
    }
    if let Some(inner) = token.strip_prefix('{') {
        return inner.strip_suffix('}').map(str::to_owned).ok_or("an expression".to_owned());
    }
    if let Some(inner) = token.strip_prefix('\'') {
        return inner.strip_suffix('\'').map(|word| format!("{word:?}")).ok_or("a word".to_owned());
    }
    let upper = token.starts_with(|c: char| c.is_ascii_uppercase());
    Ok(if upper { format!("{token:?}") } else { token.to_owned() })
}

fn option_of(text: &str) -> Result<String, String> {
    if let Some(inner) = text.strip_prefix('{') {
        return inner.strip_suffix('}').map(|e| format!("**{e}")).ok_or("options".to_owned());
    }
    let (name, value) = text.split_once('=').ok_or("an option without a value")?;
    let inner = value.strip_prefix('{').and_then(|value| value.strip_suffix('}'));
    Ok(format!("{name}={}", inner.unwrap_or(value)))
}

fn branch(text: &str) -> Result<Branch, String> {
    let parts = split(text, ':');
    let condition = parts.first().map_or("", |part| part.trim());
    let at = text.find(condition).unwrap_or(0) + condition.len();
    let inner = text[at..].trim_start().strip_prefix(':').ok_or("a group without a condition")?;
    let when = if condition.is_empty() {
        When::Otherwise
    } else if let Some(name) = condition.strip_suffix('?') {
        When::If(format!("{name} is not None"))
    } else if condition.starts_with("for ") {
        When::For(condition.to_owned())
    } else {
        let bare = condition.strip_prefix('(').and_then(|c| c.strip_suffix(')'));
        When::If(bare.unwrap_or(condition).to_owned())
    };
    Ok(Branch { when, pieces: pieces(inner, None)? })
}

/// Where the first token ends: at a blank outside brackets and quotes.
fn token_end(text: &str) -> Option<usize> {
    scan(text, |c, depth| c == ' ' && depth == 0).or_else(|| {
        let depth = text.chars().fold((0_i32, None), step).0;
        (depth == 0).then_some(text.len())
    })
}

/// Where the bracket before the text is closed by `end`.
pub(crate) fn closing(text: &str, end: char) -> Option<usize> {
    scan(text, |c, depth| c == end && depth < 0)
}

/// The parts of a text between separators that stand outside brackets and quotes.
pub(crate) fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = scan(rest, |c, depth| c == separator && depth == 0) {
        parts.push(rest[..at].trim());
        rest = &rest[at + separator.len_utf8()..];
    }
    if !(parts.is_empty() && rest.trim().is_empty()) {
        parts.push(rest.trim());
    }
    parts
}

/// The first place where `found` is true of a character and of the depth of brackets after it.
fn scan(text: &str, found: impl Fn(char, i32) -> bool) -> Option<usize> {
    let mut state = (0, None);
    for (at, c) in text.char_indices() {
        state = step(state, c);
        if state.1.is_none() && found(c, state.0) {
            return Some(at);
        }
    }
    None
}

/// The depth of brackets and the open quote, after one more character.
fn step((depth, quote): (i32, Option<char>), c: char) -> (i32, Option<char>) {
    match (quote, c) {
        (Some(open), _) if open == c => (depth, None),
        (Some(open), _) => (depth, Some(open)),
        (None, '"' | '\'') => (depth, Some(c)),
        (None, '(' | '[' | '{') => (depth + 1, None),
        (None, ')' | ']' | '}') => (depth - 1, None),
        _ => (depth, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read() {
        let text =
            r#""ACL CAT" name {f(a, "b c")} *rest ~ [nx: NX | xx?: 'x y' xx | : {z}] @a={b}"#;
        let template = read(text).unwrap();
        assert_eq!(template.command, "ACL CAT");
        assert_eq!(template.options, ["a=b"]);
        let words = |text: &str| Piece::Words(text.to_owned());
        assert_eq!(template.pieces[..3], [words("name"), words("f(a, \"b c\")"), words("*rest")]);
        let Piece::Group(branches) = &template.pieces[4] else { panic!("no group") };
        assert_eq!(branches[0].when, When::If("nx".to_owned()));
        assert_eq!(branches[0].pieces, [words("\"NX\"")]);
        assert_eq!(branches[1].when, When::If("xx is not None".to_owned()));
        assert_eq!(branches[1].pieces, [words("\"x y\""), words("xx")]);
        assert_eq!(branches[2].when, When::Otherwise);
    }

    #[test]
    fn loops_and_options_are_read() {
        let template = read("SORT [for p in patterns(get): GET p] @x=[] @{more(y)}").unwrap();
        let Piece::Group(branches) = &template.pieces[0] else { panic!("no group") };
        assert_eq!(branches[0].when, When::For("for p in patterns(get)".to_owned()));
        assert_eq!(template.options, ["x=[]", "**more(y)"]);
    }

    #[test]
    fn broken_templates_are_refused() {
        for text in ["get name", "GET [a: B", "GET {a", "GET [b]", "GET [a: @b=c]"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
