//! The records of hxRedis's benchmark: sites, ten equips each, seven points each of these; 324 with
//! four sites.

/// Records of a site.
const PER_SITE: usize = 1 + 10 * (1 + 7);
/// Of all records, as hxRedis writes it.
pub(super) const MOD: &str = "2026-01-27T23:10:00.123Z UTC";

/// A record: its id, and its other tags in order, each with a value of Zinc unless it is a marker.
pub(super) struct Record {
    pub id: String,
    tags: Vec<(&'static str, String)>,
}

impl Record {
    fn new(id: &str, dis: String, markers: &[&'static str]) -> Record {
        let mut tags = vec![("dis", format!("\"{dis}\""))];
        tags.extend(markers.iter().map(|marker| (*marker, String::new())));
        Record { id: id.to_owned(), tags }
    }

    /// The same under another id.
    pub fn named(&self, id: &str) -> Record {
        Record { id: id.to_owned(), tags: self.tags.clone() }
    }

    fn with(mut self, tag: &'static str, value: String) -> Record {
        self.tags.push((tag, value));
        self
    }

    /// As a dict of Zinc.
    pub fn zinc(&self) -> String {
        let mut text = format!("{{id:@{}", self.id);
        for (tag, value) in &self.tags {
            let colon = if value.is_empty() { "" } else { ":" };
            text += &format!(" {tag}{colon}{value}");
        }
        text + "}"
    }

    /// As hxRedis keeps it.
    pub fn trio(&self) -> String {
        let mut text = format!("id:@{}\n", self.id);
        for (tag, value) in &self.tags {
            let colon = if value.is_empty() { "" } else { ":" };
            text += &format!("{tag}{colon}{value}\n");
        }
        text + &format!("mod:{MOD}\n")
    }

    /// The tags that hxRedis has an index for.
    pub fn tags(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.tags.iter().map(|(tag, _)| *tag)
    }

    /// Whether it has a tag.
    pub fn has(&self, tag: &str) -> bool {
        tag == "id" || self.tags().any(|own| own == tag)
    }
}

/// As many sites as are needed for so many records.
pub(super) fn records(count: usize) -> Vec<Record> {
    let mut records = Vec::new();
    for site in 1..=count.div_ceil(PER_SITE) {
        let site_id = format!("s{site}");
        records.push(Record::new(&site_id, format!("Site {site}"), &["site"]));
        for equip in 1..=10 {
            let equip_id = format!("e{site}-{equip}");
            let made = Record::new(&equip_id, format!("Equip {site}-{equip}"), &["equip", "ahu"]);
            records.push(made.with("siteRef", format!("@{site_id}")));
            for point in 1..=7 {
                let markers = ["point", "temp", "sensor", "his"];
                let id = format!("p{site}-{equip}-{point}");
                let made = Record::new(&id, format!("Point {site}-{equip}-{point}"), &markers);
                records.push(made.with("equipRef", format!("@{equip_id}")));
            }
        }
    }
    records
}
