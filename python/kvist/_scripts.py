"""Scripts as objects that can be called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .exceptions import NoScriptError
from .typing import EncodableT, KeyT, ScriptTextT


class Script:
    """A script that the server is told once and then called by its digest.

    Calling it in a pipeline adds the call to the pipeline, which sees to it that the server knows
    the script before it runs.
    """

    def __init__(self, registered_client: Any, script: ScriptTextT) -> None:
        self.registered_client = registered_client
        self.script = script
        import hashlib  # loads OpenSSL, which most programs do not need

        self.sha = hashlib.sha1(self._source()).hexdigest()

    def _source(self) -> bytes:
        if not isinstance(self.script, str):
            return bytes(self.script)
        encoder = getattr(self.registered_client, "get_encoder", None)
        return bytes(encoder().encode(self.script)) if encoder else self.script.encode()

    def _words(
        self, keys: Sequence[KeyT] | None, args: Iterable[EncodableT] | None
    ) -> tuple[int, list[Any]]:
        keys = keys or ()
        return len(keys), [*keys, *(args or ())]

    def _client(self, client: Any) -> Any:
        client = self.registered_client if client is None else client
        scripts = getattr(client, "scripts", None)
        if scripts is not None:  # a pipeline
            scripts.add(self)
        return client

    def __call__(
        self,
        keys: Sequence[KeyT] | None = None,
        args: Iterable[EncodableT] | None = None,
        client: Any = None,
    ) -> Any:
        """Runs the script with these keys and arguments, and answers its reply."""
        client = self._client(client)
        count, words = self._words(keys, args)
        try:
            return client.evalsha(self.sha, count, *words)
        except NoScriptError:
            # The server was started anew, or has forgotten its scripts.
            self.sha = client.script_load(self.script)
            return client.evalsha(self.sha, count, *words)


class AsyncScript(Script):
    """The same for a client whose methods are coroutines."""

    async def __call__(
        self,
        keys: Sequence[KeyT] | None = None,
        args: Iterable[EncodableT] | None = None,
        client: Any = None,
    ) -> Any:
        """Runs the script with these keys and arguments, and answers its reply."""
        client = self._client(client)
        count, words = self._words(keys, args)
        try:
            return await client.evalsha(self.sha, count, *words)
        except NoScriptError:
            self.sha = await client.script_load(self.script)
            return await client.evalsha(self.sha, count, *words)
