//! Random values, texts and formats through `cjson`, `cmsgpack`, `struct` and `bit`, compared with
//! redis-server to the byte. `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::{Protocol, Rng};
use testkit::seed::rng;

use crate::stage::{Stage, shown};

/// Runs a script with an argument on both sides and compares.
fn same(stage: &mut Stage, body: &str, arg: &[u8]) {
    let [ours, theirs] = stage.both(body.as_bytes(), &[arg], Protocol::Resp2);
    // Where a table lies is chance, and so is the order of keys that are tables.
    if [&ours, &theirs].iter().any(|reply| {
        let reply = String::from_utf8_lossy(reply);
        reply.contains(": 0x") || reply.contains("}=")
    }) {
        return;
    }
    let arg = arg.escape_ascii();
    assert_eq!(shown(&ours), shown(&theirs), "\n{body}\nwith {arg}");
    let at = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count().saturating_sub(60);
    assert_eq!(shown(&ours[at..]), shown(&theirs[at..]), "\n{body}\nwith {arg}");
}

fn number(rng: &mut Rng) -> String {
    match rng.below(12) {
        0 => rng.below(10).to_string(),
        1 => format!("-{}", rng.below(300)),
        2 => rng.below(100_000).to_string(),
        3 => format!("2^{}", rng.below(70)),
        4 => format!("-(2^{})-{}", rng.below(70), rng.below(3)),
        5 => format!("{}.{}", rng.below(1000), rng.below(1000)),
        6 => format!("{}e{}", rng.below(1000), rng.below(300)),
        7 => format!("{}e-{}", rng.below(1000), rng.below(300)),
        8 => format!("{}/{}", rng.below(1000) + 1, rng.below(1000) + 1),
        9 => format!("{}/7*1e{}", rng.below(1000), rng.below(20)),
        10 => ["0/0", "1/0", "-1/0", "-0.0"][rng.below(4)].to_owned(),
        _ => format!("{}", rng.below(1 << 30) * (1 << 23)),
    }
}

fn string(rng: &mut Rng) -> String {
    let len = [0, 1, 3, 8, 20, 31, 32, 40, 63, 64][rng.below(10)];
    let byte = |rng: &mut Rng| match rng.below(4) {
        0 => rng.below(256),
        1 => usize::from(b"\"\\/\n\r\t\x08\x0c\x7f\0"[rng.below(10)]),
        _ => 97 + rng.below(26),
    };
    let bytes: Vec<String> = (0..len).map(|_| format!("\\{:03}", byte(rng))).collect();
    format!("'{}'", bytes.concat())
}

/// A value as Lua writes it. Without `odd`, only what every library takes.
fn value(rng: &mut Rng, depth: usize, odd: bool) -> String {
    let kind = if depth == 0 { rng.below(5) } else { rng.below(11) };
    match kind {
        0 | 1 => {
            let text = number(rng);
            if text.contains("/0") && !odd { "7".to_owned() } else { text }
        }
        2 | 3 => string(rng),
        4 => match rng.below(if odd { 6 } else { 3 }) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => "cjson.null".to_owned(),
            3 => "nil".to_owned(),
            4 => "function() end".to_owned(),
            _ => "coroutine.create(function() end)".to_owned(),
        },
        5..=7 => {
            let items: Vec<String> =
                (0..rng.below(9)).map(|_| value(rng, depth - 1, odd)).collect();
            format!("{{{}}}", items.join(","))
        }
        _ => {
            let pairs: Vec<String> = (0..rng.below(12))
                .map(|_| {
                    let key = match rng.below(if odd { 8 } else { 5 }) {
                        0..=4 => string(rng),
                        5 => (rng.below(20) + 1).to_string(),
                        6 => format!("{}.5", rng.below(20)),
                        _ => "true".to_owned(),
                    };
                    format!("[{key}]={}", value(rng, depth - 1, odd))
                })
                .collect();
            format!("{{{}}}", pairs.join(","))
        }
    }
}

const BOTH_WAYS: &str = "
local function try(f, ...) local ok, r = pcall(f, ...) return ok and r or 'E' .. tostring(r) end
local function back(s) return try(cjson.encode, cjson.decode(s)) end
local function round(s) return try(cmsgpack.pack, cmsgpack.unpack(s)) end
local j, p = try(cjson.encode, v), try(cmsgpack.pack, v)
return {j, p, (pcall(cjson.decode, j)) and back(j) or 0, p:sub(1, 1) ~= 'E' and round(p) or 0,
  p:sub(1, 1) ~= 'E' and try(cjson.encode, (cmsgpack.unpack(p))) or 0, v}";

#[test]
fn random_values_both_ways() {
    let Some(mut stage) = Stage::new() else { return };
    let mut rng = rng();
    for round in 0..600 {
        let odd = round % 3 == 0;
        let value = value(&mut rng, 4, odd);
        same(&mut stage, &format!("local v = {value}{BOTH_WAYS}"), b"");
    }
}

const DESCRIBE: &str = "
local function f(v, d)
  if type(v) == 'number' then return string.format('%.17g', v) end
  if v == cjson.null then return 'null' end
  if type(v) ~= 'table' then return type(v) .. ':' .. tostring(v) end
  local o = {#v .. '{'}
  for k, x in pairs(v) do o[#o + 1] = f(k) .. '=' .. f(x) end
  return table.concat(o, ',') .. '}'
end
local function all(ok, ...)
  local o = {tostring(ok)}
  for i = 1, select('#', ...) do o[i + 1] = f((select(i, ...))) end
  return o
end
return all(pcall(";

fn json(rng: &mut Rng, depth: usize) -> String {
    let pieces = |rng: &mut Rng, depth: usize| {
        (0..rng.below(6)).map(|_| json(rng, depth - 1)).collect::<Vec<_>>()
    };
    match rng.below(if depth == 0 { 5 } else { 8 }) {
        0 => ["true", "false", "null", "nan", "-inf", "0x1f", "01"][rng.below(7)].to_owned(),
        1 => format!("{}", rng.below(1_000_000)),
        2 => format!("-{}.{}e{}", rng.below(1000), rng.below(99_999), rng.below(30)),
        3 => format!("{}.{}", rng.below(1 << 40), rng.below(1 << 40)),
        4 => ["\"a\\n\\u20ac\"", "\"\"", "\"x y\"", "\"\\ud83d\\ude00\""][rng.below(4)].to_owned(),
        5 | 6 => format!("[{}]", pieces(rng, depth).join(", ")),
        _ => {
            let pieces = pieces(rng, depth).into_iter();
            let pairs: Vec<String> =
                pieces.map(|value| format!("\"k{}\" : {value}", rng.below(30))).collect();
            format!("{{{}}}", pairs.join(","))
        }
    }
}

/// Changes some bytes of a text.
fn damaged(rng: &mut Rng, mut text: Vec<u8>, alphabet: &[u8]) -> Vec<u8> {
    for _ in 0..rng.below(4) {
        let at = rng.below(text.len() + 1);
        let byte = alphabet[rng.below(alphabet.len())];
        match rng.below(3) {
            0 => text.insert(at, byte),
            1 if at < text.len() => text[at] = byte,
            _ if at < text.len() => drop(text.remove(at)),
            _ => {}
        }
    }
    text
}

#[test]
fn random_texts_are_read_alike() {
    let Some(mut stage) = Stage::new() else { return };
    let mut rng = rng();
    let body = format!("{DESCRIBE}cjson.decode, ARGV[1]))");
    for _ in 0..1500 {
        let text = json(&mut rng, 4).into_bytes();
        let text = damaged(&mut rng, text, b"{}[],:\"\\ 0123456789.eE+-xXnutfa\0\x01\xff");
        same(&mut stage, &body, &text);
    }
}

#[test]
fn random_bytes_are_unpacked_alike() {
    let Some(mut stage) = Stage::new() else { return };
    let mut rng = rng();
    let alphabet: Vec<u8> = (0..=255).filter(|byte| !matches!(byte, 0xDB..=0xDF)).collect();
    let body = format!("{DESCRIBE}cmsgpack.unpack, ARGV[1]))");
    for _ in 0..1500 {
        let len = rng.below(30);
        let head = [0x92, 0x82, 0xA3, 0xD9, 0xCA, 0xDC][rng.below(6)];
        let mut bytes = vec![head];
        let range = if len < 15 { 256 } else { 16 };
        bytes.extend((0..len).map(|_| u8::try_from(rng.below(range)).unwrap()));
        let bytes = damaged(&mut rng, bytes, &alphabet);
        same(&mut stage, &body, &bytes);
        let (limit, offset) = (rng.below(4), rng.below(6));
        let one = format!("{DESCRIBE}cmsgpack.unpack_limit, ARGV[1], {limit}, {offset}))");
        same(&mut stage, &one, &bytes);
    }
}

#[test]
fn random_formats_are_packed_alike() {
    let Some(mut stage) = Stage::new() else { return };
    let mut rng = rng();
    for _ in 0..800 {
        let mut format = String::new();
        let mut args = String::new();
        for _ in 0..rng.below(8) {
            let letters = [
                "b", "B", "h", "H", "l", "L", "T", "i", "I", "i3", "I7", "i8", "f", "d", "x", "s",
                "c4", "c0", ">", "<", "!", "!2", "!4", " ", "z", "!3",
            ];
            let range = if rng.below(10) == 0 { 26 } else { 24 };
            let letter = letters[rng.below(range)];
            format.push_str(letter);
            match letter {
                "x" | ">" | "<" | "!" | "!2" | "!4" | " " | "z" | "!3" => {}
                "s" | "c4" | "c0" => args.push_str(",'abcdef'"),
                _ => {
                    // What does not fit 64 bits is up to the processor.
                    let n = rng.below(1 << 40) as f64 / 8.0 - 1e9;
                    args.push_str(&format!(",{n}"));
                }
            }
        }
        same(&mut stage, &format!("{DESCRIBE}struct.pack, '{format}'{args}))"), b"");
        same(&mut stage, &format!("{DESCRIBE}struct.size, '{format}'))"), b"");
        let len = rng.below(50);
        let bytes: Vec<u8> = (0..len).map(|_| u8::try_from(rng.below(256)).unwrap()).collect();
        same(&mut stage, &format!("{DESCRIBE}struct.unpack, '{format}', ARGV[1]))"), &bytes);
    }
}

#[test]
fn random_bits_and_numbers_are_alike() {
    let Some(mut stage) = Stage::new() else { return };
    let mut rng = rng();
    let functions = ["band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror", "tohex"];
    for _ in 0..400 {
        let (a, b) = (number(&mut rng), number(&mut rng));
        let function = functions[rng.below(functions.len())];
        same(&mut stage, &format!("return {{pcall(bit.{function}, {a}, {b})}}"), b"");
        same(&mut stage, &format!("return {{bit.tobit({a}), bit.bnot({b}), bit.bswap({a})}}"), b"");
        let seed = rng.below(1 << 33);
        let draw = format!(
            "math.randomseed({seed}) return {{tostring(math.random()), math.random({}), \
             math.random(-{}, {})}}",
            rng.below(1000) + 1,
            rng.below(1000),
            rng.below(1 << 29)
        );
        same(&mut stage, &draw, b"");
        same(&mut stage, &format!("return {{redis.call('echo', {a}), tostring({b}), {a}}}"), b"");
    }
}

/// Names of up to 64 bytes lie in tables where Redis's lie.
#[test]
fn tables_of_long_names_are_walked_alike() {
    let Some(mut stage) = Stage::new() else { return };
    let mut rng = rng();
    let body = "local t = {} for i, name in ipairs(ARGV) do t[name] = i end \
                local o = {} for _, i in pairs(t) do o[#o + 1] = i end \
                return {o, cjson.encode(t), cmsgpack.pack(t)}";
    for _ in 0..300 {
        let count = rng.below(60);
        let (start, bytes) = (rng.below(60), 2 + rng.below(200));
        let names: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let len = start + rng.below(65 - start);
                (0..len).map(|_| u8::try_from(rng.below(bytes)).unwrap()).collect()
            })
            .collect();
        let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
        let [ours, theirs] = stage.both(body.as_bytes(), &names, Protocol::Resp2);
        assert_eq!(shown(&ours), shown(&theirs), "{names:?}");
        assert!(ours == theirs, "{names:?}");
    }
}
