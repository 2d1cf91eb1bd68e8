//! A record that has measured something: which samples it takes.

use folio::{Clear, HisWritten, Project, change};
use haystack::{Cell, DateTime, Dict, Value, Zone};

use super::report::Report;
use super::staging::Staging;
use super::tags::Tags;

/// Samples, each with where it comes from.
pub(super) type Items = Vec<(String, (DateTime, Value))>;

/// A project of this one record. It is not in the trash there, so that it takes samples.
pub(super) struct Point {
    id: String,
    project: Project,
    zone: Option<Zone>,
    /// The instant of the last sample.
    last: Option<DateTime>,
}

impl Point {
    /// One with these tags.
    ///
    /// # Errors
    /// It takes no samples.
    pub fn of(id: &str, time: DateTime, tags: &Dict) -> Result<Point, String> {
        let mut tags = tags.clone();
        tags.retain(|tag, _| tag.as_str() != "trash");
        let change = change::of_record(id, time, &Tags::of(tags).kept);
        let mut project = Project::default();
        project
            .apply(&change.map_err(|error| error.to_string())?)
            .map_err(|error| error.to_string())?;
        let mut point = Point { id: id.to_owned(), project, zone: None, last: None };
        point.check(&[])?;
        let slot = point.project.slot_of(id);
        if let Some(Cell::Str(name)) = slot.map(|slot| point.project.value(slot, "tz")) {
            point.zone = Zone::named(name).ok();
        }
        Ok(point)
    }

    /// Writes samples over those that were written before.
    fn check(&mut self, items: &[(DateTime, Value)]) -> Result<HisWritten, String> {
        let slot = self.project.slot_of(&self.id).ok_or("there is no such record")?;
        let written = self.project.his_write(slot, items, Clear::All);
        written.map_err(|error| error.to_string())
    }

    /// Has samples written, soon, but for those that are damaged; their instants in its own zone.
    ///
    /// # Errors
    /// The server's.
    pub fn write(
        &mut self,
        name: &str,
        items: &mut Items,
        report: &mut Report,
        staging: &mut Staging,
    ) -> Result<(), String> {
        let mut samples = Vec::with_capacity(items.len());
        let in_zone = |zone: Option<Zone>, at: DateTime| zone.map_or(at, |zone| at.to_zone(zone));
        samples
            .extend(items.iter().map(|(_, (at, value))| (in_zone(self.zone, *at), value.clone())));
        let places = std::mem::take(items).into_iter().map(|(place, _)| place);
        if self.check(&samples).is_err() {
            let all = places.zip(std::mem::take(&mut samples));
            samples.extend(all.filter_map(|(place, sample)| {
                let checked = self.check(std::slice::from_ref(&sample));
                checked.map_err(|what| report.damaged(name, &format!("{place}: {what}"))).ok()?;
                Some(sample)
            }));
        }
        let written = self.check(&samples)?;
        let again = written.span.is_some_and(|(first, _)| Some(first) == self.last);
        self.last = written.span.map(|(_, last)| last).or(self.last);
        let doubled = samples.len() - written.count + usize::from(again);
        report.note(
            "samples have the instant of another, which is the one that is kept",
            doubled as u64,
        );
        report.samples += (samples.len() - doubled) as u64;
        for change in change::of_samples(&self.id, &written.samples, Clear::Nothing) {
            staging.add(&change)?;
        }
        Ok(())
    }
}
