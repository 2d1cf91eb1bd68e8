//! Records and samples as hxRedis keeps them, read.

use haystack::{Cell, DateTime, Dict, Value, trio, zinc};

use crate::offline::projects::tags::Tags;

/// A record of which nothing is lost.
#[derive(Debug)]
pub struct Record {
    pub id: String,
    pub time: DateTime,
    pub tags: Tags,
    /// Whether the field `mod` says something else than the tag.
    pub has_other_mod: bool,
}

impl Record {
    /// Reads one by the id that its key has and the fields of its hash.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(id: &[u8], fields: &[(&[u8], &[u8])]) -> Result<Record, String> {
        let other = fields.iter().find(|(name, _)| !matches!(*name, b"trio" | b"mod"));
        if let Some((name, _)) = other {
            return Err(format!("it has a field '{}'", String::from_utf8_lossy(name)));
        }
        let field = |wanted: &[u8]| fields.iter().find(|(name, _)| *name == wanted).map(|it| it.1);
        let mut tags = one_dict(field(b"trio").ok_or("it has no field 'trio'")?)?;
        let own = tags.remove("id").ok_or("its record has no id")?;
        let own = own.as_id().filter(|own| own.as_str().as_bytes() == id);
        let own = own.ok_or("its record has another id")?.as_str().to_owned();
        let time = tags.remove("mod").ok_or("its record has no mod")?;
        let Cell::DateTime(time) = time.cell() else {
            return Err("the mod of its record is no DateTime".to_owned());
        };
        let text = field(b"mod").and_then(|text| std::str::from_utf8(text).ok());
        let shown = text.and_then(|text| zinc::read_value(text).ok());
        let shown = match shown.as_ref().map(Value::cell) {
            Some(Cell::DateTime(shown)) => Some(shown.nanos()),
            _ => None,
        };
        let has_other_mod = shown != Some(time.nanos());
        Ok(Record { id: own, time, tags: Tags::of(tags), has_other_mod })
    }

    /// Names of the tags that hxRedis has an index for.
    pub fn indexed(fields: &[(&[u8], &[u8])]) -> Vec<String> {
        let text = fields.iter().find(|(name, _)| *name == b"trio").map(|it| it.1);
        let dict = text.and_then(|text| one_dict(text).ok()).unwrap_or_default();
        let tags = dict.iter().map(|(tag, _)| tag.as_str());
        tags.filter(|tag| !matches!(*tag, "id" | "mod")).map(str::to_owned).collect()
    }
}

fn one_dict(text: &[u8]) -> Result<Dict, String> {
    let text = std::str::from_utf8(text).map_err(|_| "its Trio is not valid UTF-8")?;
    let mut dicts = trio::read(text).map_err(|error| format!("its Trio is malformed: {error}"))?;
    match dicts.len() {
        1 => Ok(dicts.remove(0)),
        count => Err(format!("its Trio has {count} records")),
    }
}

/// Reads a sample by its score.
///
/// # Errors
/// What is wrong with it.
pub fn sample(member: &[u8], score: &[u8]) -> Result<(DateTime, Value), String> {
    let mut dict = one_dict(member)?;
    let (at, value) = (dict.remove("ts"), dict.remove("val"));
    let (Some(Cell::DateTime(at)), Some(value), true) =
        (at.as_ref().map(Value::cell), value, dict.is_empty())
    else {
        return Err("it is no sample: ts and val".to_owned());
    };
    let milliseconds = at.nanos().div_euclid(1_000_000);
    let score = std::str::from_utf8(score).ok().and_then(|text| text.parse::<f64>().ok());
    if score == Some(milliseconds as f64) {
        Ok((at, value))
    } else {
        Err(format!("its ts is {milliseconds}"))
    }
}
