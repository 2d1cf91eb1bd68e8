//! The little language the command lists are written in, and drawing a command from it.
//!
//! ```text
//! WORD          itself                     [ a | b c ]   one of them, or nothing (even odds)
//! <pool>        a value from a pool        { a | b c }   one of them
//! ( a b )+      1 to 4 times               &( [A] [B] )  the parts in any order
//! ( a b )!      1 to 4 times, now and then hundreds of times: over the encodings' thresholds
//! ```
//!
//! One line of it per form keeps the lists as legible as Redis's own syntax lines. A list that does
//! not parse is an error found by the first test, never at random during a run.

use crate::pools::{self, Draw, Pool, Wide};

/// A parsed form.
#[derive(Clone, Debug)]
pub struct Form {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
enum Node {
    Word(Vec<u8>),
    Pool(Pool),
    Optional(Vec<Vec<Node>>),
    Choice(Vec<Vec<Node>>),
    Few(Vec<Node>),
    Batch(Vec<Node>),
    Shuffled(Vec<Node>),
}

/// The sizes just around the thresholds 128 (listpack entries) and 512 (intset entries).
const BATCHES: [usize; 9] = [20, 64, 127, 128, 129, 140, 511, 512, 513];

impl Form {
    /// Parses a form.
    ///
    /// # Errors
    /// Says what is wrong: an unknown pool or unbalanced brackets.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let mut at = 0;
        let nodes = sequence(&tokens, &mut at)?;
        if at != tokens.len() {
            return Err(format!("unbalanced '{}' in: {text}", tokens[at]));
        }
        Ok(Self { nodes })
    }

    /// Draws one command's arguments.
    #[must_use]
    pub fn draw(&self, draw: &mut Draw) -> Vec<Vec<u8>> {
        let mut args = Vec::new();
        expand(&self.nodes, draw, &mut args);
        args
    }

    /// The first word: the command's name.
    #[must_use]
    pub fn name(&self) -> String {
        match self.nodes.first() {
            Some(Node::Word(word)) => String::from_utf8_lossy(word).into_owned(),
            _ => String::new(),
        }
    }
}

fn sequence(tokens: &[&str], at: &mut usize) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    while let Some(token) = tokens.get(*at) {
        if matches!(*token, "]" | "}" | "|" | ")" | ")+" | ")!") {
            break;
        }
        *at += 1;
        nodes.push(match *token {
            "[" => Node::Optional(alternatives(tokens, at, "]")?),
            "{" => Node::Choice(alternatives(tokens, at, "}")?),
            "(" => repeated(tokens, at)?,
            "&(" => {
                let inner = sequence(tokens, at)?;
                expect(tokens, at, ")")?;
                Node::Shuffled(inner)
            }
            word => leaf(word)?,
        });
    }
    Ok(nodes)
}

fn leaf(word: &str) -> Result<Node, String> {
    match word.strip_prefix('<').and_then(|w| w.strip_suffix('>')) {
        Some(name) => pools::named(name).map(Node::Pool).ok_or(format!("no pool <{name}>")),
        None => Ok(Node::Word(word.as_bytes().to_vec())),
    }
}

fn alternatives(tokens: &[&str], at: &mut usize, end: &str) -> Result<Vec<Vec<Node>>, String> {
    let mut all = vec![sequence(tokens, at)?];
    while tokens.get(*at) == Some(&"|") {
        *at += 1;
        all.push(sequence(tokens, at)?);
    }
    expect(tokens, at, end)?;
    Ok(all)
}

fn repeated(tokens: &[&str], at: &mut usize) -> Result<Node, String> {
    let inner = sequence(tokens, at)?;
    let end = tokens.get(*at).copied().unwrap_or("end");
    *at += 1;
    match end {
        ")+" => Ok(Node::Few(inner)),
        ")!" => Ok(Node::Batch(inner)),
        other => Err(format!("( closed by {other}")),
    }
}

fn expect(tokens: &[&str], at: &mut usize, wanted: &str) -> Result<(), String> {
    let found = tokens.get(*at).copied().unwrap_or("end");
    *at += 1;
    if found == wanted { Ok(()) } else { Err(format!("{found} where {wanted} belongs")) }
}

fn expand(nodes: &[Node], draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    for node in nodes {
        match node {
            Node::Word(word) => args.push(word.clone()),
            Node::Pool(pool) => pool(draw, args),
            Node::Optional(all) => {
                if draw.rng.chance(50) {
                    expand(&all[draw.rng.below(all.len())], draw, args);
                }
            }
            Node::Choice(all) => expand(&all[draw.rng.below(all.len())], draw, args),
            Node::Few(inner) => {
                for _ in 0..=draw.rng.below(4) {
                    expand(inner, draw, args);
                }
            }
            Node::Batch(inner) => batch(inner, draw, args),
            Node::Shuffled(inner) => {
                let mut order: Vec<&Node> = inner.iter().collect();
                draw.rng.shuffle(&mut order);
                for node in order {
                    expand(std::slice::from_ref(node), draw, args);
                }
            }
        }
    }
}

fn batch(inner: &[Node], draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    if !draw.rng.chance(4) {
        for _ in 0..=draw.rng.below(4) {
            expand(inner, draw, args);
        }
        return;
    }
    let times = *draw.rng.pick(&BATCHES);
    draw.wide = Some(Wide::new(&mut draw.rng));
    for _ in 0..times {
        expand(inner, draw, args);
    }
    draw.wide = None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::KeyKind;
    use crate::rng::Rng;

    fn text(form: &str, seed: u64) -> String {
        let mut draw = Draw::new(Rng::new(seed, ""), KeyKind::Text);
        let args = Form::parse(form).unwrap().draw(&mut draw);
        args.iter().map(|a| String::from_utf8_lossy(a)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_alternative_is_drawn() {
        let all: std::collections::BTreeSet<String> =
            (0..200).map(|seed| text("A [ B | C D ] { E | F }", seed)).collect();
        let wanted = ["A B E", "A B F", "A C D E", "A C D F", "A E", "A F"];
        assert_eq!(all, wanted.iter().map(|s| (*s).to_owned()).collect());
    }

    #[test]
    fn parts_come_in_every_order() {
        let all: std::collections::BTreeSet<String> =
            (0..100).map(|seed| text("&( A B C )", seed)).collect();
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(Form::parse("A <nonsense>").unwrap_err().contains("nonsense"));
        assert!(Form::parse("A [ B").is_err());
        assert!(Form::parse("A ] B").is_err());
        assert!(Form::parse("( A )").is_err());
    }
}
