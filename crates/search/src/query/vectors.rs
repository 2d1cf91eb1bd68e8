//! Vectors in queries: `=>[KNN k @f $blob …]`, `[VECTOR_RANGE r $blob]`, and options of all
//! conditions:
//! `=> { $name: value; … }`.

use super::parse::Parser;
use super::tree::{Knn, Node, NodeOptions, VectorRange};
use crate::arguments::{count, text};
use crate::error::{Error, Result};
use crate::number;
use crate::schema::{AttributeId, Kind, VectorOptions};

/// The greatest number of neighbours: that of RediSearch.
const MAX_K: f64 = (1_u64 << 58) as f64;

impl<'a> Parser<'a> {
    /// Whether options follow.
    pub(super) fn is_options(&mut self) -> bool {
        let before = self.scan;
        self.scan.separators();
        if self.scan.take_all(b"=>") {
            self.scan.space();
            if self.scan.peek() == Some(b'{') {
                return true;
            }
        }
        self.scan = before;
        false
    }

    /// Reads `{ $name: value; … }`, one pair after another.
    fn pairs(&mut self, mut set: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
        self.scan.must(b'{')?;
        loop {
            self.scan.space();
            if self.scan.take(b'}') {
                return Ok(());
            }
            self.scan.must(b'$')?;
            let name = self.scan.word().to_ascii_lowercase();
            self.scan.space();
            self.scan.must(b':')?;
            self.scan.space();
            let value = self.word_or_parameter(b";}")?;
            set(&name, value)?;
            self.scan.space();
            if !self.scan.take(b';') && self.scan.peek() != Some(b'}') {
                return Err(self.scan.syntax());
            }
        }
    }

    fn word_or_parameter(&mut self, ends: &[u8]) -> Result<&'a [u8]> {
        let word = self.scan.run(ends);
        match word.strip_prefix(b"$") {
            Some(name) if self.is_new() => self.parameter(name),
            _ if word.is_empty() => Err(self.scan.syntax()),
            _ => Ok(word),
        }
    }

    /// Reads the options of a condition.
    pub(super) fn node_options(&mut self, node: Option<Node>) -> Result<Option<Node>> {
        let mut options = NodeOptions::default();
        let (mut node, definition) = (node, self.definition);
        self.pairs(|name, value| {
            let vector = match &mut node {
                Some(Node::VectorRange(vector)) => Some(vector),
                _ => None,
            };
            match (name, vector) {
                (b"weight", _) => options.weight = Some(weight(value)?),
                // As RediSearch does: whatever is below zero is no limit, as if it were absent.
                (b"slop", _) => options.slop = slop(value)?,
                (b"inorder", _) => options.in_order = Some(boolean("inorder", value)?),
                (b"phonetic", _) => options.phonetic = Some(boolean("phonetic", value)?),
                (b"yield_distance_as", Some(vector)) => {
                    vector.distance_name = Some(distance_name(definition, value)?);
                }
                (b"epsilon", Some(vector)) => {
                    let epsilon = number::parse(value).filter(|n| *n > 0.0 && n.is_finite());
                    vector.epsilon = Some(epsilon.ok_or_else(|| invalid("epsilon"))?);
                }
                _ => return Err(Error::new(format!("Invalid attribute {}", text(name)))),
            }
            Ok(())
        })?;
        let is_plain = options == NodeOptions::default();
        Ok(node.map(|node| match is_plain {
            true => node,
            false => Node::With { node: Box::new(node), options },
        }))
    }

    /// What follows `@v:[`.
    pub(super) fn vector_range(&mut self, attribute: AttributeId) -> Result<Node> {
        if !self.keyword(b"VECTOR_RANGE") {
            return Err(self.scan.syntax());
        }
        let radius = self.number(b"]")?;
        if radius < 0.0 {
            return Err(Error::new(format!(
                "Error parsing vector similarity query: negative radius ({}) given in a range \
                 query",
                number::print(radius)
            )));
        }
        self.scan.space();
        let blob = self.blob(attribute)?;
        Ok(Node::VectorRange(VectorRange {
            attribute,
            radius,
            blob,
            distance_name: None,
            epsilon: None,
        }))
    }

    /// Takes a keyword and the white space after it.
    fn keyword(&mut self, keyword: &[u8]) -> bool {
        let before = self.scan;
        let is = self.scan.run(b"]").eq_ignore_ascii_case(keyword);
        if is {
            self.scan.space();
        } else {
            self.scan = before;
        }
        is
    }

    fn vector_options(&self, attribute: AttributeId) -> Option<&'a VectorOptions> {
        match &self.definition.attributes.get(usize::from(attribute))?.kind {
            Kind::Vector(options) => Some(options),
            _ => None,
        }
    }

    /// A vector, which is always a parameter.
    fn blob(&mut self, attribute: AttributeId) -> Result<Vec<u8>> {
        self.scan.must(b'$')?;
        let name = self.scan.word();
        let blob = self.parameter(&name)?;
        let expected = self.vector_options(attribute).map_or(0, VectorOptions::blob_size);
        if blob.len() != expected {
            return Err(Error::new(format!(
                "Error parsing vector similarity query: query vector blob size ({}) does not match \
                 index's expected size ({expected}).",
                blob.len()
            )));
        }
        Ok(blob.to_vec())
    }

    /// `=>[KNN …]`, if it follows.
    pub(super) fn knn(&mut self) -> Result<Option<Knn>> {
        self.scan.separators();
        if !self.scan.take_all(b"=>") {
            return Ok(None);
        }
        self.scan.space();
        self.scan.must(b'[')?;
        self.scan.space();
        if !self.keyword(b"KNN") {
            return Err(self.scan.syntax());
        }
        let k = self.number(b"]")?;
        if k > MAX_K {
            return Err(Error::new("KNN K parameter is too large"));
        }
        if k < 1.0 || k.fract() != 0.0 {
            return Err(Error::new(
                "Error parsing vector similarity query: K must be a positive integer",
            ));
        }
        self.scan.space();
        let attribute = self.vector_attribute()?;
        self.scan.space();
        let blob = self.blob(attribute)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and bounded
        let k = k as usize;
        let mut knn = Knn { k, attribute, blob, ef_runtime: None, distance_name: Vec::new() };
        self.knn_options(&mut knn)?;
        while self.is_options() {
            let definition = self.definition;
            self.pairs(|name, value| set_knn(&mut knn, definition, name, value))?;
        }
        if knn.distance_name.is_empty() {
            let name = &self.definition.attributes[usize::from(attribute)].name;
            knn.distance_name = [b"__", &name[..], b"_score"].concat();
        }
        Ok(Some(knn))
    }

    fn vector_attribute(&mut self) -> Result<AttributeId> {
        self.scan.must(b'@')?;
        let at = self.scan.at();
        let name = self.scan.word();
        let Some(id) = self.definition.attribute(&name) else {
            return Err(Error::new(format!("Unknown field at offset {at} near {}", text(&name))));
        };
        if self.vector_options(id).is_none() {
            return Err(Error::new(format!(
                "Field at offset {at} is not a VECTOR field: {}",
                text(&name)
            )));
        }
        Ok(id)
    }

    /// The options between the vector and `]`.
    fn knn_options(&mut self, knn: &mut Knn) -> Result<()> {
        loop {
            self.scan.space();
            if self.scan.take(b']') {
                return Ok(());
            }
            let name = self.scan.run(b"]").to_ascii_lowercase();
            self.scan.space();
            if name.is_empty() {
                return Err(self.scan.syntax());
            }
            let value = self.word_or_parameter(b"]")?;
            let name = if name == b"as" { &b"yield_distance_as"[..] } else { &name };
            set_knn(knn, self.definition, name, value)?;
        }
    }
}

fn set_knn(
    knn: &mut Knn,
    definition: &crate::schema::Definition,
    name: &[u8],
    value: &[u8],
) -> Result<()> {
    match name {
        b"yield_distance_as" => {
            if !knn.distance_name.is_empty() {
                return Err(Error::new(format!(
                    "Distance field was specified twice for vector query: {} and {}",
                    text(&knn.distance_name),
                    text(value)
                )));
            }
            knn.distance_name = distance_name(definition, value)?;
        }
        b"ef_runtime" => knn.ef_runtime = Some(positive("EF_RUNTIME", value)?),
        // The planner chooses by what it counts; these are advice that it does not need.
        b"batch_size" => drop(positive("BATCH_SIZE", value)?),
        b"hybrid_policy" => {
            let known = [&b"BATCHES"[..], b"ADHOC_BF"];
            if !known.iter().any(|policy| value.eq_ignore_ascii_case(policy)) {
                return Err(Error::new(format!(
                    "invalid hybrid policy was given: {}",
                    text(value)
                )));
            }
        }
        _ => {
            return Err(Error::new(format!(
                "Error parsing vector similarity parameters: Invalid option: {}",
                text(name)
            )));
        }
    }
    Ok(())
}

fn distance_name(definition: &crate::schema::Definition, value: &[u8]) -> Result<Vec<u8>> {
    if definition.attribute(value).is_some() {
        return Err(Error::new(format!("Property `{}` already exists in schema", text(value))));
    }
    Ok(value.to_vec())
}

fn positive(option: &str, value: &[u8]) -> Result<usize> {
    count(value).filter(|n| *n > 0).ok_or_else(|| {
        Error::new(format!(
            "Error parsing vector similarity parameters: Bad value for {option}: {}",
            text(value)
        ))
    })
}

fn invalid(name: &str) -> Error {
    Error::new(format!("Invalid value for '{name}'"))
}

fn weight(value: &[u8]) -> Result<f64> {
    number::parse(value).filter(|w| *w >= 0.0 && w.is_finite()).ok_or_else(|| invalid("weight"))
}

fn slop(value: &[u8]) -> Result<Option<u32>> {
    let slop = number::parse(value).filter(|n| n.fract() == 0.0).ok_or_else(|| invalid("slop"))?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded
    Ok((slop >= 0.0).then(|| slop.min(f64::from(u32::MAX)) as u32))
}

fn boolean(name: &str, value: &[u8]) -> Result<bool> {
    match &value.to_ascii_lowercase()[..] {
        b"true" | b"1" => Ok(true),
        b"false" | b"0" => Ok(false),
        _ => Err(invalid(name)),
    }
}
