//! Why a statement has no answer: openCypher's class, detail and phase, and the words for clients.

use std::fmt;

use super::Ended;
use crate::cypher::{self, Category};
use crate::storage::{Broken, Refused, View};
use crate::value;

/// When an error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// By looking at the text alone.
    CompileTime,
    /// While the statement ran.
    Runtime,
}

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident,)*) => {
        /// The class of an error, as openCypher names it; the last are our own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class {
            $($(#[$doc])* $class,)*
        }

        impl Class {
            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$class => stringify!($class),)*
                }
            }
        }
    };
}

classes! {
    /// The text is no openCypher, or makes no sense.
    SyntaxError,
    /// It makes no sense with these values.
    SemanticError,
    /// A procedure that is not there, or not so.
    ProcedureError,
    /// A parameter that was not sent.
    ParameterMissing,
    /// A value of a type that cannot be used so.
    TypeError,
    /// An argument that cannot be.
    ArgumentError,
    /// A result that has no number.
    ArithmeticError,
    /// A node or relationship that is not there (any more).
    EntityNotFound,
    /// The graph would not be as a graph, or a constraint, wants it.
    ConstraintVerificationFailed,
    /// A constraint of the graph is not met.
    ConstraintValidationFailed,
    /// It needs more memory than it may have.
    OutOfMemory,
    /// It was ended: its time is up, it was killed, or its client has left.
    Ended,
    /// The graph can hold no more, or something is not implemented.
    Limit,
}

/// Why a statement has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// When that was found.
    pub phase: Phase,
    /// Its class.
    pub class: Class,
    /// What is wrong in more detail, as openCypher names it.
    pub detail: Box<str>,
    /// What a client reads.
    pub message: Box<str>,
}

impl Error {
    /// An error at run time.
    pub fn new(class: Class, detail: &str, message: impl Into<Box<str>>) -> Error {
        Error { phase: Phase::Runtime, class, detail: detail.into(), message: message.into() }
    }

    /// Something that is understood but cannot be done yet.
    pub fn unsupported(what: &str) -> Error {
        Error::limit("NotSupported", format!("{what} is not supported"))
    }

    /// Something that a text alone shows to be beyond what can be done.
    pub fn limit(detail: &str, message: impl Into<Box<str>>) -> Error {
        Error { phase: Phase::CompileTime, ..Error::new(Class::Limit, detail, message) }
    }

    /// More memory than a statement may have.
    pub fn out_of_memory(limit: usize) -> Error {
        let message = format!("Query's mem consumption exceeded capacity: more than {limit} bytes");
        Error::new(Class::OutOfMemory, "OutOfMemory", message)
    }

    /// A constraint of the graph that does not hold.
    #[must_use]
    pub fn broken(broken: &Broken, view: &View) -> Error {
        Error::new(Class::ConstraintValidationFailed, "ConstraintBroken", broken.text(view))
    }

    /// An error that a text alone shows.
    #[must_use]
    pub fn of_text(error: &cypher::Error, text: &str) -> Error {
        let class = match error.category {
            Category::SyntaxError => Class::SyntaxError,
            Category::ProcedureError => Class::ProcedureError,
            Category::ParameterMissing => Class::ParameterMissing,
            Category::TypeError => Class::TypeError,
        };
        let (detail, message) = (error.class.name().into(), error.reply(text).into());
        Error { phase: Phase::CompileTime, class, detail, message }
    }
}

impl From<value::Error> for Error {
    fn from(error: value::Error) -> Error {
        let class = match error.class {
            value::Class::Type => Class::TypeError,
            value::Class::Argument => Class::ArgumentError,
            value::Class::Arithmetic => Class::ArithmeticError,
        };
        Error::new(class, &format!("{:?}", error.detail), error.message)
    }
}

impl From<Ended> for Error {
    fn from(ended: Ended) -> Error {
        let message = match ended {
            Ended::TimeIsUp => "Query timed out",
            Ended::Killed => "Query was killed",
            Ended::ClientLeft => "Query was ended: its client has left",
        };
        Error::new(Class::Ended, &format!("{ended:?}"), message)
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Error {
        match refused {
            Refused::Missing | Refused::Differs => Error::new(
                Class::EntityNotFound,
                "DeletedEntityAccess",
                "The node or relationship has been deleted",
            ),
            Refused::HasEdges => Error::new(
                Class::ConstraintVerificationFailed,
                "DeleteConnectedNode",
                "Cannot delete a node that has relationships: use DETACH DELETE",
            ),
            Refused::Full => {
                Error::new(Class::Limit, "GraphIsFull", "The graph can hold no more of these")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
