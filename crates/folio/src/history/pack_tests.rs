//! What is packed reads back as the same, and damage is told.

use base::Rng;

use super::*;

fn value(rng: &mut Rng, kind: usize) -> Value {
    match kind {
        _ if rng.below(9) == 0 => Value::Na,
        0 => Value::Number(rng.below(2000) as f64 - 1000.0),
        1 => Value::Number(f64::from((700.0 + rng.below(50) as f32) / 10.0)),
        2 => Value::Number(f64::from(f32::from_bits(rng.next_u64() as u32))),
        3 => Value::Number(f64::from_bits(rng.next_u64())),
        4 => Value::Bool(rng.below(2) == 0),
        5 => Value::Str(["on", "off", "é"][rng.below(3)].into()),
        _ => {
            let (lat, lng) = (rng.below(90) as f64 / 3.0, -(rng.below(90) as f64) / 7.0);
            Value::Coord(Coord::new(lat, lng).unwrap())
        }
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn samples(rng: &mut Rng) -> Vec<Sample> {
    let (kind, regular) = (rng.below(7), rng.below(2) == 0);
    let mut at = rng.below(1 << 40) as i64 - (1 << 39);
    let each = |_| {
        at += if regular { 900_000 } else { 1 + rng.below(1 << 30) as i64 };
        Sample { at, value: value(rng, kind) }
    };
    (0..300).map(each).collect()
}

#[test]
fn samples_read_back() {
    testkit::fuzz::fuzz(|rng| {
        let mut all = samples(rng);
        all.truncate(rng.below(300));
        let again = unpack(&pack(&all)).unwrap();
        assert_eq!(again.len(), all.len());
        assert!(all.iter().zip(&again).all(|(a, b)| a.at == b.at && same(&a.value, &b.value)));
    });
}

#[test]
fn damage_is_an_error_or_other_samples() {
    testkit::fuzz::fuzz(|rng| {
        let mut bytes = pack(&samples(rng)).to_vec();
        testkit::fuzz::damage(rng, &mut bytes, &[&[0xff; 9], &[0]]);
        let _ = unpack(&bytes);
    });
}

#[test]
fn a_run_of_any_length_is_refused_at_once() {
    let mut bytes = Vec::new();
    put_number(&mut bytes, u64::MAX);
    [0, 1].iter().for_each(|number| put_signed(&mut bytes, *number));
    put_number(&mut bytes, u64::MAX - 1);
    assert_eq!(unpack(&bytes).unwrap_err(), Malformed("too many samples"));
}

#[test]
fn regular_samples_take_little_room() {
    let mut rng = Rng::new(1);
    let mut level = 720;
    let temperature = |at: i64| {
        level += rng.below(7) as i64 - 3;
        Sample { at: at * 900_000, value: Value::Number(f64::from(level as f32 / 10.0)) }
    };
    let all: Vec<Sample> = (0..512).map(temperature).collect();
    let bytes = pack(&all).len();
    assert!(bytes < 512 + 20, "{bytes}");
}
