//! What has been wrong with the Lua of Redis, one test for each: the patterns of the published
//! exploits, and what they come to here. `docs/scripting.md` says why.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Protocol;
use kvist_script::{Limits, Vm};

use crate::stage::{self, Small, eval, text};

fn run(vm: &mut Vm, body: &str) -> String {
    let mut host = Small { patience: Some(2000), ..Small::default() };
    text(&eval(vm, &mut host, body.as_bytes(), &[], &[], Protocol::Resp2))
}

fn answer(body: &str) -> String {
    let mut vm = stage::vm();
    let reply = run(&mut vm, body);
    assert_eq!(run(&mut vm, "return string.rep('x', 3)"), "$3\r\nxxx", "{body}");
    reply
}

/// Few arguments for a variadic function of many parameters wrote behind the stack.
#[test]
fn cve_2014_5461_parameters_fit_the_stack() {
    let names: Vec<String> = (0..198).map(|n| format!("p{n}")).collect();
    let body = format!(
        "local function f({}, ...) return select('#', ...), p197 end
         local function deep(n) if n == 0 then return f() end return (deep(n - 1)) end
         local sum = 0 for n = 1, 180 do sum = sum + deep(n) end
         local co = coroutine.wrap(function() return f() end)
         return {{sum, co()}}",
        names.join(", ")
    );
    assert_eq!(answer(&body), "*2\r\n:0\r\n:0");
}

/// A size of `struct` overflowed when it was read.
#[test]
fn cve_2020_14147_sizes_of_struct_do_not_overflow() {
    for format in ["i9999999999999", "c4294967297", "!4294967296i", "i2147483648", "x99999999999"] {
        for call in ["struct.pack", "struct.unpack", "struct.size"] {
            let reply = answer(&format!("return tostring((pcall({call}, '{format}', 'abc')))"));
            assert!(reply == "$5\r\nfalse" || reply == "$4\r\ntrue", "{call} {format}: {reply}");
        }
    }
    assert_eq!(answer("return struct.size('i4')"), ":4");
}

/// Deep values overran the stack in `cjson` and `cmsgpack`.
#[test]
fn cve_2021_32626_deep_values_do_not_overrun_the_stack() {
    let bodies = [
        "local t = {} for n = 1, 7990 do t[n] = n end return #cmsgpack.pack(unpack(t))",
        "return select('#', cmsgpack.unpack(string.rep('\\1', 100000)))",
        "return pcall(cmsgpack.unpack, string.rep('\\145', 100000))",
        "return pcall(cjson.decode, string.rep('[', 100000))",
        "local t = {} for n = 1, 100000 do t = {t} end return pcall(cjson.encode, t)",
        "local t = {} for n = 1, 100000 do t = {t} end return #cmsgpack.pack(t)",
    ];
    for body in bodies {
        assert!(!answer(body).is_empty(), "{body}");
    }
}

/// Texts whose escapes are much longer than they are overflowed the buffer of `cjson`.
#[test]
fn cve_2022_24834_long_texts_fit_the_buffer_of_cjson() {
    let mut vm = Vm::new(Limits::new(64 << 20));
    let body = "return #cjson.encode(string.rep('\\1', 1000000))";
    assert_eq!(run(&mut vm, body), ":6000002");
    let body = "return #cjson.encode({string.rep('\"', 30000000), string.rep('\\0', 30000000)})";
    assert!(run(&mut vm, body).starts_with("-ERR"), "more than there may be");
    assert_eq!(run(&mut vm, "return 1"), ":1");
}

/// A negative number of digits overran the buffer of `bit.tohex`.
#[test]
fn cve_2024_31449_tohex_bounds_its_digits() {
    for (digits, hex) in [("-2147483648", "FFFFFFFF"), ("2147483647", "ffffffff"), ("-3", "FFF")] {
        let reply = answer(&format!("return bit.tohex(-1, {digits})"));
        assert_eq!(reply, format!("${}\r\n{hex}", hex.len()), "{digits}");
    }
}

/// Finalizers ran when a state was closed, and used what was gone.
#[test]
fn cve_2024_46981_scripts_have_no_finalizers() {
    assert!(answer("return newproxy(true)").contains("nonexistent global variable 'newproxy'"));
    let mut vm = stage::vm();
    let body = "local t = {} for n = 1, 100 do
            t[n] = setmetatable({}, {__gc = function() while true do end end})
        end
        t = nil collectgarbage() return 1";
    assert_eq!(run(&mut vm, body), ":1");
    vm.flush_scripts();
    assert_eq!(run(&mut vm, "return 1"), ":1");
}

/// The number of values of `unpack` overflowed.
#[test]
fn cve_2025_46817_ranges_of_unpack_do_not_overflow() {
    let ranges =
        ["-2147483648, 2147483647", "0, 2147483647", "-2147483648, -1", "2147483647, -2147483648"];
    for range in ranges {
        let reply = answer(&format!("return tostring((pcall(unpack, {{1, 2, 3}}, {range})))"));
        let empty = range.starts_with("2147483647");
        assert_eq!(reply, if empty { "$4\r\ntrue" } else { "$5\r\nfalse" }, "{range}");
    }
    assert_eq!(answer("return {unpack({1, 2, 3}, 2147483647, 2147483647)}"), "*0");
}

/// A user that changed the metatable of strings ran code as the user that used strings next.
#[test]
fn cve_2025_46818_metatables_of_basic_types_cannot_be_changed() {
    let tries = [
        "getmetatable('').__index = function() return 'mine' end",
        "rawset(getmetatable(''), '__index', 1)",
        "setmetatable(getmetatable(''), {})",
        "table.insert(getmetatable(''), 1)",
        "getmetatable('').__index.rep = nil",
        "rawset(string, 'rep', nil)",
        "string.rep = nil",
        "setmetatable(string, {})",
        "setmetatable(_G, {})",
        "rawset(_G, 'redis', 1)",
        "getmetatable(_G).__index = nil",
        "rawset(getmetatable(_G), '__index', nil)",
        "table.insert(redis, 1)",
        "table.insert(_G, 1, 1)",
        "redis.call = nil",
        "cjson.encode = nil",
        "KEYS = 1",
        "local n, t = next({_G}) t.x = 1",
        "for _, t in pairs(_G) do if type(t) == 'table' then t.x = 1 end end",
        "for _, t in pairs(_G) do if type(t) == 'table' then rawset(t, 'x', 1) end end",
        "table.foreach(_G, function(_, t) if type(t) == 'table' then t.x = 1 end end)",
        "load(function() _G.x = 1 end) x = 1",
        "coroutine.wrap(function() string.sub = 1 end)()",
        "xpcall(function() error() end, function() rep = 1 end) error('readonly table')",
    ];
    for body in tries {
        let reply = answer(body);
        assert!(reply.starts_with('-') && reply.contains("readonly table"), "{body}: {reply}");
        let reply = answer(&format!("pcall(function() {body} end) return ('y'):rep(2)"));
        assert_eq!(reply, "$2\r\nyy", "{body}");
    }
    assert_eq!(
        answer("return tostring(next(string) ~= nil and rawget(redis, 'call') ~= nil)"),
        "$4\r\ntrue"
    );
}

/// The level of a long bracket overflowed while the lexer read it.
#[test]
fn cve_2025_46819_long_brackets_are_bounded() {
    let body = "local level = string.rep('=', 1000000)
        local f = loadstring('return [' .. level .. '[text]' .. level .. ']')
        return {f(), tostring(loadstring('return [' .. level)),
            tostring(loadstring('return [' .. level .. '[text]' .. level)),
            tostring(loadstring('--[' .. level .. '[ no end'))}";
    assert_eq!(answer(body), "*4\r\n$4\r\ntext\r\n$3\r\nnil\r\n$3\r\nnil\r\n$3\r\nnil");
}

/// The name of a chunk was garbage while the parser still used it.
#[test]
fn cve_2025_49844_names_of_chunks_live_while_they_are_parsed() {
    let body = "local source = {}
        for n = 1, 600 do
            source[n] = 'local a' .. n % 50 .. ' = {\"' .. n .. '\", \"f' .. n .. '\"}'
        end
        source = 'do ' .. table.concat(source, ' end do ') .. ' end error(\"x\")'
        local wrong = 0
        for n = 1, 40 do
            local junk = {} for k = 1, 300 do junk[k] = 'junk' .. n * k end
            local f, e = loadstring(source, '@chunk name number ' .. n * 7919)
            junk = nil collectgarbage()
            local ok, e = pcall(f)
            if e ~= 'chunk name number ' .. n * 7919 .. ':1: x' then wrong = wrong + 1 end
            local pieces = {source, nil}
            local sent = 0
            local g = load(function()
                sent = sent + 1 collectgarbage('step', 10) return pieces[sent]
            end, '@other name ' .. n)
            local ok, e = pcall(g)
            if e ~= 'other name ' .. n .. ':1: x' then wrong = wrong + 1 end
        end
        return wrong";
    assert_eq!(answer(body), ":0");
}
