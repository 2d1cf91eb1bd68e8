//! What an interpreter answers that is not the one this was built for.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::{CmdError, Protocol};
use wire::RespWriter;

use super::state::UNKNOWN;
use super::{Impatient, Limits, State, Vm};
use crate::Script;

#[test]
fn an_interpreter_that_is_not_known_refuses_what_would_run_in_it() {
    let limits = Limits::new(1 << 20);
    let mut vm = Vm::new(limits);
    vm.functions = Some(State::new(limits, true));
    let mut refuse = || false;
    let host = &mut Impatient(&mut refuse);
    let script = Script::new(b"return 1").unwrap();
    let code = b"#!lua name=l\nredis.register_function('f', function() return 1 end)";
    let library = vm.load_library(code, host).unwrap();

    vm.scripts.known = false;
    vm.functions.as_mut().unwrap().known = false;
    let mut bytes = Vec::new();
    let mut out = RespWriter::new(&mut bytes, Protocol::Resp2);
    let refused = [
        vm.load(&script, &mut || false),
        vm.eval(&script, &[], &[], host, &mut out),
        vm.load_library(code, host).map(|_| ()),
        vm.call_function(&library, "f", &[], &[], host, &mut out),
    ];
    for answer in refused {
        assert_eq!(answer.map_err(|error: CmdError| error.bytes().to_vec()), Err(UNKNOWN.into()));
    }
    assert!(bytes.is_empty());
}
