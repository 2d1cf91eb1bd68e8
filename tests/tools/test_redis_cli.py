"""Every mode of redis-cli but those for clusters, against both servers: what it prints is the same.

Figures that are measured are cut out of the text before it is compared; so is the order of keys.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

from target import PATIENCE, PORT, REDIS_PORT, TwoServers

CLI = shutil.which("redis-cli")


def cli(port, *words, text=""):
    """Runs redis-cli to its end: its status, what it printed, and what it complained about."""
    done = subprocess.run([CLI, "-p", str(port), *words], input=text.encode(), timeout=60,
                          capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def without_numbers(text):
    return re.sub(r"\d[\d.]*", "N", text)


def sorted_lines(text):
    return "\n".join(sorted(text.splitlines()))


def without_names(text):
    return re.sub(r"'.*'", "a key", text)


def without_identity(text):
    """What HELLO tells without the connection's number, and without modules: Redis has none."""
    text = re.sub(r"(?m)^id \d+$", "id", text)
    return re.sub(r"modules (name \w+\nver \d+\npath \nargs \n)+", "modules \n", text)


def summary(text):
    """The end of a report about big keys: the progress before depends on the order of keys."""
    return sorted_lines(text.partition("-------- summary -------")[2])


@unittest.skipUnless(CLI, "redis-cli is not here: install redis-tools to run it")
class RedisCli(TwoServers):
    """Runs redis-cli on both."""

    def alike(self, *words, text="", cut=lambda text: text):
        """Both print the same; returns what."""
        code, out, complaint = cli(PORT, *words, text=text)
        their_code, their_out, their_complaint = cli(REDIS_PORT, *words, text=text)
        self.assertEqual((code, cut(out)), (their_code, cut(their_out)), words)
        self.assertEqual(cut(complaint), cut(their_complaint), words)
        return out

    def on_terminal(self, port, words, *steps):
        """Runs redis-cli on a terminal: for each step, waits for a pattern and then types a text,
        or presses the keys that end it if that is None. Returns all it has shown."""
        terminal, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        home = {**os.environ, "REDISCLI_HISTFILE": "/dev/null", "TERM": "xterm"}
        process = subprocess.Popen([CLI, "-p", str(port), *words], stdin=inner, stdout=inner,
                                   stderr=inner, start_new_session=True, env=home)
        os.close(inner)
        shown, deadline = b"", time.monotonic() + PATIENCE
        try:
            for pattern, typed in steps:
                seen = len(shown)
                while not re.search(pattern, shown[seen:].decode("utf-8", "replace"), re.DOTALL):
                    if time.monotonic() > deadline:
                        self.fail(f"{words} did not show {pattern}: {shown!r}")
                    if select.select([terminal], [], [], 0.2)[0]:
                        try:
                            shown += os.read(terminal, 4096)
                        except OSError:  # the end of a terminal
                            break
                if typed is None:
                    process.send_signal(signal.SIGINT)
                else:
                    os.write(terminal, typed.encode())
            return shown.decode("utf-8", "replace")
        finally:
            process.kill()
            process.wait()
            os.close(terminal)


class Data(RedisCli):
    """Modes that read or write many keys."""

    def test_scan(self):
        for words in (["--scan"], ["--scan", "--pattern", "s*"], ["--scan", "--count", "3"],
                      ["-n", "3", "--scan"], ["--scan", "--quoted-pattern", '"\\x73*"']):
            self.alike(*words, cut=sorted_lines)

    def test_big_keys_memory_and_hot_keys(self):
        self.alike("--bigkeys", cut=summary)
        for words in (["--memkeys"], ["--memkeys-samples", "3"]):
            # Which is the largest depends on how a server holds it.
            self.alike(*words, cut=lambda text: without_numbers(without_names(summary(text))))
        out = self.alike("--hotkeys", cut=without_numbers)
        self.assertIn("An LFU maxmemory policy is not selected", out + cli(PORT, "--hotkeys")[2])
        self.set_both("maxmemory-policy", "allkeys-lfu")
        for connection in (self.ours, self.theirs):
            for _ in range(200):
                connection.ask("GET", "text")
        for port in (PORT, REDIS_PORT):
            code, out, _ = cli(port, "--hotkeys")
            self.assertEqual(code, 0)
            self.assertRegex(summary(out), r'hot key found with counter: \d+\tkeyname: "text"')

    def test_pipe(self):
        load = "".join(f"SET k:{n} {n}\r\nRPUSH l {n}\r\nNOSUCH\r\n" for n in range(1000))
        out = self.alike("--pipe", text=load)
        self.assertIn("errors: 1000, replies: 3000", out)
        self.alike("LRANGE", "l", "0", "-1")

    def test_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            for port in (PORT, REDIS_PORT):
                for mode in ("--rdb", "--functions-rdb"):
                    path = pathlib.Path(folder, f"{port}{mode}")
                    code, _, complaint = cli(port, mode, str(path))
                    self.assertEqual(code, 0, complaint)
                    self.assertTrue(path.read_bytes().startswith(b"REDIS0010"), mode)
            judge = shutil.which("redis-check-rdb")
            if not judge:
                self.skipTest("redis-check-rdb is not here: install redis-tools to run it")
            for mode, keys in (("--rdb", "12 keys read"), ("--functions-rdb", "0 keys read")):
                path = pathlib.Path(folder, f"{PORT}{mode}")
                said = subprocess.run([judge, str(path)], capture_output=True, check=False)
                self.assertEqual(said.returncode, 0, said.stdout)
                self.assertIn(keys, said.stdout.decode())

    def test_lru_test(self):
        # It goes on for ever; a second of it says that it works.
        words = ["--lru-test", "100"]
        for port in (PORT, REDIS_PORT):
            self.on_terminal(port, words, (r"\d+ Gets/sec \| Hits: \d+", None))


class Forms(RedisCli):
    """How requests are given and replies shown."""

    def test_forms_of_replies(self):
        requests = [["HGETALL", "hash"], ["LRANGE", "list", "0", "-1"], ["GET", "nosuch"],
                    ["ZRANGE", "zset", "0", "-1", "WITHSCORES"], ["NOSUCH"], ["PING"], ["DBSIZE"],
                    ["XRANGE", "stream", "-", "+"], ["XINFO", "STREAM", "stream"], ["SET", "a"],
                    ["GEOPOS", "places", "Palermo", "x"], ["CONFIG", "GET", "maxmemory"],
                    ["COMMAND", "INFO", "get", "nosuch"], ["CLIENT", "TRACKINGINFO"]]
        forms = [[], ["--no-raw"], ["--raw"], ["-3"], ["-3", "--no-raw"], ["--csv"], ["--json"],
                 ["--json", "-2"], ["--quoted-json"], ["-d", "|"], ["-D", "|"], ["-e"]]
        for form in forms:
            for request in requests:
                self.alike(*form, *request)

    def test_forms_of_requests(self):
        self.alike("-x", "SET", "a", text="from\nstandard input\n")
        self.alike("-X", "tag", "SET", "b", "tag", "KEEPTTL", text="here")
        self.alike("--quoted-input", "SET", '"\\x63"', '"\\n"')
        self.alike("MGET", "a", "b", "c")
        self.alike("-r", "3", "-i", "0.001", "INCR", "count")
        self.alike("-n", "3", "GET", "elsewhere")
        self.alike("--show-pushes", "no", "-3", "PING")
        self.alike(text="MULTI\nSET a 1\nGET a\nEXEC\nMULTI\nNOSUCH\nEXEC\nSELECT 3\nDBSIZE\n"
                        "3 INCR n\nHELLO 3\nHGETALL hash\nDISCARD\nRESET\nGET a\n",
                   cut=without_identity)

    def test_ways_to_log_in(self):
        self.alike("-u", "redis://127.0.0.1:1/3", "PING")  # no process listens there
        for url, password in (("", ""), ("default:any@", "any")):
            for port in (PORT, REDIS_PORT):
                code, out, _ = cli(port, "-u", f"redis://{url}127.0.0.1:{port}/3", "DBSIZE")
                self.assertEqual((code, out), (0, "1\n"), password)
        self.set_both("requirepass", "secret")
        for words in (["PING"], ["-a", "secret", "PING"], ["-a", "wrong", "PING"],
                      ["--user", "default", "--pass", "secret", "PING"],
                      ["--user", "nobody", "--pass", "secret", "PING"],
                      ["-3", "-a", "secret", "--no-auth-warning", "PING"]):
            self.alike(*words)
        for port in (PORT, REDIS_PORT):
            url = f"redis://default:secret@127.0.0.1:{port}/3"
            self.assertEqual(cli(port, "-u", url, "DBSIZE")[:2], (0, "1\n"), url)
            shown = self.on_terminal(port, ["--askpass", "DBSIZE"],
                                     ("input password: ", "secret\r"), (r"\d+\)?\r\n", ""))
            self.assertRegex(shown, r"\(integer\) 11")

    def test_scripts_get_a_clean_answer(self):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write("return 1")
            script.flush()
            code, out, _ = cli(PORT, "--eval", script.name, "key", ",", "value")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^(1|ERR unknown command 'EVAL', with args beginning with: .*)\n")


class Looking(RedisCli):
    """Modes that go on until they are told to end, and the help on a terminal."""

    def test_measuring(self):
        modes = [(["--stat", "-i", "0.05"], r"keys +mem +clients.*?(\d+ +\S+ +\d+ +0 +\d+ .*?){3}"),
                 (["--latency", "-i", "1"], r"min: \d+, max: \d+, avg: [\d.]+ \(\d+ samples\)"),
                 (["--latency-history", "-i", "1"], r"samples\) -- \d+\.\d+ seconds range"),
                 (["--latency-dist", "-i", "1"], r"48;5;\d+m.*48;5;\d+m")]
        for words, pattern in modes:
            for port in (PORT, REDIS_PORT):
                self.on_terminal(port, words, (pattern, None))
        self.alike("--latency", "--raw", "-i", "0.2", cut=lambda text: len(text.split()))
        self.alike("--intrinsic-latency", "1", cut=lambda text: without_numbers(text)[-60:])

    def test_listening(self):
        told = {}
        for port, other in ((PORT, self.ours), (REDIS_PORT, self.theirs)):
            for form in ([], ["-3"]):
                told[port, *form] = self.listened(port, form, other)
        for form in ([], ["-3"]):
            self.assertEqual(told[PORT, *form], told[REDIS_PORT, *form])

    def listened(self, port, form, other):
        """What is shown to those who subscribe or monitor, while `other` does something."""
        process = subprocess.Popen([CLI, "-p", str(port), *form, "PSUBSCRIBE", "news.*"],
                                   stdout=subprocess.PIPE, text=True)
        try:
            heard = [process.stdout.readline() for _ in range(3)]
            other.ask("PUBLISH", "news.a", "hello world")
            heard += [process.stdout.readline() for _ in range(4)]
        finally:
            process.kill()
            process.communicate()
        process = subprocess.Popen([CLI, "-p", str(port), *form, "MONITOR"],
                                   stdout=subprocess.PIPE, text=True)
        try:
            heard.append(process.stdout.readline())
            other.ask("ECHO", "a\nb")
            other.ask("SELECT", "3")
            other.ask("GET", "x")
            other.ask("SELECT", "0")
            lines = [process.stdout.readline() for _ in range(4)]
        finally:
            process.kill()
            process.communicate()
        for line in lines:
            self.assertRegex(line, r"^\d{10}\.\d{6} \[\d 127\.0\.0\.1:\d+\] ")
        return heard + [re.sub(r"^[\d.]+ \[(\d) \S+\]", r"\1", line) for line in lines]

    def test_help_on_a_terminal(self):
        for port in (PORT, REDIS_PORT):
            prompt = rf"127\.0\.0\.1:{port}> "
            shown = self.on_terminal(port, [], (prompt, "help get\r"),
                                     # What is typed before the next prompt gets no hint.
                                     (r"GET.*key.*summary:.*since:.*1\.0\.0.*string.*" + prompt,
                                      "ZADD "),
                                     (r"key \[NX\|XX\] \[GT\|LT\]", "\x03"))
            self.assertNotIn("error", shown)
        for words in (["help", "@list"], ["help", "config", "set"]):
            shown = [cli(port, *words)[1] for port in (PORT, REDIS_PORT)]
            names = [re.findall(r"(?m)^  (?:\x1b\[1m)?([A-Z][A-Z -]+)", text) for text in shown]
            self.assertEqual(names[0], names[1])

    def test_json_can_be_read(self):
        for port in (PORT, REDIS_PORT):
            code, out, _ = cli(port, "-3", "--json", "COMMAND", "DOCS", "get", "config")
            self.assertEqual(code, 0)
            self.assertEqual(json.loads(out)["get"]["since"], "1.0.0")
