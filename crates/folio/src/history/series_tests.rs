//! Histories against a map.

use std::collections::BTreeMap;

use super::*;

fn some_value(rng: &mut base::Rng) -> Value {
    if rng.below(9) == 0 { Value::Na } else { Value::Number(rng.below(99) as f64) }
}

#[test]
fn a_history_is_a_map_by_time() {
    testkit::fuzz::fuzz(|rng| {
        let (mut history, mut model) = (History::default(), BTreeMap::new());
        let span = [50, 5000][rng.below(2)];
        for _ in 0..rng.below(40) {
            let from = rng.below(span) as i64;
            if rng.below(5) == 0 {
                let to = from + rng.below(span) as i64;
                history.clear(from, to);
                model.retain(|at, _| *at < from || *at >= to);
                continue;
            }
            let mut new = BTreeMap::new();
            for _ in 0..rng.below(700) {
                let value = (rng.below(4) > 0).then(|| some_value(rng));
                new.insert(from + rng.below(span) as i64, value);
            }
            let list: Vec<(i64, Option<Value>)> = new.clone().into_iter().collect();
            history.merge(&list);
            for (at, value) in new {
                match value {
                    Some(value) => drop(model.insert(at, value)),
                    None => drop(model.remove(&at)),
                }
            }
        }
        let pairs = |samples: Vec<Sample>| -> Vec<(i64, Value)> {
            samples.into_iter().map(|sample| (sample.at, sample.value)).collect()
        };
        let all = pairs(history.range(i64::MIN, i64::MAX).collect());
        assert_eq!(all, model.clone().into_iter().collect::<Vec<_>>());
        assert_eq!(history.len(), model.len());
        let (from, to) = (rng.below(span) as i64, rng.below(span) as i64);
        let wanted = model.clone().into_iter().filter(|(at, _)| (from..to).contains(at));
        assert_eq!(pairs(history.range(from, to).collect()), wanted.collect::<Vec<_>>());
        let most = rng.below(1200);
        let few: Vec<Sample> = history.range(from, to).take(most).collect();
        assert_eq!(history.read(from, to, most).samples().collect::<Vec<_>>(), few);
        let before = history.before(from).map(|sample| sample.at);
        assert_eq!(before, model.range(..from).next_back().map(|(at, _)| *at));
        let heap: usize = history.blocks.iter().map(Packed::heap).sum();
        assert_eq!(history.heap, heap);
        assert!(
            history.blocks.iter().all(|block| block.count > 0 && block.first.at <= block.last.at)
        );
        history.clear(i64::MIN, i64::MAX);
        assert_eq!((history.len(), history.heap, history.blocks.len()), (0, 0, 0));
    });
}

#[test]
fn samples_that_come_one_by_one_fill_blocks() {
    let mut history = History::default();
    for at in 0..5000 {
        history.merge(&[(at, Some(Value::Bool(true)))]);
    }
    assert_eq!(history.len(), 5000);
    assert!(history.blocks.len() <= 5000 / FEW + 1, "{}", history.blocks.len());
}

fn regular(count: i64) -> History {
    let mut history = History::default();
    let all: Vec<_> = (0..count).map(|at| (at * 10, Some(Value::Number(1.0)))).collect();
    history.merge(&all);
    history
}

/// The addresses of the bytes of all blocks.
fn blocks(history: &History) -> Vec<usize> {
    history.blocks.iter().map(|block| block.bytes.as_ptr().addr()).collect()
}

/// What lies between the samples of a write is left as it is.
#[test]
fn a_write_packs_only_the_blocks_that_its_samples_fall_in() {
    let mut history = regular(100_000);
    let before = blocks(&history);
    history.merge(&[(-5, Some(Value::Number(2.0))), (500_005, None), (2_000_000, None)]);
    let after = blocks(&history);
    let kept = before.iter().filter(|block| after.contains(block)).count();
    assert!(kept >= before.len() - 3, "{kept} of {}", before.len());
    history.clear(15, 999_985);
    assert_eq!(
        history.range(i64::MIN, i64::MAX).map(|it| it.at).collect::<Vec<_>>(),
        [-5, 0, 10, 999_990]
    );
}

/// Late samples leave no crowd of small blocks.
#[test]
fn samples_that_come_late_leave_blocks_half_full_at_least() {
    let mut history = regular(20_000);
    let mut rng = base::Rng::new(7);
    for _ in 0..3_000 {
        let at = 50_000 + rng.below(20_000) as i64;
        history.merge(&[(at, Some(Value::Number(3.0)))]);
    }
    let (most, blocks) = (history.len() / FEW + 2, history.blocks.len());
    assert!(blocks <= most, "{blocks} blocks of {} samples", history.len());
}
