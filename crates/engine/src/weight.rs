//! How much there is to do for a request, as far as that can be told before it runs.
//!
//! A door with few threads runs there what takes a moment, and all else aside. What a command is by
//! its nature its spec says; but most take a moment only because what their keys hold is small.

use base::Paths;

use crate::session::Session;
use crate::table::Entry;
use crate::worker::Worker;

/// So many bytes of values, or of words, are gone through in a moment: in about a millisecond,
/// where they are small elements of a collection.
const LIGHT: usize = 256 << 10;
/// The same of documents, times the bytes of the paths that are looked for in them.
const LIGHT_LOOKS: usize = 4 << 20;

impl Worker {
    /// Whether a request may take longer than a moment because its words, or what its keys hold,
    /// are large. Looks at each key, and holds nothing afterwards.
    pub fn is_heavy(&mut self, session: &Session, entry: &Entry, argv: &[&[u8]]) -> bool {
        // Most are quick, and this is asked of all.
        !entry.quick && self.weighs_much(session, entry, argv)
    }

    fn weighs_much(&mut self, session: &Session, entry: &Entry, argv: &[&[u8]]) -> bool {
        let said: usize = argv.iter().map(|word| word.len()).sum();
        let mut positions = Vec::new();
        // Keys that cannot be found are none: it will fail before it touches one.
        if said > LIGHT || entry.spec.key_positions(argv, &mut positions).is_err() {
            return said > LIGHT;
        }
        let mut held = 0;
        for at in positions {
            held += self.txn.weight_of(session.db, argv[at]);
            if held > LIGHT {
                break;
            }
        }
        // What was looked at here is nothing that the next request has seen.
        self.txn.take_seen();
        let paths = match entry.spec.paths {
            Paths::None => 0,
            paths => paths.of(argv).map(<[u8]>::len).sum(),
        };
        held > LIGHT || held.saturating_mul(paths) > LIGHT_LOOKS
    }
}
