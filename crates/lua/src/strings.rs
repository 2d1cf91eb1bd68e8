//! The interpreter's table of strings, in the place of its own.
//!
//! Lua has every string once: equal ones are one object, and tables compare keys by their address.
//! As Lua 5.1.5 is published, the hash by which that object is found looks at 32 bytes at most, and
//! any client can compute it. So strings can be chosen that lie in one chain, where each new one is
//! compared with all before it. `build.rs` leaves those functions out of the library; the ones here
//! take their place, under their names.
//!
//! ```text
//!   buckets   0    1    2    3   …         a power of two, about as many as there are strings
//!             │         │
//!             ▼         ▼
//!           string    string ─► string     those whose hash ends in the bucket's number
//! ```
//!
//! A string gets its hash when it is made, and keeps it: tables look for keys by the same number,
//! so it also decides the order in which they are walked. Usually it is [`hash::in_order`], which
//! is the same in every process, and so is that order. Where it takes too long to find that a
//! string is not in its chain, as with random strings it does not, that string gets
//! [`hash::apart`]: chosen ones end up as far from each other as others, here and in every table of
//! as many buckets whose keys they are. A smaller one looks at fewer bits of the same hashes: of
//! strings that lie in a thousand chains here all may lie in one there. Such a chain has at most
//! [`LONG`] for each time that this table is larger, so a million strings make one of some
//! thousands.
//!
//! What must hold:
//!
//! * A string lies in the bucket of its hash, and its hash is one of those two. A search for
//!   it goes to both places, or in the first only if none that belongs there was set [`APART`].
//! * Buckets stay where they are while the collector goes through them, one after the other.
//! * A string that nothing refers to is in its chain until the collector gets there. A caller that
//!   asks for it meanwhile gets it, marked as alive.
//! * Errors of memory are `longjmp`s: nothing here has a destructor, and when memory is refused all
//!   is as before, or the string is in its chain.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::hash;
use crate::layout::{Block, Global, State, Text};
use crate::{LUA_TSTRING, LUA_TUSERDATA, lua_State};

/// A chain costs what there is to look at in it: each string one, and the bytes that are compared
/// one for every so many. One that costs as much as [`LONG`] is no accident: with a string to each
/// bucket, as on average here, one bucket in 10⁸⁹ has as many strings.
const BYTES: usize = 64;
const LONG: usize = 64;

/// What the collector does when buckets must stay: it sweeps strings.
const SWEEPING: u8 = 2;
/// The two marks of which one says that nothing refers to an object; they take turns.
const WHITES: u8 = 3;
/// The most bytes of a block, as Lua has it.
const LARGEST: usize = usize::MAX - 2;

/// A bit for each value of a first hash's upper half: whether a string of this process has got the
/// second hash instead. No state can keep this for itself, as there is no room in it; and it only
/// saves time, so a bit stays when the string has gone.
static APART: [AtomicU64; 1 << 10] = [const { AtomicU64::new(0) }; 1 << 10];

/// Where the bit for a hash is.
#[inline]
fn bit(hash: u32) -> (&'static AtomicU64, u64) {
    (&APART[(hash >> 22) as usize], 1 << (hash >> 16 & 63))
}

unsafe extern "C-unwind" {
    /// Allocates, changes the size of, and frees, with the old size given. Raises if refused.
    fn luaM_realloc_(
        state: *mut lua_State,
        block: *mut c_void,
        old: usize,
        new: usize,
    ) -> *mut c_void;
    /// Raises an error that says so.
    fn luaM_toobig(state: *mut lua_State) -> *mut c_void;
}

/// What all coroutines of this one share.
///
/// # Safety
/// The state is valid.
unsafe fn global(state: *mut lua_State) -> *mut Global {
    // SAFETY: as the caller says.
    unsafe { (*state.cast::<State>()).global }
}

/// The bucket of a hash.
///
/// # Safety
/// There are buckets.
#[inline]
unsafe fn bucket(global: *mut Global, hash: u32) -> *mut *mut Text {
    // SAFETY: their number is a power of two, so the index is below it.
    unsafe {
        let strings = &raw const (*global).strings;
        (*strings).buckets.add((hash & ((*strings).size.cast_unsigned() - 1)) as usize)
    }
}

/// The string with these bytes and this hash, null if there is none; and what looking for it cost.
///
/// # Safety
/// There are buckets, and chains of valid strings in them.
#[inline]
unsafe fn find(global: *mut Global, hash: u32, bytes: &[u8]) -> (*mut Text, usize) {
    let mut cost = 0;
    // SAFETY: as the caller says.
    unsafe {
        let mut text = *bucket(global, hash);
        while !text.is_null() {
            cost += 1;
            if (*text).hash == hash && (*text).len == bytes.len() {
                if Text::bytes(text) == bytes {
                    return (text, cost);
                }
                cost += bytes.len() / BYTES;
            }
            text = (*text).next;
        }
    }
    (null_mut(), cost)
}

/// The string with these bytes, made if there is none. Raises.
///
/// # Safety
/// The state is valid, and so are as many bytes.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn luaS_newlstr(
    state: *mut lua_State,
    bytes: *const c_char,
    len: usize,
) -> *mut Text {
    // SAFETY: as the caller says. Nothing is collected while memory is asked for, so the bytes may
    // be those of a string that nothing refers to.
    unsafe {
        let bytes: &[u8] = match len {
            0 => &[],
            _ => std::slice::from_raw_parts(bytes.cast(), len),
        };
        let global = global(state);
        let mut hash = hash::in_order(bytes);
        let (mut found, cost) = find(global, hash, bytes);
        if found.is_null() {
            let (word, bit) = bit(hash);
            if cost >= LONG || word.load(Ordering::Relaxed) & bit != 0 {
                let apart = hash::apart(bytes);
                found = find(global, apart, bytes).0;
                if cost >= LONG {
                    word.fetch_or(bit, Ordering::Relaxed);
                    hash = apart;
                }
            }
        }
        if found.is_null() {
            return make(state, bytes, hash);
        }
        let dead = (*global).white ^ WHITES;
        if (*found).marked & dead & WHITES != 0 {
            (*found).marked ^= WHITES;
        }
        found
    }
}

/// A new string. Raises.
///
/// # Safety
/// The state is valid, and has no such string.
unsafe fn make(state: *mut lua_State, bytes: &[u8], hash: u32) -> *mut Text {
    let len = bytes.len();
    // SAFETY: the block is as long as header, bytes and zero are; it is whole before it is in its
    // chain, and there before more memory is asked for.
    unsafe {
        if len >= LARGEST - size_of::<Text>() {
            luaM_toobig(state);
        }
        let text = luaM_realloc_(state, null_mut(), 0, size_of::<Text>() + len + 1).cast::<Text>();
        let global = global(state);
        let bucket = bucket(global, hash);
        text.write(Text {
            next: *bucket,
            object: LUA_TSTRING as u8,
            marked: (*global).white & WHITES,
            reserved: 0,
            hash,
            len,
        });
        let to = text.add(1).cast::<u8>();
        to.copy_from_nonoverlapping(bytes.as_ptr(), len);
        to.add(len).write(0);
        *bucket = text;
        let strings = &raw mut (*global).strings;
        (*strings).count += 1;
        if (*strings).count > (*strings).size.cast_unsigned() && (*strings).size <= c_int::MAX / 2 {
            luaS_resize(state, (*strings).size * 2);
        }
        text
    }
}

/// Has as many buckets from now on, unless the collector is going through them. Raises.
///
/// # Safety
/// The state is valid, or is being made and has no buckets yet; the number is a power of two.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn luaS_resize(state: *mut lua_State, size: c_int) {
    // SAFETY: as the caller says; both arrays are as long as was asked for.
    unsafe {
        let global = global(state);
        let strings = &raw mut (*global).strings;
        if (*strings).size == 0 {
            assert!(is_new(state), "the interpreter is not the one that this was built for");
        }
        if (*global).phase == SWEEPING {
            return;
        }
        let bytes = |size: c_int| size as usize * size_of::<*mut Text>();
        let buckets = luaM_realloc_(state, null_mut(), 0, bytes(size)).cast::<*mut Text>();
        buckets.write_bytes(0, size as usize);
        let old = ((*strings).buckets, (*strings).size);
        ((*strings).buckets, (*strings).size) = (buckets, size);
        for n in 0..old.1 as usize {
            let mut text = *old.0.add(n);
            while !text.is_null() {
                let next = (*text).next;
                let bucket = bucket(global, (*text).hash);
                (*text).next = *bucket;
                *bucket = text;
                text = next;
            }
        }
        luaM_realloc_(state, old.0.cast(), bytes(old.1), 0);
    }
}

/// Whether a state that has no buckets yet looks like one that is being made.
///
/// # Safety
/// It is one, if it lies as `layout` says.
unsafe fn is_new(state: *mut lua_State) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let global = global(state);
        let strings = &raw const (*global).strings;
        (*strings).buckets.is_null()
            && (*strings).count == 0
            && (*global).phase == 0
            && (*global).white & WHITES == 1
            && (*global).main.cast() == state
    }
}

/// A userdata of so many bytes, with an environment. Raises. (It is here only because it lies in
/// the same file of Lua's.)
///
/// # Safety
/// The state is valid, and so is the environment.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn luaS_newudata(
    state: *mut lua_State,
    len: usize,
    environment: *mut c_void,
) -> *mut Block {
    // SAFETY: the block is as long as header and content are, and whole before it is in the list.
    unsafe {
        if len > LARGEST - size_of::<Block>() {
            luaM_toobig(state);
        }
        let block = luaM_realloc_(state, null_mut(), 0, size_of::<Block>() + len).cast::<Block>();
        let global = global(state);
        // The main coroutine is followed by all userdata and nothing else, so that what is to be
        // finalized is found there.
        let main = (*global).main;
        block.write(Block {
            next: (*main).next,
            object: LUA_TUSERDATA as u8,
            marked: (*global).white & WHITES,
            metatable: null_mut(),
            environment,
            len,
        });
        (*main).next = block.cast();
        block
    }
}

#[cfg(test)]
#[path = "strings_tests.rs"]
mod tests;
