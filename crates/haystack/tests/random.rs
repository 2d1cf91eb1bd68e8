//! Random filters on random records: what is found is what the rules say, whatever form the filter
//! has.

use kvist_haystack::filter::Dicts;
use kvist_haystack::{Evaluator, Filter};

use crate::{naive, sample};

#[test]
fn filters_find_what_the_rules_say() {
    let (mut found, mut rounds) = (0_usize, 0_usize);
    testkit::fuzz::fuzz(|rng| {
        let records = sample::records(rng);
        for _ in 0..20 {
            let text = sample::filter(rng, 3);
            let filter = Filter::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let canonical = filter.canonical();
            let again = Filter::parse(&filter.to_string()).unwrap();
            assert_eq!(again.to_string(), filter.to_string());
            assert_eq!(again.canonical(), canonical, "{text}");
            let plain = Evaluator::new(&filter, &records[..]);
            let sorted = Evaluator::new(&canonical, &records[..]);
            for record in &records {
                let wanted = naive::matches(&filter, record, &records);
                assert_eq!(plain.matches(&record), wanted, "{text} on {record:?} of {records:?}");
                assert_eq!(sorted.matches(&record), wanted, "{text} on {record:?}");
                found += usize::from(wanted);
                rounds += 1;
            }
        }
    });
    // It would be no test if next to nothing matched, or all.
    assert!(found > rounds / 10 && found < rounds - rounds / 10, "{found} of {rounds}");
}

#[test]
fn an_index_of_ids_finds_the_same() {
    testkit::fuzz::fuzz(|rng| {
        let records = sample::records(rng);
        let filter = Filter::parse(&sample::filter(rng, 2)).unwrap();
        let (one, other) = (Evaluator::new(&filter, &records[..]), Dicts::new(&records));
        let other = Evaluator::new(&filter, other);
        for record in &records {
            assert_eq!(one.matches(&record), other.matches(&record), "{filter}");
        }
    });
}
