//! Chunks against a map, through all forms that values have.

use std::collections::BTreeMap;

use base::Rng;
use blocks::Block;
use haystack::{DateTime, Unit, Value, Zone};

use super::*;

fn value(rng: &mut Rng, kinds: usize) -> Value {
    let unit = Unit::named("kW").unwrap();
    match rng.below(kinds) {
        0 => Value::number(rng.below(9) as f64, Some(&unit)),
        1 => Value::MARKER,
        2 => Value::id(["a", "b"][rng.below(2)]).unwrap(),
        3 => "a text".into(),
        4 => DateTime::from_nanos(rng.below(99) as i64, Zone::named("UTC").unwrap()).into(),
        5 => Value::list(vec![1.0.into()]),
        _ => Value::number(1.0, None),
    }
}

#[test]
fn a_chunk_is_a_map_in_less_room() {
    testkit::fuzz::fuzz(|rng| {
        let (mut chunk, mut model) = (Chunk::default(), BTreeMap::new());
        let (kinds, slots) = (1 + rng.below(7), [1, 70, 1024][rng.below(3)]);
        for _ in 0..200 {
            let slot = rng.below(slots) as u16;
            if rng.below(3) == 0 {
                chunk.remove(slot);
                model.remove(&slot);
            } else {
                let (value, transient) = (value(rng, kinds), rng.below(5) == 0);
                chunk.set(slot, &value, transient);
                model.insert(slot, (value, transient));
            }
        }
        assert_eq!(chunk.bits.count(), model.len());
        for slot in 0..SEGMENT as u16 {
            let (wanted, transient) = model.get(&slot).cloned().unwrap_or_default();
            assert_eq!(chunk.cell(slot), wanted.cell());
            assert_eq!(chunk.is_transient(slot), transient);
        }
        let heap: usize = (0..model.len()).map(|rank| chunk.values.heap(rank)).sum();
        assert_eq!(chunk.heap, heap);
        for slot in model.keys() {
            chunk.remove(*slot);
        }
        assert_eq!((chunk.heap, chunk.transient.is_none()), (0, true));
        assert!(chunk.memory() <= size_class(SEGMENT * 16));
    });
}

#[test]
fn numbers_of_another_unit_are_not_scanned_as_such() {
    let mut chunk = Chunk::default();
    let unit = Unit::named("kW").unwrap();
    chunk.set(7, &Value::number(3.0, Some(&unit)), false);
    assert!(chunk.filter_numbers(None, |_| true).is_none());
    assert_eq!(chunk.filter_numbers(Some("kW"), |n| n > 2.0).unwrap().count(), 1);
    chunk.set(8, &Value::number(3.0, None), false);
    assert!(chunk.filter_numbers(Some("kW"), |_| true).is_none());
}
