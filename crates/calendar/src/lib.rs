//! The calendar and the rules of time zones, in integers.
//!
//! [`days`] counts days from and to years, months and weeks; [`tzif`] reads what a compiled file of
//! the IANA database says of an instant, without taking it apart first. What a date may be, and how
//! it is written, is decided where the values are: in `graph` for openCypher, in `haystack` for
//! records.
//!
//! This crate must not know of values, texts or clocks.

#![forbid(unsafe_code)]

pub mod days;
pub mod tzif;
