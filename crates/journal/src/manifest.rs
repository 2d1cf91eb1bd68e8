//! The manifest: which files are the dataset.
//!
//! A short text, replaced as a whole: written under another name, synced, renamed. What it does
//! not name is not part of the dataset, so a snapshot counts from the moment it is named here, and
//! the files it replaces are given up only afterwards.
//!
//! ```text
//!   kvist-manifest 2
//!   id 0f1e2d3c4b5a69788796a5b4c3d2e1f0
//!   seed 0123456789abcdef
//!   hash 1
//!   shards 64
//!   snapshot snapshot-00000000000000000003.kvs      (or: snapshot -)
//!   journal 7 open 41                               (or: journal 7 to 9, or: journal -)
//!   checksum 89abcdef
//! ```
//!
//! Version 1 has no `hash`: its keys are hashed with publicly known numbers. A directory that was
//! begun with it goes on with it, as where its keys stand does not change.

use std::io;

use base::{HashFunction, Hashing};

use crate::disk::Disk;
use crate::snapshot::Header;

/// The file's name.
pub const NAME: &str = "MANIFEST";
const FRESH: &str = "MANIFEST.new";
/// The first lines of the versions: of that which says how keys are hashed, and the one before it.
const TITLE: &str = "kvist-manifest 2";
const FIRST_TITLE: &str = "kvist-manifest 1";

/// Which segments of the journal count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segments {
    /// None.
    None,
    /// The first and all that follow; frames up to the second number are durable.
    From(u64, u64),
    /// The first to the second, both included.
    Between(u64, u64),
}

/// What the directory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Names the dataset: files of another one are not taken for its own.
    pub id: [u8; 16],
    /// How keys are hashed, which says in which shard a key stands, and where there.
    pub hashing: Hashing,
    /// The number of shards when the files were written.
    pub shards: usize,
    /// The snapshot's file.
    pub snapshot: Option<String>,
    /// What has happened since.
    pub journal: Segments,
}

impl Manifest {
    /// Whether a snapshot with this header is one of this dataset.
    #[must_use]
    pub fn knows(&self, header: &Header) -> bool {
        header.id == self.id
            && header.hashing == self.hashing
            && header.shards as usize == self.shards
    }

    /// As text.
    #[must_use]
    pub fn encode(&self) -> String {
        let id: String = self.id.iter().map(|byte| format!("{byte:02x}")).collect();
        let journal = match self.journal {
            Segments::None => "-".to_owned(),
            Segments::From(first, durable) => format!("{first} open {durable}"),
            Segments::Between(first, last) => format!("{first} to {last}"),
        };
        let Hashing { function, seed } = self.hashing;
        let (title, hash) = match function {
            HashFunction::KnownNumbers => (FIRST_TITLE, String::new()),
            other => (TITLE, format!("hash {}\n", other.number())),
        };
        let text = format!(
            "{title}\nid {id}\nseed {seed:016x}\n{hash}shards {}\nsnapshot {}\njournal {journal}\n",
            self.shards,
            self.snapshot.as_deref().unwrap_or("-"),
        );
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}checksum {crc:08x}\n")
    }

    /// From text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decode(text: &str) -> Result<Self, String> {
        let (body, sum) = text
            .trim_end()
            .rsplit_once("\nchecksum ")
            .ok_or("it has no checksum: it is cut off, or not a manifest")?;
        let body = format!("{body}\n");
        if u32::from_str_radix(sum, 16).ok() != Some(crc32fast::hash(body.as_bytes())) {
            return Err("its checksum is wrong".to_owned());
        }
        let mut lines = body.lines();
        let title = lines.next().unwrap_or_default();
        if title != TITLE && title != FIRST_TITLE {
            return Err(format!("it begins with '{title}', not '{TITLE}': another version?"));
        }
        let mut field = |name: &str| {
            let line = lines.next().unwrap_or_default();
            let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            value.map(str::to_owned).ok_or_else(|| format!("'{line}' stands where {name} should"))
        };
        let wrong = |name: &str, value: &str| format!("'{value}' is not a {name}");
        let id = field("id")?;
        let seed = field("seed")?;
        let function = match title {
            TITLE => function(&field("hash")?)?,
            _ => HashFunction::KnownNumbers,
        };
        let shards = field("shards")?;
        let snapshot = field("snapshot")?;
        let journal = field("journal")?;
        let id = parse_id(&id).ok_or_else(|| wrong("id", &id))?;
        let manifest = Manifest {
            id,
            hashing: Hashing {
                function,
                seed: u64::from_str_radix(&seed, 16).map_err(|_| wrong("seed", &seed))?,
            },
            shards: shards
                .parse()
                .ok()
                .filter(|&count: &usize| count.is_power_of_two() && count <= 1 << 16)
                .ok_or_else(|| wrong("number of shards", &shards))?,
            snapshot: (snapshot != "-").then_some(snapshot),
            journal: segments(&journal).ok_or_else(|| wrong("range of segments", &journal))?,
        };
        // Every byte counts: also those that would be read the same.
        if manifest.encode() == text {
            Ok(manifest)
        } else {
            Err("its checksum is wrong".to_owned())
        }
    }

    /// The manifest of a directory, if it has one.
    ///
    /// # Errors
    /// It cannot be read or is damaged.
    pub fn read(disk: &dyn Disk) -> io::Result<Option<Self>> {
        let file = match disk.open(NAME) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = vec![0; usize::try_from(file.len()?.min(1 << 16)).unwrap_or(0)];
        let got = file.read_at(0, &mut bytes)?;
        bytes.truncate(got);
        let text = String::from_utf8_lossy(&bytes);
        let damaged = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        Manifest::decode(&text).map(Some).map_err(damaged)
    }

    /// Makes it the manifest of a directory: from when this returns, durably.
    ///
    /// # Errors
    /// The disk refuses; the old one still stands, or the new one does.
    pub fn write(&self, disk: &dyn Disk) -> io::Result<()> {
        self.write_as(disk, NAME)
    }

    /// As [`Manifest::write`], under another name.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_as(&self, disk: &dyn Disk, name: &str) -> io::Result<()> {
        let file = disk.create(FRESH)?;
        file.write_at(0, self.encode().as_bytes())?;
        file.sync()?;
        disk.rename(FRESH, name)?;
        disk.sync_names()
    }
}

fn parse_id(text: &str) -> Option<[u8; 16]> {
    let number = u128::from_str_radix(text, 16).ok()?;
    (text.len() == 32).then(|| number.to_be_bytes())
}

fn function(number: &str) -> Result<HashFunction, String> {
    let known = number.parse().ok().and_then(HashFunction::of_number);
    known.ok_or_else(|| format!("its keys are hashed in a way '{number}': another version?"))
}

fn segments(text: &str) -> Option<Segments> {
    if text == "-" {
        return Some(Segments::None);
    }
    if let Some((first, durable)) = text.split_once(" open ") {
        return Some(Segments::From(first.parse().ok()?, durable.parse().ok()?));
    }
    let (first, last) = text.split_once(" to ")?;
    Some(Segments::Between(first.parse().ok()?, last.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_and_damage_is_seen() {
        let old = Hashing { function: HashFunction::KnownNumbers, seed: 42 };
        for (snapshot, journal, hashing) in [
            (None, Segments::From(1, 0), Hashing::new(42)),
            (Some("snapshot-1.kvs".to_owned()), Segments::Between(3, 9), old),
            (None, Segments::None, old),
        ] {
            let manifest = Manifest { id: [7; 16], hashing, shards: 64, snapshot, journal };
            let text = manifest.encode();
            assert_eq!(Manifest::decode(&text), Ok(manifest));
            for at in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                for bit in 0..8 {
                    bytes[at] ^= 1 << bit;
                    let flipped = String::from_utf8_lossy(&bytes);
                    assert!(Manifest::decode(&flipped).is_err(), "bit {bit} of byte {at}");
                    bytes[at] ^= 1 << bit;
                }
                assert!(Manifest::decode(&text[..at]).is_err(), "cut at {at}");
            }
        }
    }

    #[test]
    fn it_says_how_keys_are_hashed() {
        let hashing = Hashing::new(42);
        let journal = Segments::None;
        let new = Manifest { id: [7; 16], hashing, shards: 64, snapshot: None, journal };
        let text = new.encode();
        assert!(text.starts_with("kvist-manifest 2\n"), "older servers refuse it: {text}");
        assert!(text.contains("\nseed 000000000000002a\nhash 1\nshards 64\n"), "{text}");
        let old = Hashing { function: HashFunction::KnownNumbers, ..hashing };
        let old = Manifest { hashing: old, ..new }.encode();
        assert!(old.starts_with("kvist-manifest 1\n") && !old.contains("hash"), "{old}");
        for other in ["hash 0\n", "hash 2\n", ""] {
            let (body, _) = text.rsplit_once("checksum ").unwrap_or_default();
            let body = body.replace("hash 1\n", other);
            let other = format!("{body}checksum {:08x}\n", crc32fast::hash(body.as_bytes()));
            assert!(Manifest::decode(&other).is_err(), "{other}");
        }
    }
}
