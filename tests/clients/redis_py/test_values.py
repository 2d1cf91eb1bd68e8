"""Every type of value through redis-py: stored, read, changed, removed, scanned, expired."""

import os
import unittest

import redis

from target import ServerCase, eventually, plain

ALL_BYTES = bytes(range(256)) * 3


class Strings(ServerCase):
    def test_set_and_get(self):
        self.assertTrue(self.db.set("k", "v"))
        self.assertEqual(self.db.get("k"), b"v")
        self.assertEqual(self.db.set("k", "w", get=True), b"v")
        self.assertIsNone(self.db.set("k", "x", nx=True))
        self.assertTrue(self.db.set("k", "x", xx=True))
        self.assertEqual(self.db.getdel("k"), b"x")
        self.assertIsNone(self.db.get("k"))
        self.assertEqual(self.db.delete("k"), 0)

    def test_an_empty_string_is_not_a_missing_key(self):
        self.db.set("empty", "")
        self.assertEqual(self.db.get("empty"), b"")
        self.assertEqual(self.db.exists("empty"), 1)
        self.assertEqual(self.db.strlen("empty"), 0)
        self.assertEqual(self.db.mget("empty", "missing"), [b"", None])
        self.db.hset("h", "", "")
        self.assertEqual(self.db.hgetall("h"), {b"": b""})
        self.assertEqual(self.db.hmget("h", "", "missing"), [b"", None])
        self.db.rpush("l", "")
        self.assertEqual(self.db.lrange("l", 0, -1), [b""])
        self.db.set("", "a key may be empty, too")
        self.assertEqual(self.db.get(""), b"a key may be empty, too")

    def test_any_bytes(self):
        self.db.set(ALL_BYTES, ALL_BYTES)
        self.assertEqual(self.db.get(ALL_BYTES), ALL_BYTES)
        self.assertEqual(self.db.keys("*"), [ALL_BYTES])
        for value in (b"\r\n", b"$-1\r\n", b"*0\r\n", b"\x00", b"+OK\r\n-ERR x\r\n"):
            self.db.set("k", value)
            self.db.hset("h", value, value)
            self.assertEqual(self.db.get("k"), value)
            self.assertEqual(self.db.hget("h", value), value)

    def test_big_values(self):
        big = os.urandom(10 * 1024 * 1024)
        self.db.set("big", big)
        self.assertEqual(self.db.get("big"), big)
        self.assertEqual(self.db.append("big", b"!"), len(big) + 1)
        self.assertEqual(self.db.getrange("big", -3, -1), big[-2:] + b"!")
        self.db.hset("h", "big", big)
        self.assertEqual(self.db.hget("h", "big"), big)
        self.db.rpush("l", big, b"small", big)
        self.assertEqual(self.db.lrange("l", 0, -1), [big, b"small", big])

    def test_counters(self):
        self.assertEqual(self.db.incr("n"), 1)
        self.assertEqual(self.db.incrby("n", 41), 42)
        self.assertEqual(self.db.decrby("n", 2), 40)
        self.assertEqual(self.db.incrbyfloat("n", 0.5), 40.5)
        self.db.set("n", 2**63 - 1)
        with self.assertRaisesRegex(redis.ResponseError, "overflow"):
            self.db.incr("n")
        self.assertEqual(self.db.get("n"), str(2**63 - 1).encode())

    def test_parts_and_many(self):
        self.db.mset({"a": 1, "b": 2})
        self.assertEqual(self.db.mget(["a", "none", "b"]), [b"1", None, b"2"])
        self.assertFalse(self.db.msetnx({"a": 3, "c": 3}))
        self.db.setrange("a", 3, "x")
        self.assertEqual(self.db.get("a"), b"1\x00\x00x")


class Hashes(ServerCase):
    def test_fields(self):
        self.assertEqual(self.db.hset("h", mapping={"a": 1, "b": "two"}), 2)
        self.assertEqual(self.db.hset("h", "a", 3), 0)
        self.assertEqual(self.db.hgetall("h"), {b"a": b"3", b"b": b"two"})
        self.assertEqual(self.db.hmget("h", ["b", "none"]), [b"two", None])
        self.assertEqual(self.db.hincrby("h", "a", 4), 7)
        self.assertEqual(self.db.hincrbyfloat("h", "a", 0.25), 7.25)
        self.assertEqual(sorted(self.db.hkeys("h")), [b"a", b"b"])
        self.assertEqual(self.db.hdel("h", "a", "none"), 1)
        self.assertEqual(self.db.hlen("h"), 1)
        self.assertFalse(self.db.hexists("h", "a"))
        flat = [b"b", b"two"]
        self.assertIn(self.db.hrandfield("h", 1, withvalues=True), (flat, [flat]))
        self.db.hdel("h", "b")
        self.assertEqual(self.db.exists("h"), 0)

    def test_a_large_hash(self):
        fields = {f"f{n}".encode(): f"v{n}".encode() for n in range(5000)}
        self.db.hset("h", mapping=fields)
        self.assertEqual(self.db.hgetall("h"), fields)
        self.assertEqual(dict(self.db.hscan_iter("h", count=100)), fields)
        some = dict(self.db.hscan_iter("h", match="f12*", count=1000))
        self.assertEqual(some, {f: v for f, v in fields.items() if f.startswith(b"f12")})


class Lists(ServerCase):
    def test_both_ends(self):
        self.assertEqual(self.db.rpush("l", "b", "c"), 2)
        self.assertEqual(self.db.lpush("l", "a"), 3)
        self.assertEqual(self.db.lrange("l", 0, -1), [b"a", b"b", b"c"])
        self.assertEqual(self.db.linsert("l", "before", "c", "x"), 4)
        self.assertEqual(self.db.lpos("l", "x"), 2)
        self.assertEqual(self.db.lindex("l", -1), b"c")
        self.db.lset("l", 0, "A")
        self.assertEqual(self.db.lrem("l", 0, "x"), 1)
        self.assertEqual(self.db.lpop("l"), b"A")
        self.assertEqual(self.db.rpop("l", 5), [b"c", b"b"])
        self.assertIsNone(self.db.lpop("l"))

    def test_moves(self):
        self.db.rpush("from", 1, 2, 3)
        self.assertEqual(self.db.lmove("from", "to", "LEFT", "RIGHT"), b"1")
        self.assertEqual(self.db.rpoplpush("from", "to"), b"3")
        self.assertEqual(self.db.lrange("to", 0, -1), [b"3", b"1"])
        self.assertEqual(plain(self.db.lmpop(2, "none", "to", direction="LEFT", count=2)),
                         [b"to", [b"3", b"1"]])
        self.db.rpush("l", *range(1000))
        self.db.ltrim("l", 100, 199)
        self.assertEqual([int(n) for n in self.db.lrange("l", 0, -1)], list(range(100, 200)))


class Sets(ServerCase):
    def test_members_and_algebra(self):
        self.assertEqual(self.db.sadd("a", 1, 2, 3), 3)
        self.assertEqual(self.db.sadd("b", 2, 3, 4, "x"), 4)
        self.assertEqual(set(self.db.sinter("a", "b")), {b"2", b"3"})
        self.assertEqual(set(self.db.sunion("a", "b")), {b"1", b"2", b"3", b"4", b"x"})
        self.assertEqual(set(self.db.sdiff("a", "b")), {b"1"})
        self.assertEqual(self.db.sintercard(2, ["a", "b"]), 2)
        self.assertEqual(self.db.sinterstore("c", "a", "b"), 2)
        self.assertEqual(self.db.smismember("c", [2, 9]), [1, 0])
        self.assertTrue(self.db.smove("a", "c", 1))
        self.assertEqual(set(self.db.smembers("c")), {b"1", b"2", b"3"})
        self.assertIn(self.db.srandmember("c"), {b"1", b"2", b"3"})
        popped = self.db.spop("c", 3)
        self.assertEqual(set(popped), {b"1", b"2", b"3"})
        self.assertEqual(self.db.exists("c"), 0)

    def test_a_large_set(self):
        members = {f"m{n}".encode() for n in range(10_000)}
        self.db.sadd("s", *members)
        self.assertEqual(set(self.db.smembers("s")), members)
        self.assertEqual(set(self.db.sscan_iter("s", count=100)), members)


class SortedSets(ServerCase):
    def test_scores_ranks_and_ranges(self):
        self.assertEqual(self.db.zadd("z", {"a": 1, "b": 2.5, "c": float("inf")}), 3)
        self.assertEqual(self.db.zadd("z", {"a": 5}, gt=True, ch=True), 1)
        self.assertEqual(self.db.zscore("z", "b"), 2.5)
        self.assertEqual(self.db.zmscore("z", ["c", "none"]), [float("inf"), None])
        self.assertEqual(plain(self.db.zrange("z", 0, -1, withscores=True)),
                         [[b"b", 2.5], [b"a", 5.0], [b"c", float("inf")]])
        self.assertEqual(self.db.zrange("z", "(2.5", "+inf", byscore=True), [b"a", b"c"])
        self.assertEqual(self.db.zrevrange("z", 0, 0), [b"c"])
        self.assertEqual(self.db.zrank("z", "a"), 1)
        self.assertIsNone(self.db.zrank("z", "none"))
        self.assertEqual(self.db.zincrby("z", -10, "a"), -5.0)
        self.assertEqual(self.db.zcount("z", "-inf", 0), 1)
        self.assertEqual(plain(self.db.zpopmin("z", 2)), [[b"a", -5.0], [b"b", 2.5]])
        self.assertEqual(self.db.zrem("z", "c"), 1)
        self.assertEqual(self.db.exists("z"), 0)

    def test_names_in_order(self):
        self.db.zadd("z", {name: 0 for name in ("ab", "abc", "b", "a", "aba")})
        self.assertEqual(self.db.zrangebylex("z", "[ab", "(ac"), [b"ab", b"aba", b"abc"])
        self.assertEqual(self.db.zlexcount("z", "-", "+"), 5)
        self.assertEqual(self.db.zremrangebylex("z", "[ab", "(ac"), 3)

    def test_algebra(self):
        self.db.zadd("a", {"x": 1, "y": 2})
        self.db.zadd("b", {"y": 3, "z": 4})
        self.assertEqual(self.db.zunionstore("u", {"a": 10, "b": 1}), 3)
        self.assertEqual(plain(self.db.zrange("u", 0, -1, withscores=True)),
                         [[b"z", 4.0], [b"x", 10.0], [b"y", 23.0]])
        self.assertEqual(plain(self.db.zinter(["a", "b"], aggregate="MAX", withscores=True)),
                         [[b"y", 3.0]])
        self.assertEqual(plain(self.db.zdiff(["a", "b"])), [b"x"])

    def test_a_large_sorted_set(self):
        scores = {f"m{n}".encode(): float(n * 7919 % 10_007) for n in range(10_000)}
        self.db.zadd("z", scores)
        self.assertEqual(dict(self.db.zscan_iter("z", count=100)), scores)
        ordered = sorted(scores, key=lambda name: (scores[name], name))
        self.assertEqual(self.db.zrange("z", 0, -1), ordered)
        self.assertEqual(self.db.zrange("z", 5000, 5009), ordered[5000:5010])
        self.assertEqual(self.db.zrank("z", ordered[1234]), 1234)


class Memory(ServerCase):
    def used(self):
        return self.db.info("memory")["used_memory"]

    def overwrite(self, rounds):
        for n in range(rounds):
            with self.db.pipeline(transaction=False) as pipe:
                for key in range(1000):
                    pipe.set(f"k{key}", str(n % 10) * 100)
                pipe.execute()

    def test_overwriting_takes_no_more_memory(self):
        self.overwrite(5)
        before = self.used()
        self.overwrite(50)
        self.assertLess(self.used(), before * 1.2 + 1_000_000)

    def test_removing_gives_memory_back(self):
        before = self.used()
        for n in range(50):
            self.db.rpush(f"l{n}", *["x" * 100] * 2000)
        full = self.used()
        self.assertGreater(full - before, 50 * 2000 * 100)
        self.db.unlink(*[f"l{n}" for n in range(50)])
        eventually(lambda: self.used() < before + (full - before) / 5, "memory to be given back")


class Keys(ServerCase):
    def test_deadlines(self):
        self.db.set("k", "v", px=80)
        self.assertTrue(0 < self.db.pttl("k") <= 80)
        self.assertEqual(self.db.ttl("k"), 0)
        eventually(lambda: self.db.get("k") is None, "a deadline below a second")
        self.assertEqual(self.db.pttl("k"), -2)
        self.db.set("k", "v", ex=100)
        self.assertTrue(99 <= self.db.ttl("k") <= 100)
        self.assertFalse(self.db.expire("k", 50, gt=True))
        self.assertTrue(self.db.persist("k"))
        self.assertEqual(self.db.ttl("k"), -1)
        self.db.rpush("l", 1)
        self.db.pexpire("l", 30)
        eventually(lambda: not self.db.exists("l"), "the deadline of a list")

    def test_expired_keys_go_by_themselves(self):
        with self.db.pipeline(transaction=False) as pipe:
            for n in range(500):
                pipe.set(f"k{n}", n, px=20)
            pipe.execute()
        eventually(lambda: self.db.dbsize() == 0, "expired keys to leave unread")

    def test_names(self):
        self.db.mset({"one": 1, "two": 2})
        self.db.rename("one", "three")
        self.assertFalse(self.db.renamenx("three", "two"))
        self.assertTrue(self.db.copy("two", "copy"))
        self.assertEqual(sorted(self.db.keys("t*")), [b"three", b"two"])
        self.assertIn(self.db.randomkey(), {b"two", b"three", b"copy"})
        self.assertEqual(self.db.unlink("two", "none", "copy"), 2)
        self.assertEqual(self.db.type("three"), b"string")
        self.assertEqual(self.db.type("none"), b"none")
        self.assertEqual(self.db.touch("three", "none"), 1)

    def test_scans_see_every_key_once_at_least(self):
        names = {f"key:{n}".encode() for n in range(5000)}
        with self.db.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.set(name, 1)
            pipe.execute()
        self.db.rpush("a list", 1)
        self.assertEqual(set(self.db.scan_iter(match="key:*", count=50)), names)
        self.assertEqual(set(self.db.scan_iter(_type="list")), {b"a list"})
        seen = []
        for n, name in enumerate(self.db.scan_iter(match="key:*", count=10)):
            seen.append(name)
            if n % 5 == 0:
                self.db.set(f"other:{n}", 1)
                self.db.delete(f"other:{n - 50}")
        self.assertEqual(set(seen), names)

    def test_sort(self):
        self.db.rpush("l", 3, 1, 2)
        self.db.mset({"w:1": 30, "w:2": 20, "w:3": 10, "n:1": "a", "n:2": "b"})
        self.assertEqual(self.db.sort("l"), [b"1", b"2", b"3"])
        self.assertEqual(self.db.sort("l", by="w:*", get="n:*"), [None, b"b", b"a"])
        self.assertEqual(self.db.sort("l", desc=True, store="s"), 3)
        self.assertEqual(self.db.lrange("s", 0, -1), [b"3", b"2", b"1"])


if __name__ == "__main__":
    unittest.main()
