"""Servers for the tests, each on a socket of its own: redis-server as it is packaged, and Kvist's
where ``KVIST_SERVER`` says where the program is, or the repository has built it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import redis
from ports import free_port

PROGRAM = shutil.which("redis-server")


def kvist_program() -> str | None:
    """The program ``kvist``, if there is one."""
    target = Path(__file__).parents[2] / "target"
    built = [target / profile / "kvist" for profile in ("debug", "release")]
    places = [os.environ.get("KVIST_SERVER", ""), *map(str, built)]
    return next((place for place in places if place and Path(place).is_file()), None)


class Server:
    """A server in a folder of its own, ended by :meth:`stop`."""

    def __init__(self, kind: str = "") -> None:
        program = kvist_program() if kind == "kvist" else PROGRAM
        assert program is not None
        self.folder = Path(tempfile.mkdtemp(prefix="kvist-py-"))
        self.socket = str(self.folder / "s")
        # A port that was free may be taken by now; then another is tried.
        for _ in range(10):
            said = self.started(program, kind)
            if said is None:
                return
            if "Address already in use" not in said:
                break
        raise RuntimeError(said)

    def started(self, program: str, kind: str) -> str | None:
        """Starts it; what it has said if it does not serve."""
        port = free_port(also=10000) if kind in ("cluster", "sentinel") else 0
        lines = [f"port {port}", f"unixsocket {self.socket}", f"dir {self.folder}", "bind 127.0.0.1"]
        if kind != "sentinel":
            # What is slow by chance must not be in the slow log.
            lines += ['save ""', "enable-debug-command yes", "slowlog-log-slower-than 60000000"]
        if kind == "cluster":
            lines.append("cluster-enabled yes")
        conf = self.folder / "server.conf"
        conf.write_text("\n".join(lines) + "\n")
        words = [program, *(["serve"] if kind == "kvist" else []), str(conf)]
        if kind == "sentinel":
            words.append("--sentinel")
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)
        until = time.monotonic() + 20
        while True:
            try:
                with redis.Redis(unix_socket_path=self.socket) as client:
                    client.ping()
                return None
            except redis.ConnectionError:
                if time.monotonic() > until or self.process.poll() is not None:
                    self.process.kill()
                    self.process.wait()
                    return (self.folder / "log").read_text()
                time.sleep(0.02)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
