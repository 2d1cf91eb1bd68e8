// A worker process: `node worker.js QUEUE OPTIONS`, the options as JSON for BullMQ's Worker.
//
// What a job does is its name. Jobs note what they did in lists `seen:NAME` of the same server.

import { setTimeout as sleep } from "node:timers/promises";
import { DelayedError, UnrecoverableError, WaitingChildrenError, Worker } from "bullmq";
import { Redis } from "ioredis";

const connection = {
  host: process.env.TEST_HOST ?? "127.0.0.1",
  port: Number(process.env.TEST_PORT),
  maxRetriesPerRequest: null,
};
const db = new Redis(connection);
const note = (name, text) => db.rpush(`seen:${name}`, text);

const does = {
  add: async (job) => job.data.a + job.data.b,
  mark: async (job) => {
    await note(job.data.name, job.data.text ?? job.id);
    return job.data.text ?? job.id;
  },
  moment: async (job) => void (await note(job.data.name, Date.now())),
  fail: async (job) => {
    await note(job.data.name, `${job.attemptsMade} ${Date.now()}`);
    throw new Error(`no luck with ${job.data.name}`);
  },
  failUntil: async (job) => {
    const tries = await db.incr(`tries:${job.data.name}`);
    await note(job.data.name, tries);
    if (tries < job.data.times) throw new Error(`try ${tries}`);
    return tries;
  },
  hopeless: async (job) => {
    await note(job.data.name, "tried");
    throw new UnrecoverableError("hopeless");
  },
  hang: async (job) => {
    // Counted before it is noted: what waits for the note may kill this process at once.
    const tries = await db.incr(`tries:${job.data.name}`);
    await note(job.data.name, process.pid);
    if (tries === 1 || job.data.always) await sleep(60_000);
    await note(job.data.name, "again");
    return "recovered";
  },
  progress: async (job) => {
    for (const step of [1, 2, 3]) {
      await job.updateProgress({ step });
      await job.log(`step ${step}`);
    }
    await job.updateData({ ...job.data, done: true });
    return "done";
  },
  together: async (job) => {
    await note(job.data.name, await db.incr(`inside:${job.data.name}`));
    await sleep(30);
    await db.decr(`inside:${job.data.name}`);
  },
  // The sum of what the children returned, or what became of them.
  sum: async (job) => {
    const values = Object.values(await job.getChildrenValues());
    const ignored = Object.values(await job.getIgnoredChildrenFailures());
    return { sum: values.reduce((sum, value) => sum + (value.sum ?? value), 0), ignored };
  },
  // Puts itself off once, by hand.
  later: async (job, token) => {
    await note(job.data.name, Date.now());
    if (job.data.again) return "later";
    await job.updateData({ ...job.data, again: true });
    await job.moveToDelayed(Date.now() + 500, token);
    throw new DelayedError();
  },
  // Adds a child to itself and waits for it.
  parent: async (job, token) => {
    if (!job.data.asked) {
      await job.updateData({ ...job.data, asked: true });
      const { Queue } = await import("bullmq");
      const queue = new Queue(job.data.childQueue, { connection });
      await queue.add("add", { a: 20, b: 22 },
        { parent: { id: job.id, queue: job.queueQualifiedName } });
      await queue.close();
      if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
    }
    return Object.values(await job.getChildrenValues())[0];
  },
};

const [queue, options] = process.argv.slice(2);
const worker = new Worker(queue, async (job, token) => does[job.name](job, token),
  { connection, ...JSON.parse(options ?? "{}") });
worker.on("error", (error) => console.error(error));
process.on("SIGTERM", async () => {
  await worker.close();
  db.disconnect();
});
