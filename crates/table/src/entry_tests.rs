//! Tests of `entry.rs`: every change of shape, around every border of the layout.

use proptest::prelude::*;

use super::*;

/// What an entry should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Model {
    key: Vec<u8>,
    value: Result<Vec<u8>, usize>,
    deadline: Option<u64>,
    access: u32,
    user: u8,
}

fn read(entry: Entry) -> Model {
    // SAFETY: the tests pass living entries.
    unsafe {
        let object = entry.object().map(|object| object.as_ptr().addr());
        assert_eq!(entry.has_deadline(), entry.deadline().is_some());
        Model {
            key: entry.key().to_vec(),
            value: object.map_or_else(|| Ok(entry.bytes().expect("bytes").to_vec()), Err),
            deadline: entry.deadline(),
            access: entry.access(),
            user: entry.user_flags(),
        }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Bytes(usize, u8),
    Object(usize),
    Resize(usize),
    Deadline(Option<u64>),
    Access(u32),
    User(u8),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (length(), any::<u8>()).prop_map(|(len, byte)| Change::Bytes(len, byte)),
        (1usize..1 << 40).prop_map(Change::Object),
        length().prop_map(Change::Resize),
        any::<Option<u64>>().prop_map(Change::Deadline),
        any::<u32>().prop_map(Change::Access),
        any::<u8>().prop_map(Change::User),
    ]
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..20, 90usize..130, 240usize..270, Just(1000), Just(9000)]
}

/// Makes one change to entry and model alike.
fn apply(entry: Entry, model: &mut Model, change: &Change) -> Entry {
    // SAFETY: the entry is the only handle; new shapes come from its own, and fit the fill.
    unsafe {
        let old = entry.shape();
        let deadline = model.deadline.unwrap_or(0);
        match *change {
            Change::Bytes(len, byte) => {
                let value = vec![byte; len];
                let new = entry.reshape(old.with_bytes(len), deadline, Fill::Bytes(&value));
                model.value = Ok(value);
                new
            }
            Change::Object(address) => {
                let pointer = core::ptr::without_provenance_mut(address);
                model.value = Err(address);
                entry.reshape(old.with_object(), deadline, Fill::Object(pointer))
            }
            Change::Resize(len) => match &mut model.value {
                Ok(value) => {
                    value.resize(len, 0);
                    entry.reshape(old.with_bytes(len), deadline, Fill::Keep)
                }
                Err(_) => entry,
            },
            Change::Deadline(to) => {
                model.deadline = to;
                entry.reshape(old.with_deadline(to.is_some()), to.unwrap_or(0), Fill::Keep)
            }
            Change::Access(access) => {
                model.access = access & MAX_ACCESS;
                entry.set_access(access);
                entry
            }
            Change::User(user) => {
                model.user = user & MAX_USER_FLAGS;
                entry.set_user_flags(user);
                entry
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 500 }, failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn changes_keep_the_rest(
        key_len in length(),
        changes in prop::collection::vec(change(), 0..20),
    ) {
        let key: Vec<u8> = (0..key_len).map(|i| i as u8).collect();
        let mut model = Model { key, value: Ok(b"v".to_vec()), deadline: None, access: 0, user: 0 };
        let mut entry = Entry::create(&model.key, Fill::Bytes(b"v"));
        assert_eq!(read(entry), model);
        for change in &changes {
            entry = apply(entry, &mut model, change);
            assert_eq!(read(entry), model, "after {change:?}");
        }
        // SAFETY: the only handle.
        unsafe { entry.free() };
    }

    #[test]
    fn same_is_equality(
        a in prop::collection::vec(0u8..2, 0..20),
        b in prop::collection::vec(0u8..2, 0..20),
    ) {
        assert_eq!(same(&a, &b), a == b);
        assert!(same(&a, &a.clone()));
    }
}

#[test]
fn one_changed_byte_is_never_the_same() {
    for len in 1..40 {
        let a = vec![b'x'; len];
        for at in 0..len {
            let mut b = a.clone();
            b[at] = b'y';
            assert!(!same(&a, &b), "length {len}, byte {at}");
        }
    }
}

#[test]
fn layout_is_what_the_drawing_says() {
    let shape = Shape::new(0, 16, 100);
    assert_eq!((shape.key_at(), shape.value_at(), shape.class()), (6, 22, 128));
    assert_eq!(shape.with_deadline(true).key_at(), 14);
    assert_eq!(shape.with_deadline(true).class(), 160);
    assert_eq!(Shape::new(0, 255, 255).key_at(), 6);
    assert_eq!(Shape::new(0, 255, 256).key_at(), 12);
    assert_eq!(Shape::new(0, 256, 0).with_deadline(true).key_at(), 20);
    let object = Shape::new(0, 10, 70_000).with_object();
    assert_eq!((object.is_object(), object.key_at(), object.class()), (true, 6, 32));
    assert_eq!(Shape::new(0, 0, 0).class(), 8);
}

#[test]
fn a_change_within_the_class_stays_in_place() {
    let entry = Entry::create(&[b'k'; 16], Fill::Bytes(&[b'v'; 100]));
    // SAFETY: the only handle; shapes are made from the entry's own.
    unsafe {
        for len in [106, 91, 100] {
            let value = vec![b'w'; len];
            let next = entry.reshape(entry.shape().with_bytes(len), 0, Fill::Bytes(&value));
            assert!(next == entry, "length {len}");
            assert_eq!(entry.bytes(), Some(&value[..]));
        }
        let moved = entry.reshape(entry.shape().with_bytes(107), 0, Fill::Keep);
        assert!(moved != entry);
        assert_eq!(moved.key(), [b'k'; 16]);
        moved.free();
    }
}

#[test]
#[should_panic(expected = "4 GiB")]
fn too_long_is_refused() {
    let _ = Shape::new(0, 0, 1 << 32);
}
