//! Tests of `bucket.rs`.
