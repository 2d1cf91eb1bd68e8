//! From the tree to text, in one form: what is parsed from it is the same tree.
//!
//! Brackets stand where the tree needs them and nowhere else, keywords are upper case, names are in
//! backticks where they would be something else without. A column whose name was the text of its
//! expression gets that name with `AS`, if the text is another now.

mod clause;
mod expression;
mod names;
mod operators;
mod pattern;
mod projection;
mod schema;

use std::fmt;

use super::ast::{Body, Clause, Expr, PathPattern, Query, SingleQuery, Statement, Union};

/// The text so far.
#[derive(Default)]
struct Printer {
    out: String,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints things with a text between each two.
    fn separated<T>(
        &mut self,
        separator: &str,
        list: impl IntoIterator<Item = T>,
        mut print: impl FnMut(&mut Self, T),
    ) {
        for (index, item) in list.into_iter().enumerate() {
            if index > 0 {
                self.text(separator);
            }
            print(self, item);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        if !statement.parameters.is_empty() {
            self.text("CYPHER ");
        }
        for parameter in &statement.parameters {
            self.variable(&parameter.name);
            self.text(" = ");
            self.expr(&parameter.value);
            self.text(" ");
        }
        match &statement.body {
            Body::Query(query) => self.query(query),
            Body::Index(command) => self.index(command),
        }
    }

    fn query(&mut self, query: &Query) {
        self.single_query(&query.first);
        for (union, part) in &query.rest {
            self.text(match union {
                Union::Distinct => " UNION ",
                Union::All => " UNION ALL ",
            });
            self.single_query(part);
        }
    }

    fn single_query(&mut self, query: &SingleQuery) {
        self.separated(" ", &query.clauses, Self::clause);
    }
}

macro_rules! display {
    ($($node:ident $print:ident,)*) => {
        $(impl fmt::Display for $node {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut printer = Printer::default();
                printer.$print(self);
                f.write_str(&printer.out)
            }
        })*
    };
}

display! {
    Statement statement,
    Query query,
    SingleQuery single_query,
    Clause clause,
    Expr expr,
    PathPattern path,
}
