//! The OpenAPI document, made of the table of routes.

use serde_json::{Map, Value, json};

use crate::haystack::Format;
use crate::route::{ParamLocation, ROUTES, Route};
use crate::ttl;

/// The document as text.
#[must_use]
pub fn document() -> String {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_ascii_lowercase()] = operation(route);
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kvist",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The HTTP port of Kvist. Keys and values are bytes; where they are not \
                            UTF-8 a field `key_base64` or `value_base64` stands in place of `key` \
                            or `value`.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {"user": []}, {}],
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "user": {"type": "http", "scheme": "basic"},
            },
        },
    });
    document.to_string()
}

/// What every route may answer beside its own.
const ANYWHERE: &[(u16, &str)] = &[
    (401, "No credentials, or wrong ones."),
    (403, "The user may not, or the page of another site may not."),
    (500, "The request could not be run; the server's log says why."),
    (503, "The server is loading, busy, out of memory or in trouble with its disk."),
];

fn operation(route: &Route) -> Value {
    let mut responses = Map::new();
    for (status, body, about) in route.says {
        responses.insert(status.to_string(), response(body, about));
    }
    if !route.open {
        for (status, about) in ANYWHERE {
            responses.entry(status.to_string()).or_insert_with(|| response("Error", about));
        }
    }
    let params: Vec<Value> = route.params.iter().map(param).collect();
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.about,
        "parameters": params,
        "responses": responses,
    });
    if route.open {
        operation["security"] = json!([]);
    }
    if let Some(body) = route.body {
        let content = if body == GRID { grids() } else { in_json(body) };
        operation["requestBody"] = json!({"required": true, "content": content});
        let too_long = response("Refusal", "The body is longer than it may be.");
        operation["responses"]["413"] = too_long;
    }
    operation
}

fn param(param: &crate::route::Param) -> Value {
    let in_path = param.place == ParamLocation::Path;
    let schema = match (param.number, in_path) {
        (true, _) => json!({"type": "integer", "minimum": 0, "maximum": i64::MAX}),
        (false, true) => json!({"type": "string", "minLength": 1}),
        (false, false) => json!({"type": "string"}),
    };
    json!({
        "name": param.name,
        "in": if in_path { "path" } else { "query" },
        "required": in_path,
        "description": param.about,
        "schema": schema,
    })
}

fn response(body: &str, about: &str) -> Value {
    match body {
        "" => json!({"description": about}),
        "text/plain" => json!({
            "description": about,
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }),
        GRID => json!({"description": about, "content": grids()}),
        name => json!({"description": about, "content": in_json(name)}),
    }
}

/// What stands for a grid of Project Haystack, in any of its formats.
const GRID: &str = "Grid";

fn in_json(name: &str) -> Value {
    json!({"application/json": {"schema": reference(name)}})
}

fn grids() -> Value {
    let formats = Format::ALL.map(|format| (format.mime().to_owned(), json!({})));
    Value::Object(formats.into_iter().collect())
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// An object in which these fields must be, and no others.
fn object(fields: &Value) -> Value {
    let required: Vec<&String> = fields.as_object().into_iter().flat_map(Map::keys).collect();
    json!({
        "type": "object",
        "required": required,
        "properties": fields,
        "additionalProperties": false,
    })
}

/// Bytes in base64.
fn base64() -> Value {
    json!({
        "type": "string",
        "contentEncoding": "base64",
        "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    })
}

/// An object with a key, and further fields. Bytes that are no text are in base64.
fn keyed(fields: &Value, value: bool) -> Value {
    let text = json!({"type": "string"});
    let base64 = base64();
    let mut properties = fields.clone();
    properties["key"] = text;
    properties["key_base64"] = base64.clone();
    let mut all = vec![json!({"oneOf": [{"required": ["key"]}, {"required": ["key_base64"]}]})];
    let mut required: Vec<&String> = fields.as_object().into_iter().flat_map(Map::keys).collect();
    required.retain(|name| *name != "error");
    if value {
        properties["value"] = json!({});
        properties["value_base64"] = base64;
        let either = json!([{"required": ["value"]}, {"required": ["value_base64"]}]);
        all.push(json!({"oneOf": either}));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "allOf": all,
        "additionalProperties": false,
    })
}

fn schemas() -> Value {
    let text = json!({"type": "string"});
    let count = json!({"type": "integer", "minimum": 0});
    let millis = json!({"type": "integer", "minimum": 1, "maximum": ttl::LONGEST});
    let list = |name: &str| json!({"type": "array", "items": reference(name)});
    let figures = json!({"total_keys": count, "shards": count, "memory_mb": count});
    let health = json!({"status": {"enum": ["healthy", "loading", "troubled"]}});
    json!({
        "Any": {"type": "object"},
        "Root": object(&json!({
            "name": text,
            "version": text,
            "endpoints": {"type": "array", "items": text},
            "documentation": text,
        })),
        "Refusal": object(&json!({"error": text, "status": count})),
        "Error": {"oneOf": [
            reference("Refusal"),
            object(&json!({"error": text, "message": text})),
        ]},
        "Record": keyed(&json!({}), true),
        "Value": value_schema(),
        "Done": keyed(&json!({"success": {"const": true}}), false),
        "Bulk": {
            "type": "object",
            "required": ["records"],
            "properties": {"records": list("Record")},
            "additionalProperties": false,
        },
        "BulkDone": object(&json!({"inserted": count, "failed": list("Failed")})),
        "Failed": keyed(&json!({"error": text}), false),
        "Records": object(&json!({"total": count, "results": list("Record")})),
        "Count": object(&json!({"count": count})),
        "Ttl": keyed(&json!({"ttl_ms": {"type": "integer", "minimum": -1}}), false),
        "NewTtl": {
            "type": "object",
            "properties": {
                "ttl_ms": millis,
                "ttl_seconds": {"type": "integer", "minimum": 1, "maximum": ttl::LONGEST / 1000},
            },
            "oneOf": [{"required": ["ttl_ms"]}, {"required": ["ttl_seconds"]}],
            "additionalProperties": false,
        },
        "Stats": object(&figures),
        "Health": object(&health),
        "GraphQuery": graph_query(),
        "GraphAnswer": graph_answer(),
    })
}

fn graph_query() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": text,
            "parameters": {"type": "object", "propertyNames": {"minLength": 1}},
            "timeout": {"type": "integer", "minimum": 0, "maximum": i64::MAX},
            "read_only": {"type": "boolean"},
        },
        "additionalProperties": false,
    })
}

fn graph_answer() -> Value {
    let (text, count) = (json!({"type": "string"}), json!({"type": "integer", "minimum": 0}));
    object(&json!({
        "columns": {"type": "array", "items": text},
        "rows": {"type": "array", "items": {"type": "array"}},
        "statistics": {
            "type": "object",
            "required": ["cached_execution", "execution_time_ms"],
            "properties": {
                "cached_execution": {"type": "boolean"},
                "execution_time_ms": {"type": "number"},
            },
            "additionalProperties": count,
        },
    }))
}

fn value_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "value": {},
            "value_base64": base64(),
        },
        "oneOf": [{"required": ["value"]}, {"required": ["value_base64"]}],
        "additionalProperties": false,
    })
}
