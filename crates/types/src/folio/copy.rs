//! The copy of a large project on its way: a version of it, which is read piece by piece.
//!
//! Writers keep no notes for it: they copy what they change, and the version stays what it is.

use ::folio::{FrozenProject, ImageLoader, ImagePlace, Layer};
use base::codec::{Malformed, Source};
use base::{Assembly, Changed, Copier, IncrementalCopy, PackLimits, Version, Versioned};

use super::{Folio, image};

/// See the [module](self).
pub struct FolioCopy {
    version: Version<FrozenProject>,
    /// What comes next.
    place: ImagePlace,
    /// How many bytes are to be settled.
    wanted: usize,
    /// Bytes of the last pieces.
    last: usize,
    buffer: Vec<u8>,
}

impl IncrementalCopy<Folio> for FolioCopy {
    fn begin(value: &mut Folio, copier: &Copier) -> Option<Self> {
        let version = Version::new(copier.versions(), |versions| value.freeze(versions)).ok()?;
        let (place, buffer) = (ImagePlace::default(), Vec::new());
        Some(FolioCopy { version, place, wanted: 0, last: 0, buffer })
    }

    fn count(&self) -> usize {
        self.version.image_segments()
    }

    fn make_room(&mut self, _bytes: usize) {}

    /// Nothing is read here: that needs no lock.
    fn read(&mut self, _: &mut Folio, _: &Copier, bytes: usize) -> Result<bool, Changed> {
        self.wanted = bytes.max(1);
        Ok(!self.place.is_end())
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let before = out.len();
        while !self.place.is_end() && out.len() - before < self.wanted {
            let into = (&mut self.buffer, &mut *out);
            image::put_piece(&self.version, &mut self.place, Layer::Persistent, into);
        }
        self.last = out.len() - before;
        Ok(())
    }

    fn finish(self, out: &mut Vec<u8>) -> Result<(), Changed> {
        image::put_end(out);
        if self.place.is_end() { Ok(()) } else { Err(Changed) }
    }

    fn last_read(&self) -> usize {
        self.last
    }

    fn noted(&self) -> usize {
        0
    }
}

/// A project that comes piece by piece.
pub struct FolioAssembly {
    loader: ImageLoader,
    count: usize,
    is_whole: bool,
}

impl Assembly<Folio> for FolioAssembly {
    fn begin(count: usize) -> Result<Self, Malformed> {
        Ok(FolioAssembly { loader: ImageLoader::default(), count, is_whole: false })
    }

    fn add(&mut self, source: &mut Source<'_>, _: &PackLimits) -> Result<(), Malformed> {
        while !source.is_done() {
            match image::next(source)? {
                Some(_) if self.is_whole => return Err(Malformed("more behind the end")),
                Some(piece) => self.loader.take_piece(piece)?,
                None => self.is_whole = true,
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(Folio, usize), Malformed> {
        if !self.is_whole {
            return Err(Malformed("a project without its end"));
        }
        Ok((self.loader.finish()?.into(), self.count))
    }
}
