//! Changing what a path selects: looked for first, and changed only if something will change.
//!
//! ```text
//!   path ── look ──► for each match: unfit, kept, to be changed      nothing has changed yet
//!                      │ all that can be refused is refused here
//!                      ▼
//!                    changed from the end of the document to its start, inside before around
//! ```
//!
//! So a request that changes nothing notifies no client, and one that fails leaves everything as it
//! was: the journal, which is told of requests that succeed, could not know of half a change.
//!
//! A legacy path means its first match where something is read. Where something is changed it
//! means all that fit, and the answer is that of the last: so RedisJSON has it, and its clients'
//! tests.

use ::json::path::{Budget, Location, Path, edit_order, topmost};
use ::json::{EditError, Kind, Node, Registry, Tree, Value};
use base::{Class, CmdError, Effect, Key, Reply};
use smallvec::{SmallVec, smallvec};
use types::{Documents, JsonTools};

use super::document::{self, NO_KEY};

/// Matches; most paths have one.
pub(super) type Matches = SmallVec<[Location; 1]>;
/// A location as edits want it.
type Place = SmallVec<[usize; 8]>;

/// What is to become of a match.
pub(super) enum Plan<R> {
    /// Nothing: it is of another type.
    Unfit,
    /// Nothing, as it is so already; this is the answer.
    Keep(R),
    /// It will be changed.
    Change,
}

/// An edit of everything that a path selects.
pub(super) struct Edit<'e> {
    /// The document.
    pub key: Key<'e>,
    /// The path.
    pub path: &'e [u8],
    /// The event that is told if something changes.
    pub event: &'static str,
    /// The answer to a legacy path that selects nothing that can be changed like this.
    pub unfit: CmdError,
    /// Bytes that each change may add.
    pub adds: usize,
}

/// What came of an edit.
pub(super) struct Edited<R> {
    /// For each match in order: the answer, or `None` if it is of another type.
    pub answers: SmallVec<[Option<R>; 1]>,
    /// Whether one answer is expected, and not one for each match.
    pub is_legacy: bool,
    /// What the journal is told.
    pub effect: Effect,
}

impl Edit<'_> {
    /// Plans each match, and then changes those that are to be. Matches that are selected twice
    /// are changed twice.
    pub(super) fn run<H: Documents, R>(
        &self,
        host: &mut H,
        tools: &mut JsonTools,
        mut plan: impl FnMut(Node<'_>, usize) -> Result<Plan<R>, CmdError>,
        mut change: impl FnMut(&mut Value, &[usize], &mut Registry) -> Result<R, EditError>,
    ) -> Result<Edited<R>, CmdError> {
        let path = document::selection(tools, self.path)?;
        let is_legacy = path.is_legacy();
        // Filled in place: they are large to be handed around.
        let mut matches = Matches::new();
        let mut plans: SmallVec<[Plan<R>; 1]> = SmallVec::new();
        let looked = document::look(host, self.key, tools.lookers(), |root, budget| {
            find(&path, root, &mut matches, budget)?;
            for location in &matches {
                let node = root.descend(&place(location)).ok_or(document::NO_PATH)?;
                plans.push(plan(node, location.len())?);
            }
            Ok::<(), CmdError>(())
        });
        looked?.ok_or(NO_KEY)??;
        if is_legacy && plans.iter().all(|plan| matches!(plan, Plan::Unfit)) {
            return Err(self.unfit.clone());
        }
        let is_to_change: SmallVec<[bool; 8]> =
            plans.iter().map(|plan| matches!(plan, Plan::Change)).collect();
        let mut answers: SmallVec<[Option<R>; 1]> = plans.into_iter().map(kept).collect();
        if !is_to_change.contains(&true) {
            return Ok(Edited { answers, is_legacy, effect: Effect::None });
        }
        document::change(host, self.key, &mut tools.registry, |value, registry| {
            in_order(value, registry, &matches, self.adds, |value, registry, number, place| {
                if is_to_change[number] {
                    answers[number] = Some(change(value, place, registry)?);
                }
                Ok(())
            })
        })?;
        host.notify(Class::Module, self.event, self.key);
        Ok(Edited { answers, is_legacy, effect: Effect::AsSent })
    }
}

fn kept<R>(plan: Plan<R>) -> Option<R> {
    match plan {
        Plan::Keep(answer) => Some(answer),
        Plan::Unfit | Plan::Change => None,
    }
}

impl<R> Edited<R> {
    /// Writes the reply: the last answer to a legacy path, and to others an array with nulls for
    /// matches of another type.
    pub(super) fn reply(
        self,
        out: &mut dyn Reply,
        mut write: impl FnMut(&mut dyn Reply, R),
    ) -> Effect {
        if self.is_legacy {
            match self.answers.into_iter().flatten().next_back() {
                Some(answer) => write(out, answer),
                None => out.null(), // never: a legacy path without a match is an error
            }
            return self.effect;
        }
        out.array(self.answers.len());
        for answer in self.answers {
            match answer {
                Some(answer) => write(out, answer),
                None => out.null(),
            }
        }
        self.effect
    }
}

/// Finds where all matches lie, in order. O(length of the path) for a static one.
pub(super) fn find(
    path: &Path,
    root: Node<'_>,
    matches: &mut Matches,
    budget: &mut Budget,
) -> Result<(), CmdError> {
    if path.is_static() {
        matches.extend(path.location(root));
        return Ok(());
    }
    let found = path.locations(root, budget).map_err(document::of_path)?;
    *matches = found.into();
    Ok(())
}

/// Finds where the matches lie that are in no other match.
pub(super) fn find_topmost(
    path: &Path,
    root: Node<'_>,
    budget: &mut Budget,
) -> Result<Vec<Location>, CmdError> {
    let mut matches = Matches::new();
    find(path, root, &mut matches, budget)?;
    Ok(topmost(matches.into_vec()))
}

/// Changes the values at some places, from the end of the document to its start. `change` is given
/// the number of the match. If one fails, all is as it was.
pub(super) fn in_order(
    value: &mut Value,
    registry: &mut Registry,
    matches: &[Location],
    adds: usize,
    mut change: impl FnMut(&mut Value, &mut Registry, usize, &[usize]) -> Result<(), EditError>,
) -> Result<(), CmdError> {
    let order: SmallVec<[usize; 1]> = match matches.len() {
        0 => return Ok(()),
        1 => smallvec![0],
        _ => edit_order(matches).into(),
    };
    let before = may_fail_halfway(value, matches, &order, adds).then(|| value.clone());
    for number in order {
        if let Err(error) = change(value, registry, number, &place(&matches[number])) {
            if let Some(before) = before {
                *value = before;
            }
            return Err(document::of_edit(error));
        }
    }
    Ok(())
}

/// Whether a change could be refused after others were made: if a value is changed twice, the
/// second time was not foreseen; and a document can have become too large.
fn may_fail_halfway(value: &Value, matches: &[Location], order: &[usize], adds: usize) -> bool {
    /// What a document may have in any case; [`EditError::TooLarge`] begins far above.
    const FITS: usize = 512 << 20;
    /// No document becomes this many times larger, but for what is added: so most are not looked
    /// at more closely.
    const GROWTH: usize = 64;
    let is_repeated = |pair: &[usize]| matches[pair[0]] == matches[pair[1]];
    let added = adds.saturating_mul(2 * matches.len());
    let is_large = || value.memory().saturating_mul(GROWTH).saturating_add(added) > FITS;
    let may_grow = || {
        let more = added.saturating_add(laid_down_anew(value, matches, order));
        value.memory().saturating_add(more) > FITS
    };
    matches.len() > 1 && (order.windows(2).any(is_repeated) || is_large() && may_grow())
}

/// Bytes it takes at most to lay these values, and the containers around them, down in other
/// forms. O(matches).
fn laid_down_anew(value: &Value, matches: &[Location], order: &[usize]) -> usize {
    let root = value.root();
    let mut most: usize = 0;
    let mut around: Option<Place> = None;
    for &number in order {
        let place = place(&matches[number]);
        most = most.saturating_add(root.descend(&place).map_or(0, laid_down));
        // Laid down once, however many of its values are changed.
        let parent: Option<Place> = place.split_last().map(|(_, parent)| parent.into());
        if parent != around {
            let node = parent.as_ref().and_then(|parent| root.descend(parent));
            most = most.saturating_add(node.map_or(0, laid_down));
            around = parent;
        }
    }
    most
}

/// Bytes it takes at most to lay a value down in another form, without what is in it.
fn laid_down(node: Node<'_>) -> usize {
    /// A cell or two, room for as many, and a share of an index.
    const EACH: usize = 64;
    /// Objects of more members have names of their own already.
    const SHARED: usize = 256;
    let names = match node.kind() {
        Kind::Object if node.len() <= SHARED => {
            (0..node.len()).filter_map(|index| node.name_at(index)).map(str::len).sum()
        }
        _ => 0,
    };
    node.as_bytes().map_or(0, |text| 2 * text.len()) + EACH * node.len() + names
}

fn place(location: &Location) -> Place {
    location.iter().map(|step| step.position()).collect()
}
