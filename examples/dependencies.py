#!/usr/bin/env python3
"""The dependencies of Debian's packages as a graph: load it, then ask it questions in openCypher.

Reads the package index (from `apt-cache dumpavail`, or from a file in the same format such as
/var/lib/dpkg/status) and stores it with plain redis-py:

    (:Package {name, section, priority, version, installed})    a package of the index
    (:Missing {name})                                           what only others name
    (:Maintainer {name})-[:MAINTAINS]->(:Package)
    (:Package)-[:DEPENDS]->(:Package | :Missing)                the first of alternatives
    (:Package)-[:RECOMMENDS]->(:Package | :Missing)

Answers go to standard output as JSON, one question to a line. Timings go to standard error.

    python3 examples/dependencies.py --port 6379
    python3 examples/dependencies.py --graph debian /var/lib/dpkg/status
"""

import argparse
import json
import shutil
import subprocess
import sys
import time

import redis

BATCH = 2000  # rows to a statement
FIELDS = {
    "Package": "name",
    "Version": "version",
    "Section": "section",
    "Priority": "priority",
    "Maintainer": "maintainer",
    "Installed-Size": "installed",
    "Depends": "DEPENDS",
    "Recommends": "RECOMMENDS",
}


# -- Reading -----------------------------------------------------------------------------------


def open_index(path):
    """The lines of the package index, as bytes."""
    if path:
        return open(path, "rb")
    if shutil.which("apt-cache"):
        return subprocess.Popen(["apt-cache", "dumpavail"], stdout=subprocess.PIPE).stdout
    sys.exit("dependencies.py: no apt-cache: name a file in the format of /var/lib/dpkg/status")


def read_packages(lines):
    """The packages by their names, each as a dict of the fields in FIELDS that it has. Of several
    versions the first one counts."""
    packages, package, field = {}, {}, None
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        if not line:
            if "name" in package:
                packages.setdefault(package["name"], package)
            package, field = {}, None
        elif line[0] in " \t":
            if field in ("DEPENDS", "RECOMMENDS"):
                package[field] += " " + line.strip()
        else:
            key, _, value = line.partition(":")
            field = FIELDS.get(key)
            if field:
                package[field] = value.strip()
    if "name" in package:
        packages.setdefault(package["name"], package)
    return packages


def names_in(text):
    """The names in a list of dependencies, without versions, alternatives and architectures."""
    first = (clause.split("|")[0].split("(")[0].strip() for clause in text.split(","))
    return sorted({name.split(":")[0].split("[")[0].strip() for name in first if name})


def edges_of(packages, kind):
    """Pairs of names: who needs what."""
    for name, package in packages.items():
        for other in names_in(package.get(kind, "")):
            yield name, other


# -- The graph ---------------------------------------------------------------------------------


def literal(value):
    """A value as openCypher writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return json.dumps(value)


class Graph:
    """A graph in a key, asked with parameters."""

    def __init__(self, db, key):
        self.db, self.key = db, key

    def ask(self, statement, **parameters):
        """The rows of a statement."""
        header = " ".join(f"{name}={literal(value)}" for name, value in parameters.items())
        text = f"CYPHER {header} {statement}" if header else statement
        answer = self.db.execute_command("GRAPH.QUERY", self.key, text)
        return answer[1] if len(answer) == 3 else []

    def value(self, statement, **parameters):
        """The only value of a statement."""
        return self.ask(statement, **parameters)[0][0]


def load(graph, packages):
    """Stores all packages and what is between them."""

    def batches(rows):
        rows = list(rows)
        for start in range(0, len(rows), BATCH):
            yield rows[start : start + BATCH]

    for label in ("Package", "Missing", "Maintainer"):
        graph.ask(f"CREATE INDEX FOR (n:{label}) ON (n.name)")
    properties = ("name", "section", "priority", "version")
    nodes = (
        {key: package.get(key, "unknown") for key in properties}
        | {"installed": int(package.get("installed", 0))}
        for package in packages.values()
    )
    for rows in batches(nodes):
        graph.ask("UNWIND $rows AS row CREATE (p:Package) SET p = row", rows=rows)
    maintained = ((package.get("maintainer", "nobody"), name) for name, package in packages.items())
    for rows in batches(maintained):
        graph.ask("UNWIND $rows AS row MERGE (m:Maintainer {name: row[0]}) WITH m, row "
                  "MATCH (p:Package {name: row[1]}) CREATE (m)-[:MAINTAINS]->(p)", rows=rows)
    kinds = {kind: list(edges_of(packages, kind)) for kind in ("DEPENDS", "RECOMMENDS")}
    missing = {other for pairs in kinds.values() for _, other in pairs if other not in packages}
    for names in batches(sorted(missing)):
        graph.ask("UNWIND $names AS name CREATE (:Missing {name: name})", names=names)
    for kind, pairs in kinds.items():
        for label in ("Package", "Missing"):
            known = (pair for pair in pairs if (pair[1] in packages) == (label == "Package"))
            for rows in batches(known):
                graph.ask(f"UNWIND $rows AS row MATCH (a:Package {{name: row[0]}}), "
                          f"(b:{label} {{name: row[1]}}) CREATE (a)-[:{kind}]->(b)", rows=rows)


# -- Questions ---------------------------------------------------------------------------------
# Each takes the graph and returns something JSON can say. Rows are ordered by the statement.


def totals(graph):
    """How large is the graph?"""
    labels = graph.ask("MATCH (n) UNWIND labels(n) AS label RETURN label, count(*) ORDER BY label")
    types = graph.ask("MATCH ()-[r]->() RETURN type(r) AS type, count(*) ORDER BY type")
    return {"nodes": labels, "relationships": types}


def most_depended_on(graph):
    """What do most packages depend on?"""
    return graph.ask("MATCH (p:Package)<-[:DEPENDS]-(other) RETURN p.name, count(other) AS others "
                     "ORDER BY others DESC, p.name LIMIT 10")


def most_needing(graph):
    """Which packages need the most others, directly?"""
    return graph.ask("MATCH (p:Package)-[:DEPENDS]->(other) RETURN p.name, count(other) AS others "
                     "ORDER BY others DESC, p.name LIMIT 10")


def reverse_dependencies(graph):
    """What would break without Perl, at once and behind that?"""
    one = graph.value("MATCH (:Package {name: 'perl'})<-[:DEPENDS]-(p) RETURN count(DISTINCT p)")
    two = graph.value("MATCH (:Package {name: 'perl'})<-[:DEPENDS*1..2]-(p) "
                      "RETURN count(DISTINCT p)")
    return [one, two]


def installed_with(graph):
    """What comes with a desktop, and how much space does all of it take?"""
    start = graph.value("MATCH (p:Package)-[:DEPENDS]->(x) RETURN p.name, count(x) AS n "
                        "ORDER BY n DESC, p.name LIMIT 1")
    reached, frontier, steps = {start}, [start], 0
    while frontier:
        rows = graph.ask("UNWIND $names AS name MATCH (:Package {name: name})-[:DEPENDS]->"
                         "(p:Package) RETURN DISTINCT p.name", names=frontier)
        frontier = sorted({name for (name,) in rows} - reached)
        reached.update(frontier)
        steps += 1
    size = graph.value("UNWIND $names AS name MATCH (p:Package {name: name}) "
                       "RETURN sum(p.installed)", names=sorted(reached))
    return [start, len(reached), steps, size]


def shortest_path(graph):
    """Over which packages does the one that needs most come to the C library?"""
    (start,), = graph.ask("MATCH (p:Package)-[:DEPENDS]->(x) WITH p, count(x) AS n "
                          "ORDER BY n DESC, p.name LIMIT 1 RETURN p.name")
    rows = graph.ask("MATCH (a:Package {name: $from}), (b:Package {name: $to}) "
                     "WITH shortestPath((a)-[:DEPENDS*]->(b)) AS path "
                     "UNWIND range(0, length(path)) AS at "
                     "RETURN at, nodes(path)[at].name ORDER BY at",
                     **{"from": start, "to": "gcc-12-base"})
    return [start, len(rows) - 1, [name for _, name in rows]]


def pairs_in_cycles(graph):
    """Which packages depend on each other?"""
    return graph.ask("MATCH (a:Package)-[:DEPENDS]->(b:Package)-[:DEPENDS]->(a) "
                     "WHERE a.name < b.name RETURN a.name, b.name ORDER BY a.name, b.name")


def triangles(graph):
    """How many circles of three packages are there?"""
    return graph.value("MATCH (a:Package)-[:DEPENDS]->(b:Package)-[:DEPENDS]->(c:Package)"
                       "-[:DEPENDS]->(a) WHERE a.name < b.name AND a.name < c.name "
                       "RETURN count(*)")


def between_sections(graph):
    """Which sections need which others the most?"""
    return graph.ask("MATCH (a:Package)-[:DEPENDS]->(b:Package) WHERE a.section <> b.section "
                     "RETURN a.section, b.section, count(*) AS times "
                     "ORDER BY times DESC, a.section, b.section LIMIT 10")


def maintainers(graph):
    """Who maintains most of what others need?"""
    return graph.ask("MATCH (m:Maintainer)-[:MAINTAINS]->(p:Package)<-[:DEPENDS]-(other) "
                     "RETURN m.name, count(DISTINCT p) AS packages, count(other) AS needed "
                     "ORDER BY needed DESC, m.name LIMIT 10")


def missing(graph):
    """What is needed, and is in no package's name?"""
    return graph.ask("MATCH (m:Missing)<-[:DEPENDS]-(p) RETURN m.name, count(p) AS needed "
                     "ORDER BY needed DESC, m.name LIMIT 10")


def alone(graph):
    """Which sections have most packages that need nothing and are not needed?"""
    return graph.ask("MATCH (p:Package) WHERE NOT (p)-[:DEPENDS|RECOMMENDS]-() "
                     "RETURN p.section, count(*) AS packages "
                     "ORDER BY packages DESC, p.section LIMIT 10")


def only_recommended(graph):
    """How many packages are recommended by others, and needed by none?"""
    return graph.value("MATCH (p:Package) WHERE (p)<-[:RECOMMENDS]-() AND NOT (p)<-[:DEPENDS]-() "
                       "RETURN count(p)")


def trails(graph):
    """How many ways lead from Git over up to three dependencies?"""
    return graph.ask("MATCH path = (:Package {name: 'git'})-[:DEPENDS*1..3]->(x) "
                     "RETURN length(path) AS steps, count(*), count(DISTINCT x) ORDER BY steps")


def components(graph):
    """Into how many parts does the graph of dependencies fall, and how large are they?"""
    return graph.ask("CALL algo.WCC({nodeLabels: ['Package'], relationshipTypes: ['DEPENDS']}) "
                     "YIELD node, componentId WITH componentId, count(node) AS size "
                     "RETURN size, count(*) AS parts ORDER BY size DESC LIMIT 5")


def central(graph):
    """Which packages are most central, as PageRank has it?"""
    return graph.ask("CALL algo.pageRank('Package', 'DEPENDS') YIELD node, score "
                     "RETURN node.name, score ORDER BY score DESC, node.name LIMIT 10")


QUESTIONS = [
    totals, most_depended_on, most_needing, reverse_dependencies, installed_with, shortest_path,
    pairs_in_cycles, triangles, between_sections, maintainers, missing, alone, only_recommended,
    trails, components, central,
]


# -- The program -------------------------------------------------------------------------------


def main():
    about, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", help="package index (default: apt-cache dumpavail)")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=6379)
    parser.add_argument("--url", help="redis://HOST:PORT/DB, instead of --host and --port")
    parser.add_argument("--protocol", type=int, choices=(2, 3), default=3)
    parser.add_argument("--graph", default="packages", help="the key, which is overwritten")
    args = parser.parse_args()

    options = {"decode_responses": True, "protocol": args.protocol}
    if args.url:
        db = redis.from_url(args.url, **options)
    else:
        db = redis.Redis(host=args.host, port=args.port, **options)
    graph = Graph(db, args.graph)
    try:
        db.delete(args.graph)
    except redis.ConnectionError as error:
        sys.exit(f"dependencies.py: no server: {error}")

    with open_index(args.file) as lines:
        packages = read_packages(lines)
    if not packages:
        sys.exit("dependencies.py: the index has no packages")
    started = time.perf_counter()
    load(graph, packages)
    seconds = time.perf_counter() - started
    print(f"loaded {len(packages)} packages in {seconds:.2f} s", file=sys.stderr)
    for question in QUESTIONS:
        started = time.perf_counter()
        try:
            answer = question(graph)
        except redis.ResponseError as error:
            if "not registered" not in str(error):
                raise
            print(f"no answer     {question.__doc__} {error}", file=sys.stderr)
            continue
        took = (time.perf_counter() - started) * 1000
        print(f"{took:9.2f} ms  {question.__doc__}", file=sys.stderr)
        print(json.dumps({question.__name__: answer}, ensure_ascii=False))


if __name__ == "__main__":
    main()
