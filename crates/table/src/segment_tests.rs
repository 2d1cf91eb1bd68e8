//! Tests of `segment.rs`.
