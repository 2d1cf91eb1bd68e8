//! `kvist import folio` and `kvist export folio`: projects of a running server from and to files of
//! Haystack's formats.
//!
//! ```text
//!   a.trio  b.zinc  c.json  d.csv     records: all files of folders, in order of their names
//!   his/ID.zinc  his/ID.csv           samples of a point: files whose columns are ts and val
//! ```
//!
//! An import makes a project whole or not at all. Files are read record by record, but for JSON,
//! which is read whole.

mod csv_rows;
pub mod export;
pub mod import;
mod read;
mod trio_pieces;

use std::path::{Path, PathBuf};

use crate::offline::remote::Login;

/// What stands behind the verbs.
pub const WORD: &str = "folio";

/// The formats of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Format {
    #[default]
    Trio,
    Zinc,
    Json,
    Csv,
}

impl Format {
    const ALL: [(&'static str, Format); 5] = [
        ("trio", Format::Trio),
        ("zinc", Format::Zinc),
        ("json", Format::Json),
        ("hayson", Format::Json),
        ("csv", Format::Csv),
    ];

    fn named(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// By the ending of a file's name.
    fn of(path: &Path) -> Option<Format> {
        path.extension().and_then(|ending| Format::named(&ending.to_string_lossy().to_lowercase()))
    }

    fn ending(self) -> &'static str {
        Format::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }
}

/// The arguments of both verbs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    address: String,
    project: String,
    paths: Vec<PathBuf>,
    format: Format,
    id_prefix: Option<String>,
    replace: bool,
    skip_damaged: bool,
    login: Login,
}

fn parse(args: &[String]) -> Result<Arguments, String> {
    let mut parsed = Arguments { login: Login::of_environment(), ..Arguments::default() };
    let mut plain = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--format" => {
                let name = value()?;
                let format = Format::named(&name);
                parsed.format = format.ok_or("the formats are trio, zinc, json and csv")?;
            }
            "--id-prefix" => parsed.id_prefix = Some(value()?),
            "--user" => parsed.login.user = Some(value()?),
            "--pass" => parsed.login.password = Some(value()?),
            "--replace" => parsed.replace = true,
            "--skip-damaged" => parsed.skip_damaged = true,
            option if option.starts_with("--") => return Err(format!("there is no '{option}'")),
            word => plain.push(word.to_owned()),
        }
    }
    let mut plain = plain.into_iter();
    let (Some(address), Some(project)) = (plain.next(), plain.next()) else {
        return Err("HOST:PORT and PROJECT are missing".to_owned());
    };
    parsed.paths = plain.map(PathBuf::from).collect();
    (parsed.address, parsed.project) = (address, project);
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::{Format, parse};
    use std::path::Path;

    #[test]
    fn arguments_are_told_apart() {
        let read = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            parse(&words)
        };
        let parsed = read("h:1 --format csv p a b --replace --user u").unwrap_or_default();
        assert_eq!((parsed.address.as_str(), parsed.project.as_str()), ("h:1", "p"));
        assert_eq!((parsed.paths.len(), parsed.format), (2, Format::Csv));
        assert!(parsed.replace && !parsed.skip_damaged && parsed.login.user.is_some());
        for wrong in ["h:1", "h:1 p --format xml", "h:1 p --what", "h:1 p --format"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Format::of(Path::new("a/b.ZINC")), Some(Format::Zinc));
        assert_eq!((Format::of(Path::new("zinc")), Format::Json.ending()), (None, "json"));
    }
}
