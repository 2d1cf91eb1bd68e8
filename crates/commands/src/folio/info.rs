//! FOLIO.INFO: what there is to say of a project.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Folio;

use super::project;

/// Tells of a project.
pub struct Info<'a>(Key<'a>);

impl<'a> Command<'a> for Info<'a> {
    const SPEC: Spec = Spec {
        name: "folio.info",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Tells how many records and tags a project has, its version and its memory.",
        complexity: "O(N), when N is the number of different tags",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Info(args.key()?))
    }
}

impl<H: Holds<Folio>> Run<H> for Info<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let project = project(host, self.0)?;
        let trash = project.tag_count("trash");
        let pairs = [
            ("records", project.len() - trash),
            ("trash", trash),
            ("version", usize::try_from(project.version()).unwrap_or(usize::MAX)),
            ("points", project.tag_count("point")),
            ("histories", project.tag_count("hisSize")),
            ("memory", project.memory()),
        ];
        out.map(pairs.len() + 2);
        for (name, count) in pairs {
            out.bulk(name.as_bytes());
            out.count(count);
        }
        out.bulk(b"prefix");
        out.bulk(project.prefix().map_or("", |prefix| prefix.as_str()).as_bytes());
        let tags: Vec<_> = project.tags().collect();
        out.bulk(b"tags");
        out.map(tags.len());
        for (tag, count) in tags {
            out.bulk(tag.as_str().as_bytes());
            out.count(count);
        }
        Ok(Effect::None)
    }
}
