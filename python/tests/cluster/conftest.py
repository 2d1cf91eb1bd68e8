"""A cluster of real servers: three primaries, and a replica of the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from core.conftest import Server, eventually
from ports import free_port

import kvist
from kvist.cluster import RedisCluster


class Node(Server):
    """A server of a cluster."""

    def __init__(self) -> None:
        self.bus = free_port()
        super().__init__(
            "redis", "--cluster-enabled", "yes",
            "--cluster-node-timeout", "2000", "--cluster-replica-validity-factor", "0",
            "--repl-ping-replica-period", "1", "--cluster-allow-replica-migration", "no",
        )
        with self.client() as client:
            self.id = client.execute_command("CLUSTER MYID").decode()

    def start(self) -> None:
        """Starts it; at first on other ports if another process was quicker to take one of these."""
        named = "--cluster-port" in self.words
        while not named:
            self.port, self.bus = free_port(), free_port()
            at = self.words.index("--port") + 1
            self.words[at] = str(self.port)
            try:
                words, self.words = self.words, [*self.words, "--cluster-port", str(self.bus)]
                super().start()
            except AssertionError:
                if b"in use" not in (self.folder / "log").read_bytes():
                    raise
                self.words = words
                (self.folder / "log").unlink()
            else:
                return
        super().start()


class Cluster:
    """Three primaries, each with a third of the slots, and a replica of the first."""

    def __init__(self) -> None:
        self.nodes = [Node() for _ in range(4)]
        self.clients: list[kvist.Kvist[Any]] = [node.client() for node in self.nodes]
        bounds = [0, 5461, 10922, 16384]
        for number, client in enumerate(self.clients):
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            if number < 3:
                slots = bounds[number], bounds[number + 1] - 1
                client.execute_command("CLUSTER ADDSLOTSRANGE", *slots)
        for client in self.clients[1:]:
            first = self.nodes[0]
            client.execute_command("CLUSTER MEET", "127.0.0.1", first.port, first.bus)
        eventually(self.is_acquainted)
        eventually(self.replicate)
        eventually(self.is_well)

    @staticmethod
    def info(client: Any) -> dict[str, str]:
        """What ``CLUSTER INFO`` says."""
        return dict(client.execute_command("CLUSTER INFO"))

    def views(self) -> list[dict[str, tuple[str, ...]]]:
        """What each node says of all nodes: flags without its own mark, primary, epoch, slots."""
        return [
            {
                row["node_id"]: (
                    row["flags"].replace("myself,", ""), row["master_id"], row["epoch"],
                    *map(repr, row["slots"]),
                )
                for row in client.execute_command("CLUSTER NODES").values()
            }
            for client in self.clients
        ]

    def is_acquainted(self) -> bool:
        """Whether all know all, and none is still shaking hands."""
        ids = {node.id for node in self.nodes}
        return all(
            set(view) == ids and all("handshake" not in row[0] for row in view.values())
            for view in self.views()
        )

    def replicate(self) -> bool:
        """Has the fourth follow the first."""
        try:
            self.clients[3].execute_command("CLUSTER REPLICATE", self.nodes[0].id)
        except kvist.ResponseError:
            return False
        return True

    def is_agreed(self) -> bool:
        """Whether every slot has an owner, all nodes say the same of each other, epochs are settled,
        and all are well."""
        infos = [self.info(client) for client in self.clients]
        views = self.views()
        epochs = {row[2] for row in views[0].values() if row[0] == "master"}
        return (
            all(info["cluster_state"] == "ok" for info in infos)
            and all(int(info["cluster_slots_ok"]) == 16384 for info in infos)
            and len({info["cluster_current_epoch"] for info in infos}) == 1
            and all(view == views[0] for view in views)
            and len(epochs) == sum(row[0] == "master" for row in views[0].values())
        )

    def await_replica(self) -> None:
        """Waits until the replica has all that the first node has been told."""
        # WAIT is about what there was when its connection last asked for something.
        self.clients[0].ping()
        assert self.clients[0].wait(1, 20_000) == 1

    def is_well(self) -> bool:
        """Whether all agree, and the replica follows."""
        if not self.is_agreed():
            return False
        # A replica is shown once it has said how far it is, and each node hears that by itself.
        maps = [client.execute_command("CLUSTER SLOTS") for client in self.clients]
        replica = self.clients[3].info("replication")
        return (
            all(len(it) == 3 and any(len(range_) == 4 for range_ in it) for it in maps)
            and replica["role"] == "slave"
            and replica["master_link_status"] == "up"
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
        """A slot has moved, and all know.

        What the others said before they knew may still be on its way. A node that hears it last
        believes it if its sender has the higher epoch, and an owner that believes it gives the slot
        up: then no node has it. So the owner takes the highest epoch before it is told, and nothing else is
        done until all agree.
        """
        name = self.nodes[owner].id
        bump = "CLUSTER BUMPEPOCH"
        for client in (self.clients[owner], *self.clients[:3]):
            client.execute_command("CLUSTER SETSLOT", slot, "NODE", name)
            if client is self.clients[owner]:
                client.execute_command(bump)
        eventually(lambda: self.is_agreed() and self.owns(owner, slot))

    def owns(self, number: int, slot: int) -> bool:
        """Whether a node, as the first one sees it, has a slot."""
        for low, high, primary, *_ in self.clients[0].execute_command("CLUSTER SLOTS"):
            if low <= slot <= high:
                return bool(primary[1] == self.nodes[number].port)
        return False

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
    eventually(shared_cluster.is_well)
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
