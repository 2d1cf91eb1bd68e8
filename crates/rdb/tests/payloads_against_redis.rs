//! Payloads are checked by redis-server: what it takes we take, with the same content, and what it
//! refuses we refuse.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // a test says why by failing

use kvist_rdb::{Value, digest, dump};
use testkit::oracle::{Client, Oracle};

use crate::dataset::Numbers;
use crate::seeds;

/// Where we are stricter. Redis reads on into the footer, takes the beginning of a score for the
/// whole and the code of an encoding for a number, passes over needless bits in the sizes behind a
/// listpack's elements, and takes the failure to unpack a string for an empty string if that is
/// what was announced. Of streams it believes much unseen.
const STRICTER: [&str; 5] = [
    "unexpected end of file",
    "a score that is no number",
    "an encoded string where a number should be",
    "a broken element in a listpack",
    "a compressed string does not unpack",
];
const STREAMS: [u8; 2] = [15, 19];

/// Whether a member or field repeats, which the code that builds a set of them notices.
fn repeats(value: &Value) -> bool {
    let mut names: Vec<&[u8]> = match value {
        Value::Set(members) => members.iter().map(Vec::as_slice).collect(),
        Value::Hash(fields) => fields.iter().map(|field| &*field.0).collect(),
        Value::ZSet(members) => members.iter().map(|member| &*member.0).collect(),
        _ => return false,
    };
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

/// In a small sorted set Redis forgets the sign of zero.
fn unsigned_zeros(value: &mut Value) {
    if let Value::ZSet(members) = value {
        members.iter_mut().filter(|pair| pair.1 == 0.0).for_each(|pair| pair.1 = 0.0);
    }
}

#[test]
fn changed_payloads_are_taken_and_refused_alike() {
    let options = ["--enable-debug-command", "yes", "--sanitize-dump-payload", "yes"];
    let Some(server) = Oracle::start(&options) else { return };
    let mut client = Client::new(&server);
    let mut numbers = Numbers(31);
    let mut bodies = seeds::bodies(&mut numbers);
    bodies.extend(seeds::old_bodies());
    // Of what follows, redis-server 7.0 knows nothing.
    bodies.retain(|body| body[0] <= 19 && body[0] != 7);
    let (mut taken, mut refused) = (0, 0);
    for seed in &bodies {
        for round in 0..400 {
            let mut body =
                if round == 0 { seed.clone() } else { seeds::changed(seed, &mut numbers) };
            // Another type may be refused, and a huge count that Redis believes takes minutes.
            match &mut body[..] {
                [] | [_, 0x80 | 0x81, ..] => continue,
                [first, ..] => *first = seed[0],
            }
            let payload = dump::seal(body.clone());
            let shown = body.escape_ascii();
            client.add(&[b"RESTORE", b"k", b"0", &payload, b"REPLACE"]);
            client.add(&[b"DEBUG", b"DIGEST-VALUE", b"k"]);
            let replies = client.run();
            let theirs = replies[0][0] == b"+OK";
            assert!(theirs || replies[0][0] == b"-ERR Bad data format");
            match dump::decode(&payload) {
                Ok(mut value) if theirs => {
                    unsigned_zeros(&mut value);
                    let ours = digest::of_value(&value, false).to_string();
                    let digest = replies[1].last().unwrap().trim_ascii_start();
                    let digest = digest.strip_prefix(b"+").unwrap_or(digest);
                    assert_eq!(digest, ours.as_bytes(), "{shown}");
                    taken += 1;
                }
                Ok(value) => assert!(repeats(&value), "only we take {shown}"),
                Err(error) if theirs => {
                    let error = error.to_string();
                    let known = STRICTER.iter().any(|text| error.contains(text));
                    assert!(known || STREAMS.contains(&body[0]), "{error}: {shown}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(taken > 1000 && refused > 1000, "{taken} taken, {refused} refused");
}
