"""Huey end to end: results, retries, schedule, revoking, locks, pipelines, priorities, crontab.

Huey pops what is due from its schedule by a script; the rest are lists, sorted sets and hashes with
blocking pops.
"""

import os
import sys
import time
import unittest
import uuid
from datetime import datetime, timedelta

from huey.api import chord, group
from huey.exceptions import TaskException

from worker_processes import PATIENCE, URL, AppCase

os.environ["HUEY_URL"] = URL
os.environ["HUEY_NAME"] = f"t{uuid.uuid4().hex[:8]}"

import tasks  # noqa: E402  it reads the two lines above
from tasks import plain, ranked  # noqa: E402


class Case(AppCase):
    """Consumers, and results with patience."""

    @classmethod
    def consumer(cls, which="plain", *words):
        return cls.processes.start(sys.executable, "-m", "huey.bin.huey_consumer", f"tasks.{which}",
                              "--scheduler-interval", "1", "--simple", *words)

    def get(self, result, **options):
        """The result of a task, or its error."""
        return result.get(blocking=True, timeout=PATIENCE, max_delay=0.1, **options)


class Shared(Case):
    """With two consumers of two threads each."""

    @classmethod
    def hire(cls):
        tasks.revoked_always.revoke()
        cls.consumer("plain", "-w", "2")
        cls.consumer("plain", "-w", "2", "--no-periodic")

    def test_a_result_comes_back(self):
        self.assertEqual(self.get(tasks.add(2, 3)), 5)
        big = "x" * 200_000
        self.assertEqual(self.get(tasks.add(big, "y")), big + "y")
        kept = tasks.add(1, 1)
        self.assertEqual(self.get(kept, preserve=True), 2)
        self.assertEqual(plain.result(kept.id), 2)  # which takes it away
        self.assertIsNone(plain.result(kept.id))

    def test_a_failing_task_is_tried_so_many_times(self):
        name = self.name()
        result = tasks.fail(name)
        # Each try leaves its error; the last is the one without retries.
        error = self.wait(lambda: self.last_error(result), "the last error")
        self.assertIn(f"no luck with {name}", error["error"])
        self.assertIn("ValueError", error["traceback"])
        self.assertEqual(len(self.seen(name)), 3)

    def last_error(self, result):
        """What is kept of an error after which there are no retries."""
        try:
            result.get(preserve=True)
        except TaskException as error:
            result.reset()
            return error.metadata["retries"] == 0 and error.metadata
        return None

    def test_a_retry_waits_for_its_delay(self):
        name = self.name()
        result = tasks.fail_until(name, 3)
        self.wait(lambda: self.db.get(f"tries:{name}") == "3", "three tries")
        self.wait(lambda: self.finished(result), "the result")
        tries = [float(moment) for moment in self.seen(name)]
        self.assertEqual(len(tries), 3)
        self.assertGreaterEqual(tries[1] - tries[0], 0.99)
        self.assertGreaterEqual(tries[2] - tries[1], 0.99)

    def finished(self, result):
        """Whether the value is there; errors of tries that failed are taken away."""
        try:
            return result.get() == 3
        except TaskException:
            result.reset()
            return False

    def test_a_scheduled_task_does_not_run_before_its_time(self):
        early, late, revoked, put_off = (self.name() for _ in range(4))
        started = time.time()
        tasks.moment.schedule((early,), delay=2)
        tasks.moment.schedule((late,), eta=datetime.now() + timedelta(seconds=3))
        # Within their delay they are revoked, and put off, also where that takes long.
        tasks.mark.schedule((revoked,), delay=4).revoke()
        later = tasks.moment.schedule((put_off,), delay=4).reschedule(delay=6)
        for name in (early, late, put_off):
            self.wait(lambda: self.seen(name), f"{name} to run")
        self.assertGreaterEqual(float(self.seen(early)[0]), started + 1.99)
        # A time, unlike a delay, is kept in whole seconds.
        self.assertGreaterEqual(float(self.seen(late)[0]), int(started + 3))
        self.assertGreaterEqual(float(self.seen(put_off)[0]), started + 5.99)
        self.assertEqual([len(self.seen(n)) for n in (early, late, put_off, revoked)], [1, 1, 1, 0])
        self.assertFalse(later.is_revoked())

    def test_revoke_and_restore(self):
        name = self.name()
        result = tasks.mark.schedule((name, "restored"), delay=4)
        result.revoke()
        self.assertTrue(result.is_revoked())
        self.assertTrue(result.restore())
        self.assertFalse(result.restore())
        self.assertEqual(self.get(result), "restored")

    def test_a_lock_lets_one_in(self):
        name = self.name()
        for _ in range(12):
            tasks.exclusive(name)
        self.wait(lambda: len(self.seen(name)) == 12, "all to run")
        self.assertEqual(set(self.seen(name)), {"1"})
        self.wait(lambda: not plain.is_locked("only-one"), "the lock to be free")

    def test_pipelines_groups_and_chords(self):
        chain = tasks.add.s(1, 2).then(tasks.add, 10).then(tasks.add, 100)
        results = plain.enqueue(chain)
        self.assertEqual(self.get(results), [3, 13, 113])
        self.assertEqual(self.get(tasks.add.map([(1, 1), (2, 2), (3, 3)])), [2, 4, 6])
        handler = self.name()
        plain.enqueue(tasks.add.s(1, "x").error(tasks.mark.s(handler)))
        self.wait(lambda: self.seen(handler), "the handler of the error")
        self.assertIn("unsupported operand", self.seen(handler)[0])
        members = [tasks.add.s(n, n) for n in range(5)]
        self.assertEqual(self.get(plain.enqueue(chord(members, tasks.gather.s()))), [0, 2, 4, 6, 8])
        then = group([tasks.add.s(n, 1) for n in range(3)]).then(tasks.gather)
        self.assertEqual(self.get(plain.enqueue(then)), [1, 2, 3])

    def test_a_rate_limit_puts_off(self):
        name = self.name()
        second = int(time.time())
        for _ in range(9):
            tasks.limited(name)
        self.wait(lambda: len(self.seen(name)) == 9, "all to run")
        # Two in a second. Workers that meet at its start may let in a few more: Huey counts
        # without a script.
        self.assertGreaterEqual(max(map(int, self.seen(name))), second + 1)

    def test_several_consumers_do_each_task_once(self):
        name = self.name()
        for n in range(150):
            tasks.mark(name, n)
        self.wait(lambda: len(self.seen(name)) >= 150, "all to run")
        self.wait(lambda: not plain.pending_count(), "the queue to be empty")
        self.assertEqual(sorted(self.seen(name), key=int), [str(n) for n in range(150)])

    def test_periodic_tasks(self):
        name = tasks.NAME
        self.wait(lambda: self.seen(f"{name}-minute"), "the task of every minute")
        self.wait(lambda: self.seen(f"{name}-always"), "the task that is always due")
        self.assertTrue(tasks.revoked_always.is_revoked())
        self.assertEqual(self.seen(f"{name}-revoked"), [])


class Alone(Case):
    """With a consumer for each test."""

    def setUp(self):
        self.db.flushall()
        self.consumers = []

    def tearDown(self):
        for process in self.consumers:
            process.kill()
            process.wait()

    def start(self, *words):
        self.consumers.append(self.consumer(*words))
        return self.consumers[-1]

    def test_a_revoked_task_never_runs(self):
        name = self.name()
        first = tasks.mark(name, "first")
        second = tasks.mark(name, "second")
        third = tasks.mark(name, "third")
        second.revoke()
        plain.revoke_by_id(first.id)
        plain.restore_by_id(first.id)
        self.start("plain", "--no-periodic")
        self.assertEqual(self.get(third), "third")
        self.assertEqual(self.seen(name), ["first", "third"])

    def test_all_of_a_kind_are_revoked(self):
        name = self.name()
        tasks.mark.revoke()
        tasks.mark(name, "never")
        last = tasks.add(1, 2)
        self.start("plain", "--no-periodic")
        self.assertEqual(self.get(last), 3)
        tasks.mark.restore()
        self.assertEqual(self.get(tasks.mark(name, "now")), "now")
        self.assertEqual(self.seen(name), ["now"])

    def test_an_expired_task_does_not_run(self):
        name = self.name()
        plain.enqueue(tasks.mark.s(name, "too late", expires=datetime.now() - timedelta(seconds=1)))
        plain.enqueue(tasks.mark.s(name, "in time", expires=600))
        self.start("plain", "--no-periodic")
        self.wait(lambda: self.seen(name), "the other to run")
        self.assertEqual(self.seen(name), ["in time"])

    def test_priorities(self):
        name = self.name()
        for priority in (1, 5, 3, 5, 0, 10):
            ranked.enqueue(tasks.rank.s(name, priority, priority=priority))
        self.start("ranked", "-w", "1", "--no-periodic")
        self.wait(lambda: len(self.seen(name)) == 6, "all to run")
        self.assertEqual(self.seen(name), ["10", "5", "5", "3", "1", "0"])
        result = tasks.rank(name, "waited for")
        self.assertEqual(result.get(blocking=True, timeout=PATIENCE), "waited for")  # BLPOP
        self.assertEqual(result.get(), "waited for")  # which stays until it expires

    def test_what_waits_survives_a_dead_consumer(self):
        """Huey promises at most once: the task at hand is lost, and nothing else."""
        name, hung = self.name(), self.name()
        consumer = self.start("plain", "-w", "1", "--no-periodic")
        tasks.hang(hung)
        self.wait(lambda: self.seen(hung), "the task to run")
        for n in range(10):
            tasks.mark(name, n)
        tasks.mark.schedule((name, "late"), delay=1)
        consumer.kill()
        consumer.wait()
        self.start("plain", "-w", "1", "--no-periodic")
        self.wait(lambda: len(self.seen(name)) == 11, "the others to run")
        self.assertEqual(self.seen(name), [*map(str, range(10)), "late"])
        self.assertEqual(self.seen(hung), ["hangs"])


if __name__ == "__main__":
    unittest.main()
