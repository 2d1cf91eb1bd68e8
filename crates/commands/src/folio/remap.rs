//! New ids for records of a text, and for all refs to them.

use base::{CmdError, error};
use haystack::{Cell, Dict, Grid, GridBuilder, Value, name};

const NO_PREFIX: CmdError = CmdError::new("InvalidRecIdErr no id may begin so");

/// Gives every ref of a text something before it: the ids of its records, and what leads to them.
pub struct Remap<'p> {
    prefix: &'p str,
}

impl<'p> Remap<'p> {
    /// With this before them.
    ///
    /// # Errors
    /// No id may begin so.
    pub fn new(prefix: &'p str) -> Result<Remap<'p>, CmdError> {
        if name::is_ref(prefix) && prefix.len() <= ::folio::limits::LONGEST_NAME {
            Ok(Remap { prefix })
        } else {
            Err(NO_PREFIX)
        }
    }

    /// The same record with new refs, those within lists, dicts and grids among them. Nesting is as
    /// deep as what reads texts allows.
    ///
    /// # Errors
    /// None of a value that was read.
    pub fn dict(&self, dict: &Dict) -> Result<Dict, CmdError> {
        let mut new = Dict::new();
        for (tag, value) in dict.iter() {
            new.set(tag.clone(), self.value(value)?);
        }
        Ok(new)
    }

    fn value(&self, value: &Value) -> Result<Value, CmdError> {
        let new = match value.cell() {
            Cell::Ref(id, None) => Value::id(&format!("{}{id}", self.prefix)),
            Cell::Ref(id, Some(dis)) => Value::id_dis(&format!("{}{id}", self.prefix), dis),
            Cell::List(list) => {
                let list = list.iter().map(|value| self.value(value));
                Ok(Value::list(list.collect::<Result<_, _>>()?))
            }
            Cell::Dict(dict) => Ok(Value::dict(self.dict(dict)?)),
            Cell::Grid(grid) => Ok(Value::grid(self.grid(grid)?)),
            _ => Ok(value.clone()),
        };
        new.map_err(|_| error::INTERNAL)
    }

    fn grid(&self, grid: &Grid) -> Result<Grid, CmdError> {
        let mut cols = grid.cols().to_vec();
        for col in &mut cols {
            col.meta = self.dict(&col.meta)?;
        }
        let new = GridBuilder::new(self.dict(grid.meta())?, cols);
        let mut new = new.map_err(|_| error::INTERNAL)?;
        for row in grid.rows() {
            let cells = row.values().map(|value| self.value(value));
            new.push(cells.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(new.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use haystack::zinc;

    #[test]
    fn every_ref_is_another() {
        let text = "{id:@a \"A\" of:@b all:[@c, {d:@d}] text:\"@e\" \
                    grid:<<\nver:\"3.0\" of:@f\ng of:@g,h\n@h,[@i]\n>>}";
        let record = zinc::read_value(text).unwrap();
        let remap = Remap::new("x.").unwrap();
        let new = remap.dict(record.as_dict().unwrap()).unwrap();
        let shown = zinc::to_text(&Cell::Dict(&new));
        for id in ["a", "b", "c", "d", "f", "g", "h", "i"] {
            assert!(shown.contains(&format!("@x.{id}")), "{id}: {shown}");
        }
        assert!(shown.contains("\"@e\"") && shown.contains("@x.a \"A\""), "{shown}");
        assert!(Remap::new("").is_err() && Remap::new("a b").is_err());
        assert!(Remap::new(&"x".repeat(61)).is_err());
    }
}
