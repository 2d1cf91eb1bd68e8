//! Texts of a column, one behind the other: to fetch and to pass on many takes one allocation, and
//! not one each.

/// Texts longer than this on average are kept each by itself, where a copy costs a count.
const SHORT: usize = 64;

/// Some texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColumn {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl TextColumn {
    /// These texts, if they are short enough to be kept so.
    #[must_use]
    pub fn of(texts: &[&str]) -> Option<TextColumn> {
        let bytes = texts.iter().map(|text| text.len()).sum::<usize>();
        if bytes > texts.len().saturating_mul(SHORT) {
            return None;
        }
        let mut all = TextColumn::with_room(texts.len(), bytes);
        texts.iter().try_for_each(|text| all.push(text))?;
        Some(all)
    }

    fn with_room(texts: usize, bytes: usize) -> TextColumn {
        TextColumn { text: String::with_capacity(bytes), ends: Vec::with_capacity(texts) }
    }

    fn push(&mut self, text: &str) -> Option<()> {
        let end = u32::try_from(self.text.len() + text.len()).ok()?;
        self.text.push_str(text);
        self.ends.push(end);
        Some(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at a position.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    /// All texts, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Some of them, in the order given; none if they would be too long together.
    pub(super) fn gather(&self, rows: &[u32]) -> Option<TextColumn> {
        let bytes = rows.iter().map(|&row| self.get(row as usize).len()).sum();
        let mut all = TextColumn::with_room(rows.len(), bytes);
        rows.iter().try_for_each(|&row| all.push(self.get(row as usize)))?;
        Some(all)
    }

    /// The first ones of each part, one behind the other; none if they would be too long together.
    pub(super) fn concat(parts: &[(&TextColumn, usize)]) -> Option<TextColumn> {
        let bytes = parts.iter().map(|(texts, _)| texts.text.len()).sum();
        let mut all = TextColumn::with_room(parts.iter().map(|(_, len)| len).sum(), bytes);
        for (texts, len) in parts {
            texts.iter().take(*len).try_for_each(|text| all.push(text))?;
        }
        Some(all)
    }

    /// The bytes that it keeps.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.len() + size_of_val(&self.ends[..])
    }
}
