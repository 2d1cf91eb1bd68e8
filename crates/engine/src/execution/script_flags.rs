//! What the script of a request says about itself.

use base::ScriptBy;
use script::ScriptFlags;

use crate::engine::Engine;
use crate::engine::entry::Entry;

/// What the script of a request says about itself, if there is one and it does.
pub(crate) fn flags_of(engine: &Engine, entry: &Entry, argv: &[&[u8]]) -> Option<ScriptFlags> {
    let code = *argv.get(1)?;
    match entry.spec.behaviour.words.script {
        ScriptBy::None => None,
        ScriptBy::Source => script::Script::new(code).ok()?.flags(),
        ScriptBy::Digest => {
            let digest = <[u8; 40]>::try_from(code.to_ascii_lowercase()).ok()?;
            engine.scripts.cache.get(&digest)?.script.flags()
        }
        ScriptBy::Function => {
            let known = engine.scripts.functions.known();
            let library = known.libraries.function(code)?;
            library.function(code).map(|function| function.flags)
        }
    }
}
