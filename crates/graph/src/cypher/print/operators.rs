//! Operators: their signs, their ranks, and where an operand needs brackets.

use super::Printer;
use crate::cypher::ast::{
    Access, ArithmeticOperator, Chain, ComparisonOperator, Expr, ExprKind, Literal,
    LogicalOperator, Step, Test, Tests, UnaryOperator,
};
use crate::cypher::rank::{
    ACCESS, AND, ATOM, COMPARISON, LABELS, NOT, OR, POWER, PRODUCT, SIGN, SUM, TESTS, XOR,
};

impl Printer {
    /// An operand that binds at least as tight as a rank, or is put in brackets.
    fn operand(&mut self, min: u8, operand: &Expr) {
        self.bracketed_if(rank(operand) < min, operand);
    }

    /// An expression, in brackets or not.
    pub fn bracketed_if(&mut self, bracketed: bool, value: &Expr) {
        if bracketed {
            self.text("(");
        }
        self.expr(value);
        if bracketed {
            self.text(")");
        }
    }

    pub fn logical(&mut self, operator: LogicalOperator, operands: &[Expr]) {
        let (sign, rank) = match operator {
            LogicalOperator::Or => (" OR ", OR),
            LogicalOperator::Xor => (" XOR ", XOR),
            LogicalOperator::And => (" AND ", AND),
        };
        self.separated(sign, operands, |printer, operand| printer.operand(rank + 1, operand));
    }

    pub fn comparison(&mut self, chain: &Chain<ComparisonOperator>) {
        self.operand(COMPARISON + 1, &chain.first);
        for (operator, operand) in &chain.rest {
            self.text(match operator {
                ComparisonOperator::Equal => " = ",
                ComparisonOperator::NotEqual => " <> ",
                ComparisonOperator::Less => " < ",
                ComparisonOperator::LessEqual => " <= ",
                ComparisonOperator::Greater => " > ",
                ComparisonOperator::GreaterEqual => " >= ",
            });
            self.operand(COMPARISON + 1, operand);
        }
    }

    pub fn arithmetic(&mut self, chain: &Chain<ArithmeticOperator>) {
        let rank = rank_of_chain(chain);
        self.operand(rank + 1, &chain.first);
        for (operator, operand) in &chain.rest {
            self.text(match operator {
                ArithmeticOperator::Add => " + ",
                ArithmeticOperator::Subtract => " - ",
                ArithmeticOperator::Multiply => " * ",
                ArithmeticOperator::Divide => " / ",
                ArithmeticOperator::Modulo => " % ",
                ArithmeticOperator::Power => " ^ ",
            });
            self.operand(rank + 1, operand);
        }
    }

    pub fn tests(&mut self, tests: &Tests) {
        self.operand(SUM, &tests.value);
        for test in &tests.tests {
            let (sign, argument) = match test {
                Test::StartsWith(argument) => (" STARTS WITH ", argument),
                Test::EndsWith(argument) => (" ENDS WITH ", argument),
                Test::Contains(argument) => (" CONTAINS ", argument),
                Test::Matches(argument) => (" =~ ", argument),
                Test::In(argument) => (" IN ", argument),
                Test::IsNull => {
                    self.text(" IS NULL");
                    continue;
                }
                Test::IsNotNull => {
                    self.text(" IS NOT NULL");
                    continue;
                }
            };
            self.text(sign);
            self.operand(SUM, argument);
        }
    }

    pub fn unary(&mut self, operator: UnaryOperator, operand: &Expr) {
        match operator {
            UnaryOperator::Not => {
                self.text("NOT ");
                self.operand(NOT, operand);
            }
            UnaryOperator::Plus => {
                self.text("+");
                self.operand(SIGN, operand);
            }
            UnaryOperator::Negate => {
                self.text("-");
                // Without brackets the sign would be the number's own.
                self.bracketed_if(rank(operand) < SIGN || is_unsigned_number(operand), operand);
            }
        }
    }

    /// What labels are asked of.
    pub fn labelled(&mut self, value: &Expr) {
        self.operand(ACCESS, value);
    }

    pub fn access(&mut self, access: &Access) {
        self.operand(ATOM, &access.base);
        for step in &access.steps {
            match step {
                Step::Property(name) => {
                    self.text(".");
                    self.name(name);
                }
                Step::Index(index) => {
                    self.text("[");
                    self.expr(index);
                    self.text("]");
                }
                Step::Slice(from, to) => {
                    self.text("[");
                    from.iter().for_each(|from| self.expr(from));
                    self.text("..");
                    to.iter().for_each(|to| self.expr(to));
                    self.text("]");
                }
            }
        }
    }
}

/// How tight an expression binds.
fn rank(value: &Expr) -> u8 {
    match &value.kind {
        ExprKind::Logical(LogicalOperator::Or, _) => OR,
        ExprKind::Logical(LogicalOperator::Xor, _) => XOR,
        ExprKind::Logical(LogicalOperator::And, _) => AND,
        ExprKind::Unary(UnaryOperator::Not, _) => NOT,
        ExprKind::Comparison(_) => COMPARISON,
        ExprKind::Tests(_) => TESTS,
        ExprKind::Arithmetic(chain) => rank_of_chain(chain),
        ExprKind::Unary(..) => SIGN,
        ExprKind::Literal(Literal::Integer(value)) if *value < 0 => SIGN,
        ExprKind::Literal(Literal::Float(value)) if value.is_sign_negative() => SIGN,
        ExprKind::Labels(..) => LABELS,
        ExprKind::Access(_) => ACCESS,
        _ => ATOM,
    }
}

fn rank_of_chain(chain: &Chain<ArithmeticOperator>) -> u8 {
    match chain.rest.first() {
        Some((ArithmeticOperator::Add | ArithmeticOperator::Subtract, _)) | None => SUM,
        Some((ArithmeticOperator::Power, _)) => POWER,
        Some(_) => PRODUCT,
    }
}

fn is_unsigned_number(value: &Expr) -> bool {
    let is_number =
        matches!(value.kind, ExprKind::Literal(Literal::Integer(_) | Literal::Float(_)));
    is_number && rank(value) == ATOM
}
