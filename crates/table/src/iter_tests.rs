//! Tests of `iter.rs`.
