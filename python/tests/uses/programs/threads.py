"""Many threads, one client, a server of its own: every reply is the one that was asked for.

By itself, without pytest and redis-py, so that an interpreter without a lock can run it, which few
other packages are built for.
"""

import contextlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

import kvist

if hasattr(sys, "_is_gil_enabled"):
    assert not sys._is_gil_enabled(), "importing kvist has switched the lock on"
# Not one that connections are given by chance: systems hand those out from 32768 on.
while True:
    port = random.randrange(10000, 32000)
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        break
server = subprocess.Popen([shutil.which("redis-server"), "--port", str(port), "--save", ""],
                          stdout=subprocess.DEVNULL)
try:
    client = kvist.Kvist(port=port, decode_responses=True)
    until = time.monotonic() + 20
    while True:
        try:
            client.ping()
            break
        except kvist.ConnectionError:
            assert time.monotonic() < until, "the server did not start"
    failures = []

    def work(number):
        try:
            for n in range(300):
                word = f"{number}.{n}"
                assert client.echo(word) == word
                with client.pipeline() as pipe:
                    assert pipe.echo(word).incr("n").execute()[0] == word
                assert client.hset(f"h{number}", mapping={word: n}) == 1
            assert len(client.hgetall(f"h{number}")) == 300
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    assert client.get("n") == str(16 * 300)
    client.close()
finally:
    server.kill()
    server.wait()
