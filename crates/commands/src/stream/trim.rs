//! XTRIM.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Holds,
    Key, KeyFlag, KeySpec, Reply, Run, Spec, error,
};
use types::Stream;

use super::trimming::{self, Trimming};

const NO_STRATEGY: CmdError =
    CmdError::new("ERR syntax error, XTRIM must be called with a trimming strategy");

/// Removes entries at the beginning.
pub struct XTrim<'a> {
    key: Key<'a>,
    trimming: Trimming,
}

impl<'a> Command<'a> for XTrim<'a> {
    const SPEC: Spec = Spec {
        name: "xtrim",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Removes entries at the beginning of a stream.",
        complexity: "O(N) in the entries removed, whole nodes of them at once",
        grammar: "key:key trim={strategy=(MAXLEN | MINID @6.2.0) \
                  [operator=(equal!= | approximately!~)] threshold:string \
                  [LIMIT count:integer @6.2.0]}",
        flags: &[Flag::Write],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        tips: &["nondeterministic_output"],
        history: &[("6.2.0", "`MINID`, `LIMIT`.")],
        behaviour: Behaviour::NEW.extent(Extent::Beyond(trimming::reach)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let mut trimming = Trimming::default();
        while args.left() > 0 {
            if !trimming.option(&mut args)? {
                return Err(error::SYNTAX);
            }
        }
        trimming.check_alone()?;
        if !trimming.is_given() {
            return Err(NO_STRATEGY);
        }
        Ok(XTrim { key, trimming })
    }
}

impl<H: Holds<Stream>> Run<H> for XTrim<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.trimming.check_exact(host.now())?;
        let limits = host.limits();
        let done = host.edit_existing(self.key, |stream| {
            let gone = self.trimming.apply(stream, &limits);
            let mut argv = Argv::new(&[b"XTRIM", self.key.bytes]);
            self.trimming.write_exact(stream, &mut argv);
            (gone, argv)
        })?;
        let gone = done.as_ref().map_or(0, |done| done.0);
        if gone > 0 {
            host.notify(Class::Stream, "xtrim", self.key);
        }
        out.count(gone);
        Ok(match done {
            Some((1.., _)) if !self.trimming.is_approximate() => Effect::AsSent,
            Some((1.., argv)) => Effect::Rewritten(argv),
            _ => Effect::None,
        })
    }
}
