//! Where the keys of a request are and what it does with them, spec by spec.

use base::{Find, Flag, KeyFlag, KeySpec, Spec};

use super::entry::Entry;

/// The positions of one key spec; `None` when the request cannot be split into keys and others.
pub(crate) fn positions(
    entry: &Entry,
    key: &'static KeySpec,
    request: &[&[u8]],
) -> Option<Vec<usize>> {
    let rules = &entry.spec.behaviour.keys;
    if let Some(positions) = rules.positions {
        return positions(key, request);
    }
    if key.find == Find::Unknown && key.flags.contains(&KeyFlag::Overwrite) {
        return Some((rules.target)(request).into_iter().collect());
    }
    let alone = Spec { keys: std::slice::from_ref(key), ..*entry.spec };
    let mut positions = Vec::new();
    alone.key_positions(request, &mut positions).ok()?;
    if let Find::Count { .. } = key.find {
        let must = !entry.has(Flag::NoMandatoryKeys);
        if must && positions.is_empty() {
            return None;
        }
    }
    Some(positions)
}

/// What a request does with the keys of a spec: see [`base::KeyRules::flags`].
pub(crate) fn flags(entry: &Entry, key: &KeySpec, request: &[&[u8]]) -> &'static [KeyFlag] {
    (entry.spec.behaviour.keys.flags)(key, request)
}
