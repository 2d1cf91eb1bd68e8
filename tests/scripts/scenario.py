"""The notation of scenarios: what is sent on which connection, and how replies are compared.

    == what this is about [resp3]     a section: empty servers, fresh connections; one protocol only
    # a comment
    SET key "a\\tb" 'raw'              a request on the connection `main`, quoted as in redis-cli
    EVAL << 1 key                     `<<` is the block of lines below that start with `|`
    | return redis.call('GET', KEYS[1])
    @b SUBSCRIBE news                 the same on another connection, opened at its first use
    @b ?                              reads one more frame
    @b ? until TEXT                   reads frames until one holds the text
    @b > EVAL "while true do end" 0   sends without reading: `@b ?` reads the reply
    ~until BUSY GET key               asks again until the reply holds the word; that reply counts
    ~sort SMEMBERS key                members of lists in any order
    ~fields a,b? INFO memory          these fields; with `?` only whether they are there
    ~type TIME                        only the type byte
    $dump = FUNCTION DUMP             keeps each server's reply: `$dump` sends it back
    ~wait 30                          lets so many milliseconds pass

Replies must be equal to the byte, but for what `masks` blots out by name.
"""

import dataclasses
import re
import shlex

MODIFIERS = {"~until": 1, "~sort": 0, "~fields": 1, "~type": 0}
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "b": b"\b", "a": b"\a"}


@dataclasses.dataclass
class Step:
    """One line: what to do, on which connection, and how to compare."""

    line: int
    text: str
    connection: str = "main"
    words: list = dataclasses.field(default_factory=list)
    action: str = "ask"  # or send, read, wait, batch: words are requests, sent in one write
    until: bytes = b""
    modifier: str = ""
    fields: str = ""
    keep: str = ""
    pause: int = 0


@dataclasses.dataclass
class Section:
    """Steps that start from empty servers."""

    file: str
    title: str
    protocols: tuple
    steps: list


def parse(file, text):
    """The sections of a file."""
    sections, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        line, number = lines[at].strip(), at + 1
        at += 1
        if not line or line.startswith("#"):
            continue
        if line.startswith("=="):
            title, _, only = line[2:].strip().partition(" [")
            protocols = {"": (2, 3), "resp2]": (2,), "resp3]": (3,)}[only]
            sections.append(Section(file, title, protocols, []))
            continue
        if line.startswith("|"):
            raise ValueError(f"{file}:{number}: a block without a request")
        block = []
        while at < len(lines) and re.match(r"\s*\|", lines[at]):
            block.append(lines[at].lstrip()[1:].removeprefix(" "))
            at += 1
        sections[-1].steps.append(step(f"{file}:{number}", number, line, "\n".join(block)))
    return sections


def step(where, number, line, block=""):
    """One line as a step."""
    result = Step(number, line)
    rest = line
    if rest.startswith("@"):
        result.connection, _, rest = rest[1:].partition(" ")
        rest = rest.strip()
    if rest.startswith("?"):
        result.action = "read"
        if rest.startswith("? until "):
            result.until = rest[8:].strip().encode()
        return result
    if rest.startswith("> "):
        result.action, rest = "send", rest[2:].strip()
    kept = re.match(r"\$(\w+) = (.*)", rest)
    if kept:
        result.keep, rest = kept.groups()
    if rest.startswith("~wait "):
        return dataclasses.replace(result, action="wait", pause=int(rest[6:]))
    while rest.startswith("~"):
        name, _, rest = rest.partition(" ")
        if name not in MODIFIERS:
            raise ValueError(f"{where}: {name} is no modifier")
        argument = ""
        if MODIFIERS[name]:
            argument, _, rest = rest.strip().partition(" ")
        if name == "~until":
            result.until = argument.encode()
        else:
            result.modifier, result.fields = name[1:], argument
        rest = rest.strip()
    for word in words(where, rest):
        result.words.append(block.encode() if word == b"<<" else word)
    return result


def words(where, line):
    """The words of a line, quoted as redis-cli understands it."""
    result, at = [], 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        word = bytearray()
        while at < len(line) and not line[at].isspace():
            if line[at] == '"' and not word:
                at = quoted(where, line, at + 1, word)
                break
            if line[at] == "'" and not word:
                end = line.find("'", at + 1)
                if end < 0:
                    raise ValueError(f"{where}: no closing quote")
                word += line[at + 1:end].encode()
                at = end + 1
                break
            word += line[at].encode()
            at += 1
        result.append(bytes(word))
    return result


def quoted(where, line, at, word):
    """Reads to the closing double quote; gives the place after it."""
    while at < len(line):
        char = line[at]
        if char == '"':
            return at + 1
        if char == "\\" and line[at + 1] == "x":
            word.append(int(line[at + 2:at + 4], 16))
            at += 4
        elif char == "\\":
            word += ESCAPES.get(line[at + 1], line[at + 1].encode())
            at += 2
        else:
            word += char.encode()
            at += 1
    raise ValueError(f"{where}: no closing quote")


def shown(word):
    """A word for the report: of a long script its last line."""
    head, _, last = word.rpartition("\n")
    return shlex.quote(f"…{last}" if len(head) > 200 else word)


def section(file, title, requests, protocols=(2, 3)):
    """A section made by a program: requests are lists of words, or lists of requests to be sent in
    one write."""
    steps = []
    for number, request in enumerate(requests, 1):
        if isinstance(request[0], list):
            steps.append(Step(number, "the data", words=request, action="batch"))
        else:
            raw = [w if isinstance(w, bytes) else str(w).encode() for w in request]
            text = " ".join(shown(w.decode("latin-1")) for w in raw)
            steps.append(Step(number, text, words=raw))
    return Section(file, title, protocols, steps)
