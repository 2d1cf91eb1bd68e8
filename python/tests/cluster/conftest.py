"""A cluster of real servers: three primaries, and a replica of the first."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from core.conftest import Server, eventually

import kvist
from kvist.cluster import RedisCluster


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Node(Server):
    """A server of a cluster."""

    def __init__(self) -> None:
        bus = free_port()
        super().__init__(
            "redis", "--cluster-enabled", "yes", "--cluster-port", str(bus),
            "--cluster-node-timeout", "2000", "--cluster-replica-validity-factor", "0",
            "--repl-ping-replica-period", "1", "--cluster-allow-replica-migration", "no",
        )
        self.bus = bus
        with self.client() as client:
            self.id = client.execute_command("CLUSTER MYID").decode()


class Cluster:
    """Three primaries, each with a third of the slots, and a replica of the first."""

    def __init__(self) -> None:
        self.nodes = [Node() for _ in range(4)]
        self.clients: list[kvist.Kvist[Any]] = [node.client() for node in self.nodes]
        bounds = [0, 5461, 10922, 16384]
        for number, client in enumerate(self.clients):
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            first = self.nodes[0]
            client.execute_command("CLUSTER MEET", "127.0.0.1", first.port, first.bus)
            if number < 3:
                slots = bounds[number], bounds[number + 1] - 1
                client.execute_command("CLUSTER ADDSLOTSRANGE", *slots)
        eventually(lambda: all(self.known(client) == 4 for client in self.clients))
        eventually(self.replicate)
        eventually(self.is_well)

    @staticmethod
    def info(client: Any) -> dict[str, str]:
        """What ``CLUSTER INFO`` says."""
        return dict(client.execute_command("CLUSTER INFO"))

    def known(self, client: Any) -> int:
        """How many nodes one knows."""
        return int(self.info(client)["cluster_known_nodes"])

    def replicate(self) -> bool:
        """Has the fourth follow the first."""
        try:
            self.clients[3].execute_command("CLUSTER REPLICATE", self.nodes[0].id)
        except kvist.ResponseError:
            return False
        return True

    def is_well(self) -> bool:
        """Whether all agree on all slots, and the replica follows."""
        maps = [client.execute_command("CLUSTER SLOTS") for client in self.clients]
        return (
            all(self.info(client)["cluster_state"] == "ok" for client in self.clients)
            and all(sorted(map(repr, it)) == sorted(map(repr, maps[0])) for it in maps)
            and len(maps[0]) == 3
            and any(len(it) == 4 for it in maps[0])
            and self.clients[3].info("replication")["master_link_status"] == "up"
        )

    def client(self, **values: Any) -> RedisCluster[Any]:
        """A client of the cluster."""
        return RedisCluster(host="127.0.0.1", port=self.nodes[1].port, **values)

    def begin_migration(self, slot: int, source: int, target: int) -> None:
        """A slot begins to move from one node to another."""
        here, there = self.clients[source], self.clients[target]
        there.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", self.nodes[source].id)
        here.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", self.nodes[target].id)

    def migrate(self, source: int, target: int, *keys: str) -> None:
        """Keys go from one node to another."""
        port = self.nodes[target].port
        self.clients[source].execute_command(
            "MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys
        )

    def end_migration(self, slot: int, owner: int) -> None:
        """A slot has moved."""
        for client in (self.clients[owner], *self.clients[:3]):
            client.execute_command("CLUSTER SETSLOT", slot, "NODE", self.nodes[owner].id)

    def remove(self) -> None:
        """Ends them for good."""
        for client in self.clients:
            client.close()
        for node in self.nodes:
            node.remove()


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[Cluster]:
    """A cluster that many tests use."""
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def servers(shared_cluster: Cluster) -> Cluster:
    """The cluster, empty."""
    for client in shared_cluster.clients[:3]:
        client.flushall()
    return shared_cluster


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A cluster for a test that breaks it."""
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(params=[2, 3])
def cluster(servers: Cluster, request: Any) -> Iterator[RedisCluster[Any]]:
    """A client of the cluster, in both protocols."""
    with servers.client(protocol=request.param) as client:
        yield client
