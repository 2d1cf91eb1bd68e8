//! Definitions, their descendants, specs.

use super::*;
use crate::trio;

fn defs() -> Defs {
    let text = "def: ^water\n---\ndef: ^hot-water\nis: [^water]\n---\n\
        def: ^chilled-water\nis: ^water\n\
        ---\ndef: ^a\nis: [^b]\n---\ndef: ^b\nis: [^a, ^water]\n---\nno: ^def\n---\ndef: ^lib:ph\n";
    Defs::from_dicts(&trio::read(text).unwrap())
}

#[test]
fn descendants_and_terms() {
    let defs = defs();
    let names = |symbol: &str| -> Vec<String> {
        defs.descendants(symbol).iter().map(ToString::to_string).collect()
    };
    assert_eq!(names("water"), ["water", "hot-water", "chilled-water", "b", "a"]);
    assert_eq!(names("a"), ["a", "b"]);
    assert!(names("nothing").is_empty());
    let terms = defs.terms("hot-water").unwrap();
    assert_eq!(terms, [vec![Tag::new("hot").unwrap(), Tag::new("water").unwrap()]]);
    assert_eq!(defs.terms("nothing"), None);
    // No tag may be called so: no record is one.
    assert_eq!(defs.terms("lib:ph"), Some(Vec::new()));
}

#[test]
fn specs_by_their_names() {
    let mut defs = Defs::new();
    defs.add_spec("ph::Ahu", "ph::Equip");
    defs.add_spec("ph::Equip", "sys::Dict");
    defs.add_spec("x.y::Loop", "x.y::Loop");
    let spec =
        |lib: Option<&str>, name: &str| SpecName { lib: lib.map(Name::new), name: Name::new(name) };
    assert!(defs.is_spec("ph::Ahu", &spec(None, "Equip")));
    assert!(defs.is_spec("ph::Ahu", &spec(Some("sys"), "Dict")));
    assert!(defs.is_spec("unknown::Foo", &spec(None, "Foo")));
    assert!(!defs.is_spec("ph::Equip", &spec(None, "Ahu")));
    assert!(!defs.is_spec("ph::Ahu", &spec(Some("other"), "Equip")));
    assert!(!defs.is_spec("x.y::Loop", &spec(None, "Other")));
}
