//! `FUNCTION LOAD` and `FCALL` as redis-server has them: errors of loading, what a library may see
//! while it is loaded, what functions return.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use base::{Protocol, Reply};
use kvist_script::{Libraries, Vm};

use crate::stage::{self, Small, Stage, shown};

/// What the engine will do, in short.
struct Functions {
    vm: Vm,
    /// Another thread's.
    other: Vm,
    host: Small,
    libraries: Libraries,
}

impl Functions {
    fn load(&mut self, code: &[u8], replace: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = wire::RespWriter::new(&mut bytes, Protocol::Resp2);
        let loaded = self
            .libraries
            .admit(code, replace)
            .and_then(|()| self.vm.load_library(code, &mut self.host))
            .and_then(|library| {
                let library = Arc::new(library);
                self.libraries.add(library.clone(), replace).map(|()| library)
            });
        match loaded {
            Ok(library) => out.bulk(library.name().as_bytes()),
            Err(error) => out.error_bytes(error.bytes()),
        }
        bytes
    }

    fn call(&mut self, name: &str, keys: &[&[u8]], args: &[&[u8]], other: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = wire::RespWriter::new(&mut bytes, Protocol::Resp2);
        let Some(library) = self.libraries.function(name.as_bytes()).cloned() else {
            out.error("ERR Function not found");
            return bytes;
        };
        let vm = if other { &mut self.other } else { &mut self.vm };
        let done = vm.call_function(&library, name, keys, args, &mut self.host, &mut out);
        if let Err(error) = done {
            out.error_bytes(error.bytes());
        }
        bytes
    }
}

const CODES: &[&str] = &[
    "",
    "return 1",
    "#!lua",
    "#!lua\nreturn 1",
    "#!lua name=\nreturn 1",
    "#!lua name=a-b\nreturn 1",
    "#!lua name=a name=b\nreturn 1",
    "#!lua nome=a\nreturn 1",
    "#!lua NAME=l0\nredis.register_function('l0f', function() end)",
    "#!perl name=l1\nreturn 1",
    "#! name=l1\nreturn 1",
    "#!LUA name=l1\nredis.register_function('l1f', function() end)",
    "#!lua name=\"l2\"\nredis.register_function('l2f', function() end)",
    "#!lua name=\"l2\nredis.register_function('l2f', function() end)",
    "#!lua name=l3\nreturn 1",
    "#!lua name=l3\nx y",
    "#!lua name=l3\n\nerror('boo')",
    "#!lua name=l3\nerror({err = 'boo'})",
    "#!lua name=l3\nnothing()",
    "#!lua name=l3\nreturn redis.call('ping')",
    "#!lua name=l3\nreturn redis.pcall('ping')",
    "#!lua name=l3\nreturn redis.sha1hex('ping')",
    "#!lua name=l3\nreturn math.random()",
    "#!lua name=l3\nlocal x = string",
    "#!lua name=l3\nx = 1",
    "#!lua name=l3\nredis.x = 1",
    "#!lua name=l3\nrawset(redis, 'x', 1)",
    "#!lua name=l3\nredis.log(redis.LOG_DEBUG, 'x')",
    "#!lua name=l3\nredis.log(redis.REDIS_VERSION)",
    "#!lua name=l3\nredis.setresp(3)",
    "#!lua name=l3\nreturn KEYS",
    "#!lua name=l3\nreturn _G",
    "#!lua name=l3\nreturn _G.string",
    "#!lua name=l3\nreturn (''):rep(3)",
    "#!lua name=l3\nsetmetatable(redis, {})",
    "#!lua name=l3\nredis.register_function()",
    "#!lua name=l3\nredis.register_function('f')",
    "#!lua name=l3\nredis.register_function('f', 'g')",
    "#!lua name=l3\nredis.register_function({}, function() end)",
    "#!lua name=l3\nredis.register_function(1, function() end)",
    "#!lua name=l3\nredis.register_function('f-g', function() end)",
    "#!lua name=l3\nredis.register_function('', function() end)",
    "#!lua name=l3\nredis.register_function('f', function() end, {})",
    "#!lua name=l3\nredis.register_function('f', function() end)\nredis.register_function('f', \
     function() end)",
    "#!lua name=l3\nredis.register_function{}",
    "#!lua name=l3\nredis.register_function{function_name='f'}",
    "#!lua name=l3\nredis.register_function{callback=function() end}",
    "#!lua name=l3\nredis.register_function{function_name=1, callback=function() end}",
    "#!lua name=l3\nredis.register_function{function_name={}, callback=function() end}",
    "#!lua name=l3\nredis.register_function{function_name='f', callback=1}",
    "#!lua name=l3\nredis.register_function{function_name='f', callback=function() end, \
     description={}}",
    "#!lua name=l3\nredis.register_function{function_name='f', callback=function() end, flags='x'}",
    "#!lua name=l3\nredis.register_function{function_name='f', callback=function() end, \
     flags={'x'}}",
    "#!lua name=l3\nredis.register_function{function_name='f', callback=function() end, flags={1}}",
    "#!lua name=l3\nredis.register_function{function_name='f', callback=function() end, other=1}",
    "#!lua name=l3\nredis.register_function{[1]='f', callback=function() end}",
    "#!lua name=l3\nredis.register_function{[true]='f', callback=function() end}",
    "#!lua name=l4\nredis.register_function{function_name='l4f', callback=function() return 1 \
     end, flags={'no-writes', 'allow-oom'}, description='what it does'}",
    "#!lua name=l4\nredis.register_function('other', function() end)",
    "#!lua name=l5\nredis.register_function('l4f', function() return 2 end)",
    LIBRARY,
];

const LIBRARY: &str = "#!lua name=lib
local count = 0
local function counted(keys, args) count = count + 1 return count end
redis.register_function('counted', counted)
redis.register_function('words', function(keys, args) return {keys, args, #keys, #args} end)
redis.register_function('fails', function() error('boo') end)
redis.register_function('raises', function() return redis.call('nonsense') end)
redis.register_function('caught', function() return redis.pcall('nonsense') end)
redis.register_function('reads', function(keys) return redis.call('get', keys[1]) end)
redis.register_function('writes', function(keys, args)
  return redis.call('set', keys[1], args[1])
end)
redis.register_function('global', function() x = 1 end)
redis.register_function('absent', function() return nothing end)
redis.register_function('raw', function() rawset(_G, 'x', 1) end)
redis.register_function('register', function() redis.register_function('late', function() end) end)
redis.register_function('json', function(keys, args) return cjson.encode({args, keys}) end)
redis.register_function('handler', function() return type(__redis__err__handler) end)
redis.register_function('keys', function() return KEYS end)
redis.register_function('names', function()
  local out = {}
  for k, v in pairs(redis) do out[#out + 1] = k end
  table.sort(out)
  return out
end)
redis.register_function('globals', function()
  local out = {}
  for k, v in pairs(_G) do out[#out + 1] = k end
  table.sort(out)
  return out
end)
redis.register_function('meta', function()
  return {type(getmetatable(_G)), type(getmetatable(redis))}
end)
redis.register_function('version', function() return redis.REDIS_VERSION end)
redis.register_function('table', function() return {ok = 'fine'} end)
redis.register_function('nothing', function() end)
";

const CALLS: &[&str] = &[
    "counted", "counted", "words", "fails", "raises", "caught", "reads", "writes", "reads",
    "global", "absent", "raw", "register", "json", "handler", "keys", "names", "globals", "meta",
    "version", "table", "nothing", "l4f", "l0f", "l1f", "l2f", "missing",
];

#[test]
fn libraries_are_those_of_redis() {
    let Some(mut stage) = Stage::new() else { return };
    let mut functions = Functions {
        vm: stage::vm(),
        other: stage::vm(),
        host: Small::default(),
        libraries: Libraries::default(),
    };
    let mut wrong = Vec::new();
    let mut check = |what: &str, ours: Vec<u8>, theirs: Vec<u8>| {
        if ours != theirs {
            let (ours, theirs) = (shown(&ours), shown(&theirs));
            wrong.push(format!("{what}\n  ours:   {ours}\n  theirs: {theirs}\n"));
        }
    };
    for code in CODES {
        let theirs = stage.theirs(&[b"FUNCTION", b"LOAD", code.as_bytes()], Protocol::Resp2);
        check(code, functions.load(code.as_bytes(), false), theirs);
    }
    for name in CALLS {
        let words: &[&[u8]] = &[b"FCALL", name.as_bytes(), b"1", b"key", b"a1", b"a2"];
        let theirs = stage.theirs(words, Protocol::Resp2);
        check(name, functions.call(name, &[b"key"], &[b"a1", b"a2"], false), theirs);
    }
    let changed = LIBRARY.replace("'fine'", "'changed'");
    for code in [&changed, "#!lua name=lib\nerror('x')"] {
        let words: &[&[u8]] = &[b"FUNCTION", b"LOAD", b"REPLACE", code.as_bytes()];
        let theirs = stage.theirs(words, Protocol::Resp2);
        check(code, functions.load(code.as_bytes(), true), theirs);
        let theirs = stage.theirs(&[b"FCALL", b"table", b"0"], Protocol::Resp2);
        check("replaced", functions.call("table", &[], &[], false), theirs.clone());
        check("elsewhere", functions.call("table", &[], &[], true), theirs);
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn loading_that_takes_too_long_ends() {
    let (mut vm, mut host) = (stage::vm(), Small { patience: Some(2), ..Small::default() });
    let error = vm.load_library(b"#!lua name=l\nwhile true do end", &mut host).unwrap_err();
    assert!(error.to_string().contains("FUNCTION LOAD timeout"), "{error}");
    let mut host = Small::default();
    let code = b"#!lua name=l\nredis.register_function{function_name='f', description='d', \
                 callback=function() end, flags={'allow-stale', 'no-cluster'}}";
    let library = vm.load_library(code, &mut host).unwrap();
    assert_eq!(library.functions()[0].flags.names(), ["allow-stale", "no-cluster"]);
    assert_eq!(library.functions()[0].description.as_deref(), Some(&b"d"[..]));
    let script = vm.script_memory();
    assert!(vm.function_memory() > 0 && script > 0);
    vm.drop_library("l");
    vm.flush_libraries();
    assert_eq!(vm.function_memory(), 0);
}
