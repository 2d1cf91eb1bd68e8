//! Scripts that mean harm, or make every mistake there is: each ends with a clean error, the host's
//! word is final, and the interpreter works as before afterwards.
#![allow(clippy::unwrap_used)] // a test says why by failing

#[path = "../../base/tests/processor/mod.rs"]
mod processor;
mod stage;

use base::{Protocol, Reply};
use kvist_script::{Host, Limits, Refusal, Script, Vm};
use stage::{Small, eval, text};

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
        assert!(took < std::time::Duration::from_secs(20), "{body}: {took:?}");
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

/// A host whose command fails in a way nobody foresaw.
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

/// What a script leaves behind is collected before anybody is told of it.
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

/// Strings that the interpreter hashes alike: it looks at every third byte of 64.
fn alike(count: usize) -> Vec<Vec<u8>> {
    let free: Vec<usize> = (0..64).filter(|at| (63 - at) % 3 != 0).collect();
    let one = |n: usize| {
        let mut text = vec![b'a'; 64];
        (0..20).filter(|bit| n >> bit & 1 == 1).for_each(|bit| text[free[bit]] = b'b');
        text
    };
    (0..count).map(one).collect()
}

#[test]
fn making_strings_that_hash_alike_is_asked_about() {
    let strings = alike(6000);
    let words: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
    let quoted: Vec<String> =
        strings.iter().map(|text| format!("\"{}\"", String::from_utf8_lossy(text))).collect();
    let json = format!("[{}]", quoted.join(",")).into_bytes();
    let packed =
        [b"\xdc\x17\x70".to_vec(), words.iter().flat_map(|w| [b"\xd9\x40", *w].concat()).collect()];
    let packed = packed.concat();
    let cases: [(&[u8], &[&[u8]]); 3] = [
        (b"return #ARGV", &words),
        (b"return #cjson.decode(ARGV[1])", &[&json]),
        (b"return #cmsgpack.unpack(ARGV[1])", &[&packed]),
    ];
    for (body, args) in cases {
        let mut vm = Vm::new(Limits::new(256 << 20));
        let mut host = Small::default();
        let shown = |reply: Vec<u8>| text(&reply);
        assert_eq!(shown(eval(&mut vm, &mut host, body, &[], args, Protocol::Resp2)), ":6000");
        // Asked more often than that; and whoever says no is heard.
        host.patience = Some(15);
        let reply = shown(eval(&mut vm, &mut host, body, &[], args, Protocol::Resp2));
        assert!(reply.contains("Script killed by user"), "{}: {reply}", body.escape_ascii());
        still_works(&mut vm);
    }
}
