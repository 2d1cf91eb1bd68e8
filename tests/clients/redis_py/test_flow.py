"""Many commands at once: pipelines, transactions, publish and subscribe, blocking, stalls."""

import socket
import threading
import time
import unittest

import redis

from target import HOST, PATIENCE, PORT, ServerCase, connect, eventually, plain


STALL = 0.035  # seconds: an acknowledgement is delayed for 40 ms


def quick(rounds):
    """What the quick ones of them take: on a busy machine many are late, and where each waits, all."""
    return sorted(rounds)[len(rounds) // 10]


def quickest(attempt):
    """The same of the first attempt without a stall, or of the last: where each round waits, each
    attempt does, and on a busy machine one of them comes through."""
    deadline = time.monotonic() + PATIENCE
    while True:
        took = quick(attempt())
        if took < STALL or time.monotonic() > deadline:
            return took


class Pipelines(ServerCase):
    def test_a_thousand_commands(self):
        with self.db.pipeline(transaction=False) as pipe:
            for n in range(1000):
                pipe.set(f"k{n}", n)
                pipe.get(f"k{n}")
            answers = pipe.execute()
        self.assertEqual(answers[0::2], [True] * 1000)
        self.assertEqual(answers[1::2], [str(n).encode() for n in range(1000)])

    def test_errors_stay_in_their_places(self):
        with self.db.pipeline(transaction=False) as pipe:
            pipe.set("k", "text").incr("k").get("k").lpush("k", 1).ping()
            answers = pipe.execute(raise_on_error=False)
        self.assertEqual([answers[0], answers[2], answers[4]], [True, b"text", True])
        self.assertIsInstance(answers[1], redis.ResponseError)
        self.assertRegex(str(answers[3]), "WRONGTYPE")

    def test_large_answers_in_a_pipeline(self):
        big = b"x" * 300_000
        self.db.set("big", big)
        with self.db.pipeline(transaction=False) as pipe:
            for _ in range(100):
                pipe.get("big")
                pipe.ping()
            self.assertEqual(pipe.execute(), [big, True] * 100)

    def test_ten_at_a_time_do_not_stall(self):
        """A batch whose reply waits for a delayed acknowledgement takes 40 ms."""
        payload = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n" * 10

        def attempt(cut):
            rounds = []
            with socket.create_connection((HOST, PORT), timeout=10) as raw:
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for _ in range(60):
                    started = time.perf_counter()
                    raw.sendall(payload[:cut])
                    raw.sendall(payload[cut:])
                    answer = b""
                    while len(answer) < 50:
                        answer += raw.recv(4096)
                    rounds.append(time.perf_counter() - started)
                    self.assertEqual(answer, b"+OK\r\n" * 10)
            return rounds

        for cut in (len(payload), 7, len(payload) - 1):
            self.assertLess(quickest(lambda: attempt(cut)), STALL, f"cut at {cut}")

    def test_ten_at_a_time_through_the_client_do_not_stall(self):
        def attempt():
            rounds = []
            self.db.delete(*(f"n{n}" for n in range(10)))
            for _ in range(60):
                started = time.perf_counter()
                with self.db.pipeline(transaction=False) as pipe:
                    for n in range(10):
                        pipe.incr(f"n{n}")
                    pipe.execute()
                rounds.append(time.perf_counter() - started)
            self.assertEqual(self.db.get("n9"), b"60")
            return rounds

        self.assertLess(quickest(attempt), STALL)


class Transactions(ServerCase):
    def test_all_or_nothing(self):
        with self.db.pipeline() as pipe:
            pipe.set("a", 1).incr("a").rpush("l", "x").get("a")
            self.assertEqual(pipe.execute(), [True, 2, 1, b"2"])
        with self.db.pipeline() as pipe:
            pipe.set("a", 9).execute_command("NOSUCHCOMMAND")
            with self.assertRaises(redis.RedisError):
                pipe.execute()
        self.assertEqual(self.db.get("a"), b"2")

    def test_a_command_that_fails_does_not_undo_others(self):
        with self.db.pipeline() as pipe:
            pipe.set("a", "x").incr("a").set("b", 1)
            with self.assertRaisesRegex(redis.ResponseError, "not an integer"):
                pipe.execute()
        self.assertEqual(self.db.mget("a", "b"), [b"x", b"1"])

    def test_a_watched_key_that_changed(self):
        other = connect()
        self.addCleanup(other.close)
        changes = [
            lambda: other.set("w", 2), lambda: other.delete("w"), lambda: other.append("w", "x"),
            lambda: other.pexpire("w", 100_000), lambda: other.flushdb(),
        ]
        for n, change in enumerate(changes):
            with self.subTest(change=n), self.db.pipeline() as pipe:
                other.set("w", 1)
                pipe.watch("w")
                change()
                pipe.multi()
                pipe.set("mine", 1)
                with self.assertRaises(redis.WatchError):
                    pipe.execute()
                self.assertIsNone(other.get("mine"))

    def test_a_watched_key_that_did_not_change(self):
        with self.db.pipeline() as pipe:
            pipe.watch("w", "none")
            self.db.set("something else", 1)
            self.db.get("w")
            pipe.multi()
            pipe.set("mine", 1)
            self.assertEqual(pipe.execute(), [True])

    def test_counting_with_watch_in_several_threads(self):
        def count(times):
            client = connect()
            for _ in range(times):
                client.transaction(lambda pipe: increment(pipe), "n")
            client.close()

        def increment(pipe):
            value = int(pipe.get("n") or 0)
            pipe.multi()
            pipe.set("n", value + 1)

        run_threads([lambda: count(50)] * 4)
        self.assertEqual(self.db.get("n"), b"200")

    def test_nothing_gets_between(self):
        stop = threading.Event()
        torn = []

        def write():
            client = connect()
            n = 0
            while not stop.is_set():
                n += 1
                with client.pipeline() as pipe:
                    for key in "abcdefgh":
                        pipe.set(key, n)
                    pipe.execute()
            client.close()

        def read():
            client = connect()
            for _ in range(500):
                values = set(client.mget(list("abcdefgh")))
                if len(values) > 1:
                    torn.append(values)
            client.close()
            stop.set()

        run_threads([write, write, read])
        self.assertEqual(torn, [])


class Subscriptions(ServerCase):
    def subscriber(self):
        pubsub = connect().pubsub()
        self.addCleanup(pubsub.close)
        return pubsub

    def receive(self, pubsub):
        return eventually(lambda: pubsub.get_message(timeout=1), "a message")

    def test_channels_and_patterns(self):
        pubsub = self.subscriber()
        pubsub.subscribe("news")
        pubsub.psubscribe("n?ws", "x*")
        kinds = [self.receive(pubsub)["type"] for _ in range(3)]
        self.assertEqual(kinds, ["subscribe", "psubscribe", "psubscribe"])
        self.assertEqual(self.db.publish("news", b"\r\n\x00"), 2)
        both = [self.receive(pubsub) for _ in range(2)]
        self.assertEqual([m["type"] for m in both], ["message", "pmessage"])
        self.assertEqual([m["data"] for m in both], [b"\r\n\x00"] * 2)
        self.assertEqual(both[1]["pattern"], b"n?ws")
        self.assertEqual(self.db.publish("nobody listens", 1), 0)
        self.assertEqual(self.db.pubsub_channels("n*"), [b"news"])
        self.assertEqual(plain(self.db.pubsub_numsub("news", "none")),
                         [[b"news", 1], [b"none", 0]])
        self.assertEqual(self.db.pubsub_numpat(), 2)

    def test_unsubscribing_ends_it(self):
        pubsub = self.subscriber()
        pubsub.subscribe("a", "b")
        pubsub.unsubscribe("a")
        kinds = [self.receive(pubsub)["type"] for _ in range(3)]
        self.assertEqual(kinds, ["subscribe", "subscribe", "unsubscribe"])
        self.assertEqual([self.db.publish("a", 1), self.db.publish("b", 2)], [0, 1])
        self.assertEqual(self.receive(pubsub)["data"], b"2")
        pubsub.ping()
        self.assertEqual(self.receive(pubsub)["type"], "pong")

    def test_order_of_many_messages(self):
        pubsub = self.subscriber()
        pubsub.subscribe("c")
        self.receive(pubsub)
        with self.db.pipeline(transaction=False) as pipe:
            for n in range(2000):
                pipe.publish("c", n)
            self.assertEqual(pipe.execute(), [1] * 2000)
        got = [int(self.receive(pubsub)["data"]) for _ in range(2000)]
        self.assertEqual(got, list(range(2000)))


class Blocking(ServerCase):
    def later(self, action):
        """Runs `action` as soon as a client is blocked."""
        def work():
            eventually(self.someone_waits, "a client to block")
            action()

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(thread.join)

    def someone_waits(self):
        return self.db.info("clients")["blocked_clients"] > 0

    def test_waiting_for_an_element(self):
        other = connect()
        self.addCleanup(other.close)
        self.later(lambda: self.db.rpush("b", 1, 2))
        self.assertEqual(plain(other.blpop(["a", "b"], timeout=10)), [b"b", b"1"])
        self.assertEqual(plain(other.brpop("b", timeout=10)), [b"b", b"2"])
        self.later(lambda: self.db.zadd("z", {"m": 1.5}))
        self.assertEqual(plain(other.bzpopmin("z", timeout=10)), [b"z", b"m", 1.5])
        self.later(lambda: self.db.lpush("from", "x"))
        self.assertEqual(other.blmove("from", "to", 10, "LEFT", "RIGHT"), b"x")
        self.assertEqual(self.db.lrange("to", 0, -1), [b"x"])
        self.later(lambda: self.db.lpush("l", "y"))
        self.assertEqual(plain(other.blmpop(10, 1, "l", direction="LEFT")), [b"l", [b"y"]])

    def test_giving_up(self):
        for wait in (lambda: self.db.blpop("none", timeout=0.1),
                     lambda: self.db.brpoplpush("none", "to", timeout=0.1),
                     lambda: self.db.bzpopmax("none", timeout=0.1),
                     lambda: self.db.bzmpop(0.1, 1, ["none"], min=True)):
            started = time.monotonic()
            self.assertIsNone(wait())
            self.assertTrue(0.09 <= time.monotonic() - started < 5)
        self.assertFalse(self.someone_waits())

    def test_first_come_first_served(self):
        order, threads = [], []

        def wait(name):
            client = connect()
            order.append((name, client.blpop("queue", timeout=20)[1]))
            client.close()

        for n in range(5):
            threads.append(threading.Thread(target=wait, args=(n,)))
            threads[-1].start()
            eventually(lambda: self.db.info("clients")["blocked_clients"] == n + 1, "it to block")
        self.db.rpush("queue", *range(5))
        for thread in threads:
            thread.join(20)
        self.assertEqual(sorted(order), [(n, str(n).encode()) for n in range(5)])

    def test_commands_behind_a_blocked_one_wait_for_it(self):
        with socket.create_connection((HOST, PORT), timeout=10) as raw:
            raw.sendall(b"BLPOP none 0.1\r\nECHO after\r\n")
            answer = b""
            while not answer.endswith(b"after\r\n"):
                answer += raw.recv(4096)
        self.assertEqual(answer, b"*-1\r\n$5\r\nafter\r\n")

    def test_a_transaction_never_blocks(self):
        with self.db.pipeline() as pipe:
            pipe.blpop("none", timeout=0)
            pipe.ping()
            self.assertEqual(pipe.execute(), [None, True])


class Threads(ServerCase):
    def test_no_increment_is_lost(self):
        def count():
            client = connect()
            for _ in range(40):
                with client.pipeline(transaction=False) as pipe:
                    for _ in range(50):
                        pipe.incr("n")
                    pipe.execute()
            client.close()

        run_threads([count] * 8)
        self.assertEqual(self.db.get("n"), b"16000")

    def test_one_pool_for_all_threads(self):
        def use(name):
            for n in range(100):
                key = f"{name}:{n}"
                self.db.set(key, key)
                if self.db.get(key) != key.encode():
                    raise AssertionError(f"{key} came back as something else")

        run_threads([lambda name=name: use(name) for name in range(8)])


def run_threads(works):
    """Runs all at once, and fails if one of them failed."""
    failures = []

    def guard(work):
        try:
            work()
        except BaseException as error:  # noqa: BLE001: reported below, in the main thread
            failures.append(error)

    threads = [threading.Thread(target=guard, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


if __name__ == "__main__":
    unittest.main()
