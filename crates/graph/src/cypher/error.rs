//! What is wrong with a query, and where.
//!
//! ```text
//!   errMsg: Invalid input 'R': expected ')' line: 1, column: 10, offset: 9
//!           errCtx: MATCH (n RETURN n errCtxOffset: 9         (on one line)
//! ```
//!
//! A query that cannot be read is answered in this form, which clients of FalkorDB know; one that
//! can be read but makes no sense by its message alone.

use std::fmt;

/// The kinds of errors that the technology compatibility kit of openCypher tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// The query is no openCypher, or makes no sense.
    SyntaxError,
    /// A procedure that is not there.
    ProcedureError,
    /// A parameter that was not sent.
    ParameterMissing,
    /// A part is asked of a value that has none.
    TypeError,
}

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident,)*) => {
        /// What an error is about, by the names of openCypher's technology compatibility kit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class {
            $($(#[$doc])* $class,)*
        }

        impl Class {
            /// The name of the class.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$class => stringify!($class),)*
                }
            }
        }
    };
}

classes! {
    /// A word or sign where it cannot stand.
    UnexpectedSyntax,
    /// A number of a form that there is not.
    InvalidNumberLiteral,
    /// An integer beyond 64 bits.
    IntegerOverflow,
    /// A number beyond a double.
    FloatingPointOverflow,
    /// `\u` without the digits of a character.
    InvalidUnicodeLiteral,
    /// A character that stands for nothing outside strings.
    InvalidUnicodeCharacter,
    /// A relationship's brackets hold something else than they may.
    InvalidRelationshipPattern,
    /// Deeper or longer than a query may be.
    TooComplex,
    /// A variable that no clause before has bound.
    UndefinedVariable,
    /// A variable is bound a second time.
    VariableAlreadyBound,
    /// A variable stands for things of two types.
    VariableTypeConflict,
    /// A relationship to create has no type, or several.
    NoSingleRelationshipType,
    /// A relationship to create has no direction.
    RequiresDirectedRelationship,
    /// A relationship to create has a variable length.
    CreatingVarLength,
    /// A parameter in place of the properties that are to be matched.
    InvalidParameterUse,
    /// A relationship is named twice in a pattern.
    RelationshipUniquenessViolation,
    /// An aggregate where there are no groups.
    InvalidAggregation,
    /// An aggregate of an aggregate.
    NestedAggregation,
    /// A value beside an aggregate that is no key of its group.
    AmbiguousAggregationExpression,
    /// `WITH` an expression that has no name.
    NoExpressionAlias,
    /// Two columns of a name.
    ColumnNameConflict,
    /// The parts of a union have other columns.
    DifferentColumnsInUnion,
    /// A clause where it cannot stand.
    InvalidClauseComposition,
    /// A function that there is not.
    UnknownFunction,
    /// Too many or too few arguments.
    InvalidNumberOfArguments,
    /// Something that changes where it must not.
    NonConstantExpression,
    /// A negative number of rows.
    NegativeIntegerArgument,
    /// A value of a type that cannot be meant.
    InvalidArgumentType,
    /// `*` where there is no variable.
    NoVariablesInScope,
    /// Something is deleted that is no entity.
    InvalidDelete,
    /// A procedure that there is not.
    ProcedureNotFound,
    /// A procedure within a query takes its arguments in brackets.
    InvalidArgumentPassingMode,
    /// A procedure takes a parameter that was not sent.
    MissingParameter,
}

impl Class {
    /// The kind of error that it is, if nothing else is said.
    pub fn category(self) -> Category {
        match self {
            Self::ProcedureNotFound => Category::ProcedureError,
            Self::MissingParameter => Category::ParameterMissing,
            _ => Category::SyntaxError,
        }
    }

    /// Whether the query could not even be read.
    fn is_about_text(self) -> bool {
        matches!(
            self,
            Self::UnexpectedSyntax
                | Self::InvalidUnicodeCharacter
                | Self::InvalidRelationshipPattern
        )
    }
}

/// An error: its class, what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of error it is.
    pub category: Category,
    /// What it is about.
    pub class: Class,
    /// What is wrong, for people.
    pub message: String,
    /// The byte of the text it is about.
    pub offset: u32,
}

/// A position in a text as people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'t> {
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// The part of the line around it: a line may be very long.
    pub context: &'t str,
    /// The byte of the context.
    pub context_offset: usize,
}

/// Bytes of a line that are shown before and after the place of an error.
const CONTEXT: usize = 80;

impl Error {
    /// An error at a byte of the text.
    pub fn new(class: Class, offset: u32, message: impl Into<String>) -> Self {
        Self { category: class.category(), class, message: message.into(), offset }
    }

    /// Reading was to end here. What ended it is told in place of this.
    pub(super) fn ended(offset: u32) -> Self {
        Self::new(Class::TooComplex, offset, "Reading has ended")
    }

    /// The same error, as one of another kind.
    #[must_use]
    pub fn as_a(self, category: Category) -> Self {
        Self { category, ..self }
    }

    /// Where it is in the text that was parsed.
    pub fn location<'t>(&self, text: &'t str) -> Location<'t> {
        let offset = floor(text, self.offset as usize);
        let (before, after) = text.split_at(offset);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = after.find('\n').map_or(text.len(), |newline| offset + newline);
        let from = floor(text, offset.saturating_sub(CONTEXT).max(start));
        let until = floor(text, (offset + CONTEXT).min(end));
        Location {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: text.get(start..offset).map_or(0, |line| line.chars().count()) + 1,
            context: text.get(from..until).unwrap_or_default(),
            context_offset: offset - from,
        }
    }

    /// The error as clients get it.
    pub fn reply(&self, text: &str) -> String {
        if !self.class.is_about_text() {
            return self.message.clone();
        }
        let location = self.location(text);
        format!(
            "errMsg: {} line: {}, column: {}, offset: {} errCtx: {} errCtxOffset: {}",
            self.message,
            location.line,
            location.column,
            self.offset,
            location.context,
            location.context_offset
        )
    }

    /// The error for people at a terminal: the line, and a caret below the place.
    pub fn with_caret(&self, text: &str) -> String {
        let location = self.location(text);
        let before = location.context.get(..location.context_offset).unwrap_or_default();
        let indent = " ".repeat(before.chars().count());
        format!(
            "{} (line {}, column {})\n{}\n{indent}^",
            self.message, location.line, location.column, location.context
        )
    }
}

/// The last boundary of characters at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
