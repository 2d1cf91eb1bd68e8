//! The expressions in an expression, for code that looks through a tree.

use super::{Expr, ExprKind, MapSelector, PathPattern, Properties, Step, Test};

impl Expr {
    /// Calls a function with each expression that is a part of this one, but not of a part.
    ///
    /// Those of subqueries are left out: they are clauses of their own.
    pub fn for_each_child<'e>(&'e self, each: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            ExprKind::Literal(_)
            | ExprKind::Parameter(_)
            | ExprKind::Variable(_)
            | ExprKind::CountStar
            | ExprKind::Subquery(_) => {}
            ExprKind::List(items) | ExprKind::Logical(_, items) => items.iter().for_each(each),
            ExprKind::Map(entries) => entries.iter().for_each(|(_, value)| each(value)),
            ExprKind::Unary(_, operand) => each(operand),
            ExprKind::Comparison(chain) => {
                each(&chain.first);
                chain.rest.iter().for_each(|(_, operand)| each(operand));
            }
            ExprKind::Arithmetic(chain) => {
                each(&chain.first);
                chain.rest.iter().for_each(|(_, operand)| each(operand));
            }
            ExprKind::Tests(tests) => {
                each(&tests.value);
                tests.tests.iter().filter_map(Test::argument).for_each(each);
            }
            ExprKind::Access(access) => {
                each(&access.base);
                access.steps.iter().for_each(|step| step.for_each_child(each));
            }
            ExprKind::Labels(value, _) => each(value),
            ExprKind::Function(call) => call.arguments.iter().for_each(each),
            ExprKind::Pattern(path) => path.for_each_child(each),
            _ => self.for_each_child_of_scope(each),
        }
    }

    /// The parts of expressions of several parts, most of which bind variables.
    fn for_each_child_of_scope<'e>(&'e self, each: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            ExprKind::Case(case) => {
                case.subject.iter().for_each(&mut *each);
                for (condition, value) in &case.branches {
                    each(condition);
                    each(value);
                }
                case.otherwise.iter().for_each(each);
            }
            ExprKind::ListComprehension(comprehension) => {
                each(&comprehension.list);
                comprehension.filter.iter().for_each(&mut *each);
                comprehension.value.iter().for_each(each);
            }
            ExprKind::PatternComprehension(comprehension) => {
                comprehension.path.for_each_child(each);
                comprehension.filter.iter().for_each(&mut *each);
                each(&comprehension.value);
            }
            ExprKind::MapProjection(projection) => {
                for selector in &projection.selectors {
                    if let MapSelector::Entry(_, value) = selector {
                        each(value);
                    }
                }
            }
            ExprKind::Quantifier(quantifier) => {
                each(&quantifier.list);
                quantifier.filter.iter().for_each(each);
            }
            ExprKind::Reduce(reduce) => {
                [&reduce.start, &reduce.list, &reduce.step].into_iter().for_each(each);
            }
            _ => {}
        }
    }
}

impl Test {
    /// What the value is compared with.
    pub fn argument(&self) -> Option<&Expr> {
        match self {
            Self::StartsWith(argument)
            | Self::EndsWith(argument)
            | Self::Contains(argument)
            | Self::Matches(argument)
            | Self::In(argument) => Some(argument),
            Self::IsNull | Self::IsNotNull => None,
        }
    }
}

impl Step {
    fn for_each_child<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        match self {
            Self::Property(_) => {}
            Self::Index(index) => each(index),
            Self::Slice(from, to) => from.iter().chain(to).for_each(each),
        }
    }
}

impl PathPattern {
    /// Calls a function with each expression of the pattern.
    pub fn for_each_child<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        let nodes = self.nodes().map(|node| (&node.properties, &node.filter));
        let relationships = self.relationships().map(|one| (&one.properties, &one.filter));
        for (properties, filter) in nodes.chain(relationships) {
            if let Some(Properties::Map(entries)) = properties {
                entries.iter().for_each(|(_, value)| each(value));
            }
            filter.iter().for_each(|filter| each(filter));
        }
    }
}
