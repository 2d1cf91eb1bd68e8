"""Ports for servers that tests start."""

import collections
import contextlib
import random
import socket
import threading

# Claims that a process keeps: what asked before so many others listens by now.
KEPT = 64

CLAIMS = collections.deque(maxlen=KEPT)
LOCK = threading.Lock()


def free_port(also=None):
    """A port that no process listens on, that no other test was given a moment ago, and that no
    connection is given by chance: the system takes those from 32768 on, and other tests open
    thousands. `also` is how far above it another port must be free, too."""
    while True:
        port = random.randrange(10000, 32000 - (also or 0))
        wanted = [port] if also is None else [port, port + also]
        if all(claim(one) and is_free(one) for one in wanted):
            return port


def is_free(port):
    """Whether a server can listen there."""
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        return True
    return False


def claim(port):
    """Whether no other test, of this process or another, has been given this port a moment ago. The
    tests in Rust claim ports by the same names (crates/testkit/src/port.rs)."""
    name = socket.socket(socket.AF_UNIX)
    try:
        # A name without a file, which the system forgets when this process ends, however it does.
        name.bind(f"\0kvist-test-port-{port}")
    except OSError:
        name.close()
        return False
    with LOCK:
        if len(CLAIMS) == KEPT:
            CLAIMS.popleft().close()
        CLAIMS.append(name)
    return True
