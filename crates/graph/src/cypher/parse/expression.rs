//! Operators, by their rank. From loose to tight:
//!
//! ```text
//!   OR   XOR   AND   NOT   = <> < <= > >=   IN, STARTS WITH, =~, IS NULL, …   + -   * / %   ^
//! ```
//!
//! A sign binds tighter than `^`: `-3 ^ 2` is 9.

use super::Parser;
use crate::cypher::ast::{
    ArithmeticOperator, Chain, ComparisonOperator, Expr, ExprKind, LogicalOperator, Test, Tests,
    UnaryOperator,
};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind, Token};
use crate::cypher::rank::{AND, COMPARISON, NOT, OR, POWER, PRODUCT, SUM, TESTS, XOR};

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Result<Expr, Error> {
        self.ranked(OR)
    }

    /// An expression whose operators have at least a rank.
    fn ranked(&mut self, min: u8) -> Result<Expr, Error> {
        self.enter()?;
        let start = self.start();
        let mut left = if self.eat_word(Keyword::Not) {
            let operand = Box::new(self.ranked(NOT)?);
            Expr { kind: ExprKind::Unary(UnaryOperator::Not, operand), span: self.since(start) }
        } else {
            self.signed()?
        };
        while let Some(rank) = rank(self.ahead(0)).filter(|rank| *rank >= min) {
            let kind = match rank {
                OR => self.logical(LogicalOperator::Or, Keyword::Or, rank, left)?,
                XOR => self.logical(LogicalOperator::Xor, Keyword::Xor, rank, left)?,
                AND => self.logical(LogicalOperator::And, Keyword::And, rank, left)?,
                COMPARISON => {
                    let chain = self.chain(rank, left, comparison)?;
                    ExprKind::Comparison(chain)
                }
                TESTS => self.tests(left)?,
                _ => ExprKind::Arithmetic(self.chain(rank, left, arithmetic)?),
            };
            left = Expr { kind, span: self.since(start) };
        }
        self.leave();
        Ok(left)
    }

    /// All operands of one operator of truth values.
    fn logical(
        &mut self,
        operator: LogicalOperator,
        keyword: Keyword,
        rank: u8,
        first: Expr,
    ) -> Result<ExprKind, Error> {
        let mut operands = vec![first];
        while self.eat_word(keyword) {
            operands.push(self.ranked(rank + 1)?);
        }
        Ok(ExprKind::Logical(operator, operands))
    }

    /// All operands of the operators of one rank.
    fn chain<O>(
        &mut self,
        rank_of_chain: u8,
        first: Expr,
        operator: fn(Kind) -> Option<O>,
    ) -> Result<Box<Chain<O>>, Error> {
        let mut rest = Vec::new();
        while rank(self.ahead(0)) == Some(rank_of_chain) {
            let Some(operator) = operator(self.kind()) else { break };
            self.bump();
            rest.push((operator, self.ranked(rank_of_chain + 1)?));
        }
        Ok(Box::new(Chain { first, rest }))
    }

    /// `IN`, `STARTS WITH`, `IS NULL`, …
    fn tests(&mut self, value: Expr) -> Result<ExprKind, Error> {
        let mut tests = Vec::new();
        while rank(self.ahead(0)) == Some(TESTS) {
            tests.push(self.test()?);
        }
        Ok(ExprKind::Tests(Box::new(Tests { value, tests })))
    }

    fn test(&mut self) -> Result<Test, Error> {
        let token = self.bump();
        match token.keyword {
            Keyword::In => self.ranked(SUM).map(Test::In),
            Keyword::Contains => self.ranked(SUM).map(Test::Contains),
            Keyword::Starts => {
                self.expect_word(Keyword::With)?;
                self.ranked(SUM).map(Test::StartsWith)
            }
            Keyword::Ends => {
                self.expect_word(Keyword::With)?;
                self.ranked(SUM).map(Test::EndsWith)
            }
            Keyword::Is => {
                let not = self.eat_word(Keyword::Not);
                self.expect_word(Keyword::Null)?;
                Ok(if not { Test::IsNotNull } else { Test::IsNull })
            }
            _ => self.ranked(SUM).map(Test::Matches),
        }
    }

    /// A value with signs before it. That of a number belongs to the number.
    fn signed(&mut self) -> Result<Expr, Error> {
        let operator = match self.kind() {
            Kind::Minus => UnaryOperator::Negate,
            Kind::Plus => UnaryOperator::Plus,
            _ => return self.postfix(),
        };
        let start = self.bump().start;
        if operator == UnaryOperator::Negate && self.is_plain_number() {
            return self.negative_number(start);
        }
        self.enter()?;
        let operand =
            if self.keyword() == Keyword::Not { self.ranked(NOT)? } else { self.signed()? };
        self.leave();
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span: self.since(start) })
    }
}

/// The rank of the operator that a token is.
fn rank(token: Token) -> Option<u8> {
    Some(match token.kind {
        Kind::Word => match token.keyword {
            Keyword::Or => OR,
            Keyword::Xor => XOR,
            Keyword::And => AND,
            Keyword::In | Keyword::Starts | Keyword::Ends | Keyword::Contains | Keyword::Is => {
                TESTS
            }
            _ => return None,
        },
        Kind::Matches => TESTS,
        Kind::Plus | Kind::Minus => SUM,
        Kind::Star | Kind::Slash | Kind::Percent => PRODUCT,
        Kind::Caret => POWER,
        kind => return comparison(kind).map(|_| COMPARISON),
    })
}

fn comparison(kind: Kind) -> Option<ComparisonOperator> {
    Some(match kind {
        Kind::Equal => ComparisonOperator::Equal,
        Kind::NotEqual => ComparisonOperator::NotEqual,
        Kind::Less => ComparisonOperator::Less,
        Kind::LessEqual => ComparisonOperator::LessEqual,
        Kind::Greater => ComparisonOperator::Greater,
        Kind::GreaterEqual => ComparisonOperator::GreaterEqual,
        _ => return None,
    })
}

fn arithmetic(kind: Kind) -> Option<ArithmeticOperator> {
    Some(match kind {
        Kind::Plus => ArithmeticOperator::Add,
        Kind::Minus => ArithmeticOperator::Subtract,
        Kind::Star => ArithmeticOperator::Multiply,
        Kind::Slash => ArithmeticOperator::Divide,
        Kind::Percent => ArithmeticOperator::Modulo,
        Kind::Caret => ArithmeticOperator::Power,
        _ => return None,
    })
}
