//! Methods for commands that the table does not have, from their grammar alone.
//!
//! What a command must have becomes a positional argument, what it may have a keyword that
//! defaults to `None`, or to `False` for a literal word. The reply is as the server sends it.

use base::grammar::{Arg, Kind};

use super::table::{Call, Parameter, Signature};
use super::template::{Branch, Piece, Template, When};

/// The method of a command called `name` (as in its spec) with these arguments.
pub(crate) fn call(name: &str, arguments: &[Arg]) -> Call {
    let mut derived = Derived { positional: Vec::new(), keywords: Vec::new(), many: None };
    let pieces = arguments.iter().flat_map(|arg| derived.pieces(arg)).collect();
    let command = name.replace('|', " ").to_ascii_uppercase();
    let mut parameters = derived.positional;
    parameters.extend(derived.many.clone());
    if derived.many.is_none() && !derived.keywords.is_empty() && !parameters.is_empty() {
        parameters.push(Parameter { name: "*".to_owned(), of: None, default: None });
    }
    parameters.extend(derived.keywords);
    let reply = if command.ends_with(" HELP") { "list[S]" } else { "Any" }.to_owned();
    Call::plain(Signature { parameters, reply }, Template { command, pieces, options: Vec::new() })
}

/// The name of the method of a command.
pub(crate) fn method_name(name: &str) -> String {
    name.replace(['|', '.', '-'], "_")
}

struct Derived {
    positional: Vec<Parameter>,
    keywords: Vec<Parameter>,
    many: Option<Parameter>,
}

impl Derived {
    fn pieces(&mut self, arg: &Arg) -> Vec<Piece> {
        match &arg.kind {
            Kind::OneOf(alternatives) if arg.optional && arg.token.is_none() => {
                vec![Piece::Group(alternatives.iter().map(|a| self.optional(a)).collect())]
            }
            Kind::Block(parts) if !arg.optional && !arg.multiple => {
                let token = arg.token.iter().map(|token| quoted(token));
                token.chain(parts.iter().flat_map(|part| self.pieces(part))).collect()
            }
            _ if arg.optional => vec![Piece::Group(vec![self.optional(arg)])],
            Kind::PureToken => vec![quoted(arg.token.as_deref().unwrap_or(&arg.name))],
            _ if arg.multiple || is_several(&arg.kind) => {
                let name = identifier(&arg.name);
                self.many = Some(parameter(&format!("*{name}"), "EncodableT", None));
                let token = arg.token.iter().filter(|_| !arg.multiple).map(|token| quoted(token));
                token.chain([Piece::Words(format!("*{name}"))]).collect()
            }
            kind => {
                let name = identifier(&arg.name);
                self.positional.push(parameter(&name, type_of(kind), None));
                let token = arg.token.iter().map(|token| quoted(token));
                token.chain([Piece::Words(name)]).collect()
            }
        }
    }

    /// An argument that may be left out, as a keyword.
    fn optional(&mut self, arg: &Arg) -> Branch {
        let name = identifier(&arg.name);
        if let (Kind::Block(parts), false) = (&arg.kind, arg.multiple) {
            return self.optional_block(arg, parts);
        }
        if arg.kind == Kind::PureToken {
            self.keywords.push(parameter(&name, "bool", Some("False")));
            let token = quoted(arg.token.as_deref().unwrap_or(&arg.name));
            return Branch { when: When::If(name), pieces: vec![token] };
        }
        let several = arg.multiple || matches!(arg.kind, Kind::Block(_));
        let (of, words) = match several {
            true => ("Sequence[EncodableT] | None".to_owned(), format!("*{name}")),
            false => (format!("{} | None", type_of(&arg.kind)), name.clone()),
        };
        self.keywords.push(parameter(&name, &of, Some("None")));
        let token = arg.token.iter().map(|token| quoted(token));
        let pieces = token.chain([Piece::Words(words)]).collect();
        Branch { when: When::If(format!("{name} is not None")), pieces }
    }
}

impl Derived {
    /// Several arguments that may be left out together: sent if the first of them is given.
    fn optional_block(&mut self, arg: &Arg, parts: &[Arg]) -> Branch {
        let mut pieces: Vec<Piece> = arg.token.iter().map(|token| quoted(token)).collect();
        let mut first = None;
        for part in parts {
            let branch = self.optional(part);
            let literal = part.kind == Kind::PureToken && !part.optional;
            if literal {
                self.keywords.pop();
            } else if first.is_none() {
                first = Some(branch.when.clone());
            }
            match part.optional {
                true => pieces.push(Piece::Group(vec![branch])),
                false => pieces.extend(branch.pieces),
            }
        }
        Branch { when: first.unwrap_or(When::Otherwise), pieces }
    }
}

fn parameter(name: &str, of: &str, default: Option<&str>) -> Parameter {
    Parameter {
        name: name.to_owned(),
        of: Some(of.to_owned()),
        default: default.map(str::to_owned),
    }
}

fn quoted(word: &str) -> Piece {
    Piece::Words(format!("{word:?}"))
}

/// Whether alternatives may have more words than one.
fn is_several(kind: &Kind) -> bool {
    let Kind::OneOf(alternatives) = kind else { return false };
    alternatives.iter().any(|arg| matches!(arg.kind, Kind::Block(_) | Kind::OneOf(_)))
}

/// A name that Python accepts for a parameter.
fn identifier(name: &str) -> String {
    let name = name.trim_start_matches('-').replace(['-', ' ', '.'], "_");
    match name.as_str() {
        "from" | "in" | "is" | "not" | "with" | "async" | "class" | "lambda" => name + "_",
        _ => name,
    }
}

fn type_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Key(_) => "KeyT",
        Kind::Integer => "int",
        Kind::Double => "float",
        Kind::Pattern(_) => "PatternT",
        Kind::UnixTime => "AbsExpiryT",
        _ => "EncodableT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(call: &Call) -> Vec<&str> {
        call.main.parameters.iter().map(|parameter| parameter.name.as_str()).collect()
    }

    #[test]
    fn grammars_become_parameters() {
        let grammar = "key:key min:string [REV] [CURSOR cursor:string] [LIMIT limit:integer]";
        let call = call("range", &base::grammar::parse(grammar).unwrap());
        assert_eq!(names(&call), ["key", "min", "*", "rev", "cursor", "limit"]);
        let words = call.words.as_ref().unwrap();
        assert_eq!((words.command.as_str(), words.pieces.len()), ("RANGE", 5));
    }

    #[test]
    fn dashes_before_a_word_are_no_part_of_its_name() {
        let call = call("x", &base::grammar::parse("key:key [--compact]").unwrap());
        assert_eq!(names(&call), ["key", "*", "compact"]);
        assert_eq!(call.words.as_ref().unwrap().pieces.len(), 2);
    }

    #[test]
    fn blocks_may_be_left_out() {
        let grammar = "key:key [count_block={COUNT count:integer [ANY]}] [order=(ASC | DESC)]";
        let call = call("x", &base::grammar::parse(grammar).unwrap());
        assert_eq!(names(&call), ["key", "*", "count", "any", "asc", "desc"]);
        let Piece::Group(branches) = &call.words.as_ref().unwrap().pieces[1] else { panic!() };
        assert_eq!(branches[0].when, When::If("count is not None".to_owned()));
        assert_eq!(branches[0].pieces.len(), 3);
    }

    #[test]
    fn alternatives_behind_a_word_are_one_parameter() {
        let grammar = "key:key [FORMAT format=(TEXT | CSV)]";
        let optional = call("x", &base::grammar::parse(grammar).unwrap());
        assert_eq!(names(&optional), ["key", "*", "format"]);
        let Piece::Group(branches) = &optional.words.as_ref().unwrap().pieces[1] else { panic!() };
        assert_eq!(branches[0].pieces.len(), 2);
        let grammar = "key:key FORMAT part=(text={text!TEXT line:string...} | END)";
        let several = call("x", &base::grammar::parse(grammar).unwrap());
        assert_eq!(names(&several), ["key", "*part"]);
        assert_eq!(several.words.as_ref().unwrap().pieces.len(), 3);
    }

    #[test]
    fn repeats_and_subcommands_have_names() {
        let call = call("xinfo|help", &base::grammar::parse("id:string...").unwrap());
        assert_eq!(names(&call), ["*id"]);
        assert_eq!(call.words.as_ref().unwrap().command, "XINFO HELP");
        assert_eq!(method_name("client|no-evict"), "client_no_evict");
    }
}
