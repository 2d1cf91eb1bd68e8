//! Nodes of scores and members against a sorted vector.

use proptest::prelude::*;

use super::*;

type Model = Vec<(f64, Vec<u8>)>;

fn check(run: &Scored, model: &Model) {
    assert_eq!(run.len(), model.len());
    for (i, (score, member)) in model.iter().enumerate() {
        assert_eq!(run.item(i), (*score, member.as_slice()));
    }
    let members: usize = model.iter().map(|pair| pair.1.len()).sum();
    assert_eq!(run.bytes(), members + FIXED * model.len());
}

proptest! {
    #[test]
    fn behaves_as_a_sorted_vector(
        pairs in prop::collection::vec((0..4u8, prop::collection::vec(any::<u8>(), 0..6)), 0..60),
        removals in prop::collection::vec((any::<usize>(), 0..4usize), 0..10),
        cut in any::<usize>(),
    ) {
        let (mut run, mut model) = (Scored::default(), Model::new());
        for (score, member) in pairs {
            let pair = (f64::from(score), member.as_slice());
            let i = run.lower_bound(pair);
            let expected = model.partition_point(|(s, m)| order((*s, m), pair).is_lt());
            prop_assert_eq!(i, expected);
            run.insert(i, pair);
            model.insert(i, (pair.0, member));
            check(&run, &model);
        }
        for (i, n) in removals {
            let i = i % (model.len() + 1);
            let j = (i + n).min(model.len());
            run.remove(i, j);
            model.drain(i..j);
            check(&run, &model);
        }
        let cut = cut % (model.len() + 1);
        let rest = run.split_off(cut);
        let rest_model = model.split_off(cut);
        check(&run, &model);
        check(&rest, &rest_model);
        run.append(&rest);
        model.extend(rest_model);
        check(&run, &model);
        check(&run.clone(), &model);
        if run.len() > 0 {
            let member = run.member(0).to_vec();
            run.replace(0, (run.score(0), &member), (-7.5, &member));
            prop_assert_eq!(run.score(0), -7.5);
        }
    }
}
