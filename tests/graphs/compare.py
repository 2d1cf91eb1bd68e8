#!/usr/bin/env python3
"""Do Kvist and FalkorDB answer statements on random small graphs alike?

    compare.py FALKORDB_PORT TESTED_PORT [--seed N] [--graphs N] [--statements N]

Each graph is made in both by one statement, read by some, and changed by some, after each of which
all that is in it is compared. Rows are compared without their order, unless the statement says all
of it; numbers to 12 digits. Where one of the two refuses a statement the other has to refuse it as
well, in whatever words. draw.py draws; what it does not draw, as FalkorDB is known to answer it
wrongly, is said there.
"""

import argparse
import random
import socket
import sys

import draw

# Without ids: those of what was deleted are given again, in another order than FalkorDB's.
WHOLE = (
    "MATCH (n) RETURN n.id, labels(n), n.x, n.s, n.f, n.b, n.l, n.t",
    "MATCH (n)-[r]->(m) RETURN n.id, m.id, type(r), r.id, r.x, r.s, r.f, r.b, r.l",
)
# Lines about a statement that say what it has changed.
CHANGES = ("Labels", "Nodes", "Properties", "Relationships")

LOST = ("_AR_EXP_UpdateEntityIdx", "Unable to resolve filtered alias")


class Refused(str):
    """An error."""


class Server:
    """A connection, in RESP2."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.file = self.socket.makefile("rb")

    def ask(self, *words):
        words = [word.encode() for word in words]
        parts = [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(parts))
        return self.read()

    def read(self):
        line = self.file.readline()
        if not line:
            raise EOFError("the connection was closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode()
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if kind == b":":
            return int(rest)
        return Refused(rest.decode()) if kind == b"-" else rest.decode()


def plain(value):
    """A value with numbers to 12 digits, so that the order of a sum does not count."""
    if isinstance(value, list):
        items = [plain(item) for item in value]
        # Properties of a node or a relationship come in another order.
        if items[:1] == ["properties"]:
            items[1].sort()
        return items
    if isinstance(value, (int, str)):
        # FalkorDB sends some numbers as texts that are whole, sums among them.
        try:
            return f"{float(value):.12g}"
        except ValueError:
            return value
    return value


def seen(reply, ordered):
    """What of a reply counts."""
    if isinstance(reply, Refused):
        return "refused"
    if len(reply) == 1:
        return sorted(line for line in reply[0] if line.startswith(CHANGES))
    header, rows, lines = reply[0], plain(reply[1]), reply[2]
    if not ordered:
        rows = sorted(rows, key=repr)
    return header, rows, sorted(line for line in lines if line.startswith(CHANGES))


class Comparison:
    """Asks both, and keeps what differs."""

    def __init__(self, oracle, tested):
        self.servers = [Server(oracle), Server(tested)]
        self.ports = [oracle, tested]
        self.asked = self.refused = 0
        self.story, self.differences = [], []

    def ask(self, statement, ordered=False):
        self.story.append(statement)
        replies = [server.ask("GRAPH.QUERY", "g", statement) for server in self.servers]
        answers = [seen(reply, ordered) for reply in replies]
        self.asked += 1
        self.refused += answers[0] == "refused"
        # FalkorDB does not find its own columns now and then: it says so.
        lost = answers[0] == "refused" and replies[0].startswith(LOST)
        if lost or answers[0] == answers[1]:
            return True
        shown = [reply if answer == "refused" else answer
                 for reply, answer in zip(replies, answers)]
        self.differences.append((list(self.story), shown))
        return False

    def paths(self, chance, statements):
        """A graph without cycles, and statements about paths in it."""
        for server in self.servers:
            server.ask("DEL", "g")
        drawing, self.story = draw.Draw(chance), []
        self.ask(drawing.acyclic())
        for _ in range(statements):
            del self.story[1:]
            self.ask(*drawing.along())

    def graph(self, chance, statements):
        """One graph, and statements on it."""
        for server in self.servers:
            server.ask("DEL", "g")
        drawing, self.story = draw.Draw(chance), []
        self.ask(drawing.graph())
        made = len(self.story)
        for _ in range(statements):
            del self.story[made:]
            self.ask(*drawing.reading())
        for _ in range(statements // 4):
            if not self.ask(drawing.writing()) or not all(self.ask(all_of) for all_of in WHOLE):
                return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("oracle", type=int)
    parser.add_argument("tested", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--statements", type=int, default=40)
    parser.add_argument("--shown", type=int, default=10)
    options = parser.parse_args()
    comparison = Comparison(options.oracle, options.tested)
    print(f"--seed {options.seed}", flush=True)
    for number in range(options.graphs):
        comparison.graph(random.Random(f"{options.seed} {number}"), options.statements)
        comparison.paths(random.Random(f"{options.seed} {number} paths"), options.statements // 2)
        if len(comparison.differences) >= options.shown:
            break
    for story, (oracle, tested) in comparison.differences[:options.shown]:
        print("\n" + "\n".join(story), f"  FalkorDB: {oracle}", f"  tested:   {tested}", sep="\n")
    print(f"\n{comparison.asked} statements, of which {comparison.refused} are refused; "
          f"{len(comparison.differences)} answers differ")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
