//! ACL CAT.

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::ACL;
use crate::control::{Act, Control, misused};
use crate::engine::categories::categories;

/// Lists the categories, or the commands of one.
pub struct AclCat<'a> {
    category: Option<&'a [u8]>,
}

impl<'a> Command<'a> for AclCat<'a> {
    const SPEC: Spec = Spec {
        name: "acl|cat",
        summary: "Lists the categories of commands, or the commands of one.",
        complexity: "O(N) in the number of commands",
        grammar: "[categoryname:string]",
        ..ACL
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let category = args.take();
        args.end().map_err(|_| misused(args.argv()))?;
        Ok(AclCat { category })
    }
}

impl Act for AclCat<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let Some(wanted) = self.category else {
            out.array(acl::CATEGORIES.len());
            acl::CATEGORIES.iter().for_each(|category| out.bulk(category.as_bytes()));
            return Ok(());
        };
        let known = acl::CATEGORIES.iter().find(|c| c.as_bytes().eq_ignore_ascii_case(wanted));
        let Some(category) = known else {
            return Err(CmdError::quoting("ERR Unknown category '", wanted, "'"));
        };
        let entries = control.engine.table.entries().iter();
        let names: Vec<&str> = entries
            .filter(|entry| categories(entry).contains(category))
            .map(|entry| entry.name())
            .collect();
        out.array(names.len());
        names.iter().for_each(|name| out.bulk(name.as_bytes()));
        Ok(())
    }
}
