//! Values by pattern: `weight_*`, `object_*->field`, `#`.

use base::KeyHasher;
use types::Hash;

use crate::Host;

/// The value that `pattern` means for `element`: the string at the key that the pattern with the
/// element in place of its first `*` names, or the field behind `->` of the hash there. `#` means
/// the element itself; a pattern without `*` means nothing.
pub(super) fn look_up<H: Host>(
    host: &H,
    hasher: &KeyHasher,
    pattern: &[u8],
    element: &[u8],
) -> Option<Vec<u8>> {
    if pattern == b"#" {
        return Some(element.to_vec());
    }
    let star = pattern.iter().position(|&byte| byte == b'*')?;
    let (before, after) = (&pattern[..star], &pattern[star + 1..]);
    let arrow = after.windows(2).position(|pair| pair == b"->");
    let (after, field) = match arrow.filter(|at| at + 2 < after.len()) {
        Some(at) => (&after[..at], Some(&after[at + 2..])),
        None => (after, None),
    };
    let name = [before, element, after].concat();
    let key = hasher.key(&name);
    host.notify_if_missing(key);
    // Whatever holds another type means nothing.
    match field {
        None => host.string(key).ok().flatten().map(<[u8]>::to_vec),
        Some(field) => {
            let hash: Option<&Hash> = host.peek(key).ok().flatten();
            hash.and_then(|hash| hash.get(field)).map(<[u8]>::to_vec)
        }
    }
}
