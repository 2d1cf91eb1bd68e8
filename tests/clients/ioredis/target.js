// Where the server under test is, and how to start one of our own.
//
// Read from the environment, as in the tests of the other clients: TEST_HOST, TEST_PORT (required:
// these tests empty every database of the server), TEST_PROTOCOL (2 or 3), and TEST_SERVER_COMMAND,
// a command line with {port} in it that starts a fresh server for the tests that restart one.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

export const HOST = process.env.TEST_HOST ?? "127.0.0.1";
export const PORT = Number(process.env.TEST_PORT);
export const PROTOCOL = Number(process.env.TEST_PROTOCOL ?? "3");
export const COMMAND = process.env.TEST_SERVER_COMMAND ?? "";
const PATIENCE = 20_000; // milliseconds until something awaited counts as never

if (!PORT) throw new Error("TEST_PORT is not set");

// An ioredis client of the server under test, closed when the test `t` ends.
export function connect(t, options = {}) {
  const client = new Redis({ host: HOST, port: PORT, protocol: PROTOCOL, ...options });
  t.after(() => client.disconnect());
  return client;
}

// As `connect`, with an empty server.
export async function empty(t) {
  const client = connect(t);
  await client.flushall();
  return client;
}

// Waits until `condition()` gives something true, and returns that.
export async function eventually(condition, what) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE} ms in vain for ${what}`);
    await sleep(2);
  }
}

// A server that a test may stop and start again, on a port that no other has.
export class OwnServer {
  async start() {
    this.port ??= await freePort();
    this.folder ??= mkdtempSync(join(tmpdir(), "ioredis-"));
    const line = COMMAND.replaceAll("{port}", String(this.port));
    // `exec`, so that the signal reaches the server and not a shell before it.
    this.process = spawn("/bin/sh", ["-c", `exec ${line}`], { cwd: this.folder, stdio: "ignore" });
    const probe = new Redis({ host: HOST, port: this.port, retryStrategy: () => 20 });
    probe.on("error", () => {});
    try {
      await eventually(() => probe.ping().catch(() => null), "the server to answer");
    } finally {
      probe.disconnect();
    }
  }

  async stop() {
    if (!this.process) return;
    const gone = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await gone;
    this.process = undefined;
  }

  async close() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// A port that no process listens on, and that no connection is given by chance: the system takes
// those from 32768 on.
async function freePort() {
  for (;;) {
    const port = 10000 + Math.floor(Math.random() * 22000);
    const probe = createServer().listen(port, HOST);
    try {
      await once(probe, "listening");
    } catch (error) {
      if (error.code === "EADDRINUSE") continue;
      throw error;
    }
    probe.close();
    await once(probe, "close");
    return port;
  }
}
