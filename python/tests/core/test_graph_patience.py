"""Statements that take longer than the server may be silent otherwise."""

from __future__ import annotations

import asyncio
import time

import pytest

import kvist
import kvist.aio

from .conftest import PATIENCE, Server

SILENCE = 0.3
"""How long the server may be silent, in seconds."""
PAUSE = 3 * SILENCE
"""How long writes wait."""


ENDLESS = (
    "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y WITH x, y WHERE x = -y RETURN x"
)


def pause(server: Server) -> None:
    with server.client() as client:
        client.client_pause(int(PAUSE * 1000), all=False)


def made(server: Server, name: str) -> int:
    with server.client() as client:
        rows = client.graph(name).ro_query("MATCH (n) RETURN count(n)").result_set
        return int(rows[0][0])


def test_a_statement_is_waited_for_and_runs_once(kvist_server: Server) -> None:
    with kvist_server.client(socket_timeout=SILENCE) as client:
        client.ping()
        pause(kvist_server)
        begin = time.monotonic()
        client.graph("once").query("CREATE ()")
        assert time.monotonic() - begin > SILENCE
    assert made(kvist_server, "once") == 1


def test_a_statement_with_a_time_is_waited_for_no_longer(kvist_server: Server) -> None:
    with kvist_server.client(socket_timeout=SILENCE, retry=None) as client:
        client.graph("late").query("CREATE ()")
        pause(kvist_server)
        # The server says that its time is over, or the client gives up soon after.
        with pytest.raises((kvist.TimeoutError, kvist.ResponseError)):
            client.graph("late").query("CREATE ()", timeout=1)
    time.sleep(PAUSE)
    assert made(kvist_server, "late") == 1


def test_a_statement_keeps_no_other_task_waiting(kvist_server: Server) -> None:
    async def main() -> None:
        async with kvist.aio.Kvist(port=kvist_server.port, socket_timeout=SILENCE) as client:
            await client.set("k", "v")
            pause(kvist_server)
            statement = asyncio.create_task(client.graph("beside").query("CREATE ()"))
            await asyncio.sleep(SILENCE / 10)
            assert await client.get("k") == b"v"
            assert not statement.done()
            await statement

    asyncio.run(main())
    assert made(kvist_server, "beside") == 1


def test_a_statement_ends_when_its_task_is_cancelled(kvist_server: Server) -> None:
    async def main() -> None:
        async with kvist.aio.Kvist(port=kvist_server.port) as client:
            statement = asyncio.create_task(client.graph("ended").query(ENDLESS))

            async def become(running: int) -> None:
                while len((await client.execute_command("GRAPH.INFO"))[1]) != running:
                    await asyncio.sleep(0.01)

            await asyncio.wait_for(become(1), PATIENCE)
            statement.cancel()
            with pytest.raises(asyncio.CancelledError):
                await statement
            await asyncio.wait_for(become(0), PATIENCE)

    asyncio.run(main())
