//! How hxRedis names its keys.

/// Names that may begin with more, where several projects share a database.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    prefix: String,
}

/// What a key is there for.
#[derive(Debug, PartialEq, Eq)]
pub enum Place<'k> {
    /// The record with this id.
    Record(&'k [u8]),
    /// What the record with this id has measured.
    History(&'k [u8]),
    /// The ids of all records.
    All,
    /// The ids of those that have this tag.
    Index(&'k [u8]),
    Version,
    /// Nothing that hxRedis knows.
    Other,
}

impl Layout {
    pub fn new(prefix: &str) -> Self {
        Layout { prefix: prefix.to_owned() }
    }

    pub fn place<'k>(&self, key: &'k [u8]) -> Place<'k> {
        let Some(name) = key.strip_prefix(self.prefix.as_bytes()) else { return Place::Other };
        let behind = |word: &[u8]| name.strip_prefix(word);
        match name {
            b"idx:all" => Place::All,
            b"meta:version" => Place::Version,
            _ => behind(b"rec:")
                .map(Place::Record)
                .or_else(|| behind(b"his:").map(Place::History))
                .or_else(|| behind(b"idx:tag:").map(Place::Index))
                .unwrap_or(Place::Other),
        }
    }

    fn key(&self, word: &str, rest: &str) -> String {
        [&self.prefix, word, rest].concat()
    }

    /// A hash: the record as Trio in `trio`, its tag `mod` as text in `mod`.
    pub fn record(&self, id: &str) -> String {
        self.key("rec:", id)
    }

    /// A sorted set: a sample as Trio, by its milliseconds since 1970.
    pub fn history(&self, id: &str) -> String {
        self.key("his:", id)
    }

    pub fn all(&self) -> String {
        self.key("idx:all", "")
    }

    pub fn index(&self, tag: &str) -> String {
        self.key("idx:tag:", tag)
    }

    pub fn version(&self) -> String {
        self.key("meta:version", "")
    }

    /// Where [`all`](Self::all) is made before it counts.
    pub fn unfinished(&self) -> String {
        self.key("idx:unfinished", "")
    }

    /// The pattern of all its keys.
    pub fn pattern(&self) -> String {
        let mut pattern = String::new();
        for letter in self.prefix.chars() {
            if matches!(letter, '*' | '?' | '[' | ']' | '\\' | '^') {
                pattern.push('\\');
            }
            pattern.push(letter);
        }
        pattern + "*"
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Place};

    #[test]
    fn keys_are_told_apart() {
        let plain = Layout::default();
        let cases: [(&str, Place<'_>); 8] = [
            ("rec:p:a", Place::Record(b"p:a")),
            ("his:a", Place::History(b"a")),
            ("idx:all", Place::All),
            ("idx:tag:all", Place::Index(b"all")),
            ("meta:version", Place::Version),
            ("meta:other", Place::Other),
            ("record", Place::Other),
            ("", Place::Other),
        ];
        for (key, place) in cases {
            assert_eq!(plain.place(key.as_bytes()), place, "{key}");
            let own = format!("a*{key}");
            assert_eq!(Layout::new("a*").place(own.as_bytes()), place, "{own}");
        }
        assert_eq!(Layout::new("b:").place(b"rec:a"), Place::Other);
        assert_eq!(Layout::new("a*[").pattern(), "a\\*\\[*");
        assert_eq!(Layout::new("t:").record("a"), "t:rec:a");
    }
}
