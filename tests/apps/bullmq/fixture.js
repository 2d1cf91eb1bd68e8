// Queues and worker processes of the tests, ended with the test that started them.
//
// Where the server is stands in the environment, as for ../../clients/ioredis: TEST_HOST, TEST_PORT
// (required). The tests empty no database: each has a queue of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FlowProducer, Queue, QueueEvents } from "bullmq";
import { Redis } from "ioredis";

export const HOST = process.env.TEST_HOST ?? "127.0.0.1";
export const PORT = Number(process.env.TEST_PORT);
const PATIENCE = 40_000; // milliseconds until something awaited counts as never

if (!PORT) throw new Error("TEST_PORT is not set");
const connection = { host: HOST, port: PORT, maxRetriesPerRequest: null };

// What one test uses; all of it is closed when the test `t` ends.
export class Fixture {
  constructor(t) {
    this.name = `q-${randomUUID().slice(0, 8)}`;
    this.logs = [];
    this.open = [];
    t.after(async () => {
      for (const process of this.open.filter((item) => item.kill)) {
        if (process.exitCode === null && process.signalCode === null) {
          const gone = once(process, "exit");
          process.kill("SIGKILL");
          await gone;
        }
      }
      for (const item of this.open.filter((item) => item.close)) await item.close();
      this.db.disconnect();
    });
    this.db = new Redis(connection);
    this.queue = this.another(this.name);
  }

  // One more queue.
  another(name, options = {}) {
    const queue = new Queue(name, { connection, ...options });
    this.open.push(queue);
    return queue;
  }

  // What happens to the queue, from its first event on.
  async events(queue = this.name) {
    const events = new QueueEvents(queue, { connection, lastEventId: "0" });
    this.open.push(events);
    await events.waitUntilReady();
    return events;
  }

  flows() {
    const flows = new FlowProducer({ connection });
    this.open.push(flows);
    return flows;
  }

  // Starts a worker process.
  worker(options = {}, queue = this.name) {
    const process = spawn("node", ["worker.js", queue, JSON.stringify(options)],
      { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [process.stdout, process.stderr]) {
      stream.on("data", (data) => this.logs.push(data.toString()));
    }
    delete process.close; // so that it is told from queues
    this.open.push(process);
    return process;
  }

  // What jobs have noted under this name, in order.
  seen(name) {
    return this.db.lrange(`seen:${name}`, 0, -1);
  }

  // Waits until `condition()` gives something true, and returns that.
  async wait(condition, what) {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      const value = await condition();
      if (value) return value;
      if (Date.now() > deadline) {
        throw new Error(`waited ${PATIENCE} ms in vain for ${what}\n${this.logs.join("")}`);
      }
      await sleep(10);
    }
  }

  // Waits until the job is in this state, and returns it afresh.
  async state(job, wanted, queue = this.queue) {
    await this.wait(async () => (await job.getState()) === wanted, `${job.id} to be ${wanted}`);
    return queue.getJob(job.id);
  }
}
