//! In which formats grids are taken and given, and which of them is meant.

use haystack::{Dict, Error, Grid, csv, hayson, json3, trio, zinc};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Zinc 3: what is spoken where nothing else is asked for.
    Zinc,
    /// JSON of Haystack 4.
    Hayson,
    /// JSON of Haystack 3.
    Json3,
    /// Dicts, without what is said of the grid and its columns.
    Trio,
    /// Texts alone.
    Csv,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 5] =
        [Format::Zinc, Format::Hayson, Format::Json3, Format::Trio, Format::Csv];

    /// Its name among the file types.
    pub fn name(self) -> &'static str {
        match self {
            Format::Zinc => "zinc",
            Format::Hayson | Format::Json3 => "json",
            Format::Trio => "trio",
            Format::Csv => "csv",
        }
    }

    /// Its name in commands.
    pub fn of_commands(self) -> &'static str {
        match self {
            Format::Hayson => "hayson",
            other => other.name(),
        }
    }

    /// Its media type.
    pub fn mime(self) -> &'static str {
        match self {
            Format::Zinc => "text/zinc",
            Format::Hayson => "application/json",
            Format::Json3 => "application/vnd.haystack+json;version=3",
            Format::Trio => "text/trio",
            Format::Csv => "text/csv",
        }
    }

    /// The header of a body in it.
    pub fn content_type(self) -> &'static str {
        match self {
            Format::Zinc => "text/zinc; charset=utf-8",
            Format::Trio => "text/trio; charset=utf-8",
            Format::Csv => "text/csv; charset=utf-8",
            json => json.mime(),
        }
    }

    /// Whether it says what is said of the grid itself: that something failed, among others.
    pub fn tells_meta(self) -> bool {
        !matches!(self, Format::Trio | Format::Csv)
    }

    /// Reads a grid.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(self, text: &str) -> Result<Grid, Error> {
        match self {
            Format::Zinc => zinc::read_grid(text),
            Format::Hayson => hayson::read_grid(text),
            Format::Json3 => json3::read_grid(text),
            Format::Trio => Grid::from_dicts(Dict::new(), &trio::read(text)?),
            Format::Csv => csv::read_grid(text),
        }
    }

    /// Writes a grid.
    pub fn write(self, grid: &Grid) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Format::Zinc => zinc::write_grid(&mut out, grid),
            Format::Hayson => hayson::write_grid(&mut out, grid),
            Format::Json3 => json3::write_grid(&mut out, grid),
            Format::Trio => {
                for (at, row) in grid.rows().enumerate() {
                    out.extend_from_slice(if at == 0 { b"" } else { b"---\n" });
                    trio::append_dict(&mut out, &row.to_dict());
                }
            }
            Format::Csv => csv::write_grid(&mut out, grid),
        }
        out
    }

    /// The format of a body with this header; `None` if it is not spoken.
    ///
    /// ```text
    ///   application/vnd.haystack+json; version=3
    /// ```
    pub fn of_body(header: &str) -> Option<Self> {
        let media = Media::read(header);
        media.is_utf8().then(|| media.format()).flatten()
    }

    /// The format that a client takes: that which it likes best, and of those the first. Zinc, if
    /// it says nothing. `None` if it takes none that is spoken.
    pub fn accepted(header: Option<&str>) -> Option<Self> {
        let Some(header) = header else { return Some(Format::Zinc) };
        let mut best: Option<(f32, Format)> = None;
        for media in header.split(',').map(Media::read) {
            let quality = media.quality();
            let found = media.format().or_else(|| media.of_many());
            if let Some(format) = found
                && quality > best.map_or(0.0, |(quality, _)| quality)
            {
                best = Some((quality, format));
            }
        }
        best.map(|(_, format)| format)
    }
}

/// A media type with its parameters.
struct Media<'t> {
    name: String,
    params: Vec<(&'t str, &'t str)>,
}

impl<'t> Media<'t> {
    fn read(text: &'t str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let params = parts.filter_map(|part| part.split_once('='));
        let params = params.map(|(name, value)| (name.trim(), value.trim().trim_matches('"')));
        Media { name, params: params.collect() }
    }

    fn param(&self, name: &str) -> Option<&'t str> {
        let found = self.params.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }

    fn is_utf8(&self) -> bool {
        self.param("charset").is_none_or(|charset| {
            charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("us-ascii")
        })
    }

    fn quality(&self) -> f32 {
        let quality = self.param("q").map_or(Some(1.0), |text| text.parse().ok());
        quality.filter(|quality| (0.0..=1.0).contains(quality)).unwrap_or(0.0)
    }

    fn format(&self) -> Option<Format> {
        match self.name.as_str() {
            "text/zinc" | "text/plain" => Some(Format::Zinc),
            "application/json" | "application/vnd.haystack+json" => match self.param("version") {
                None | Some("4" | "4.0") => Some(Format::Hayson),
                Some("3" | "3.0") => Some(Format::Json3),
                Some(_) => None,
            },
            "text/trio" => Some(Format::Trio),
            "text/csv" => Some(Format::Csv),
            _ => None,
        }
    }

    /// The format that is meant by many types at once.
    fn of_many(&self) -> Option<Format> {
        match self.name.as_str() {
            "*/*" | "text/*" => Some(Format::Zinc),
            "application/*" => Some(Format::Hayson),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_takes() {
        let cases = [
            (None, Some(Format::Zinc)),
            (Some("*/*"), Some(Format::Zinc)),
            (Some("application/json"), Some(Format::Hayson)),
            (Some("application/vnd.haystack+json"), Some(Format::Hayson)),
            (Some("application/vnd.haystack+json;version=3"), Some(Format::Json3)),
            (Some("application/vnd.haystack+json; version=\"4\""), Some(Format::Hayson)),
            (Some("application/vnd.haystack+json;version=5"), None),
            (Some("text/html, application/xml;q=0.9, */*;q=0.8"), Some(Format::Zinc)),
            (Some("text/zinc;q=0.2, text/csv"), Some(Format::Csv)),
            (Some("text/zinc;q=0, application/json;q=0.1"), Some(Format::Hayson)),
            (Some("TEXT/TRIO"), Some(Format::Trio)),
            (Some("application/*"), Some(Format::Hayson)),
            (Some("image/png"), None),
            (Some("text/zinc;q=0"), None),
            (Some("text/zinc;q=nan"), None),
            (Some(""), None),
        ];
        for (header, format) in cases {
            assert_eq!(Format::accepted(header), format, "{header:?}");
        }
    }

    #[test]
    fn what_a_body_is() {
        assert_eq!(Format::of_body("text/zinc; charset=UTF-8"), Some(Format::Zinc));
        assert_eq!(Format::of_body("text/zinc; charset=latin1"), None);
        assert_eq!(Format::of_body("text/html"), None);
        for format in Format::ALL {
            assert_eq!(Format::of_body(format.content_type()), Some(format));
            assert_eq!(Format::of_body(format.mime()), Some(format));
        }
    }

    #[test]
    fn grids_come_back() {
        let grid = zinc::read_grid("ver:\"3.0\"\nid,dis\n@a,\"A\"\n@b,N\n").unwrap();
        for format in Format::ALL {
            let text = String::from_utf8(format.write(&grid)).unwrap();
            let read = format.read(&text).unwrap();
            assert_eq!(read.len(), 2, "{text}");
            if format != Format::Csv {
                assert_eq!(read.row(0).to_dict(), grid.row(0).to_dict(), "{text}");
            }
        }
    }
}
