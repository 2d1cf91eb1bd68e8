//! Names are shared while they are used, and forgotten afterwards.

use super::*;

#[test]
fn equal_texts_are_one() {
    let (a, b) = (Name::new("p:demo:r:1"), Name::new(&String::from("p:demo:r:1")));
    assert!(a == b && ArcStr::ptr_eq(&a.0, &b.0));
    assert_ne!(a, Name::new("p:demo:r:2"));
    assert!(a < Name::new("p:demo:r:2"));
}

#[test]
fn what_is_not_used_goes() {
    let kept = Name::new("kept-by-a-test");
    for round in 0..40 {
        for n in 0..10_000 {
            drop(Name::new(&format!("a-long-id-that-nothing-keeps-{round}-{n}")));
        }
    }
    let known: usize = registers().parts.iter().map(|part| part.lock().texts.len()).sum();
    assert!(known < 60_000, "{known} of 400,000");
    assert!(ArcStr::ptr_eq(&kept.0, &Name::new("kept-by-a-test").0));
}

#[test]
fn threads_agree_on_names() {
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            std::thread::spawn(move || {
                let mut kept = Vec::new();
                for n in 0..20_000 {
                    let name = Name::new(&format!("shared-{}", n % 700));
                    drop(Name::new(&format!("own-{thread}-{n}")));
                    if n % 3 == 0 {
                        kept.push(name);
                    }
                    if kept.len() > 500 {
                        kept.clear();
                    }
                }
                Name::new("shared-1")
            })
        })
        .collect();
    let names: Vec<Name> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(names.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn names_of_tags_are_checked() {
    for good in ["a", "siteRef", "v0", "a_b", "not"] {
        assert!(is_tag(good), "{good}");
    }
    for bad in ["", "A", "0a", "_a", "a-b", "a b", "é", "aé"] {
        assert!(!is_tag(bad) && Tag::new(bad).is_err(), "{bad}");
    }
    assert!(is_ref("a.b:c-d~e_F9") && !is_ref("") && !is_ref("a b") && !is_ref("å"));
}
