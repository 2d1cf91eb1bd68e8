//! Kvist's JSON documents as a module of redis-server: `json::rows` on a host that is none of ours.
//!
//! ```text
//!   redis-server ── a request ──► run ──► the row's handler ──► Host: the keys, by the module API
//!                                                          └──► Replies: the answer
//!                ── RDB, AOF, COPY, DUMP, DEBUG ──► value: the type
//! ```
//!
//! A workspace of its own, whose bindings are made with libclang (`libclang-dev`):
//!
//! ```sh
//! cargo build --release --manifest-path crates/redis-module/Cargo.toml \
//!     --target-dir target/redis-module
//! redis-server --loadmodule target/redis-module/release/libkvist_json.so
//! ```
//!
//! Nothing of a command is here: name, arity, flags and keys come from its spec, replies and errors
//! from the function that Kvist's own server calls. No panic may leave a function that the server
//! calls, and nothing is kept from one request to the next but what values share.
//!
//! What is the server's own stays so: categories of ACL, which 7.0 gives no command of a module,
//! and the moment at which a deadline that has passed is noticed. `JSON.DEBUG MEMORY` tells of
//! documents that all share what is alike, as there is one thread.

mod host;
mod replies;
mod value;

use std::collections::{BTreeMap, hash_map::RandomState};
use std::ffi::{CString, c_int};
use std::hash::{BuildHasher, Hasher};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use base::{Args, CmdError, Effect, Find, Hashing, KeyHasher, Row, Spec, Start, error};
use redis_module::commands::{BeginSearch, FindKeys, KeySpec, KeySpecFlags, get_redis_key_spec};
use redis_module::{Context, ModuleOptions, RedisString, Status, alloc::RedisAlloc, logging, raw};

use crate::host::Host;
use crate::replies::Replies;
use crate::value::JSON;

type Ctx = *mut raw::RedisModuleCtx;
type Str = *mut raw::RedisModuleString;

/// The commands by their names.
static ROWS: LazyLock<BTreeMap<&str, Row<Host>>> =
    LazyLock::new(|| commands::json::rows().into_iter().map(|row| (row.spec.name, row)).collect());
static HASHER: LazyLock<KeyHasher> = LazyLock::new(|| KeyHasher::new(Hashing::new(random())));

/// An unpredictable number.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Runs a request for the server.
extern "C" fn run(ctx: Ctx, argv: *mut Str, argc: c_int) -> c_int {
    let words = redis_module::decode_args(ctx, argv, argc);
    let argv: Vec<&[u8]> = words.iter().map(RedisString::as_slice).collect();
    let answer = catch_unwind(AssertUnwindSafe(|| answer(&Context::new(ctx), &argv)));
    match answer.unwrap_or(Err(error::INTERNAL)) {
        Ok(replies) => replies.send(ctx),
        Err(error) => replies::send_error(ctx, error.bytes()),
    }
    Status::Ok as c_int
}

fn answer(ctx: &Context, argv: &[&[u8]]) -> Result<Replies, CmdError> {
    let name = argv.first().map(|name| String::from_utf8_lossy(name).to_ascii_lowercase());
    let row = name.and_then(|name| ROWS.get(name.as_str())).ok_or(error::INTERNAL)?;
    let mut out = Replies::new(ctx);
    let mut host = Host::new(ctx, row.spec);
    let effect = (row.run)(&mut host, Args::new(argv, 1, None, &HASHER), &mut out);
    host.tell();
    match effect? {
        Effect::None => {}
        Effect::AsSent => ctx.replicate_verbatim(),
        Effect::Rewritten(request) => replicate(ctx, &request),
        Effect::Several(requests) => requests.iter().for_each(|request| replicate(ctx, request)),
        // No command of this family waits, or knows groups.
        _ => return Err(error::INTERNAL),
    }
    Ok(out)
}

fn replicate(ctx: &Context, request: &base::Argv) {
    let words: Vec<&[u8]> = request.iter().collect();
    if let Some((name, words)) = words.split_first() {
        ctx.replicate(&String::from_utf8_lossy(name), words);
    }
}

/// Makes a command known to the server. `None` if it refuses.
fn register(ctx: &Context, spec: &Spec) -> Option<()> {
    let derived = base::grammar::arity(&base::grammar::parse(spec.grammar).ok()?, 1);
    // Modules write one flag in another way.
    let flags = spec.flags.iter().map(|flag| flag.name().replace("denyoom", "deny-oom"));
    let flags = CString::new(flags.collect::<Vec<_>>().join(" ")).ok()?;
    let name = CString::new(spec.name).ok()?;
    let mut keys = get_redis_key_spec(spec.keys.iter().map(key_spec).collect::<Option<_>>()?);
    let version = raw::RedisModuleCommandInfoVersion {
        version: 1,
        sizeof_historyentry: size_of::<raw::RedisModuleCommandHistoryEntry>(),
        sizeof_keyspec: size_of::<raw::RedisModuleCommandKeySpec>(),
        sizeof_arg: size_of::<raw::RedisModuleCommandArg>(),
    };
    let info = raw::RedisModuleCommandInfo {
        version: &version,
        arity: if spec.arity == 0 { derived } else { spec.arity },
        key_specs: keys.as_mut_ptr(),
        // SAFETY: the others are texts and lists, which may be missing.
        ..unsafe { MaybeUninit::zeroed().assume_init() }
    };
    // SAFETY: the server copies what it is shown here, all of which lives until the end.
    let done = unsafe {
        raw::RedisModule_CreateCommand?(ctx.ctx, name.as_ptr(), Some(run), flags.as_ptr(), 0, 0, 0);
        let command = raw::RedisModule_GetCommand?(ctx.ctx, name.as_ptr());
        (!command.is_null()).then_some(raw::RedisModule_SetCommandInfo?)?(command, &info)
    };
    (done == Status::Ok as c_int).then_some(())
}

/// Where the keys are; `None` if it is said in a way that no command of this family has.
fn key_spec(spec: &base::KeySpec) -> Option<KeySpec> {
    let (Start::Index(first), Find::Range { last, step, limit: 0 }) = (spec.start, spec.find)
    else {
        return None;
    };
    // Flags have the order that they have in Redis.
    let bits = spec.flags.iter().fold(0, |bits, &flag| bits | 1 << flag as u32);
    let begin = BeginSearch::new_index(i32::try_from(first).ok()?);
    let range = FindKeys::new_range(last, i32::try_from(step).ok()?, 0);
    Some(KeySpec::new(None, KeySpecFlags::from_bits_truncate(bits), begin, range))
}

fn init(ctx: &Context, _: &[RedisString]) -> Status {
    // What a panic does by itself allocates and frees in ways that not every server lets a module.
    std::panic::set_hook(Box::new(|panic| logging::log_warning(panic.to_string())));
    ctx.set_module_options(
        ModuleOptions::HANDLE_IO_ERRORS | ModuleOptions::NO_IMPLICIT_SIGNAL_MODIFIED,
    );
    json::seed_names(random());
    let all = ROWS.values().try_for_each(|row| register(ctx, row.spec));
    all.map_or(Status::Err, |()| Status::Ok)
}

redis_module::redis_module! {
    name: "ReJSON",
    version: 1,
    allocator: (RedisAlloc, RedisAlloc),
    data_types: [JSON],
    init: init,
}
