//! What the build makes of `proto/`: messages, and the traits of the services.
#![allow(missing_docs, clippy::pedantic)]

/// The protocol of Memorize.
pub mod memorize {
    tonic::include_proto!("memorize");
}

/// Kvist's own.
pub mod kvist {
    tonic::include_proto!("kvist.v1");

    pub use crate::execute_response::ExecuteResponse;
}

/// Descriptions of both services, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
