"""JSON documents through redis-py's `json()`: every command it has."""

import unittest
import warnings

import redis
from redis.commands.json.path import Path

from target import ServerCase, connect, plain

DOCUMENT = {
    "name": "kvist",
    "n": 7,
    "real": 2.5,
    "list": [1, 2, 3],
    "on": True,
    "none": None,
    "inner": {"n": 1, "text": "äöü"},
}


class Documents(ServerCase):
    def setUp(self):
        super().setUp()
        self.json = self.db.json()
        self.assertTrue(self.json.set("doc", Path.root_path(), DOCUMENT))

    def test_the_server_says_that_it_knows_documents(self):
        names = [
            (dict(zip(one[::2], one[1::2])) if isinstance(one, list) else one)[b"name"]
            for one in self.db.execute_command("MODULE", "LIST")
        ]
        self.assertEqual(names, [b"ReJSON", b"search", b"graph"])
        told = [module["name"] for module in self.db.info("modules")["modules"]]
        self.assertEqual(told, ["ReJSON", "search", "graph"])
        self.assertIn(b"json.set", self.db.command_list(category="json"))
        self.assertIn(b"json.get", self.db.command_list(module="ReJSON"))
        self.assertEqual(self.db.type("doc"), b"ReJSON-RL")

    def test_whole_documents(self):
        self.assertEqual(self.json.get("doc"), DOCUMENT)
        self.assertEqual(self.json.get("doc", Path.root_path()), DOCUMENT)
        self.assertEqual(self.json.get("doc", "$"), [DOCUMENT])
        self.assertIsNone(self.json.get("missing"))
        for value in (1, -2.5, "text", True, [], {}, [1, [2, {"a": []}]], "ключ\n\"\\"):
            self.assertTrue(self.json.set("k", "$", value))
            self.assertEqual(self.json.get("k", "$"), [value])

    def test_paths(self):
        self.assertEqual(self.json.get("doc", "$.inner.text"), ["äöü"])
        self.assertEqual(self.json.get("doc", "inner.text", no_escape=True), "äöü")
        self.assertEqual(sorted(self.json.get("doc", "$..n")), [1, 7])
        self.assertEqual(self.json.get("doc", "$.list[?(@>1)]"), [2, 3])
        self.assertEqual(self.json.get("doc", "$.no.such"), [])
        several = self.json.get("doc", "$.n", "$.real")
        self.assertEqual(several, {"$.n": [7], "$.real": [2.5]})
        with self.assertRaisesRegex(redis.ResponseError, "does not exist"):
            self.json.get("doc", ".no.such")

    def test_conditions(self):
        self.assertIsNone(self.json.set("doc", "$", 1, nx=True))
        self.assertTrue(self.json.set("doc", "$.n", 8, xx=True))
        self.assertIsNone(self.json.set("doc", "$.new", 8, xx=True))
        self.assertTrue(self.json.set("doc", "$.new", 8, nx=True))
        self.assertEqual(self.json.get("doc", "$.n", "$.new"), {"$.n": [8], "$.new": [8]})
        with self.assertRaisesRegex(redis.ResponseError, "root"):
            self.json.set("missing", "$.a", 1)

    def test_many_documents(self):
        self.assertTrue(self.json.mset([("a", "$", {"n": 1}), ("b", "$", {"n": 2})]))
        self.assertEqual(self.json.mget(["a", "missing", "b"], "$.n"), [[1], None, [2]])
        self.assertEqual(self.json.mget(["a", "b"], ".n"), [1, 2])

    def test_merging(self):
        self.assertTrue(self.json.merge("doc", "$", {"n": None, "inner": {"new": [1]}}))
        found = self.json.get("doc", "$")[0]
        self.assertNotIn("n", found)
        self.assertEqual(found["inner"], {"n": 1, "text": "äöü", "new": [1]})

    def test_numbers(self):
        self.assertEqual(self.json.numincrby("doc", "$.n", 3), [10])
        self.assertEqual(self.json.numincrby("doc", "$.real", 0.25), [2.75])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.assertEqual(self.json.nummultby("doc", "$.n", 2), [20])
        self.assertEqual(self.json.numincrby("doc", "$..n", 1), [21, 2])
        self.assertEqual(self.json.get("doc", "$.n"), [21])
        self.assertEqual(self.json.numincrby("doc", "$.name", 1), [None])
        with self.assertRaises(redis.ResponseError):
            self.json.numincrby("missing", "$.n", 1)

    def test_strings(self):
        self.assertEqual(self.json.strlen("doc", "$.name"), [5])
        self.assertEqual(self.json.strappend("doc", "!", "$.name"), [6])
        self.assertEqual(self.json.get("doc", "$.name"), ["kvist!"])
        self.assertEqual(self.json.strlen("doc", "$.inner.text"), [6])

    def test_arrays(self):
        json = self.json
        self.assertEqual(json.arrlen("doc", "$.list"), [3])
        self.assertEqual(json.arrappend("doc", "$.list", 4, {"five": 5}), [5])
        self.assertEqual(json.arrinsert("doc", "$.list", 0, "zero"), [6])
        self.assertEqual(json.get("doc", "$.list"), [["zero", 1, 2, 3, 4, {"five": 5}]])
        self.assertEqual(json.arrindex("doc", "$.list", 3), [3])
        self.assertEqual(json.arrindex("doc", "$.list", 9), [-1])
        self.assertIn(json.arrpop("doc", "$.list"), ([{"five": 5}], ['{"five":5}']))
        self.assertIn(json.arrpop("doc", "$.list", 0), (["zero"], ['"zero"']))
        self.assertEqual(json.arrtrim("doc", "$.list", 1, 2), [2])
        self.assertEqual(json.get("doc", "$.list"), [[2, 3]])
        self.assertEqual(json.arrlen("doc", "$.n"), [None])

    def test_objects(self):
        names = ["name", "n", "real", "list", "on", "none", "inner"]
        keys = [[n if isinstance(n, str) else n.decode() for n in self.json.objkeys("doc", "$")[0]]]
        self.assertEqual(keys, [names])
        self.assertEqual(self.json.objlen("doc", "$.inner"), [2])
        self.assertEqual(self.json.objlen("doc", "$.n"), [None])

    def test_types(self):
        def types(path):
            found = self.json.type("doc", path)
            while isinstance(found, list) and found and isinstance(found[0], list):
                found = found[0]
            return [t.decode() if isinstance(t, bytes) else t for t in found]

        self.assertEqual(
            types("$.*"), ["string", "integer", "number", "array", "boolean", "null", "object"]
        )
        self.assertEqual(types("$"), ["object"])

    def test_toggling_and_clearing(self):
        self.assertIn(self.json.toggle("doc", "$.on"), ([0], [False]))
        self.assertEqual(self.json.get("doc", "$.on"), [False])
        self.assertEqual(self.json.clear("doc", "$.list"), 1)
        self.assertEqual(self.json.get("doc", "$.list"), [[]])
        self.assertEqual(self.json.clear("doc", "$.n"), 1)
        self.assertEqual(self.json.get("doc", "$.n"), [0])
        self.assertEqual(self.json.clear("doc", "$.no"), 0)

    def test_deleting(self):
        self.assertEqual(self.json.delete("doc", "$.list[0]"), 1)
        self.assertEqual(self.json.forget("doc", "$..n"), 2)
        self.assertEqual(self.json.delete("doc", "$.none"), 1)
        self.assertEqual(self.json.get("doc", "$..n"), [])
        self.assertEqual(self.json.delete("doc"), 1)
        self.assertEqual(self.json.delete("doc"), 0)
        self.assertEqual(self.db.exists("doc"), 0)

    def test_replies_of_the_protocol(self):
        found = plain(self.json.resp("doc", "$.list"))
        self.assertEqual(found[0][1:], [1, 2, 3])
        self.assertIn(found[0][0], ("[", b"["))

    def test_memory(self):
        found = self.json.debug("MEMORY", "doc", "$")
        self.assertGreater(found[0] if isinstance(found, list) else found, 50)
        self.assertGreater(self.db.memory_usage("doc"), 50)
        self.assertTrue(self.json.debug("HELP"))

    def test_keys_that_hold_something_else(self):
        self.db.set("text", "{}")
        with self.assertRaisesRegex(redis.ResponseError, "wrong Redis type"):
            self.json.get("text")
        with self.assertRaisesRegex(redis.ResponseError, "WRONGTYPE"):
            self.db.get("doc")
        with self.assertRaises(redis.ResponseError):
            self.db.execute_command("JSON.SET", "doc", "$", "{nope")
        self.assertEqual(self.json.get("doc"), DOCUMENT)

    def test_keys_as_others(self):
        self.db.expire("doc", 1000)
        self.json.set("doc", "$.n", 9)
        self.assertGreater(self.db.ttl("doc"), 900)
        self.assertTrue(self.db.copy("doc", "copy"))
        self.json.set("copy", "$.n", 10)
        self.assertEqual(self.json.mget(["doc", "copy"], "$.n"), [[9], [10]])
        dumped = self.db.dump("doc")
        self.assertTrue(self.db.restore("again", 0, dumped))
        self.assertEqual(self.json.get("again"), self.json.get("doc"))
        found = [key for key in self.db.scan_iter(_type="ReJSON-RL")]
        self.assertEqual(sorted(found), [b"again", b"copy", b"doc"])
        self.db.rename("again", "renamed")
        self.assertEqual(self.json.get("renamed", "$.n"), [9])

    def test_pipelines_and_transactions(self):
        pipe = self.db.json().pipeline()
        pipe.set("p", "$", {"a": 1})
        pipe.get("p")
        pipe.delete("p")
        self.assertEqual(pipe.execute(), [True, {"a": 1}, 1])
        with self.db.pipeline(transaction=True) as pipe:
            pipe.json().numincrby("doc", "$.n", 1)
            pipe.json().get("doc", "$.n")
            answers = pipe.execute()
        self.assertIn(answers[1], ([8], b"[8]", "[8]"))

    def test_decoded_responses(self):
        with connect(decode_responses=True) as client:
            self.assertEqual(client.json().get("doc"), DOCUMENT)
            self.assertEqual(client.json().objkeys("doc", "$.inner"), [["n", "text"]])
            self.assertEqual(client.json().get("doc", "$.name"), ["kvist"])


if __name__ == "__main__":
    unittest.main()
