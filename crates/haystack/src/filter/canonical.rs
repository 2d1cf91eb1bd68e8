//! Filters as text, in canonical form, and as patterns without their values.

use std::fmt;

use super::{Filter, Path, SpecName};
use crate::{Cell, Value};

impl Filter {
    /// The same filter in canonical form: `and` in `and` and `or` in `or` flattened, their parts in
    /// order (by what they are, then path, then value). Filters that say the same in another order
    /// have one canonical form.
    pub fn canonical(&self) -> Filter {
        match self {
            Filter::And(parts) => {
                let flat =
                    flatten(parts, |part| if let Filter::And(p) = part { Some(p) } else { None });
                Filter::And(flat)
            }
            Filter::Or(parts) => {
                let flat =
                    flatten(parts, |part| if let Filter::Or(p) = part { Some(p) } else { None });
                Filter::Or(flat)
            }
            other => other.clone(),
        }
    }

    /// Its text with `?` in the place of values: what plans and statistics may be kept by.
    pub fn pattern(&self) -> String {
        let mut text = String::new();
        // Writing to memory does not fail.
        write(&mut text, self, &mut |out, _| out.write_char('?')).unwrap_or_default();
        text
    }

    /// Calls this for every path in it.
    pub fn each_path<'a>(&'a self, see: &mut impl FnMut(&'a Path)) {
        match self {
            Filter::Has(path) | Filter::Missing(path) | Filter::Compare(path, ..) => see(path),
            Filter::And(parts) | Filter::Or(parts) => {
                parts.iter().for_each(|part| part.each_path(see));
            }
            Filter::Symbol(_) | Filter::Spec(_) => {}
        }
    }
}

/// The parts, and those of parts that are of the same kind, in order.
fn flatten(parts: &[Filter], inner: fn(&Filter) -> Option<&Vec<Filter>>) -> Vec<Filter> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        let part = part.canonical();
        match inner(&part) {
            Some(parts) => flat.extend(parts.iter().cloned()),
            None => flat.push(part),
        }
    }
    flat.sort();
    flat
}

type ShowValue<'a> = dyn FnMut(&mut dyn fmt::Write, &Value) -> fmt::Result + 'a;

fn write(out: &mut dyn fmt::Write, filter: &Filter, value: &mut ShowValue<'_>) -> fmt::Result {
    match filter {
        Filter::Has(path) => write!(out, "{path}"),
        Filter::Missing(path) => write!(out, "not {path}"),
        Filter::Compare(path, op, literal) => {
            write!(out, "{path} {} ", op.text())?;
            value(out, literal)
        }
        Filter::Symbol(name) => write!(out, "^{name}"),
        Filter::Spec(name) => write!(out, "{name}"),
        Filter::And(parts) => join(out, parts, " and ", value),
        Filter::Or(parts) => join(out, parts, " or ", value),
    }
}

/// Parts, those that are of parts themselves between parentheses where they have to be.
fn join(
    out: &mut dyn fmt::Write,
    parts: &[Filter],
    between: &str,
    value: &mut ShowValue<'_>,
) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            out.write_str(between)?;
        }
        let is_loose = match part {
            Filter::Or(_) => true,
            Filter::And(_) => between == " and ",
            // Before a word this tag would be the operator.
            Filter::Has(path) => path.single().is_some_and(|tag| tag.as_str() == "not"),
            _ => false,
        };
        if is_loose {
            out.write_char('(')?;
        }
        write(out, part, value)?;
        if is_loose {
            out.write_char(')')?;
        }
    }
    Ok(())
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, &mut |out, value| match value.cell() {
            Cell::Bool(value) => write!(out, "{value}"),
            Cell::Ref(id, _) => write!(out, "@{id}"),
            cell => out.write_str(&crate::zinc::to_text(&cell)),
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, tag) in self.tags().iter().enumerate() {
            if place > 0 {
                f.write_str("->")?;
            }
            f.write_str(tag)?;
        }
        Ok(())
    }
}

impl fmt::Display for SpecName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lib {
            Some(lib) => write!(f, "{lib}::{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}
