// Many commands at once through ioredis: pipelines, transactions, subscriptions, blocking.

import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { connect, empty, eventually } from "./target.js";

test("a pipeline of a thousand", async (t) => {
  const db = await empty(t);
  const pipe = db.pipeline();
  for (let n = 0; n < 500; n++) pipe.set(`k${n}`, n).get(`k${n}`);
  const answers = await pipe.exec();
  assert.equal(answers.length, 1000);
  answers.forEach(([error, value], n) => {
    assert.equal(error, null);
    assert.equal(value, n % 2 ? String((n - 1) / 2) : "OK");
  });
});

test("errors stay in their places", async (t) => {
  const db = await empty(t);
  const answers = await db.pipeline().set("k", "x").incr("k").get("k").exec();
  assert.deepEqual(answers.map(([error]) => error?.message ?? null),
    [null, "ERR value is not an integer or out of range", null]);
  assert.equal(answers[2][1], "x");
});

test("commands of one connection keep their order", async (t) => {
  const db = connect(t, { enableAutoPipelining: true });
  await db.flushall();
  const answers = await Promise.all(Array.from({ length: 1000 }, () => db.incr("n")));
  assert.deepEqual(answers, Array.from({ length: 1000 }, (_, n) => n + 1));
});

test("transactions", async (t) => {
  const db = await empty(t);
  assert.deepEqual(await db.multi().set("a", 1).incr("a").get("a").exec(),
    [[null, "OK"], [null, 2], [null, "2"]]);
  const other = connect(t);
  await db.watch("a");
  await other.set("a", 9);
  assert.equal(await db.multi().set("mine", 1).exec(), null);
  assert.equal(await db.exists("mine"), 0);
  await db.watch("a");
  assert.deepEqual(await db.multi().set("mine", 1).exec(), [[null, "OK"]]);
  await assert.rejects(db.multi().set("mine").exec(), /EXECABORT/);
});

test("channels and patterns", async (t) => {
  const db = await empty(t);
  const ears = connect(t);
  assert.equal(await ears.subscribe("news", "other"), 2);
  assert.equal(await ears.psubscribe("n?ws"), 3);
  const message = once(ears, "message");
  const pmessage = once(ears, "pmessage");
  assert.equal(await db.publish("news", "hello"), 2);
  assert.deepEqual(await message, ["news", "hello"]);
  assert.deepEqual(await pmessage, ["n?ws", "news", "hello"]);
  await ears.unsubscribe("news", "other");
  await ears.punsubscribe("n?ws");
  assert.equal(await db.publish("news", "nobody"), 0);
  assert.equal(await ears.set("k", "free again"), "OK");
});

test("blocking pops", async (t) => {
  const db = await empty(t);
  const waiter = connect(t);
  const popped = waiter.blpop("a", "b", 10);
  await eventually(async () => /blocked_clients:1/.test(await db.info("clients")), "a block");
  await db.rpush("b", "x");
  assert.deepEqual(await popped, ["b", "x"]);
  const started = Date.now();
  assert.equal(await waiter.brpop("none", 0.1), null);
  assert.ok(Date.now() - started >= 95);
  const moved = waiter.blmove("from", "to", "LEFT", "RIGHT", 10);
  await eventually(async () => /blocked_clients:1/.test(await db.info("clients")), "a block");
  await db.lpush("from", "y");
  assert.equal(await moved, "y");
});
