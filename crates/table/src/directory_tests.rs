//! Tests of `directory.rs`.
