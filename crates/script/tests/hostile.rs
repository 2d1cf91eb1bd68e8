//! Scripts that mean harm, or make every mistake there is: each ends with a clean error, the host's
//! word is final, and the interpreter works as before afterwards.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::time::Duration;

use base::{Protocol, Reply};
use kvist_script::{Host, Limits, Refusal, Script, Vm};
use testkit::processor;
use testkit::scale;

use crate::alike;
use crate::stage::{self, Small, eval, text};

fn run(vm: &mut Vm, host: &mut Small, body: &str) -> String {
    if std::env::var_os("TRACE").is_some() {
        eprintln!("{body}");
    }
    text(&eval(vm, host, body.as_bytes(), &[b"k"], &[b"a"], Protocol::Resp2))
}

fn still_works(vm: &mut Vm) {
    let mut host = Small::default();
    let body =
        "redis.call('set', KEYS[1], 'v') return {redis.call('get', KEYS[1]), string.rep('x', 3)}";
    assert_eq!(run(vm, &mut host, body), "*2\r\n$1\r\nv\r\n$3\r\nxxx");
}

/// Scripts that never end, each with another way to dodge the end.
const ENDLESS: &[&str] = &[
    "while true do end",
    "repeat until false",
    "for i = 1, math.huge do end",
    "local function f() return f() end f()",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "local function f() while true do pcall(f) end end f()",
    "while true do pcall(error, 'x') end",
    "while true do coroutine.wrap(function() while true do end end)() end",
    "while true do coroutine.wrap(function() pcall(function() while true do end end) end)() end",
    "while true do local co = coroutine.create(function() while true do end end) \
     coroutine.resume(co) end",
    "while true do pcall(redis.call, 'get', 'k') end",
    "while true do redis.pcall('nonsense') end",
    "setmetatable({}, {__index = function(t, k) while true do end end}).x()",
    "table.sort({1, 2, 3}, function() while true do end end)",
    "string.gsub('x', 'x', function() while true do end end)",
    "while true do load(function() while true do end end) end",
    "local t = setmetatable({}, {__tostring = function() while true do end end}) tostring(t)",
    "local ok = pcall(function() while true do end end) while true do ok = pcall(pcall, pcall) end",
    "string.find(('a'):rep(29), ('a?'):rep(29) .. ('a'):rep(29))",
    "string.match(('a'):rep(60), ('a*'):rep(30) .. 'b')",
    "string.gsub(('a'):rep(60), ('a-'):rep(30) .. 'b', '')",
    "for w in string.gmatch(('a'):rep(60), ('(a*)'):rep(30) .. 'b') do end",
    "pcall(string.find, ('a'):rep(60), ('a*'):rep(30) .. 'b') while true do end",
    "while true do coroutine.wrap(function() string.find(('a'):rep(60), ('a*'):rep(30) .. 'b') \
     end)() end",
    "table.insert({}, -2147483648, 1)",
    "while true do string.rep('', 2147483647) end",
    "local t = {} for i = 1, 300000 do t[i] = (i * 7919) % 300007 end while true do \
     table.sort(t) end",
];

#[test]
fn the_host_ends_endless_scripts() {
    let mut vm = stage::vm();
    for body in ENDLESS {
        let mut host = Small { patience: Some(3), ..Small::default() };
        let reply = run(&mut vm, &mut host, body);
        let killed = "ERR Script killed by user with SCRIPT KILL...";
        assert!(reply.contains(killed) && reply.starts_with('-'), "{body}: {reply}");
        still_works(&mut vm);
    }
}

/// Scripts whose single instructions take long, and never end.
const HEAVY: &[&str] = &[
    "local s = ('x'):rep(2e7) while true do s:upper() end",
    "local s = ('x'):rep(2e7) while true do s:lower() end",
    "local s = ('x'):rep(2e7) while true do s:reverse() end",
    "local s = ('x'):rep(2e7) while true do s:sub(2) end",
    "local s = ('x'):rep(2e7) while true do pcall(string.sub, s, 2) end",
    "local s = ('x'):rep(2e7) while true do local x = s .. 'b' end",
    "local s = ('x'):rep(2e7) while true do pcall(function() local x = s .. s .. s .. s end) end",
    "local s = ('x'):rep(2e7) coroutine.wrap(function() while true do local x = s .. 'b' end \
     end)()",
    "local s = ('x'):rep(2e7) while true do \
     coroutine.wrap(function() local x = s .. 'b' end)() end",
    "local s = ('x'):rep(2e7) while true do string.format('%s', s) end",
    "local s = ('x'):rep(2e7) while true do s:find('y', 1, true) end",
    "local s = ('x'):rep(2e7) while true do redis.sha1hex(s) end",
    "local s = (' '):rep(2e7) while true do tonumber(s) end",
    "local s = (' '):rep(2e7) .. '1' while true do local x = s + 1 end",
    "local s = ('x'):rep(1e7) local a, b = s .. 'a', s .. 'b' while true do local x = a < b end",
    "local t = {} for i = 1, 300000 do t[i] = i end while true do cjson.encode(t) end",
    "local t = {} for i = 1, 300000 do t[i] = i end while true do cmsgpack.pack(t) end",
    "local t = {1, 1} for i = 1, 60 do t = {t, t} end while true do pcall(cjson.encode, t) end",
    "local t = {} for i = 1, 15 do t = {t, t, t, t, t} end while true do pcall(cmsgpack.pack, t) \
     end",
    "local s = '[' .. ('1,'):rep(1000000) .. '1]' while true do cjson.decode(s) end",
    "local s = ('x'):rep(1e6) local t = {} for i = 1, 7000 do t[i] = s end while true do \
     pcall(redis.log, 3, unpack(t)) end",
];

/// Where few instructions run, their number says nothing about the time.
#[test]
fn the_host_is_asked_while_single_instructions_take_long() {
    let mut vm = Vm::new(Limits::new(256 << 20));
    for body in HEAVY {
        let mut host = Small { patience: Some(3), ..Small::default() };
        let (reply, took) = processor::cost(|| run(&mut vm, &mut host, body));
        let killed = "ERR Script killed by user with SCRIPT KILL...";
        assert!(reply.contains(killed) && reply.starts_with('-'), "{body}: {reply}");
        // Without questions it would be hours.
        assert!(took < Duration::from_secs(20), "{body}: {took:?}");
        eprintln!("{took:?} {body}");
        still_works(&mut vm);
    }
}

/// Values that share what they hold: small in memory, without an end as a reply.
const SHARED: &[&str] = &[
    "local t = {1, 1} for i = 1, 60 do t = {t, t} end return t",
    "local t = {} for i = 1, 100000 do t[i] = {{{{}}}} end local u = {} for i = 1, 2000 do \
     u[i] = t end return u",
    "local t = {} for i = 1, 60 do t = {map = {a = t, b = t}} end return t",
    "local t = {} for i = 1, 60 do t = {set = {[t] = 1, [{t}] = 1}} end return t",
    "local e = {err = 'x', source = string.rep('x', 1000000)} local t = {} for i = 1, 200000 do \
     t[i] = e end return t",
];

#[test]
fn a_returned_value_ends_when_the_host_says_so() {
    let mut vm = stage::vm();
    for body in SHARED {
        let mut host = Small { patience: Some(9), ..Small::default() };
        let reply = run(&mut vm, &mut host, body);
        // Building it may take longer already.
        assert!(reply.starts_with("-ERR Script killed by user with SCRIPT KILL..."), "{body}");
        still_works(&mut vm);
    }
}

#[test]
fn a_returned_value_ends_when_the_reply_is_full() {
    let mut vm = stage::vm();
    // The last one takes long until then.
    for body in &SHARED[..SHARED.len() - 1] {
        let script = Script::new(body.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let mut out = wire::RespWriter::new(&mut bytes, Protocol::Resp3).within(100_000);
        vm.eval(&script, &[], &[], &mut Small::default(), &mut out).unwrap();
        assert!(out.is_over(), "{body}");
        still_works(&mut vm);
    }
}

/// Answers with so many values of a kind.
struct Flood;

/// Kinds of replies, in RESP2 or RESP3, that take far more memory than there is: what each is made
/// of counts, not only text.
const FLOODS: [(&str, u8); 15] = [
    ("ints", 2),
    ("nulls", 2),
    ("nulls", 3),
    ("texts", 2),
    ("empty", 2),
    ("doubles", 2),
    ("doubles", 3),
    ("booleans", 3),
    ("maps", 3),
    ("sets", 3),
    ("errors", 2),
    ("statuses", 2),
    ("verbatim", 3),
    ("numbers", 3),
    ("announced", 2),
];

impl Host for Flood {
    fn call(&mut self, words: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        let count = 200_000_usize;
        match words[0] {
            b"maps" => out.map(count),
            b"sets" => out.set(count),
            _ => out.array(count),
        }
        for n in 0..count {
            let text = n.to_string();
            match words[0] {
                b"ints" => out.count(n),
                b"nulls" => out.null(),
                b"texts" | b"sets" => out.bulk(text.as_bytes()),
                b"empty" => out.array(0),
                b"doubles" => out.double(n as f64 + 0.5),
                b"booleans" => out.boolean(true),
                b"maps" => {
                    out.bulk(text.as_bytes());
                    out.count(n);
                }
                b"errors" => out.error(&text),
                b"statuses" => out.simple(&text),
                b"verbatim" => out.verbatim("txt", b"x"),
                b"numbers" => out.big_number("7"),
                // Each announces more than comes.
                _ => out.array(1 << 16),
            }
        }
        Ok(())
    }

    fn note_error(&mut self, _: &[u8], _: bool) {}

    fn log(&mut self, _: u8, _: &[u8]) {}

    fn may(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }

    fn interrupted(&mut self) -> bool {
        false
    }

    fn set_repl(&mut self, _: u8) {}
}

#[test]
fn a_reply_takes_no_more_than_the_script_has_left() {
    let limit = 3 << 20;
    for (kind, protocol) in FLOODS {
        let mut vm = Vm::new(Limits::new(limit));
        // A third of it is taken already.
        let held = format!(
            "local held = {{}} for n = 1, 4 do held[n] = n .. ('x'):rep({}) end \
             collectgarbage() redis.setresp({protocol})",
            1 << 18
        );
        let call = format!("redis.call('{kind}')");
        let mut ask = |body: String| {
            let (reply, rise) = scale::rise(|| {
                let script = Script::new(body.as_bytes()).unwrap();
                let mut bytes = Vec::new();
                let mut out = wire::RespWriter::new(&mut bytes, Protocol::Resp2);
                let done = vm.eval(&script, &[], &[], &mut Flood, &mut out);
                done.err().map_or(text(&bytes), |error| error.to_string())
            });
            assert!(rise < (limit + limit / 8) as isize, "{body}: {rise} bytes");
            reply
        };
        let reply = ask(format!("{held} local t = {} return 1", call.replace("call", "pcall")));
        assert!(reply.contains("not enough memory"), "{kind}, {protocol}: {reply}");
        // Who catches the error has the room for something else.
        let reply = ask(format!(
            "{held} local ok = pcall(function() return {call} end) \
             return tostring(ok) .. #('y'):rep({})",
            limit / 16
        ));
        assert_eq!(reply, format!("$11\r\nfalse{}", limit / 16), "{kind}, {protocol}");
    }
}

/// What is garbage is no reason to refuse a reply.
#[test]
fn garbage_makes_way_for_a_reply() {
    let mut vm = Vm::new(Limits::new(8 << 20));
    let mut host = Small::default();
    host.strings.insert(b"k".to_vec(), vec![b'v'; 3 << 20]);
    let body = "for n = 1, 50 do local s = redis.call('get', 'k') end return 'done'";
    assert_eq!(run(&mut vm, &mut host, body), "$4\r\ndone");
}

/// Scripts that take all the memory they can get.
const GREEDY: &[&str] = &[
    "return #string.rep('x', 1e9)",
    "local s = 'x' while true do s = s .. s end",
    "local t = {} while true do t[#t + 1] = {} end",
    "local t = {} for i = 1, 1e9 do t[i] = i end",
    "local t = {} for i = 1, 1e9 do t['k' .. i] = i end",
    "local t = {} for i = 1, 1000 do t[i] = string.rep('x', 1e6) .. i end",
    "return table.concat({string.rep('x', 3e7), string.rep('y', 3e7)})",
    "return string.rep('x', 1e6):gsub('x', string.rep('y', 1e4))",
    "local s = string.rep('x', 1e6) local t = {} for i = 1, 2000 do t[i] = s end return \
     cjson.encode(t)",
    "local s = string.rep('x', 1e6) local t = {} for i = 1, 2000 do t[i] = s end return \
     cmsgpack.pack(t)",
    "local s = string.rep('x', 1e6) local f = string.rep('s', 2000) local t = {} for i = 1, \
     2000 do t[i] = s end return struct.pack(f, unpack(t))",
    "local f = {} while true do f[#f + 1] = coroutine.create(function() end) end",
    "local f = {} while true do f[#f + 1] = loadstring('return ' .. #f) end",
    "local s = string.rep('[1],', 1e6) return #cjson.decode('[' .. string.rep(s, 10) .. '1]')",
    "redis.call('set', 'k', string.rep('x', 1e7)) local t = {} while true do t[#t + 1] = \
     redis.call('get', 'k') .. #t end",
    "local t = {} for i = 1, 7000 do t[i] = 'x' end while true do t[#t + 1] = {unpack(t, 1, \
     7000)} end",
    "return string.format(string.rep('%99d', 1e6), 1)",
];

#[test]
fn memory_is_limited() {
    let mut vm = Vm::new(Limits::new(32 << 20));
    for body in GREEDY {
        let mut host = Small::default();
        let reply = run(&mut vm, &mut host, body);
        assert!(reply.starts_with('-'), "{body}: {}", &reply[..reply.len().min(100)]);
        still_works(&mut vm);
        let caught = format!("local ok, e = pcall(function() {body} end) return tostring(ok)");
        let reply = run(&mut vm, &mut Small::default(), &caught);
        assert!(reply == "$5\r\nfalse" || reply.starts_with('-'), "{caught}: {reply}");
        still_works(&mut vm);
    }
    assert!(vm.memory() < 80 << 20, "{}", vm.memory());
}

/// Scripts that use up stacks, in Lua, in C and in patterns.
const DEEP: &[&str] = &[
    "local function f() return 1 + f() end return f()",
    "local function f() pcall(f) end f() return 1",
    "local function f() local co = coroutine.wrap(f) co() end f() return 1",
    "local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x",
    "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end \
     return t.x",
    "return string.find(string.rep('(', 1000), string.rep('(', 1000))",
    "return loadstring(string.rep('(', 10000)) or 1",
    "return loadstring('return ' .. string.rep('{', 10000)) or 1",
    "return loadstring('return ' .. string.rep('-', 100000) .. '1') or 1",
    "return loadstring('local a = ' .. string.rep('function() return ', 5000)) or 1",
    "cjson.decode_max_depth(1e9) return pcall(cjson.decode, string.rep('[', 1e6))",
    "cjson.decode_max_depth(1e9) return pcall(cjson.decode, string.rep('{\"a\":', 1e6))",
    "cjson.encode_max_depth(1e9) local t = {} t[1] = t return pcall(cjson.encode, t)",
    "cjson.encode_max_depth(1e9) local t = {} t.x = t return pcall(cjson.encode, t)",
    "return pcall(cmsgpack.unpack, string.rep('\\145', 1e6))",
    "return pcall(cmsgpack.unpack, string.rep('\\129\\1', 1e6))",
    "local t = {} t[1] = t return cmsgpack.pack(t)",
    "return pcall(unpack, {}, 1, 1e8)",
    "return pcall(unpack, {}, -2147483648, 2147483647)",
    "return select('#', string.byte(string.rep('x', 1e6), 1, -1))",
    "return pcall(string.char, unpack({}, 1, 7900))",
    "local t = {} for i = 1, 300000 do t[i] = '(' end return loadstring(table.concat(t)) or 1",
    "return string.rep('x', 100000):gsub('.', '%0%0%0')",
    "local t = {} local u = t for i = 1, 100000 do u[1] = {} u = u[1] end return t",
    "local t = {} t.err = t return t",
    "return string.find(('a'):rep(5), ('a?'):rep(200000))",
    "return #string.gsub('x', ('x?'):rep(200000), 'y')",
    "return pcall(string.find, 'a', ('('):rep(200000))",
    "local function f(n) return (('x'):gsub('x', function() return f(n + 1) end)) end \
     return pcall(f, 1)",
    "local function f() return coroutine.wrap(f)() end return pcall(f)",
    "local function f(a, b) table.sort({1, 2, 3}, f) end return pcall(f)",
    "local t = {} t.map = t return t",
    "local t = {} t.set = t return t",
    "local t = {} t.verbatim_string = t return t",
];

#[test]
fn depth_is_limited() {
    let mut vm = stage::vm();
    for body in DEEP {
        let mut host = Small { patience: Some(50), ..Small::default() };
        let reply = run(&mut vm, &mut host, body);
        assert!(!reply.is_empty(), "{body}");
        still_works(&mut vm);
    }
}

/// Errors of every type, in every place.
#[test]
fn any_value_can_be_raised() {
    let mut vm = stage::vm();
    let values = [
        "nil",
        "true",
        "1",
        "'x'",
        "{}",
        "{1, 2}",
        "{err = {}}",
        "{err = true}",
        "{err = ''}",
        "function() end",
        "coroutine.create(function() end)",
        "cjson.null",
        "redis",
        "_G",
        "string",
        "setmetatable({}, {__index = function() error('again') end})",
        "setmetatable({}, {__newindex = function() error('again') end})",
        "setmetatable({}, {__tostring = function() error('again') end})",
        "setmetatable({err = 'x'}, {__metatable = 1})",
        "{err = 'x', source = {}, line = {}}",
    ];
    let places = [
        "error(V)",
        "local ok, e = pcall(error, V) error(e)",
        "string.gsub('x', 'x', function() error(V) end)",
        "table.sort({1, 2}, function() error(V) end)",
        "coroutine.wrap(function() error(V) end)()",
        "setmetatable({}, {__index = function() error(V) end}).x()",
        "load(function() error(V) end)() error(V)",
        "assert(false, V)",
        "xpcall(function() error(V) end, function(e) error(e) end) error(V)",
        "return {pcall(error, V)}",
        "return V",
    ];
    for value in values {
        for place in places {
            let body = place.replace('V', value);
            let reply = run(&mut vm, &mut Small::default(), &body);
            assert!(!reply.is_empty(), "{body}");
        }
        still_works(&mut vm);
    }
}

/// A host whose command fails in an unforeseen way.
struct Broken;

impl Host for Broken {
    fn call(&mut self, _: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        out.array(3);
        out.bulk(b"half");
        panic!("unforeseen");
    }
    fn note_error(&mut self, _: &[u8], _: bool) {}
    fn log(&mut self, _: u8, _: &[u8]) {}
    fn may(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }
    fn interrupted(&mut self) -> bool {
        false
    }
    fn set_repl(&mut self, _: u8) {}
}

/// A host that wants no script to go on once it has written half a reply.
#[derive(Default)]
struct Leaving {
    calls: u32,
}

impl Host for Leaving {
    fn call(&mut self, _: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        self.calls += 1;
        out.array(3);
        out.bulk(b"half");
        Err(Refusal::Abandon)
    }
    fn note_error(&mut self, _: &[u8], _: bool) {}
    fn log(&mut self, _: u8, _: &[u8]) {}
    fn may(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }
    fn interrupted(&mut self) -> bool {
        false
    }
    fn set_repl(&mut self, _: u8) {}
}

#[test]
fn an_abandoned_script_ends_whatever_it_catches() {
    let mut vm = stage::vm();
    let bodies = [
        "redis.call('x')",
        "pcall(redis.call, 'x')\nwhile true do\nend",
        "redis.pcall('x')\nfor i = 1, 1e9 do\npcall(redis.call, 'x')\nend",
        "local f = coroutine.wrap(function()\nredis.call('x')\nend)\npcall(f)\nwhile true do\n\
         end",
    ];
    for body in bodies {
        let script = Script::new(body.as_bytes()).unwrap();
        let (mut bytes, mut host) = (Vec::new(), Leaving::default());
        let mut out = wire::RespWriter::new(&mut bytes, base::Protocol::Resp2);
        vm.eval(&script, &[], &[], &mut host, &mut out).unwrap_err();
        assert!(bytes.is_empty() && host.calls == 1, "{body}: {} calls", host.calls);
    }
    still_works(&mut vm);
}

#[test]
fn a_panic_of_the_host_passes_through() {
    let mut vm = stage::vm();
    let bodies = [
        "redis.call('x')",
        "pcall(redis.call, 'x')",
        "coroutine.wrap(function() redis.call('x') end)()",
    ];
    for body in bodies {
        let script = Script::new(body.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut out = wire::RespWriter::new(&mut bytes, Protocol::Resp2);
            vm.eval(&script, &[], &[], &mut Broken, &mut out)
        }));
        assert!(caught.is_err(), "{body}");
        still_works(&mut vm);
    }
}

#[test]
fn logs_reach_the_host() {
    let (mut vm, mut host) = (stage::vm(), Small::default());
    run(&mut vm, &mut host, "redis.log(redis.LOG_WARNING, 'a', 1, 'b') redis.log(0, 'c')");
    assert_eq!(host.lines, [(3, b"a 1 b".to_vec()), (0, b"c".to_vec())]);
}

#[test]
fn garbage_goes_between_calls() {
    let mut vm = stage::vm();
    let mut host = Small::default();
    let body = "local t = {} for i = 1, 1000 do t[i] = 'x' .. i .. ARGV[1] end return #t";
    for _ in 0..2000 {
        assert_eq!(run(&mut vm, &mut host, body), ":1000");
    }
    assert!(vm.memory() < 4 << 20, "{}", vm.memory());
}

/// What may take long before a line of it runs: the parser is asked, too, and has no more memory
/// than scripts have.
#[test]
fn compiling_ends_and_fits() {
    let mut vm = Vm::new(Limits::new(8 << 20));
    let long = ["while 1 do ".to_owned(), "if x then break end ".repeat(50_000), "end".to_owned()];
    let script = Script::new(long.concat().as_bytes()).unwrap();
    let mut asked = 0;
    let mut interrupted = || {
        asked += 1;
        asked > 3
    };
    let text = vm.load(&script, &mut interrupted).unwrap_err().to_string();
    assert_eq!(text, "ERR Error compiling script (new function): it takes too long");
    let large = format!("return {{{}}}", "{},".repeat(2_000_000));
    let script = Script::new(large.as_bytes()).unwrap();
    let text = vm.load(&script, &mut || false).unwrap_err().to_string();
    assert_eq!(text, "ERR Error compiling script (new function): not enough memory");
    still_works(&mut vm);
    assert!(vm.memory() < 2 << 20, "{}", vm.memory());
}

/// What a script leaves behind is collected before the client is answered.
#[test]
fn garbage_goes_at_the_end_of_a_script() {
    let mut vm = stage::vm();
    let before = vm.memory();
    for body in
        ["return #string.rep('x', 20000000)", "local t = {} for i = 1, 1e5 do t[i] = {} end"]
    {
        run(&mut vm, &mut Small::default(), body);
        assert!(vm.memory() < before + (300 << 10), "{body}: {}", vm.memory());
    }
}

/// As many words as fit the stack leave room for the reply.
#[test]
fn the_longest_commands_get_their_replies() {
    let mut vm = stage::vm();
    let body =
        "local t = {} for i = 1, 7995 do t[i] = i end return redis.call('rpush', 'k', unpack(t))";
    assert_eq!(run(&mut vm, &mut Small::default(), body), ":7995");
}

#[test]
fn scripts_are_forgotten() {
    let mut vm = stage::vm();
    let script = Script::new(b"return 1").unwrap();
    vm.load(&script, &mut || false).unwrap();
    vm.forget(script.digest());
    vm.load(&script, &mut || false).unwrap();
    vm.flush_scripts();
    still_works(&mut vm);
    let bad = Script::new(b"x y").unwrap();
    let text = vm.load(&bad, &mut || false).unwrap_err().to_string();
    assert_eq!(
        text,
        "ERR Error compiling script (new function): user_script:1: '=' expected near 'y'"
    );
}

/// An element of a text of JSON for each string.
fn quoted(strings: &[Vec<u8>], after: &str) -> String {
    let one = |text: &Vec<u8>| format!("\"{}\"{after}", String::from_utf8_lossy(text));
    strings.iter().map(one).collect::<Vec<_>>().join(",")
}

/// Each string as `cmsgpack` has it, with the head of an array or a map before them.
fn packed(strings: &[Vec<u8>], kind: u8, after: &[u8]) -> Vec<u8> {
    let count = u16::try_from(strings.len()).unwrap().to_be_bytes();
    let one =
        |text: &Vec<u8>| [&[0xD9, u8::try_from(text.len()).unwrap()], &**text, after].concat();
    [vec![kind], count.to_vec(), strings.iter().flat_map(one).collect()].concat()
}

/// The ways in which strings become values of scripts, and what each takes.
fn ways_in(strings: &[Vec<u8>]) -> Vec<(&'static str, Duration)> {
    let words: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
    let [array, object] = [
        format!("[{}]", quoted(strings, "")).into_bytes(),
        format!("{{{}}}", quoted(strings, ":1")).into_bytes(),
    ];
    let [list, map] = [packed(strings, 0xDC, b""), packed(strings, 0xDE, b"\x01")];
    let count = "local n = 0 for k in pairs(t) do n = n + 1 end return n";
    let cases: [(&'static str, String, Vec<&[u8]>); 9] = [
        ("words", "return #ARGV".into(), words.clone()),
        (
            "keys of a script",
            format!("local t = {{}} for i = 1, #ARGV do t[ARGV[i]] = 1 end {count}"),
            words,
        ),
        ("a list", "return #redis.call('lrange', 'l', 0, -1)".into(), vec![]),
        (
            "a map",
            format!("redis.setresp(3) local t = redis.call('hgetall', 'h').map {count}"),
            vec![],
        ),
        (
            "a set",
            format!("redis.setresp(3) local t = redis.call('smembers', 's').set {count}"),
            vec![],
        ),
        ("elements of JSON", "return #cjson.decode(ARGV[1])".into(), vec![&array]),
        ("names of JSON", format!("local t = cjson.decode(ARGV[1]) {count}"), vec![&object]),
        ("elements of MessagePack", "return #cmsgpack.unpack(ARGV[1])".into(), vec![&list]),
        ("names of MessagePack", format!("local t = cmsgpack.unpack(ARGV[1]) {count}"), vec![&map]),
    ];
    let mut host = Small::default();
    host.lists.insert(b"l".to_vec(), strings.to_vec());
    host.hashes.insert(b"h".to_vec(), strings.iter().map(|s| (s.clone(), vec![])).collect());
    host.sets.insert(b"s".to_vec(), strings.iter().map(|s| (s.clone(), ())).collect());
    let all = format!(":{}", strings.len());
    let took = cases.into_iter().map(|(name, body, args)| {
        let mut vm = Vm::new(Limits::new(256 << 20));
        let (reply, took) = processor::cost(|| {
            eval(&mut vm, &mut host, body.as_bytes(), &[], &args, Protocol::Resp2)
        });
        assert_eq!(text(&reply), all, "{name}");
        (name, took)
    });
    took.collect()
}

#[test]
fn strings_that_hash_alike_cost_what_others_do() {
    const COUNT: usize = 50_000;
    for chosen in [alike::to_lua(COUNT), alike::to_redis(COUNT)] {
        let others = alike::not(COUNT, chosen[0].len());
        // What takes long by chance, or because of others on the machine, does not do so each time.
        let mut slow = Vec::new();
        for _ in 0..3 {
            let pairs = ways_in(&chosen).into_iter().zip(ways_in(&others));
            slow = pairs
                .filter(|((_, took), (_, other))| *took > *other * 3 + Duration::from_millis(100))
                .collect();
            if slow.is_empty() {
                break;
            }
        }
        assert!(slow.is_empty(), "what took so long, and with other strings: {slow:?}");
    }
}

/// Numbers that tables put into one chain: the sums of their halves are the same.
fn numbers_alike(count: u32) -> Vec<f64> {
    let one = |n: u32| {
        let high = 0x4000_0000 + n;
        f64::from_bits(u64::from(high) << 32 | u64::from(0x7000_0000 - high))
    };
    (0..count).map(one).collect()
}

/// What takes long before the next line of a script: there is much of it, or it was chosen so.
#[test]
fn what_becomes_values_is_asked_about() {
    let strings = alike::not(20_000, 10);
    let words: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
    let pairs = numbers_alike(20_000).into_iter();
    let pairs = pairs.flat_map(|n| [&[0xCB], &n.to_be_bytes()[..], &[1]].concat());
    let numbers = [vec![0xDE, 0x4E, 0x20], pairs.collect()].concat();
    let unpack = "local n = 0 for _ in pairs(cmsgpack.unpack(ARGV[1])) do n = n + 1 end return n";
    for (body, args) in [("return #ARGV", &*words), (unpack, &[&numbers])] {
        let body = body.as_bytes();
        let mut vm = Vm::new(Limits::new(256 << 20));
        let mut host = Small::default();
        let shown = |reply: Vec<u8>| text(&reply);
        assert_eq!(shown(eval(&mut vm, &mut host, body, &[], args, Protocol::Resp2)), ":20000");
        // Asked more often than that; and a host that says no is obeyed.
        host.patience = Some(15);
        let reply = shown(eval(&mut vm, &mut host, body, &[], args, Protocol::Resp2));
        assert!(reply.contains("Script killed by user"), "{}: {reply}", body.escape_ascii());
        still_works(&mut vm);
    }
}
