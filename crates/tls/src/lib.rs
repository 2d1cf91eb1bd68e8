//! TLS: what the directives and the files they name amount to.
//!
//! ```text
//!   certificate, key, authorities (pem) ─┐
//!   tls-protocols, tls-ciphers (suites) ─┼─► server::context ─► accepted connections
//!   sessions that may be resumed         ┘
//!   authorities, certificate (pem) ────────► client::context ─► the terminal client
//! ```
//!
//! The protocol itself is rustls on ring: TLS 1.2 and 1.3, forward secrecy and authenticated
//! encryption only. Nothing weaker can be configured, so nothing weaker can be attacked; what that
//! means for a configuration written for OpenSSL is told where it is read (`suites`, `pem`).
//!
//! This crate reads files when a context is made and never again, and knows no sockets. It must
//! never log a key or a passphrase.
#![forbid(unsafe_code)]

pub mod client;
pub mod failures;
pub mod pem;
pub mod server;
mod sessions;
pub mod suites;
