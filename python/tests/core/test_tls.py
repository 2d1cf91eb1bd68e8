"""Encrypted connections: whom to believe, and who to be."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kvist
import kvist.aio

from .conftest import Server, free_port

if shutil.which("openssl") is None:
    pytest.skip("openssl is not here", allow_module_level=True)


def make(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def papers(tmp_path_factory: Any) -> Path:
    """An authority, and certificates of it for localhost and for another name."""
    folder = tmp_path_factory.mktemp("papers")
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    make(folder, "req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2",
         "-subj", "/CN=authority", "-addext", "basicConstraints=critical,CA:TRUE")
    for name, host in (("good", "localhost"), ("other", "elsewhere.example")):
        make(folder, "req", *curve, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
             f"/CN={host}")
        (folder / "ext").write_text(f"subjectAltName=DNS:{host}\n")
        make(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
             "-CAcreateserial", "-out", f"{name}.crt", "-days", "2", "-extfile", "ext")
    return folder


@pytest.fixture(params=["redis", "kvist"])
def secured(request: Any, papers: Path) -> Iterator[Any]:
    """Starts servers that speak TLS with one of the certificates."""
    servers: list[Server] = []

    def start(name: str, clients: str = "no") -> int:
        server = Server(
            request.param, "--tls-port", "0", "--tls-cert-file", str(papers / f"{name}.crt"),
            "--tls-key-file", str(papers / f"{name}.key"), "--tls-ca-cert-file",
            str(papers / "ca.crt"), "--tls-auth-clients", clients,
        )
        servers.append(server)
        with server.client() as client:
            port = free_port()
            client.config_set("tls-port", port)
        return port

    yield start
    for server in servers:
        server.remove()


def talk(port: int, **values: Any) -> None:
    """Talks, blocking and on a loop."""
    with kvist.Kvist(port=port, ssl=True, retry=None, **values) as client:
        assert client.echo("x" * 100_000) == b"x" * 100_000
        with client.pipeline() as pipe:
            for _ in range(100):
                pipe.echo("y" * 1000)
            assert pipe.execute() == [b"y" * 1000] * 100

    async def main() -> None:
        async with kvist.aio.Kvist(port=port, ssl=True, retry=None, **values) as client:
            assert await client.echo("x" * 100_000) == b"x" * 100_000
            got = await asyncio.gather(*(client.echo(str(n)) for n in range(100)))
            assert got == [str(n).encode() for n in range(100)]

    asyncio.run(main())


def refused(port: int, **values: Any) -> None:
    failures = kvist.ConnectionError, kvist.TimeoutError
    with kvist.Kvist(port=port, ssl=True, retry=None, **values) as client:
        with pytest.raises(failures):
            client.ping()

    async def main() -> None:
        async with kvist.aio.Kvist(port=port, ssl=True, retry=None, **values) as client:
            with pytest.raises(failures):
                await client.ping()

    asyncio.run(main())


def test_trusted_authorities(secured: Any, papers: Path) -> None:
    authority = str(papers / "ca.crt")
    port = secured("good")
    talk(port, ssl_ca_certs=authority)
    talk(port, ssl_ca_data=Path(authority).read_text())
    talk(port, ssl_cert_reqs="none")
    talk(port, ssl_ca_certs=authority, ssl_check_hostname=False)
    refused(port)
    refused(port, ssl_ca_certs=str(papers / "good.crt"))
    with kvist.from_url(f"rediss://localhost:{port}?ssl_ca_certs={authority}") as client:
        assert client.ping() is True
    port = secured("other")
    refused(port, ssl_ca_certs=authority)
    talk(port, ssl_ca_certs=authority, ssl_check_hostname=False)


def test_own_certificate(secured: Any, papers: Path) -> None:
    authority = str(papers / "ca.crt")
    port = secured("good", "yes")
    talk(port, ssl_ca_certs=authority, ssl_certfile=str(papers / "other.crt"),
         ssl_keyfile=str(papers / "other.key"))
    refused(port, ssl_ca_certs=authority)


def test_not_a_tls_server(server: Server, papers: Path) -> None:
    refused(server.port, ssl_ca_certs=str(papers / "ca.crt"), socket_connect_timeout=0.5)
    with kvist.Kvist(port=server.port, ssl=True, ssl_ca_certs="/nonexistent", retry=None) as client:
        with pytest.raises(kvist.RedisError, match="nonexistent"):
            client.ping()
