#!/usr/bin/env python3
"""Whether the answers of examples/dependencies.py are right: each question computed again here, in
plain Python, from the same package index.

    python3 tests/examples/dependencies.py INDEX ANSWERS
"""

import collections
import importlib.util
import itertools
import json
import pathlib
import sys

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "dependencies.py"


def example():
    """The example as a module: it reads the index."""
    spec = importlib.util.spec_from_file_location("dependencies_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Plain:
    """The packages as dicts of sets."""

    def __init__(self, packages, edges_of):
        self.packages = packages
        self.pairs = {kind: list(edges_of(packages, kind)) for kind in ("DEPENDS", "RECOMMENDS")}
        self.out, self.into = collections.defaultdict(list), collections.defaultdict(list)
        for a, b in self.pairs["DEPENDS"]:
            self.out[a].append(b)
            self.into[b].append(a)
        named = {b for pairs in self.pairs.values() for _, b in pairs}
        self.missing = named - set(packages)

    def section(self, name):
        """A package's section."""
        return self.packages[name].get("section", "unknown")

    def largest(self):
        """The package that needs most, and how many of whom."""
        return min(self.out, key=lambda name: (-len(self.out[name]), name))

    def distances(self, start):
        """How many steps it is to each package that is needed."""
        found, frontier = {start: 0}, [start]
        for steps in itertools.count(1):
            frontier = [b for a in frontier for b in self.out[a] if b in self.packages]
            frontier = [b for b in dict.fromkeys(frontier) if b not in found]
            if not frontier:
                return found, steps
            found.update(dict.fromkeys(frontier, steps))


def top(counts, count=10):
    """The largest, those of one size by name."""
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:count]
    return [[*key, value] if isinstance(key, tuple) else [key, value] for key, value in rows]


def totals(it):
    maintainers = {package.get("maintainer", "nobody") for package in it.packages.values()}
    return {
        "nodes": [["Maintainer", len(maintainers)], ["Missing", len(it.missing)],
                  ["Package", len(it.packages)]],
        "relationships": [["DEPENDS", len(it.pairs["DEPENDS"])], ["MAINTAINS", len(it.packages)],
                          ["RECOMMENDS", len(it.pairs["RECOMMENDS"])]],
    }


def most_depended_on(it):
    return top({b: len(a) for b, a in it.into.items() if b in it.packages})


def most_needing(it):
    return top({a: len(b) for a, b in it.out.items()})


def reverse_dependencies(it):
    one = set(it.into["perl"])
    return [len(one), len(one.union(*(it.into[name] for name in one)))]


def installed_with(it):
    start = it.largest()
    found, steps = it.distances(start)
    size = sum(int(it.packages[name].get("installed", 0)) for name in found)
    return [start, len(found), steps, size]


def pairs_in_cycles(it):
    pairs = set(it.pairs["DEPENDS"])
    return sorted([a, b] for a, b in pairs if a < b and (b, a) in pairs)


def triangles(it):
    pairs = set(it.pairs["DEPENDS"])
    return sum(
        (c, a) in pairs
        for a, b in pairs if a < b
        for c in it.out[b] if a < c and c in it.packages
    )


def between_sections(it):
    inside = ((a, b) for a, b in it.pairs["DEPENDS"] if b in it.packages)
    pairs = ((it.section(a), it.section(b)) for a, b in inside)
    return top(collections.Counter((a, b) for a, b in pairs if a != b))


def maintainers(it):
    packages, needed = collections.Counter(), collections.Counter()
    for name, package in it.packages.items():
        if it.into[name]:
            packages[package.get("maintainer", "nobody")] += 1
            needed[package.get("maintainer", "nobody")] += len(it.into[name])
    return [[name, packages[name], count] for name, count in top(needed)]


def missing(it):
    return top({name: len(it.into[name]) for name in it.missing if it.into[name]})


def alone(it):
    joined = {name for pairs in it.pairs.values() for pair in pairs for name in pair}
    return top(collections.Counter(it.section(name) for name in set(it.packages) - joined))


def only_recommended(it):
    recommended = {b for _, b in it.pairs["RECOMMENDS"] if b in it.packages}
    return sum(not it.into[name] for name in recommended)


def trails(it):
    """Ways on which no relationship comes twice."""
    rows, ways = [], [("git",)]
    for steps in (1, 2, 3):
        ways = [(*way, b) for way in ways for b in it.out[way[-1]]
                if (way[-1], b) not in zip(way, way[1:])]
        if ways:
            rows.append([steps, len(ways), len({way[-1] for way in ways})])
    return rows


def components(it):
    parent = {name: name for name in it.packages}

    def root(name):
        while parent[name] != name:
            parent[name] = name = parent[parent[name]]
        return name

    for a, b in it.pairs["DEPENDS"]:
        if b in it.packages:
            parent[root(a)] = root(b)
    sizes = collections.Counter(collections.Counter(map(root, it.packages)).values())
    return [list(item) for item in sorted(sizes.items(), reverse=True)[:5]]


def right_path(it, answer):
    """Of several shortest paths any is right."""
    start, length, names = answer
    found, _ = it.distances(start)
    steps = zip(names, names[1:])
    return (start == it.largest() == names[0] and names[-1] == "gcc-12-base"
            and length == len(names) - 1 == found["gcc-12-base"]
            and all(b in it.out[a] for a, b in steps))


def right_ranks(it, answer):
    """Scores fall, are those of ten packages, and the first is what nearly all others lead to."""
    names, scores = zip(*answer)
    scores = list(map(float, scores))
    needed = {name for name, _ in top({b: len(a) for b, a in it.into.items()}, 100)}
    return (scores == sorted(scores, reverse=True) and len(set(names)) == 10
            and len(needed.intersection(names)) >= 5)


COMPUTED = [
    totals, most_depended_on, most_needing, reverse_dependencies, installed_with, pairs_in_cycles,
    triangles, between_sections, maintainers, missing, alone, only_recommended, trails, components,
]


def main():
    module = example()
    with open(sys.argv[1], "rb") as lines:
        it = Plain(module.read_packages(lines), module.edges_of)
    answers = {}
    for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
        answers.update(json.loads(line))
    wrong = []
    # Servers without algorithms say so, and answer the rest.
    without = {"components", "central"} - set(answers)
    for compute in COMPUTED:
        if compute.__name__ in without:
            continue
        expected, got = compute(it), answers.get(compute.__name__)
        if got != expected:
            wrong.append(f"{compute.__name__}: {got!r:.500}, and not {expected!r:.500}")
    for name, is_right in (("shortest_path", right_path), ("central", right_ranks)):
        if name not in without and not is_right(it, answers[name]):
            wrong.append(f"{name}: {answers[name]!r:.500}")
    unchecked = set(answers) - {compute.__name__ for compute in COMPUTED}
    if unchecked - {"shortest_path", "central"}:
        wrong.append(f"questions without an answer here: {unchecked}")
    print(f"{len(answers)} answers, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
