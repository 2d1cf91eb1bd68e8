// Scripts through ioredis: commands defined by a script, EVAL after NOSCRIPT, functions.

import assert from "node:assert/strict";
import test from "node:test";
import { connect, empty } from "./target.js";

test("a command defined by a script", async (t) => {
  const db = await empty(t);
  db.defineCommand("mget2", { numberOfKeys: 2, lua: "return redis.call('MGET', unpack(KEYS))" });
  db.defineCommand("echoes", { lua: "return {KEYS[1], ARGV[1], #KEYS, #ARGV}" });
  await db.script("FLUSH");
  await db.mset("a", 1, "b", 2);
  assert.deepEqual(await db.mget2("a", "b"), ["1", "2"]); // EVALSHA, NOSCRIPT, EVAL
  assert.deepEqual(await db.mget2("b", "c"), ["2", null]);
  assert.deepEqual(await db.echoes(1, "k", "x", "y"), ["k", "x", 1, 2]);
  assert.deepEqual(await db.mget2Buffer("a", "b"), [Buffer.from("1"), Buffer.from("2")]);
  await db.script("FLUSH", "SYNC");
  // In a pipeline a script the server does not know comes after all others; then in its place.
  for (const seen of ["6", "5"]) {
    const answers = await db.pipeline().set("n", 5).mget2("a", "n").incr("n").exec();
    assert.deepEqual(answers, [[null, "OK"], [null, ["1", seen]], [null, 6]]);
  }
  assert.deepEqual(await db.multi().mget2("a", "b").exec(), [[null, ["1", "2"]]]);
});

test("many at once after the scripts are gone", async (t) => {
  const db = await empty(t);
  const other = connect(t);
  for (const client of [db, other]) {
    const lua = "return redis.call('INCRBY', KEYS[1], ARGV[1])";
    client.defineCommand("add", { numberOfKeys: 1, lua });
  }
  await db.script("FLUSH");
  const sums = await Promise.all(Array.from({ length: 200 }, (_, n) =>
    (n % 2 ? db : other).add("n", 1)));
  assert.deepEqual(sums.sort((a, b) => a - b), Array.from({ length: 200 }, (_, n) => n + 1));
});

test("errors of scripts", async (t) => {
  const db = await empty(t);
  await db.set("text", "x");
  await assert.rejects(db.eval("return redis.call('INCR', KEYS[1])", 1, "text"),
    /value is not an integer or out of range script: [0-9a-f]{40}, on @user_script:1/);
  await assert.rejects(db.eval("return redis.error_reply('MY words')", 0), { message: "MY words" });
  await assert.rejects(db.eval("return {", 0), /Error compiling script/);
  await assert.rejects(db.evalsha("0".repeat(40), 0), /NOSCRIPT/);
  assert.deepEqual(await db.eval("return {1.9, 'a', {true, false}, redis.status_reply('FINE')}", 0),
    [1, "a", [1, null], "FINE"]);
});

test("functions", async (t) => {
  const db = await empty(t);
  const code = `#!lua name=iolib
    redis.register_function('iocount', function(keys, args) return #keys * 10 + #args end)
    redis.register_function{function_name='ioget', flags={'no-writes'},
      callback=function(keys) return redis.call('GET', keys[1]) end}`;
  assert.equal(await db.function("LOAD", "REPLACE", code), "iolib");
  await db.set("k", "v");
  assert.equal(await db.fcall("iocount", 2, "a", "b", "c"), 21);
  assert.equal(await db.fcall_ro("ioget", 1, "k"), "v");
  const dump = await db.functionBuffer("DUMP");
  await db.function("DELETE", "iolib");
  await assert.rejects(db.fcall("iocount", 0), /Function not found/);
  assert.equal(await db.function("RESTORE", dump), "OK");
  assert.equal(await db.fcall("iocount", 0), 0);
  assert.equal(await db.function("FLUSH"), "OK");
});
