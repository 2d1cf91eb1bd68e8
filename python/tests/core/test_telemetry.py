"""Spans of commands and pipelines, as OpenTelemetry's own exporter gets them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import kvist
import kvist.aio
import kvist.client
from kvist import telemetry

from .conftest import Server
from .test_aio import looped

sdk = pytest.importorskip("opentelemetry.sdk.trace")


@pytest.fixture
def spans() -> Iterator[Any]:
    """What was exported, with everything instrumented."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry.instrument(provider)
    telemetry.instrument(provider)  # once is enough
    assert telemetry.is_instrumented()
    yield exporter
    telemetry.uninstrument()
    assert not telemetry.is_instrumented()


def test_commands(server: Server, spans: Any) -> None:
    with server.client(db=2) as client:
        client.set("key", "secret")
        with pytest.raises(kvist.ResponseError):
            client.lpush("key", "secret")
        client.config_get("port")
    good, bad, config = spans.get_finished_spans()
    assert good.name == "SET" and good.kind.name == "CLIENT"
    assert dict(good.attributes) == {
        "db.system": "redis", "db.operation.name": "SET", "db.statement": "SET ? ?",
        "server.address": "localhost", "server.port": server.port, "db.redis.database_index": 2,
    }
    assert good.status.status_code.name == "UNSET"
    assert bad.status.status_code.name == "ERROR" and "WRONGTYPE" in bad.status.description
    assert bad.events[0].attributes["exception.type"].endswith("ResponseError")
    assert config.attributes["db.statement"] == "CONFIG GET ?"
    assert "secret" not in repr([dict(span.attributes) for span in (good, bad, config)])


def test_pipelines(server: Server, spans: Any) -> None:
    with server.client() as client:
        with client.pipeline() as pipe:
            pipe.set("key", "secret").get("key").execute()
            for _ in range(30):
                pipe.get("key")
            pipe.execute()
            pipe.lpush("key", "x").execute(raise_on_error=False)
            with pytest.raises(kvist.ResponseError, match="secret"):
                pipe.lpush("key", "secret").execute()
        with pytest.raises(kvist.ResponseError, match="secret"):
            client.execute_command("NOSUCH", "secret")
    mixed, many, failed, *raised = spans.get_finished_spans()
    assert "secret" not in "".join(span.to_json() for span in (mixed, many, failed, *raised))
    assert [span.status.status_code.name for span in raised] == ["ERROR", "ERROR"]
    assert mixed.name == "PIPELINE" and mixed.attributes["db.statement"] == "SET ? ?\nGET ?"
    assert mixed.attributes["db.operation.batch.size"] == 2
    assert many.attributes["db.statement"].endswith("10 more")
    assert failed.name == "PIPELINE LPUSH" and failed.status.status_code.name == "ERROR"


@looped
async def test_asyncio(shared_server: Server) -> None:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    telemetry.instrument(provider)
    try:
        async with kvist.aio.Kvist(unix_socket_path=shared_server.socket) as client:
            await client.set("key", "secret")
            with pytest.raises(kvist.ResponseError):
                await client.lpush("key", "x")
            async with client.pipeline() as pipe:
                await pipe.get("key").execute()
    finally:
        telemetry.uninstrument()
    good, bad, pipeline = spans.get_finished_spans()
    assert good.attributes["server.address"] == shared_server.socket
    assert good.attributes["network.transport"] == "unix"
    assert bad.status.status_code.name == "ERROR"
    assert pipeline.name == "PIPELINE GET"


def test_a_span_within_a_span(server: Server, spans: Any) -> None:
    tracer = sdk.TracerProvider().get_tracer("test")
    with server.client() as client, tracer.start_as_current_span("outer") as outer:
        client.ping()
    (ping,) = spans.get_finished_spans()
    assert ping.parent.span_id == outer.get_span_context().span_id


def test_unused_telemetry_costs_nothing(server: Server, spans: Any) -> None:
    telemetry.uninstrument()
    assert "execute_command" not in vars(kvist.Kvist)
    before = kvist.client.Pipeline.execute
    telemetry.instrument()
    assert kvist.client.Pipeline.execute is not before
    telemetry.uninstrument()
    assert kvist.client.Pipeline.execute is before
    with server.client() as client:
        client.ping()
    assert not spans.get_finished_spans()


def test_without_opentelemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(ImportError, match="pip install"):
        telemetry.instrument()
    assert not telemetry.is_instrumented()


def test_a_server_that_cannot_be_reached(spans: Any) -> None:
    from kvist.backoff import NoBackoff
    from kvist.retry import Retry

    with pytest.raises(kvist.ConnectionError):
        kvist.Kvist(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0)).ping()
    (span,) = spans.get_finished_spans()
    assert span.status.status_code.name == "ERROR"
    assert span.attributes["server.port"] == 1
