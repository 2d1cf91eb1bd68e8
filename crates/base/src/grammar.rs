//! The notation in which a command's arguments are written down, and its parser.
//!
//! ```text
//! key:key value:string [condition=(NX | XX)] [GET] [expiration=(EX seconds:integer | KEEPTTL)]
//!
//! name:type            an argument           types: string integer double key pattern unix-time
//! TOKEN name:type      an argument behind a literal word
//! TOKEN                a literal word of its own (named as its lower-case form, or `name!TOKEN`)
//! [ … ]                optional
//! name=( a | b )       one of
//! name={ a b }         a block; `TOKEN name={ … }` behind a literal word
//! …                    `...` behind an item: repeats; `+...`: repeats with its token
//! key:key#1            the key (or pattern of keys) belongs to the second key spec
//! … @6.2.0             behind an item: the version of Redis that brought it
//! … @..6.2.0           behind an item: the version that deprecated it
//! ```
//!
//! Arity and the `arguments` of `COMMAND DOCS` come from here; so do editor hints and the random
//! commands of the differential tests.

/// What an argument is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Bytes.
    String,
    /// Signed 64-bit integer.
    Integer,
    /// Double.
    Double,
    /// The name of a key, found by this key spec.
    Key(usize),
    /// A pattern; of names of keys, if a key spec is given.
    Pattern(Option<usize>),
    /// Seconds or milliseconds since the epoch.
    UnixTime,
    /// A literal word that stands for itself.
    PureToken,
    /// One of these.
    OneOf(Vec<Arg>),
    /// These, in order.
    Block(Vec<Arg>),
}

/// One argument of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Its name in the documentation.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The literal word before it.
    pub token: Option<String>,
    /// May be left out.
    pub optional: bool,
    /// May be repeated.
    pub multiple: bool,
    /// Repeats together with its token.
    pub multiple_token: bool,
    /// The version that brought it, where it is younger than its command.
    pub since: Option<String>,
    /// The version that deprecated it.
    pub deprecated: Option<String>,
}

/// A grammar text that cannot be read; shows where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGrammar(pub String);

/// Reads a grammar.
///
/// # Errors
/// The text does not follow the notation.
///
/// ```
/// use kvist_base::grammar;
/// let args = grammar::parse("key:key value:string [GET]").unwrap();
/// assert_eq!(grammar::arity(&args, 1), -3);
/// ```
pub fn parse(text: &str) -> Result<Vec<Arg>, BadGrammar> {
    let mut parser = Parser { words: lex(text), at: 0, text };
    let args = parser.sequence()?;
    if parser.at < parser.words.len() {
        return Err(parser.bad("unexpected closing bracket"));
    }
    Ok(args)
}

/// The arity of a command with these arguments behind `words` words of name: the exact number of
/// words, or minus the least number.
#[must_use]
pub fn arity(args: &[Arg], words: i32) -> i32 {
    let least = words + args.iter().map(least_words).sum::<i32>();
    if args.iter().any(is_open) { -least } else { least }
}

/// The arguments as a line of usage: `key value [NX | XX] [EX seconds | KEEPTTL]`.
#[must_use]
pub fn usage(args: &[Arg]) -> String {
    args.iter().map(usage_of).collect::<Vec<_>>().join(" ")
}

fn usage_of(arg: &Arg) -> String {
    let body = match &arg.kind {
        Kind::PureToken => arg.token.clone().unwrap_or_default(),
        Kind::OneOf(args) => {
            let list = args.iter().map(usage_of).collect::<Vec<_>>().join(" | ");
            // Inside an optional's brackets no further ones are needed.
            if arg.optional { list } else { format!("<{list}>") }
        }
        Kind::Block(args) => usage(args),
        _ => arg.name.clone(),
    };
    let with_token = match (&arg.token, &arg.kind) {
        (Some(token), kind) if *kind != Kind::PureToken => format!("{token} {body}"),
        _ => body.clone(),
    };
    let repeated = match (arg.multiple, arg.multiple_token) {
        (false, _) => with_token,
        (true, true) => format!("{with_token} [{with_token} ...]"),
        (true, false) => format!("{with_token} [{body} ...]"),
    };
    if arg.optional { format!("[{repeated}]") } else { repeated }
}

fn least_words(arg: &Arg) -> i32 {
    if arg.optional {
        return 0;
    }
    let body = match &arg.kind {
        Kind::PureToken => return 1,
        Kind::OneOf(args) => args.iter().map(least_words).min().unwrap_or(0),
        Kind::Block(args) => args.iter().map(least_words).sum(),
        _ => 1,
    };
    body + i32::from(arg.token.is_some())
}

fn is_open(arg: &Arg) -> bool {
    let inner = match &arg.kind {
        Kind::OneOf(args) => {
            args.iter().any(is_open)
                || args.iter().map(least_words).min() != args.iter().map(least_words).max()
        }
        Kind::Block(args) => args.iter().any(is_open),
        _ => false,
    };
    arg.optional || arg.multiple || inner
}

fn lex(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if "[](){}|".contains(first) {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || "[](){}|".contains(c)).unwrap_or(rest.len())
        };
        words.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    words
}

struct Parser<'t> {
    words: Vec<&'t str>,
    at: usize,
    text: &'t str,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.at).copied()
    }

    fn expect(&mut self, word: &str) -> Result<(), BadGrammar> {
        if self.peek() == Some(word) {
            self.at += 1;
            return Ok(());
        }
        Err(self.bad(&format!("expected {word}")))
    }

    fn bad(&self, why: &str) -> BadGrammar {
        BadGrammar(format!("{why} at word {} of {:?}", self.at, self.text))
    }

    fn sequence(&mut self) -> Result<Vec<Arg>, BadGrammar> {
        let mut args = Vec::new();
        while let Some(word) = self.peek() {
            if matches!(word, "]" | ")" | "}" | "|") {
                break;
            }
            args.push(self.item()?);
        }
        Ok(args)
    }

    fn item(&mut self) -> Result<Arg, BadGrammar> {
        if self.peek() == Some("[") {
            self.at += 1;
            let mut arg = self.item()?;
            self.expect("]")?;
            arg.optional = true;
            self.suffixes(&mut arg);
            return Ok(arg);
        }
        let mut arg = self.named(None)?;
        self.suffixes(&mut arg);
        Ok(arg)
    }

    /// What stands behind an item: dots, versions.
    fn suffixes(&mut self, arg: &mut Arg) {
        if let Some(word @ ("..." | "+...")) = self.peek() {
            self.at += 1;
            arg.multiple = true;
            arg.multiple_token = word == "+...";
        }
        while let Some(version) = self.peek().and_then(|word| word.strip_prefix('@')) {
            self.at += 1;
            match version.strip_prefix("..") {
                Some(version) => arg.deprecated = Some(version.to_owned()),
                None => arg.since = Some(version.to_owned()),
            }
        }
    }

    fn named(&mut self, token: Option<&str>) -> Result<Arg, BadGrammar> {
        let word = self.peek().ok_or_else(|| self.bad("expected an argument"))?;
        self.at += 1;
        let (word, dots) = match word.strip_suffix("+...") {
            Some(word) => (word, "+..."),
            None => match word.strip_suffix("...").filter(|w| !w.is_empty()) {
                Some(word) => (word, "..."),
                None => (word, ""),
            },
        };
        // `equal!=` is the token `=`.
        let before = word.strip_suffix('=').filter(|name| !name.ends_with('!'));
        let mut arg = if let Some(name) = before {
            let kind = self.group()?;
            make(name, kind, token)
        } else if let Some((name, kind)) = word.rsplit_once(':') {
            let kind = kind_named(kind).ok_or_else(|| self.bad("unknown type"))?;
            make(name, kind, token)
        } else if token.is_none() && self.introduces() {
            return self.named(Some(word));
        } else {
            let (name, text) = match word.split_once('!') {
                Some((name, text)) => (name.to_owned(), text),
                None => (word.to_ascii_lowercase(), word),
            };
            make(&name, Kind::PureToken, Some(text))
        };
        arg.multiple = !dots.is_empty();
        arg.multiple_token = dots == "+...";
        Ok(arg)
    }

    /// Whether the word just read is the token of the argument that follows: that is so when a
    /// named argument follows directly.
    fn introduces(&self) -> bool {
        let is_token = |w: &str| w.starts_with(|c: char| c.is_ascii_lowercase());
        self.peek().is_some_and(|w| {
            is_token(w) && (w.contains(':') || w.ends_with('=')) && !w.contains('!')
        }) && !self.words[self.at - 1].contains('!')
    }

    fn group(&mut self) -> Result<Kind, BadGrammar> {
        match self.peek() {
            Some("(") => {
                self.at += 1;
                let mut alternatives = vec![self.item()?];
                while self.peek() == Some("|") {
                    self.at += 1;
                    alternatives.push(self.item()?);
                }
                self.expect(")")?;
                Ok(Kind::OneOf(alternatives))
            }
            _ => {
                self.expect("{")?;
                let args = self.sequence()?;
                self.expect("}")?;
                Ok(Kind::Block(args))
            }
        }
    }
}

fn make(name: &str, kind: Kind, token: Option<&str>) -> Arg {
    Arg {
        name: name.to_owned(),
        kind,
        token: token.map(str::to_owned),
        optional: false,
        multiple: false,
        multiple_token: false,
        since: None,
        deprecated: None,
    }
}

fn kind_named(name: &str) -> Option<Kind> {
    Some(match name {
        "string" => Kind::String,
        "integer" => Kind::Integer,
        "double" => Kind::Double,
        "pattern" => Kind::Pattern(None),
        "unix-time" => Kind::UnixTime,
        "key" => Kind::Key(0),
        _ => match name.strip_prefix("pattern#") {
            Some(spec) => Kind::Pattern(Some(spec.parse().ok()?)),
            None => Kind::Key(name.strip_prefix("key#")?.parse().ok()?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> i32 {
        arity(&parse(text).unwrap(), 1)
    }

    #[test]
    fn arity_follows_from_the_grammar() {
        assert_eq!(of("key:key"), 2);
        assert_eq!(of("key:key..."), -2);
        assert_eq!(of("key:key [condition=(NX | XX)] [EX seconds:integer]"), -2);
        assert_eq!(of("data={key:key value:string} ..."), -3);
        assert_eq!(of("source:key destination:key#1 where=(LEFT | RIGHT)"), 4);
        assert_eq!(of("[STORE destination:key#1] [GET pattern:pattern+...]"), -1);
        assert_eq!(of("key:key by=(BYLEX | BYSCORE) LIMIT lim={offset:integer count:integer}"), 6);
    }

    #[test]
    fn tokens_names_and_repeats_are_read() {
        let args = parse("[withscores!WITHSCORES] [GET pattern:pattern+...]").unwrap();
        assert_eq!(args[0].name, "withscores");
        assert_eq!(args[0].token.as_deref(), Some("WITHSCORES"));
        assert!(args[0].optional && args[0].kind == Kind::PureToken);
        assert!(args[1].optional && args[1].multiple && args[1].multiple_token);
        assert_eq!(args[1].token.as_deref(), Some("GET"));
    }

    #[test]
    fn versions_stand_behind_what_they_are_about() {
        let args = parse("key:key [by=(A | B @7.0.0) @6.2.0] [GET pattern:pattern#1+... @1.0.0]");
        let args = args.unwrap();
        assert_eq!(args[1].since.as_deref(), Some("6.2.0"));
        let Kind::OneOf(words) = &args[1].kind else { panic!("{:?}", args[1]) };
        assert_eq!((words[0].since.as_deref(), words[1].since.as_deref()), (None, Some("7.0.0")));
        assert_eq!(args[2].kind, Kind::Pattern(Some(1)));
        assert!(args[2].multiple && args[2].since.is_some());
        assert_eq!(parse("a:string @..2.0.0").unwrap()[0].deprecated.as_deref(), Some("2.0.0"));
    }

    #[test]
    fn usage_reads_like_a_manual() {
        let line = |text| usage(&parse(text).unwrap());
        assert_eq!(line("key:key [condition=(NX | XX)]"), "key [NX | XX]");
        assert_eq!(line("data={key:key value:string} ..."), "key value [key value ...]");
        assert_eq!(line("key:key where=(LEFT | RIGHT)"), "key <LEFT | RIGHT>");
        assert_eq!(line("[GET pattern:pattern+...]"), "[GET pattern [GET pattern ...]]");
    }

    #[test]
    fn broken_grammars_say_where() {
        assert!(parse("a=(B | C").is_err());
        assert!(parse("a:nothing").is_err());
        assert!(parse("]").is_err());
    }
}
