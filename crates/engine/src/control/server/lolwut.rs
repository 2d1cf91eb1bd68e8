//! LOLWUT: a twig, grown anew each time.

use base::{Args, CmdError, Command, Flag, Keyspace, Reply, Spec};
use wire::RespWriter;

use super::SERVER;
use crate::control::{Act, Control, acts, identity};
use crate::engine::entry::Action;

/// The row of this command.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![Lolwut]
}

/// Draws a twig and tells the version.
pub struct Lolwut;

impl<'a> Command<'a> for Lolwut {
    const SPEC: Spec = Spec {
        name: "lolwut",
        since: "5.0.0",
        summary: "Draws a twig and tells the version.",
        complexity: "",
        grammar: "[VERSION version:integer]",
        flags: &[Flag::ReadOnly, Flag::Fast],
        ..SERVER
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        // Words that mean nothing are let pass, as Redis does. Its drawings of versions 5 and 6
        // take sizes, which must be numbers though there is but one drawing here.
        if args.left() >= 2 && args.token("VERSION") {
            let sizes = match args.integer()? {
                5 => 3,
                6 => 2,
                _ => 0,
            };
            for _ in 0..sizes {
                if args.left() > 0 {
                    args.integer()?;
                }
            }
        }
        Ok(Lolwut)
    }
}

const WIDTH: usize = 41;
const HEIGHT: usize = 10;

impl Act for Lolwut {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let rng = control.txn.rng();
        let mut text = twig(&mut || rng.next_u64());
        text += &format!(
            "\nKvist ver. {} (speaks Redis {})\n",
            identity::KVIST_VERSION,
            identity::REDIS_VERSION
        );
        out.verbatim("txt", text.as_bytes());
        Ok(())
    }
}

/// A stem from the bottom to the top, with side branches that lean away from it.
fn twig(entropy: &mut dyn FnMut() -> u64) -> String {
    let mut canvas = vec![vec![b' '; WIDTH]; HEIGHT];
    let mut stem = WIDTH / 2;
    for row in (0..HEIGHT).rev() {
        let (left, right) = (entropy().is_multiple_of(3), entropy().is_multiple_of(3));
        canvas[row][stem] = if row == 0 { b'*' } else { b'|' };
        for (grows, glyph, left_side) in [(left, b'\\', true), (right, b'/', false)] {
            let length = if grows { 1 + usize::try_from(entropy() % 5).unwrap_or(1) } else { 0 };
            for step in 1..=length.min(row) {
                let column = if left_side { stem - step } else { stem + step };
                canvas[row - step + 1][column] = if step == length { b'o' } else { glyph };
            }
        }
        match entropy() % 6 {
            0 if stem > 10 => stem -= 1,
            1 if stem < WIDTH - 10 => stem += 1,
            _ => {}
        }
    }
    let line = |row: &Vec<u8>| String::from_utf8_lossy(row).trim_end().to_owned() + "\n";
    canvas.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_twig_fits_its_canvas() {
        let mut state = 1_u64;
        for _ in 0..500 {
            let text = twig(&mut || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 33
            });
            assert_eq!(text.lines().count(), HEIGHT);
            assert!(text.contains('*'));
        }
    }
}
