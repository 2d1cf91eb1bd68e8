//! The functions there are.
//!
//! A query is refused before it runs if it calls one that there is not, or with so many arguments
//! as it does not take, or with one that is certainly of a wrong type. What is known of those over
//! values alone stands with them; here are aggregates, and those that need the graph.

use crate::function as over_values;
use crate::value::Type;

/// What is known of a function before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name, as it is written. Names of functions have no case.
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
    /// It returns the same value for the same arguments, whatever the graph is.
    pub is_pure: bool,
    /// It returns another value each time.
    pub random: bool,
}

impl Signature {
    fn of(function: &over_values::Function) -> Self {
        Self {
            name: function.name,
            min: function.least,
            max: function.most,
            argument: function.argument,
            result: function.result,
            aggregate: false,
            is_pure: function.is_pure,
            random: function.draws,
        }
    }
}

/// The function of a name, in letters of any case.
pub fn function(name: &str) -> Option<Signature> {
    let found = over_values::named(name).map(Signature::of);
    found.or_else(|| FUNCTIONS.iter().find(|own| own.name.eq_ignore_ascii_case(name)).copied())
}

/// All functions.
pub fn all_functions() -> impl Iterator<Item = Signature> {
    over_values::all().map(Signature::of).chain(FUNCTIONS.iter().copied())
}

const fn f(name: &'static str, [min, max]: [usize; 2], argument: Type, result: Type) -> Signature {
    Signature { name, min, max, argument, result, aggregate: false, is_pure: false, random: false }
}

const fn aggregate(name: &'static str, arguments: usize, result: Type) -> Signature {
    Signature { aggregate: true, ..f(name, [arguments, arguments], Type::ANY, result) }
}

/// What has an identity.
const GRAPH: Type = Type::NODE.or(Type::RELATIONSHIP);
const STRINGS: Type = Type::list_of(Type::STRING);

/// Aggregates, and functions that need the graph.
const FUNCTIONS: &[Signature] = &[
    aggregate("avg", 1, Type::ANY),
    aggregate("collect", 1, Type::LIST),
    aggregate("count", 1, Type::INTEGER),
    aggregate("max", 1, Type::ANY),
    aggregate("min", 1, Type::ANY),
    aggregate("percentileCont", 2, Type::FLOAT),
    aggregate("percentileDisc", 2, Type::ANY),
    aggregate("stDev", 1, Type::FLOAT),
    aggregate("stDevP", 1, Type::FLOAT),
    aggregate("sum", 1, Type::ANY),
    f("allShortestPaths", [1, 1], Type::ANY, Type::LIST),
    f("endNode", [1, 1], Type::RELATIONSHIP, Type::NODE),
    f("exists", [1, 1], Type::ANY, Type::BOOLEAN),
    f("hasLabels", [2, 2], Type::ANY, Type::BOOLEAN),
    f("id", [1, 1], GRAPH, Type::INTEGER),
    f("indegree", [1, usize::MAX], Type::NODE, Type::INTEGER),
    f("labels", [1, 1], Type::NODE, STRINGS),
    f("outdegree", [1, usize::MAX], Type::NODE, Type::INTEGER),
    f("prev", [1, 1], Type::ANY, Type::ANY),
    f("startNode", [1, 1], Type::RELATIONSHIP, Type::NODE),
    f("type", [1, 1], Type::RELATIONSHIP, Type::STRING),
];
