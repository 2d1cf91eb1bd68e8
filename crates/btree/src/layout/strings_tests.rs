//! Nodes of strings against a sorted vector, cut at any place.

use proptest::prelude::*;

use super::*;

fn check(node: &Strings, model: &[Vec<u8>]) {
    assert_eq!(node.len(), model.len());
    assert!(node.texts().map(|text| text.to_vec()).eq(model.iter().cloned()));
    let bytes: usize = model.iter().map(|text| text.len() + 2).sum();
    assert_eq!(node.bytes(), bytes);
    assert!(node.memory() >= node.buf.len());
    for text in model {
        let below = model.partition_point(|other| other < text);
        for cut in [0, text.len() / 2, text.len()] {
            let (prefix, rest) = text.split_at(cut);
            let text = Text { prefix, rest };
            assert_eq!(node.lower_bound(text), below);
            assert_eq!(node.upper_bound(text), below + 1);
        }
    }
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        10 => prop::collection::vec(prop::sample::select(vec![0_u8, b'a', 255]), 0..7),
        10 => (0..200_u32).prop_map(|n| format!("key:{n:05}").into_bytes()),
        1 => (30_000..40_000_usize, any::<u8>()).prop_map(|(len, last)| {
            let mut long = vec![b'k'; len];
            long.push(last);
            long
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn behaves_as_a_sorted_vector(
        texts in prop::collection::vec(text(), 0..40),
        removals in prop::collection::vec((any::<usize>(), 0..4_usize), 0..10),
        cut in any::<usize>(),
    ) {
        let (mut node, mut model) = (Strings::default(), Vec::<Vec<u8>>::new());
        for text in texts {
            let Err(at) = model.binary_search(&text) else { continue };
            prop_assert_eq!(node.lower_bound(Text::from(&text[..])), at);
            node.insert(at, Text::from(&text[..]));
            model.insert(at, text);
        }
        check(&node, &model);
        for (from, count) in removals {
            let from = from % (model.len() + 1);
            let to = (from + count).min(model.len());
            node.remove(from, to);
            model.drain(from..to);
            check(&node, &model);
        }
        let cut = cut % (model.len() + 1);
        let behind = node.split_off(cut);
        let model_behind = model.split_off(cut);
        check(&node, &model);
        check(&behind, &model_behind);
        if let (Some(left), Some(right)) = (model.last(), model_behind.first()) {
            let separator = Strings::separator(left[..].into(), right[..].into());
            prop_assert!(left < &separator && separator <= *right);
        }
        node.append(&behind);
        model.extend(model_behind);
        check(&node, &model);
        check(&node.clone(), &model);
    }

    #[test]
    fn texts_order_as_their_bytes_do(
        a in prop::collection::vec(0_u8..3, 0..8),
        b in prop::collection::vec(0_u8..3, 0..8),
        cuts in any::<(usize, usize)>(),
    ) {
        let split = |bytes: &'static [u8], cut: usize| {
            let (prefix, rest) = bytes.split_at(cut % (bytes.len() + 1));
            Text { prefix, rest }
        };
        let (a, b): (&'static [u8], &'static [u8]) = (a.leak(), b.leak());
        let (left, right) = (split(a, cuts.0), split(b, cuts.1));
        prop_assert_eq!(left.cmp(&right), a.cmp(b));
        prop_assert_eq!(left.common(right), common(a, b));
    }
}
