"""What cannot be equal on two servers: times, sizes, addresses. Blotted out by name, not by place.

A mask changes the tree of a reply before it is compared; everything it does not name stays as it
came. Lists that Redis keeps in a table with a random seed are put in order.
"""

import re

from resp import Frame

# Fields of INFO's lines `cmdstat_…`: how long it took.
USEC = re.compile(rb"(usec|usec_per_call)=[0-9.]+")
MONITOR = re.compile(rb"^\d+\.\d{6} \[(\d+) (?:127\.0\.0\.1:\d+|(lua))\]")
# Values after these names, in maps and in lists of pairs.
NAMED = {
    b"duration_ms": b":0",
    b"age-seconds": b"$0",
    b"client-info": b"$masked",
    b"entry-id": b":0",
    b"timestamp-created": b":0",
    b"timestamp-last-updated": b":0",
}


def mask(words, frame):
    """The reply to this request with what must differ blotted out."""
    title = [word.upper() for word in words[:2]]
    if title[:1] == [b"INFO"]:
        return info(frame)
    if title in ([b"FUNCTION", b"STATS"], [b"ACL", b"LOG"]):
        return named(frame)
    if title == [b"SLOWLOG", b"GET"]:
        return slowlog(frame)
    return frame


def info(frame):
    """Lines of commandstats and errorstats in the order of their names, without times."""
    if not isinstance(frame.value, bytes):
        return frame
    lines = USEC.sub(rb"\1=0", frame.value).split(b"\r\n")
    head, stats = [], []
    for line in lines:
        (stats if line.startswith((b"cmdstat_", b"errorstat_")) else head).append(line)
    return Frame(frame.kind, b"\r\n".join(head + sorted(stats)))


def named(frame):
    """Values that follow one of the names of NAMED."""
    if not isinstance(frame.value, list):
        return frame
    members = [named(member) for member in frame.value]
    for at in range(0, len(members) - 1, 2):
        blot = NAMED.get(members[at].value) if isinstance(members[at].value, bytes) else None
        if blot and not isinstance(members[at + 1].value, list):
            members[at + 1] = Frame(blot[:1], blot[1:])
    return Frame(frame.kind, members)


def slowlog(frame):
    """Of each entry the arguments and the client's name remain."""
    entries = [Frame(b"*", entry.value[3:4] + entry.value[5:]) for entry in frame.value or []]
    return Frame(b"*", entries)


def monitor(frame):
    """The database and whether a script did it remain of a line's head."""
    if frame.kind == b"+":
        return Frame(b"+", MONITOR.sub(
            lambda head: b"TIME [%s %s]" % (head[1], head[2] or b"ADDRESS"), frame.value))
    return frame


def fields(frame, names):
    """These fields of INFO only, in the order asked for."""
    text = frame.value or b""
    found = dict(line.split(b":", 1) for line in text.split(b"\r\n") if b":" in line)
    lines = []
    for name in names.encode().split(b","):
        if name.endswith(b"?"):
            lines.append(b"%s: %s" % (name, b"there" if name[:-1] in found else b"missing"))
        else:
            lines.append(b"%s:%s" % (name, found.get(name, b"missing")))
    return Frame(b"$", b"\r\n".join(lines))
