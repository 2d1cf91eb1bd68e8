//! FOLIO.OPEN: makes a project, unless it is there.

use ::folio::Project;
use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, error,
};
use haystack::{Name, name};
use types::Folio;

use super::text;

const NO_PREFIX: CmdError = CmdError::new("ERR a prefix consists of what ids consist of");
const OTHER_PREFIX: CmdError = CmdError::new("ERR the project is there with another prefix");

/// Makes a project, unless it is there.
pub struct Open<'a> {
    key: Key<'a>,
    prefix: Option<&'a str>,
}

impl<'a> Command<'a> for Open<'a> {
    const SPEC: Spec = Spec {
        name: "folio.open",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Makes a project of records, unless it is there already.",
        complexity: "O(1)",
        grammar: "key:key [PREFIX prefix:string]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, mut prefix) = (args.key()?, None);
        while args.left() > 0 {
            if !args.token("PREFIX") {
                return Err(error::SYNTAX);
            }
            let word = text(args.next()?)?;
            let is_prefix = name::is_ref(word) && word.len() <= ::folio::limits::LONGEST_NAME / 2;
            prefix = Some(if is_prefix { word } else { return Err(NO_PREFIX) });
        }
        Ok(Open { key, prefix })
    }
}

impl<H: Holds<Folio>> Run<H> for Open<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let own = |project: &Project| project.prefix().map(|prefix| prefix.as_str().to_owned());
        if let Some(project) = host.peek(self.key)?.and_then(Folio::project) {
            if self.prefix.is_some() && own(project).as_deref() != self.prefix {
                return Err(OTHER_PREFIX);
            }
            out.ok();
            return Ok(Effect::None);
        }
        host.edit(self.key, |value| {
            value.project_or_new(self.prefix.map(Name::new));
        })?;
        host.notify(Class::Module, "folio.open", self.key);
        out.ok();
        Ok(Effect::AsSent)
    }
}
