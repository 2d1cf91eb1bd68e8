#!/usr/bin/env python3
"""Do two servers answer scripts and functions with the same bytes?

    compare.py ORACLE_PORT TESTED_PORT            everything, in RESP2 and RESP3
    compare.py --only 'acl|busy' --protocol 3 …   some of it
    compare.py --list                             what there is

Both servers are emptied again and again: databases, scripts, functions, users, counters. The
scenarios are the files *.txt beside this one (scenario.py says how they are written), those that
generated.py makes, and the corpus of the crate `script`. After each section the data of both are
compared as well. Differences that are meant stand in known-differences.txt.
"""

import argparse
import pathlib
import re
import sys
import time

import generated
import masks
import scenario
from resp import PATIENCE, Connection, Frame

HERE = pathlib.Path(__file__).resolve().parent
SHOWN = 400  # bytes of a reply in the report
CONFIG = {
    "maxmemory": "0", "maxmemory-policy": "noeviction", "notify-keyspace-events": "",
    "busy-reply-threshold": "5000", "slowlog-log-slower-than": "1000000", "save": "",
    "acllog-max-len": "128",
}


class Server:
    """One of the two: its connections by name, and what its replies are to be remembered as."""

    def __init__(self, port):
        self.port, self.connections, self.kept = port, {}, {}
        self.admin = Connection(port)
        self.empty = {}

    def connection(self, name, protocol):
        if name not in self.connections:
            connection = self.connections[name] = Connection(self.port)
            if protocol == 3:
                connection.ask("HELLO", 3)
        return self.connections[name]

    def reset(self):
        """An empty server, whatever the section before has done."""
        for connection in self.connections.values():
            connection.close()
        self.connections, self.kept = {}, {}
        users = [user for user in self.admin.ask("ACL", "USERS").value if user.value != b"default"]
        wanted = [["FLUSHALL"], ["SCRIPT", "FLUSH"], ["FUNCTION", "FLUSH"], ["ACL", "LOG", "RESET"],
                  ["SLOWLOG", "RESET"],
                  *(["ACL", "DELUSER", user.value.decode()] for user in users),
                  *(["CONFIG", "SET", name, value] for name, value in CONFIG.items()),
                  ["CONFIG", "RESETSTAT"]]
        self.admin.ask_all(wanted)

    def data(self):
        """All databases as text, in an order that does not depend on hashing."""
        result = {}
        keyspace = self.admin.ask("INFO", "keyspace").value.decode()
        for db in map(int, re.findall(r"^db(\d+):", keyspace, re.MULTILINE)):
            self.admin.ask("SELECT", db)
            for key in sorted(key.value for key in self.admin.ask("KEYS", "*").value):
                result[db, key] = self.value(key)
        self.admin.ask("SELECT", 0)
        return result

    def value(self, key):
        """A key's type, encoding, value, and whether it expires."""
        kind = self.admin.ask("TYPE", key).value
        reading = {
            b"string": ("GET", key), b"list": ("LRANGE", key, 0, -1), b"hash": ("HGETALL", key),
            b"set": ("SMEMBERS", key), b"zset": ("ZRANGE", key, 0, -1, "WITHSCORES"),
            b"stream": ("XRANGE", key, "-", "+"),
        }.get(kind)
        value = self.admin.ask(*reading) if reading else Frame(b"+", b"")
        if kind == b"set":
            value = value.sorted()
        if kind == b"hash":
            pairs = zip(value.value[::2], value.value[1::2])
            value = Frame(b"*", [f for p in sorted(pairs, key=lambda p: p[0].value) for f in p])
        encoding = self.admin.ask("OBJECT", "ENCODING", key).value
        expires = self.admin.ask("PTTL", key).value != b"-1"
        return kind, encoding, expires, value.encode()


class Known:
    """Differences that are meant: `section | request | reason`, the first two as expressions."""

    def __init__(self, text):
        self.list = []
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                section, request, reason = (part.strip() for part in line.split(" | "))
                assert reason, line
                self.list.append((re.compile(section), re.compile(request, re.DOTALL)))

    def has(self, section, request):
        return any(a.fullmatch(section) and b.fullmatch(request) for a, b in self.list)


class Run:
    """All sections on both servers, and where they part."""

    def __init__(self, ports, known, verbose):
        self.servers = [Server(port) for port in ports]
        self.known, self.verbose = known, verbose
        self.compared, self.accepted, self.findings = 0, 0, []

    def section(self, section, protocol):
        """Runs a section; a lost connection ends it."""
        for server in self.servers:
            server.reset()
        for step in section.steps:
            try:
                replies = self.step(step, protocol)
            except (ConnectionError, OSError) as error:
                self.found(section, protocol, step, [str(error), "one of both"])
                break
            if replies and (replies[0] != replies[1] or b"NEVER " in replies[0][:9]):
                self.found(section, protocol, step, replies)
            if self.verbose and replies:
                print(f"{step.text}\n    {replies[0][:SHOWN]!r}")
            self.compared += bool(replies)
        try:
            before, after = (server.data() for server in self.servers)
        except ConnectionError as error:
            sys.exit(f"{section.title}: the data cannot be read: {error}")
        for key in sorted(set(before) | set(after)):
            if before.get(key) != after.get(key):
                step = scenario.Step(0, f"DATA {key}")
                self.found(section, protocol, step, [repr(before.get(key)), repr(after.get(key))])

    def found(self, section, protocol, step, replies):
        if self.known.has(section.title, step.text):
            self.accepted += 1
            return
        self.findings.append(section.title)
        shown = [reply if isinstance(reply, str) else repr(reply)[1:] for reply in replies]
        first = next((n for n, (a, b) in enumerate(zip(*shown)) if a != b), 0)
        start = max(0, first - 100) if max(map(len, shown)) > SHOWN else 0
        print(f"\n{section.file}:{step.line} {section.title} (RESP{protocol})\n"
              f"  sent    {step.connection}: {step.text[:1200]}\n"
              f"  oracle  {shown[0][start:start + SHOWN]}\n"
              f"  tested  {shown[1][start:start + SHOWN]}", flush=True)

    def step(self, step, protocol):
        """The comparable bytes of both replies, or nothing."""
        if step.action == "wait":
            time.sleep(step.pause / 1000)
            return None
        connections = [s.connection(step.connection, protocol) for s in self.servers]
        if step.action == "read":
            frames = [self.read(c, step.until) for c in connections]
            return [b"".join(masks.monitor(f).encode() for f in some) for some in frames]
        if step.action == "batch":
            return [b"".join(f.encode() for f in c.ask_all(step.words)) for c in connections]
        words = [self.words(server, step.words) for server in self.servers]
        for connection, some in zip(connections, words):
            connection.send(some)
        if step.action == "send":
            return None
        frames = [c.receive() for c in connections]
        if step.until:
            frames = [self.again(*each, step.until) for each in zip(connections, words, frames)]
        if step.keep:
            for server, frame in zip(self.servers, frames):
                server.kept[f"${step.keep}"] = frame.value or b""
        return [self.comparable(step, some, f).encode() for some, f in zip(words, frames)]

    def words(self, server, words):
        """Words that begin with `$` are what has been kept."""
        return [server.kept.get(word.decode("latin-1"), word) for word in words]

    def read(self, connection, until):
        """One frame, or all until one holds the text."""
        frames = [connection.receive()]
        while until and not any(until in text for text in frames[-1].texts()):
            frames.append(connection.receive())
        return frames

    def again(self, connection, words, frame, until):
        """Asks until the reply holds the text; gives up as one waits for a reply."""
        deadline = time.monotonic() + PATIENCE
        while not any(until in text for text in frame.texts()):
            if time.monotonic() > deadline:
                return Frame(b"-", b"NEVER " + until + b", but " + frame.encode()[:200])
            time.sleep(0.005)
            connection.send(words)
            frame = connection.receive()
        return frame

    def comparable(self, step, words, frame):
        if step.modifier == "type":
            return Frame(b"+", frame.kind)
        if step.modifier == "fields":
            return masks.fields(frame, step.fields)
        frame = masks.mask(words, frame)
        return frame.sorted() if step.modifier == "sort" else frame


def sections(port):
    """All there are: written down, and made up with what the oracle says about its commands."""
    for path in sorted(HERE.glob("*.txt")):
        if path.name != "known-differences.txt":
            yield from scenario.parse(path.name, path.read_text())
    oracle = Connection(port) if port else None
    yield from generated.sections(oracle)
    if oracle:
        oracle.close()


def main():
    about, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=rest,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ports", nargs="*", type=int, metavar="PORT")
    parser.add_argument("--only", default="", help="sections whose titles match")
    parser.add_argument("--protocol", type=int, choices=(2, 3))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="show what the oracle answers")
    parser.add_argument("--most", type=int, default=100, help="stop after so many differences")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{s.file}: {s.title}, {len(s.steps)}" for s in sections(0)))
        return 0
    if len(options.ports) != 2:
        parser.error("two ports, the oracle's first")
    started = time.monotonic()
    known = Known((HERE / "known-differences.txt").read_text())
    run = Run(options.ports, known, options.verbose)
    count = 0
    for section in sections(options.ports[0]):
        if not re.search(options.only, section.title, re.IGNORECASE):
            continue
        for protocol in section.protocols:
            if options.protocol in (None, protocol):
                count += 1
                run.section(section, protocol)
        if len(run.findings) >= options.most:
            print(f"\nstopped after {len(run.findings)} differences")
            break
    print(f"\n{run.compared} replies in {count} sections compared, {len(run.findings)} differ, "
          f"{run.accepted} as meant, in {time.monotonic() - started:.1f} s")
    if not run.compared:
        return "nothing was compared"
    return 1 if run.findings else 0


if __name__ == "__main__":
    sys.exit(main())
