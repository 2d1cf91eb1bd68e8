//! The functions there are.
//!
//! A query is refused before it runs if it calls one that there is not, or with so many arguments
//! as it does not take, or with one that is certainly of a wrong type. Where the function itself
//! looks at its arguments' types, any are taken here.

use super::types::Type;

/// What is known of a function before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, in lower case: names of functions have no case.
    pub name: &'static str,
    /// It takes at least so many arguments.
    pub min: usize,
    /// It takes at most so many arguments.
    pub max: usize,
    /// What its first argument may be.
    pub argument: Type,
    /// What it returns, if not null.
    pub result: Type,
    /// It makes one value of many rows.
    pub aggregate: bool,
    /// It returns another value each time.
    pub random: bool,
}

/// The function of a name.
pub fn function(name: &str) -> Option<&'static Function> {
    let name = name.to_ascii_lowercase();
    let index = FUNCTIONS.binary_search_by(|function| function.name.cmp(&name)).ok()?;
    FUNCTIONS.get(index)
}

const fn f(name: &'static str, min: usize, max: usize, argument: Type, result: Type) -> Function {
    Function { name, min, max, argument, result, aggregate: false, random: false }
}

impl Function {
    const fn aggregate(self) -> Self {
        Self { aggregate: true, ..self }
    }

    const fn random(self) -> Self {
        Self { random: true, ..self }
    }
}

/// What has an identity.
const GRAPH: Type = Type::NODE.or(Type::RELATIONSHIP);
/// What has keys.
const KEYED: Type = GRAPH.or(Type::MAP);
/// What has a size.
const SIZED: Type = Type::LIST.or(Type::STRING).or(Type::MAP).or(Type::VECTOR);
/// What has a length.
const LENGTH: Type = Type::PATH.or(Type::LIST).or(Type::STRING);
const STRINGS: Type = Type::list_of(Type::STRING);
const INTEGERS: Type = Type::list_of(Type::INTEGER);
const NODES: Type = Type::list_of(Type::NODE);
const RELATIONSHIPS: Type = Type::list_of(Type::RELATIONSHIP);

/// The functions, by name.
#[rustfmt::skip]
const FUNCTIONS: &[Function] = &[
    f("abs", 1, 1, Type::ANY, Type::NUMBER),
    f("acos", 1, 1, Type::ANY, Type::FLOAT),
    f("allshortestpaths", 1, 1, Type::ANY, Type::LIST),
    f("asin", 1, 1, Type::ANY, Type::FLOAT),
    f("atan", 1, 1, Type::ANY, Type::FLOAT),
    f("atan2", 2, 2, Type::ANY, Type::FLOAT),
    f("avg", 1, 1, Type::ANY, Type::ANY).aggregate(),
    f("ceil", 1, 1, Type::ANY, Type::FLOAT),
    f("coalesce", 1, usize::MAX, Type::ANY, Type::ANY),
    f("collect", 1, 1, Type::ANY, Type::LIST).aggregate(),
    f("cos", 1, 1, Type::ANY, Type::FLOAT),
    f("cot", 1, 1, Type::ANY, Type::FLOAT),
    f("count", 1, 1, Type::ANY, Type::INTEGER).aggregate(),
    f("date", 0, 1, Type::ANY, Type::TEMPORAL),
    f("date.realtime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("date.statement", 0, 1, Type::ANY, Type::TEMPORAL),
    f("date.transaction", 0, 1, Type::ANY, Type::TEMPORAL),
    f("date.truncate", 1, 3, Type::ANY, Type::TEMPORAL),
    f("datetime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("datetime.fromepoch", 2, 2, Type::ANY, Type::TEMPORAL),
    f("datetime.fromepochmillis", 1, 1, Type::ANY, Type::TEMPORAL),
    f("datetime.realtime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("datetime.statement", 0, 1, Type::ANY, Type::TEMPORAL),
    f("datetime.transaction", 0, 1, Type::ANY, Type::TEMPORAL),
    f("datetime.truncate", 1, 3, Type::ANY, Type::TEMPORAL),
    f("degrees", 1, 1, Type::ANY, Type::FLOAT),
    f("distance", 2, 2, Type::ANY, Type::FLOAT),
    f("duration", 1, 1, Type::ANY, Type::DURATION),
    f("duration.between", 2, 2, Type::ANY, Type::DURATION),
    f("duration.indays", 2, 2, Type::ANY, Type::DURATION),
    f("duration.inmonths", 2, 2, Type::ANY, Type::DURATION),
    f("duration.inseconds", 2, 2, Type::ANY, Type::DURATION),
    f("e", 0, 0, Type::ANY, Type::FLOAT),
    f("endnode", 1, 1, Type::RELATIONSHIP, Type::NODE),
    f("exists", 1, 1, Type::ANY, Type::BOOLEAN),
    f("exp", 1, 1, Type::ANY, Type::FLOAT),
    f("floor", 1, 1, Type::ANY, Type::FLOAT),
    f("haslabels", 2, 2, Type::ANY, Type::BOOLEAN),
    f("haversin", 1, 1, Type::ANY, Type::FLOAT),
    f("head", 1, 1, Type::LIST, Type::ANY),
    f("id", 1, 1, GRAPH, Type::INTEGER),
    f("indegree", 1, 2, Type::NODE, Type::INTEGER),
    f("intern", 1, 1, Type::ANY, Type::STRING),
    f("isempty", 1, 1, Type::ANY, Type::BOOLEAN),
    f("keys", 1, 1, KEYED, STRINGS),
    f("labels", 1, 1, Type::NODE, STRINGS),
    f("last", 1, 1, Type::LIST, Type::ANY),
    f("left", 2, 2, Type::ANY, Type::STRING),
    f("length", 1, 1, LENGTH, Type::INTEGER),
    f("list.dedup", 1, 1, Type::ANY, Type::LIST),
    f("list.insert", 3, 4, Type::ANY, Type::LIST),
    f("list.insertlistelements", 3, 4, Type::ANY, Type::LIST),
    f("list.remove", 2, 3, Type::ANY, Type::LIST),
    f("list.sort", 1, 2, Type::ANY, Type::LIST),
    f("localdatetime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localdatetime.realtime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localdatetime.statement", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localdatetime.transaction", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localdatetime.truncate", 1, 3, Type::ANY, Type::TEMPORAL),
    f("localtime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localtime.realtime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localtime.statement", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localtime.transaction", 0, 1, Type::ANY, Type::TEMPORAL),
    f("localtime.truncate", 1, 3, Type::ANY, Type::TEMPORAL),
    f("log", 1, 1, Type::ANY, Type::FLOAT),
    f("log10", 1, 1, Type::ANY, Type::FLOAT),
    f("ltrim", 1, 1, Type::ANY, Type::STRING),
    f("max", 1, 1, Type::ANY, Type::ANY).aggregate(),
    f("min", 1, 1, Type::ANY, Type::ANY).aggregate(),
    f("nodes", 1, 1, Type::PATH, NODES),
    f("outdegree", 1, 2, Type::NODE, Type::INTEGER),
    f("percentilecont", 2, 2, Type::ANY, Type::FLOAT).aggregate(),
    f("percentiledisc", 2, 2, Type::ANY, Type::ANY).aggregate(),
    f("pi", 0, 0, Type::ANY, Type::FLOAT),
    f("point", 1, 1, Type::MAP, Type::POINT),
    f("pow", 2, 2, Type::ANY, Type::FLOAT),
    f("prev", 1, 1, Type::ANY, Type::ANY),
    f("properties", 1, 1, KEYED, Type::MAP),
    f("radians", 1, 1, Type::ANY, Type::FLOAT),
    f("rand", 0, 0, Type::ANY, Type::FLOAT).random(),
    f("randomuuid", 0, 0, Type::ANY, Type::STRING).random(),
    f("range", 2, 3, Type::ANY, INTEGERS),
    f("relationships", 1, 1, Type::PATH, RELATIONSHIPS),
    f("replace", 3, 3, Type::ANY, Type::STRING),
    f("reverse", 1, 1, Type::ANY, Type::ANY),
    f("right", 2, 2, Type::ANY, Type::STRING),
    f("round", 1, 2, Type::ANY, Type::NUMBER),
    f("rtrim", 1, 1, Type::ANY, Type::STRING),
    f("sign", 1, 1, Type::ANY, Type::INTEGER),
    f("sin", 1, 1, Type::ANY, Type::FLOAT),
    f("size", 1, 1, SIZED, Type::INTEGER),
    f("split", 2, 2, Type::ANY, STRINGS),
    f("sqrt", 1, 1, Type::ANY, Type::FLOAT),
    f("startnode", 1, 1, Type::RELATIONSHIP, Type::NODE),
    f("stdev", 1, 1, Type::ANY, Type::FLOAT).aggregate(),
    f("stdevp", 1, 1, Type::ANY, Type::FLOAT).aggregate(),
    f("string.join", 1, 2, Type::ANY, Type::STRING),
    f("string.matchregex", 2, 2, Type::ANY, Type::LIST),
    f("string.replaceregex", 2, 3, Type::ANY, Type::STRING),
    f("substring", 2, 3, Type::ANY, Type::STRING),
    f("sum", 1, 1, Type::ANY, Type::ANY).aggregate(),
    f("tail", 1, 1, Type::LIST, Type::LIST),
    f("tan", 1, 1, Type::ANY, Type::FLOAT),
    f("time", 0, 1, Type::ANY, Type::TEMPORAL),
    f("time.realtime", 0, 1, Type::ANY, Type::TEMPORAL),
    f("time.statement", 0, 1, Type::ANY, Type::TEMPORAL),
    f("time.transaction", 0, 1, Type::ANY, Type::TEMPORAL),
    f("time.truncate", 1, 3, Type::ANY, Type::TEMPORAL),
    f("timestamp", 0, 0, Type::ANY, Type::INTEGER),
    f("toboolean", 1, 1, Type::ANY, Type::BOOLEAN),
    f("tobooleanlist", 1, 1, Type::ANY, Type::LIST),
    f("tobooleanornull", 1, 1, Type::ANY, Type::BOOLEAN),
    f("tofloat", 1, 1, Type::ANY, Type::FLOAT),
    f("tofloatlist", 1, 1, Type::ANY, Type::LIST),
    f("tofloatornull", 1, 1, Type::ANY, Type::FLOAT),
    f("tointeger", 1, 1, Type::ANY, Type::INTEGER),
    f("tointegerlist", 1, 1, Type::ANY, Type::LIST),
    f("tointegerornull", 1, 1, Type::ANY, Type::INTEGER),
    f("tojson", 1, 1, Type::ANY, Type::STRING),
    f("tolower", 1, 1, Type::ANY, Type::STRING),
    f("tostring", 1, 1, Type::ANY, Type::STRING),
    f("tostringlist", 1, 1, Type::ANY, Type::LIST),
    f("tostringornull", 1, 1, Type::ANY, Type::STRING),
    f("toupper", 1, 1, Type::ANY, Type::STRING),
    f("trim", 1, 1, Type::ANY, Type::STRING),
    f("type", 1, 1, Type::RELATIONSHIP, Type::STRING),
    f("typeof", 1, 1, Type::ANY, Type::STRING),
    f("vec.cosinedistance", 2, 2, Type::ANY, Type::FLOAT),
    f("vec.euclideandistance", 2, 2, Type::ANY, Type::FLOAT),
    f("vecf32", 1, 1, Type::ANY, Type::VECTOR),
];
