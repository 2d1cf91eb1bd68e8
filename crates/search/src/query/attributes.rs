//! Conditions on attributes: `@f:…`, `[min max]`, places, `{tags}`, `ismissing(@f)`.

use super::lower;
use super::parse::Parser;
use super::scan::unescape;
use super::tree::{Bound, Node, TagValue};
use super::words::{Affix, not_empty};
use crate::arguments::text;
use crate::error::{Error, Result};
use crate::number;
use crate::schema::{Attribute, AttributeId, Kind};

/// What a unit of distance is in meters.
pub fn meters(unit: &[u8]) -> Option<f64> {
    match &unit.to_ascii_lowercase()[..] {
        b"m" => Some(1.0),
        b"km" => Some(1000.0),
        b"ft" => Some(0.3048),
        b"mi" => Some(1609.34),
        _ => None,
    }
}

/// A name after `@`, and where it was.
struct Name {
    name: Vec<u8>,
    at: usize,
}

const COMPARISONS: [&[u8]; 6] = [b"==", b"!=", b"<=", b">=", b"<", b">"];

impl<'a> Parser<'a> {
    /// `@a|b` and what is asked of it.
    pub(super) fn modifier(&mut self) -> Result<Option<Node>> {
        self.scan.advance(1);
        let mut names = Vec::new();
        loop {
            let at = self.scan.at();
            let name = self.scan.word();
            if name.is_empty() {
                return Err(self.scan.syntax());
            }
            names.push(Name { name, at });
            if !self.scan.take(b'|') {
                break;
            }
        }
        self.scan.space();
        if let [only] = &names[..]
            && self.is_new()
            && self.scan.peek() != Some(b':')
        {
            return self.comparison(only).map(Some);
        }
        self.scan.must(b':')?;
        self.scan.space();
        match (self.scan.peek(), &names[..]) {
            (Some(b'['), [only]) => self.range(only).map(Some),
            (Some(b'{'), [only]) => self.tags(only).map(Some),
            (Some(b'[' | b'{'), _) => Err(self.scan.syntax()),
            _ => self.text_in(&names),
        }
    }

    /// The attribute of this name. Dialect 1 matches nothing where there is none.
    fn find(&self, name: &Name) -> Result<Option<(AttributeId, &'a Attribute)>> {
        if let Some(id) = self.definition.attribute(&name.name) {
            return Ok(Some((id, &self.definition.attributes[usize::from(id)])));
        }
        let Name { name, at } = name;
        match self.is_new() {
            true => Err(Error::new(format!("Unknown field at offset {at} near {}", text(name)))),
            false => Ok(None),
        }
    }

    /// The attribute is of another type than the condition is for. Dialect 1 matches nothing.
    fn other_kind(&self, name: &Name, wanted: &str) -> Result<Node> {
        let Name { name, at } = name;
        match self.is_new() {
            true => Err(Error::new(format!(
                "Field at offset {at} is not a {wanted} field: {}",
                text(name)
            ))),
            false => Ok(Node::Nothing),
        }
    }

    fn text_in(&mut self, names: &[Name]) -> Result<Option<Node>> {
        let (mut found, mut other) = (Vec::new(), None);
        for name in names {
            match self.find(name)? {
                Some((_, attribute)) if !attribute.is_text() => other = Some(name),
                Some((id, attribute)) if !attribute.no_index && !found.contains(&id) => {
                    found.push(id);
                }
                _ => {}
            }
        }
        if let (Some(name), true) = (other, found.is_empty()) {
            self.other_kind(name, "TEXT")?;
        }
        self.in_attributes(found)
    }

    /// `@n == 5` and its like.
    fn comparison(&mut self, name: &Name) -> Result<Node> {
        let sign = COMPARISONS.into_iter().find(|sign| self.scan.take_all(sign));
        let sign = sign.ok_or_else(|| self.scan.syntax())?;
        let Some((attribute, of)) = self.find(name)? else { return Ok(Node::Nothing) };
        if of.kind != Kind::Numeric {
            return self.other_kind(name, "NUMERIC");
        }
        self.scan.space();
        let value = self.number(b")|(]")?;
        let (all, here) = (f64::INFINITY, Bound { value, exclusive: false });
        let open = |value| Bound { value, exclusive: false };
        let beyond = Bound { value, exclusive: true };
        let (min, max) = match sign {
            b"<" => (open(-all), beyond),
            b"<=" => (open(-all), here),
            b">" => (beyond, open(all)),
            b">=" => (here, open(all)),
            _ => (here, here),
        };
        let node = Node::Numeric { attribute, min, max };
        Ok(if sign == b"!=" { Node::Not(Box::new(node)) } else { node })
    }

    /// A number or a parameter that is one.
    pub(super) fn number(&mut self, ends: &[u8]) -> Result<f64> {
        let at = self.scan.at();
        let word = self.scan.run(ends);
        match word.strip_prefix(b"$") {
            Some(name) if self.is_new() => {
                let value = self.parameter(name)?;
                number::parse(value).ok_or_else(|| {
                    let (value, name) = (text(value), text(name));
                    Error::new(format!("Invalid numeric value ({value}) for parameter `{name}`"))
                })
            }
            _ => number::parse(word).ok_or_else(|| self.scan.syntax_at(at)),
        }
    }

    /// `[…]`: of numbers, places or vectors.
    fn range(&mut self, name: &Name) -> Result<Node> {
        self.scan.advance(1);
        self.scan.space();
        let found = self.find(name)?;
        let node = match found.map(|(id, attribute)| (id, &attribute.kind)) {
            Some((id, Kind::Vector(_))) if self.is_new() => self.vector_range(id)?,
            Some((id, Kind::Geo)) => self.place(id)?,
            Some((id, Kind::Numeric)) => self.numbers(id)?,
            Some(_) => {
                let node = self.other_kind(name, "NUMERIC, GEO or VECTOR")?;
                self.pass_range()?;
                node
            }
            None => {
                self.pass_range()?;
                Node::Nothing
            }
        };
        self.scan.space();
        self.scan.must(b']')?;
        Ok(node)
    }

    /// Passes the ends of a range that cannot match.
    fn pass_range(&mut self) -> Result<()> {
        for _ in 0..4 {
            self.gap();
            if self.scan.peek() == Some(b']') {
                return Ok(());
            }
            if self.scan.run(b",]").is_empty() {
                return Err(self.scan.syntax());
            }
        }
        Ok(())
    }

    /// Passes what stands between numbers.
    pub(super) fn gap(&mut self) {
        self.scan.space();
        if self.scan.take(b',') {
            self.scan.space();
        }
    }

    fn bound(&mut self) -> Result<Bound> {
        let exclusive = self.scan.take(b'(');
        self.scan.space();
        Ok(Bound { value: self.number(b",]([")?, exclusive })
    }

    fn numbers(&mut self, attribute: AttributeId) -> Result<Node> {
        let min = self.bound()?;
        self.gap();
        let is_one = self.is_new() && self.scan.peek() == Some(b']') && !min.exclusive;
        let max = if is_one { min } else { self.bound()? };
        if min.value > max.value && self.is_new() {
            return Err(Error::new("Invalid numeric range (min > max)"));
        }
        Ok(Node::Numeric { attribute, min, max })
    }

    fn place(&mut self, attribute: AttributeId) -> Result<Node> {
        let mut numbers = [0.0; 3];
        for number in &mut numbers {
            *number = self.number(b",]")?;
            self.gap();
        }
        let unit = self.scan.run(b",]");
        let unit = match unit.strip_prefix(b"$") {
            Some(name) if self.is_new() => self.parameter(name)?,
            _ => unit,
        };
        let [longitude, latitude, radius] = numbers;
        let meters = check_place(longitude, latitude, radius, unit)?;
        Ok(Node::Geo { attribute, longitude, latitude, meters })
    }

    /// `{a | b}`.
    fn tags(&mut self, name: &Name) -> Result<Node> {
        self.scan.advance(1);
        let mut is_sensitive = false;
        let (mut id, mut kind) = (None, Ok(Node::Nothing));
        match self.find(name)? {
            Some((
                found,
                Attribute { kind: Kind::Tag { case_sensitive, .. }, index_empty, .. },
            )) => {
                is_sensitive = *case_sensitive;
                id = Some((found, *index_empty));
            }
            Some(_) => kind = self.other_kind(name, "TAG"),
            None => {}
        }
        kind?;
        let mut values = Vec::new();
        loop {
            let mut value = self.tag()?;
            let text = value.text_mut();
            if text.is_empty() && id.is_some_and(|(_, index_empty)| !index_empty) {
                return Err(not_empty());
            }
            if !is_sensitive {
                *text = lower(text);
            }
            values.push(value);
            if !self.scan.take(b'|') {
                break;
            }
        }
        self.scan.must(b'}')?;
        Ok(match id {
            Some((attribute, _)) => Node::Tag { attribute, values },
            None => Node::Nothing,
        })
    }

    /// One value between `{`, `|` and `}`, and the white space after it.
    fn tag(&mut self) -> Result<TagValue> {
        self.scan.space();
        let value = match self.scan.peek() {
            Some(b'"') => TagValue::Exact(self.exact()?),
            Some(b'w') if self.is_new() && self.scan.rest().starts_with(b"w'") => {
                TagValue::Wildcard(self.pattern()?)
            }
            _ => self.plain_tag()?,
        };
        self.scan.space();
        Ok(value)
    }

    fn plain_tag(&mut self) -> Result<TagValue> {
        let before = self.scan.take(b'*');
        let is_parameter = self.is_new() && self.scan.take(b'$');
        let (written, after) = self.written_tag()?;
        let mut value = unescape(written);
        if is_parameter {
            value = self.parameter(&value)?.to_vec();
        } else if value.is_empty() {
            return Err(self.scan.syntax());
        }
        Ok(match Affix::of(before, after) {
            Affix::None => TagValue::Exact(value),
            Affix::Prefix => TagValue::Prefix(value),
            Affix::Suffix => TagValue::Suffix(value),
            Affix::Infix => TagValue::Infix(value),
        })
    }

    /// A value as it is written, without white space after it and without the `*` at its end, and
    /// whether there was one.
    fn written_tag(&mut self) -> Result<(&'a [u8], bool)> {
        let rest = self.scan.rest();
        // The end of the value without and with white space that is not escaped.
        let (mut end, mut at, mut star) = (0, 0, false);
        loop {
            match rest.get(at) {
                None => {
                    self.scan.advance(at);
                    return Err(self.scan.syntax());
                }
                Some(b'|' | b'}') => break,
                Some(b'{') => {
                    self.scan.advance(at);
                    return Err(self.scan.syntax());
                }
                Some(b'\\') => {
                    at = (at + 2).min(rest.len());
                    (end, star) = (at, false);
                }
                Some(byte) => {
                    at += 1;
                    if !byte.is_ascii_whitespace() {
                        (end, star) = (at, *byte == b'*');
                    }
                }
            }
        }
        self.scan.advance(at);
        Ok((&rest[..end - usize::from(star)], star))
    }

    /// Whether this is `ismissing(`.
    pub(super) fn is_missing(&self) -> bool {
        const NAME: &[u8] = b"ismissing(";
        self.scan.rest().get(..NAME.len()).is_some_and(|text| text.eq_ignore_ascii_case(NAME))
    }

    pub(super) fn missing(&mut self) -> Result<Option<Node>> {
        self.scan.advance(b"ismissing(".len());
        self.scan.space();
        self.scan.must(b'@')?;
        let at = self.scan.at();
        let name = Name { name: self.scan.word(), at };
        self.scan.space();
        self.scan.must(b')')?;
        let Some((id, attribute)) = self.find(&name)? else { return Ok(Some(Node::Nothing)) };
        if !attribute.index_missing {
            return Err(Error::new("'ismissing' requires defining the field with 'INDEXMISSING'"));
        }
        Ok(Some(Node::Missing(id)))
    }
}

/// A place and a radius in meters.
pub(crate) fn check_place(longitude: f64, latitude: f64, radius: f64, unit: &[u8]) -> Result<f64> {
    let unit = meters(unit).ok_or_else(|| Error::new("Invalid GeoFilter unit"))?;
    if !(-180.0..=180.0).contains(&longitude)
        || !(-85.051_128_78..=85.051_128_78).contains(&latitude)
    {
        return Err(Error::new("Invalid GeoFilter lat/lon"));
    }
    if radius <= 0.0 {
        return Err(Error::new("Invalid GeoFilter radius"));
    }
    Ok(radius * unit)
}

impl TagValue {
    fn text_mut(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Exact(text)
            | Self::Prefix(text)
            | Self::Suffix(text)
            | Self::Infix(text)
            | Self::Wildcard(text) => text,
        }
    }
}
