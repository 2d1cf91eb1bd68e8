//! FOLIO.HIS.CLEAR: takes samples out of a point's history.

use ::folio::{Clear, Project, change};
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use haystack::Name;
use types::Folio;

use super::his::{self, Range};
use super::install::effect;
use super::{NO_PROJECT, told, try_change};

/// Takes samples out of a history.
pub struct HisClear<'a> {
    key: Key<'a>,
    id: &'a [u8],
    range: Option<Range>,
}

impl<'a> Command<'a> for HisClear<'a> {
    const SPEC: Spec = Spec {
        name: "folio.his.clear",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Takes all samples of a point out, or those of some time, and answers how many \
                  those were.",
        complexity: "O(N), when N is the number of samples divided by 512",
        grammar: "key:key id:string [RANGE range={start:string end:string}]",
        flags: &[Flag::Write],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, id) = (args.key()?, args.next()?);
        let range = args.token("RANGE").then(|| Range::take(&mut args)).transpose()?;
        args.end()?;
        Ok(HisClear { key, id, range })
    }
}

impl<H: Forks<Folio>> Run<H> for HisClear<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.peek(self.key)?.ok_or(NO_PROJECT)?;
        let done = try_change(host, self.key, |value| {
            let done = self.clear(value.project_mut().ok_or(NO_PROJECT)?)?;
            if done.0 == 0 {
                return Ok(None);
            }
            value.tell([&done.2]);
            Ok(Some(done))
        })?;
        let Some((count, changes, _)) = done else {
            out.int(0);
            return Ok(Effect::None);
        };
        out.count(count);
        Ok(effect(host, self.key, "folio.his.clear", &changes))
    }
}

impl HisClear<'_> {
    /// Takes them out, and tells what was done as the journal has it.
    fn clear(&self, project: &mut Project) -> Result<(usize, Vec<Vec<u8>>, Name), CmdError> {
        let slot = his::point(project, self.id)?;
        let span = self.range.map(|range| range.span(his::zone(project, slot))).transpose()?;
        let (clear, before) = (span.map_or(Clear::All, Clear::Span), project.his_size(slot));
        let written = project.his_write(slot, &[], clear).map_err(|error| told(&error))?;
        let id = Name::new(project.id_of(slot));
        let changes = change::of_samples(&id, &written.samples, clear);
        Ok((before - project.his_size(slot), changes, id))
    }
}
