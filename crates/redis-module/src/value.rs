//! The type of documents as the server handles it. In RDB files and what `DUMP` answers it is what
//! Kvist's own server writes, which is what RedisJSON reads.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::catch_unwind;
use std::ptr::null_mut;

use base::{DataType, PackLimits};
use rdb::{Module, ModulePart, Portable, Value};
use redis_module::native_types::RedisType;
use redis_module::raw::{self, RedisModuleDigest as Digest, RedisModuleIO as Io};
use types::Json;

use crate::Str;
use crate::host::contexts;

/// The type.
pub static JSON: RedisType = RedisType::new(
    Json::KIND.name(),
    Json::VERSION as i32,
    raw::RedisModuleTypeMethods {
        version: raw::REDISMODULE_TYPE_METHOD_VERSION as u64,
        rdb_load: Some(load),
        rdb_save: Some(save),
        aof_rewrite: Some(rewrite),
        mem_usage: Some(memory),
        free_effort: Some(free_effort),
        digest: Some(digest),
        free: Some(free),
        copy: Some(copy),
        // SAFETY: the others are functions that are not there, and flags of which none is set.
        ..unsafe { MaybeUninit::zeroed().assume_init() }
    },
);

fn give(json: Json) -> *mut c_void {
    Box::into_raw(Box::new(json)).cast()
}

/// # Safety
/// The server has it from `give`, and nothing changes it meanwhile.
unsafe fn seen<'a>(value: *const c_void) -> &'a Json {
    // SAFETY: as above.
    unsafe { &*value.cast() }
}

fn text(json: &Json) -> Vec<u8> {
    let mut text = Vec::new();
    json.document().inspect(|document| document.write(&mut text));
    text
}

/// Clients choose these bytes, too, with `RESTORE`: null is what refuses them.
unsafe extern "C" fn load(io: *mut Io, version: c_int) -> *mut c_void {
    let loaded = catch_unwind(|| {
        let text = raw::load_string_buffer(io).ok()?;
        let id = Module::id_of(Json::KIND.name(), u16::try_from(version).ok()?)?;
        let parts = vec![ModulePart::String(text.as_ref().to_vec())];
        let value = Value::Module(Module { id, parts });
        Json::from_value(value, &PackLimits::default(), contexts().get::<Json>())
    });
    loaded.ok().flatten().map_or(null_mut(), give)
}

unsafe extern "C" fn save(io: *mut Io, value: *mut c_void) {
    // SAFETY: it is the server's.
    raw::save_slice(io, &text(unsafe { seen(value) }));
}

unsafe extern "C" fn rewrite(io: *mut Io, key: Str, value: *mut c_void) {
    let (request, format) = (c"JSON.SET", c"scb");
    // SAFETY: the value is the server's; a string of the server, a text that ends with zero, and
    // bytes with their number are what the format says.
    unsafe {
        let text = text(seen(value));
        let (bytes, len) = (text.as_ptr(), text.len());
        raw::RedisModule_EmitAOF.inspect(|emit| {
            emit(io, request.as_ptr(), format.as_ptr(), key, c".".as_ptr(), bytes, len)
        });
    }
}

unsafe extern "C" fn digest(digest: *mut Digest, value: *mut c_void) {
    // SAFETY: the value is the server's, and the text lives until the end.
    unsafe {
        let text = text(seen(value));
        let (bytes, len) = (text.as_ptr().cast(), text.len());
        raw::RedisModule_DigestAddStringBuffer.inspect(|add| add(digest, bytes, len));
        raw::RedisModule_DigestEndSequence.inspect(|end| end(digest));
    }
}

unsafe extern "C" fn memory(value: *const c_void) -> usize {
    // SAFETY: it is the server's.
    size_of::<Json>() + unsafe { seen(value) }.memory()
}

unsafe extern "C" fn free_effort(_: Str, value: *const c_void) -> usize {
    // SAFETY: it is the server's.
    unsafe { seen(value) }.free_effort()
}

/// Another thread of the server may do it.
unsafe extern "C" fn free(value: *mut c_void) {
    // SAFETY: it is from `give`, and the server gives it back.
    drop(unsafe { Box::from_raw(value.cast::<Json>()) });
}

unsafe extern "C" fn copy(_: Str, _: Str, value: *const c_void) -> *mut c_void {
    // SAFETY: it is the server's.
    give(unsafe { seen(value) }.clone())
}
