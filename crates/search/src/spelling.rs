//! How far two words are apart in letters, for `FT.SPELLCHECK`, and for suggestions that are
//! mistyped.

/// The letters of a text; a byte that belongs to no character is a letter of its own.
pub fn letters(text: &[u8]) -> Vec<u32> {
    let mut letters = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        letters.extend(chunk.valid().chars().map(u32::from));
        // Above all characters.
        letters.extend(chunk.invalid().iter().map(|byte| 0x11_0000 + u32::from(*byte)));
    }
    letters
}

/// The Levenshtein distance, if it is at most so many.
pub fn distance(a: &[u32], b: &[u32], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for letter in b {
        next_row(&mut row, a, *letter);
        if row.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= most)
}

/// Turns the distances of the beginnings of a word to a text into those to the text with a letter
/// more.
pub(crate) fn next_row(row: &mut [usize], word: &[u32], letter: u32) {
    let Some(first) = row.first_mut() else { return };
    let mut diagonal = *first;
    *first += 1;
    for (at, other) in word.iter().enumerate() {
        let above = row[at + 1];
        let changed = diagonal + usize::from(*other != letter);
        row[at + 1] = changed.min(above + 1).min(row[at] + 1);
        diagonal = above;
    }
}

/// The score of a suggestion: the share of documents with the word.
#[allow(clippy::cast_precision_loss)] // counts of documents
pub fn score(documents_with: usize, documents: usize) -> f64 {
    if documents == 0 { 0.0 } else { documents_with as f64 / documents as f64 }
}

#[cfg(test)]
mod tests {
    //! Distances against the plain recursion.

    use super::{distance, letters};

    fn plain(a: &[u32], b: &[u32]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a @ ..], [y, b @ ..]) if x == y => plain(a, b),
            ([_, x @ ..], [_, y @ ..]) => 1 + plain(x, b).min(plain(a, y)).min(plain(x, y)),
        }
    }

    #[test]
    fn distances() {
        let words = ["", "a", "abc", "acb", "xabc", "hello", "help", "\u{e9}cole", "ecole"];
        for a in words.map(|word| letters(word.as_bytes())) {
            for b in words.map(|word| letters(word.as_bytes())) {
                for most in 0..6 {
                    let expected = Some(plain(&a, &b)).filter(|distance| *distance <= most);
                    assert_eq!(distance(&a, &b, most), expected);
                }
            }
        }
        assert_eq!(letters(b"a\xffb").len(), 3);
    }
}
