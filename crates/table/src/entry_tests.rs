//! Tests of `entry.rs`.
