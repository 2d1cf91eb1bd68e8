//! FOLIO.READBYID: a record by its id.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Folio;

use super::by_id::{self, Options};
use super::{id, project};

/// Reads a record by its id.
pub struct ReadById<'a> {
    key: Key<'a>,
    id: &'a [u8],
    options: Options,
}

impl<'a> Command<'a> for ReadById<'a> {
    const SPEC: Spec = Spec {
        name: "folio.readbyid",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers a record of a project by its id.",
        complexity: "O(N), when N is the number of different tags of the project",
        grammar: "key:key id:string [UNCHECKED] [TRASH] [PERSISTENT] [TRANSIENT] \
                  [FORMAT format=(zinc | hayson | json | trio | csv | columns)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, id) = (args.key()?, args.next()?);
        Ok(ReadById { key, id, options: Options::parse(&mut args, true)? })
    }
}

impl<H: Holds<Folio>> Run<H> for ReadById<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let project = project(host, self.key)?;
        let options = self.options;
        match options.find(project, id(self.id)?)? {
            Some(slot) => by_id::write(project, slot, options.layer, options.format, out),
            None => out.null(),
        }
        Ok(Effect::None)
    }
}
