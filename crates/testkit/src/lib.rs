//! What the tests of all crates share, so that each of them is written once.
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`seed`] | where random tests take their seed from |
//! | [`fuzz`] | mutational fuzzing on a clock |
//! | [`client`] | requests and replies over a connection |
//! | [`oracle`] | a redis-server to compare with |
//! | [`server`] | starting a server on a port of its own, until it serves |
//! | [`skip`] | saying that something could not be tested here |
//! | [`folder`] | folders that go with their owner |
//! | [`wait`] | awaiting conditions instead of sleeping |
//! | [`port`] | ports for servers that tests start |
//! | [`transcript`] | requests and replies as tests write them down |
//! | [`processor`] | what work costs, whatever else the machine does |
//! | [`scale`] | what memory a thread has alive |
//!
//! Only tests, and programs that test or measure, depend on it. A function that cannot do what it
//! is for panics: that is how a test fails.
#![deny(unsafe_op_in_unsafe_fn)]

pub mod client;
pub mod folder;
pub mod fuzz;
pub mod oracle;
pub mod port;
pub mod processor;
pub mod scale;
pub mod seed;
pub mod server;
pub mod skip;
pub mod transcript;
pub mod wait;
