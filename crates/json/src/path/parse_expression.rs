//! Conditions and expressions: what stands in `[?…]`, and paths that compute.
//!
//! ```text
//! expression = prefix (operator expression)*      operators of higher rank bind more tightly
//! prefix     = "!" expression of a comparison's rank | ("-" | "+") prefix | primary
//! primary    = "(" expression ")" | query | literal | name "(" [expression ("," …)*] ")"
//!              then ("." name "(" … ")")*
//! operator   = "||" | "&&" | "==" "=" "!=" "<" "<=" ">" ">=" "=~" "in" "size" …
//!              | "+" "-" | "*" "/" "%"
//! ```
//!
//! One grammar serves conditions and values, because a parenthesis can open either; what was read
//! is a [`Term`], and a caller that needs one kind asks for it. Types are not checked beyond that:
//! a function that gets something it cannot use gives nothing when it runs.
//!
//! Operators are parsed by rank in one function, and terms are boxed, so that the deepest nesting
//! allowed takes a small part of a thread's stack, also in a build without optimisation.

use super::error::PathError;
use super::literal::Literal;
use super::parse::{Parsed, Parser, is_name_byte};
use super::pattern::{Pattern, Usage};
use super::syntax::{Arithmetic, Call, Comparison, Expr, Function, Logic, Origin, Query, Relation};

/// How many functions may be called on one another's results, `.f().g()`.
const MAX_METHODS: usize = 32;

/// What a piece of text may turn out to be.
pub(super) enum Term {
    Logic(Box<Logic>),
    Value(Box<Expr>),
}

impl Term {
    fn value(expr: Expr) -> Term {
        Term::Value(Box::new(expr))
    }

    fn logic(logic: Logic) -> Term {
        Term::Logic(Box::new(logic))
    }
}

/// The relations that are words.
pub(super) fn relation_named(word: &str) -> Option<Relation> {
    Some(match word {
        "in" => Relation::In,
        "nin" => Relation::NotIn,
        "subsetof" => Relation::SubsetOf,
        "anyof" => Relation::AnyOf,
        "noneof" => Relation::NoneOf,
        "size" | "sizeof" => Relation::Size,
        "empty" => Relation::Empty,
        _ => return None,
    })
}

/// Whether this can be the name of a function, there or not.
fn begins_call(name: &str) -> bool {
    let all = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.bytes().all(all)
}

/// How tightly an operator binds.
pub(super) type Rank = u8;

const OR: Rank = 1;
const AND: Rank = 2;
const RELATION: Rank = 3;
/// The rank of expressions that are values, not conditions.
pub(super) const SUM: Rank = 4;
const PRODUCT: Rank = 5;
const PREFIX: Rank = 6;

#[derive(Clone, Copy)]
enum Operator {
    Or,
    And,
    Relation(Relation),
    Matches,
    Arithmetic(Arithmetic),
}

impl Operator {
    fn rank(self) -> Rank {
        match self {
            Operator::Or => OR,
            Operator::And => AND,
            Operator::Relation(_) | Operator::Matches => RELATION,
            Operator::Arithmetic(operator) => rank(operator),
        }
    }
}

fn rank(operator: Arithmetic) -> Rank {
    match operator {
        Arithmetic::Add | Arithmetic::Subtract => SUM,
        _ => PRODUCT,
    }
}

impl Parser<'_> {
    /// What follows the question mark of a filter.
    pub(super) fn condition(&mut self) -> Parsed<Box<Logic>> {
        self.space();
        let term = self.expression(OR)?;
        self.logic(term)
    }

    fn logic(&self, term: Term) -> Parsed<Box<Logic>> {
        match term {
            Term::Logic(logic) => Ok(logic),
            Term::Value(value) => match *value {
                Expr::Literal(_) => {
                    Err(self.fail("'==', '!=', '<', '<=', '>', '>=', '=~', 'in', another operator"))
                }
                value => Ok(Box::new(Logic::Test(value))),
            },
        }
    }

    pub(super) fn value(&self, term: Term) -> Parsed<Box<Expr>> {
        match term {
            Term::Value(value) => Ok(value),
            Term::Logic(_) => Err(self.fail("a value instead of a condition")),
        }
    }

    /// Operands and the operators of a rank, or of higher ones, between them.
    pub(super) fn expression(&mut self, least: Rank) -> Parsed<Term> {
        let mut left = self.prefix()?;
        while let Some(operator) = self.operator(least) {
            self.space();
            let right = self.expression(operator.rank() + 1)?;
            left = self.joined(left, operator, right)?;
        }
        Ok(left)
    }

    /// The operator that comes next, maybe after white space, if it has the rank; else nothing is
    /// taken.
    fn operator(&mut self, least: Rank) -> Option<Operator> {
        let from = self.at;
        self.space();
        let relation = |relation| Some(Operator::Relation(relation));
        let arithmetic = |operator| Some(Operator::Arithmetic(operator));
        let (length, found) = match (self.peek(), self.peek_after(1)) {
            (Some(b'|'), Some(b'|')) => (2, Some(Operator::Or)),
            (Some(b'&'), Some(b'&')) => (2, Some(Operator::And)),
            (Some(b'='), Some(b'~')) => (2, Some(Operator::Matches)),
            (Some(b'='), Some(b'=')) => (2, relation(Relation::Equal)),
            (Some(b'='), _) => (1, relation(Relation::Equal)),
            (Some(b'!'), Some(b'=')) => (2, relation(Relation::NotEqual)),
            (Some(b'<'), Some(b'=')) => (2, relation(Relation::LessOrEqual)),
            (Some(b'<'), _) => (1, relation(Relation::Less)),
            (Some(b'>'), Some(b'=')) => (2, relation(Relation::GreaterOrEqual)),
            (Some(b'>'), _) => (1, relation(Relation::Greater)),
            (Some(b'+'), _) => (1, arithmetic(Arithmetic::Add)),
            (Some(b'-'), _) => (1, arithmetic(Arithmetic::Subtract)),
            (Some(b'*'), _) => (1, arithmetic(Arithmetic::Multiply)),
            (Some(b'/'), _) => (1, arithmetic(Arithmetic::Divide)),
            (Some(b'%'), _) => (1, arithmetic(Arithmetic::Remainder)),
            (Some(b'a'..=b'z'), _) => (0, relation_named(self.name()).map(Operator::Relation)),
            _ => (0, None),
        };
        let found = found.filter(|operator| operator.rank() >= least);
        self.at = if found.is_some() { self.at + length } else { from };
        found
    }

    /// Two operands as one; chains of one operator, or of arithmetic of one rank, stay flat.
    fn joined(&mut self, left: Term, operator: Operator, right: Term) -> Parsed<Term> {
        Ok(match operator {
            Operator::Or => {
                let (left, right) = (self.logic(left)?, self.logic(right)?);
                let mut all = match *left {
                    Logic::Any(all) => all,
                    logic => vec![logic],
                };
                all.push(*right);
                Term::logic(Logic::Any(all))
            }
            Operator::And => {
                let (left, right) = (self.logic(left)?, self.logic(right)?);
                let mut all = match *left {
                    Logic::All(all) => all,
                    logic => vec![logic],
                };
                all.push(*right);
                Term::logic(Logic::All(all))
            }
            Operator::Relation(relation) => {
                let (left, right) = (*self.value(left)?, *self.value(right)?);
                Term::logic(Logic::Compare(Box::new(Comparison { left, relation, right })))
            }
            Operator::Matches => {
                let (left, right) = (*self.value(left)?, *self.value(right)?);
                let pattern = self.ready(&right, Usage::Operator)?;
                Term::logic(Logic::Matches(Box::new((left, right, pattern))))
            }
            Operator::Arithmetic(operator) => {
                let (left, right) = (self.value(left)?, *self.value(right)?);
                let mut chain = match *left {
                    // All operators of a chain have one rank.
                    Expr::Chain(chain)
                        if chain.1.last().is_some_and(|last| rank(last.0) == rank(operator)) =>
                    {
                        chain
                    }
                    left => Box::new((left, Vec::new())),
                };
                chain.1.push((operator, right));
                Term::value(Expr::Chain(chain))
            }
        })
    }

    fn prefix(&mut self) -> Parsed<Term> {
        if self.implied_comes() {
            let query = self.implied()?;
            return self.after_query(query);
        }
        match (self.peek(), self.peek_after(1)) {
            (Some(b'!'), _) => self.signed(RELATION),
            (Some(b'-'), Some(b'0'..=b'9')) => self.primary(),
            (Some(b'-' | b'+'), _) => self.signed(PREFIX),
            _ => self.primary(),
        }
    }

    /// A sign and what follows it.
    fn signed(&mut self, rank: Rank) -> Parsed<Term> {
        let sign = self.peek();
        self.at += 1;
        self.space();
        let term = self.nested(|parser| parser.expression(rank))?;
        Ok(match sign {
            Some(b'!') => Term::logic(Logic::Not(self.logic(term)?)),
            Some(b'-') => Term::value(Expr::Negate(self.value(term)?)),
            _ => Term::value(Expr::Number(self.value(term)?)),
        })
    }

    fn primary(&mut self) -> Parsed<Term> {
        const EXPECTED: &str =
            "a path ('$' or '@' in a filter), a literal, a function, '(', '!', '-'";
        match self.peek() {
            Some(b'(') => self.parenthesis(),
            Some(b'$') => {
                let query = self.query(Origin::Root)?;
                self.after_query(query)
            }
            Some(b'@') if self.in_filter() => {
                let query = self.query(Origin::Current)?;
                self.after_query(query)
            }
            Some(b'\'' | b'"' | b'-' | b'0'..=b'9' | b'[' | b'{') => {
                Ok(Term::value(Expr::Literal(self.literal()?)))
            }
            Some(byte) if is_name_byte(byte) => self.named(EXPECTED),
            _ => Err(self.fail(EXPECTED)),
        }
    }

    fn parenthesis(&mut self) -> Parsed<Term> {
        self.at += 1;
        let term = self.nested(|parser| {
            parser.space();
            let term = parser.expression(OR)?;
            parser.space();
            if parser.eat(")") { Ok(term) } else { Err(parser.fail("')', an operator")) }
        })?;
        match term {
            Term::Value(value) => self.methods(value),
            logic => Ok(logic),
        }
    }

    /// `true`, `false`, `null`, a function.
    fn named(&mut self, expected: &'static str) -> Parsed<Term> {
        if let Some(literal) = self.word() {
            return Ok(Term::value(Expr::Literal(literal)));
        }
        let from = self.at;
        let name = self.name();
        self.space();
        if !begins_call(name) || self.peek() != Some(b'(') {
            return Err(self.fail_at(from, expected));
        }
        let call = self.call(name, Vec::new())?;
        self.methods(call)
    }

    /// `~` or methods behind a query.
    fn after_query(&mut self, query: Query) -> Parsed<Term> {
        match self.peek() {
            None => Ok(Term::value(Expr::Query(query))),
            Some(b'~') => {
                self.at += 1;
                Ok(Term::value(Expr::Keys(query)))
            }
            _ => self.methods(Box::new(Expr::Query(query))),
        }
    }

    /// `.name(…)`, as often as it comes: the value before is the first argument.
    fn methods(&mut self, mut value: Box<Expr>) -> Parsed<Term> {
        let mut count = 0;
        while self.peek() == Some(b'.') {
            if count == MAX_METHODS {
                return Err(PathError::TooDeep);
            }
            count += 1;
            self.at += 1;
            let name = self.name();
            if !begins_call(name) || self.peek() != Some(b'(') {
                return Err(self.fail("a function"));
            }
            value = self.call(name, vec![*value])?;
        }
        Ok(Term::Value(value))
    }

    /// The arguments of a function; the next byte is the parenthesis.
    fn call(&mut self, name: &str, before: Vec<Expr>) -> Parsed<Box<Expr>> {
        let function = Function::named(name);
        self.at += 1;
        let arguments = self.nested(|parser| parser.arguments(before))?;
        let usage = match function {
            Some(Function::Match) => Some(Usage::Match),
            Some(Function::Search) => Some(Usage::Search),
            _ => None,
        };
        let pattern = match usage.zip(arguments.get(1)) {
            Some((usage, text)) => self.ready(text, usage)?,
            None => None,
        };
        Ok(Box::new(Expr::Call(Box::new(Call { function, arguments, pattern }))))
    }

    /// The pattern, if it stands in the path.
    fn ready(&mut self, text: &Expr, usage: Usage) -> Parsed<Option<Pattern>> {
        match text {
            Expr::Literal(Literal::Str(text)) => self.allowance.compile(text, usage).map(Some),
            _ => Ok(None),
        }
    }

    fn arguments(&mut self, mut arguments: Vec<Expr>) -> Parsed<Vec<Expr>> {
        self.space();
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            self.space();
            let term = self.expression(OR)?;
            arguments.push(*self.value(term)?);
            self.space();
            if self.eat(")") {
                return Ok(arguments);
            }
            if !self.eat(",") {
                return Err(self.fail("',', ')', an operator"));
            }
        }
    }
}
