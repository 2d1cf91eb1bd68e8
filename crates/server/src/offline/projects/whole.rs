//! A project of a running server, as it is at one moment.

use base::PackLimits;
use folio::{Project, Query, ReadOptions, Slot, Trash};
use rdb::Portable;
use types::Folio;

use crate::offline::remote::Server;

/// Asks for a project whole. It takes the memory that it takes there; transient tags are none of
/// it.
///
/// # Errors
/// There is none, or the server refuses.
pub(super) fn fetch(server: &mut Server, key: &str) -> Result<Folio, String> {
    let answer = server.ask(&["DUMP", key])?;
    let payload =
        answer.as_bytes().ok_or_else(|| server.says(format!("{key}: there is no such key")))?;
    let value =
        rdb::dump::decode(payload).map_err(|error| server.says(format!("{key}: {error}")))?;
    let is_project = Folio::takes(&value);
    let project = is_project.then(|| Folio::from_value(value, &PackLimits::default(), &mut ()));
    project.flatten().ok_or_else(|| server.says(format!("{key}: it is no project of records")))
}

/// The records of a project, those in the trash behind the others.
///
/// # Errors
/// None that could happen.
pub(super) fn slots(project: &Project) -> Result<Vec<Slot>, String> {
    let query = Query::parse("id").map_err(|error| error.to_string())?;
    let mut slots = Vec::new();
    for trash in [Trash::Without, Trash::Only] {
        let options = ReadOptions { trash, ..ReadOptions::default() };
        slots.extend(project.find_all(&query, &options).map_err(|error| error.to_string())?);
    }
    Ok(slots)
}
