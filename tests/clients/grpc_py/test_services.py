"""The services as a generated client in Python has them, and what grpc's own tools ask for."""

import time
import unittest

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from target import PATIENCE, Server, stubs

MEMORIZE, MEMORIZE_GRPC, KVIST, KVIST_GRPC = stubs()


class Case(unittest.TestCase):
    """Tests against one server."""

    ARGS, ENV = (), {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.ARGS, **cls.ENV)
        cls.addClassCleanup(cls.server.close)
        cls.channel = cls.server.channel()
        cls.addClassCleanup(cls.channel.close)
        cls.memorize = MEMORIZE_GRPC.MemorizeStub(cls.channel)
        cls.kvist = KVIST_GRPC.KvistServiceStub(cls.channel)

    def setUp(self):
        self.server.resp("FLUSHALL")

    def refused(self, call, *args, **more):
        """The code and the text with which a call is refused."""
        with self.assertRaises(grpc.RpcError) as caught:
            result = call(*args, **more)
            list(result)
        return caught.exception.code(), caught.exception.details()


class Memorize(Case):
    """The cache service."""

    def test_values(self):
        self.assertTrue(self.memorize.Set(MEMORIZE.SetRequest(key="k", value="é")).success)
        self.assertEqual(self.memorize.Get(MEMORIZE.GetRequest(key="k")).value, "é")
        self.memorize.Set(MEMORIZE.SetRequest(key="empty", value=""))
        self.assertTrue(self.memorize.Get(MEMORIZE.GetRequest(key="empty")).HasField("value"))
        self.assertFalse(self.memorize.Get(MEMORIZE.GetRequest(key="x")).HasField("value"))
        self.assertTrue(self.memorize.Contains(MEMORIZE.ContainsRequest(key="k")).exists)
        self.assertTrue(self.memorize.Delete(MEMORIZE.DeleteRequest(key="k")).deleted)
        self.assertEqual(self.memorize.DeleteAll(MEMORIZE.DeleteAllRequest()).deleted_count, 1)

    def test_a_second_is_a_second(self):
        self.memorize.Set(MEMORIZE.SetRequest(key="k", value="v", ttl_seconds=1))
        self.assertIn(self.server.resp("TTL k"), (b":1\r\n", b":0\r\n"))
        deadline = time.monotonic() + PATIENCE
        while self.memorize.Contains(MEMORIZE.ContainsRequest(key="k")).exists:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_pages_beyond_ten_thousand(self):
        operations = [KVIST.Operation(set=KVIST.SetRequest(key=b"u:%06d" % n, value=b"v"))
                      for n in range(25_000)]
        batches = (KVIST.BatchRequest(id=at, operations=operations[at:at + 1000])
                   for at in range(0, 25_000, 1000))
        results = sum(len(answer.results) for answer in self.kvist.Batch(batches))
        self.assertEqual(results, 25_000)
        found = self.memorize.SearchKeys(MEMORIZE.SearchKeysRequest(prefix="u:", skip=24_999))
        self.assertEqual((list(found.keys), found.total_count), (["u:024999"], 25_000))
        found = self.memorize.SearchKeys(MEMORIZE.SearchKeysRequest(prefix="u:", limit=9999))
        self.assertEqual(list(found.keys), [f"u:{n:06}" for n in range(250)])
        keys = self.memorize.Keys(MEMORIZE.KeysRequest(pattern="u:0*")).keys
        self.assertEqual(len(set(keys)), 10_000)

    def test_texts_of_errors(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        long = "k" * 1025
        for call, request, text in (
            (self.memorize.Get, MEMORIZE.GetRequest(), "Key cannot be empty"),
            (self.memorize.Delete, MEMORIZE.DeleteRequest(key=long),
             "Key exceeds maximum length of 1024 bytes"),
            (self.memorize.SearchKeys, MEMORIZE.SearchKeysRequest(prefix="p" * 257),
             "Prefix exceeds maximum length of 256 bytes"),
        ):
            self.assertEqual(self.refused(call, request), (invalid, text))


class Key(Case):
    """A key that calls must carry, given as Memorize takes it."""

    ENV = {"MEMORIZE_API_KEY": "secret", "MEMORIZE_PORT": "1"}

    def test_keys(self):
        get, request = self.memorize.Get, MEMORIZE.GetRequest(key="k")
        unknown = grpc.StatusCode.UNAUTHENTICATED
        self.assertEqual(self.refused(get, request), (unknown, "Missing API key"))
        wrong = [("x-api-key", "wrong")]
        self.assertEqual(self.refused(get, request, metadata=wrong), (unknown, "Invalid API key"))
        get(request, metadata=[("x-api-key", "secret")])
        call = self.kvist.Get
        self.assertEqual(self.refused(call, KVIST.GetRequest(key=b"k"))[0], unknown)
        call(KVIST.GetRequest(key=b"k"), metadata=[("authorization", "Bearer secret")])
        # Who only asks whether it is well needs none.
        health_pb2_grpc.HealthStub(self.channel).Check(health_pb2.HealthCheckRequest())


class Kvist(Case):
    """Our own service."""

    def test_any_command(self):
        words = [b"SET", b"k", b"\xff\x00"]
        reply = self.kvist.Execute(KVIST.ExecuteRequest(words=words)).reply
        self.assertEqual(reply.status, "OK")
        self.assertEqual(self.kvist.Get(KVIST.GetRequest(key=b"k")).value, b"\xff\x00")

    def test_a_deadline_ends_a_wait(self):
        request = KVIST.ExecuteRequest(words=[b"BLPOP", b"list", b"0"])
        code, _ = self.refused(self.kvist.Execute, request, timeout=0.1)
        self.assertEqual(code, grpc.StatusCode.DEADLINE_EXCEEDED)
        deadline = time.monotonic() + PATIENCE
        while b"blocked_clients:0" not in self.server.resp("INFO clients"):
            self.assertLess(time.monotonic(), deadline)

    def test_watching(self):
        news = self.kvist.Watch(KVIST.WatchRequest(prefixes=[b"w:"]), timeout=PATIENCE)
        self.assertEqual(next(news).WhichOneof("kind"), "started")
        self.server.resp("SET w:1 v")
        event = next(news).events.events[0]
        self.assertEqual((event.event, event.key), ("set", b"w:1"))
        news.cancel()

    def test_long_messages_are_refused(self):
        request = KVIST.SetRequest(key=b"k", value=b"v" * (5 << 20))
        code, _ = self.refused(self.kvist.Set, request)
        self.assertIn(code, (grpc.StatusCode.OUT_OF_RANGE, grpc.StatusCode.RESOURCE_EXHAUSTED))
        self.kvist.Set(KVIST.SetRequest(key=b"k", value=b"v"))

    def test_ten_thousand_slow_streams(self):
        for n in range(0, 20_000, 10):
            pairs = " ".join(f"key:{n + i:06} {'v' * 100}" for i in range(10))
            if n % 2000 == 0:
                time.sleep(0)
            self.server.resp(f"MSET {pairs}")
        before = self.server.resident()
        scan = KVIST.ScanRequest(with_values=True, page_size=1000)
        channels, streams = [], []
        for _ in range(10):
            # Each has a connection of its own, which takes no more than a window's bytes of each.
            channel = self.server.channel(
                grpc__use_local_subchannel_pool=1, grpc__http2__lookahead_bytes=65536,
                grpc__http2__bdp_probe=0)
            channels.append(channel)
            stub = KVIST_GRPC.KvistServiceStub(channel)
            streams += [stub.Scan(scan) for _ in range(1000)]
        # Each has begun, and none goes on: the server holds what it must for each.
        for stream in streams[::100]:
            next(stream)
        grown = self.server.resident() - before
        self.assertLess(grown, 1 << 30, f"{grown >> 20} MiB for 10,000 streams")
        # And others are answered.
        self.kvist.Get(KVIST.GetRequest(key=b"k"), timeout=PATIENCE)
        for stream in streams:
            stream.cancel()
        for channel in channels:
            channel.close()
        self.kvist.Get(KVIST.GetRequest(key=b"k"), timeout=PATIENCE)
        print(f"{grown >> 20} MiB for 10,000 streams")


class Tools(Case):
    """What tools ask every server."""

    def test_health(self):
        stub = health_pb2_grpc.HealthStub(self.channel)
        for name in ("", "memorize.Memorize", "kvist.v1.KvistService"):
            answer = stub.Check(health_pb2.HealthCheckRequest(service=name))
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
        code, _ = self.refused(stub.Check, health_pb2.HealthCheckRequest(service="other"))
        self.assertEqual(code, grpc.StatusCode.NOT_FOUND)

    def test_reflection(self):
        described = ProtoReflectionDescriptorDatabase(self.channel)
        names = described.get_services()
        for name in ("memorize.Memorize", "kvist.v1.KvistService", "grpc.health.v1.Health"):
            self.assertIn(name, names)
        file = described.FindFileContainingSymbol("memorize.Memorize")
        self.assertEqual([method.name for method in file.service[0].method], [
            "Get", "Set", "Delete", "DeleteAll", "Keys", "SearchKeys", "Contains"])

    def test_what_is_not_there(self):
        call = self.channel.unary_unary("/other.Service/Method")
        self.assertEqual(self.refused(call, b"")[0], grpc.StatusCode.UNIMPLEMENTED)
        call = self.channel.unary_unary("/memorize.Memorize/Other")
        self.assertEqual(self.refused(call, b"")[0], grpc.StatusCode.UNIMPLEMENTED)


if __name__ == "__main__":
    unittest.main()
