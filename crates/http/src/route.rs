//! The table of routes: what is answered where, and all that the OpenAPI document says of it.
//!
//! A path is matched as it was sent, so `%62ulk` is the key `bulk`, and the word `bulk` is the
//! route. Where a literal path and a pattern both match, the literal one is meant if it has the
//! method.

use hyper::Method;

use crate::text;

/// What a route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `GET /`
    Root,
    /// `GET /health`
    Live,
    /// `GET /ready`
    Ready,
    /// `GET /metrics`
    Metrics,
    /// `GET /openapi.json`
    OpenApi,
    /// `GET /api/v1/records/{key}`
    GetRecord,
    /// `POST` and `PUT` of the same
    SetRecord,
    /// `DELETE` of the same
    DeleteRecord,
    /// `POST /api/v1/records/bulk`
    Bulk,
    /// `GET /api/v1/records/range`
    Range,
    /// `GET /api/v1/aggregations/count`
    Count,
    /// `POST /api/v1/graph/{key}/query`
    GraphQuery,
    /// `GET` and `POST /api/{project}/{op}`
    Haystack,
    /// `GET /api/v1/ttl/{key}`
    GetTtl,
    /// `POST` of the same
    SetTtl,
    /// `DELETE` of the same
    DeleteTtl,
    /// `GET /api/v1/stats`
    Stats,
    /// `GET /api/v1/health`
    Health,
    /// `GET /api/v1/metrics`
    Figures,
}

/// Where a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamLocation {
    /// In the path.
    Path,
    /// In the query.
    Query,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub place: ParamLocation,
    /// A whole number that is not negative; else a text.
    pub number: bool,
    /// What it says.
    pub about: &'static str,
}

/// An answer: its status, its body (the name of a schema, a type, or nothing), what it says.
pub type Says = (u16, &'static str, &'static str);

/// A route.
#[derive(Debug)]
pub struct Route {
    /// Its method, in capitals.
    pub method: &'static str,
    /// Its path; `{x}` is any one segment.
    pub path: &'static str,
    /// What it does.
    pub op: Op,
    /// Its name in the document.
    pub id: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Answered without credentials.
    pub open: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// The schema of its request's body.
    pub body: Option<&'static str>,
    /// What it answers, beside what every route may: 401, 403, 503 and their like.
    pub says: &'static [Says],
}

const KEY: Param = Param {
    name: "key",
    place: ParamLocation::Path,
    number: false,
    about: "The key, percent-encoded; any bytes.",
};

const fn query(name: &'static str, about: &'static str) -> Param {
    Param { name, place: ParamLocation::Query, number: false, about }
}

const START: Param = query("start", "The first key that is meant; without it, the first of all.");
const END: Param = query("end", "The last key that is meant; without it, the last of all.");
const FILTER: Param = query(
    "username_contains",
    "Only records whose value is a JSON object with this text in its field `username`.",
);
const LIMIT: Param = Param {
    name: "limit",
    place: ParamLocation::Query,
    number: true,
    about: "Most records in the answer; `total` counts all.",
};

const PROJECT: Param = Param {
    name: "project",
    place: ParamLocation::Path,
    number: false,
    about: "The key of a project, percent-encoded; any bytes but `v1`.",
};
const OP: Param = Param {
    name: "op",
    place: ParamLocation::Path,
    number: false,
    about: "The operation: `about`, `read`, `hisRead` and others, as `ops` lists them.",
};
const FAILED: Says = (403, "Refusal", "Wrong credentials, or the user may not.");
const NO_OP: Says = (404, "Refusal", "There is no such project or operation.");
const NOT_TAKEN: Says = (406, "Refusal", "None of the formats that the client takes is spoken.");
const NOT_RUN: Says = (501, "Refusal", "A command that it needs is called by no name here.");
const NOT_SPOKEN: Says = (415, "Refusal", "The body is in a format that is not spoken.");

const BAD: Says = (400, "Refusal", "A parameter or the body is not what it must be.");
const ABSENT: Says = (404, "Refusal", "There is no such key.");
const WRONG_TYPE: Says = (409, "Refusal", "The key holds a value of another type.");
const WRONG_BODY: Says = (422, "Refusal", "The body is JSON, but not of this shape.");
const UNORDERED: Says = (501, "Refusal", "This server keeps no order of keys.");

const fn get(path: &'static str, op: Op, id: &'static str, about: &'static str) -> Route {
    Route { method: "GET", path, op, id, about, open: false, params: &[], body: None, says: &[] }
}

/// Every route.
pub static ROUTES: &[Route] = &[
    Route {
        says: &[(200, "Root", "What there is.")],
        ..get("/", Op::Root, "root", "Says what this is, and which routes there are.")
    },
    Route {
        open: true,
        says: &[(200, "text/plain", "It does.")],
        ..get("/health", Op::Live, "live", "Says whether the server answers at all.")
    },
    Route {
        open: true,
        says: &[
            (200, "text/plain", "It is."),
            (503, "text/plain", "It is loading its data, or the disk keeps it from writing."),
        ],
        ..get(
            "/ready",
            Op::Ready,
            "ready",
            "Says whether the server is ready for reads and writes.",
        )
    },
    Route {
        says: &[(200, "text/plain", "The figures, in the text format of Prometheus.")],
        ..get(
            "/metrics",
            Op::Metrics,
            "metrics",
            "Every figure of the server, under the names of redis_exporter, and its own.",
        )
    },
    Route {
        open: true,
        says: &[(200, "Any", "The document.")],
        ..get("/openapi.json", Op::OpenApi, "openapi", "This document.")
    },
    Route {
        method: "POST",
        body: Some("Bulk"),
        says: &[(200, "BulkDone", "What became of the records."), BAD, WRONG_BODY],
        ..get("/api/v1/records/bulk", Op::Bulk, "bulkInsert", "Sets many records.")
    },
    Route {
        params: &[START, END, LIMIT, FILTER],
        says: &[(200, "Records", "The records, by key."), BAD, UNORDERED],
        ..get("/api/v1/records/range", Op::Range, "rangeQuery", "Records from one key to another.")
    },
    Route {
        params: &[KEY],
        says: &[(200, "Record", "The record."), BAD, ABSENT, WRONG_TYPE],
        ..get("/api/v1/records/{key}", Op::GetRecord, "getRecord", "A record.")
    },
    Route {
        method: "POST",
        params: &[KEY],
        body: Some("Value"),
        says: &[(200, "Done", "It is set."), BAD, WRONG_BODY],
        ..get(
            "/api/v1/records/{key}",
            Op::SetRecord,
            "setRecord",
            "Sets a record: a string as it is, any other JSON as its text.",
        )
    },
    Route {
        method: "PUT",
        params: &[KEY],
        body: Some("Value"),
        says: &[(200, "Done", "It is set."), BAD, WRONG_BODY],
        ..get("/api/v1/records/{key}", Op::SetRecord, "putRecord", "The same as POST.")
    },
    Route {
        method: "DELETE",
        params: &[KEY],
        says: &[(204, "", "It is gone, or was not there."), BAD],
        ..get("/api/v1/records/{key}", Op::DeleteRecord, "deleteRecord", "Deletes a record.")
    },
    Route {
        params: &[START, END, FILTER],
        says: &[(200, "Count", "How many."), BAD, UNORDERED],
        ..get("/api/v1/aggregations/count", Op::Count, "count", "Counts the records of a range.")
    },
    Route {
        method: "POST",
        params: &[KEY],
        body: Some("GraphQuery"),
        says: &[
            (200, "GraphAnswer", "The rows, and what was changed."),
            (400, "Refusal", "The statement is wrong, failed, or ran out of its time."),
            (404, "Refusal", "There is no such graph, and the statement only reads."),
            WRONG_TYPE,
            (413, "Refusal", "The answer would be longer than it may be."),
            WRONG_BODY,
        ],
        ..get(
            "/api/v1/graph/{key}/query",
            Op::GraphQuery,
            "graphQuery",
            "Runs an openCypher statement on a graph, which is made if there is none.",
        )
    },
    Route {
        params: &[PROJECT, OP],
        says: &[
            (200, "Grid", "What it answers, or why not."),
            BAD,
            FAILED,
            NO_OP,
            (405, "Refusal", "It changes something, and is to be asked for by POST."),
            NOT_TAKEN,
            NOT_RUN,
        ],
        ..get(
            "/api/{project}/{op}",
            Op::Haystack,
            "haystackGet",
            "Runs an operation of Project Haystack that changes nothing, with its arguments as \
             parameters.",
        )
    },
    Route {
        method: "POST",
        params: &[PROJECT, OP],
        body: Some("Grid"),
        says: &[
            (200, "Grid", "What it answers, or why not."),
            BAD,
            FAILED,
            NO_OP,
            NOT_TAKEN,
            NOT_SPOKEN,
            NOT_RUN,
        ],
        ..get(
            "/api/{project}/{op}",
            Op::Haystack,
            "haystack",
            "Runs an operation of Project Haystack.",
        )
    },
    Route {
        params: &[KEY],
        says: &[(200, "Ttl", "The time."), BAD, ABSENT],
        ..get("/api/v1/ttl/{key}", Op::GetTtl, "getTtl", "The time a key has left.")
    },
    Route {
        method: "POST",
        params: &[KEY],
        body: Some("NewTtl"),
        says: &[(200, "Ttl", "It is set."), BAD, ABSENT, WRONG_BODY],
        ..get("/api/v1/ttl/{key}", Op::SetTtl, "setTtl", "Gives a key some time.")
    },
    Route {
        method: "DELETE",
        params: &[KEY],
        says: &[(200, "Ttl", "It stays."), BAD, ABSENT],
        ..get("/api/v1/ttl/{key}", Op::DeleteTtl, "deleteTtl", "Lets a key stay for ever.")
    },
    Route {
        says: &[(200, "Stats", "The figures.")],
        ..get("/api/v1/stats", Op::Stats, "stats", "A few figures.")
    },
    Route {
        open: true,
        says: &[(200, "Health", "It is well."), (503, "Health", "It is not.")],
        ..get("/api/v1/health", Op::Health, "health", "Says how the server is.")
    },
    Route {
        says: &[(200, "text/plain", "The figures, in the text format of Prometheus.")],
        ..get(
            "/api/v1/metrics",
            Op::Figures,
            "figures",
            "A few figures, under the names of NeuroIndex.",
        )
    },
];

/// The segment that no project can be called by: other routes lie below it.
const NO_PROJECT: &str = "v1";

/// What is promised for later.
const LATER: &[&str] = &["/api/v1/sql", "/api/v1/tags", "/api/v1/indexes", "/ws"];

/// What a request asks for.
#[derive(Debug)]
pub enum Found {
    /// This route, with the values of its path.
    Route(&'static Route, Vec<Vec<u8>>),
    /// A path that has only these methods.
    Methods(Vec<&'static str>),
    /// Something that this version does not do.
    Later,
    /// The path is written wrong.
    Broken,
    /// Nothing that there is.
    Nothing,
}

/// Finds what a method and a path ask for. `HEAD` is `GET` without a body.
#[must_use]
pub fn find(method: &Method, path: &str) -> Found {
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let method = method.as_str();
    let matching = |route: &&Route| matches(route.path, path);
    let literal = |route: &&Route| usize::from(route.path.contains('{'));
    let with_method = ROUTES.iter().filter(matching).filter(|route| route.method == method);
    if let Some(route) = with_method.min_by_key(literal) {
        let values = route.path.split('/').zip(path.split('/'));
        let values = values.filter(|(pattern, _)| pattern.starts_with('{'));
        let values = values.map(|(_, value)| text::decoded(value, false));
        return match values.collect::<Option<Vec<_>>>() {
            Some(values) => Found::Route(route, values),
            None => Found::Broken,
        };
    }
    let mut methods: Vec<&str> = Vec::new();
    for route in ROUTES.iter().filter(matching) {
        if !methods.contains(&route.method) {
            methods.push(route.method);
        }
    }
    if !methods.is_empty() {
        return Found::Methods(methods);
    }
    let later = |prefix: &&str| {
        path.strip_prefix(*prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if LATER.iter().any(later) { Found::Later } else { Found::Nothing }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut segments) = (pattern.split('/'), path.split('/'));
    loop {
        match (patterns.next(), segments.next()) {
            (None, None) => return true,
            (Some(pattern), Some(segment)) if pattern == segment => {}
            (Some("{project}"), Some(NO_PROJECT)) => return false,
            (Some(pattern), Some(segment)) if pattern.starts_with('{') && !segment.is_empty() => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(method: Method, path: &str) -> Option<(Op, Vec<Vec<u8>>)> {
        match find(&method, path) {
            Found::Route(route, values) => Some((route.op, values)),
            _ => None,
        }
    }

    #[test]
    fn keys_named_as_routes_can_be_reached() {
        let key = |key: &str| vec![key.as_bytes().to_vec()];
        let bulk = "/api/v1/records/bulk";
        assert_eq!(op(Method::POST, bulk), Some((Op::Bulk, vec![])));
        assert_eq!(op(Method::GET, bulk), Some((Op::GetRecord, key("bulk"))));
        assert_eq!(op(Method::PUT, bulk), Some((Op::SetRecord, key("bulk"))));
        let hidden = "/api/v1/records/%62ulk";
        assert_eq!(op(Method::POST, hidden), Some((Op::SetRecord, key("bulk"))));
        let range = "/api/v1/records/range";
        assert_eq!(op(Method::HEAD, range), Some((Op::Range, vec![])));
        assert_eq!(op(Method::DELETE, range), Some((Op::DeleteRecord, key("range"))));
        assert_eq!(op(Method::GET, "/api/v1/records/rang%65"), Some((Op::GetRecord, key("range"))));
        assert_eq!(op(Method::GET, "/api/v1/records/a%2Fb"), Some((Op::GetRecord, key("a/b"))));
    }

    #[test]
    fn what_there_is_not() {
        assert!(matches!(find(&Method::GET, "/api/v1/records/"), Found::Nothing));
        assert!(matches!(find(&Method::GET, "/api/v1/records/a/b"), Found::Nothing));
        assert!(matches!(find(&Method::GET, "/api/v1/records/%zz"), Found::Broken));
        assert!(matches!(find(&Method::POST, "/api/v1/sql"), Found::Later));
        assert!(matches!(find(&Method::GET, "/api/v1/tags/a"), Found::Later));
        assert!(matches!(find(&Method::GET, "/api/v1/tagsy"), Found::Nothing));
        assert!(matches!(find(&Method::POST, "/api/v1/about"), Found::Nothing));
        assert_eq!(
            op(Method::POST, "/api/demo/about"),
            Some((Op::Haystack, vec![b"demo".to_vec(), b"about".to_vec()]))
        );
        let Found::Methods(methods) = find(&Method::PATCH, "/api/v1/ttl/k") else { panic!() };
        assert_eq!(methods, ["GET", "POST", "DELETE"]);
    }
}
