#!/usr/bin/env python3
"""Whether the answers of examples/search.py are right: each question computed again here, in plain
Python, from the same package index; and whether hashes and documents were answered alike.

    python3 tests/examples/search.py INDEX ANSWERS
"""

import collections
import functools
import hashlib
import importlib.util
import itertools
import json
import math
import operator
import pathlib
import re
import statistics
import sys

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "search.py"
STOP_WORDS = set(
    "a is the an and are as at be but by for if in into it no not of on or such that their then "
    "there these they this to was will with".split()
)
SEPARATORS = re.escape(" \t\n\r\x0b\x0c!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~")
WORD = re.compile(rf"(?:\\[{SEPARATORS}]|[^{SEPARATORS}])+")
# Forms of a word that have its stem: all that there may be.
FORMS = {
    "libraries": {"library", "libraries"},
    "editor": {"editor", "editors"},
    "parser": {"parser", "parsers"},
    "rapid": {"rapid", "rapids", "rapidly", "rapidity"},
    "lightweight": {"lightweight", "lightweights"},
}


def example():
    """The example as a module: it reads the index, and makes vectors. It is not run, so that what
    it asks with need not be here."""
    text = EXAMPLE.read_text()
    source = "\n".join(line for line in text.splitlines()
                       if not re.match(r"(import|from) redis\b", line))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("search_example", loader=None)
    )
    exec(compile(source.partition("# -- The two kinds")[0], EXAMPLE, "exec"), module.__dict__)
    return module


def tokens(text):
    """The words of a text, but for stop words."""
    found = (re.sub(rf"\\([{SEPARATORS}])", r"\1", word).lower() for word in WORD.findall(text))
    return [word for word in found if word not in STOP_WORDS]


def distance(a, b):
    """How many letters must be changed, added or removed."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(last + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


class Plain:
    """The packages, and where words and tags are."""

    def __init__(self, packages, vector):
        self.packages, self.vector = packages, vector
        self.names = sorted(packages)
        self.tokens = {name: tokens(it["description"]) for name, it in packages.items()}
        self.of_name = {name: tokens(name) for name in packages}
        self.having = collections.defaultdict(set)
        for name, words in self.tokens.items():
            for word in words:
                self.having[word].add(name)
        self.named = collections.defaultdict(set)
        for name, words in self.of_name.items():
            for word in words:
                self.named[word].add(name)

    def where(self, test):
        """The packages for which something holds."""
        return {name for name, package in self.packages.items() if test(package)}

    def words(self, test):
        """The packages with a word in their descriptions for which something holds."""
        return set().union(*(names for word, names in self.having.items() if test(word)))

    def tag(self, tag):
        """The packages with a tag."""
        return self.where(lambda it: tag in map(str.lower, it["tags"]))

    def section(self, *sections):
        """The packages of a section."""
        return self.where(lambda it: it["section"].lower() in sections)

    def near(self, word, most):
        """The packages with a word that is nearly this one."""
        return self.words(functools.partial(is_near, word, most))

    def number(self, field, low, high=math.inf):
        """The packages with a number from low to high."""
        return self.where(lambda it: low <= it.get(field, math.nan) <= high)

    def distances(self, text, names=None):
        """Distances of packages from a text, and names."""
        point = self.vector(text)
        for name in self.names if names is None else names:
            between = map(operator.sub, point, self.packages[name]["vector"])
            yield [float(sum(number * number for number in between)), name]

    def groups(self, field, names=None):
        """Packages by a field."""
        groups = collections.defaultdict(list)
        for name in self.names if names is None else names:
            groups[self.packages[name][field].lower()].append(self.packages[name])
        return groups


@functools.lru_cache(None)
def is_near(word, most, other):
    """Whether two words differ by a few letters."""
    if abs(len(word) - len(other)) > most or len(set(other) - set(word)) > most:
        return False
    return distance(word, other) <= most


def first(names, count=5):
    """How many, and the first of them."""
    return [len(names), sorted(names)[:count]]


def clear(rows, count):
    """Of the best rows those that are better than the last."""
    rows = sorted(rows)[:count]
    return [row for row in rows if row[0] != rows[-1][0]]


def digest(names):
    """How many names, and which."""
    names = sorted(names)
    return [len(names), hashlib.sha256("\n".join(names).encode()).hexdigest()]


# -- Answers -----------------------------------------------------------------------------------


def totals(it):
    count = len(it.packages)
    return {"documents": count, "failures": 0, "found": count,
            "with a size": len(it.number("size", -math.inf))}


def everything(it):
    return digest(it.names)


def words(it):
    has = it.having
    found = {
        "compiler": has["compiler"], "editor": has["editor"], "GAME": has["game"],
        "zürich": has["zürich"], "c": has["c"], "xyzzy": has["xyzzy"],
        "runtime library": has["runtime"] & has["library"],
        "emacs | vim": has["emacs"] | has["vim"],
        "(gtk | qt) -(library | libraries)":
            (has["gtk"] | has["qt"]) - has["library"] - has["libraries"],
    }
    return {text: first(names, 3) for text, names in found.items()}


def stems(it):
    return {word: first(it.words(FORMS[word].__contains__))
            for word in ("libraries", "editor", "parser")}


def anywhere(it):
    redis, postgresql, client = (it.having[word] | it.named[word]
                                 for word in ("redis", "postgresql", "client"))
    return {"redis": len(redis), "postgresql client": len(postgresql & client),
            "in names": len(it.named["redis"])}


def phrases(it):
    def side_by_side(text):
        phrase = text.strip('"').split()
        return {name for name, words in it.tokens.items() if tuple(phrase) in zip(words, words[1:])}

    def in_order(words):
        pairs = itertools.combinations(enumerate(words), 2)
        return any((a, b) == ("tool", "files") and j - i <= 3 for (i, a), (j, b) in pairs)

    texts = ['"command line"', '"text editor"', '"shared libraries"', '"editor text"']
    far = it.having["tool"] & it.having["files"]
    return {text: first(side_by_side(text)) for text in texts} | {
        "near": sum(in_order(it.tokens[name]) for name in far), "far": len(far)
    }


def parts_of_words(it):
    graphic = re.compile("gr.phic.*")
    tests = {
        "encrypt*": lambda word: word.startswith("encrypt"),
        "*graphics": lambda word: word.endswith("graphics"),
        "*crypto*": lambda word: "crypto" in word,
        "w'gr?phic*'": graphic.fullmatch,
        "graph*": lambda word: word.startswith("graph"),
        "lib*": lambda word: word.startswith("lib"),
    }
    return {text: first(it.words(test)) for text, test in tests.items()}


def misspelled(it):
    texts = ["%libary%", "%%pyhton%%", "%grafics%", "%%%compylar%%%"]
    return {text: first(it.near(text.strip("%"), text.count("%") // 2)) for text in texts}


def tagged(it):
    program, python = it.tag("role::program"), it.tag("implemented-in::python")
    lines, cplusplus = it.tag("interface::commandline"), it.tag("implemented-in::c++")
    games = it.section("games")
    prefixed = it.where(lambda it: any(tag.lower().startswith("game::") for tag in it["tags"]))
    return {
        "all": first(program & python & lines, 20),
        "any": first(python | cplusplus),
        "but": first(games - cplusplus - program),
        "prefix": first(prefixed),
        "section": first(games),
        "not": len(set(it.names) - it.section("games", "libs", "libdevel")),
    }


def maintained(it):
    counts = collections.Counter(package.get("maintainer", "").lower()
                                 for package in it.packages.values())
    who = ["Debian Games Team <pkg-games-devel@lists.alioth.debian.org>",
           "Jérémy Bobbio <lunar@debian.org>", "Nobody, at all"]
    return {name: [counts[name.lower()]] * 2 for name in who}


def homeless(it):
    without = it.where(lambda it: "homepage" not in it)
    return {"without": first(without), "with": len(it.packages) - len(without),
            "games": first(it.section("games") & without)}


def ranges(it):
    closed = it.number("size", 1000, 5000)
    large = it.number("installed", 1_000_000)
    small = it.where(lambda it: it.get("size", math.inf) < 100_000_000)
    return {
        "closed": len(closed),
        "open": len(it.where(lambda it: 1000 < it.get("size", 0) < 5000)),
        "filter": len(it.where(lambda it: 1000 < it.get("size", 0) <= 5000)),
        "parameters": len(closed),
        "large": first(large, 10),
        "compared": len(large & small),
        "both": len(it.number("size", 0, 2000) & it.number("installed", 50)
                    | it.number("size", 100_000_000)),
    }


def largest(it):
    rows = ((-package["installed"], name) for name, package in it.packages.items()
            if "installed" in package)
    return [sorted([-float(value), name] for value, name in clear(rows, 25)), True]


def by_name(it):
    python = sorted(it.section("python"))
    return [it.names[:10], it.names[::-1][:10], python[50:55]]


def described(it):
    packages = (it.packages[name] for name in ("bash", "gcc", "vim") if name in it.packages)
    fields = {"name": "name", "section": "section", "size": "size", "about": "description"}
    return [{key: str(package[field]) for key, field in fields.items() if field in package}
            for package in packages]


def is_marked(word):
    """Whether a word is one that `highlighted` looks for."""
    return word in FORMS["editor"] or is_near("grafics", 1, word) or word.startswith("wiki")


def highlighted(it):
    def mark(match):
        return f"<b>{match[0]}</b>" if is_marked(match[0].lower()) else match[0]

    names = sorted(it.words(is_marked))[:20]
    return [[name, WORD.sub(mark, it.packages[name]["description"])] for name in names]


def ranked(it):
    count, having = len(it.packages), it.having["editor"]
    rare = len(having | it.named["editor"])  # a word is as rare as it is in all fields
    idf = math.log(1 + (count - rare + 0.5) / (rare + 0.5))
    lengths = {name: len(it.tokens[name]) + 2 * len(it.of_name[name]) for name in it.packages}
    average, rows = sum(lengths.values()) / count, []
    for name in having:
        often = it.tokens[name].count("editor") + 2 * it.of_name[name].count("editor")
        norm = 0.25 + 0.75 * lengths[name] / average
        rows.append([-idf * often * 2.2 / (often + 1.2 * norm), name])
    return [[-score, name] for score, name in clear(rows, 40)]


def numbers(packages, field):
    """The numbers of a group."""
    return [package[field] for package in packages if field in package]


def sections(it):
    rows = []
    for section, packages in it.groups("section").items():
        installed = numbers(packages, "installed")
        rows.append({
            "section": section, "packages": len(packages), "mean": statistics.fmean(installed),
            "bytes": sum(numbers(packages, "size")), "most": max(installed),
            "least": min(installed),
            "people": len({package.get("maintainer") for package in packages} - {None}),
            "deviation": statistics.stdev(installed) if len(installed) > 1 else 0,
        })
    return sorted(rows, key=lambda row: (-row["packages"], row["section"]))[:15]


def magnitudes(it):
    powers = (package["installed"].bit_length() - 1 for package in it.packages.values()
              if package.get("installed"))
    return sorted(map(list, collections.Counter(powers).items()))


def filtered_groups(it):
    rows = []
    for section, packages in sorted(it.groups("section").items()):
        mean = statistics.fmean(numbers(packages, "installed") or [0])
        if section != "libs" and len(packages) >= 20 and mean > 2000:
            rows.append([section, len(packages), len(packages) * mean / 1024])
    return rows


def spread(it):
    def quantile(values, share):
        return sorted(values)[max(0, math.ceil(len(values) * share) - 1)]

    rows = []
    for priority, packages in sorted(it.groups("priority", it.number("size", 0)).items()):
        sizes = numbers(packages, "size")
        rows.append([priority, quantile(sizes, 0.5), quantile(sizes, 0.9),
                     sorted({package["section"] for package in packages}),
                     max(packages, key=lambda package: package["size"])["name"]])
    return rows


def computed(it):
    rows = []
    for name in sorted(it.section("shells")):
        size, about = it.packages[name]["installed"], it.packages[name]["description"]
        rows.append({
            "name": name, "installed": size, "description": about, "shouted": name.upper(),
            "start": name[:3], "length": len(name), "mib": math.ceil(size / 1024),
            "about": f"{name}: {about}", "is_shell": "shell" in about, "z": name.startswith("z"),
            "even": size % 2 == 0 or size <= 100,
        })
    return rows


def walked(it):
    return [digest(it.names), sum(numbers(it.packages.values(), "size"))]


def nearest(it):
    texts = ("text editor", "Python bindings for a database", "strategy game")
    return {text: clear(it.distances(text), 40) for text in texts}


def nearest_of_some(it):
    some = {
        "@section:{games}": it.section("games"),
        "@size:[-inf 10000]": it.number("size", 0, 10_000),
        "@description:editor -@section:{editors}":
            it.words(FORMS["editor"].__contains__) - it.section("editors"),
        "@section:{nowhere}": (),
    }
    return {text: [min(30, len(names)), clear(it.distances("simple text editor", names), 30)]
            for text, names in some.items()}


def within(it):
    rows = sorted(it.distances("text editor"))
    answer = {}
    for radius in (8000, 10000):
        inside = [row for row in rows if row[0] <= radius]
        answer[str(radius)] = [len(inside), inside[:1000]]
    return answer


def tag_values(it):
    def values(field):
        return {package[field].lower() for package in it.packages.values() if field in package}

    tags = {tag.lower() for package in it.packages.values() for tag in package["tags"]}
    return {"priority": sorted(values("priority")), "section": sorted(values("section")),
            "tags": digest(tags), "maintainers": digest(values("maintainer"))}


def synonyms(it):
    same = {"rapid", "fast", "lightweight"}
    answer = {word: first(it.words((same | FORMS[word]).__contains__))
              for word in ("rapid", "lightweight")}
    groups = dict.fromkeys(same, ["quick"]) | dict.fromkeys(("viewer", "browser"), ["viewers"])
    return answer | {"groups": groups}


def own_writes(_):
    return [1, 0, 0]


COMPUTED = [
    totals, everything, words, stems, anywhere, phrases, parts_of_words, misspelled, tagged,
    maintained, homeless, ranges, largest, by_name, described, highlighted, sections, magnitudes,
    filtered_groups, spread, computed, walked, nearest, nearest_of_some, within, tag_values,
    synonyms, own_writes,
]


def right_passages(it, answer):
    """Passages are of the description, and have the word."""
    names = sorted(it.having["compiler"])[:20]
    return [name for name, _ in answer] == names and all(
        text.removesuffix(" …").strip() in it.packages[name]["description"]
        and "compiler" in tokens(text) for name, text in answer
    )


def right_ranks(it, answer):
    """Scores of one scorer are those computed, those of the other fall with other names."""
    return (set(answer) == {"BM25STD", "TFIDF"} and not difference(ranked(it), answer["BM25STD"])
            and {name for _, name in answer["TFIDF"]} <= it.having["editor"])


def right_recall(_, answer):
    """Of the nearest, the graph finds nearly all."""
    return answer >= 0.9


JUDGED = {"summarized": right_passages, "ranked": right_ranks, "recall": right_recall}


# -- The program -------------------------------------------------------------------------------


def difference(expected, got, at=""):
    """Where two answers differ first, in words; nothing if they do not. Numbers are the same that
    are as near as twelve digits of text bring them."""
    if isinstance(expected, dict) and isinstance(got, dict) and set(expected) == set(got):
        pairs = ((key, expected[key], got[key]) for key in expected)
    elif isinstance(expected, (list, tuple)) and isinstance(got, list) \
            and len(expected) == len(got):
        pairs = zip(itertools.count(), expected, got)
    elif isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        near = math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-6)
        return "" if near else f"{at}: {got!r}, and not {expected!r}"
    else:
        return "" if expected == got else f"{at}: {got!r:.300}, and not {expected!r:.300}"
    differences = (difference(a, b, f"{at}[{key!r}]") for key, a, b in pairs)
    return next(filter(None, differences), "")


def read_answers(path):
    """Answers by question and kind."""
    answers = {}
    for line in pathlib.Path(path).read_text().splitlines():
        line = json.loads(line)
        answers.setdefault(line["question"], {})[line["kind"]] = line["answer"]
    return answers


def check(it, answers):
    """What is wrong with answers, in words."""
    for question, kinds in answers.items():
        if "hash" in kinds and json.dumps(kinds["hash"]) != json.dumps(kinds.get("json")):
            yield f"hash and json differ: {difference(kinds['hash'], kinds.get('json'), question)}"
    for compute in COMPUTED:
        expected = compute(it)
        for kind in ("hash", "json"):
            got = answers.get(compute.__name__, {}).get(kind)
            if wrong := difference(expected, got, f"{kind}: {compute.__name__}"):
                yield wrong
    for question, is_right in JUDGED.items():
        for kind, answer in answers.get(question, {"no kind": None}).items():
            if answer is None or not is_right(it, answer):
                yield f"{kind}: {question}: {answer!r:.500}"
    unchecked = set(answers) - {compute.__name__ for compute in COMPUTED} - set(JUDGED)
    if unchecked:
        yield f"questions without an answer here: {unchecked}"


def main():
    module = example()
    with open(sys.argv[1], "rb") as lines:
        it = Plain(module.read_packages(lines), module.vector)
    answers = read_answers(sys.argv[2])
    wrong = list(check(it, answers))
    print(f"{sum(map(len, answers.values()))} answers, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
