//! A project in Redis's files and in what `DUMP` answers: a value of a module's type that is ours.

use rdb::Portable;

use super::Folio;

impl Portable for Folio {
    const NAME: &str = "kvistfoli";
}
