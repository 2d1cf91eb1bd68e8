"""RQ end to end: enqueue, work, retry, schedule, cancel, die and recover, with real workers.

RQ runs Lua for unique jobs, for emptying queues, for rate limits and for the locks of its
scheduler; the rest are pipelines with WATCH, blocking moves, streams and a channel for commands.
"""

import os
import signal
import sys
import time
import unittest
from datetime import datetime, timedelta, timezone

import redis
from rq import Callback, Queue, Repeat, Retry, Worker
from rq.command import send_shutdown_command, send_stop_job_command
from rq.exceptions import DuplicateJobError
from rq.group import Group
from rq.job import Dependency, Job, JobStatus
from rq.queue import Queue as AnyQueue
from rq.rate_limit import RateLimit
from rq.registry import (CanceledJobRegistry, FailedJobRegistry, FinishedJobRegistry,
                         ScheduledJobRegistry, StartedJobRegistry)
from rq.suspension import resume, suspend

from worker_processes import URL, AppCase

RQ = [sys.executable, "-m", "rq.cli"]
os.environ["RQ_REDIS_URL"] = URL


class Case(AppCase):
    """A connection as RQ wants it, and queues by name."""

    @classmethod
    def setUpClass(cls):
        cls.rq = redis.Redis.from_url(URL)
        cls.addClassCleanup(cls.rq.close)
        super().setUpClass()

    @classmethod
    def worker(cls, *words):
        return cls.processes.start(*RQ, "worker", "--url", URL, *words)

    def queue(self, name="default", **options):
        return Queue(name, connection=self.rq, **options)

    def burst(self, *queues):
        """Runs a worker until the queues are empty."""
        self.assertEqual(self.wait_exit(self.worker("--burst", *queues)), 0)

    def wait_status(self, job, *wanted):
        return self.wait(lambda: job.get_status() in wanted, f"{job.id} to be {wanted}")


class Shared(Case):
    """With two workers on the queue `default`, one of them the scheduler."""

    @classmethod
    def hire(cls):
        cls.worker("--with-scheduler", "--name", "first", "default")
        cls.worker("--with-scheduler", "--name", "second", "default")

    def test_a_result_comes_back(self):
        job = self.queue().enqueue("jobs.add", 2, 3, scale=7)
        self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(job.return_value(refresh=True), 35)
        self.assertEqual([r.return_value for r in job.results()], [35])
        self.assertIn(job.id, FinishedJobRegistry(queue=self.queue()).get_job_ids())
        self.assertIn(job.latest_result().worker_name, ("first", "second"))
        waited = self.queue().enqueue("jobs.add", "a", "b")
        self.assertEqual(waited.latest_result(timeout=40).return_value, "ab")  # XREAD BLOCK
        job = self.queue().enqueue("jobs.keep_meta", "kept")
        self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(job.get_meta(), {"text": "kept"})
        self.assertEqual(job.return_value(), job.id)

    def test_a_failing_job_is_tried_so_many_times(self):
        name = self.name()
        job = self.queue().enqueue("jobs.fail", name, retry=Retry(max=2))
        self.wait_status(job, JobStatus.FAILED)
        self.assertEqual(self.seen(name), ["tried"] * 3)
        self.assertIn(f"ValueError: no luck with {name}", job.latest_result().exc_string)
        self.assertIn(job.id, FailedJobRegistry(queue=self.queue()).get_job_ids())
        self.assertEqual(Job.fetch(job.id, connection=self.rq).retries_left, 0)
        name = self.name()
        job = self.queue().enqueue("jobs.fail_until", name, 3, retry=Retry(max=5))
        self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(self.seen(name), ["1", "2", "3"])
        self.assertEqual(job.return_value(), 3)

    def test_a_retry_waits_for_its_interval(self):
        name = self.name()
        started = time.time()
        job = self.queue().enqueue("jobs.fail_until", name, 2, retry=Retry(max=3, interval=[2, 9]))
        self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(self.seen(name), ["1", "2"])
        # The schedule counts whole seconds: two are two less a fraction.
        self.assertGreater(time.time(), started + 1)
        self.assertEqual(Job.fetch(job.id, connection=self.rq).retries_left, 2)

    def test_a_failed_job_is_requeued(self):
        name = self.name()
        job = self.queue().enqueue("jobs.fail_until", name, 2)
        self.wait_status(job, JobStatus.FAILED)
        job.requeue()
        self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(self.seen(name), ["1", "2"])
        self.assertNotIn(job.id, FailedJobRegistry(queue=self.queue()).get_job_ids())

    def test_a_scheduled_job_does_not_run_before_its_time(self):
        name, cancelled = self.name(), self.name()
        due = datetime.now(timezone.utc) + timedelta(seconds=3)
        job = self.queue().enqueue_at(due, "jobs.moment", name)
        gone = self.queue().enqueue_at(due, "jobs.mark", cancelled)
        registry = ScheduledJobRegistry(queue=self.queue())
        self.assertIn(job.id, registry.get_job_ids())
        self.assertEqual(registry.get_scheduled_time(job), due.replace(microsecond=0))
        self.assertEqual(job.get_status(), JobStatus.SCHEDULED)
        gone.cancel()
        last = self.queue().enqueue_at(due + timedelta(seconds=1), "jobs.mark", self.name())
        self.wait_status(job, JobStatus.FINISHED)
        self.wait_status(last, JobStatus.FINISHED)
        self.assertEqual(len(self.seen(name)), 1)
        # The time is kept in whole seconds.
        self.assertGreaterEqual(float(self.seen(name)[0]), int(due.timestamp()))
        self.assertEqual(self.seen(cancelled), [])
        self.assertEqual(gone.get_status(), JobStatus.CANCELED)

    def test_a_job_repeats(self):
        name = self.name()
        job = self.queue().enqueue("jobs.mark", name, repeat=Repeat(times=2, interval=[0, 1]))
        self.wait(lambda: len(self.seen(name)) == 3, "three runs")
        self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(self.seen(name), ["ran"] * 3)

    def test_what_depends_waits(self):
        name = self.name()
        first = self.queue().enqueue("jobs.mark", name, "first", job_id=self.name())
        second = self.queue().enqueue("jobs.mark", name, "second", depends_on=first)
        third = self.queue().enqueue("jobs.mark", name, "third", depends_on=[first, second])
        self.wait_status(third, JobStatus.FINISHED)
        self.assertEqual(self.seen(name), ["first", "second", "third"])
        bad = self.queue().enqueue("jobs.fail", self.name())
        anyway = self.queue().enqueue(
            "jobs.mark", name, "anyway", depends_on=Dependency(jobs=[bad], allow_failure=True))
        never = self.queue().enqueue("jobs.mark", name, "never", depends_on=bad)
        self.wait_status(anyway, JobStatus.FINISHED)
        self.assertEqual(self.seen(name)[3:], ["anyway"])
        self.assertEqual(never.get_status(), JobStatus.DEFERRED)

    def test_callbacks(self):
        name = self.name()
        ends = {"on_success": Callback("jobs.succeeded"), "on_failure": Callback("jobs.failed"),
                "meta": {"name": name}}
        self.queue().enqueue("jobs.add", 1, 2, **ends)
        self.wait(lambda: self.seen(name) == ["success 3"], "the callback of success")
        self.queue().enqueue("jobs.add", 1, "2", **ends)
        self.wait(lambda: self.seen(name)[1:] == ["failure TypeError"], "the callback of failure")

    def test_a_unique_job_is_there_once(self):
        queue, name, job_id = self.queue(self.name("unique")), self.name(), self.name()
        queue.enqueue("jobs.mark", name, job_id=job_id, unique=True)
        with self.assertRaises(DuplicateJobError):
            queue.enqueue("jobs.mark", name, job_id=job_id, unique=True)
        self.assertEqual(queue.job_ids, [job_id])
        front = queue.enqueue("jobs.mark", name, job_id=self.name(), unique=True, at_front=True)
        self.assertEqual(queue.job_ids, [front.id, job_id])
        self.assertEqual(queue.empty(), 2)  # a script that deletes what it pops
        self.assertFalse(Job.exists(job_id, self.rq))
        self.assertEqual(queue.count, 0)

    def test_a_rate_limit_is_kept(self):
        name = self.name()
        limit = RateLimit(key=self.name("limit"), concurrency=1)
        jobs = [self.queue().enqueue("jobs.exclusive", name, rate_limit=limit) for _ in range(8)]
        for job in jobs:
            self.wait_status(job, JobStatus.FINISHED)
        self.assertEqual(self.seen(name), ["1"] * 8)

    def test_a_group(self):
        group = Group.create(connection=self.rq)
        group.enqueue_many(self.queue(), [
            AnyQueue.prepare_data("jobs.add", (n, n), job_id=self.name()) for n in range(6)])
        jobs = group.get_jobs()
        self.assertEqual(len(jobs), 6)
        for job in jobs:
            self.wait_status(job, JobStatus.FINISHED)
        values = sorted(job.return_value(refresh=True) for job in jobs)
        self.assertEqual(values, [0, 2, 4, 6, 8, 10])

    def test_a_running_job_is_stopped(self):
        name = self.name()
        job = self.queue().enqueue("jobs.hang", name, meta={"name": name},
                                   on_stopped=Callback("jobs.stopped"))
        self.wait(lambda: self.seen(name), "the job to run")
        send_stop_job_command(self.rq, job.id)
        self.wait_status(job, JobStatus.STOPPED)
        self.wait(lambda: self.seen(name)[1:] == ["stopped"], "the callback")

    def test_a_work_horse_that_dies_is_a_failure(self):
        name = self.name()
        job = self.queue().enqueue("jobs.hang", name)
        pid = self.wait(lambda: self.seen(name), "the job to run")[0]
        os.kill(int(pid), signal.SIGKILL)
        self.wait_status(job, JobStatus.FAILED)
        self.wait(lambda: "Work-horse terminated unexpectedly" in job.latest_result().exc_string,
                  "the reason")


class Alone(Case):
    """With workers of its own for each test."""

    def test_a_cancelled_job_never_runs(self):
        queue, name = self.queue(self.name("q")), self.name()
        first = queue.enqueue("jobs.mark", name, "first")
        second = queue.enqueue("jobs.mark", name, "second")
        third = queue.enqueue("jobs.mark", name, "third")
        second.cancel()
        first.delete()
        self.assertEqual(queue.job_ids, [third.id])
        self.assertIn(second.id, CanceledJobRegistry(queue=queue).get_job_ids())
        self.burst(queue.name)
        self.assertEqual(self.seen(name), ["third"])
        self.assertEqual(second.get_status(), JobStatus.CANCELED)
        self.assertFalse(Job.exists(first.id, self.rq))

    def test_queues_come_in_the_order_of_the_worker(self):
        high, low, name = self.name("high"), self.name("low"), self.name()
        for n in range(3):
            self.queue(low).enqueue("jobs.mark", name, f"low {n}")
        for n in range(3):
            self.queue(high).enqueue("jobs.mark", name, f"high {n}")
        self.queue(high).enqueue("jobs.mark", name, "urgent", at_front=True)
        self.burst(high, low)
        self.assertEqual(self.seen(name), ["urgent", "high 0", "high 1", "high 2", "low 0", "low 1",
                                           "low 2"])

    def test_several_workers_do_each_job_once(self):
        queue, name = self.queue(self.name("q")), self.name()
        with self.rq.pipeline() as pipe:
            for n in range(60):
                queue.enqueue("jobs.mark", name, n, pipeline=pipe)
            pipe.execute()
        workers = [self.worker("--burst", queue.name) for _ in range(3)]
        for worker in workers:
            self.assertEqual(self.wait_exit(worker), 0)
        self.assertEqual(sorted(self.seen(name), key=int), [str(n) for n in range(60)])
        self.assertEqual(len(FinishedJobRegistry(queue=queue)), 60)

    def test_a_job_that_dies_with_its_worker_is_recovered(self):
        queue, name, other = self.queue(self.name("q")), self.name(), self.name()
        worker = self.worker("--name", self.name("w"), queue.name)
        job = queue.enqueue("jobs.hang_once", name, retry=Retry(max=1))
        horse = int(self.wait(lambda: self.seen(name), "the job to run")[0])
        worker.kill()
        worker.wait()
        os.kill(horse, signal.SIGKILL)
        self.assertEqual(job.get_status(), JobStatus.STARTED)
        registry = StartedJobRegistry(queue=queue)
        self.assertIn(job.id, registry.get_job_ids(cleanup=False))
        registry.cleanup()  # its heartbeat has not run out yet
        self.assertEqual(job.get_status(), JobStatus.STARTED)
        registry.cleanup(timestamp=time.time() + 3600)
        self.assertEqual(job.get_status(), JobStatus.QUEUED)
        self.burst(queue.name)
        self.assertEqual(job.get_status(), JobStatus.FINISHED)
        self.assertEqual(job.return_value(refresh=True), "recovered")
        self.assertEqual(self.seen(name)[1:], ["again"])
        # Without a retry left it fails, and says why.
        worker = self.worker("--name", self.name("w"), queue.name)
        job = queue.enqueue("jobs.hang", other)
        horse = int(self.wait(lambda: self.seen(other), "the job to run")[0])
        worker.kill()
        worker.wait()
        os.kill(horse, signal.SIGKILL)
        registry.cleanup(timestamp=time.time() + 3600)
        self.assertEqual(job.get_status(), JobStatus.FAILED)
        self.assertIn("AbandonedJobError", job.latest_result().exc_string)

    def test_workers_are_known_suspended_and_shut_down(self):
        queue, name, who = self.queue(self.name("q")), self.name(), self.name("w")
        worker = self.worker("--name", who, queue.name)
        known = lambda: [w for w in Worker.all(connection=self.rq) if w.name == who]
        found = self.wait(known, "the worker to be known")[0]
        self.assertEqual([q.name for q in found.queues], [queue.name])
        state = lambda: self.db.hget(found.key, "state")
        self.wait(lambda: state() == "idle", "the worker to wait for work")
        suspend(self.rq)
        queue.enqueue("jobs.mark", name, "before")  # it may wake the worker, or be taken yet
        self.wait(lambda: state() == "suspended", "the worker to be suspended")
        before = self.seen(name)
        queue.enqueue("jobs.mark", name, "after")
        noticed = self.db.time()[0]
        self.wait(lambda: self.db.time()[0] > noticed + 1, "a second to pass")
        self.assertEqual(self.seen(name), before)
        resume(self.rq)
        self.wait(lambda: self.seen(name) == ["before", "after"], "both to run")
        send_shutdown_command(self.rq, who)
        self.assertEqual(self.wait_exit(worker), 0)
        self.assertEqual(known(), [])


if __name__ == "__main__":
    unittest.main()
