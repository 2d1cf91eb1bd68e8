"""redis-py's Lock: released, extended and reacquired by scripts that compare the token first."""

import multiprocessing
import threading
import time
import unittest

import redis
from redis.exceptions import LockError, LockNotOwnedError

from target import COMMAND, OwnServer, ServerCase, connect, eventually


def count(name, times):
    """In a process of its own: adds to a counter without INCR, under the lock."""
    with connect() as db:
        for _ in range(times):
            with db.lock(f"{name}:lock", timeout=30, sleep=0.001):
                db.set(name, int(db.get(name) or 0) + 1)


class Locks(ServerCase):
    def test_acquire_and_release(self):
        lock, other = self.db.lock("lock", timeout=60), self.db.lock("lock", timeout=60)
        self.assertTrue(lock.acquire(blocking=False))
        self.assertTrue(lock.locked() and lock.owned())
        self.assertEqual(self.db.get("lock"), lock.local.token)
        self.assertFalse(other.acquire(blocking=False))
        self.assertTrue(other.locked())
        self.assertFalse(other.owned())
        lock.release()
        self.assertFalse(self.db.exists("lock"))
        self.assertTrue(other.acquire(blocking=False))
        other.release()
        with self.assertRaises(LockError):
            lock.release()

    def test_the_token_of_somebody_else(self):
        lock = self.db.lock("lock", timeout=60)
        lock.acquire(token="mine")
        self.assertEqual(self.db.get("lock"), b"mine")
        self.db.set("lock", "theirs", px=60_000)
        for touch in (lambda: lock.extend(10), lock.reacquire, lock.release):
            with self.assertRaises(LockNotOwnedError):
                touch()
        self.assertEqual(self.db.get("lock"), b"theirs")
        self.assertLessEqual(self.db.pttl("lock"), 60_000)
        self.db.delete("lock")
        lock.acquire(token="mine")
        self.db.delete("lock")
        with self.assertRaises(LockNotOwnedError):
            lock.release()

    def test_extend(self):
        lock = self.db.lock("lock", timeout=10)
        lock.acquire()
        self.assertTrue(lock.extend(50))
        self.assertGreater(self.db.pttl("lock"), 30_000)
        self.assertTrue(lock.extend(5, replace_ttl=True))
        self.assertLessEqual(self.db.pttl("lock"), 5_000)
        self.assertTrue(lock.reacquire())
        self.assertGreater(self.db.pttl("lock"), 5_000)
        self.assertTrue(lock.owned())
        lock.release()
        for_ever = self.db.lock("other")
        for_ever.acquire()
        self.assertEqual(self.db.pttl("other"), -1)
        with self.assertRaises(LockError):
            for_ever.extend(1)
        for_ever.release()

    def test_it_expires(self):
        lock = self.db.lock("lock", timeout=0.2)
        started = time.monotonic()
        lock.acquire()
        other = self.db.lock("lock", timeout=60, sleep=0.01)
        self.assertTrue(other.acquire(blocking_timeout=20))
        self.assertGreaterEqual(time.monotonic() - started, 0.199)
        with self.assertRaises(LockNotOwnedError):
            lock.release()
        self.assertTrue(other.owned())

    def test_waiting(self):
        lock = self.db.lock("lock", timeout=60)
        lock.acquire()
        other = self.db.lock("lock", timeout=60, sleep=0.01)
        started = time.monotonic()
        self.assertFalse(other.acquire(blocking_timeout=0.3))
        self.assertGreaterEqual(time.monotonic() - started, 0.28)
        got = []
        waiter = threading.Thread(target=lambda: got.append(other.acquire(blocking_timeout=20)))
        waiter.start()
        asked = self.db.info("stats")["total_commands_processed"]
        eventually(lambda: self.db.info("stats")["total_commands_processed"] > asked + 20,
                   "the other to try")
        self.assertEqual(got, [])
        lock.release()
        waiter.join(20)
        self.assertEqual(got, [True])

    def test_a_context(self):
        with self.db.lock("lock", timeout=60):
            with self.assertRaises(LockError):
                with self.db.lock("lock", blocking_timeout=0.05, sleep=0.01):
                    self.fail("two have it")
        self.assertFalse(self.db.exists("lock"))

    def test_many_threads_count_right(self):
        self.db.set("n", 0)
        inside = []

        def work():
            for _ in range(20):
                with self.db.lock("n:lock", timeout=30, sleep=0.002):
                    inside.append(1)
                    value = int(self.db.get("n"))
                    self.assertEqual(len(inside), 1)
                    self.db.set("n", value + 1)
                    inside.pop()

        failures = []

        def guarded():
            try:
                work()
            except BaseException as error:  # shown by the test's own thread
                failures.append(error)

        threads = [threading.Thread(target=guarded) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])
        self.assertEqual(self.db.get("n"), b"160")
        self.assertFalse(self.db.exists("n:lock"))

    def test_many_processes_count_right(self):
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=count, args=("n", 40), daemon=True) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        self.assertEqual([worker.exitcode for worker in workers], [0] * 4)
        self.assertEqual(self.db.get("n"), b"160")


class Scripts(ServerCase):
    """How redis-py sends scripts: EVALSHA first; LOAD and once more if the server needs it."""

    def test_a_registered_script(self):
        double = self.db.register_script("return redis.call('GET', KEYS[1]) * ARGV[1]")
        self.db.set("k", 21)
        self.db.script_flush()
        self.assertEqual(double(keys=["k"], args=[2]), 42)
        self.assertEqual(self.db.script_exists(double.sha), [True])
        self.db.script_flush("ASYNC")
        self.assertEqual(self.db.script_exists(double.sha), [False])
        self.assertEqual(double(keys=["k"], args=[3]), 63)

    def test_scripts_in_pipelines(self):
        add = self.db.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        read = self.db.register_script("return {KEYS[1], redis.call('GET', KEYS[1])}")
        for transaction in (True, False):
            self.db.flushall()
            self.db.script_flush()
            with self.db.pipeline(transaction=transaction) as pipe:
                add(keys=["n"], args=[5], client=pipe)
                pipe.incr("n")
                read(keys=["n"], client=pipe)
                self.assertEqual(pipe.execute(), [5, 6, [b"n", b"6"]])
        with self.db.pipeline() as pipe:
            pipe.set("n", "text")
            add(keys=["n"], args=[5], client=pipe)
            pipe.get("n")
            answers = pipe.execute(raise_on_error=False)
        self.assertEqual([answers[0], answers[2]], [True, b"text"])
        self.assertRegex(str(answers[1]), "not an integer.* script: ")

    def test_eval(self):
        self.assertEqual(self.db.eval("return {1, '2', false, {3}}", 0), [1, b"2", None, [3]])
        self.assertEqual(self.db.eval_ro("return ARGV[1]", 0, "x"), b"x")
        with self.assertRaisesRegex(redis.ResponseError, "Write commands are not allowed"):
            self.db.eval_ro("return redis.call('SET', KEYS[1], 1)", 1, "k")
        sha = self.db.script_load("return #ARGV")
        self.assertEqual(self.db.evalsha(sha, 0, *"abc"), 3)
        self.assertEqual(self.db.evalsha_ro(sha, 1, "k"), 0)
        with self.assertRaises(redis.exceptions.NoScriptError):
            self.db.evalsha("0" * 40, 0)
        with self.assertRaisesRegex(redis.ResponseError, "my words"):
            self.db.eval("return redis.error_reply('my words')", 0)

    def test_functions(self):
        code = """#!lua name=mylib
        redis.register_function('put', function(keys, args)
            return redis.call('SET', keys[1], args[1])
        end)
        redis.register_function{function_name='get', flags={'no-writes'},
            callback=function(keys) return redis.call('GET', keys[1]) end}
        """
        self.db.function_flush()
        self.assertEqual(self.db.function_load(code), b"mylib")
        with self.assertRaisesRegex(redis.ResponseError, "already exists"):
            self.db.function_load(code)
        self.assertEqual(self.db.function_load(code, replace=True), b"mylib")
        self.assertEqual(self.db.fcall("put", 1, "k", "v"), b"OK")
        self.assertEqual(self.db.fcall_ro("get", 1, "k"), b"v")
        with self.assertRaises(redis.ResponseError):
            self.db.fcall_ro("put", 1, "k", "w")
        self.assertIn(b"mylib", str(self.db.function_list("my*", withcode=True)).encode())
        dump = self.db.function_dump()
        self.db.function_delete("mylib")
        self.assertEqual(self.db.function_list(), [])
        self.db.function_restore(dump)
        self.assertEqual(self.db.fcall_ro("get", 1, "k"), b"v")
        with self.assertRaises(redis.ResponseError):
            self.db.function_restore(dump)
        self.db.function_restore(dump, "REPLACE")
        self.assertIn(b"LUA", str(self.db.function_stats()).encode())
        self.db.function_flush("SYNC")
        with self.assertRaisesRegex(redis.ResponseError, "Function not found"):
            self.db.fcall("get", 1, "k")

    def test_a_script_is_killed(self):
        self.db.config_set("busy-reply-threshold", 50)
        self.addCleanup(self.db.config_set, "busy-reply-threshold", 5000)
        errors = []

        def loop():
            with connect() as db:
                try:
                    db.eval("while true do end", 0)
                except redis.ResponseError as error:
                    errors.append(str(error))

        thread = threading.Thread(target=loop)
        thread.start()

        def killed():
            try:
                return self.db.script_kill()
            except redis.exceptions.ResponseError as error:
                self.assertRegex(str(error), "^No scripts in execution|^NOTBUSY")
                return False

        eventually(killed, "the script to be killed")
        thread.join(20)
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], "Script killed by user with SCRIPT KILL")
        self.assertTrue(self.db.ping())

    @unittest.skipUnless(COMMAND, "TEST_SERVER_COMMAND is not set")
    def test_shutdown_ends_a_script_that_cannot_be_killed(self):
        server = OwnServer()
        self.addCleanup(server.close)
        server.start("--busy-reply-threshold", 50)
        lost = threading.Event()

        def loop():
            with connect(port=server.port, retry=None) as db:
                try:
                    db.eval("redis.call('SET', KEYS[1], 1) while true do end", 1, "k")
                except redis.RedisError:
                    lost.set()

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        with connect(port=server.port, retry=None) as db:

            def unkillable():
                try:
                    db.script_kill()
                except redis.ResponseError as error:
                    return str(error).startswith("UNKILLABLE")

            eventually(unkillable, "the script to write")
            with self.assertRaises(redis.ConnectionError):
                db.execute_command("SHUTDOWN", "NOSAVE")
        eventually(lambda: server.process.poll() is not None, "the server to end")
        self.assertTrue(lost.wait(20))
        thread.join(20)
        server.process = None


if __name__ == "__main__":
    unittest.main()
