//! A project as it stands in snapshots and records.
//!
//! ```text
//!   | 1,024s of records | length | header | length | records | … | length | histories | … | 0 |
//! ```
//!
//! What is in a piece, `folio/src/image.rs` knows. A piece of no bytes ends it. Transient tags are
//! not in it.

use ::folio::{ImageLoader, ImagePlace, Layer, Project, View};
use base::codec::{Malformed, Source, put_bytes, put_number};

/// Appends a project.
pub(super) fn encode(project: &View, layer: Layer, out: &mut Vec<u8>) {
    put_number(out, project.image_segments() as u64);
    let (mut place, mut buffer) = (ImagePlace::default(), Vec::new());
    while !place.is_end() {
        put_piece(project, &mut place, layer, (&mut buffer, out));
    }
    put_end(out);
}

/// Appends the next piece with its length; `buffer` is for the piece alone.
pub(super) fn put_piece(
    view: &View,
    place: &mut ImagePlace,
    layer: Layer,
    (buffer, out): (&mut Vec<u8>, &mut Vec<u8>),
) {
    buffer.clear();
    view.put_image_piece(place, layer, buffer);
    if !buffer.is_empty() {
        put_bytes(out, buffer);
    }
}

/// Appends what stands behind the last piece.
pub(super) fn put_end(out: &mut Vec<u8>) {
    put_bytes(out, b"");
}

/// Reads a project.
pub(super) fn decode(source: &mut Source<'_>) -> Result<Project, Malformed> {
    let mut loader = ImageLoader::default();
    source.length()?;
    while let Some(piece) = next(source)? {
        loader.take_piece(piece)?;
    }
    loader.finish()
}

/// The next piece, if it is not the end.
pub(super) fn next<'a>(source: &mut Source<'a>) -> Result<Option<&'a [u8]>, Malformed> {
    source.bytes().map(|piece| (!piece.is_empty()).then_some(piece))
}

/// Passes over a project.
pub(super) fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    source.length()?;
    while next(source)?.is_some() {}
    Ok(())
}

/// A project like this one, transient tags among them, of which it shares nothing.
pub(super) fn copy(project: &Project) -> Result<Project, Malformed> {
    let (mut place, mut loader) = (ImagePlace::default(), ImageLoader::default());
    let mut piece = Vec::new();
    while !place.is_end() {
        piece.clear();
        project.put_image_piece(&mut place, Layer::Merged, &mut piece);
        if !piece.is_empty() {
            loader.take_piece(&piece)?;
        }
    }
    loader.finish()
}
