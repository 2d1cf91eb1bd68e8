//! Diffs: what is to be changed of a record.

use haystack::{DateTime, Dict, Name};

/// Flags of a diff, with the values that the contract gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// Makes a record.
    pub const ADD: Flags = Flags(1);
    /// Takes a record away.
    pub const REMOVE: Flags = Flags(2);
    /// Changes tags that are not kept.
    pub const TRANSIENT: Flags = Flags(4);
    /// Does not mind what has changed since.
    pub const FORCE: Flags = Flags(8);
    /// May change restricted tags.
    pub const BYPASS_RESTRICTED: Flags = Flags(16);
    /// The current value is among what changes.
    pub const CUR_VAL: Flags = Flags(32);
    /// The record is a point.
    pub const POINT: Flags = Flags(64);
    /// The tree of records may look different afterwards.
    pub const TREE_UPDATE: Flags = Flags(128);

    /// Those that follow from what is changed, and are not asked for.
    pub(crate) const DERIVED: u8 = 32 | 64 | 128;

    /// Whether all of some flags are set.
    #[must_use]
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// What is to be changed of one record.
///
/// ```
/// use haystack::{DateTime, Value, Zone, trio};
/// use kvist_folio::{Diff, Flags, Project};
///
/// let now = DateTime::from_nanos(1_700_000_000_000_000_000, Zone::named("UTC")?);
/// let mut project = Project::default();
/// let site = trio::read("dis: \"Main Street\"\nsite\n")?.remove(0);
/// let added = project.commit(&[Diff::add("a", site)?], now)?;
/// let mut changes = haystack::Dict::new();
/// changes.put("site", Value::REMOVE)?;
/// let diff = Diff::update("a", changes.clone(), added[0].new_mod)?;
/// assert!(project.commit(&[diff.clone()], now).is_ok());
/// assert_eq!(project.commit(&[diff], now).unwrap_err().kind().name(), "ConcurrentChangeErr");
/// let forced = Diff::update("a", changes, None)?.with(Flags::FORCE);
/// assert!(project.commit(&[forced], now).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// The record.
    pub id: Name,
    /// What is asked for.
    pub flags: Flags,
    /// The tags with their new values; [`haystack::Value::REMOVE`] takes one away.
    pub changes: Dict,
    /// The `mod` of the record that the author of the diff has read.
    pub old_mod: Option<DateTime>,
}

impl Diff {
    fn new(id: &str, flags: Flags, changes: Dict) -> Result<Diff, crate::Error> {
        crate::rules::check_id(id)?;
        Ok(Diff { id: Name::new(id), flags, changes, old_mod: None })
    }

    /// Makes a record with these tags.
    ///
    /// # Errors
    /// No record may have this id.
    pub fn add(id: &str, tags: Dict) -> Result<Diff, crate::Error> {
        Diff::new(id, Flags::ADD, tags)
    }

    /// Changes some tags of a record, of which this is the `mod`.
    ///
    /// # Errors
    /// No record may have this id.
    pub fn update(
        id: &str,
        changes: Dict,
        old_mod: Option<DateTime>,
    ) -> Result<Diff, crate::Error> {
        Ok(Diff { old_mod, ..Diff::new(id, Flags::default(), changes)? })
    }

    /// Takes a record away, of which this is the `mod`.
    ///
    /// # Errors
    /// No record may have this id.
    pub fn remove(id: &str, old_mod: Option<DateTime>) -> Result<Diff, crate::Error> {
        Ok(Diff { old_mod, ..Diff::new(id, Flags::REMOVE, Dict::new())? })
    }

    /// The same with more flags.
    #[must_use]
    pub fn with(mut self, flags: Flags) -> Diff {
        self.flags = self.flags | flags;
        self
    }
}
