#!/usr/bin/env python3
"""A package catalogue in a Redis-compatible server: load it, then ask it questions.

Reads the Debian package index (from `apt-cache dumpavail`, or from a file in the same format such
as /var/lib/dpkg/status), stores every package with plain redis-py, and answers questions that use
all five types of data, transactions, expiry and scans:

    pkg:NAME              hash     the fields of a package
    section:S tag:T …     sets     names of packages, one set for each section, priority and tag
    by-size …             zsets    names by size of the download, by size installed (KiB)
    names                 zset     all names with score 0: ranges by name are prefix searches
    dependents            zset     how many packages depend on this one
    maintainers           zset     packages of each maintainer
    count:section:S …     strings  counters
    latest …              lists    the names that came last, newest first

Answers go to standard output as JSON, one question to a line, with keys and unordered results
sorted: two servers that agree print the same bytes. Timings go to standard error.

    python3 examples/packages.py --port 6379 --flush
    python3 examples/packages.py --url redis://localhost:6379/1 Packages
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import time

import redis

BATCH = 400  # packages to a pipeline: enough to hide the round trip, small enough to stay in cache
KEPT = 100  # names a list of latest packages keeps
FIELDS = {
    "Package": "name",
    "Version": "version",
    "Section": "section",
    "Priority": "priority",
    "Maintainer": "maintainer",
    "Architecture": "architecture",
    "Source": "source",
    "Homepage": "homepage",
    "Description": "description",
    "Size": "size",
    "Installed-Size": "installed",
    "Tag": "tags",
    "Depends": "depends",
}


# -- Reading -----------------------------------------------------------------------------------


def open_index(path):
    """The lines of the package index, as bytes."""
    if path:
        return open(path, "rb")
    if shutil.which("apt-cache"):
        return subprocess.Popen(["apt-cache", "dumpavail"], stdout=subprocess.PIPE).stdout
    sys.exit("packages.py: no apt-cache here: name a file in the format of /var/lib/dpkg/status")


def read_packages(lines):
    """Yields each package as a dict of the fields in FIELDS that it has."""
    package, field = {}, None
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        if not line:
            if "name" in package:
                yield package
            package, field = {}, None
        elif line[0] in " \t":
            if field in ("tags", "depends"):  # of a description, the first line is enough
                package[field] += " " + line.strip()
        else:
            key, _, value = line.partition(":")
            field = FIELDS.get(key)
            if field:
                package[field] = value.strip()
    if "name" in package:
        yield package


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


def split_depends(text):
    """The names a package depends on, without versions, alternatives and architectures."""
    first = (clause.split("|")[0].split("(")[0].strip() for clause in text.split(","))
    return sorted({name.split(":")[0] for name in first if name})


# -- Loading -----------------------------------------------------------------------------------


def store(pipe, package):
    """Queues everything there is to know about one package."""
    name = package["name"]
    section = package.get("section", "unknown")
    tags = split_tags(package.get("tags", ""))
    depends = split_depends(package.get("depends", ""))
    fields = {k: v for k, v in package.items() if k not in ("tags", "depends")}
    pipe.hset(f"pkg:{name}", mapping=fields)
    pipe.sadd(f"section:{section}", name)
    pipe.sadd(f"priority:{package.get('priority', 'unknown')}", name)
    for tag in tags:
        pipe.sadd(f"tag:{tag}", name)
    if tags:
        pipe.sadd("tags", *tags)
    if "size" in package:
        pipe.zadd("by-size", {name: int(package["size"])})
    if "installed" in package:
        pipe.zadd("by-installed-size", {name: int(package["installed"])})
    pipe.zadd("names", {name: 0})
    for other in depends:
        pipe.zincrby("dependents", 1, other)
    pipe.zincrby("maintainers", 1, package.get("maintainer", "nobody"))
    pipe.incr(f"count:section:{section}")
    pipe.incr("count:packages")
    pipe.incrby("count:bytes", int(package.get("size", 0)))
    pipe.hincrby("architectures", package.get("architecture", "unknown"), 1)
    for latest in ("latest", f"latest:{section}"):
        pipe.lpush(latest, name)
        pipe.ltrim(latest, 0, KEPT - 1)


def load(db, lines):
    """Stores every package; returns how many."""
    count, pipe = 0, db.pipeline(transaction=False)
    for package in read_packages(lines):
        store(pipe, package)
        count += 1
        if count % BATCH == 0:
            pipe.execute()
            if sys.stderr.isatty():
                print(f"\r{count} packages", end="", file=sys.stderr, flush=True)
    pipe.execute()
    if sys.stderr.isatty():
        print("\r" + " " * 30 + "\r", end="", file=sys.stderr)
    return count


# -- Questions ---------------------------------------------------------------------------------
# Each takes the database and returns something JSON can say. What has no order is sorted here.


def pairs(answer):
    """Names with scores, as lists: RESP2 and RESP3 shapes of redis-py look the same."""
    return [[name, float(score)] for name, score in answer]


def totals(db):
    """How large is the catalogue?"""
    packages, size, missing = db.mget("count:packages", "count:bytes", "count:nothing")
    return {
        "packages": int(packages),
        "bytes": int(size),
        "missing": missing,
        "architectures": sorted(db.hgetall("architectures").items()),
        "tags": db.scard("tags"),
        "maintainers": db.zcard("maintainers"),
    }


def describe(db):
    """What are these packages?"""
    names = ["bash", "python3", "redis-server", "no-such-package"]
    fields = ["version", "section", "installed", "no-such-field", "description"]
    return {name: db.hmget(f"pkg:{name}", fields) for name in names}


def command_line_tools(db):
    """Which programs are written in Python and used at the command line?"""
    tags = ["tag:role::program", "tag:implemented-in::python", "tag:interface::commandline"]
    return {
        "names": sorted(db.sinter(tags)),
        "count": db.sintercard(len(tags), tags),
        "at most 25": db.sintercard(len(tags), tags, limit=25),
    }


def light_games(db):
    """Which puzzles, board and card games need neither 3D nor SDL?"""
    db.sdiffstore("answer:games", ["section:games", "tag:interface::3d", "tag:uitoolkit::sdl"])
    db.sunionstore("answer:light", ["tag:game::puzzle", "tag:game::board", "tag:game::card"])
    answer = {
        "games": db.scard("answer:games"),
        "light": db.scard("answer:light"),
        "both": sorted(db.sinter("answer:games", "answer:light"))[:40],
        "members": db.smismember("section:games", ["0ad", "bash", "gnuchess"]),
    }
    db.unlink("answer:games", "answer:light")
    return answer


def largest(db):
    """Which are the largest, and which take 0.9 to 1.1 GB when installed?"""
    return {
        "downloads": pairs(db.zrange("by-size", 0, 9, desc=True, withscores=True)),
        "smallest": pairs(db.zrange("by-size", 0, 9, withscores=True)),
        "range": pairs(
            db.zrangebyscore("by-installed-size", 900_000, "(1100000", withscores=True)
        ),
        "page": db.zrevrangebyscore("by-installed-size", "+inf", "-inf", start=100, num=5),
        "over 100 MB": db.zcount("by-installed-size", 100_000, "+inf"),
        "median": db.zrange("by-size", db.zcard("by-size") // 2, db.zcard("by-size") // 2),
    }


def prefixes(db):
    """Which names begin with this?"""
    answer = {}
    for prefix in ("python3-djan", "libreoffice-l10n-", "zz", "redis"):
        low, high = f"[{prefix}", f"({prefix}\x7f"
        names = db.zrangebylex("names", low, high, start=0, num=20)
        answer[prefix] = [db.zlexcount("names", low, high), names]
    answer["last"] = db.zrevrangebylex("names", "+", "-", start=0, num=5)
    return answer


def sorted_games(db):
    """Which games need the most space, and what are they?"""
    gets = ["#", "pkg:*->installed", "pkg:*->description"]
    return {
        "largest": db.sort("section:games", by="pkg:*->installed", get=gets, start=0, num=10,
                           desc=True, groups=True),
        "by name": db.sort("section:games", alpha=True, start=0, num=10),
        "stored": db.sort("section:shells", alpha=True, desc=True, store="answer:shells"),
        "shells": db.lrange("answer:shells", 0, -1),
        "removed": db.delete("answer:shells"),
    }


def expansion(db):
    """What weighs most if a downloaded byte costs as much as two installed ones?"""
    stored = db.zunionstore("answer:cost", {"by-size": 2, "by-installed-size": 1024})
    highest = db.zinterstore("answer:editors", {"by-size": 1, "section:editors": 0},
                             aggregate="MAX")
    answer = {
        "stored": stored,
        "cost": pairs(db.zrange("answer:cost", 0, 9, desc=True, withscores=True)),
        "editors": [highest, pairs(db.zrange("answer:editors", 0, 4, desc=True,
                                             withscores=True))],
        "copied": db.zrangestore("answer:top", "answer:cost", 0, 4, desc=True),
        "popped": pairs(db.zpopmax("answer:top", 2)),
        "left": db.zcard("answer:top"),
    }
    db.delete("answer:cost", "answer:editors", "answer:top")
    return answer


def most_needed(db):
    """What does most of the catalogue depend on, and who maintains most of it?"""
    top = db.zrevrange("dependents", 0, 14, withscores=True)
    return {
        "dependents": pairs(top),
        "rank of perl": db.zrevrank("dependents", "perl"),
        "rank of nothing": db.zrank("dependents", "no such package"),
        "scores": db.zmscore("dependents", ["libc6", "no such package"]),
        "maintainers": pairs(db.zrevrange("maintainers", 0, 9, withscores=True)),
    }


def sections(db):
    """How many packages has each section, by its counter and by its set?"""
    names = sorted(key.split(":", 1)[1] for key in db.scan_iter(match="section:*", count=500))
    counters = db.mget([f"count:section:{name}" for name in names])
    with db.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.scard(f"section:{name}")
        sizes = pipe.execute()
    return [[name, int(n), size] for name, n, size in zip(names, counters, sizes)]


def newest(db):
    """What came last?"""
    top = db.lrange("latest", 0, 9)
    return {
        "latest": top,
        "kept": db.llen("latest"),
        "third": db.lindex("latest", 2),
        "position": db.lpos("latest", top[4]),
        "games": db.lrange("latest:games", -3, -1),
    }


def move_between_sections(db):
    """Can a package change its section without anyone ever seeing it in two?"""
    name, old, new = "bash", "section:shells", "section:answer"
    before = [db.scard(old), db.exists(new)]
    with db.pipeline() as pipe:
        pipe.watch(old)
        present = pipe.sismember(old, name)
        pipe.multi()
        pipe.smove(old, new, name)
        pipe.hset(f"pkg:{name}", "section", "answer")
        pipe.scard(old)
        there = pipe.execute()
    with db.pipeline() as pipe:
        pipe.watch(old)
        db.sadd(old, "somebody else was faster")
        pipe.multi()
        pipe.smove(new, old, name)
        try:
            pipe.execute()
            disturbed = False
        except redis.WatchError:
            disturbed = True
    with db.pipeline() as pipe:
        pipe.srem(old, "somebody else was faster")
        pipe.smove(new, old, name)
        pipe.hset(f"pkg:{name}", "section", "shells")
        back = pipe.execute()
    return [before, bool(present), there, disturbed, back, [db.scard(old), db.exists(new)]]


def cached_answers(db):
    """Does a cached answer go when its time is over, and not before?"""
    db.set("answer:cached", "42", px=150)
    db.copy("answer:cached", "answer:copy", replace=True)
    db.persist("answer:copy")
    first = [db.get("answer:cached"), 0 < db.pttl("answer:cached") <= 150, db.ttl("answer:copy")]
    deadline = time.monotonic() + 5
    while db.exists("answer:cached") and time.monotonic() < deadline:
        time.sleep(0.01)
    gone = [db.get("answer:cached"), db.ttl("answer:cached"), db.getdel("answer:copy")]
    return [first, gone, db.expire("answer:copy", 10)]


def shapes(db):
    """What kinds of keys are there, and how are they kept?"""
    kinds = ("string", "hash", "list", "set", "zset", "stream")
    counts = {kind: len(set(db.scan_iter(count=1000, _type=kind))) for kind in kinds}
    keys = ["count:packages", "pkg:bash", "latest", "names", "section:games", "architectures"]
    return {
        "kinds": counts,
        "keys": db.dbsize(),
        "encodings": [db.object("encoding", key) for key in keys],
        "types": [db.type(key) for key in keys],
        "tags scanned": len(set(db.sscan_iter("tags", count=50))),
        "zs scanned": sum(1 for _ in db.zscan_iter("names", match="zs*", count=1000)),
        "fields scanned": len(dict(db.hscan_iter("pkg:bash"))),
    }


def fingerprint(db):
    """Is every field of every package what was stored?"""
    digest, fields = hashlib.sha256(), 0
    names = db.zrange("names", 0, -1)
    for start in range(0, len(names), 1000):
        with db.pipeline(transaction=False) as pipe:
            for name in names[start : start + 1000]:
                pipe.hgetall(f"pkg:{name}")
            for package in pipe.execute():
                fields += len(package)
                digest.update(json.dumps(package, sort_keys=True).encode())
    return [len(names), fields, digest.hexdigest()]


QUESTIONS = [
    totals, describe, command_line_tools, light_games, largest, prefixes, sorted_games,
    expansion, most_needed, sections, newest, move_between_sections, cached_answers, shapes,
    fingerprint,
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
    parser.add_argument("--flush", action="store_true", help="empty the database first")
    args = parser.parse_args()

    options = {"decode_responses": True, "protocol": args.protocol}
    if args.url:
        db = redis.from_url(args.url, **options)
    else:
        db = redis.Redis(host=args.host, port=args.port, **options)
    try:
        if args.flush:
            db.flushdb()
        if db.dbsize():
            sys.exit("packages.py: the database is not empty: choose another, or use --flush")
    except redis.ConnectionError as error:
        sys.exit(f"packages.py: no server: {error}")

    started = time.perf_counter()
    with open_index(args.file) as lines:
        count = load(db, lines)
    seconds = time.perf_counter() - started
    if not count:
        sys.exit("packages.py: the index has no packages")
    rate = count / seconds
    print(f"loaded {count} packages in {seconds:.2f} s ({rate:.0f}/s)", file=sys.stderr)
    for question in QUESTIONS:
        started = time.perf_counter()
        answer = question(db)
        took = (time.perf_counter() - started) * 1000
        print(f"{took:9.2f} ms  {question.__doc__}", file=sys.stderr)
        print(json.dumps({question.__name__: answer}, sort_keys=True, ensure_ascii=False))


if __name__ == "__main__":
    main()
