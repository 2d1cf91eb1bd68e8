//! JSON.MGET.

use ::json::Style;
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec, error,
};
use types::Documents;

use super::{document, get, text};

/// Answers what one path finds in several documents; null where there is none.
pub struct MGet<'a> {
    keys: Vec<Key<'a>>,
    path: &'a [u8],
}

impl<'a> Command<'a> for MGet<'a> {
    const SPEC: Spec = Spec {
        name: "json.mget",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers the values at a path in several documents, as JSON text.",
        complexity: "O(N) in the number of keys and the size of what is answered",
        grammar: "key:key... path:string",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::range(1, -2, 1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["request_policy:multi_shard"],
        behaviour: Behaviour::NEW.paths(Paths::Last),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let count = args.left().checked_sub(1).ok_or(error::SYNTAX)?;
        Ok(MGet { keys: args.keys(count)?, path: args.next()? })
    }
}

impl<H: Documents> Run<H> for MGet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::path(tools, self.path)?;
            out.array(self.keys.len());
            let mut buffer = tools.take_buffer();
            for key in self.keys {
                buffer.clear();
                // A key of another type is nothing to the other keys.
                let shown = if path.is_root() {
                    get::whole(host, key, (!path.is_legacy(), &mut buffer), out).unwrap_or(false)
                } else {
                    let style = Style { room: out.room(), ..Style::default() };
                    let found = document::look(host, key, tools.lookers(), |root, budget| {
                        text::write_found(&path, root, &style, (&mut buffer, budget))
                    });
                    let shown = matches!(found, Ok(Some(Ok(true))));
                    if tools.budget.left() == 0 {
                        // What the others would have had is not known: null would be a lie.
                        found?.transpose()?;
                    }
                    if shown {
                        out.bulk(&buffer);
                    }
                    shown
                };
                if !shown {
                    out.null();
                }
            }
            tools.give_buffer(buffer);
            Ok(Effect::None)
        })
    }
}
