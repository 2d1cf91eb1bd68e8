//! The parameters of a statement: an object of JSON as the header that stands before it.

use serde_json::value::RawValue;

use super::literal;
use crate::records::Fields;
use crate::reply::Refusal;

/// Appends `CYPHER a=1 b="x" `, or nothing if there are none.
///
/// # Errors
/// 422: it is no object, or has what no parameter can be.
pub fn header(given: &RawValue, header: &mut String) -> Result<(), Refusal> {
    let wrong = |what: &str| Refusal::new(422, format!("parameters: {what}"));
    let fields: Fields<'_> =
        serde_json::from_str(given.get()).map_err(|_| wrong("an object is wanted"))?;
    for (name, value) in &fields {
        header.push_str(if header.is_empty() { "CYPHER " } else { "" });
        literal::name(name, header).map_err(wrong)?;
        header.push('=');
        literal::value(value.get(), header).map_err(wrong)?;
        header.push(' ');
    }
    Ok(())
}
