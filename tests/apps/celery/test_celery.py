"""Celery end to end, with Redis as broker and as result backend.

The broker is lists with BRPOP, a hash and a sorted set for what is not acknowledged yet, and a lock
under WATCH; results are strings, announced on channels; the bodies of chords are counted and
claimed by scripts.
"""

import os
import signal
import sys
import time
import unittest
from datetime import datetime, timedelta, timezone

from worker_processes import PATIENCE, URL, AppCase

os.environ["CELERY_URL"] = URL

import app as application  # noqa: E402  it reads the line above
from app import add, app  # noqa: E402
from celery import chain, chord, group, signature  # noqa: E402
from celery.exceptions import ChordError, TaskRevokedError  # noqa: E402


class Case(AppCase):
    """Workers, and results with patience."""

    @classmethod
    def worker(cls, name, *words, **env):
        return cls.processes.start(
            sys.executable, "-m", "celery", "-A", "app", "worker", "--loglevel", "INFO",
            "-n", f"{name}@here", *words, **env)

    def get(self, result, **options):
        return result.get(timeout=PATIENCE, **options)

    def error(self, result):
        """The error of a task that failed."""
        value = self.get(result, propagate=False)
        self.assertIsInstance(value, Exception)
        return value

    def wait_ready(self, *names):
        """Waits until these workers answer on the channel of commands."""
        wanted = {f"{name}@here" for name in names}
        self.wait(lambda: wanted <= set(app.control.inspect(timeout=0.5).ping() or ()),
                  f"{names} to be ready")


class Shared(Case):
    """With two workers of two processes each."""

    @classmethod
    def hire(cls):
        cls.worker("one", "-c", "2", "-Q", "celery")
        cls.worker("two", "-c", "2", "-Q", "celery")

    def test_a_result_comes_back(self):
        result = add.delay(2, 3)
        self.assertEqual(self.get(result), 5)
        self.assertEqual(result.state, "SUCCESS")
        self.assertEqual((result.name, list(result.args)), ("app.add", [2, 3]))
        self.assertIn(result.worker, ("one@here", "two@here"))
        self.assertGreater(self.db.ttl(f"celery-task-meta-{result.id}"), 0)
        big = "x" * 200_000
        self.assertEqual(self.get(add.delay(big, "y")), big + "y")
        result.forget()
        self.assertFalse(self.db.exists(f"celery-task-meta-{result.id}"))

    def test_a_failing_task_is_tried_so_many_times(self):
        name = self.name()
        result = application.fail.delay(name)
        error = self.error(result)
        self.assertEqual((type(error), str(error)), (ValueError, f"no luck with {name}"))
        self.assertEqual(self.seen(name), ["0", "1", "2"])
        self.assertEqual(result.state, "FAILURE")
        self.assertIn("ValueError", result.traceback)
        self.assertEqual(result.retries, 2)

    def test_a_retry_waits_for_its_delay(self):
        name = self.name()
        self.assertEqual(self.get(application.fail_until.delay(name, 3)), 3)
        tries = [float(moment) for moment in self.seen(name)]
        self.assertEqual(len(tries), 3)
        self.assertGreaterEqual(tries[1] - tries[0], 0.99)
        self.assertGreaterEqual(tries[2] - tries[1], 0.99)

    def test_countdown_and_eta(self):
        early, late = self.name(), self.name()
        started = time.time()
        eta = datetime.now(timezone.utc) + timedelta(seconds=2)
        results = [application.moment.apply_async((early,), countdown=1),
                   application.moment.apply_async((late,), eta=eta)]
        for result in results:
            self.get(result)
        self.assertGreaterEqual(float(self.seen(early)[0]), started + 0.99)
        self.assertGreaterEqual(float(self.seen(late)[0]), started + 1.99)
        self.assertEqual([len(self.seen(n)) for n in (early, late)], [1, 1])

    def test_an_expired_task_does_not_run(self):
        name = self.name()
        result = application.mark.apply_async((name,), countdown=1, expires=0.5)
        self.assertIsInstance(self.error(result), TaskRevokedError)
        self.assertEqual(self.seen(name), [])

    def test_a_revoked_task_never_runs(self):
        self.wait_ready("one", "two")
        name, other = self.name(), self.name()
        result = application.mark.apply_async((name,), countdown=2)
        result.revoke()
        after = application.mark.apply_async((other,), countdown=3)
        self.assertIsInstance(self.error(result), TaskRevokedError)
        self.assertEqual(result.state, "REVOKED")
        self.get(after)
        self.assertEqual(self.seen(name), [])

    def test_a_running_task_is_terminated(self):
        self.wait_ready("one", "two")
        name = self.name()
        result = application.hang.delay(name)
        self.wait(lambda: self.seen(name), "the task to run")
        result.revoke(terminate=True, signal="SIGKILL")
        self.assertIsInstance(self.error(result), TaskRevokedError)

    def test_groups(self):
        self.assertEqual(self.get(group(add.s(n, n) for n in range(20))()),
                         [2 * n for n in range(20)])
        failing = group([add.s(1, 1), add.s(1, "x"), add.s(2, 2)])()
        values = self.get(failing, propagate=False)
        self.assertEqual((values[0], values[2]), (2, 4))
        self.assertIsInstance(values[1], TypeError)
        saved = group(add.s(n, 1) for n in range(3))()
        saved.save()
        self.assertEqual(self.get(app.GroupResult.restore(saved.id)), [1, 2, 3])
        self.assertEqual(saved.completed_count(), 3)

    def test_chains(self):
        self.assertEqual(self.get(chain(add.s(1, 2), add.s(10), add.s(100))()), 113)
        parts = (add.s(1, 1) | group(add.s(n) for n in range(3)) | application.total.s())()
        self.assertEqual(self.get(parts), 9)
        name, error = self.name(), self.name()
        broken = chain(add.s(1, "x"), application.mark.si(name)).apply_async(
            link_error=application.note_error.s(error))
        self.assertIsInstance(self.error(broken.parent), TypeError)
        self.wait(lambda: self.seen(error), "the errback")
        self.assertIn("TypeError: unsupported operand", self.seen(error)[0])
        self.assertEqual(self.seen(name), [])

    def test_chords(self):
        for size in (1, 2, 30):
            result = chord([add.s(n, n) for n in range(size)], application.total.s())()
            self.assertEqual(self.get(result), size * (size - 1))
        nested = chord([chord([add.s(1, n) for n in range(3)], application.total.s()),
                        group(add.s(n, 1) for n in range(2)) | application.total.s(),
                        add.s(5, 5)], application.total.s())()
        self.assertEqual(self.get(nested), 6 + 3 + 10)
        error = self.name()
        body = application.total.s().on_error(application.note_error.s(error))
        broken = chord([add.s(1, 1), add.s(1, "x")], body)()
        self.assertIsInstance(self.error(broken), ChordError)
        self.wait(lambda: self.seen(error), "the errback")
        # What a chord counts with is gone once its body is on its way, or has yet to expire.
        self.wait(lambda: all(self.db.ttl(key) > 0 for key in
                              self.db.scan_iter("celery-taskset-meta-*")), "the counters to go")

    def test_progress_is_seen(self):
        name = self.name()
        result = application.progress.delay(name, 3)
        for step in (1, 2, 3):
            self.wait(lambda: result.state == "PROGRESS" and result.info == {"step": step},
                      f"step {step}")
            self.db.rpush(f"go:{name}", "on")
        self.assertEqual(self.get(result), 3)

    def test_several_workers_do_each_task_once(self):
        name = self.name()
        results = group(application.mark.s(name, n) for n in range(150))()
        self.assertEqual(self.get(results), list(range(150)))
        self.assertEqual(sorted(self.seen(name), key=int), [str(n) for n in range(150)])

    def test_links_and_chunks(self):
        name = self.name()
        add.apply_async((1, 2), link=signature("app.mark", (name,), immutable=True))
        self.wait(lambda: self.seen(name), "the link")
        chunks = add.chunks(zip(range(10), range(10)), 3)()
        self.assertEqual(sum(self.get(chunks), []), [2 * n for n in range(10)])

    def test_workers_answer(self):
        self.wait_ready("one", "two")
        inspect = app.control.inspect(["one@here"], timeout=PATIENCE, limit=1)
        self.assertIn("app.add", inspect.registered()["one@here"])
        self.assertEqual([q["name"] for q in inspect.active_queues()["one@here"]], ["celery"])


class Alone(Case):
    """With workers of its own for each test."""

    def setUp(self):
        self.workers = []

    def tearDown(self):
        """A warm shutdown, which gives back what was fetched and not done."""
        for process in self.workers:
            if process.poll() is None:
                process.terminate()
                self.wait_exit(process)

    def start(self, *words, **env):
        self.workers.append(self.worker(*words, **env))
        return self.workers[-1]

    def test_priorities(self):
        name = self.name()
        for n, priority in enumerate((9, 3, 0, 6, 3, 0)):
            application.mark.apply_async((name, f"{priority} {n}"), queue="ranked",
                                         priority=priority)
        self.assertEqual(self.db.llen("ranked"), 2)
        self.start("ranked", "-c", "1", "-Q", "ranked", "--pool", "solo")
        self.wait(lambda: len(self.seen(name)) == 6, "all to run")
        # Redis's lists are numbered the other way round than AMQP's priorities: 0 goes first.
        self.assertEqual(self.seen(name), ["0 2", "0 5", "3 1", "3 4", "6 3", "9 0"])

    def test_a_late_acknowledgement_brings_a_task_back(self):
        name = self.name()
        result = application.hang_once.apply_async((name,), queue="late")
        first = self.start("late1", "-c", "1", "-Q", "late", CELERY_VISIBILITY="2")
        child = int(self.wait(lambda: self.seen(name), "the task to run")[0])
        first.kill()
        first.wait()
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has noticed that its parent is gone
        self.assertEqual(self.db.hlen("unacked"), 1)
        self.assertEqual(self.db.llen("late"), 0)
        self.start("late2", "-c", "1", "-Q", "late", CELERY_VISIBILITY="2")
        self.assertEqual(self.get(result), "recovered")
        self.assertEqual(self.seen(name)[1:], ["again"])
        self.wait(lambda: not self.db.exists("unacked", "unacked_index"), "the acknowledgement")

    def test_a_task_whose_process_dies_is_tried_again(self):
        name = self.name()
        self.start("late3", "-c", "1", "-Q", "late")
        result = application.hang_once.apply_async((name,), queue="late")
        os.kill(int(self.wait(lambda: self.seen(name), "the task to run")[0]), signal.SIGKILL)
        self.assertEqual(self.get(result), "recovered")

    def test_a_warm_shutdown_gives_back_what_it_has_not_done(self):
        name, other = self.name(), self.name()
        worker = self.start("quiet1", "-c", "1", "-Q", "quiet")
        application.mark.apply_async((name,), countdown=3600, queue="quiet")
        self.wait(lambda: self.db.hlen("unacked") == 1, "the worker to hold it")
        worker.terminate()
        self.wait_exit(worker)
        self.assertEqual(self.db.llen("quiet"), 1)
        self.assertFalse(self.db.exists("unacked"))
        app.control.purge()
        application.mark.apply_async((other,), queue="quiet")
        self.start("quiet2", "-c", "1", "-Q", "quiet", "--pool", "solo")
        self.wait(lambda: self.seen(other), "the other to run")
        self.assertEqual(self.seen(name), [])


if __name__ == "__main__":
    unittest.main()
