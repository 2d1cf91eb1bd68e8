//! The names of the kinds.

/// A kind of value; `Null` is none, and stands where a cell has no value. In the order in which
/// values of different kinds are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Marker,
    Na,
    Remove,
    Bool,
    Number,
    Str,
    Uri,
    Ref,
    Symbol,
    Date,
    Time,
    DateTime,
    Coord,
    XStr,
    List,
    Dict,
    Grid,
}

impl Kind {
    /// All kinds, null among them.
    pub const ALL: [Kind; 18] = [
        Kind::Null,
        Kind::Marker,
        Kind::Na,
        Kind::Remove,
        Kind::Bool,
        Kind::Number,
        Kind::Str,
        Kind::Uri,
        Kind::Ref,
        Kind::Symbol,
        Kind::Date,
        Kind::Time,
        Kind::DateTime,
        Kind::Coord,
        Kind::XStr,
        Kind::List,
        Kind::Dict,
        Kind::Grid,
    ];

    /// The name that a `kind` tag has.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "Null",
            Kind::Marker => "Marker",
            Kind::Na => "NA",
            Kind::Remove => "Remove",
            Kind::Bool => "Bool",
            Kind::Number => "Number",
            Kind::Str => "Str",
            Kind::Uri => "Uri",
            Kind::Ref => "Ref",
            Kind::Symbol => "Symbol",
            Kind::Date => "Date",
            Kind::Time => "Time",
            Kind::DateTime => "DateTime",
            Kind::Coord => "Coord",
            Kind::XStr => "XStr",
            Kind::List => "List",
            Kind::Dict => "Dict",
            Kind::Grid => "Grid",
        }
    }
}
