//! Places: all searches, with the order and the digits of what they find.

use super::Family;
use crate::command::{Command, Step};
use crate::generator::Generator;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "geo", home: KeyKind::Zset, forms: &FORMS, scenario: Some((2, crowd)) };

const FORMS: [(usize, &str); 39] = [
    (14, "GEOADD <key> ( <longitude> <latitude> <member> )!"),
    (8, "GEOADD <key> &( [ NX | XX ] [ CH ] ) ( <longitude> <latitude> <member> )+"),
    (1, "GEOADD <key> [ NX ] [ XX ] [ CH ] [ NX ] ( <longitude> <latitude> <member> )+"),
    (1, "GEOADD <any> <longitude> <latitude> <member> <longitude>"),
    (2, "ZADD <key> ( <score> <member> )+"),
    (1, "ZADD <key> <float> <member>"),
    (1, "ZADD <key> { -1 | 4503599627370495 | 4503599627370496 | 1e17 | 1e19 | 2e19 } <member>"),
    (6, "GEOPOS <key> ( <member> )+"),
    (1, "GEOPOS <any>"),
    (6, "GEOHASH <key> ( <member> )+"),
    (1, "GEOHASH <any>"),
    (6, "GEODIST <key> <member> <member> [ <unit> ]"),
    (1, "GEODIST <key> <member> <member> <unit> <unit>"),
    (
        14,
        "GEOSEARCH <key> FROMLONLAT <longitude> <latitude> { BYRADIUS <length> <unit> | BYBOX \
         <length> <length> <unit> } &( [ ASC | DESC ] [ COUNT <count> | COUNT <count> ANY ] [ \
         WITHCOORD ] [ WITHDIST ] [ WITHHASH ] )",
    ),
    (
        12,
        "GEOSEARCH <key> FROMMEMBER <member> { BYRADIUS <length> <unit> | BYBOX <length> <length> \
         <unit> } &( [ ASC | DESC ] [ COUNT <count> | COUNT <count> ANY ] [ WITHCOORD ] [ \
         WITHDIST ] [ WITHHASH ] )",
    ),
    (
        6,
        "GEOSEARCH <key> FROMLONLAT <longitude> <latitude> BYRADIUS { 500 | 5000 | 20000 } km &( \
         [ ASC | DESC ] COUNT <small> [ WITHDIST ] )",
    ),
    (
        3,
        "GEOSEARCH <key> &( [ FROMMEMBER <member> ] [ FROMLONLAT <longitude> <latitude> ] [ \
         BYRADIUS <length> <unit> ] [ BYBOX <length> <length> <unit> ] [ ANY ] [ STOREDIST ] )",
    ),
    (
        8,
        "GEOSEARCHSTORE <key> <key> { FROMMEMBER <member> | FROMLONLAT <longitude> <latitude> } { \
         BYRADIUS <length> <unit> | BYBOX <length> <length> <unit> } &( [ ASC | DESC ] [ COUNT \
         <count> | COUNT <count> ANY ] [ STOREDIST ] )",
    ),
    (1, "GEOSEARCHSTORE <key> <key> FROMLONLAT 0 0 BYRADIUS 100 km [ WITHDIST ] [ WITHHASH ]"),
    (
        8,
        "GEORADIUS <key> <longitude> <latitude> <length> <unit> &( [ ASC | DESC ] [ COUNT <count> \
         | COUNT <count> ANY ] [ WITHCOORD ] [ WITHDIST ] [ WITHHASH ] )",
    ),
    (
        6,
        "GEORADIUS <key> <longitude> <latitude> <length> <unit> &( [ ASC | DESC ] [ COUNT <count> \
         ] [ STORE <key> ] [ STOREDIST <key> ] )",
    ),
    (1, "GEORADIUS <key> 0 0 5000 km STORE <key> [ WITHDIST ] [ STORE <key> ] [ STORE ]"),
    (
        6,
        "GEORADIUSBYMEMBER <key> <member> <length> <unit> &( [ ASC | DESC ] [ COUNT <count> | \
         COUNT <count> ANY ] [ WITHCOORD ] [ WITHDIST ] [ WITHHASH ] )",
    ),
    (
        4,
        "GEORADIUSBYMEMBER <key> <member> <length> <unit> &( [ ASC | DESC ] [ COUNT <count> ] [ \
         STORE <key> ] [ STOREDIST <key> ] )",
    ),
    (
        3,
        "GEORADIUS_RO <key> <longitude> <latitude> <length> <unit> &( [ ASC | DESC ] [ COUNT \
         <count> ] [ WITHDIST ] [ STORE <key> ] )",
    ),
    (
        3,
        "GEORADIUSBYMEMBER_RO <key> <member> <length> <unit> &( [ ASC | DESC ] [ COUNT <count> ] \
         [ WITHDIST ] [ STOREDIST <key> ] )",
    ),
    (3, "ZRANGE <key> 0 -1 WITHSCORES"),
    (3, "ZREM <key> ( <member> )!"),
    (2, "ZSCORE <key> <member>"),
    (2, "ZCARD <key>"),
    (4, "DEL <key>"),
    (1, "TTL <key>"),
    (1, "EXPIRE <key> <seconds>"),
    (2, "OBJECT ENCODING <key>"),
    (1, "TYPE <key>"),
    (2, "SET <any> <value>"),
    (1, "SADD <any> <member>"),
    (1, "COPY <key> <key> [ REPLACE ]"),
    (1, "RPUSH <any> <value>"),
];

/// Many places, most of them at the same distance from others: what is found, and in which order,
/// then depends on how it is sorted.
fn crowd(generator: &mut Generator) -> Vec<Step> {
    let rng = generator.rng();
    let mut args = vec![b"GEOADD".to_vec(), b"z0".to_vec()];
    for member in 0..30 + rng.below(400) {
        args.push(rng.below(5).to_string().into_bytes());
        args.push(rng.below(5).to_string().into_bytes());
        args.push(format!("m{member}").into_bytes());
    }
    let mut steps = vec![Step::Send(Command::words(&["DEL", "z0"]))];
    steps.push(Step::Send(Command::new(args)));
    for _ in 0..12 {
        let place = [rng.below(5).to_string(), rng.below(5).to_string()];
        let (radius, count) =
            ((100 + rng.below(900)).to_string(), (1 + rng.below(300)).to_string());
        let order = *rng.pick(&["ASC", "DESC"]);
        let mut words = vec!["GEOSEARCH", "z0", "FROMLONLAT", &place[0], &place[1], "BYRADIUS"];
        words.extend([&radius, "km", order]);
        if rng.chance(80) {
            words.extend(["COUNT", &count]);
        }
        steps.push(Step::Send(Command::words(&words)));
    }
    steps
}
