//! Images: read back the same, and damaged in every byte.

use base::Rng;

use super::*;
use crate::ELEMENTS;
use crate::vectors::tests::{blob, options};

fn pieces(vectors: &Vectors) -> Vec<Vec<u8>> {
    let piece = |number| {
        let mut out = Vec::new();
        vectors.put_image_piece(number, &mut out);
        out
    };
    (0..vectors.image_pieces()).map(piece).collect()
}

fn read(options: Options, row_end: u32, pieces: &[Vec<u8>]) -> Result<Vectors, Malformed> {
    let mut loading = Loading::new(options, row_end);
    pieces.iter().try_for_each(|piece| loading.read_piece(piece))?;
    loading.finish()
}

fn filled(options: Options, count: usize) -> Vectors {
    let mut rng = Rng::new(31);
    let mut vectors = Vectors::new(options);
    for _ in 0..count {
        let row = rng.below(count) as u32;
        if rng.below(4) == 0 {
            vectors.remove(row);
        }
        vectors.insert(row, &blob(&mut rng, options.element, options.dimension)).unwrap();
    }
    vectors
}

#[test]
fn an_image_is_read_back() {
    let mut rng = Rng::new(32);
    for element in ELEMENTS {
        for metric in [Metric::L2, Metric::Cosine] {
            for count in [0, 1, 2, 300] {
                for graph in [options(element, metric, 6).graph, None] {
                    let options = Options { graph, ..options(element, metric, 6) };
                    let vectors = filled(options, count);
                    let mut again = read(options, count as u32, &pieces(&vectors)).unwrap();
                    again.check();
                    assert_eq!(
                        (again.len(), again.row_count()),
                        (vectors.len(), vectors.row_count())
                    );
                    for row in 0..count as u32 {
                        let sorted = |vectors: &Vectors| {
                            let mut all = vectors.vectors(row);
                            all.sort_unstable();
                            all
                        };
                        assert_eq!(sorted(&again), sorted(&vectors));
                    }
                    let query = blob(&mut rng, element, 6);
                    let nearest = |vectors: &Vectors| {
                        vectors.nearest(&query, 20, 20, None, &mut |_| false).unwrap()
                    };
                    assert_eq!(nearest(&again).len(), nearest(&vectors).len());
                    again.insert(7, &query).unwrap();
                    again.check();
                }
            }
        }
    }
}

#[test]
fn large_images_have_several_pieces() {
    let options = options(Element::Float64, Metric::L2, 128);
    let vectors = filled(options, 200);
    let pieces = pieces(&vectors);
    assert!(pieces.len() > 4 && pieces.iter().all(|piece| piece.len() <= PIECE));
    read(options, 200, &pieces).unwrap().check();
    for at in 0..pieces.len() {
        let mut fewer = pieces.clone();
        fewer.remove(at);
        assert!(read(options, 200, &fewer).is_err());
        let mut twice = pieces.clone();
        twice.insert(at, pieces[at].clone());
        assert!(read(options, 200, &twice).is_err());
    }
    assert!(read(options, 100, &pieces).is_err(), "rows that the caller does not have");
    for other in [
        Options { dimension: 127, ..options },
        Options { metric: Metric::Cosine, ..options },
        Options { element: Element::Float32, ..options },
        Options { graph: None, ..options },
    ] {
        assert!(read(other, 200, &pieces).is_err());
    }
}

/// Checks what is accepted: it may be another graph, but it has to be one.
#[test]
fn damaged_images_are_refused_or_whole() {
    let options = options(Element::Uint8, Metric::Cosine, 2);
    let vectors = filled(options, 30);
    let whole = pieces(&vectors);
    let try_it = |pieces: &[Vec<u8>]| {
        let Ok(mut again) = read(options, 1000, pieces) else { return };
        again.check();
        again.nearest(&[1, 2], 5, 5, None, &mut |_| false).unwrap();
        for row in 0..1000 {
            again.remove(row);
        }
        again.check();
    };
    for piece in 0..whole.len() {
        for at in 0..whole[piece].len() {
            for value in [0, 1, 5, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[piece][at] = value;
                try_it(&damaged);
            }
            let mut cut = whole.clone();
            cut[piece].truncate(at);
            assert!(read(options, 1000, &cut).is_err());
        }
    }
    testkit::fuzz::fuzz(|rng| {
        let mut damaged = whole.clone();
        let piece = rng.below(damaged.len());
        let pieces: Vec<&[u8]> = whole.iter().map(Vec::as_slice).collect();
        testkit::fuzz::damage(rng, &mut damaged[piece], &pieces);
        try_it(&damaged);
    });
}
