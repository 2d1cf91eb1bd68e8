//! Projects of Haystack's records as values of keys.
//!
//! A key may hold a project without a record: it is there from when it is opened until it is
//! deleted. So the default, which holds no project, is not an empty one.

mod copy;
mod image;
mod portable;

use std::sync::Arc;

use ::folio::{FrozenProject, Layer, Project, Settled, Watches};
use base::codec::{Malformed, Source};
use base::{DataType, Forked, Kind, PackLimits, Versioned, Versions};
use haystack::Name;
use table::{UnalignedBox, size_class};

pub use self::copy::{FolioAssembly, FolioCopy};

/// The value of a key that holds a project. By default it holds none, and is no key then.
///
/// ```
/// use base::DataType;
/// use kvist_types::Folio;
/// let mut value = Folio::default();
/// assert!(value.is_empty());
/// assert_eq!(value.project_or_new(None).version(), 1);
/// assert!(!value.is_empty());
/// ```
#[derive(Default)]
pub struct Folio(Option<UnalignedBox<Body>>);

struct Body {
    project: Project,
    /// Who is told of what changes; they are not kept.
    watches: Option<Box<Watches>>,
}

/// A project that is changed privately, and what was done to it.
pub struct FolioFork {
    /// The project.
    pub project: Project,
    /// What was done, for the journal: [`change`](::folio::change).
    pub changes: Vec<Vec<u8>>,
    /// Whether anything was done, told to the journal or not.
    pub has_changed: bool,
    /// The records that were changed.
    pub touched: Vec<Name>,
}

impl From<Project> for Folio {
    fn from(project: Project) -> Self {
        Folio(Some(UnalignedBox::new(Body { project, watches: None })))
    }
}

impl Folio {
    /// The project.
    #[inline]
    #[must_use]
    pub fn project(&self) -> Option<&Project> {
        self.0.as_deref().map(|body| &body.project)
    }

    /// The project, to be changed.
    #[must_use]
    pub fn project_mut(&mut self) -> Option<&mut Project> {
        self.0.as_deref_mut().map(|body| &mut body.project)
    }

    /// The project, to be changed; if there was none one without records, whose ids may be given
    /// without this before them.
    pub fn project_or_new(&mut self, prefix: Option<Name>) -> &mut Project {
        let new = || {
            let project = Project::with_prefix(prefix);
            UnalignedBox::new(Body { project, watches: None })
        };
        &mut self.0.get_or_insert_with(new).project
    }
}

impl Folio {
    /// Those who watch records, if there is a project; `number` is what they are numbered from if
    /// there were none.
    pub fn watches_mut(&mut self, number: u64) -> Option<&mut Watches> {
        let body = self.0.as_deref_mut()?;
        let new = || Box::new(Watches::numbered_from(number));
        Some(body.watches.get_or_insert_with(new))
    }

    /// Those who watch records, if any ever did.
    #[must_use]
    pub fn watches(&self) -> Option<&Watches> {
        self.0.as_deref()?.watches.as_deref()
    }

    /// Tells those who watch them that records have changed.
    pub fn tell<'a>(&mut self, ids: impl IntoIterator<Item = &'a Name>) {
        if let Some(watches) = self.0.as_deref_mut().and_then(|body| body.watches.as_deref_mut()) {
            watches.changed(ids);
        }
    }
}

/// A copy has blocks of its own: nothing that becomes of the one concerns the other.
impl Clone for Folio {
    fn clone(&self) -> Self {
        let copy = self.project().and_then(|project| image::copy(project).ok());
        debug_assert_eq!(copy.is_some(), self.0.is_some(), "an image of itself");
        let mut copy = copy.map_or_else(Folio::default, Folio::from);
        if let (Some(body), Some(watches)) = (copy.0.as_deref_mut(), self.watches()) {
            body.watches = Some(Box::new(watches.clone()));
        }
        copy
    }
}

impl Versioned for Folio {
    type Frozen = FrozenProject;

    fn freeze(&self, versions: &Arc<Versions>) -> FrozenProject {
        let none = || Project::default().freeze(versions);
        self.project().map_or_else(none, |project| project.freeze(versions))
    }
}

impl Forked for Folio {
    type Fork = FolioFork;
    type Changes = (Vec<Vec<u8>>, bool);
    type Left = Settled;

    fn is_small(left: &Settled) -> bool {
        left.is_small()
    }

    fn fork(&self, versions: &Arc<Versions>) -> FolioFork {
        let project = self.project().map_or_else(Project::default, |it| it.fork(versions));
        FolioFork { project, changes: Vec::new(), has_changed: false, touched: Vec::new() }
    }

    fn adopt(
        &mut self,
        fork: FolioFork,
    ) -> Result<(Self::Changes, Option<Settled>), Box<FolioFork>> {
        let FolioFork { project, changes, has_changed, touched } = fork;
        let fork = |project| {
            let (changes, touched) = (Vec::new(), Vec::new());
            Box::new(FolioFork { project, changes, has_changed, touched })
        };
        match &mut self.0 {
            Some(body) => match body.project.adopt(project) {
                Ok(left) => {
                    if let Some(watches) = &mut body.watches {
                        watches.changed(&touched);
                    }
                    Ok(((changes, has_changed), Some(left)))
                }
                Err(project) => Err(fork(*project)),
            },
            // What was made of no project takes the place of none.
            None if project.is_fork() => Err(fork(project)),
            None => {
                *self = project.into();
                Ok(((changes, has_changed), None))
            }
        }
    }
}

impl DataType for Folio {
    const KIND: Kind = Kind::Folio;
    type Context = ();
    type Copying = FolioCopy;
    type Assembly = FolioAssembly;

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn elements(&self) -> usize {
        self.project().map_or(0, |project| project.len())
    }

    fn memory(&self) -> usize {
        let own = size_class(size_of::<Body>());
        let watches = |it: &Watches| size_class(size_of::<Watches>()) + it.memory();
        let watches = self.watches().map_or(0, watches);
        self.project().map_or(0, |project| own + project.memory() + watches)
    }

    fn encoding(&self) -> &'static str {
        "columns"
    }

    fn free_effort(&self) -> usize {
        self.project().map_or(0, Project::free_effort)
    }

    fn versions(&self) -> Option<&Arc<Versions>> {
        self.project()?.versions()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        if let Some(project) = self.project() {
            image::encode(project, Layer::Persistent, out);
        }
    }

    fn decode(
        source: &mut Source<'_>,
        _limits: &PackLimits,
        _tools: &mut (),
    ) -> Result<Self, Malformed> {
        image::decode(source).map(Folio::from)
    }

    fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
        image::skip(source)
    }
}
