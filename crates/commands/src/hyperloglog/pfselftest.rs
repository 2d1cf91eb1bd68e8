//! PFSELFTEST.

use std::marker::PhantomData;

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Keyspace, Locks, Reply, Run,
    Spec,
};
use types::hyperloglog::{Fault, self_test};

/// Tests the algorithm; touches no key.
pub struct PfSelfTest<'a>(PhantomData<&'a ()>);

impl<'a> Command<'a> for PfSelfTest<'a> {
    const SPEC: Spec = Spec {
        name: "pfselftest",
        group: Group::HyperLogLog,
        since: "2.8.9",
        summary: "Tests the HyperLogLog algorithm of this server.",
        complexity: "O(1), some milliseconds",
        grammar: "",
        flags: &[Flag::Admin, Flag::SysCmd],
        categories: &[Category::HyperLogLog],
        behaviour: Behaviour::NEW.locks(|_| Locks::Nothing),
        ..Spec::NEW
    };

    fn parse(_: Args<'a>) -> Result<Self, CmdError> {
        Ok(PfSelfTest(PhantomData))
    }
}

impl<H: Keyspace> Run<H> for PfSelfTest<'_> {
    fn run(self, _: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self_test().map_err(|fault| {
            CmdError::owned(match fault {
                Fault::Register(index) => format!("TESTFAILED Register {index} is not as set"),
                Fault::NotSparse => "TESTFAILED sparse encoding not used".to_owned(),
                Fault::Disagree => "TESTFAILED dense/sparse disagree".to_owned(),
                Fault::Error(card, error) => {
                    format!("TESTFAILED Too big error. card:{card} abserr:{error}")
                }
            })
        })?;
        out.ok();
        Ok(Effect::None)
    }
}
