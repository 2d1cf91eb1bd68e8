//! SELECT.

use base::{
    Args, Behaviour, Category, CmdError, Command, Flag, Group, InFile, Locks, Property, Reply,
    Spec, error,
};
use wire::RespWriter;

use crate::control::{Act, Control};

/// Changes the database of the session.
pub struct Select {
    db: Option<usize>,
}

impl<'a> Command<'a> for Select {
    const SPEC: Spec = Spec {
        name: "select",
        group: Group::Connection,
        summary: "Changes the database of the session.",
        grammar: "index:integer",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        categories: &[Category::Connection],
        behaviour: Behaviour::NEW
            .locks(|_| Locks::Nothing)
            .properties(&[Property::OfSession])
            .in_file(InFile::SelectsDatabase),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let index = i32::try_from(args.integer()?).map_err(|_| {
            CmdError::new(
                "ERR value is out of range, value must between -2147483648 and 2147483647",
            )
        })?;
        Ok(Select { db: usize::try_from(index).ok() })
    }
}

impl Act for Select {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let db = self.db.filter(|&db| db < control.engine.store.databases());
        control.session.select(db.ok_or(error::DB_OUT_OF_RANGE)?);
        out.ok();
        Ok(())
    }
}
