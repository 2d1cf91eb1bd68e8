//! A folder of tables: each file has one header, so that FalkorDB's bulk loader takes it as it is.
//!
//! ```text
//!   tables.csv          kind,name,file: in the order in which they are read back
//!   nodes-1.csv …       relationships-1.csv …
//!   schema.cypher       indexes and constraints, as statements
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use ::graph::import::Rows;

/// The list of the tables.
pub(super) const LIST: &str = "tables.csv";
/// Its header.
pub(super) const HEADER: &str = "kind,name,file";
/// So many files are open at a time.
const OPEN: usize = 64;

/// A table: what it is of, and its header.
type Table = (Vec<u8>, Vec<u8>, Vec<u8>);

/// A folder that tables are written to.
pub(super) struct Folder {
    path: PathBuf,
    /// The number of each table's file.
    numbers: BTreeMap<Table, usize>,
    /// In their order: what they are of, and how the file is called.
    list: Vec<(Vec<u8>, Vec<u8>, String)>,
    open: BTreeMap<usize, BufWriter<File>>,
    /// Bytes that were written.
    pub bytes: u64,
}

impl Folder {
    /// A folder that is new, or empty.
    ///
    /// # Errors
    /// It cannot be made, or has something in it.
    pub fn create(path: &Path) -> Result<Folder, String> {
        let at = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(path).map_err(at)?;
        if fs::read_dir(path).map_err(at)?.next().is_some() {
            return Err(format!("{}: there is something in it already", path.display()));
        }
        let (numbers, list, open) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        Ok(Folder { path: path.to_owned(), numbers, list, open, bytes: 0 })
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.list.len()
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, kind: &[u8], name: &[u8], text: &[u8]) -> Result<(), String> {
        let is_table = kind != b"SCHEMA";
        // A name in it may have a line break, in quotes.
        let header = Rows::new(text).next_ended().map_or(text.len(), |row| row.bytes.len());
        let (header, rows) = if is_table { text.split_at(header) } else { (&b""[..], text) };
        let table = (kind.to_vec(), name.to_vec(), header.to_vec());
        let number = match self.numbers.get(&table) {
            Some(&number) => number,
            None => self.begin(table)?,
        };
        let Folder { path, list, open, bytes, .. } = self;
        let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
        if open.len() >= OPEN && !open.contains_key(&number) {
            for (_, mut file) in std::mem::take(open) {
                file.flush().map_err(wrong)?;
            }
        }
        let file = match open.entry(number) {
            std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let name = list.get(number).map_or("", |(_, _, name)| name);
                let file = File::options().append(true).create(true).open(path.join(name));
                place.insert(BufWriter::new(file.map_err(wrong)?))
            }
        };
        let ended: &[u8] = if is_table { b"" } else { b"\n" };
        *bytes += (rows.len() + ended.len()) as u64;
        file.write_all(rows).and_then(|()| file.write_all(ended)).map_err(wrong)
    }

    /// Begins the file of a table with its header.
    fn begin(&mut self, table: Table) -> Result<usize, String> {
        let (kind, name, header) = table.clone();
        let stem = if kind == b"NODES" { "nodes" } else { "relationships" };
        let number = 1 + self.list.iter().filter(|(other, ..)| *other == kind).count();
        let file = match kind.as_slice() {
            b"SCHEMA" => "schema.cypher".to_owned(),
            _ => format!("{stem}-{number}.csv"),
        };
        let written = fs::write(self.path.join(&file), &header);
        written.map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.bytes += header.len() as u64;
        self.list.push((kind, name, file));
        self.numbers.insert(table, self.list.len() - 1);
        Ok(self.list.len() - 1)
    }

    /// Ends all files and writes their list; how FalkorDB's bulk loader is called for them.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn end(self, key: &str) -> Result<String, String> {
        let Folder { path, list, open, .. } = self;
        let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
        for (_, mut file) in open {
            file.flush().map_err(wrong)?;
        }
        let mut text = format!("{HEADER}\n").into_bytes();
        let mut command = format!("falkordb-bulk-insert {} --enforce-schema", word(key));
        for (kind, name, file) in list {
            let quoted = String::from_utf8_lossy(&name).replace('"', "\"\"");
            text.extend(
                [&kind[..], b",\"", quoted.as_bytes(), b"\",", file.as_bytes(), b"\n"].concat(),
            );
            let option = match kind.as_slice() {
                b"NODES" => "-N",
                b"RELATIONSHIPS" => "-R",
                _ => continue,
            };
            let (name, file) = (String::from_utf8_lossy(&name), path.join(&file));
            command.push_str(&format!(
                " {option} {} {}",
                word(&name),
                word(&file.to_string_lossy())
            ));
        }
        fs::write(path.join(LIST), text).map_err(wrong)?;
        Ok(command)
    }
}

/// A word as shells take it.
fn word(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_-./:".contains(char);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
