//! What an expression may be: a set of types, as far as a text alone tells.
//!
//! `Type` never claims more than is certain: what comes from a property or a parameter may be
//! anything. Of a list it knows what its elements may be, but not what is in lists of lists.

/// The types that a value may have, and those of its elements if it is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    kinds: u16,
    elements: u16,
}

impl Type {
    /// Nothing is known.
    pub const ANY: Self = Self { kinds: u16::MAX, elements: u16::MAX };
    /// Null.
    pub const NULL: Self = Self::one(0);
    /// A boolean.
    pub const BOOLEAN: Self = Self::one(1);
    /// An integer.
    pub const INTEGER: Self = Self::one(2);
    /// A float.
    pub const FLOAT: Self = Self::one(3);
    /// A string.
    pub const STRING: Self = Self::one(4);
    /// A list, of anything.
    pub const LIST: Self = Self::one(5);
    /// A map.
    pub const MAP: Self = Self::one(6);
    /// A node.
    pub const NODE: Self = Self::one(7);
    /// A relationship.
    pub const RELATIONSHIP: Self = Self::one(8);
    /// A path.
    pub const PATH: Self = Self::one(9);
    /// A point.
    pub const POINT: Self = Self::one(10);
    /// A date, a time, or both.
    pub const TEMPORAL: Self = Self::one(11);
    /// A duration.
    pub const DURATION: Self = Self::one(12);
    /// A vector.
    pub const VECTOR: Self = Self::one(13);
    /// An integer or a float.
    pub const NUMBER: Self = Self::INTEGER.or(Self::FLOAT);
    /// What can be deleted.
    pub const ENTITY: Self = Self::NODE.or(Self::RELATIONSHIP).or(Self::PATH);
    /// What has properties, or parts that are asked for like properties.
    pub const HAS_PROPERTIES: Self = Self::MAP
        .or(Self::NODE)
        .or(Self::RELATIONSHIP)
        .or(Self::POINT)
        .or(Self::TEMPORAL)
        .or(Self::DURATION);

    const fn one(bit: u16) -> Self {
        Self { kinds: 1 << bit, elements: u16::MAX }
    }

    /// Either of two.
    pub const fn or(self, other: Self) -> Self {
        let elements = match (self.kinds & Self::LIST.kinds, other.kinds & Self::LIST.kinds) {
            (0, 0) => u16::MAX,
            (0, _) => other.elements,
            (_, 0) => self.elements,
            _ => self.elements | other.elements,
        };
        Self { kinds: self.kinds | other.kinds, elements }
    }

    /// A list of these.
    pub const fn list_of(element: Self) -> Self {
        Self { kinds: Self::LIST.kinds, elements: element.kinds }
    }

    /// The element of a list of which all elements have these types.
    pub const fn element(self) -> Self {
        if self.kinds & Self::LIST.kinds == 0 {
            return Self::ANY;
        }
        Self { kinds: self.elements, elements: u16::MAX }
    }

    /// Whether a value may be one of the others, or null.
    pub const fn may_be(self, other: Self) -> bool {
        self.kinds & (other.kinds | Self::NULL.kinds) != 0
    }

    /// Whether a value may be one of the others, and is not simply null.
    pub const fn may_be_some(self, other: Self) -> bool {
        self.kinds & other.kinds != 0
    }

    /// Whether a value is certainly one of the others.
    pub const fn is_only(self, others: Self) -> bool {
        self.kinds & !others.kinds == 0
    }

    /// All types that it may have, as a text.
    pub fn names(self) -> String {
        const NAMES: &[(Type, &str)] = &[
            (Type::MAP, "Map"),
            (Type::NODE, "Node"),
            (Type::RELATIONSHIP, "Edge"),
            (Type::LIST, "List"),
            (Type::PATH, "Path"),
            (Type::TEMPORAL, "Datetime"),
            (Type::TEMPORAL, "Date"),
            (Type::TEMPORAL, "Time"),
            (Type::DURATION, "Duration"),
            (Type::STRING, "String"),
            (Type::BOOLEAN, "Boolean"),
            (Type::INTEGER, "Integer"),
            (Type::FLOAT, "Float"),
            (Type::NULL, "Null"),
            (Type::POINT, "Point"),
            (Type::VECTOR, "Vectorf32"),
        ];
        let named = NAMES.iter().filter(|(one, _)| self.kinds & one.kinds != 0);
        let names: Vec<&str> = named.map(|&(_, name)| name).collect();
        match &names[..] {
            [] => String::new(),
            [only] => (*only).to_owned(),
            [one, other] => format!("{one} or {other}"),
            [most @ .., last] => format!("{}, or {last}", most.join(", ")),
        }
    }

    /// Its name in messages: that of the first type that it may have.
    pub fn name(self) -> &'static str {
        const NAMES: &[(Type, &str)] = &[
            (Type::BOOLEAN, "Boolean"),
            (Type::INTEGER, "Integer"),
            (Type::FLOAT, "Float"),
            (Type::STRING, "String"),
            (Type::LIST, "List"),
            (Type::MAP, "Map"),
            (Type::NODE, "Node"),
            (Type::RELATIONSHIP, "Edge"),
            (Type::PATH, "Path"),
            (Type::POINT, "Point"),
            (Type::TEMPORAL, "Datetime"),
            (Type::DURATION, "Duration"),
            (Type::VECTOR, "Vectorf32"),
        ];
        let name = NAMES.iter().find(|(one, _)| self.may_be_some(*one));
        name.map_or("Null", |(_, name)| name)
    }
}
