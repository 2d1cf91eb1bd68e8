// The services as grpc-js has them, from the .proto files themselves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const PROTO = new URL("../../../proto/", import.meta.url).pathname;
const described = loader.loadSync(["memorize/memorize.proto", "kvist/v1/kvist.proto"], {
  includeDirs: [PROTO],
  longs: Number,
});
const root = grpc.loadPackageDefinition(described);
const target = `127.0.0.1:${process.env.TEST_GRPC_PORT}`;
const clients = {};

function call(client, method, request, ...rest) {
  return promisify(client[method].bind(client))(request, ...rest);
}

before(() => {
  const credentials = grpc.credentials.createInsecure();
  clients.memorize = new root.memorize.Memorize(target, credentials);
  clients.kvist = new root.kvist.v1.KvistService(target, credentials);
});

after(() => Object.values(clients).forEach((client) => client.close()));

test("values come and go", async () => {
  const { memorize } = clients;
  await call(memorize, "deleteAll", {});
  assert.equal((await call(memorize, "set", { key: "k", value: "" })).success, true);
  assert.equal((await call(memorize, "get", { key: "k" })).value, "");
  assert.equal((await call(memorize, "get", { key: "none" })).value ?? null, null);
  const found = await call(memorize, "searchKeys", { prefix: "k" });
  assert.deepEqual([found.keys, found.totalCount], [["k"], 1]);
  assert.equal((await call(memorize, "deleteAll", {})).deletedCount, 1);
});

test("refusals have their codes", async () => {
  const refused = call(clients.memorize, "get", { key: "" });
  const code = grpc.status.INVALID_ARGUMENT;
  await assert.rejects(refused, { code, details: "Key cannot be empty" });
});

test("a batch is answered in order", async () => {
  const stream = clients.kvist.batch();
  const set = { set: { key: Buffer.from("b"), value: Buffer.from([0xff, 0]) } };
  stream.write({ id: 7, operations: [set, { get: { key: Buffer.from("b") } }] });
  stream.end();
  const answers = [];
  for await (const answer of stream) answers.push(answer);
  assert.equal(answers.length, 1);
  assert.equal(answers[0].id, 7);
  assert.deepEqual([...answers[0].results[1].get.value], [0xff, 0]);
});

test("a deadline ends a wait", async () => {
  const words = ["BLPOP", "list", "0"].map((word) => Buffer.from(word));
  const deadline = Date.now() + 100;
  const refused = call(clients.kvist, "execute", { words }, { deadline });
  await assert.rejects(refused, { code: grpc.status.DEADLINE_EXCEEDED });
});
