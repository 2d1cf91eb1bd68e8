//! Replies that are on their way into values.

/// An aggregate that waits for more.
#[derive(Debug)]
pub struct Open {
    pub kind: Aggregate,
    /// Values still to come.
    pub left: usize,
    /// Values that have come.
    pub done: usize,
    /// The field of a table around it, in RESP3.
    pub around: Option<&'static std::ffi::CStr>,
}

/// What is being put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    Array,
    Map,
    Set,
}
