//! The copy of a large graph on its way: a version of it, which is read part by part.
//!
//! Writers keep no notes for it: they copy what they change, and the version stays what it is.

use ::graph::storage::{FrozenGraph, Loader};
use base::codec::{Malformed, Source};
use base::{Assembly, Changed, Copier, IncrementalCopy, PackLimits, Version, Versioned};

use super::{Graph, image};

/// See the [module](self).
pub struct GraphCopy {
    version: Version<FrozenGraph>,
    parts: usize,
    /// The part that comes next.
    next: usize,
    /// The first one behind those that are to be settled.
    until: usize,
    /// Bytes of the last parts.
    last: usize,
    buffer: Vec<u8>,
}

/// How many bytes a part has, about: 1,024 nodes or edges with a few properties.
const PART: usize = 16 << 10;

impl IncrementalCopy<Graph> for GraphCopy {
    fn begin(graph: &mut Graph, copier: &Copier) -> Option<Self> {
        let version = Version::new(copier.versions(), |versions| graph.freeze(versions)).ok()?;
        let parts = version.image_parts();
        Some(GraphCopy { version, parts, next: 0, until: 0, last: 0, buffer: Vec::new() })
    }

    fn count(&self) -> usize {
        self.parts
    }

    fn make_room(&mut self, _bytes: usize) {}

    /// Nothing is read here: that needs no lock.
    fn read(&mut self, _: &mut Graph, _: &Copier, bytes: usize) -> Result<bool, Changed> {
        self.until = (self.next + (bytes / PART).max(1)).min(self.parts);
        Ok(self.until < self.parts)
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let before = out.len();
        for number in self.next..self.until {
            image::put_part(&self.version, number, &mut self.buffer, out);
        }
        (self.next, self.last) = (self.until, out.len() - before);
        Ok(())
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<(), Changed> {
        if self.next == self.parts { Ok(()) } else { Err(Changed) }
    }

    fn last_read(&self) -> usize {
        self.last
    }

    fn noted(&self) -> usize {
        0
    }
}

/// A graph that comes part by part.
pub struct GraphAssembly {
    loader: Loader,
    taken: usize,
}

impl Assembly<Graph> for GraphAssembly {
    fn begin(_: usize) -> Result<Self, Malformed> {
        Ok(GraphAssembly { loader: Loader::default(), taken: 0 })
    }

    fn add(&mut self, source: &mut Source<'_>, _: &PackLimits) -> Result<(), Malformed> {
        while !source.is_done() {
            self.loader.take_part(source.bytes()?)?;
            self.taken += 1;
        }
        Ok(())
    }

    fn finish(self) -> Result<(Graph, usize), Malformed> {
        Ok((self.loader.finish()?.into(), self.taken))
    }
}
