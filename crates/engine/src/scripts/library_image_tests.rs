//! Changes of libraries, written and read back.
#![allow(clippy::unwrap_used)] // a test says why by failing

use super::*;

fn library_of(name: &str, functions: &[&str]) -> Arc<Library> {
    let functions = functions.iter().map(|name| Function {
        name: (*name).to_owned(),
        description: name.ends_with('d').then(|| b"a \0 text".to_vec()),
        flags: FunctionFlags { no_writes: name.ends_with('r'), ..FunctionFlags::default() },
    });
    let code = format!("#!lua name={name}\n-- {}", functions.len());
    Arc::new(Library::known(code.as_bytes(), functions.collect()).unwrap())
}

fn libraries_of(libraries: &[Arc<Library>]) -> Libraries {
    let mut all = Libraries::default();
    libraries.iter().for_each(|library| all.add(Arc::clone(library), true).unwrap());
    all
}

fn same(a: &Libraries, b: &Libraries) -> bool {
    a.iter().eq(b.iter()) && a.functions() == b.functions()
}

#[test]
fn changes_lead_from_one_to_the_other() {
    let (a, b) = (library_of("a", &["fr", "g"]), library_of("b", &["d"]));
    let moved = [library_of("a", &["g"]), library_of("b", &["d", "fr"])];
    let states = [
        libraries_of(&[]),
        libraries_of(&[Arc::clone(&a)]),
        libraries_of(&[a, b]),
        libraries_of(&moved),
        libraries_of(&moved[1..]),
    ];
    for before in &states {
        for after in &states {
            let Some(body) = change(before, after) else {
                assert!(same(before, after));
                continue;
            };
            let mut made = before.clone();
            read(&body).unwrap().apply(&mut made).unwrap();
            assert!(same(&made, after));
            // Once more changes nothing.
            read(&body).unwrap().apply(&mut made).unwrap();
            assert!(same(&made, after));
        }
        let mut body = Vec::new();
        put_all(&mut body, before);
        let mut made = Libraries::default();
        read(&body).unwrap().apply(&mut made).unwrap();
        assert!(same(&made, before));
    }
}

#[test]
fn broken_ones_are_refused() {
    let mut body = Vec::new();
    let all = libraries_of(&[library_of("a", &["fr", "gd"]), library_of("b", &["h"])]);
    put_all(&mut body, &all);
    for len in 0..body.len() {
        assert!(read(&body[..len]).is_err(), "{len}");
    }
    for at in 0..body.len() {
        for bit in 0..8 {
            let mut broken = body.clone();
            broken[at] ^= 1 << bit;
            // Whatever it is, it is one or is refused.
            if let Ok(change) = read(&broken) {
                let _ = change.apply(&mut Libraries::default());
            }
        }
    }
    body.push(0);
    assert!(read(&body).is_err());
    let twice = [library_of("a", &["f"]), library_of("b", &["f"])];
    let mut body = Vec::new();
    put(&mut body, &[], &[&twice[0], &twice[1]]);
    assert!(read(&body).unwrap().apply(&mut Libraries::default()).is_err());
}
