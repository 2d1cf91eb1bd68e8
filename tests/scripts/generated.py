"""Sections made by programs: every command from a script, in every way; the corpus of the crate.

What a call returns is written out by Lua itself (DESCRIBE), so that types are compared that the
protocol would hide, and it is returned as it is, so that conversions are.
"""

import pathlib
import random

from calls import CALLS, DATASET
from scenario import section

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "crates" / "script" / "tests" / "corpus"
NAME = "generated.py"

# A value as text: tables with their keys in order, numbers to the last digit.
DESCRIBE = """
local function describe(value)
  if type(value) == 'table' then
    local parts = {}
    for key, item in pairs(value) do
      local name = type(key) == 'table' and describe(key) or type(key) .. ' ' .. tostring(key)
      parts[#parts + 1] = name .. ': ' .. describe(item)
    end
    table.sort(parts)
    return '{' .. table.concat(parts, ', ') .. '}'
  elseif type(value) == 'number' then
    return string.format('%.17g', value)
  elseif type(value) == 'string' then
    return string.format('%q', value)
  end
  return tostring(value)
end"""

LIBRARY = """#!lua name=calls
local function call(keys, args) return redis.call(unpack(args)) end
redis.register_function('call', call)
redis.register_function('call3', function(keys, args) redis.setresp(3) return call(keys, args) end)
redis.register_function{function_name='look', callback=call, flags={'no-writes'}}
"""

# Replies that hold times, sizes, versions or the words of the project itself.
OWN = {"info", "time", "lastsave", "lolwut", "command", "command|list", "command|docs",
       "command|info", "command|count", "memory|usage", "memory|doctor", "memory|stats",
       "memory|malloc-stats", "config|get", "config|rewrite"}
# Never asked, even where scripts may not use them: a mistake would end the server or the run.
NEVER = {"shutdown", "debug", "failover", "flushall", "replicaof", "slaveof", "monitor", "sync",
         "psync", "quit"}


def sections(oracle):
    """All generated sections; those about every command need to know what commands there are."""
    yield from corpora()
    yield from calls()
    yield from conversions()
    if oracle:
        yield from every_command(oracle)


def corpora():
    """The corpus of the crate `script`, over a socket."""
    for path in sorted(CORPUS.glob("*.lua")):
        bodies = [body.rstrip() for body in path.read_text().split("\n---\n")]
        requests = [["EVAL", body, 2, "{k}1", "{k}2", "a1", "2", "3.5", b"x\0y", ""]
                    for body in bodies if repeatable(body)]
        yield section(NAME, f"corpus {path.stem}", requests)


def repeatable(body):
    """Whether a script gives the same whatever ran before: nothing is measured, and no number is
    drawn without a seed."""
    if "math.random" in body and "math.randomseed(" not in body:
        return False
    return not any(word in body for word in ("gcinfo", "collectgarbage"))


def calls():
    """Every call of CALLS, in all the ways scripts can make it, on the same data."""
    dataset = [line.split() for line in DATASET.strip().splitlines()]
    for line in CALLS.strip().splitlines():
        words = line.split()
        requests = [
            dataset,
            ["EVAL_RO", "return redis.call(unpack(ARGV))", 0, *words],
            ["FUNCTION", "LOAD", LIBRARY],
            ["FCALL_RO", "look", 0, *words],
            ["FCALL", "look", 0, *words],
            ["EVAL", f"{DESCRIBE}\nreturn describe(redis.pcall(unpack(ARGV)))", 0, *words],
            [["FLUSHALL"], *dataset],
            ["EVAL", f"{DESCRIBE}\nredis.setresp(3) return describe(redis.pcall(unpack(ARGV)))", 0,
             *words],
            [["FLUSHALL"], *dataset],
            ["EVAL", "return redis.call(unpack(ARGV))", 1, "text", *words],
            [["FLUSHALL"], *dataset],
            ["EVAL", "redis.setresp(3) return redis.call(unpack(ARGV))", 0, *words],
            ["EVAL", "return {redis.pcall(unpack(ARGV)), redis.pcall(unpack(ARGV))}", 0, *words],
            [["FLUSHALL"], *dataset],
            ["FCALL", "call", 0, *words],
            ["FCALL", "call3", 0, *words],
            ["MULTI"],
            ["EVAL", "return redis.call(unpack(ARGV))", 0, *words],
            ["EXEC"],
        ]
        yield section(NAME, f"call {line}", requests)


def conversions():
    """Random values from Lua to the client, and back through a call."""
    rng = random.Random(20_260)
    for part in range(8):
        requests = []
        for _ in range(60):
            value = lua_value(rng, 0)
            requests.append(["EVAL", f"return {value}", 0])
            requests.append(["EVAL", f"{DESCRIBE}\nreturn describe(cjson.decode(cjson.encode("
                                     f"{lua_value(rng, 1, plain=True)})))", 0])
            requests.append(["EVAL", "return redis.call('ECHO', ARGV[1] + 0)", 0, number(rng)])
        yield section(NAME, f"random values {part}", requests)


def lua_value(rng, depth, plain=False):
    """Some Lua expression; plain ones are those that JSON knows."""
    kinds = ["number", "string", "true", "false", "list"] if plain else [
        "number", "string", "true", "false", "nil", "list", "ok", "err", "double", "map", "set",
        "big", "verbatim"]
    kind = rng.choice(kinds if depth < 3 else ["number", "string", "true"])
    inner = lambda: lua_value(rng, depth + 1, plain)  # noqa: E731
    if kind == "number":
        return number(rng)
    if kind == "string":
        return lua_string(rng)
    if kind == "list":
        return "{" + ",".join(inner() for _ in range(rng.randrange(4))) + "}"
    if kind in ("ok", "err"):
        return f"{{{kind}={lua_string(rng)}}}"
    if kind == "double":
        return f"{{double={number(rng)}}}"
    if kind == "map":  # more than one pair would come in an order of Lua's own
        return f"{{map={{[{lua_string(rng)}]={inner()}}}}}"
    if kind == "set":
        return f"{{set={{[{rng.choice([number(rng), lua_string(rng)])}]=true}}}}"
    if kind == "big":
        return f"{{big_number='{rng.randrange(10 ** 30)}'}}"
    if kind == "verbatim":
        return f"{{verbatim_string={{string={lua_string(rng)},format='txt'}}}}"
    return kind


def number(rng):
    """A number as Lua reads it."""
    return rng.choice([
        str(rng.randrange(-1000, 1000)), f"{rng.uniform(-10, 10):.3f}",
        str(rng.randrange(-2 ** 63, 2 ** 63)),
        f"{rng.uniform(-1, 1):.17g}e{rng.randrange(-20, 20)}",
        "0", "-1", "2147483648", "9007199254740993", "1e15", "0.1",
    ])


def lua_string(rng):
    """A quoted string with awkward bytes, none of which end a line of the protocol."""
    signs = ["a", "B", " ", "\\0", "\\255", "\\\"", "%", "é", "1", "-", "{", "}"]
    return '"' + "".join(rng.choice(signs) for _ in range(rng.randrange(8))) + '"'


def every_command(oracle):
    """Each command and subcommand with too few and too many words: what may be called at all, what
    is told of arity, and what arguments mean nothing."""
    names = [frame.value.decode() for frame in oracle.ask("COMMAND", "LIST").value]
    for name in sorted(names):
        if name.split("|")[0] in NEVER or name.endswith("|help"):
            continue
        words = name.split("|")
        look = "type(r) == 'table' and r.err or type(r)" if name in OWN else "describe(r)"
        script = f"{DESCRIBE}\nlocal r = redis.pcall(unpack(ARGV)) return {look}"
        requests = [["EVAL", script, 0, *words, *["x"] * count] for count in (0, 1, 2, 3, 7)]
        requests += [["EVAL", script, 0, *words, "1", "-1"], ["EVAL_RO", script, 0, *words, "x"]]
        yield section(NAME, f"every command: {name}", requests)
