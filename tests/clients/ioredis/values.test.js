// Every type of value through ioredis: stored, read, changed, removed, scanned, expired.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { empty, eventually } from "./target.js";

const ALL_BYTES = Buffer.from(Array.from({ length: 768 }, (_, n) => n % 256));

test("strings", async (t) => {
  const db = await empty(t);
  assert.equal(await db.set("k", "v"), "OK");
  assert.equal(await db.get("k"), "v");
  assert.equal(await db.set("k", "w", "NX"), null);
  assert.equal(await db.set("k", "w", "GET"), "v");
  assert.equal(await db.incr("n"), 1);
  assert.equal(await db.incrbyfloat("n", 0.5), "1.5");
  assert.deepEqual(await db.mget("k", "none", "n"), ["w", null, "1.5"]);
  assert.equal(await db.getdel("k"), "w");
  assert.equal(await db.exists("k"), 0);
});

test("an empty string is not a missing key", async (t) => {
  const db = await empty(t);
  await db.set("empty", "");
  assert.equal(await db.get("empty"), "");
  assert.deepEqual(await db.mget("empty", "none"), ["", null]);
  await db.hset("h", "", "");
  assert.deepEqual(await db.hmget("h", "", "none"), ["", null]);
});

test("any bytes, and many of them", async (t) => {
  const db = await empty(t);
  await db.set(ALL_BYTES, ALL_BYTES);
  assert.deepEqual(await db.getBuffer(ALL_BYTES), ALL_BYTES);
  const big = randomBytes(10 * 1024 * 1024);
  await db.set("big", big);
  assert.ok(big.equals(await db.getBuffer("big")));
  assert.equal(await db.strlen("big"), big.length);
});

test("hashes", async (t) => {
  const db = await empty(t);
  assert.equal(await db.hset("h", { a: 1, b: "two" }), 2);
  assert.deepEqual(await db.hgetall("h"), { a: "1", b: "two" });
  assert.equal(await db.hincrby("h", "a", 4), 5);
  assert.deepEqual((await db.hkeys("h")).sort(), ["a", "b"]);
  assert.equal(await db.hdel("h", "a", "b"), 2);
  assert.deepEqual(await db.hgetall("h"), {});
});

test("lists", async (t) => {
  const db = await empty(t);
  assert.equal(await db.rpush("l", "a", "b", "c"), 3);
  assert.equal(await db.lpop("l"), "a");
  assert.deepEqual(await db.lrange("l", 0, -1), ["b", "c"]);
  assert.equal(await db.lmove("l", "m", "RIGHT", "LEFT"), "c");
  assert.deepEqual(await db.lmpop(2, "none", "m", "LEFT"), ["m", ["c"]]);
});

test("sets", async (t) => {
  const db = await empty(t);
  await db.sadd("a", 1, 2, 3);
  await db.sadd("b", 2, 3, 4);
  assert.deepEqual((await db.sinter("a", "b")).sort(), ["2", "3"]);
  assert.deepEqual((await db.smembers("a")).sort(), ["1", "2", "3"]);
  assert.deepEqual(await db.smismember("a", 1, 9), [1, 0]);
  assert.equal(await db.sintercard(2, "a", "b"), 2);
});

test("sorted sets", async (t) => {
  const db = await empty(t);
  await db.zadd("z", 1, "a", 2.5, "b", "+inf", "c");
  assert.deepEqual(await db.zrange("z", 0, -1), ["a", "b", "c"]);
  assert.deepEqual(await db.zrangebyscore("z", "(1", "+inf", "LIMIT", 0, 1), ["b"]);
  assert.equal(Number(await db.zscore("z", "b")), 2.5);
  assert.equal(await db.zrevrank("z", "a"), 2);
  assert.equal(await db.zscore("z", "none"), null);
  assert.equal(await db.zremrangebyrank("z", 0, 1), 2);
});

test("scans see every key", async (t) => {
  const db = await empty(t);
  const names = Array.from({ length: 3000 }, (_, n) => `key:${n}`);
  await db.mset(Object.fromEntries(names.map((name) => [name, "1"])));
  const seen = new Set();
  for await (const page of db.scanStream({ match: "key:*", count: 100 })) {
    for (const name of page) seen.add(name);
  }
  assert.deepEqual([...seen].sort(), names.sort());
  await db.sadd("s", ...names);
  const members = new Set();
  for await (const page of db.sscanStream("s")) for (const name of page) members.add(name);
  assert.equal(members.size, names.length);
});

test("a deadline below a second", async (t) => {
  const db = await empty(t);
  await db.set("k", "v", "PX", 80);
  const left = await db.pttl("k");
  assert.ok(left > 0 && left <= 80, `${left}`);
  await eventually(async () => (await db.get("k")) === null, "the key to expire");
  assert.equal(await db.ttl("k"), -2);
});
