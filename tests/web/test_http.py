"""The HTTP port as clients of it see it: urllib, a strict reader of Prometheus's text format, and
redis_exporter beside it.

Read from the environment: TEST_PORT, a server's port, and HTTP_PORT, the same server's HTTP port.
Every database of it is emptied.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

HOST = "127.0.0.1"
PORT = int(os.environ["TEST_PORT"])
HTTP = int(os.environ["HTTP_PORT"])
PATIENCE = 20.0  # seconds until something awaited counts as never
EXPORTER = shutil.which("prometheus-redis-exporter") or shutil.which("redis_exporter")

# What the exporter says of itself, not of the server.
OF_ITSELF = re.compile(r"redis_(exporter_|target_scrape|last_key_groups)")


def command(*words):
    """Sends a command whose reply is one line."""
    with socket.create_connection((HOST, PORT), PATIENCE) as connection:
        parts = [str(word).encode() for word in words]
        request = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        connection.sendall(b"*%d\r\n" % len(parts) + request)
        with connection.makefile("rb") as file:
            return file.readline().decode().strip()


def ask(method, path, body=None):
    """The status and the body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{HOST}:{HTTP}{path}", data, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def asked(method, path, body=None):
    """The JSON that a request is answered, which must succeed."""
    status, text = ask(method, path, body)
    assert status == 200, (method, path, status, text)
    return json.loads(text)


def metrics(text):
    """What a page says: names and labels to values, and names to what they are."""
    samples, kinds = {}, {}
    for family in text_string_to_metric_families(text):
        assert family.name not in kinds, family.name
        assert family.documentation, family.name
        kinds[family.name] = family.type
        for sample in family.samples:
            samples[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    return samples, kinds


class Test(unittest.TestCase):
    """With an empty dataset."""

    maxDiff = None

    def setUp(self):
        self.assertEqual(command("FLUSHALL"), "+OK")

    def test_records_of_everybody(self):
        """Threads that set, read and delete records of their own, each value as it was."""
        values = ["text", "", "é\n\"\\\0", 0, -1.5, 12345678901234567890, True, None, [], {"a": [{}]},
                  "x" * 100_000]

        def work(number):
            for at, value in enumerate(values):
                key = f"k/{number} ?#%{at}é"
                path = f"/api/v1/records/{urllib.parse.quote(key, safe='')}"
                self.assertEqual(asked("POST", path, {"value": value}), {"key": key, "success": True})
                self.assertEqual(asked("GET", path), {"key": key, "value": value})
                self.assertEqual(ask("DELETE", path), (204, ""))
                self.assertEqual(ask("GET", path)[0], 404)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(16)))
        self.assertEqual(asked("GET", "/api/v1/stats")["total_keys"], 0)

    def test_pages_see_each_key_once(self):
        """25,000 keys, in order, all of them, while others come and go."""
        keys = [f"key:{n:06}" for n in range(25_000)]
        for first in range(0, len(keys), 5000):
            records = [{"key": key, "value": key} for key in keys[first:first + 5000]]
            done = asked("POST", "/api/v1/records/bulk", {"records": records})
            self.assertEqual(done, {"inserted": 5000, "failed": []})
        self.assertEqual(asked("GET", "/api/v1/aggregations/count"), {"count": 25_000})

        def disturb(number):
            for n in range(100):
                asked("PUT", f"/api/v1/records/key:{n * 200:06}:{number}", {"value": 1})

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            others = [pool.submit(disturb, number) for number in range(3)]
            page = asked("GET", "/api/v1/records/range")
            for other in others:
                other.result()
        seen = [record["key"] for record in page["results"]]
        self.assertEqual(seen, sorted(seen))
        self.assertEqual([key for key in seen if len(key) == 10], keys)
        some = asked("GET", "/api/v1/records/range?start=key:000100&end=key:000199&limit=5")
        self.assertEqual(len(some["results"]), 5)

    def test_what_other_ports_see(self):
        asked("PUT", "/api/v1/records/k", {"value": 7})
        self.assertEqual(command("INCR", "k"), ":8")
        self.assertEqual(asked("GET", "/api/v1/records/k")["value"], 8)
        asked("POST", "/api/v1/ttl/k", {"ttl_seconds": 100})
        self.assertIn(command("TTL", "k"), (":99", ":100"))

    def test_metrics_can_be_read(self):
        command("SET", "k", "v")
        command("LPUSH", "k", "v")
        command("CONFIG", "SET", "latency-tracking", "yes")
        for path in ("/metrics", "/api/v1/metrics"):
            status, text = ask("GET", path)
            self.assertEqual(status, 200)
            self.assertTrue(text.endswith("\n"))
            samples, kinds = metrics(text)
            self.assertGreater(len(samples), 5)
        samples, kinds = metrics(ask("GET", "/metrics")[1])
        self.assertEqual(kinds["kvist_command_duration_seconds"], "histogram")
        for name in ("kvist_command_duration_seconds",):
            by_command = {}
            for (sample, labels), value in samples.items():
                if sample == f"{name}_bucket":
                    labels = dict(labels)
                    by_command.setdefault(labels["cmd"], []).append((float(labels["le"]), value))
            for cmd, buckets in by_command.items():
                buckets.sort()
                self.assertEqual(len(buckets), 22)
                counts = [count for _, count in buckets]
                self.assertEqual(counts, sorted(counts), cmd)
                self.assertEqual(counts[-1], samples[f"{name}_count", (("cmd", cmd),)])
                self.assertGreater(samples[f"{name}_sum", (("cmd", cmd),)], 0)

    @unittest.skipUnless(EXPORTER, "install prometheus-redis-exporter to run it")
    def test_every_name_of_redis_exporter(self):
        command("SETEX", "k", "1000", "v")
        command("NOSUCH")
        own = free_port()
        words = [EXPORTER, f"--redis.addr=redis://{HOST}:{PORT}",
                 f"--web.listen-address={HOST}:{own}"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + PATIENCE
            while True:
                self.assertIsNone(process.poll(), "the exporter has ended")
                try:
                    with urllib.request.urlopen(f"http://{HOST}:{own}/metrics", timeout=5) as page:
                        text = page.read().decode()
                    break
                except OSError:
                    self.assertLess(time.monotonic(), deadline, "the exporter does not answer")
                    time.sleep(0.02)
        finally:
            process.terminate()
            process.wait()
        # It tells of itself, too, and not always in good order.
        lines = [line for line in text.splitlines() if re.match(r"(# \w+ )?redis_", line)]
        theirs, their_kinds = metrics("\n".join(lines) + "\n")
        ours, our_kinds = metrics(ask("GET", "/metrics")[1])
        meant = lambda name: name.startswith("redis_") and not OF_ITSELF.match(name)
        # Commands come and go with those who look; whatever else there is has the same labels.
        fixed = lambda samples: {
            (name, tuple(label for label in labels if label[0] in ("db", "err", "quantile")))
            for name, labels in samples if meant(name) and "cmd" not in dict(labels)}
        self.assertEqual(fixed(theirs) - fixed(ours), set())
        names = {name for name, _ in theirs if meant(name)}
        self.assertEqual(names - {name for name, _ in ours}, set())
        self.assertGreater(len(names), 100)
        for name, kind in their_kinds.items():
            if meant(name):
                self.assertEqual(our_kinds[name], kind, name)
        for name in names:
            labels = [{label for label, _ in labels} for found, labels in theirs if found == name]
            our_labels = [{label for label, _ in labels} for found, labels in ours if found == name]
            self.assertTrue(all(label in our_labels for label in labels), name)
        for name in ("redis_db_keys", "redis_db_keys_expiring", "redis_config_maxclients",
                     "redis_config_maxmemory", "redis_up"):
            equal = lambda samples: {key: value for key, value in samples.items() if key[0] == name}
            self.assertEqual(equal(ours), equal(theirs), name)
        # The exporter works it out from whole seconds.
        started = ("redis_start_time_seconds", ())
        self.assertAlmostEqual(ours[started], theirs[started], delta=2)


if __name__ == "__main__":
    unittest.main()

# Modules that all tests in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ports import free_port  # noqa: E402

