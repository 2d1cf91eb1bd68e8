//! Each part of a budget ends what spends it, and what ends in a row is tried less often.

use super::*;

type Spend = fn(&AtOnceBudget) -> Result<(), Ended>;

#[test]
fn what_ends_in_a_row_is_tried_less_often() {
    let tries = Tries::default();
    for _ in 0..4 {
        assert!(tries.is_worth());
        tries.note(false);
    }
    let tried = (0..640).filter(|_| {
        let tried = tries.is_worth();
        if tried {
            tries.note(false);
        }
        tried
    });
    assert!((5..=20).contains(&tried.count()));
    while !tries.is_worth() {}
    tries.note(true);
    assert!(tries.is_worth(), "it was answered");
}

#[test]
fn each_part_of_a_budget_ends_it() {
    let parts: [Spend; 4] = [
        |budget| (0..100).try_for_each(|_| budget.check(0)),
        |budget| (0..100).try_for_each(|_| budget.follow(10)),
        |budget| (0..100).try_for_each(|_| budget.copy(10 << 10)),
        |budget| (0..100).try_for_each(|_| budget.work(1 << 10)),
    ];
    for part in parts {
        let budget = AtOnceBudget::of_changing();
        assert_eq!(part(&budget), Err(Ended::TimeIsUp));
    }
    assert_eq!(AtOnceBudget::of_reading().work(usize::MAX), Err(Ended::TimeIsUp));
}
