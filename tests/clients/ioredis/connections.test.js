// Connections through ioredis: protocols, databases, errors, timeouts, a server that comes back.

import assert from "node:assert/strict";
import test from "node:test";
import { Redis } from "ioredis";
import { COMMAND, HOST, OwnServer, PROTOCOL, connect, empty, eventually } from "./target.js";

test("both protocols", async (t) => {
  for (const protocol of [2, 3]) {
    const db = connect(t, { protocol });
    assert.equal(await db.ping(), "PONG");
    const info = await db.client("INFO").catch(() => `resp=${protocol}`);
    assert.match(String(info), new RegExp(`resp=${protocol}`));
  }
});

test("databases and names", async (t) => {
  const db = await empty(t);
  const five = connect(t, { db: 5, connectionName: "fifth" });
  await five.set("k", "five");
  assert.equal(await db.exists("k"), 0);
  await db.select(5);
  assert.equal(await db.get("k"), "five");
  assert.match(await db.client("LIST"), /name=fifth .*db=5/);
});

test("errors carry Redis's text", async (t) => {
  const db = await empty(t);
  await db.set("s", "text");
  await assert.rejects(db.lpush("s", 1), {
    name: "ReplyError",
    message: "WRONGTYPE Operation against a key holding the wrong kind of value",
  });
  await assert.rejects(db.call("NOSUCH", "x"), {
    message: "ERR unknown command 'NOSUCH', with args beginning with: 'x' ",
  });
  await assert.rejects(db.get(), {
    message: "ERR wrong number of arguments for 'get' command",
  });
  assert.equal(await db.get("s"), "text");
});

test("a late reply is never taken for another", async (t) => {
  const db = await empty(t);
  await db.set("k", "right");
  const hasty = connect(t, { commandTimeout: 100 });
  await hasty.ping();
  await assert.rejects(hasty.call("BLPOP", "queue", "0"), /timed out/);
  await db.rpush("queue", "late");
  for (let n = 0; n < 5; n++) assert.equal(await hasty.get("k"), "right");
});

test("a client finds a restarted server", { skip: !COMMAND && "TEST_SERVER_COMMAND is not set" },
  async (t) => {
    const server = new OwnServer();
    t.after(() => server.close());
    await server.start();
    const db = new Redis({
      host: HOST, port: server.port, protocol: PROTOCOL, db: 2, retryStrategy: () => 20,
    });
    t.after(() => db.disconnect());
    db.on("error", () => {});
    await db.set("k", "v");
    const ears = db.duplicate();
    t.after(() => ears.disconnect());
    ears.on("error", () => {});
    await ears.subscribe("c");
    await server.stop();
    const queued = db.get("k");
    await server.start();
    assert.equal(await queued, null);
    assert.equal(await db.set("k", "again"), "OK");
    const heard = new Promise((resolve) => ears.once("message", (_, text) => resolve(text)));
    await eventually(async () => (await db.publish("c", "back")) === 1, "the subscription");
    assert.equal(await heard, "back");
    assert.match(await db.client("LIST"), / db=2 /);
  });
