#!/usr/bin/env python3
"""Whether the indexes of examples/search.py agree with the data, however much of it is there: as
many documents as keys, each key found and each found key there, by tags and by numbers too.

    python3 tests/examples/agreement.py PORT
"""

import collections
import json
import sys

import redis
from redis.commands.search.query import Query

PAGE = 1000


def stored(db, kind):
    """The sections and sizes of all documents of a kind, by key."""
    keys = sorted(db.scan_iter(match=f"{kind}:*", count=PAGE))
    documents = {}
    for start in range(0, len(keys), PAGE):
        page = keys[start : start + PAGE]
        with db.pipeline(transaction=False) as pipe:
            for key in page:
                if kind == "json":
                    pipe.execute_command("JSON.GET", key, "$.section", "$.size")
                else:
                    pipe.hmget(key, "section", "size")
            documents |= zip(page, map(section_and_size, pipe.execute()))
    return documents


def section_and_size(reply):
    """What one reply says of a document."""
    if isinstance(reply, str):
        reply = [values[0] if values else None for values in json.loads(reply).values()]
    section, size = reply
    return section, None if size is None else int(size)


def found(index, text="*"):
    """The keys that a query finds, page by page."""
    keys = []
    while len(keys) % PAGE == 0:
        page = index.search(Query(text).no_content().paging(len(keys), PAGE)).docs
        if not page:
            break
        keys += [doc.id for doc in page]
    return keys


def count(index, text):
    """How many a query finds."""
    return index.search(Query(text).paging(0, 0)).total


def disagreements(db, name, documents):
    """What an index and the data do not agree on, in words."""
    index = db.ft(name)
    info = index.info()
    if int(info["num_docs"]) != len(documents) or int(info["hash_indexing_failures"]):
        yield f"{info['num_docs']} documents, {info['hash_indexing_failures']} failures, " \
              f"and {len(documents)} keys"
    keys = found(index)
    if len(keys) != len(set(keys)) or set(keys) != set(documents):
        odd = sorted(set(keys) ^ set(documents))
        yield f"{len(keys)} keys found of {len(documents)}: {odd[:5]}"
    if name == "packages:near":  # has no other fields
        return
    sections = collections.Counter(section for section, _ in documents.values())
    for section, expected in sections.items():
        if (got := count(index, f"@section:{{{section}}}")) != expected:
            yield f"{got} of {expected} packages of section {section}"
    if set(index.tagvals("section")) != set(sections):
        yield f"sections {set(index.tagvals('section')) ^ set(sections)}"
    sizes = [size for _, size in documents.values() if size is not None]
    for low, high in ((0, 10_000), (10_001, 100_000), (100_001, 10**12)):
        expected = sum(low <= size <= high for size in sizes)
        if (got := count(index, f"@size:[{low} {high}]")) != expected:
            yield f"{got} of {expected} packages of {low} to {high} bytes"


def main():
    db = redis.Redis(port=int(sys.argv[1]), decode_responses=True, socket_timeout=60)
    names, wrong = sorted(db.execute_command("FT._LIST")), []
    for name in names:
        documents = stored(db, "json" if name == "packages:json" else "hash")
        print(f"{name}: {len(documents)} keys")
        wrong += [f"{name}: {text}" for text in disagreements(db, name, documents)]
    if wrong or not names:
        sys.exit("\n".join(wrong) or "there is no index")


if __name__ == "__main__":
    main()
