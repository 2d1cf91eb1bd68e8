//! A JSON document in Redis's files, as RedisJSON writes it.

use ::json::{Document, Value as JsonValue};
use base::PackLimits;
use rdb::{ModulePart, Portable, Value};

use super::{Json, JsonTools};

impl Portable for Json {
    /// The version of RedisJSON's encoding that is the text of the document: all later ones read
    /// it.
    const VERSION: u16 = 2;

    fn to_value(&self) -> Value {
        let mut text = Vec::new();
        if let Some(document) = self.document() {
            document.write(&mut text);
        }
        rdb::module::<Json>(text)
    }

    fn from_value(value: Value, _limits: &PackLimits, tools: &mut JsonTools) -> Option<Self> {
        let Value::Module(module) = value else { return None };
        let Some(ModulePart::String(bytes)) = module.parts.first() else { return None };
        let document = match module.version() {
            Self::VERSION | 3 => Document::from_text(bytes, &mut tools.registry).ok()?,
            4 => JsonValue::from_cbor(bytes, None, &mut tools.registry).ok()?.into(),
            _ => return None,
        };
        Some(Json::from(document))
    }
}
