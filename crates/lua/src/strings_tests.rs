//! What must hold of the table of strings: whatever is collected, whenever memory is refused, and
//! whichever strings are chosen.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char, c_int, c_void};

use foldhash::SharedSeed;

use super::*;
use crate::{
    LUA_ERRMEM, LUA_GCCOLLECT, LUA_GCSTEP, LUA_REGISTRYINDEX, lua_close, lua_gc, lua_newstate,
    lua_newuserdata, lua_pcall, lua_pushcclosure, lua_pushlstring, lua_rawgeti, lua_settop,
    lua_tolstring, luaL_ref, luaL_unref,
};

#[path = "../tests/alike/mod.rs"]
mod alike;

/// Where a state's memory comes from.
#[derive(Default)]
struct Heap {
    used: Cell<usize>,
    /// So many more blocks are given, if any number is set.
    left: Cell<Option<u32>>,
}

unsafe extern "C" fn allocate(
    heap: *mut c_void,
    block: *mut c_void,
    old: usize,
    new: usize,
) -> *mut c_void {
    // SAFETY: the heap is that of `Interpreter::new`; Lua tells the sizes it asked for.
    unsafe {
        let heap = &*heap.cast::<Heap>();
        let before = Layout::from_size_align_unchecked(old, 16);
        if new == 0 {
            if !block.is_null() {
                dealloc(block.cast(), before);
                heap.used.set(heap.used.get() - old);
            }
            return null_mut();
        }
        if new > old {
            match heap.left.get() {
                Some(0) => return null_mut(),
                left => heap.left.set(left.map(|left| left - 1)),
            }
        }
        let given = match block.is_null() {
            true => alloc(Layout::from_size_align_unchecked(new, 16)),
            false => realloc(block.cast(), before, new),
        };
        heap.used.set(heap.used.get() + new - old);
        given.cast()
    }
}

/// A state. Whatever it allocated must be given back at its end.
struct Interpreter {
    state: *mut lua_State,
    heap: Box<Heap>,
}

impl Interpreter {
    fn new() -> Self {
        let heap = Box::<Heap>::default();
        let ud = (&raw const *heap).cast_mut().cast::<c_void>();
        // SAFETY: the heap outlives the state.
        let state = unsafe { lua_newstate(allocate, ud) };
        assert!(!state.is_null());
        Interpreter { state, heap }
    }

    /// Pushes a string; where its bytes are.
    fn push(&self, text: &[u8]) -> *const c_char {
        // SAFETY: the state is valid, and no memory is refused.
        unsafe {
            lua_pushlstring(self.state, text.as_ptr().cast(), text.len());
            lua_tolstring(self.state, -1, null_mut())
        }
    }

    /// A string that stays until its number is given back, and where its bytes are.
    fn keep(&self, text: &[u8]) -> (c_int, *const c_char) {
        let at = self.push(text);
        // SAFETY: as above.
        (unsafe { luaL_ref(self.state, LUA_REGISTRYINDEX) }, at)
    }

    fn give_back(&self, number: c_int) {
        // SAFETY: as above.
        unsafe { luaL_unref(self.state, LUA_REGISTRYINDEX, number) }
    }

    fn collect(&self, what: c_int) {
        // SAFETY: as above.
        unsafe {
            lua_settop(self.state, 0);
            lua_gc(self.state, what, 0);
        }
    }

    fn global(&self) -> &Global {
        // SAFETY: the state is valid.
        unsafe { &*global(self.state) }
    }

    /// Looks at every string; how many are in the longest chain, and how many are set apart.
    fn check(&self) -> (usize, usize) {
        let strings = &self.global().strings;
        let size = usize::try_from(strings.size).unwrap();
        assert!(size.is_power_of_two());
        let (mut all, mut longest, mut apart) = (HashSet::new(), 0, 0);
        for n in 0..size {
            let mut chain = 0;
            // SAFETY: the buckets are as many, and the chains of valid strings.
            unsafe {
                let mut text = *strings.buckets.add(n);
                while !text.is_null() {
                    let bytes = Text::bytes(text);
                    let hash = (*text).hash;
                    assert_eq!(hash as usize & (size - 1), n, "in another's bucket");
                    assert!(all.insert(bytes), "there twice: {}", bytes.escape_ascii());
                    assert_eq!(*text.add(1).cast::<u8>().add(bytes.len()), 0, "no zero behind it");
                    if hash != hash::in_order(bytes) {
                        assert_eq!(hash, hash::apart(bytes));
                        apart += 1;
                    }
                    chain += 1;
                    text = (*text).next;
                }
            }
            longest = longest.max(chain);
        }
        assert_eq!(all.len(), strings.count as usize);
        (longest, apart)
    }
}

impl Drop for Interpreter {
    fn drop(&mut self) {
        // SAFETY: it is not used afterwards.
        unsafe { lua_close(self.state) };
        assert_eq!(self.heap.used.get(), 0);
    }
}

/// The longest chain that random strings hardly make, with as many strings as buckets.
const BY_CHANCE: usize = 12;

#[test]
fn equal_strings_are_one_object_whatever_is_collected() {
    let lua = Interpreter::new();
    let texts: Vec<Vec<u8>> =
        [alike::to_redis(400), alike::to_lua(400), alike::not(400, 20), alike::not(20, 3000)]
            .concat();
    let mut kept: HashMap<&[u8], (c_int, *const c_char)> = HashMap::new();
    let mut random = 1u64;
    for turn in 0..60_000 {
        random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let text = &*texts[(random >> 33) as usize % texts.len()];
        match random >> 60 {
            0..=5 => match kept.get(text) {
                Some((_, at)) => assert_eq!(lua.push(text), *at),
                None => drop(kept.insert(text, lua.keep(text))),
            },
            6..=9 => drop(kept.remove(text).map(|(number, _)| lua.give_back(number))),
            10..=13 => drop(lua.push(text)),
            _ => lua.collect(LUA_GCSTEP),
        }
        if turn % 16 == 0 {
            lua.collect(LUA_GCSTEP);
        }
        if turn % 1000 == 0 {
            lua.check();
        }
    }
    for (text, (number, at)) in kept {
        // SAFETY: the state is valid, and keeps the string.
        unsafe {
            lua_rawgeti(lua.state, LUA_REGISTRYINDEX, number);
            let mut len = 0;
            assert_eq!(lua_tolstring(lua.state, -1, &raw mut len), at);
            assert_eq!(std::slice::from_raw_parts(at.cast::<u8>(), len), text);
            lua_settop(lua.state, 0);
        }
    }
}

#[test]
fn a_string_set_apart_is_found_when_those_before_it_are_gone() {
    let lua = Interpreter::new();
    let texts = alike::to_redis(300);
    let kept: Vec<_> = texts.iter().map(|text| lua.keep(text)).collect();
    assert!(lua.check().1 > 200);
    let (first, others) = kept.split_at(100);
    first.iter().for_each(|(number, _)| lua.give_back(*number));
    lua.collect(LUA_GCCOLLECT);
    assert_eq!(lua.check().1, others.len());
    for (text, (_, at)) in texts[100..].iter().zip(others) {
        assert_eq!(lua.push(text), *at);
        lua.collect(LUA_GCSTEP);
    }
    lua.check();
}

#[test]
fn chosen_strings_make_no_chains() {
    // Where foldhash multiplies these numbers, which are known, by others, the product is zero.
    let known = format!("{:?}", SharedSeed::global_fixed());
    let first = known.split(['[', ',']).nth(1).and_then(|word| word.trim().parse::<u64>().ok());
    let zeros = first.unwrap().to_ne_bytes().repeat(6);
    let to_foldhash = |text: Vec<u8>| [&text[..48], &zeros, &[b'x'; 300]].concat();
    let folded: Vec<Vec<u8>> = alike::not(5000, 48).into_iter().map(to_foldhash).collect();
    let all_alike = |texts: &[Vec<u8>], hash: fn(&[u8]) -> u32| {
        texts.iter().all(|text| hash(text) == hash(&texts[0]))
    };
    // Of long ones pieces are looked at.
    let between = |text: Vec<u8>| [&[b'x'; 100], &*text, &[b'x'; 10_000]].concat();
    let long: Vec<Vec<u8>> = alike::not(5000, 48).into_iter().map(between).collect();
    for texts in [folded, alike::to_redis(5000), long] {
        assert!(all_alike(&texts, hash::in_order) && !all_alike(&texts, hash::apart));
        let lua = Interpreter::new();
        for text in &texts {
            lua.keep(text);
        }
        let (longest, apart) = lua.check();
        assert!(longest <= LONG + BY_CHANCE && apart > 4900, "{longest}, {apart}");
    }
    for texts in [alike::to_lua(5000), alike::not(5000, 10), alike::not(5000, 200)] {
        let lua = Interpreter::new();
        for text in &texts {
            lua.keep(text);
        }
        let (longest, apart) = lua.check();
        assert!(longest <= BY_CHANCE && apart == 0, "{longest}, {apart}");
    }
}

/// Names as people choose them are walked in the same order in all processes.
#[test]
fn names_are_not_set_apart() {
    let forms: [fn(u32) -> String; 9] = [
        |n| n.to_string(),
        |n| format!("key:{n:012}"),
        |n| format!("user:{}:session:{}", n % 100, n / 100),
        |n| format!("{:08x}-{n:04x}-4000-8000-{:012x}", n.wrapping_mul(2_654_435_761), n),
        |n| format!("https://example.com/a/path/that/is/the/same/for/all/of/them?id={n}"),
        |n| format!("{n}/the/same/end/for/all/of/them/and/it/goes/on/for/so/long/that/it/counts"),
        |n| format!("2026-{:02}-{:02}T{:02}:00", n % 12, n / 12 % 28, n / 336 % 24),
        |n| format!("{:o}", n),
        |n| "x".repeat(n as usize % 128) + &n.to_string(),
    ];
    for form in forms {
        let lua = Interpreter::new();
        for n in 0..30_000 {
            lua.keep(form(n).as_bytes());
        }
        let (longest, apart) = lua.check();
        assert!(longest <= LONG / 3 && apart == 0, "{}: {longest}, {apart}", form(1));
    }
}

/// Makes strings and userdata, more than there are buckets.
unsafe extern "C-unwind" fn fill(state: *mut lua_State) -> c_int {
    for n in 0..300_u32 {
        let mut text = [b'x'; 40];
        text[..4].copy_from_slice(&n.to_ne_bytes());
        // SAFETY: Lua calls this; the frame holds nothing with a destructor.
        unsafe {
            lua_pushlstring(state, text.as_ptr().cast(), text.len());
            lua_newuserdata(state, 24);
            lua_settop(state, 0);
        }
    }
    0
}

#[test]
fn memory_may_be_refused_at_any_block() {
    let mut failed = 0;
    for blocks in (0..800).step_by(3) {
        let lua = Interpreter::new();
        // SAFETY: the state is valid, and errors end at the call.
        let status = unsafe {
            lua_pushcclosure(lua.state, fill, 0);
            lua.heap.left.set(Some(blocks));
            lua_pcall(lua.state, 0, 0, 0)
        };
        lua.heap.left.set(None);
        lua.check();
        if status != 0 {
            assert_eq!(status, LUA_ERRMEM);
            failed += 1;
            // SAFETY: the message is there.
            let text = unsafe { CStr::from_ptr(lua_tolstring(lua.state, -1, null_mut())) };
            assert_eq!(text, c"not enough memory");
        }
        lua.collect(LUA_GCCOLLECT);
        lua.check();
        lua.keep(b"it goes on");
    }
    assert!(failed > 100 && failed < 800 / 3, "{failed}");
}

#[test]
fn buckets_stay_while_the_collector_goes_through_them() {
    let lua = Interpreter::new();
    let mut n = 0_u32;
    let mut make = || {
        n += 1;
        lua.keep(&n.to_ne_bytes());
    };
    (0..40_000).for_each(|_| make());
    // So many that the buckets are about to become more.
    while lua.global().strings.count + 20 < lua.global().strings.size.cast_unsigned() {
        make();
    }
    while lua.global().phase != SWEEPING {
        lua.collect(LUA_GCSTEP);
    }
    let size = lua.global().strings.size;
    let mut crowded = false;
    while lua.global().phase == SWEEPING {
        assert_eq!(lua.global().strings.size, size);
        make();
        crowded |= lua.global().strings.count > size.cast_unsigned();
        // SAFETY: buckets stay, whichever way they are resized.
        unsafe { luaS_resize(lua.state, 64) };
    }
    lua.check();
    (0..40_000).for_each(|_| make());
    // Otherwise it would not have been tried whether they stay.
    assert!(crowded, "there never were more strings than buckets");
    assert!(lua.global().strings.size > size);
    lua.check();
}

#[test]
fn what_is_too_large_for_any_memory_is_an_error() {
    unsafe extern "C-unwind" fn large(state: *mut lua_State) -> c_int {
        // SAFETY: Lua calls this; the frame holds nothing with a destructor.
        unsafe { lua_newuserdata(state, usize::MAX - 8) };
        0
    }
    let lua = Interpreter::new();
    // SAFETY: the state is valid, and errors end at the call.
    unsafe {
        lua_pushcclosure(lua.state, large, 0);
        assert_eq!(lua_pcall(lua.state, 0, 0, 0), 2);
        let text = CStr::from_ptr(lua_tolstring(lua.state, -1, null_mut()));
        assert_eq!(text, c"memory allocation error: block too big");
    }
}
