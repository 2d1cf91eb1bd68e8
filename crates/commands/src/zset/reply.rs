//! How members are answered, with or without their scores.

use base::{Protocol, Reply};

/// Answers members in the order they come: a flat array, but in RESP3 each member stands with its
/// score in an array of its own.
pub(super) fn members<'m>(
    pairs: impl ExactSizeIterator<Item = (&'m [u8], f64)>,
    with_scores: bool,
    out: &mut dyn Reply,
) {
    header(pairs.len(), with_scores, out);
    pairs.for_each(|(member, score)| element(member, score, with_scores, out));
}

/// Announces `count` elements.
pub(super) fn header(count: usize, with_scores: bool, out: &mut dyn Reply) {
    let flat = with_scores && out.protocol() == Protocol::Resp2;
    out.array(if flat { count.saturating_mul(2) } else { count });
}

/// Answers one of the announced elements.
pub(super) fn element(member: &[u8], score: f64, with_score: bool, out: &mut dyn Reply) {
    if !with_score {
        return out.bulk(member);
    }
    if out.protocol() == Protocol::Resp3 {
        out.array(2);
    }
    out.bulk(member);
    out.double(score);
}
