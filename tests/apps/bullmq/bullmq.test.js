// BullMQ end to end: every step of a job is one of its Lua scripts, written for Redis with cmsgpack
// and cjson, and with keys that are made up while they run.

import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { Crew } from "./crew.js";

test("a result comes back", async (t) => {
  const crew = new Crew(t);
  const events = await crew.events();
  crew.worker();
  const job = await crew.queue.add("add", { a: 2, b: 3 });
  assert.equal(await job.waitUntilFinished(events, 40_000), 5);
  const done = await crew.queue.getJob(job.id);
  assert.equal(done.returnvalue, 5);
  assert.ok(done.finishedOn >= done.processedOn && done.processedOn >= done.timestamp);
  const text = "x\u0000é€".repeat(20_000);
  const big = await crew.queue.add("add", { a: text, b: "y" });
  assert.equal(await big.waitUntilFinished(events, 40_000), `${text}y`);
  assert.deepEqual(await crew.queue.getJobCounts("completed", "failed", "wait", "active"),
    { completed: 2, failed: 0, wait: 0, active: 0 });
});

test("a failing job is tried so many times, and its error kept", async (t) => {
  const crew = new Crew(t);
  crew.worker();
  const name = crew.name;
  const job = await crew.queue.add("fail", { name },
    { attempts: 3, backoff: { type: "exponential", delay: 300 } });
  const failed = await crew.state(job, "failed");
  assert.equal(failed.failedReason, `no luck with ${name}`);
  assert.equal(failed.attemptsMade, 3);
  assert.equal(failed.stacktrace.length, 3);
  const tries = (await crew.seen(name)).map((line) => line.split(" ").map(Number));
  assert.deepEqual(tries.map(([made]) => made), [0, 1, 2]);
  assert.ok(tries[1][1] - tries[0][1] >= 299, `${tries}`);
  assert.ok(tries[2][1] - tries[1][1] >= 599, `${tries}`);
  const again = await crew.queue.add("failUntil", { name: `${name}2`, times: 3 }, { attempts: 5 });
  assert.equal((await crew.state(again, "completed")).returnvalue, 3);
  const once = await crew.queue.add("hopeless", { name: `${name}3` }, { attempts: 5 });
  await crew.state(once, "failed");
  assert.deepEqual(await crew.seen(`${name}3`), ["tried"]);
});

test("a failed job is retried by hand", async (t) => {
  const crew = new Crew(t);
  crew.worker();
  const job = await crew.queue.add("failUntil", { name: crew.name, times: 2 });
  const failed = await crew.state(job, "failed");
  await failed.retry();
  assert.equal((await crew.state(job, "completed")).returnvalue, 2);
  const all = await Promise.all([1, 2, 3].map((n) =>
    crew.queue.add("failUntil", { name: `${crew.name}${n}`, times: 2 })));
  for (const one of all) await crew.state(one, "failed");
  await crew.queue.retryJobs();
  for (const one of all) await crew.state(one, "completed");
});

test("a delayed job does not run before its time", async (t) => {
  const crew = new Crew(t);
  const name = crew.name;
  const started = Date.now();
  const late = await crew.queue.add("moment", { name: `${name}late` }, { delay: 1500 });
  const moved = await crew.queue.add("moment", { name: `${name}moved` }, { delay: 600_000 });
  const promoted = await crew.queue.add("moment", { name: `${name}now` }, { delay: 600_000 });
  assert.equal(await late.getState(), "delayed");
  assert.equal(await crew.queue.getDelayedCount(), 3);
  await moved.changeDelay(1000);
  await promoted.promote();
  crew.worker();
  for (const job of [promoted, moved, late]) await crew.state(job, "completed");
  const at = async (which) => Number((await crew.seen(`${name}${which}`))[0]);
  assert.ok((await at("late")) >= started + 1500);
  assert.ok((await at("moved")) >= started + 1000);
  assert.ok((await at("now")) >= started);
});

test("a removed job never runs", async (t) => {
  const crew = new Crew(t);
  const name = crew.name;
  const jobs = [];
  for (const text of ["a", "b", "c", "d"]) jobs.push(await crew.queue.add("mark", { name, text }));
  const delayed = await crew.queue.add("mark", { name, text: "late" }, { delay: 100 });
  await jobs[1].remove();
  await delayed.remove();
  assert.equal(await crew.queue.remove(jobs[2].id), 1);
  assert.equal(await jobs[1].getState(), "unknown");
  crew.worker();
  await crew.state(jobs[3], "completed");
  const last = await crew.queue.add("mark", { name, text: "last" }, { delay: 300 });
  await crew.state(last, "completed");
  assert.deepEqual(await crew.seen(name), ["a", "d", "last"]);
  const running = await crew.queue.add("hang", { name: `${name}hang` });
  await crew.wait(async () => (await crew.seen(`${name}hang`)).length, "the job to run");
  await assert.rejects(running.remove(), /locked/);
});

test("a job that dies with its worker is recovered", async (t) => {
  const crew = new Crew(t);
  const events = await crew.events();
  const stalled = [];
  events.on("stalled", ({ jobId }) => stalled.push(jobId));
  const options = { lockDuration: 1000, stalledInterval: 300, maxStalledCount: 1 };
  const first = crew.worker(options);
  const job = await crew.queue.add("hang", { name: crew.name });
  await crew.wait(async () => (await crew.seen(crew.name)).length, "the job to run");
  first.kill("SIGKILL");
  await once(first, "exit");
  assert.equal(await job.getState(), "active");
  crew.worker(options);
  const done = await crew.state(job, "completed");
  assert.equal(done.returnvalue, "recovered");
  assert.equal(done.stalledCounter, 1);
  assert.deepEqual((await crew.seen(crew.name)).slice(1).length, 2);
  await crew.wait(() => stalled.length, "the event");
  assert.deepEqual(stalled, [job.id]);
});

test("a job that stalls too often fails", async (t) => {
  const crew = new Crew(t);
  const options = { lockDuration: 1000, stalledInterval: 300, maxStalledCount: 0 };
  const first = crew.worker(options);
  const job = await crew.queue.add("hang", { name: crew.name, always: true });
  await crew.wait(async () => (await crew.seen(crew.name)).length, "the job to run");
  first.kill("SIGKILL");
  await once(first, "exit");
  crew.worker(options);
  const failed = await crew.state(job, "failed");
  assert.match(failed.failedReason, /stalled more than allowable limit/);
  assert.equal((await crew.seen(crew.name)).length, 1);
});

test("several workers do each job once", async (t) => {
  const crew = new Crew(t);
  for (let n = 0; n < 3; n++) crew.worker({ concurrency: 8 });
  const count = 300;
  const added = await crew.queue.addBulk(Array.from({ length: count }, (_, n) =>
    ({ name: "mark", data: { name: crew.name, text: String(n) } })));
  assert.equal(added.length, count);
  await crew.wait(async () => (await crew.queue.getCompletedCount()) === count, "all to be done");
  const seen = (await crew.seen(crew.name)).map(Number).sort((a, b) => a - b);
  assert.deepEqual(seen, Array.from({ length: count }, (_, n) => n));
  await crew.wait(async () => (await crew.queue.getWorkers()).length === 3, "all workers to be there");
});

test("priorities", async (t) => {
  const crew = new Crew(t);
  const name = crew.name;
  const add = (text, options) => crew.queue.add("mark", { name, text }, options);
  await add("3", { priority: 3 });
  await add("1", { priority: 1 });
  await add("2", { priority: 2 });
  await add("1 again", { priority: 1 });
  await add("none");
  await add("none again");
  await add("last in", { lifo: true });
  const changed = await add("was 9", { priority: 9 });
  await changed.changePriority({ priority: 2 });
  assert.deepEqual(await crew.queue.getCountsPerPriority([0, 1, 2, 3, 9]),
    { 0: 3, 1: 2, 2: 2, 3: 1, 9: 0 });
  crew.worker();
  await crew.wait(async () => (await crew.seen(name)).length === 8, "all to run");
  assert.deepEqual(await crew.seen(name),
    ["last in", "none", "none again", "1", "1 again", "2", "was 9", "3"]);
});

test("flows: children first, their values with the parent", async (t) => {
  const crew = new Crew(t);
  const below = `${crew.name}-below`;
  const child = (a, b) => ({ name: "add", queueName: below, data: { a, b } });
  const flow = await crew.flows().add({
    name: "sum",
    queueName: crew.name,
    data: {},
    children: [child(1, 2), child(3, 4), {
      name: "sum", queueName: below, data: {}, children: [child(10, 20)],
    }],
  });
  const parent = flow.job;
  assert.equal(await parent.getState(), "waiting-children");
  assert.deepEqual(await parent.getDependenciesCount(),
    { failed: 0, ignored: 0, processed: 0, unprocessed: 3 });
  crew.another(below);
  crew.worker({}, below);
  const done = async () => (await parent.getDependenciesCount()).processed === 3;
  await crew.wait(done, "the children");
  await crew.state(parent, "waiting");
  crew.worker();
  const finished = await crew.state(parent, "completed");
  assert.deepEqual(finished.returnvalue, { sum: 3 + 7 + 30, ignored: [] });
  const tree = await crew.flows().getFlow({ id: parent.id, queueName: crew.name });
  assert.equal(tree.children.length, 3);
  const grandchild = tree.children.flatMap((node) => node.children ?? []);
  assert.deepEqual(grandchild.map((node) => node.job.returnvalue), [30]);
});

test("flows: what becomes of a parent whose child fails", async (t) => {
  const crew = new Crew(t);
  const flows = crew.flows();
  const below = `${crew.name}-below`;
  crew.worker({}, below);
  crew.worker();
  const family = (opts) => flows.add({
    name: "sum", queueName: crew.name, data: {},
    children: [
      { name: "add", queueName: below, data: { a: 1, b: 1 } },
      { name: "fail", queueName: below, data: { name: crew.name }, opts },
    ],
  });
  const ignored = await family({ ignoreDependencyOnFailure: true });
  const done = await crew.state(ignored.job, "completed");
  assert.equal(done.returnvalue.sum, 2);
  assert.equal(done.returnvalue.ignored.length, 1);
  assert.match(done.returnvalue.ignored[0], /no luck/);
  const failed = await family({ failParentOnFailure: true });
  assert.match((await crew.state(failed.job, "failed")).failedReason, /child .* failed/);
  const removed = await family({ removeDependencyOnFailure: true });
  const without = await crew.state(removed.job, "completed");
  assert.deepEqual(without.returnvalue, { sum: 2, ignored: [] });
});

test("a job adds a child to itself and waits for it", async (t) => {
  const crew = new Crew(t);
  const childQueue = `${crew.name}-child`;
  crew.worker();
  crew.worker({}, childQueue);
  const job = await crew.queue.add("parent", { childQueue });
  assert.equal((await crew.state(job, "completed")).returnvalue, 42);
});

test("a job puts itself off", async (t) => {
  const crew = new Crew(t);
  crew.worker();
  const job = await crew.queue.add("later", { name: crew.name });
  assert.equal((await crew.state(job, "completed")).returnvalue, "later");
  const [first, second] = (await crew.seen(crew.name)).map(Number);
  assert.ok(second - first >= 499, `${second - first}`);
});

test("a rate limit", async (t) => {
  const crew = new Crew(t);
  for (let n = 0; n < 2; n++) crew.worker({ limiter: { max: 3, duration: 500 }, concurrency: 4 });
  for (let n = 0; n < 12; n++) await crew.queue.add("moment", { name: crew.name });
  await crew.wait(async () => (await crew.seen(crew.name)).length === 12, "all to run");
  const moments = (await crew.seen(crew.name)).map(Number).sort((a, b) => a - b);
  // Four windows of three: the last job comes three windows after the first, less what the first
  // job took from being counted to being noted.
  assert.ok(moments[11] - moments[0] >= 1000, `${moments}`);
  await crew.queue.setGlobalConcurrency(1);
  for (let n = 0; n < 6; n++) await crew.queue.add("together", { name: `${crew.name}c` });
  await crew.wait(async () => (await crew.seen(`${crew.name}c`)).length === 6, "six more");
  assert.deepEqual(new Set(await crew.seen(`${crew.name}c`)), new Set(["1"]));
});

test("repeated jobs", async (t) => {
  const crew = new Crew(t);
  const name = crew.name;
  const started = Date.now();
  await crew.queue.upsertJobScheduler("often", { every: 400, limit: 3 },
    { name: "moment", data: { name } });
  await crew.queue.upsertJobScheduler("cron", { pattern: "* * * * * *" },
    { name: "moment", data: { name: `${name}cron` } });
  assert.deepEqual((await crew.queue.getJobSchedulers()).map((s) => s.key).sort(),
    ["cron", "often"]);
  crew.worker({ concurrency: 2 });
  await crew.wait(async () => (await crew.seen(name)).length >= 3, "three runs");
  const moments = (await crew.seen(name)).map(Number);
  assert.equal(moments.length, 3);
  assert.ok(moments[2] - started >= 400, `${moments} since ${started}`);
  await crew.wait(async () => (await crew.seen(`${name}cron`)).length >= 2, "two seconds");
  assert.ok(await crew.queue.removeJobScheduler("cron"));
  assert.equal(await crew.queue.removeJobScheduler("cron"), false);
  await crew.wait(async () => (await crew.queue.getActiveCount()) === 0, "the rest to end");
  const runs = (await crew.seen(`${name}cron`)).length;
  const mark = await crew.queue.add("mark", { name: `${name}mark` }, { delay: 1500 });
  await crew.state(mark, "completed");
  assert.equal((await crew.seen(`${name}cron`)).length, runs);
  assert.equal((await crew.seen(name)).length, 3);
});

test("events tell a job's life in order", async (t) => {
  const crew = new Crew(t);
  const events = await crew.events();
  const heard = [];
  for (const name of ["added", "waiting", "active", "progress", "completed", "failed", "delayed",
    "removed", "drained", "paused", "resumed", "duplicated", "deduplicated"]) {
    events.on(name, (about) => heard.push([name, about?.jobId]));
  }
  const job = await crew.queue.add("progress", {}, { jobId: "one" });
  await crew.queue.add("progress", {}, { jobId: "one" });
  crew.worker();
  const done = await crew.state(job, "completed");
  await crew.wait(() => heard.some(([name]) => name === "completed"), "the last event");
  assert.deepEqual(done.progress, { step: 3 });
  assert.equal(done.data.done, true);
  const logs = await crew.queue.getJobLogs("one");
  assert.deepEqual(logs, { logs: ["step 1", "step 2", "step 3"], count: 3 });
  const life = heard.filter(([, id]) => id === "one").map(([name]) => name);
  assert.deepEqual(life, ["added", "waiting", "duplicated", "active", "progress", "progress",
    "progress", "completed"]);
  await done.remove();
  await crew.wait(() => heard.some(([name]) => name === "removed"), "the removal");
});

test("pause, resume, drain and obliterate", async (t) => {
  const crew = new Crew(t);
  const name = crew.name;
  crew.worker();
  await crew.queue.pause();
  assert.equal(await crew.queue.isPaused(), true);
  const held = await crew.queue.add("mark", { name, text: "held" });
  const other = new Crew(t); // a queue that goes on
  other.worker();
  const passed = await other.queue.add("mark", { name: other.name }, { delay: 300 });
  await other.state(passed, "completed");
  assert.deepEqual(await crew.seen(name), []);
  await crew.queue.resume();
  await crew.state(held, "completed");
  await crew.queue.pause();
  for (let n = 0; n < 20; n++) await crew.queue.add("mark", { name }, { delay: n % 2 && 60_000 });
  await crew.queue.drain();
  assert.deepEqual(await crew.queue.getJobCounts("wait", "paused", "delayed"),
    { wait: 0, paused: 0, delayed: 10 });
  await crew.queue.drain(true);
  assert.equal(await crew.queue.getDelayedCount(), 0);
  assert.deepEqual(await crew.queue.clean(0, 100, "completed"), [held.id]);
  await crew.queue.obliterate();
  assert.deepEqual(await crew.db.keys(`bull:${name}:*`), []);
});

test("the same job is not added twice", async (t) => {
  const crew = new Crew(t);
  const deduplication = { id: "same" };
  const first = await crew.queue.add("mark", { name: crew.name }, { deduplication });
  const second = await crew.queue.add("mark", { name: crew.name }, { deduplication });
  assert.equal(second.id, first.id);
  assert.equal(await crew.queue.getDeduplicationJobId("same"), first.id);
  crew.worker();
  await crew.state(first, "completed");
  const third = await crew.queue.add("mark", { name: crew.name }, { deduplication });
  assert.notEqual(third.id, first.id);
  await crew.state(third, "completed");
  assert.deepEqual(await crew.seen(crew.name), [first.id, third.id]);
});

test("finished jobs are kept as long as asked", async (t) => {
  const crew = new Crew(t);
  crew.worker({ removeOnComplete: { count: 5 }, metrics: { maxDataPoints: 60 } });
  for (let n = 0; n < 20; n++) await crew.queue.add("mark", { name: crew.name });
  const gone = await crew.queue.add("mark", { name: crew.name }, { removeOnComplete: true });
  await crew.wait(async () => (await crew.seen(crew.name)).length === 21, "all to run");
  await crew.state(gone, "unknown");
  const kept = await crew.queue.getCompleted();
  assert.deepEqual(kept.map((job) => Number(job.id)), [20, 19, 18, 17, 16]);
  assert.equal((await crew.queue.getMetrics("completed")).meta.count, 21);
});
