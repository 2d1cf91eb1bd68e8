// BullMQ end to end: every step of a job is one of its Lua scripts, written for Redis with cmsgpack
// and cjson, and with keys that are made up while they run.

import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { Fixture } from "./fixture.js";

test("a result comes back", async (t) => {
  const fixture = new Fixture(t);
  const events = await fixture.events();
  fixture.worker();
  const job = await fixture.queue.add("add", { a: 2, b: 3 });
  assert.equal(await job.waitUntilFinished(events, 40_000), 5);
  const done = await fixture.queue.getJob(job.id);
  assert.equal(done.returnvalue, 5);
  assert.ok(done.finishedOn >= done.processedOn && done.processedOn >= done.timestamp);
  const text = "x\u0000é€".repeat(20_000);
  const big = await fixture.queue.add("add", { a: text, b: "y" });
  assert.equal(await big.waitUntilFinished(events, 40_000), `${text}y`);
  assert.deepEqual(await fixture.queue.getJobCounts("completed", "failed", "wait", "active"),
    { completed: 2, failed: 0, wait: 0, active: 0 });
});

test("a failing job is tried so many times, and its error kept", async (t) => {
  const fixture = new Fixture(t);
  fixture.worker();
  const name = fixture.name;
  const job = await fixture.queue.add("fail", { name },
    { attempts: 3, backoff: { type: "exponential", delay: 300 } });
  const failed = await fixture.state(job, "failed");
  assert.equal(failed.failedReason, `no luck with ${name}`);
  assert.equal(failed.attemptsMade, 3);
  assert.equal(failed.stacktrace.length, 3);
  const tries = (await fixture.seen(name)).map((line) => line.split(" ").map(Number));
  assert.deepEqual(tries.map(([made]) => made), [0, 1, 2]);
  assert.ok(tries[1][1] - tries[0][1] >= 299, `${tries}`);
  assert.ok(tries[2][1] - tries[1][1] >= 599, `${tries}`);
  const again =
    await fixture.queue.add("failUntil", { name: `${name}2`, times: 3 }, { attempts: 5 });
  assert.equal((await fixture.state(again, "completed")).returnvalue, 3);
  const once = await fixture.queue.add("hopeless", { name: `${name}3` }, { attempts: 5 });
  await fixture.state(once, "failed");
  assert.deepEqual(await fixture.seen(`${name}3`), ["tried"]);
});

test("a failed job is retried by hand", async (t) => {
  const fixture = new Fixture(t);
  fixture.worker();
  const job = await fixture.queue.add("failUntil", { name: fixture.name, times: 2 });
  const failed = await fixture.state(job, "failed");
  await failed.retry();
  assert.equal((await fixture.state(job, "completed")).returnvalue, 2);
  const all = await Promise.all([1, 2, 3].map((n) =>
    fixture.queue.add("failUntil", { name: `${fixture.name}${n}`, times: 2 })));
  for (const one of all) await fixture.state(one, "failed");
  await fixture.queue.retryJobs();
  for (const one of all) await fixture.state(one, "completed");
});

test("a delayed job does not run before its time", async (t) => {
  const fixture = new Fixture(t);
  const name = fixture.name;
  const started = Date.now();
  const late = await fixture.queue.add("moment", { name: `${name}late` }, { delay: 1500 });
  const moved = await fixture.queue.add("moment", { name: `${name}moved` }, { delay: 600_000 });
  const promoted = await fixture.queue.add("moment", { name: `${name}now` }, { delay: 600_000 });
  assert.equal(await late.getState(), "delayed");
  assert.equal(await fixture.queue.getDelayedCount(), 3);
  await moved.changeDelay(1000);
  await promoted.promote();
  fixture.worker();
  for (const job of [promoted, moved, late]) await fixture.state(job, "completed");
  const at = async (which) => Number((await fixture.seen(`${name}${which}`))[0]);
  assert.ok((await at("late")) >= started + 1500);
  assert.ok((await at("moved")) >= started + 1000);
  assert.ok((await at("now")) >= started);
});

test("a removed job never runs", async (t) => {
  const fixture = new Fixture(t);
  const name = fixture.name;
  const jobs = [];
  for (const text of ["a", "b", "c", "d"]) {
    jobs.push(await fixture.queue.add("mark", { name, text }));
  }
  const delayed = await fixture.queue.add("mark", { name, text: "late" }, { delay: 100 });
  await jobs[1].remove();
  await delayed.remove();
  assert.equal(await fixture.queue.remove(jobs[2].id), 1);
  assert.equal(await jobs[1].getState(), "unknown");
  fixture.worker();
  await fixture.state(jobs[3], "completed");
  const last = await fixture.queue.add("mark", { name, text: "last" }, { delay: 300 });
  await fixture.state(last, "completed");
  assert.deepEqual(await fixture.seen(name), ["a", "d", "last"]);
  const running = await fixture.queue.add("hang", { name: `${name}hang` });
  await fixture.wait(async () => (await fixture.seen(`${name}hang`)).length, "the job to run");
  await assert.rejects(running.remove(), /locked/);
});

test("a job that dies with its worker is recovered", async (t) => {
  const fixture = new Fixture(t);
  const events = await fixture.events();
  const stalled = [];
  events.on("stalled", ({ jobId }) => stalled.push(jobId));
  const options = { lockDuration: 1000, stalledInterval: 300, maxStalledCount: 1 };
  const first = fixture.worker(options);
  const job = await fixture.queue.add("hang", { name: fixture.name });
  await fixture.wait(async () => (await fixture.seen(fixture.name)).length, "the job to run");
  first.kill("SIGKILL");
  await once(first, "exit");
  assert.equal(await job.getState(), "active");
  fixture.worker(options);
  const done = await fixture.state(job, "completed");
  assert.equal(done.returnvalue, "recovered");
  assert.equal(done.stalledCounter, 1);
  assert.deepEqual((await fixture.seen(fixture.name)).slice(1).length, 2);
  await fixture.wait(() => stalled.length, "the event");
  assert.deepEqual(stalled, [job.id]);
});

test("a job that stalls too often fails", async (t) => {
  const fixture = new Fixture(t);
  const options = { lockDuration: 1000, stalledInterval: 300, maxStalledCount: 0 };
  const first = fixture.worker(options);
  const job = await fixture.queue.add("hang", { name: fixture.name, always: true });
  await fixture.wait(async () => (await fixture.seen(fixture.name)).length, "the job to run");
  first.kill("SIGKILL");
  await once(first, "exit");
  fixture.worker(options);
  const failed = await fixture.state(job, "failed");
  assert.match(failed.failedReason, /stalled more than allowable limit/);
  assert.equal((await fixture.seen(fixture.name)).length, 1);
});

test("several workers do each job once", async (t) => {
  const fixture = new Fixture(t);
  for (let n = 0; n < 3; n++) fixture.worker({ concurrency: 8 });
  const count = 300;
  const added = await fixture.queue.addBulk(Array.from({ length: count }, (_, n) =>
    ({ name: "mark", data: { name: fixture.name, text: String(n) } })));
  assert.equal(added.length, count);
  await fixture.wait(async () => (await fixture.queue.getCompletedCount()) === count,
    "all to be done");
  const seen = (await fixture.seen(fixture.name)).map(Number).sort((a, b) => a - b);
  assert.deepEqual(seen, Array.from({ length: count }, (_, n) => n));
  await fixture.wait(async () => (await fixture.queue.getWorkers()).length === 3,
    "all workers to be there");
});

test("priorities", async (t) => {
  const fixture = new Fixture(t);
  const name = fixture.name;
  const add = (text, options) => fixture.queue.add("mark", { name, text }, options);
  await add("3", { priority: 3 });
  await add("1", { priority: 1 });
  await add("2", { priority: 2 });
  await add("1 again", { priority: 1 });
  await add("none");
  await add("none again");
  await add("last in", { lifo: true });
  const changed = await add("was 9", { priority: 9 });
  await changed.changePriority({ priority: 2 });
  assert.deepEqual(await fixture.queue.getCountsPerPriority([0, 1, 2, 3, 9]),
    { 0: 3, 1: 2, 2: 2, 3: 1, 9: 0 });
  fixture.worker();
  await fixture.wait(async () => (await fixture.seen(name)).length === 8, "all to run");
  assert.deepEqual(await fixture.seen(name),
    ["last in", "none", "none again", "1", "1 again", "2", "was 9", "3"]);
});

test("flows: children first, their values with the parent", async (t) => {
  const fixture = new Fixture(t);
  const below = `${fixture.name}-below`;
  const child = (a, b) => ({ name: "add", queueName: below, data: { a, b } });
  const flow = await fixture.flows().add({
    name: "sum",
    queueName: fixture.name,
    data: {},
    children: [child(1, 2), child(3, 4), {
      name: "sum", queueName: below, data: {}, children: [child(10, 20)],
    }],
  });
  const parent = flow.job;
  assert.equal(await parent.getState(), "waiting-children");
  assert.deepEqual(await parent.getDependenciesCount(),
    { failed: 0, ignored: 0, processed: 0, unprocessed: 3 });
  fixture.another(below);
  fixture.worker({}, below);
  const done = async () => (await parent.getDependenciesCount()).processed === 3;
  await fixture.wait(done, "the children");
  await fixture.state(parent, "waiting");
  fixture.worker();
  const finished = await fixture.state(parent, "completed");
  assert.deepEqual(finished.returnvalue, { sum: 3 + 7 + 30, ignored: [] });
  const tree = await fixture.flows().getFlow({ id: parent.id, queueName: fixture.name });
  assert.equal(tree.children.length, 3);
  const grandchild = tree.children.flatMap((node) => node.children ?? []);
  assert.deepEqual(grandchild.map((node) => node.job.returnvalue), [30]);
});

test("flows: what becomes of a parent whose child fails", async (t) => {
  const fixture = new Fixture(t);
  const flows = fixture.flows();
  const below = `${fixture.name}-below`;
  fixture.worker({}, below);
  fixture.worker();
  const family = (opts) => flows.add({
    name: "sum", queueName: fixture.name, data: {},
    children: [
      { name: "add", queueName: below, data: { a: 1, b: 1 } },
      { name: "fail", queueName: below, data: { name: fixture.name }, opts },
    ],
  });
  const ignored = await family({ ignoreDependencyOnFailure: true });
  const done = await fixture.state(ignored.job, "completed");
  assert.equal(done.returnvalue.sum, 2);
  assert.equal(done.returnvalue.ignored.length, 1);
  assert.match(done.returnvalue.ignored[0], /no luck/);
  const failed = await family({ failParentOnFailure: true });
  assert.match((await fixture.state(failed.job, "failed")).failedReason, /child .* failed/);
  const removed = await family({ removeDependencyOnFailure: true });
  const without = await fixture.state(removed.job, "completed");
  assert.deepEqual(without.returnvalue, { sum: 2, ignored: [] });
});

test("a job adds a child to itself and waits for it", async (t) => {
  const fixture = new Fixture(t);
  const childQueue = `${fixture.name}-child`;
  fixture.worker();
  fixture.worker({}, childQueue);
  const job = await fixture.queue.add("parent", { childQueue });
  assert.equal((await fixture.state(job, "completed")).returnvalue, 42);
});

test("a job puts itself off", async (t) => {
  const fixture = new Fixture(t);
  fixture.worker();
  const job = await fixture.queue.add("later", { name: fixture.name });
  assert.equal((await fixture.state(job, "completed")).returnvalue, "later");
  const [first, second] = (await fixture.seen(fixture.name)).map(Number);
  assert.ok(second - first >= 499, `${second - first}`);
});

test("a rate limit", async (t) => {
  const fixture = new Fixture(t);
  for (let n = 0; n < 2; n++) {
    fixture.worker({ limiter: { max: 3, duration: 500 }, concurrency: 4 });
  }
  for (let n = 0; n < 12; n++) await fixture.queue.add("moment", { name: fixture.name });
  await fixture.wait(async () => (await fixture.seen(fixture.name)).length === 12, "all to run");
  const moments = (await fixture.seen(fixture.name)).map(Number).sort((a, b) => a - b);
  // Four windows of three: the last job comes three windows after the first, less what the first
  // job took from being counted to being noted.
  assert.ok(moments[11] - moments[0] >= 1000, `${moments}`);
  await fixture.queue.setGlobalConcurrency(1);
  for (let n = 0; n < 6; n++) await fixture.queue.add("together", { name: `${fixture.name}c` });
  await fixture.wait(async () => (await fixture.seen(`${fixture.name}c`)).length === 6, "six more");
  assert.deepEqual(new Set(await fixture.seen(`${fixture.name}c`)), new Set(["1"]));
});

test("repeated jobs", async (t) => {
  const fixture = new Fixture(t);
  const name = fixture.name;
  const started = Date.now();
  await fixture.queue.upsertJobScheduler("often", { every: 400, limit: 3 },
    { name: "moment", data: { name } });
  await fixture.queue.upsertJobScheduler("cron", { pattern: "* * * * * *" },
    { name: "moment", data: { name: `${name}cron` } });
  assert.deepEqual((await fixture.queue.getJobSchedulers()).map((s) => s.key).sort(),
    ["cron", "often"]);
  fixture.worker({ concurrency: 2 });
  await fixture.wait(async () => (await fixture.seen(name)).length >= 3, "three runs");
  const moments = (await fixture.seen(name)).map(Number);
  assert.equal(moments.length, 3);
  assert.ok(moments[2] - started >= 400, `${moments} since ${started}`);
  await fixture.wait(async () => (await fixture.seen(`${name}cron`)).length >= 2, "two seconds");
  assert.ok(await fixture.queue.removeJobScheduler("cron"));
  assert.equal(await fixture.queue.removeJobScheduler("cron"), false);
  await fixture.wait(async () => (await fixture.queue.getActiveCount()) === 0, "the rest to end");
  const runs = (await fixture.seen(`${name}cron`)).length;
  const mark = await fixture.queue.add("mark", { name: `${name}mark` }, { delay: 1500 });
  await fixture.state(mark, "completed");
  assert.equal((await fixture.seen(`${name}cron`)).length, runs);
  assert.equal((await fixture.seen(name)).length, 3);
});

test("events tell a job's life in order", async (t) => {
  const fixture = new Fixture(t);
  const events = await fixture.events();
  const heard = [];
  for (const name of ["added", "waiting", "active", "progress", "completed", "failed", "delayed",
    "removed", "drained", "paused", "resumed", "duplicated", "deduplicated"]) {
    events.on(name, (about) => heard.push([name, about?.jobId]));
  }
  const job = await fixture.queue.add("progress", {}, { jobId: "one" });
  await fixture.queue.add("progress", {}, { jobId: "one" });
  fixture.worker();
  const done = await fixture.state(job, "completed");
  await fixture.wait(() => heard.some(([name]) => name === "completed"), "the last event");
  assert.deepEqual(done.progress, { step: 3 });
  assert.equal(done.data.done, true);
  const logs = await fixture.queue.getJobLogs("one");
  assert.deepEqual(logs, { logs: ["step 1", "step 2", "step 3"], count: 3 });
  const life = heard.filter(([, id]) => id === "one").map(([name]) => name);
  assert.deepEqual(life, ["added", "waiting", "duplicated", "active", "progress", "progress",
    "progress", "completed"]);
  await done.remove();
  await fixture.wait(() => heard.some(([name]) => name === "removed"), "the removal");
});

test("pause, resume, drain and obliterate", async (t) => {
  const fixture = new Fixture(t);
  const name = fixture.name;
  fixture.worker();
  await fixture.queue.pause();
  assert.equal(await fixture.queue.isPaused(), true);
  const held = await fixture.queue.add("mark", { name, text: "held" });
  const other = new Fixture(t); // a queue that goes on
  other.worker();
  const passed = await other.queue.add("mark", { name: other.name }, { delay: 300 });
  await other.state(passed, "completed");
  assert.deepEqual(await fixture.seen(name), []);
  await fixture.queue.resume();
  await fixture.state(held, "completed");
  await fixture.queue.pause();
  for (let n = 0; n < 20; n++) {
    await fixture.queue.add("mark", { name }, { delay: n % 2 && 60_000 });
  }
  await fixture.queue.drain();
  assert.deepEqual(await fixture.queue.getJobCounts("wait", "paused", "delayed"),
    { wait: 0, paused: 0, delayed: 10 });
  await fixture.queue.drain(true);
  assert.equal(await fixture.queue.getDelayedCount(), 0);
  assert.deepEqual(await fixture.queue.clean(0, 100, "completed"), [held.id]);
  await fixture.queue.obliterate();
  assert.deepEqual(await fixture.db.keys(`bull:${name}:*`), []);
});

test("the same job is not added twice", async (t) => {
  const fixture = new Fixture(t);
  const deduplication = { id: "same" };
  const first = await fixture.queue.add("mark", { name: fixture.name }, { deduplication });
  const second = await fixture.queue.add("mark", { name: fixture.name }, { deduplication });
  assert.equal(second.id, first.id);
  assert.equal(await fixture.queue.getDeduplicationJobId("same"), first.id);
  fixture.worker();
  await fixture.state(first, "completed");
  const third = await fixture.queue.add("mark", { name: fixture.name }, { deduplication });
  assert.notEqual(third.id, first.id);
  await fixture.state(third, "completed");
  assert.deepEqual(await fixture.seen(fixture.name), [first.id, third.id]);
});

test("finished jobs are kept as long as asked", async (t) => {
  const fixture = new Fixture(t);
  fixture.worker({ removeOnComplete: { count: 5 }, metrics: { maxDataPoints: 60 } });
  for (let n = 0; n < 20; n++) await fixture.queue.add("mark", { name: fixture.name });
  const gone = await fixture.queue.add("mark", { name: fixture.name }, { removeOnComplete: true });
  await fixture.wait(async () => (await fixture.seen(fixture.name)).length === 21, "all to run");
  await fixture.state(gone, "unknown");
  const kept = await fixture.queue.getCompleted();
  assert.deepEqual(kept.map((job) => Number(job.id)), [20, 19, 18, 17, 16]);
  assert.equal((await fixture.queue.getMetrics("completed")).meta.count, 21);
});
