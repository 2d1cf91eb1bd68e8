"""``client.json()``: JSON documents as Python values."""

# Documents are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from json import JSONDecodeError, JSONDecoder, JSONEncoder
from typing import Any

from ._json_commands import AsyncJsonCommands, JsonCommands, JsonPipelineCommands
from ._json_values import FPHAType, PathT
from ._replies import text
from .typing import EncodableT, S

ENCODER = JSONEncoder()
DECODER = JSONDecoder()


def _plain(value: Any) -> Any:
    """A reply that is no JSON text."""
    if isinstance(value, list):
        return [None if text(item) == "null" else text(item) for item in value]
    return text(value)


class _Documents:
    """How documents are written and read, and what becomes of replies."""

    def __init__(
        self,
        client: Any,
        version: Any = None,
        decoder: JSONDecoder = DECODER,
        encoder: JSONEncoder = ENCODER,
    ) -> None:
        self.client = client
        self.MODULE_VERSION = version
        self._decoder = decoder
        self._encoder = encoder
        get_settings = getattr(client, "get_connection_kwargs", None)
        settings = get_settings() if get_settings else {}
        self._callbacks = self._replies(
            settings.get("protocol"), settings.get("legacy_responses", True)
        )
        for name, callback in self._callbacks.items():
            client.set_response_callback(name, callback)

    def _encode(self, value: Any) -> str:
        return self._encoder.encode(value)

    def _decode(self, value: Any, **_: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, (bytes, str)):
            try:
                return self._decoder.decode(text(value))
            except JSONDecodeError:
                return text(value)
        return _plain(value)

    def _decode_each(self, values: Any, **_: Any) -> Any:
        return [None if value is None else self._decode(value) for value in values]

    def _number_legacy(self, value: Any, _json_path: Any = None, **_: Any) -> Any:
        """A number after arithmetic; a path of the old kind means one of them."""
        result = self._decode(value)
        old = isinstance(_json_path, str) and not _json_path.startswith("$")
        if old and isinstance(value, list) and len(result) == 1:
            return result[0]
        return result

    def _number_unified(self, value: Any, **_: Any) -> Any:
        if not isinstance(value, (bytes, str)):
            return value
        try:
            result = self._decoder.decode(text(value))
        except JSONDecodeError:
            return value
        return result if isinstance(result, list) else [result]

    def _replies(self, protocol: Any, legacy: bool) -> dict[str, Callable[..., Any]]:
        number = None if protocol is None else int(protocol)
        decode: Callable[..., Any] = self._decode
        replies: dict[str, Callable[..., Any]] = {
            **dict.fromkeys(("JSON.MERGE", "JSON.MSET", "JSON.SET"), _ok),
            **dict.fromkeys(
                ("JSON.ARRPOP", "JSON.DEBUG", "JSON.GET", "JSON.RESP", "JSON.TOGGLE"), decode
            ),
            "JSON.MGET": self._decode_each,
        }
        arithmetic = ("JSON.NUMINCRBY", "JSON.NUMMULTBY", "JSON.NUMPOWBY")
        if legacy and number == 2:
            names = (
                "JSON.ARRAPPEND JSON.ARRINDEX JSON.ARRINSERT JSON.ARRLEN JSON.ARRTRIM JSON.OBJKEYS "
                "JSON.OBJLEN JSON.STRAPPEND JSON.STRLEN"
            )
            replies |= dict.fromkeys((*names.split(), *arithmetic), decode)
        elif legacy and number is None:
            replies |= dict.fromkeys(arithmetic, self._number_legacy)
            replies |= {
                "JSON.OBJKEYS": decode,
                "JSON.RESP": lambda reply, **_: _fractions(decode(reply), str),
                "JSON.TYPE": lambda reply, **_: _only(reply),
            }
        elif not legacy and number == 2:
            replies |= dict.fromkeys(arithmetic, self._number_unified)
            replies["JSON.RESP"] = lambda reply, **_: _numbers(decode(reply))
            replies["JSON.TYPE"] = lambda reply, **_: None if reply is None else [reply]
        elif not legacy:
            replies["JSON.TYPE"] = lambda reply, **_: None if reply == [None] else reply
        return replies


def _ok(reply: Any, **_: Any) -> Any:
    return reply and text(reply) == "OK"


def _only(reply: Any) -> Any:
    return reply[0] if isinstance(reply, list) and len(reply) == 1 else reply


def _fractions(value: Any, cast: Callable[[float], Any]) -> Any:
    if isinstance(value, list):
        return [_fractions(item, cast) for item in value]
    return cast(value) if isinstance(value, float) else value


def _numbers(value: Any) -> Any:
    """Texts of numbers as numbers: RESP2 has no fractions."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return value
    return value


def _files(folder: str) -> Iterator[str]:
    for root, _folders, files in os.walk(folder):
        for file in files:
            yield os.path.join(root, file)


def _loaded(file_name: str) -> Any:
    with open(file_name, encoding="utf-8") as file:
        return json.load(file)


class JSON(_Documents, JsonCommands[S]):
    """JSON documents of a client; made by ``client.json()``.

    >>> client.json().set("user:1", "$", {"name": "Ada", "age": 36})  # doctest: +SKIP
    True
    >>> client.json().get("user:1", "$.name")  # doctest: +SKIP
    ['Ada']
    """

    def execute_command(self, *args: EncodableT, **options: Any) -> Any:
        return self.client.execute_command(*args, **options)

    def set_file(
        self,
        name: str,
        path: PathT,
        file_name: str,
        nx: bool | None = False,
        xx: bool | None = False,
        decode_keys: bool | None = False,
        fpha: FPHAType | str | None = None,
    ) -> bool | None:
        """Sets a document to what a file holds."""
        return self.set(name, path, _loaded(file_name), nx, xx, decode_keys, fpha)

    def set_path(
        self,
        json_path: PathT,
        root_folder: str,
        nx: bool | None = False,
        xx: bool | None = False,
        decode_keys: bool | None = False,
        fpha: FPHAType | str | None = None,
    ) -> dict[str, bool]:
        """Sets a document for each file in a folder, called as the file without its suffix.

        Answers which files were taken; those that hold no JSON are not.
        """
        taken: dict[str, bool] = {}
        for file in _files(root_folder):
            try:
                self.set_file(file.rsplit(".")[0], json_path, file, nx, xx, decode_keys, fpha)
                taken[file] = True
            except JSONDecodeError:
                taken[file] = False
        return taken

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> JSONPipeline[S]:
        """A pipeline whose methods are those of documents."""
        return JSONPipeline(self, self.client.pipeline(transaction, shard_hint))


class JSONPipeline(JsonPipelineCommands[S]):
    """A pipeline of commands about documents; everything else is as with other pipelines."""

    def __init__(self, documents: Any, pipeline: Any) -> None:
        self._encode = documents._encode
        self._pipeline = pipeline
        for name, callback in documents._callbacks.items():
            pipeline.set_response_callback(name, callback)

    def execute_command(self, *args: EncodableT, **options: Any) -> Any:
        self._pipeline.execute_command(*args, **options)
        return self

    def execute(self, raise_on_error: bool = True) -> Any:
        """Sends the commands and answers their replies."""
        return self._pipeline.execute(raise_on_error)


class AsyncJSON(_Documents, AsyncJsonCommands[S]):
    """The same documents for a client whose methods are coroutines."""

    # A plain function that answers the client's coroutine: nothing is awaited twice.
    def execute_command(self, *args: EncodableT, **options: Any) -> Any:
        return self.client.execute_command(*args, **options)

    async def set_file(
        self,
        name: str,
        path: PathT,
        file_name: str,
        nx: bool | None = False,
        xx: bool | None = False,
        decode_keys: bool | None = False,
        fpha: FPHAType | str | None = None,
    ) -> bool | None:
        """Sets a document to what a file holds."""
        import asyncio

        value = await asyncio.to_thread(_loaded, file_name)
        return await self.set(name, path, value, nx, xx, decode_keys, fpha)

    async def set_path(
        self,
        json_path: PathT,
        root_folder: str,
        nx: bool | None = False,
        xx: bool | None = False,
        decode_keys: bool | None = False,
        fpha: FPHAType | str | None = None,
    ) -> dict[str, bool]:
        """Sets a document for each file in a folder, called as the file without its suffix."""
        import asyncio

        taken: dict[str, bool] = {}
        for file in await asyncio.to_thread(lambda: list(_files(root_folder))):
            try:
                name = file.rsplit(".")[0]
                await self.set_file(name, json_path, file, nx, xx, decode_keys, fpha)
                taken[file] = True
            except JSONDecodeError:
                taken[file] = False
        return taken

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> JSONPipeline[S]:
        """A pipeline whose methods are those of documents; its ``execute`` is a coroutine."""
        return JSONPipeline(self, self.client.pipeline(transaction, shard_hint))
