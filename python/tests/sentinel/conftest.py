"""A master, its replica, and a Sentinel that watches them."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from core.conftest import Server, eventually, free_port

import kvist


class SentinelServer(Server):
    """A Sentinel in a folder of its own."""

    def __init__(self, master: Server) -> None:
        if shutil.which("redis-server") is None:
            pytest.skip("redis-server is not here")
        self.folder = Path(tempfile.mkdtemp(prefix="kvist-py-"))
        self.port = free_port()
        conf = self.folder / "sentinel.conf"
        conf.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.folder}\n"
            f"sentinel monitor orders 127.0.0.1 {master.port} 1\n"
            "sentinel down-after-milliseconds orders 1000\n"
            "sentinel failover-timeout orders 3000\n"
        )
        self.words = ["redis-server", str(conf), "--sentinel"]
        self.process: Any = None
        self.start()


class Watched:
    """All three."""

    def __init__(self) -> None:
        self.master = Server("redis")
        self.replica = Server("redis", "--replicaof", "127.0.0.1", str(self.master.port))
        self.servers = [self.master, self.replica]
        with self.replica.client() as client:
            eventually(lambda: client.info("replication")["master_link_status"] == "up")
        self.sentinel = SentinelServer(self.master)
        self.servers.append(self.sentinel)
        self.wait_for_replica(self.replica)

    @property
    def places(self) -> list[tuple[str, int]]:
        """The Sentinel, behind an address where no process listens."""
        return [("127.0.0.1", 1), ("127.0.0.1", self.sentinel.port)]

    def wait_for_replica(self, replica: Server) -> None:
        """Until the Sentinel could promote it."""
        with kvist.Kvist(port=self.sentinel.port) as client:

            def good() -> bool:
                shown = client.sentinel_slaves("orders")
                return [
                    it["port"] for it in shown
                    if not it["is_sdown"] and it["master-link-status"] == "ok"
                ] == [replica.port]

            eventually(good)

    def fail_over(self) -> None:
        """Has the other server become the master."""
        with kvist.Kvist(port=self.sentinel.port) as client:
            before = client.sentinel_master("orders")["port"]
            eventually(lambda: self._started(client))
            eventually(lambda: client.sentinel_master("orders")["port"] != before)
        self.master, self.replica = self.replica, self.master

    def _started(self, client: Any) -> bool:
        try:
            return bool(client.sentinel_failover("orders"))
        except kvist.ResponseError:
            return False  # one has just been, or the replica has not been heard of lately

    def remove(self) -> None:
        """Ends them for good."""
        for server in self.servers:
            server.remove()


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    """A master, its replica, and a Sentinel."""
    watched = Watched()
    yield watched
    watched.remove()


@pytest.fixture
def own_watched() -> Iterator[Watched]:
    """The same for a test that changes them."""
    watched = Watched()
    yield watched
    watched.remove()
