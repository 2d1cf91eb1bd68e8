//! What records are called.

use kvist_folio::{Diff, Flags, Project, limits};

use crate::sample::{at, dict, project};

fn name(project: &Project, id: &str) -> String {
    project.display(project.slot_of(id).unwrap()).into_owned()
}

fn set(project: &mut Project, id: &str, changes: &str) {
    let diff = Diff::update(id, dict(changes), None).unwrap().with(Flags::FORCE);
    project.commit(&[diff], at(1)).unwrap();
}

#[test]
fn the_tags_that_name_a_record() {
    let project = project(
        "id: @a\n---\nid: @b\ntag: \"T\"\n---\nid: @c\ndef: ^d\ntag: \"T\"\n---\nid: @d\nname: \
         \"n\"\ndef: ^d\n---\nid: @e\ndisKey: \"p::key\"\nname: \"n\"\n---\nid: @f\ndis: \
         \"F\"\ndisKey: \"p::key\"\n---\nid: @g\ndis: \"G\"\ndisMacro: \"M $x $dis\"\nx: 3kW\n",
    );
    let names = ["a", "b", "c", "d", "e", "f", "g"].map(|id| name(&project, id));
    assert_eq!(names, ["a", "T", "^d", "n", "key", "F", "M 3kW G"]);
}

#[test]
fn names_ripple_along_a_chain() {
    let mut project = project(
        "id: @a\ndis: \"A\"\n---\nid: @b\ndisMacro: \"$aRef B\"\naRef: @a\n---\nid: \
         @c\ndisMacro: \"$bRef C\"\nbRef: @b\n---\nid: @d\ndisMacro: \"$cRef D\"\ncRef: @c\n",
    );
    assert_eq!(name(&project, "d"), "A B C D");
    set(&mut project, "a", "dis:\"Z\"");
    assert_eq!(name(&project, "d"), "Z B C D");
    set(&mut project, "b", "aRef:@nothing");
    assert_eq!(name(&project, "d"), "nothing B C D");
    set(&mut project, "b", "aRef:R");
    assert_eq!(name(&project, "d"), "$aRef B C D");
    let remove = Diff::remove("c", None).unwrap().with(Flags::FORCE);
    project.commit(&[remove], at(2)).unwrap();
    assert_eq!(name(&project, "d"), "c D");
}

#[test]
fn circles_show_the_id() {
    let project = project(
        "id: @a\ndisMacro: \"A $ref\"\nref: @a\n---\nid: @b\ndisMacro: \"B $ref\"\nref: \
         @c\n---\nid: @c\ndisMacro: \"C $ref\"\nref: @b\n",
    );
    let names = ["a", "b", "c"].map(|id| name(&project, id));
    assert_eq!(names, ["A a", "B C b", "C B c"]);
}

#[test]
fn hostile_macros_end() {
    // Each name has the next one a thousand times.
    let mut project = Project::default();
    for n in 0..400 {
        let tags = format!("ref:@r{} disMacro:\"{}\"", n + 1, "\\$ref".repeat(1000));
        project.commit(&[Diff::add(&format!("r{n}"), dict(&tags)).unwrap()], at(0)).unwrap();
    }
    for n in [0, 100, 399] {
        assert!(name(&project, &format!("r{n}")).len() <= limits::LONGEST_DISPLAY);
    }
}

/// What a name is made of may be many thousand times as long as its record: it is not made whole.
#[test]
fn macros_take_no_longer_than_a_name_is_long() {
    let list = format!("[{}]", vec!["\"y\""; 100_000].join(","));
    let (text, mut project) = ("x".repeat(30_000), Project::default());
    let add = |project: &mut Project, id: &str, tags: &str| {
        let diff = Diff::add(id, dict(tags)).unwrap();
        project.commit(&[diff], at(0)).map(drop).unwrap();
    };
    let each = |tag: &str| format!("disMacro:\"{}\"", format!("\\${tag}").repeat(8_000));
    add(&mut project, "text", &format!("t:\"{text}\" {}", each("t")));
    add(&mut project, "list", &format!("l:{list} {}", each("l")));
    add(&mut project, "span", &format!("s:Span(\"{}\") {}", "z".repeat(3 << 20), each("s")));
    add(&mut project, "none", &format!("n:\"\" {}", each("n")));
    for of in ["text", "list", "span", "none"] {
        add(&mut project, &format!("{of}s"), &format!("r:@{of} {}", each("r")));
    }
    // A name that takes a second takes minutes here.
    for _ in 0..50 {
        for of in ["text", "list", "span", "none", "texts", "lists", "spans", "nones"] {
            assert!(name(&project, of).len() <= limits::LONGEST_DISPLAY, "{of}");
        }
    }
    assert!(name(&project, "lists").starts_with("[\"y\", \"y\", "));
    // What is beyond the tags that are looked at stays as it stands.
    assert!(name(&project, "none").starts_with("$n$n"));
}
