"""Spans of OpenTelemetry for commands and pipelines, where a program wants them.

::

    instrument()   Kvist.execute_command ─► span ─► Kvist.execute_command
    uninstrument() as if nothing had been

Nothing is imported, looked up or wrapped until ``instrument()`` is called, so a program that does
not call it pays nothing. Statements are shown without their arguments, which may be secrets.

>>> import kvist.telemetry
>>> kvist.telemetry.instrument()  # doctest: +SKIP
>>> kvist.Kvist().get("greeting")  # a span GET, db.statement "GET ?"  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

from ._replies import text

__all__ = ["instrument", "is_instrumented", "uninstrument"]

# How many commands of a pipeline are named in its span.
NAMED = 20

# Classes whose commands get spans, and what their method is.
CLIENTS = (
    ("kvist.client", "Kvist"), ("kvist.cluster", "RedisCluster"),
    ("kvist.aio.client", "Kvist"), ("kvist.aio.cluster", "RedisCluster"),
)
PIPELINES = (
    ("kvist.client", "Pipeline"), ("kvist._cluster_pipeline", "ClusterPipeline"),
    ("kvist.aio.client", "Pipeline"), ("kvist.aio._cluster_pipeline", "ClusterPipeline"),
)

_wrapped: list[tuple[type, str, Any]] = []


def redacted(words: Sequence[Any]) -> str:
    """A command without its arguments.

    >>> redacted(["SET", "key", "secret"]), redacted(["CONFIG GET", "port"]), redacted(["PING"])
    ('SET ? ?', 'CONFIG GET ?', 'PING')
    """
    return " ".join([operation(words), *("?" for _ in words[1:])])


def operation(words: Sequence[Any]) -> str:
    """The name of a command."""
    name = words[0] if words else ""
    return str(text(bytes(name) if type(name) is memoryview else name)).upper()


def reason(error: Exception) -> str:
    """The text of an error without what it quotes of a command.

    >>> reason(Exception("Command # 1 (SET k secret) of pipeline caused error: OOM"))
    'OOM'
    >>> reason(Exception("unknown command 'X', with args beginning with: 'secret'"))
    "unknown command 'X'"
    """
    shown = str(error)
    shown = shown.rpartition(" of pipeline caused error: ")[2]
    return shown.partition(", with args beginning with")[0]


def place(client: Any) -> dict[str, Any]:
    """Where a client's server is, as attributes; nothing for a client of several servers."""
    pool = getattr(client, "connection_pool", None)
    values = getattr(pool, "connection_kwargs", None)
    if values is None:
        return {}
    address = getattr(pool, "master_address", None)
    if values.get("path"):
        found: dict[str, Any] = {"server.address": values["path"], "network.transport": "unix"}
    elif address is not None:
        found = {"server.address": address[0], "server.port": address[1]}
    else:
        found = {
            "server.address": values.get("host", "localhost"),
            "server.port": int(values.get("port", 6379)),
        }
    return {**found, "db.redis.database_index": int(values.get("db") or 0)}


class Spans:
    """Makes spans."""

    def __init__(self, tracer_provider: Any) -> None:
        try:
            trace: Any = importlib.import_module("opentelemetry.trace")
        except ImportError as error:
            raise ImportError(
                "kvist.telemetry needs opentelemetry-api: pip install kvist[telemetry]"
            ) from error
        from ._core import __version__

        self.tracer = trace.get_tracer("kvist", __version__, tracer_provider)
        self.kind = trace.SpanKind.CLIENT
        self.Status = trace.Status
        self.error = trace.StatusCode.ERROR

    @contextmanager
    def begin(self, name: str, statement: str, client: Any) -> Generator[Any, None, None]:
        """A span that is current while its ``with`` lasts, and records what is raised in it."""
        attributes = {
            "db.system": "redis",
            "db.operation.name": name,
            "db.statement": statement,
            **place(client),
        }
        with self.tracer.start_as_current_span(
            name, kind=self.kind, attributes=attributes,
            record_exception=False, set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Exception as error:
                self.record(span, error)
                span.set_status(self.Status(self.error, reason(error)))
                raise

    def record(self, span: Any, error: Exception) -> None:
        """Notes an error, without the arguments that its text may quote."""
        kind = type(error)
        span.add_event("exception", {
            "exception.type": f"{kind.__module__}.{kind.__qualname__}",
            "exception.message": reason(error),
        })

    def of_pipeline(self, pipeline: Any) -> Any:
        """The span of a pipeline's commands; their number is an attribute."""
        stack = pipeline.command_stack
        commands = [getattr(it, "args", None) or it[0] for it in stack[:NAMED]]
        statement = "\n".join(map(redacted, commands))
        if len(stack) > NAMED:
            statement += f"\n… {len(stack) - NAMED} more"
        names = {operation(words) for words in commands}
        name = f"PIPELINE {names.pop()}" if len(names) == 1 and len(stack) <= NAMED else "PIPELINE"
        span = self.begin(name, statement, pipeline)
        return span, {"db.operation.batch.size": len(stack)}


def _command(spans: Spans, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def execute_command(self: Any, *args: Any, **options: Any) -> Any:
        with spans.begin(operation(args), redacted(args), self):
            return method(self, *args, **options)

    return execute_command


def _async_command(spans: Spans, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    async def execute_command(self: Any, *args: Any, **options: Any) -> Any:
        with spans.begin(operation(args), redacted(args), self):
            return await method(self, *args, **options)

    return execute_command


def _pipeline(spans: Spans, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def execute(self: Any, raise_on_error: bool = True) -> Any:
        scope, more = spans.of_pipeline(self)
        with scope as span:
            span.set_attributes(more)
            results = method(self, raise_on_error)
            _note(spans, span, results)
            return results

    return execute


def _async_pipeline(spans: Spans, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    async def execute(self: Any, raise_on_error: bool = True) -> Any:
        scope, more = spans.of_pipeline(self)
        with scope as span:
            span.set_attributes(more)
            results = await method(self, raise_on_error)
            _note(spans, span, results)
            return results

    return execute


def _note(spans: Spans, span: Any, results: Sequence[Any]) -> None:
    """Notes errors that were not raised."""
    errors = [result for result in results if isinstance(result, Exception)]
    for error in errors:
        spans.record(span, error)
    if errors:
        span.set_status(spans.Status(spans.error, f"{len(errors)} of {len(results)} failed"))


def is_instrumented() -> bool:
    """Whether commands get spans."""
    return bool(_wrapped)


def instrument(tracer_provider: Any = None) -> None:
    """Has every command and every pipeline of every client in this process get a span, from this
    provider or from the global one. ``ImportError`` if ``opentelemetry-api`` is not installed.

    A span is named after the command and has ``db.system``, ``db.operation.name``, ``db.statement``
    (with ``?`` for each argument), ``server.address`` and ``server.port``; what is raised is
    recorded. A client that keeps replies has spans of what it does not keep.
    """
    if _wrapped:
        return
    spans = Spans(tracer_provider)
    for places, name, wrappers in (
        (CLIENTS, "execute_command", (_command, _async_command)),
        (PIPELINES, "execute", (_pipeline, _async_pipeline)),
    ):
        for module, class_name in places:
            kind = getattr(importlib.import_module(module), class_name)
            own = kind.__dict__.get(name)
            wrap = wrappers[module.startswith("kvist.aio")]
            setattr(kind, name, wrap(spans, own or getattr(kind, name)))
            _wrapped.append((kind, name, own))


def uninstrument() -> None:
    """Undoes :func:`instrument`."""
    while _wrapped:
        kind, name, own = _wrapped.pop()
        if own is None:
            delattr(kind, name)
        else:
            setattr(kind, name, own)
