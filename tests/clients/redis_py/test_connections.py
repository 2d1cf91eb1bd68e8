"""Connections: protocols, databases, errors, timeouts, a server that comes back."""

import asyncio
import os
import threading
import unittest

import redis
import redis.asyncio

from target import COMMAND, HOST, PORT, PROTOCOL, OwnServer, ServerCase, connect, eventually


class Connecting(ServerCase):
    def test_both_protocols(self):
        for protocol in (2, 3):
            with connect(protocol=protocol) as client:
                self.assertTrue(client.ping())
                hello = client.execute_command("HELLO")
                if protocol == 2:
                    hello = dict(zip(hello[0::2], hello[1::2]))
                self.assertEqual(hello[b"proto"], protocol)

    def test_as_the_library_connects_by_default(self):
        with redis.Redis(host=HOST, port=PORT) as client:
            self.assertTrue(client.set("k", "v"))
        with redis.from_url(f"redis://{HOST}:{PORT}/3?decode_responses=true") as client:
            client.set("ключ", "значение")
            self.assertEqual(client.get("ключ"), "значение")
        self.assertEqual(self.db.exists("ключ"), 0)

    def test_names_and_lists(self):
        with connect(client_name="a-name") as client:
            self.assertIn(client.client_getname(), ("a-name", b"a-name"))
            number = client.client_id()
            mine = [c for c in self.db.client_list() if c["id"] == str(number)]
            self.assertEqual([c["name"] for c in mine], ["a-name"])

    def test_a_killed_client_connects_again(self):
        with connect(client_name="victim") as client:
            number = client.client_id()
            self.assertEqual(self.db.client_kill_filter(_id=number), 1)
            self.assertTrue(client.ping())
            self.assertNotEqual(client.client_id(), number)

    def test_a_password_where_none_is_set(self):
        with self.assertRaisesRegex(redis.AuthenticationError, "without any password configured"):
            self.db.execute_command("AUTH", "x")
        with connect(username="default", password="any will do") as client:
            self.assertTrue(client.ping())
        with connect(username="nobody", password="x") as client:
            with self.assertRaisesRegex(redis.AuthenticationError, "WRONGPASS|invalid username"):
                client.ping()

    def test_health_checks(self):
        with connect(health_check_interval=0.001, socket_keepalive=True) as client:
            for n in range(20):
                self.assertEqual(client.incr("n"), n + 1)

    def test_what_tools_read_at_start(self):
        info = self.db.info()
        for field in ("redis_version", "uptime_in_seconds", "connected_clients", "used_memory",
                      "total_commands_processed", "keyspace_hits", "role", "tcp_port"):
            self.assertIn(field, info)
        self.assertEqual(info["tcp_port"], PORT)
        self.assertIn("maxmemory", self.db.config_get("max*"))
        self.assertGreater(self.db.command_count(), 100)
        self.assertEqual(len(self.db.time()), 2)
        self.db.set("k", 1)
        self.assertEqual(self.db.info("keyspace")["db0"]["keys"], 1)

    def test_many_connections(self):
        clients = [connect(single_connection_client=True) for _ in range(200)]
        for n, client in enumerate(clients):
            client.set(f"k{n}", n)
        for n, client in enumerate(reversed(clients)):
            self.assertEqual(client.get(f"k{n}"), str(n).encode())
        for client in clients:
            client.close()
        eventually(lambda: self.db.info("clients")["connected_clients"] < 20, "them to be gone")


class Databases(ServerCase):
    def test_a_pool_stays_in_its_database(self):
        with connect(db=5, max_connections=8) as five, connect(db=6) as six:
            five.set("k", "five")
            six.set("k", "six")
            pool = five.connection_pool
            taken = [pool.get_connection() for _ in range(8)]
            for connection in taken:
                connection.send_command("GET", "k")
                self.assertEqual(connection.read_response(), b"five")
            for connection in taken:
                pool.release(connection)
            self.assertEqual(six.get("k"), b"six")
            self.assertIsNone(self.db.get("k"))
            self.assertTrue(five.move("k", 7))
            self.assertEqual([five.dbsize(), six.dbsize()], [0, 1])
            five.flushdb()
            self.assertEqual(six.get("k"), b"six")
            self.db.swapdb(6, 7)
            self.assertEqual(six.get("k"), b"five")

    def test_there_is_no_database_99(self):
        with connect(db=99) as client, self.assertRaisesRegex(redis.ResponseError, "range"):
            client.ping()


class Errors(ServerCase):
    def test_they_are_raised_with_their_text(self):
        self.db.set("s", "text")
        cases = [
            (lambda: self.db.lpush("s", 1), redis.ResponseError, "^WRONGTYPE Operation"),
            (lambda: self.db.incr("s"), redis.ResponseError, "^value is not an integer"),
            (lambda: self.db.execute_command("GET"), redis.ResponseError,
             "^wrong number of arguments for 'get' command$"),
            (lambda: self.db.execute_command("NOSUCH", "x"), redis.ResponseError,
             "^unknown command 'NOSUCH', with args beginning with: 'x'"),
            (lambda: self.db.execute_command("SET", "k", "v", "EX", "0"), redis.ResponseError,
             "^invalid expire time in 'set' command$"),
            (lambda: self.db.execute_command("SET", "k", "v", "NX", "XX"), redis.ResponseError,
             "^syntax error$"),
            (lambda: self.db.rename("none", "x"), redis.ResponseError, "^no such key$"),
            (lambda: self.db.config_set("no-such-directive", 1), redis.ResponseError, "(?i)unkno"),
            (lambda: self.db.execute_command("ZADD", "z", "x", "m"), redis.ResponseError,
             "^value is not a valid float$"),
            (lambda: self.db.execute_command("EXEC"), redis.ResponseError, "without MULTI"),
        ]
        for n, (act, kind, text) in enumerate(cases):
            with self.subTest(case=n), self.assertRaisesRegex(kind, text):
                act()
        self.assertEqual(self.db.get("s"), b"text")
        self.assertEqual(self.db.keys(), [b"s"])


class Timeouts(ServerCase):
    def test_a_late_reply_is_never_taken_for_another(self):
        self.db.set("k", "right")
        with connect(socket_timeout=0.7, retry=None, single_connection_client=False) as hasty:
            for n in range(3):
                with self.assertRaises(redis.TimeoutError):
                    hasty.execute_command("BLPOP", f"queue{n}", 0)
                self.db.rpush(f"queue{n}", "late")
                self.assertEqual([hasty.get("k") for _ in range(5)], [b"right"] * 5)

    def test_asyncio_a_cancelled_call_leaves_nothing_behind(self):
        async def work():
            client = redis.asyncio.Redis(host=HOST, port=PORT, protocol=PROTOCOL)
            await client.set("k", "right")
            for n in range(3):
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.blpop(f"queue{n}", timeout=0), 0.1)
                await client.rpush(f"queue{n}", "late")
                self.assertEqual([await client.get("k") for _ in range(5)], [b"right"] * 5)
            await client.aclose()

        asyncio.run(work())


class Asyncio(ServerCase):
    def test_many_at_once(self):
        async def work():
            pool = redis.asyncio.BlockingConnectionPool(
                host=HOST, port=PORT, protocol=PROTOCOL, max_connections=20
            )
            client = redis.asyncio.Redis(connection_pool=pool)

            async def one(n):
                await client.set(f"k{n}", n)
                return int(await client.get(f"k{n}"))

            self.assertEqual(await asyncio.gather(*map(one, range(300))), list(range(300)))
            async with client.pipeline(transaction=True) as pipe:
                self.assertEqual(await pipe.set("a", 1).incr("a").execute(), [True, 2])
            keys = {key async for key in client.scan_iter(match="k*", count=30)}
            self.assertEqual(len(keys), 300)
            await client.aclose()
            await pool.aclose()

        asyncio.run(work())

    def test_messages(self):
        async def work():
            client = redis.asyncio.Redis(host=HOST, port=PORT, protocol=PROTOCOL)
            async with client.pubsub() as pubsub:
                await pubsub.psubscribe("c*")
                messages = pubsub.listen()
                self.assertEqual((await anext(messages))["type"], "psubscribe")
                await client.publish("channel", "hello")
                self.assertEqual((await anext(messages))["data"], b"hello")
            await client.aclose()

        asyncio.run(work())


@unittest.skipUnless(COMMAND, "TEST_SERVER_COMMAND is not set")
class Restarts(unittest.TestCase):
    def setUp(self):
        self.server = OwnServer()
        self.addCleanup(self.server.close)
        self.server.start()

    def connect(self, **options):
        client = redis.Redis(host=HOST, port=self.server.port, protocol=PROTOCOL, **options)
        self.addCleanup(client.close)
        return client

    def test_a_client_finds_a_restarted_server(self):
        client = self.connect(db=2, client_name="stays")
        client.set("k", "v")
        self.server.stop()
        with self.assertRaises(redis.ConnectionError):
            client.get("k")
        self.server.start()
        client.set("k", "again")
        self.assertEqual(client.get("k"), b"again")
        self.assertIn(client.client_getname(), ("stays", b"stays"))
        with self.connect() as other:
            self.assertEqual(other.exists("k"), 0)

    def test_subscriptions_come_back(self):
        pubsub = self.connect().pubsub()
        self.addCleanup(pubsub.close)
        pubsub.subscribe("c")
        eventually(lambda: pubsub.get_message(timeout=1), "the subscription")
        self.server.stop()
        self.server.start()

        def subscribed_again():
            try:
                return pubsub.get_message(timeout=0.2)
            except redis.ConnectionError:
                return None

        message = eventually(subscribed_again, "the subscription to come back")
        self.assertEqual(message["type"], "subscribe")
        self.assertEqual(self.connect().publish("c", "x"), 1)
        message = eventually(lambda: pubsub.get_message(timeout=1), "the message")
        self.assertEqual(message["data"], b"x")

    def test_a_stopping_server_lets_blocked_clients_go(self):
        client = self.connect(retry=None)
        other = self.connect()

        def stop():
            eventually(lambda: other.info("clients")["blocked_clients"], "a blocked client")
            self.server.stop()

        thread = threading.Thread(target=stop)
        thread.start()
        with self.assertRaises(redis.ConnectionError):
            client.blpop("none", timeout=0)
        thread.join()

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_forked_child_does_not_share_its_parents_connection(self):
        client = self.connect()
        client.set("k", "parent")
        child = os.fork()
        if child == 0:
            ok = all(client.set("c", n) and client.get("c") == str(n).encode() for n in range(50))
            os._exit(0 if ok else 1)
        for _ in range(50):
            self.assertEqual(client.get("k"), b"parent")
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
