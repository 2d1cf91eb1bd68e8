//! Why an expression has no value. The class and the detail are those that openCypher's test suite
//! names; the message is what a client reads.

use std::fmt;

/// The class of an error, as openCypher names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A value of a type that cannot be used so.
    Type,
    /// An argument that cannot be: out of its range, or in a form that means nothing.
    Argument,
    /// A result that has no number.
    Arithmetic,
}

/// What is wrong in more detail, as openCypher names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A function's argument has a type for which it has no value.
    InvalidArgumentValue,
    /// An operand or argument has a wrong type.
    InvalidArgumentType,
    /// A property is to be what none may be.
    InvalidPropertyType,
    /// A map is asked for something that is not named by a string.
    MapElementAccessByNonString,
    /// A number is beyond what it may be.
    NumberOutOfRange,
    /// A text or a map does not say a date, a time or a duration.
    InvalidTemporal,
    /// An integer is divided by zero.
    DivisionByZero,
    /// A result is beyond 64 bits.
    Overflow,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its class.
    pub class: Class,
    /// What is wrong in more detail.
    pub detail: Detail,
    /// What a client reads.
    pub message: Box<str>,
}

impl Error {
    /// An operand or argument that is not of a type `expected`.
    pub fn mismatch(expected: &str, was: &str) -> Error {
        let message = format!("Type mismatch: expected {expected} but was {was}").into();
        Error { class: Class::Type, detail: Detail::InvalidArgumentType, message }
    }

    /// A conversion of a value that cannot be converted.
    pub fn unconvertible(expected: &str, was: &str) -> Error {
        Error { detail: Detail::InvalidArgumentValue, ..Error::mismatch(expected, was) }
    }

    /// A map that is asked for something that is not named by a string.
    pub fn not_a_key(was: &str) -> Error {
        Error { detail: Detail::MapElementAccessByNonString, ..Error::mismatch("String", was) }
    }

    /// A value that no property may be.
    pub fn property(expected: &str, was: &str) -> Error {
        let message = format!("Property values can only be {expected}, but was {was}").into();
        Error { class: Class::Type, detail: Detail::InvalidPropertyType, message }
    }

    /// A number that is beyond what it may be.
    pub fn out_of_range(message: impl Into<Box<str>>) -> Error {
        Error { class: Class::Argument, detail: Detail::NumberOutOfRange, message: message.into() }
    }

    /// An argument of a wrong type where openCypher calls that an error of the argument.
    pub fn argument(message: impl Into<Box<str>>) -> Error {
        let detail = Detail::InvalidArgumentType;
        Error { class: Class::Argument, detail, message: message.into() }
    }

    /// What is no date, time or duration.
    pub fn temporal(message: impl Into<Box<str>>) -> Error {
        Error { class: Class::Argument, detail: Detail::InvalidTemporal, message: message.into() }
    }

    /// An integer that is divided by zero.
    pub fn division_by_zero() -> Error {
        let message = "Division by zero".into();
        Error { class: Class::Arithmetic, detail: Detail::DivisionByZero, message }
    }

    /// A result that has no place in 64 bits.
    pub fn overflow() -> Error {
        let message = "Integer overflow".into();
        Error { class: Class::Arithmetic, detail: Detail::Overflow, message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
