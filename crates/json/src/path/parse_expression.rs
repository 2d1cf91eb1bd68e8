//! Conditions and expressions: what stands in `[?…]`, and paths that compute.
//!
//! ```text
//! or         = and ("||" and)*
//! and        = not ("&&" not)*
//! not        = "!" not | comparison
//! comparison = sum [("==" | "=" | "!=" | "<" … | "=~" | "in" | "size" …) sum]
//! sum        = product (("+" | "-") product)*
//! product    = unary (("*" | "/" | "%") unary)*
//! unary      = ("-" | "+") unary | primary
//! primary    = "(" or ")" | query | literal | name "(" [or ("," or)*] ")"     then ("." name "(" … ")")*
//! ```
//!
//! One grammar serves conditions and values, because a parenthesis can open either; what was read is
//! a [`Term`], and whoever needs one kind asks for it. Types are not checked beyond that: a function
//! that gets something it cannot use gives nothing when it runs.

use super::error::PathError;
use super::literal::Literal;
use super::parse::{Parsed, Parser, is_name_byte};
use super::pattern::{Pattern, Usage};
use super::syntax::{Arithmetic, Call, Comparison, Expr, Function, Logic, Origin, Query, Relation};

/// How many functions may be called on one another's results, `.f().g()`.
const MAX_METHODS: usize = 32;

/// What a piece of text may turn out to be.
pub(super) enum Term {
    Logic(Logic),
    Value(Expr),
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

enum Operator {
    Relation(Relation),
    Matches,
}

impl Parser<'_> {
    /// What follows the question mark of a filter.
    pub(super) fn condition(&mut self) -> Parsed<Logic> {
        self.space();
        let term = self.or()?;
        self.logic(term)
    }

    fn logic(&self, term: Term) -> Parsed<Logic> {
        match term {
            Term::Logic(logic) => Ok(logic),
            Term::Value(Expr::Literal(_)) => {
                Err(self.fail("'==', '!=', '<', '<=', '>', '>=', '=~', 'in', another operator"))
            }
            Term::Value(value) => Ok(Logic::Test(value)),
        }
    }

    pub(super) fn value(&self, term: Term) -> Parsed<Expr> {
        match term {
            Term::Value(value) => Ok(value),
            Term::Logic(_) => Err(self.fail("a value instead of a condition")),
        }
    }

    fn or(&mut self) -> Parsed<Term> {
        self.one_or_many("||", Parser::and, Logic::Any)
    }

    fn and(&mut self) -> Parsed<Term> {
        self.one_or_many("&&", Parser::not, Logic::All)
    }

    /// Operands joined by one logical operator; a single operand is itself.
    fn one_or_many(
        &mut self,
        operator: &str,
        operand: impl Fn(&mut Self) -> Parsed<Term>,
        join: impl Fn(Box<[Logic]>) -> Logic,
    ) -> Parsed<Term> {
        let first = operand(self)?;
        if !self.eat_spaced(operator) {
            return Ok(first);
        }
        let mut all = vec![self.logic(first)?];
        loop {
            self.space();
            let next = operand(self)?;
            all.push(self.logic(next)?);
            if !self.eat_spaced(operator) {
                return Ok(Term::Logic(join(all.into())));
            }
        }
    }

    /// Takes the operator if it comes next, maybe after white space; else nothing is taken.
    fn eat_spaced(&mut self, operator: &str) -> bool {
        let from = self.at;
        self.space();
        let found = self.eat(operator);
        if !found {
            self.at = from;
        }
        found
    }

    fn not(&mut self) -> Parsed<Term> {
        self.space();
        if self.peek() == Some(b'!') && self.peek_after(1) != Some(b'=') {
            self.at += 1;
            let term = self.nested(Parser::not)?;
            return Ok(Term::Logic(Logic::Not(Box::new(self.logic(term)?))));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Term> {
        let left = self.sum()?;
        let Some(operator) = self.operator() else { return Ok(left) };
        let left = self.value(left)?;
        self.space();
        let right = self.sum()?;
        let right = self.value(right)?;
        Ok(Term::Logic(match operator {
            Operator::Relation(relation) => {
                Logic::Compare(Box::new(Comparison { left, relation, right }))
            }
            Operator::Matches => {
                let pattern = ready(&right, Usage::Operator);
                Logic::Matches(Box::new((left, right, pattern)))
            }
        }))
    }

    /// The relation that comes next, maybe after white space; else nothing is taken.
    fn operator(&mut self) -> Option<Operator> {
        let from = self.at;
        self.space();
        let relation = match (self.peek(), self.peek_after(1)) {
            (Some(b'='), Some(b'~')) => {
                self.at += 2;
                return Some(Operator::Matches);
            }
            (Some(b'='), Some(b'=')) => (2, Relation::Equal),
            (Some(b'='), _) => (1, Relation::Equal),
            (Some(b'!'), Some(b'=')) => (2, Relation::NotEqual),
            (Some(b'<'), Some(b'=')) => (2, Relation::LessOrEqual),
            (Some(b'<'), _) => (1, Relation::Less),
            (Some(b'>'), Some(b'=')) => (2, Relation::GreaterOrEqual),
            (Some(b'>'), _) => (1, Relation::Greater),
            (Some(b'a'..=b'z'), _) => {
                let relation = relation_named(self.name());
                if relation.is_none() {
                    self.at = from;
                }
                return relation.map(Operator::Relation);
            }
            _ => {
                self.at = from;
                return None;
            }
        };
        self.at += relation.0;
        Some(Operator::Relation(relation.1))
    }

    pub(super) fn sum(&mut self) -> Parsed<Term> {
        self.operands(Parser::product, |byte| match byte {
            b'+' => Some(Arithmetic::Add),
            b'-' => Some(Arithmetic::Subtract),
            _ => None,
        })
    }

    fn product(&mut self) -> Parsed<Term> {
        self.operands(Parser::unary, |byte| match byte {
            b'*' => Some(Arithmetic::Multiply),
            b'/' => Some(Arithmetic::Divide),
            b'%' => Some(Arithmetic::Remainder),
            _ => None,
        })
    }

    /// Operands joined by arithmetic operators of one rank; a single operand is itself.
    fn operands(
        &mut self,
        operand: impl Fn(&mut Self) -> Parsed<Term>,
        operator: impl Fn(u8) -> Option<Arithmetic>,
    ) -> Parsed<Term> {
        let first = operand(self)?;
        let mut next = || {
            let from = self.at;
            self.space();
            let found = self.peek().and_then(&operator);
            self.at = if found.is_some() { self.at + 1 } else { from };
            found
        };
        let Some(mut joint) = next() else { return Ok(first) };
        let first = self.value(first)?;
        let mut others = Vec::new();
        loop {
            self.space();
            let term = operand(self)?;
            others.push((joint, self.value(term)?));
            let from = self.at;
            self.space();
            match self.peek().and_then(&operator) {
                Some(found) => joint = found,
                None => {
                    self.at = from;
                    return Ok(Term::Value(Expr::Chain(Box::new((first, others)))));
                }
            }
            self.at += 1;
        }
    }

    fn unary(&mut self) -> Parsed<Term> {
        if let Some(query) = self.implied()? {
            return self.after_query(query);
        }
        match (self.peek(), self.peek_after(1)) {
            (Some(b'-'), Some(b'0'..=b'9')) => self.primary(),
            (Some(b'-'), _) => {
                let operand = self.signed()?;
                Ok(Term::Value(Expr::Negate(Box::new(operand))))
            }
            (Some(b'+'), _) => {
                let operand = self.signed()?;
                Ok(Term::Value(Expr::Number(Box::new(operand))))
            }
            _ => self.primary(),
        }
    }

    /// What follows a sign.
    fn signed(&mut self) -> Parsed<Expr> {
        self.at += 1;
        self.space();
        let term = self.nested(Parser::unary)?;
        self.value(term)
    }

    fn primary(&mut self) -> Parsed<Term> {
        const EXPECTED: &str =
            "a path ('$' or '@' in a filter), a literal, a function, '(', '!', '-'";
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let term = self.nested(|parser| {
                    parser.space();
                    let term = parser.or()?;
                    parser.space();
                    if parser.eat(")") { Ok(term) } else { Err(parser.fail("')', an operator")) }
                })?;
                match term {
                    Term::Value(value) => self.methods(value),
                    logic => Ok(logic),
                }
            }
            Some(b'$') => {
                let query = self.query(Origin::Root)?;
                self.after_query(query)
            }
            Some(b'@') if self.in_filter() => {
                let query = self.query(Origin::Current)?;
                self.after_query(query)
            }
            Some(b'\'' | b'"' | b'-' | b'0'..=b'9' | b'[' | b'{') => {
                Ok(Term::Value(Expr::Literal(self.literal()?)))
            }
            Some(byte) if is_name_byte(byte) => {
                if let Some(literal) = self.word() {
                    return Ok(Term::Value(Expr::Literal(literal)));
                }
                let from = self.at;
                let name = self.name();
                if self.peek() != Some(b'(') {
                    return Err(self.fail_at(from, EXPECTED));
                }
                let call = self.call(name, from, Vec::new())?;
                self.methods(call)
            }
            _ => Err(self.fail(EXPECTED)),
        }
    }

    /// `~` or methods behind a query.
    fn after_query(&mut self, query: Query) -> Parsed<Term> {
        match self.peek() {
            None => Ok(Term::Value(Expr::Query(query))),
            Some(b'~') => {
                self.at += 1;
                Ok(Term::Value(Expr::Keys(query)))
            }
            _ => self.methods(Expr::Query(query)),
        }
    }

    /// `.name(…)`, as often as it comes: the value before is the first argument.
    fn methods(&mut self, mut value: Expr) -> Parsed<Term> {
        let mut count = 0;
        while self.peek() == Some(b'.') {
            if count == MAX_METHODS {
                return Err(PathError::TooDeep);
            }
            count += 1;
            self.at += 1;
            let from = self.at;
            let name = self.name();
            if self.peek() != Some(b'(') {
                return Err(self.fail("a function"));
            }
            value = self.call(name, from, vec![value])?;
        }
        Ok(Term::Value(value))
    }

    /// The arguments of a function; the next byte is the parenthesis.
    fn call(&mut self, name: &str, from: usize, mut arguments: Vec<Expr>) -> Parsed<Expr> {
        const FUNCTIONS: &str = "abs, append, avg, ceiling, concat, count, first, floor, index, \
            keys, last, length, match, max, min, search, stddev, sum, value";
        let Some(function) = Function::named(name) else {
            return Err(self.fail_at(from, FUNCTIONS));
        };
        self.at += 1;
        self.nested(|parser| {
            parser.space();
            if parser.eat(")") {
                return Ok(());
            }
            loop {
                parser.space();
                let term = parser.or()?;
                arguments.push(parser.value(term)?);
                parser.space();
                if parser.eat(")") {
                    return Ok(());
                }
                if !parser.eat(",") {
                    return Err(parser.fail("',', ')', an operator"));
                }
            }
        })?;
        let usage = match function {
            Function::Match => Some(Usage::Match),
            Function::Search => Some(Usage::Search),
            _ => None,
        };
        let pattern = usage.zip(arguments.get(1)).and_then(|(usage, text)| ready(text, usage));
        Ok(Expr::Call(Box::new(Call { function, arguments, pattern })))
    }
}

/// The pattern, if it stands in the path.
fn ready(text: &Expr, usage: Usage) -> Option<Pattern> {
    match text {
        Expr::Literal(Literal::Str(text)) => Some(Pattern::new(text, usage)),
        _ => None,
    }
}
