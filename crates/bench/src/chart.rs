//! A bar chart as PNG: horizontal bars in groups, with a 5×7 bitmap font.
//!
//! Drawn here because a plotting library would be larger than the whole harness.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// Bars that belong together: one per server.
pub(crate) struct Group {
    pub title: String,
    pub values: Vec<f64>,
}

const WIDTH: usize = 1000;
const BAR: usize = 14;
const GAP: usize = 16;
const LEFT: usize = 300;
const TOP: usize = 60;
const COLORS: [[u8; 3]; 5] =
    [[32, 112, 96], [190, 70, 60], [70, 100, 170], [150, 120, 40], [110, 110, 110]];

/// Draws `groups`, one colour per name.
pub(crate) fn write(
    path: &Path,
    title: &str,
    names: &[String],
    groups: &[Group],
) -> io::Result<()> {
    let rows: usize = groups.iter().map(|g| g.values.len() * BAR + GAP).sum();
    let mut canvas = Canvas::new(WIDTH, TOP + rows + 20);
    canvas.text(12, 10, title, [0, 0, 0]);
    let mut x = 12;
    for (number, name) in names.iter().enumerate() {
        canvas.rect(x, 32, 10, 10, COLORS[number % COLORS.len()]);
        canvas.text(x + 14, 33, name, [0, 0, 0]);
        x += 24 + name.chars().count() * 6 + 20;
    }
    let most = groups.iter().flat_map(|g| &g.values).copied().fold(1e-9, f64::max);
    let mut y = TOP;
    for group in groups {
        canvas.text(12, y + 4, &group.title, [0, 0, 0]);
        for (number, value) in group.values.iter().enumerate() {
            let share = (value / most).clamp(0.0, 1.0);
            // A share of the width: small and not negative.
            let length = (share * (WIDTH - LEFT - 80) as f64) as usize;
            canvas.rect(LEFT, y, length.max(1), BAR - 3, COLORS[number % COLORS.len()]);
            canvas.text(LEFT + length + 6, y + 2, &format!("{value:.2}"), [60, 60, 60]);
            y += BAR;
        }
        y += GAP;
    }
    canvas.save(path)
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Canvas { width, height, pixels: vec![255; width * height * 3] }
    }

    fn rect(&mut self, x: usize, y: usize, width: usize, height: usize, color: [u8; 3]) {
        for row in y..(y + height).min(self.height) {
            for column in x..(x + width).min(self.width) {
                let at = (row * self.width + column) * 3;
                self.pixels[at..at + 3].copy_from_slice(&color);
            }
        }
    }

    fn text(&mut self, x: usize, y: usize, text: &str, color: [u8; 3]) {
        for (place, letter) in text.chars().enumerate() {
            for (row, bits) in glyph(letter).into_iter().enumerate() {
                for column in 0..5 {
                    if bits & (0b10000 >> column) != 0 {
                        self.rect(x + place * 6 + column, y + row, 1, 1, color);
                    }
                }
            }
        }
    }

    fn save(&self, path: &Path) -> io::Result<()> {
        let size = |n: usize| u32::try_from(n).map_err(io::Error::other);
        let file = BufWriter::new(File::create(path)?);
        let mut encoder = png::Encoder::new(file, size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&self.pixels).map_err(io::Error::other)
    }
}

/// Rows of a letter, five bits each. Letters are drawn as capitals.
fn glyph(letter: char) -> [u8; 7] {
    match letter.to_ascii_uppercase() {
        'A' => [0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
        'B' => [0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e],
        'C' => [0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e],
        'D' => [0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e],
        'E' => [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f],
        'F' => [0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10],
        'G' => [0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0f],
        'H' => [0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
        'I' => [0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e],
        'J' => [0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c],
        'K' => [0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11],
        'L' => [0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f],
        'M' => [0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11],
        'N' => [0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11],
        'O' => [0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e],
        'P' => [0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10],
        'Q' => [0x0e, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0d],
        'R' => [0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11],
        'S' => [0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e],
        'T' => [0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04],
        'U' => [0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e],
        'V' => [0x11, 0x11, 0x11, 0x11, 0x11, 0x0a, 0x04],
        'W' => [0x11, 0x11, 0x11, 0x11, 0x15, 0x1b, 0x11],
        'X' => [0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11],
        'Y' => [0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04],
        'Z' => [0x1f, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1f],
        '0' => [0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e],
        '1' => [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
        '2' => [0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f],
        '3' => [0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e],
        '4' => [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
        '5' => [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
        '6' => [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
        '7' => [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
        '8' => [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
        '9' => [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c],
        '.' => [0, 0, 0, 0, 0, 0x0c, 0x0c],
        ',' => [0, 0, 0, 0, 0x0c, 0x04, 0x08],
        '-' => [0, 0, 0, 0x1f, 0, 0, 0],
        '_' => [0, 0, 0, 0, 0, 0, 0x1f],
        ':' => [0, 0x0c, 0x0c, 0, 0x0c, 0x0c, 0],
        '(' => [0x02, 0x04, 0x08, 0x08, 0x08, 0x04, 0x02],
        ')' => [0x08, 0x04, 0x02, 0x02, 0x02, 0x04, 0x08],
        '/' => [0x01, 0x01, 0x02, 0x04, 0x08, 0x10, 0x10],
        _ => [0; 7],
    }
}
