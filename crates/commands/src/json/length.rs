//! How long values of one type are: what JSON.STRLEN, JSON.ARRLEN and JSON.OBJLEN share.

use ::json::{Kind, Node, Tree};
use base::{
    Behaviour, Category, CmdError, Effect, Flag, Group, KeyFlag, KeySpec, Paths, Reply, Spec,
};
use types::Documents;

use super::document;
use super::place::Place;

/// What the specs of these commands have in common.
pub(super) const SPEC: Spec = Spec {
    group: Group::Json,
    since: "1.0.0",
    complexity: "O(1) for a static path, O(N) in the values that any other one visits",
    grammar: "key:key [path:string]",
    flags: &[Flag::ReadOnly],
    categories: &[Category::Json],
    keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
    behaviour: Behaviour::NEW.paths(Paths::At(2)),
    ..Spec::NEW
};

/// What one of the commands measures, and how it says that it cannot.
pub(super) struct Measure {
    /// The type that has a length.
    pub kind: Kind,
    /// JSONPath on a key that is not there. (A legacy path finds nothing there.)
    pub no_key: CmdError,
    /// A legacy path without a match; none if that is nothing, and no error.
    pub no_path: Option<CmdError>,
    /// A legacy path whose match is of another type.
    pub mismatch: fn(Node<'_>) -> CmdError,
}

impl Measure {
    pub fn run<H: Documents>(
        &self,
        place: &Place<'_>,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::selection(tools, place.path)?;
            let found = document::look(host, place.key, tools.lookers(), |root, budget| {
                let found = document::matches(&path, root, budget)?;
                if path.is_legacy() {
                    return self.one(found.first().copied(), out);
                }
                out.array(found.len());
                for node in found {
                    match self.length(node) {
                        Some(length) => out.count(length),
                        None => out.null(),
                    }
                }
                Ok(())
            })?;
            match found {
                Some(done) => done?,
                None if path.is_legacy() => out.null(),
                None => return Err(self.no_key.clone()),
            }
            Ok(Effect::None)
        })
    }

    fn one(&self, found: Option<Node<'_>>, out: &mut dyn Reply) -> Result<(), CmdError> {
        let Some(node) = found else {
            return match &self.no_path {
                Some(error) => Err(error.clone()),
                None => {
                    out.null();
                    Ok(())
                }
            };
        };
        out.count(self.length(node).ok_or_else(|| (self.mismatch)(node))?);
        Ok(())
    }

    /// The bytes of a string, or how much is in a container.
    fn length(&self, node: Node<'_>) -> Option<usize> {
        if node.kind() != self.kind {
            return None;
        }
        Some(node.as_bytes().map_or_else(|| node.len(), <[u8]>::len))
    }
}
