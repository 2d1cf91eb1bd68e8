#!/usr/bin/env python3
"""A search engine for Debian's packages: the package index as hashes and as JSON documents.

Reads the package index (from `apt-cache dumpavail`, or from a file in the same format such as
/var/lib/dpkg/status), stores it twice with plain redis-py, and asks the same questions of both:

    hash:NAME    a hash for each package        packages:hash    the index of them
    json:NAME    a JSON document of the same    packages:json    the index of these
                                                packages:near    hashes' vectors, found by HNSW

A document has words (name, description), tags (section, priority, maintainer, homepage, debtags),
numbers (size of the download, size installed) and a vector: its words, hashed into 64 numbers.

While questions are asked, another thread goes on writing: the same documents again, in
transactions also wrong ones that are put right at once. No answer may show any of that.

Answers go to standard output as JSON, a line for each question and kind, with keys sorted: hashes
and documents print the same bytes but for the kind. Timings go to standard error. Loading goes on
where it was broken off.

    python3 examples/search.py --port 6379 --flush
    python3 examples/search.py --ask-only /var/lib/dpkg/status
"""

import argparse
import array
import contextlib
import hashlib
import json
import math
import re
import shutil
import subprocess
import sys
import threading
import time
import zlib

import redis
from redis.commands.search import reducers
from redis.commands.search.aggregation import AggregateRequest, Asc, Desc
from redis.commands.search.field import NumericField, TagField, TextField, VectorField
from redis.commands.search.index_definition import IndexDefinition, IndexType
from redis.commands.search.query import NumericFilter, Query

BATCH = 200  # documents to a pipeline
DIMENSIONS = 64
SEPARATOR = "|"  # between the tags of a hash
ALL = 1_000_000  # more than there are packages
FIELDS = {
    "Package": "name",
    "Section": "section",
    "Priority": "priority",
    "Maintainer": "maintainer",
    "Homepage": "homepage",
    "Description": "description",
    "Size": "size",
    "Installed-Size": "installed",
    "Tag": "tags",
}
SYNONYMS = {"viewers": ("viewer", "browser"), "quick": ("fast", "lightweight", "rapid")}


# -- Reading -----------------------------------------------------------------------------------


def open_index(path):
    """The lines of the package index, as bytes."""
    if path:
        return open(path, "rb")
    if shutil.which("apt-cache"):
        return subprocess.Popen(["apt-cache", "dumpavail"], stdout=subprocess.PIPE).stdout
    sys.exit("search.py: no apt-cache here: name a file in the format of /var/lib/dpkg/status")


def read_packages(lines):
    """The packages by their names, each as a dict of the fields in FIELDS that it has. Of several
    versions the first one counts."""
    packages, package, field = {}, {}, None
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        if not line:
            if "name" in package:
                packages.setdefault(package["name"], document(package))
            package, field = {}, None
        elif line[0] in " \t":
            if field == "tags":  # of a description, the first line is enough
                package[field] += " " + line.strip()
        else:
            key, _, value = line.partition(":")
            field = FIELDS.get(key)
            if field:
                package[field] = value.strip()
    if "name" in package:
        packages.setdefault(package["name"], document(package))
    return packages


def document(package):
    """A package as its document: numbers are numbers, tags are a list, and it has a vector."""
    made = {"description": "", "section": "unknown", "priority": "unknown"} | package
    made["tags"] = split_tags(package.get("tags", ""))
    for field in ("size", "installed"):
        if field in made:
            made[field] = int(made[field])
    made["vector"] = vector(f"{made['name']} {made['description']}")
    return made


def split_tags(text):
    """The tags of `role::program, uitoolkit::{gtk, qt}`: a facet may list several values."""
    tags, prefix = [], ""
    for word in text.split(","):
        word = word.strip()
        if "{" in word:
            prefix, _, word = word.partition("{")
        tag = prefix + word.rstrip("}")
        if word.endswith("}"):
            prefix = ""
        if tag:
            tags.append(tag)
    return tags


def vector(text):
    """A text as a point: each word has a place, a sign and a weight by its hash. Points are some
    100 from the middle, and whole numbers, so that distances are exact whatever adds them up."""
    point = [0] * DIMENSIONS
    for word in re.findall(r"\w\w\w+", text.lower()):
        code = zlib.crc32(word.encode())
        weight = 4 + (code >> 8) % 5
        point[code % DIMENSIONS] += weight if code & 128 else -weight
    length = math.hypot(*point) or 1
    return [round(100 * number / length) for number in point]


def blob(point):
    """A point as a hash has it: FLOAT32, little endian."""
    floats = array.array("f", point)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats.tobytes()


# -- The two kinds -----------------------------------------------------------------------------


class Kind:
    """How documents of one kind are kept, indexed and asked."""

    def __init__(self, db, name):
        self.db, self.name = db, name
        self.prefix = f"{name}:"
        self.index = db.ft(f"packages:{name}")

    def key(self, name):
        """The key of a package."""
        return self.prefix + name

    def names(self, found):
        """The packages of an answer."""
        return [doc.id.removeprefix(self.prefix) for doc in found.docs]

    def search(self, query, **params):
        """Asks a Query, or its text."""
        return self.index.search(query, query_params=params or None)

    def count(self, text, **params):
        """How many packages a query finds."""
        return self.search(Query(text).paging(0, 0), **params).total

    def first(self, text, count=5, **params):
        """How many packages a query finds, and the first by name."""
        query = Query(text).sort_by("name").no_content().paging(0, count)
        found = self.search(query, **params)
        return [found.total, self.names(found)]

    def rows(self, request, **params):
        """The rows of an aggregation, as dicts."""
        found = self.index.aggregate(request, query_params=params or None)
        return [dict(zip(row[::2], row[1::2])) for row in found.rows]

    def schema(self):
        """The fields of the index. Hashes and documents have them by the same names."""
        at = self.path
        return [
            TextField(at("description"), as_name="description"),
            TextField(at("name"), as_name="words", weight=2.0, no_stem=True),
            TagField(at("name"), as_name="name", sortable=True),
            TagField(at("section"), as_name="section", sortable=True),
            TagField(at("priority"), as_name="priority"),
            TagField(at("maintainer"), as_name="maintainer", separator=SEPARATOR),
            TagField(at("homepage"), as_name="homepage", separator=SEPARATOR, case_sensitive=True,
                     index_missing=True),
            TagField(self.tags, as_name="tags", separator=SEPARATOR),
            NumericField(at("size"), as_name="size", sortable=True),
            NumericField(at("installed"), as_name="installed", sortable=True),
            vector_field(at("vector"), "FLAT"),
        ]

    def create(self):
        """Makes the index, unless it is there."""
        definition = IndexDefinition(prefix=[self.prefix], index_type=self.type)
        create(self.index, self.schema(), definition)
        for group, words in SYNONYMS.items():
            self.index.synupdate(group, False, *words)


class Hashes(Kind):
    """Packages as hashes: tags are one text with separators, a vector is a blob."""

    type, tags = IndexType.HASH, "tags"

    def __init__(self, db):
        super().__init__(db, "hash")

    @staticmethod
    def path(field):
        """Where the index finds a field."""
        return field

    def store(self, pipe, package, **changed):
        """Queues a document, perhaps with other values in some fields."""
        fields = package | changed
        fields["tags"] = SEPARATOR.join(fields["tags"])
        fields["vector"] = blob(fields["vector"])
        pipe.hset(self.key(package["name"]), mapping=fields)

    def touch(self, pipe, name, value):
        """Queues a change that is in no index."""
        pipe.hset(self.key(name), "touched", value)


class Documents(Kind):
    """Packages as JSON documents."""

    type, tags = IndexType.JSON, "$.tags[*]"

    def __init__(self, db):
        super().__init__(db, "json")

    @staticmethod
    def path(field):
        """Where the index finds a field."""
        return f"$.{field}"

    def store(self, pipe, package, **changed):
        """Queues a document, perhaps with other values in some fields."""
        pipe.json().set(self.key(package["name"]), "$", package | changed)

    def touch(self, pipe, name, value):
        """Queues a change that is in no index."""
        pipe.json().set(self.key(name), "$.touched", value)


def vector_field(path, algorithm):
    """The vectors of packages; distances are squared."""
    shape = {"TYPE": "FLOAT32", "DIM": DIMENSIONS, "DISTANCE_METRIC": "L2"}
    return VectorField(path, algorithm, shape, as_name="vector")


def create(index, fields, definition):
    """Makes an index, unless it is there."""
    try:
        index.create_index(fields, definition=definition)
    except redis.ResponseError as error:
        if "already exists" not in str(error):
            raise


# -- Loading -----------------------------------------------------------------------------------


def timed(what, started):
    """Says how long something took."""
    print(f"{time.perf_counter() - started:9.2f} s   {what}", file=sys.stderr, flush=True)


def load(kind, packages):
    """Stores every package as a document of this kind."""
    started = time.perf_counter()
    pipe = kind.db.pipeline(transaction=False)
    for count, package in enumerate(packages.values(), 1):
        kind.store(pipe, package)
        if count % BATCH == 0:
            pipe.execute()
    pipe.execute()
    timed(f"{len(packages)} packages of kind {kind.name}", started)


def wait_until_indexed(index, what):
    """Waits until an index has all that was there before it."""
    started = time.perf_counter()
    while True:
        info = index.info()
        if not int(info["indexing"]) and float(info["percent_indexed"]) == 1:
            return timed(f"indexing of {info['num_docs']} {what}", started)
        time.sleep(0.05)


def load_all(db, packages):
    """Stores everything and makes the indexes: that of hashes first, so that each write goes into
    it, the others last, so that they read what is there."""
    hashes, documents, near = Hashes(db), Documents(db), db.ft("packages:near")
    hashes.create()
    load(hashes, packages)
    load(documents, packages)
    documents.create()
    wait_until_indexed(documents.index, "documents")
    definition = IndexDefinition(prefix=[hashes.prefix], index_type=IndexType.HASH)
    create(near, [TagField("name"), vector_field("vector", "HNSW")], definition)
    wait_until_indexed(near, "vectors in a graph")


# -- Writing beside the questions --------------------------------------------------------------


class Writer(threading.Thread):
    """Writes without end what changes no answer."""

    def __init__(self, connect, packages):
        super().__init__(daemon=True)
        self.db, self.packages = connect(), packages
        self.kinds = [Hashes(self.db), Documents(self.db)]
        self.ended, self.rounds, self.error = threading.Event(), 0, None

    def run(self):
        try:
            while not self.ended.is_set():
                self.round()
        except redis.RedisError as error:
            self.error = error

    def round(self):
        """One package, in all ways that leave it as it is."""
        names = list(self.packages)
        package = self.packages[names[self.rounds * 97 % len(names)]]
        name, self.rounds = package["name"], self.rounds + 1
        for kind in self.kinds:
            with self.db.pipeline(transaction=False) as pipe:
                kind.store(pipe, package)
                kind.touch(pipe, name, self.rounds)
                pipe.execute()
            for change in (self.spoil, self.move, self.remove):
                with self.db.pipeline(transaction=True) as pipe:
                    change(kind, pipe, package)
                    pipe.execute()
        with self.db.pipeline(transaction=False) as pipe:
            pipe.hset(f"draft:{name}", mapping={"description": "compiler", "size": self.rounds})
            pipe.delete(f"draft:{names[(self.rounds - 10) * 97 % len(names)]}")
            pipe.execute()

    @staticmethod
    def spoil(kind, pipe, package):
        """Other words, tags, numbers and a vector, and back again."""
        kind.store(pipe, package, description="compiler library", section="nowhere", size=1,
                   installed=1, tags=["role::program", "no::tag"], vector=[0] * DIMENSIONS)
        kind.store(pipe, package)

    @staticmethod
    def move(kind, pipe, package):
        """Out of the index, and into it again."""
        pipe.rename(kind.key(package["name"]), f"away:{kind.name}")
        pipe.rename(f"away:{kind.name}", kind.key(package["name"]))

    @staticmethod
    def remove(kind, pipe, package):
        """Deleted and made anew."""
        pipe.delete(kind.key(package["name"]))
        kind.store(pipe, package)

    def __enter__(self):
        self.start()

    def __exit__(self, *_):
        self.ended.set()
        self.join()
        print(f"{self.rounds} packages written 6 times meanwhile", file=sys.stderr)
        if self.error:
            sys.exit(f"search.py: the writer: {self.error}")


# -- Questions ---------------------------------------------------------------------------------
# Each takes a kind and returns something JSON can say. What has no order is sorted here.


def tag(text):
    """A tag as a query has it."""
    return re.sub(r"(\W)", r"\\\1", text)


def clear(rows):
    """Of the best rows those that are better than the last, by value and name: which of several
    equal ones come last in an answer is up to the server."""
    rows = [[float(value), name] for value, name in rows]
    return sorted(row for row in rows if row[0] != rows[-1][0])


def digest(names):
    """How many names, and which: too many to print."""
    names = sorted(names)
    return [len(names), hashlib.sha256("\n".join(names).encode()).hexdigest()]


def totals(kind):
    """How many packages are there?"""
    return {
        "documents": int(kind.index.info()["num_docs"]),
        "failures": int(kind.index.info()["hash_indexing_failures"]),
        "found": kind.count("*"),
        "with a size": kind.count("@size:[-inf +inf]"),
    }


def everything(kind):
    """Does paging come by every package once?"""
    pages, size = [], 997
    while len(pages) % size == 0:
        query = Query("*").sort_by("name").no_content().paging(len(pages), size)
        if not (page := kind.names(kind.search(query))):
            break
        pages += page
    return digest(pages)


def words(kind):
    """How many descriptions have these very words?"""
    texts = ["compiler", "editor", "GAME", "zürich", "c", "runtime library", "emacs | vim",
             "(gtk | qt) -(library | libraries)", "xyzzy"]
    answer = {}
    for text in texts:
        query = Query(f"@description:({text})").verbatim().sort_by("name").paging(0, 3)
        found = kind.search(query.no_content())
        answer[text] = [found.total, kind.names(found)]
    return answer


def stems(kind):
    """How many descriptions have a form of these words?"""
    return {word: kind.first(f"@description:{word}") for word in ("libraries", "editor", "parser")}


def anywhere(kind):
    """What has a word in its name or its description?"""
    texts = {text: Query(text).verbatim().paging(0, 0) for text in ("redis", "postgresql client")}
    only = Query("redis").verbatim().limit_fields("words").paging(0, 0)
    return {text: kind.search(query).total for text, query in texts.items()} | {
        "in names": kind.search(only).total
    }


def phrases(kind):
    """Which descriptions have these words side by side?"""
    texts = ['"command line"', '"text editor"', '"shared libraries"', '"editor text"']
    answer = {text: kind.first(f"@description:{text}") for text in texts}
    near = Query("@description:(tool files)").verbatim().slop(2).in_order().paging(0, 0)
    far = Query("@description:(tool files)").verbatim().paging(0, 0)
    return answer | {"near": kind.search(near).total, "far": kind.search(far).total}


def parts_of_words(kind):
    """Which words begin, end or go on like this?"""
    texts = ["encrypt*", "*graphics", "*crypto*", "w'gr?phic*'", "graph*", "lib*"]
    return {text: kind.first(f"@description:({text})") for text in texts}


def misspelled(kind):
    """Which words are nearly these?"""
    texts = ["%libary%", "%%pyhton%%", "%grafics%", "%%%compylar%%%"]
    return {text: kind.first(f"@description:({text})") for text in texts}


def tagged(kind):
    """Which packages have these tags?"""
    program, python = tag("role::program"), tag("implemented-in::python")
    lines, cplusplus = tag("interface::commandline"), tag("implemented-in::c++")
    return {
        "all": kind.first(f"@tags:{{{program}}} @tags:{{{python}}} @tags:{{{lines}}}", 20),
        "any": kind.first(f"@tags:{{{python} | {cplusplus}}}"),
        "but": kind.first(f"@section:{{games}} -@tags:{{{cplusplus}}} -@tags:{{{program}}}"),
        "prefix": kind.first(f"@tags:{{{tag('game::')}*}}"),
        "section": kind.first("@section:{GAMES}"),
        "not": kind.count("-@section:{games|libs|libdevel}"),
    }


def maintained(kind):
    """Who looks after how many?"""
    who = ["Debian Games Team <pkg-games-devel@lists.alioth.debian.org>",
           "Jérémy Bobbio <lunar@debian.org>", "Nobody, at all"]
    return {name: [kind.count(f"@maintainer:{{{tag(name)}}}"),
                   kind.count("@maintainer:{$who}", who=name)] for name in who}


def homeless(kind):
    """Which packages have no homepage?"""
    return {
        "without": kind.first("ismissing(@homepage)"),
        "with": kind.count("-ismissing(@homepage)"),
        "games": kind.first("@section:{games} ismissing(@homepage)"),
    }


def ranges(kind):
    """How many packages have these sizes?"""
    between = NumericFilter("size", 1000, 5000, minExclusive=True)
    return {
        "closed": kind.count("@size:[1000 5000]"),
        "open": kind.count("@size:[(1000 (5000]"),
        "filter": kind.search(Query("*").add_filter(between).paging(0, 0)).total,
        "parameters": kind.count("@size:[$low $high]", low=1000, high=5000),
        "large": kind.first("@installed:[1000000 +inf]", 10),
        "compared": kind.count("@installed>=1000000 @size<100000000"),
        "both": kind.count("(@size:[-inf 2000] @installed:[50 +inf]) | @size:[100000000 inf]"),
    }


def largest(kind):
    """Which packages take most space?"""
    query = Query("*").sort_by("installed", asc=False).return_fields("installed", "name")
    found = kind.search(query.paging(0, 25))
    pages = [doc.id for start in range(0, 25, 5)
             for doc in kind.search(query.paging(start, 5)).docs]
    return [clear((doc.installed, doc.name) for doc in found.docs),
            pages == [doc.id for doc in found.docs]]


def by_name(kind):
    """What comes first, last and in the middle?"""
    up, down = Query("*").sort_by("name"), Query("*").sort_by("name", asc=False)
    middle = Query("@section:{python}").sort_by("name").paging(50, 5)
    return [kind.names(kind.search(query)) for query in (up, down, middle)]


def described(kind):
    """What are these packages?"""
    query = Query("*").limit_ids(*map(kind.key, ("bash", "vim", "gcc", "no such package")))
    query.return_fields("name", "section", "size").return_field("description", as_field="about")
    found = kind.search(query.sort_by("name"))
    return [{key: value for key, value in vars(doc).items() if key not in ("id", "payload")}
            for doc in found.docs]


def highlighted(kind):
    """Where are the words in the text?"""
    query = Query("@description:(editor | %grafics% | wiki*)").sort_by("name").paging(0, 20)
    query.highlight(fields=["description"], tags=["<b>", "</b>"]).return_fields("description")
    return [[name, doc.description] for name, doc in answered(kind, query)]


def summarized(kind):
    """What stands around the words?"""
    query = Query("@description:compiler").verbatim().sort_by("name").paging(0, 20)
    query.summarize(fields=["description"], context_len=4, num_frags=1, sep=" …")
    return [[name, doc.description]
            for name, doc in answered(kind, query.return_fields("description"))]


def answered(kind, query):
    """Names and rows."""
    found = kind.search(query)
    return zip(kind.names(found), found.docs)


def ranked(kind):
    """Which packages are most about this?"""
    answer = {}
    for scorer in ("BM25STD", "TFIDF"):
        query = Query("@description:editor").verbatim().with_scores().scorer(scorer)
        found = kind.search(query.no_content().paging(0, 40))
        rows = zip((-doc.score for doc in found.docs), kind.names(found))
        answer[scorer] = [[round(-score, 6), name] for score, name in clear(rows)]
    return answer


def sections(kind):
    """Which sections are the largest?"""
    request = AggregateRequest("*").group_by(
        "@section",
        reducers.count().alias("packages"),
        reducers.avg("@installed").alias("mean"),
        reducers.sum("@size").alias("bytes"),
        reducers.count_distinct("@maintainer").alias("people"),
        reducers.max("@installed").alias("most"),
        reducers.min("@installed").alias("least"),
        reducers.stddev("@installed").alias("deviation"),
    )
    rows = kind.rows(request.sort_by(Desc("@packages"), Asc("@section"), max=15))
    return [{key: value if key == "section" else float(value) for key, value in row.items()}
            for row in rows]


def magnitudes(kind):
    """How many packages are of which order of magnitude?"""
    request = AggregateRequest("@installed:[(0 +inf]").load("@installed")
    request.apply(power="floor(log2(@installed))").group_by("@power", reducers.count().alias("n"))
    rows = kind.rows(request.sort_by(Asc("@power"), max=100))
    return [[int(row["power"]), int(row["n"])] for row in rows]


def filtered_groups(kind):
    """Which sections have many packages, and large ones?"""
    request = AggregateRequest("-@section:{libs}").group_by(
        "@section", reducers.count().alias("n"), reducers.avg("@installed").alias("mean")
    )
    request.filter("@n >= 20 && @mean > 2000").apply(total="@n * @mean / 1024")
    rows = kind.rows(request.sort_by(Asc("@section"), max=1000))
    return [[row["section"], int(row["n"]), float(row["total"])] for row in rows]


def spread(kind):
    """How are sizes spread in each priority, and what are the sections?"""
    request = AggregateRequest("@size:[-inf +inf]").group_by(
        "@priority",
        reducers.quantile("@size", 0.5).alias("median"),
        reducers.quantile("@size", 0.9).alias("most"),
        reducers.tolist("@section").alias("sections"),
        reducers.first_value("@name", Desc("@size")).alias("largest"),
    )
    rows = kind.rows(request.sort_by(Asc("@priority"), max=1000))
    return [[row["priority"], float(row["median"]), float(row["most"]), sorted(row["sections"]),
             row["largest"]] for row in rows]


def computed(kind):
    """What can be said of each shell?"""
    request = AggregateRequest("@section:{shells}").load("@name", "@installed", "@description")
    request.apply(
        shouted="upper(@name)",
        start="substr(@name, 0, 3)",
        length="strlen(@name)",
        mib="ceil(@installed / 1024)",
        about='format("%s: %s", @name, @description)',
        is_shell='contains(@description, "shell") > 0',
        z='startswith(@name, "z")',
        even="@installed % 2 == 0 || !(@installed > 100)",
    )
    rows = kind.rows(request.sort_by(Asc("@name"), max=1000))
    numbers = ("length", "mib", "is_shell", "z", "even", "installed")
    return [{key: float(value) if key in numbers else value for key, value in row.items()}
            for row in rows]


def walked(kind):
    """Does a cursor come by every package of a moment?"""
    request = AggregateRequest("*").load("@name", "@size").cursor(1000)
    found, names, size = kind.index.aggregate(request), [], 0
    while True:
        rows = [dict(zip(row[::2], row[1::2])) for row in found.rows]
        names += [row["name"] for row in rows]
        size += sum(int(row.get("size", 0)) for row in rows)
        if not found.cursor.cid:
            return [digest(names), size]
        found = kind.index.aggregate(found.cursor)


def nearest(kind):
    """What is most like this text?"""
    answer = {}
    for text in ("text editor", "Python bindings for a database", "strategy game"):
        query = Query("*=>[KNN 40 @vector $point AS distance]").sort_by("distance")
        query.return_fields("distance").paging(0, 40)
        found = kind.search(query, point=blob(vector(text)))
        answer[text] = clear(zip((doc.distance for doc in found.docs), kind.names(found)))
    return answer


def nearest_of_some(kind):
    """What is most like this among the games, small packages, or packages with a word?"""
    some = ["@section:{games}", "@size:[-inf 10000]", "@description:editor -@section:{editors}",
            "@section:{nowhere}"]
    answer = {}
    for text in some:
        query = Query(f"({text})=>[KNN $k @vector $point AS distance]").sort_by("distance")
        query.return_fields("distance").paging(0, 30)
        found = kind.search(query, k=30, point=blob(vector("simple text editor")))
        rows = list(zip((doc.distance for doc in found.docs), kind.names(found)))
        answer[text] = [found.total, clear(rows)]
    return answer


def within(kind):
    """What is no farther than this?"""
    query = Query("@vector:[VECTOR_RANGE $radius $point]=>{$yield_distance_as: distance}")
    query.sort_by("distance").return_fields("distance").paging(0, 1000)
    answer = {}
    for radius in (8000, 10000):
        found = kind.search(query, radius=radius, point=blob(vector("text editor")))
        rows = zip((float(doc.distance) for doc in found.docs), kind.names(found))
        answer[str(radius)] = [found.total, sorted(map(list, rows))]
    return answer


def tag_values(kind):
    """Which tags are there?"""
    return {
        "priority": sorted(kind.index.tagvals("priority")),
        "section": sorted(kind.index.tagvals("section")),
        "tags": digest(kind.index.tagvals("tags")),
        "maintainers": digest(kind.index.tagvals("maintainer")),
    }


def synonyms(kind):
    """Does a word stand for those that mean the same?"""
    answer = {word: kind.first(f"@description:{word}") for word in ("rapid", "lightweight")}
    return answer | {"groups": {word: sorted(groups)
                                for word, groups in kind.index.syndump().items()}}


def own_writes(kind):
    """Does a transaction find what it wrote, and nobody else?"""
    package = {"name": "own-write", "description": "unheardof", "section": "nowhere",
               "priority": "optional", "tags": [], "vector": [0] * DIMENSIONS}
    text = "@description:unheardof @section:{nowhere}"
    ask = ("FT.SEARCH", kind.index.index_name, text, "NOCONTENT", "DIALECT", 2)
    with kind.db.pipeline(transaction=True) as pipe:
        kind.store(pipe, package)
        pipe.execute_command(*ask)
        pipe.delete(kind.key("own-write"))
        pipe.execute_command(*ask)
        replies = pipe.execute()
    counts = [reply["total_results"] if isinstance(reply, dict) else reply[0]
              for reply in (replies[1], replies[3])]
    return [*counts, kind.count(text)]


QUESTIONS = [
    totals, everything, words, stems, anywhere, phrases, parts_of_words, misspelled, tagged,
    maintained, homeless, ranges, largest, by_name, described, highlighted, summarized, ranked,
    sections, magnitudes, filtered_groups, spread, computed, walked, nearest, nearest_of_some,
    within, tag_values, synonyms, own_writes,
]


def recall(db):
    """Which share of the nearest does the graph find?"""
    exact, graph, found = db.ft("packages:hash"), db.ft("packages:near"), []
    for text in ("text editor", "Python bindings for a database", "strategy game", "web server",
                 "shared library", "fonts", "perl module", "music player"):
        query = Query("*=>[KNN 10 @vector $point AS distance]").sort_by("distance")
        query.return_fields("distance")
        point = {"point": blob(vector(text))}
        far = max(float(doc.distance) for doc in exact.search(query, query_params=point).docs)
        near = graph.search(query, query_params=point).docs
        found += [float(doc.distance) <= far for doc in near]
    return round(sum(found) / 80, 3)


# -- The program -------------------------------------------------------------------------------


def ask(db):
    """Asks everything of both kinds, and prints answers."""
    kinds = [Hashes(db), Documents(db)]
    for question in QUESTIONS:
        took = []
        for kind in kinds:
            started = time.perf_counter()
            answer = question(kind)
            took.append((time.perf_counter() - started) * 1000)
            show(question.__name__, kind.name, answer)
        print(f"{took[0]:9.2f} {took[1]:9.2f} ms  {question.__doc__}", file=sys.stderr)
    started = time.perf_counter()
    show("recall", "near", recall(db))
    took = (time.perf_counter() - started) * 1000
    print(f"{took:9.2f} {'':9} ms  {recall.__doc__}", file=sys.stderr)


def show(question, kind, answer):
    """Prints an answer."""
    line = {"question": question, "kind": kind, "answer": answer}
    print(json.dumps(line, sort_keys=True, ensure_ascii=False), flush=True)


def arguments():
    """The options of the command line."""
    about, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", help="package index (default: apt-cache dumpavail)")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=6379)
    parser.add_argument("--url", help="redis://HOST:PORT/DB, instead of --host and --port")
    parser.add_argument("--protocol", type=int, choices=(2, 3), default=3)
    parser.add_argument("--flush", action="store_true", help="empty the database first")
    parser.add_argument("--load-only", action="store_true", help="ask nothing")
    parser.add_argument("--ask-only", action="store_true", help="ask what was loaded before")
    parser.add_argument("--undisturbed", action="store_true", help="write nothing while asking")
    return parser.parse_args()


def main():
    args = arguments()

    def connect():
        options = {"decode_responses": True, "socket_timeout": 60}
        if args.protocol == 2:  # 3 is what redis-py takes by itself, and makes the same of
            options["protocol"] = 2
        if args.url:
            return redis.from_url(args.url, **options)
        return redis.Redis(host=args.host, port=args.port, **options)

    try:
        run(args, connect)
    except redis.ConnectionError as error:
        sys.exit(f"search.py: no server: {error}")


def run(args, connect):
    """Does what the options say."""
    db = connect()
    if args.flush:
        db.flushdb()
    db.ping()
    started = time.perf_counter()
    with open_index(args.file) as lines:
        packages = read_packages(lines)
    if not packages:
        sys.exit("search.py: the index has no packages")
    timed(f"reading of {len(packages)} packages", started)
    if not args.ask_only:
        load_all(db, packages)
    if not args.load_only:
        with contextlib.ExitStack() as stack:
            if not args.undisturbed:
                stack.enter_context(Writer(connect, packages))
            ask(db)


if __name__ == "__main__":
    main()
