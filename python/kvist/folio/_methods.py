"""The methods of projects, written once: on asyncio each answers a coroutine.

What they take and answer is in `_folio.pyi` and `_async_folio.pyi`.
"""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._core import Grid, Marker, Ref, Remove
from . import _requests as requests
from ._diffs import Commit, Diff, DiffFlags, HisWrite, as_ref, flag_words, flattened, words_of
from ._errors import ShutdownError
from ._histories import Histories
from ._requests import COLUMNS, Call, Steps


class Methods:
    """The methods of one project."""

    def __init__(self, client: Any, name: str | bytes) -> None:
        self.client = client
        self.name = name
        self._closed = False
        self._pre_commit: list[Callable[[Any], Any]] = []
        self._post_commit: list[Callable[[Any], Any]] = []
        self._on_his_write: list[Callable[[Any], Any]] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _ask(self, words: Iterable[Any], make: Callable[[Any], Any] | None = None) -> Any:
        """Executes a command, and answers what `make` makes of its reply."""
        raise NotImplementedError

    def _do(self, steps: Steps[Any]) -> Any:
        """Does some steps, and answers what these come to."""
        raise NotImplementedError

    def _words(self, verb: str, *words: Any) -> tuple[Any, ...]:
        if self._closed:
            raise ShutdownError(f"the project {self.name!r} was closed here")
        return (verb, self.name, *words)

    # The project.

    def open(self, prefix: str | None = None) -> Any:
        """Makes the project, unless it is there."""
        self._closed = False
        words = [] if prefix is None else ["PREFIX", prefix]
        return self._ask(self._words("FOLIO.OPEN", *words), lambda _: None)

    def close(self) -> None:
        """Ends the use of this object: every further call is a ``ShutdownError``, until ``open``.

        The project stays, and so do the client and its connections.
        """
        self._closed = True

    def delete(self) -> Any:
        """Removes the project with all of its records; whether there was one."""
        return self._ask(self._words("DEL"), bool)

    def info(self) -> Any:
        """How many records, tags, points and histories there are, the version, the memory."""
        return self._ask(self._words("FOLIO.INFO"), requests.info)

    def cur_ver(self) -> Any:
        """The version: how many batches were committed that are kept."""
        return self._ask(self._words("FOLIO.INFO"), lambda reply: requests.info(reply)["version"])

    def list(self) -> Any:
        """The names of all projects in the database."""
        return self._ask(("FOLIO.LIST",), lambda reply: [name.decode() for name in reply])

    def explain(self, filter: str) -> Any:
        """How a filter is answered, line by line."""
        words = self._words("FOLIO.EXPLAIN", filter)
        return self._ask(words, lambda reply: [line.decode() for line in reply])

    # Reading.

    def read(
        self, filter: str, checked: bool = True, *, search: str | None = None, trash: bool = False
    ) -> Any:
        """The first record that a filter finds; if there is none, ``UnknownRecError`` or ``None``."""
        options = requests.options(search=search, trash=trash, unchecked=not checked)
        return self._ask(self._words("FOLIO.READ", filter, *options, *COLUMNS), requests.record)

    def read_all(
        self,
        filter: str,
        limit: int | None = None,
        *,
        sort: bool = False,
        search: str | None = None,
        trash: bool = False,
    ) -> Any:
        """All records that a filter finds, as a grid. ``sort``: by their display names."""
        words: tuple[Any, ...] = ("FOLIO.READALL", self.name, filter, *COLUMNS)
        if limit is not None or sort or search is not None or trash or self._closed:
            options = requests.options(limit, sort, search, trash)
            words = self._words("FOLIO.READALL", filter, *options, *COLUMNS)
        return self._ask(words, requests.grid)

    def read_all_list(
        self,
        filter: str,
        limit: int | None = None,
        *,
        sort: bool = False,
        search: str | None = None,
        trash: bool = False,
    ) -> Any:
        """The same as a list of dicts."""
        options = requests.options(limit, sort, search, trash)
        words = self._words("FOLIO.READALL", filter, *options, *COLUMNS)
        return self._ask(words, lambda reply: requests.grid(reply).rows)

    def read_count(
        self,
        filter: str,
        limit: int | None = None,
        *,
        search: str | None = None,
        trash: bool = False,
    ) -> Any:
        """How many records a filter finds."""
        options = requests.options(limit, search=search, trash=trash)
        return self._ask(self._words("FOLIO.COUNT", filter, *options), int)

    def read_by_id(self, id: str | Ref, checked: bool = True, *, trash: bool = False) -> Any:
        """The record with an id; if there is none, ``UnknownRecError`` or ``None``."""
        options = requests.options(trash=trash, unchecked=not checked)
        return self._by_id(id, *options)

    def read_by_id_persistent_tags(self, id: str | Ref, checked: bool = True) -> Any:
        """What of a record is kept."""
        return self._by_id(id, *requests.options(unchecked=not checked), "PERSISTENT")

    def read_by_id_transient_tags(self, id: str | Ref, checked: bool = True) -> Any:
        """What of a record is gone when the server starts anew."""
        return self._by_id(id, *requests.options(unchecked=not checked), "TRANSIENT")

    def read_by_id_trash(self, id: str | Ref, checked: bool = True) -> Any:
        """The record with an id, in the trash or not."""
        return self.read_by_id(id, checked, trash=True)

    def _by_id(self, id: str | Ref, *options: str) -> Any:
        words = self._words("FOLIO.READBYID", as_ref(id).val, *options, *COLUMNS)
        return self._ask(words, requests.record)

    def read_by_ids(
        self, ids: Iterable[str | Ref], checked: bool = True, *, trash: bool = False
    ) -> Any:
        """The records with some ids, as a grid in their order. One that is not there is a row of
        nothing, or if ``checked`` an ``UnknownRecError``.
        """
        return self._by_ids(ids, checked, trash, requests.grid)

    def read_by_ids_list(
        self, ids: Iterable[str | Ref], checked: bool = True, *, trash: bool = False
    ) -> Any:
        """The same as a list of dicts, with ``None`` for one that is not there."""
        return self._by_ids(ids, checked, trash, requests.records)

    def _by_ids(
        self, ids: Iterable[str | Ref], checked: bool, trash: bool, make: Callable[[Any], Any]
    ) -> Any:
        return self._do(self._read_by_ids(ids, checked, trash, make))

    def _read_by_ids(
        self, ids: Iterable[str | Ref], checked: bool, trash: bool, make: Callable[[Any], Any]
    ) -> Steps[Any]:
        texts = requests.ids_of(ids)
        options = requests.options(trash=trash, unchecked=not checked)
        words = self._words("FOLIO.READBYIDS", len(texts), *texts, *options, *COLUMNS)
        # The command wants an id at least.
        reply = (yield words) if texts else Grid()
        return make(reply)

    # Changing.

    def pre_commit(self, hook: Callable[[Any], Any]) -> Any:
        """Has a function called with a `Commit` before each commit of this object: what it raises
        refuses the commit. Other clients' commits do not pass here. Usable as a decorator.
        """
        self._pre_commit.append(hook)
        return hook

    def post_commit(self, hook: Callable[[Any], Any]) -> Any:
        """Has a function called with a `Commit` after each commit of this object: what it raises
        reaches the caller, and the commit is done all the same.
        """
        self._post_commit.append(hook)
        return hook

    def on_his_write(self, hook: Callable[[Any], Any]) -> Any:
        """Has a function called with a `HisWrite` after each write of this object to a history."""
        self._on_his_write.append(hook)
        return hook

    def commit(
        self,
        *diffs: Any,
        transient: bool = False,
        force: bool = False,
        bypass_restricted: bool = False,
    ) -> Any:
        """Makes changes, all or none, and answers what became of each.

        ``transient`` tags are not kept, ``force`` does not ask whether a record has changed since
        it was read, ``bypass_restricted`` may set tags that are not for everyone.
        """
        named = {
            DiffFlags.TRANSIENT: transient,
            DiffFlags.FORCE: force,
            DiffFlags.BYPASS_RESTRICTED: bypass_restricted,
        }
        flags = DiffFlags(sum(flag for flag, wanted in named.items() if wanted))
        return self._do(self._commit(flattened(diffs), flags))

    def _commit(self, diffs: Any, flags: DiffFlags) -> Steps[Any]:
        for hook in self._pre_commit:
            yield Call(hook, Commit(diffs, flags))
        words = self._words("FOLIO.COMMIT", *flag_words(flags), *words_of(diffs))
        done = requests.committed((yield words)) if diffs else []
        for hook in self._post_commit:
            yield Call(hook, Commit(diffs, flags, done))
        return done

    def commit_add(self, recs: Any) -> Any:
        """Adds records, a dict or several, and answers them as a grid."""
        return self._do(self._committed([Diff.add(rec) for rec in _several(recs)]))

    def commit_update(self, recs: Any) -> Any:
        """Sets the tags of records by their ``id`` and ``mod``, and answers them as a grid."""
        return self._do(self._committed([Diff.update(rec, rec) for rec in _several(recs)]))

    def commit_remove(self, recs: Any) -> Any:
        """Removes records by their ``id`` and ``mod``."""
        diffs = [Diff.remove(rec) for rec in _several(recs)]
        return self._do(self._commit_only(diffs))

    def _commit_only(self, diffs: Any) -> Steps[None]:
        yield from self._commit(diffs, DiffFlags(0))

    def _committed(self, diffs: Any) -> Steps[Any]:
        done = yield from self._commit(diffs, DiffFlags(0))
        ids = [one.id for one in done]
        return (yield from self._read_by_ids(ids, False, True, requests.grid))

    def trash(self, *recs: Mapping[str, Any]) -> Any:
        """Throws records into the trash."""
        diffs = [Diff.update(rec, {"trash": Marker()}) for rec in recs]
        return self._do(self._commit(diffs, DiffFlags(0)))

    def untrash(self, *recs: Mapping[str, Any]) -> Any:
        """Takes records out of the trash."""
        diffs = [Diff.update(rec, {"trash": Remove()}) for rec in recs]
        return self._do(self._commit(diffs, DiffFlags(0)))

    def empty_trash(self) -> Any:
        """Removes the records in the trash, and answers how many."""
        return self._ask(self._words("FOLIO.EMPTYTRASH"), int)

    # Histories.

    def his_read(
        self,
        id: str | Ref,
        range: Any = None,
        *,
        limit: int | None = None,
        around: bool = False,
        clip_future: bool = False,
        as_arrow: bool = False,
    ) -> Any:
        """Samples of a point: a grid of ``ts`` and ``val``, in order, in its unit and zone.

        ``range`` is a day, or a start and an end that is not in it: datetimes, or dates, which
        begin as the point's zone has it, or ``None``. ``around`` adds the sample before and the two
        behind, ``clip_future`` leaves out what is later than now. ``as_arrow`` answers a
        ``pyarrow.Table``, with unit and zone in the metadata of its fields.
        """
        options = requests.options(limit)
        options += ["AROUND"] * around + ["CLIPFUTURE"] * clip_future
        words = self._words(
            "FOLIO.HIS.READ", as_ref(id).val, *requests.span(range), *options, *COLUMNS
        )
        made = requests.grid
        return self._ask(words, lambda reply: made(reply).to_arrow() if as_arrow else made(reply))

    def his_read_by_ids(self, ids: Iterable[str | Ref], range: Any = None) -> Any:
        """Samples of several points, one after the other: a `Histories`."""
        return self._do(self._histories(ids, range))

    def _histories(self, ids: Iterable[str | Ref], range: Any) -> Steps[Any]:
        grids: dict[Ref, Grid] = {}
        span = requests.span(range)
        for id in requests.ids_of(ids):
            words = self._words("FOLIO.HIS.READ", id, *span, *COLUMNS)
            grids[Ref(id)] = requests.grid((yield words))
        return Histories(grids)

    def his_write(
        self, id: str | Ref, items: Any, *, clear: Any = None, clear_all: bool = False
    ) -> Any:
        """Puts samples into a history, all or none: pairs of an instant and a value, dicts or a
        grid. ``clear``, a range, and ``clear_all`` take samples out first.
        """
        return self._do(self._his_write(as_ref(id), items, clear, clear_all))

    def _his_write(self, id: Ref, items: Any, clear: Any, clear_all: bool) -> Steps[Any]:
        options = ["CLEARALL"] if clear_all else ["CLEAR", *requests.span(clear)[1:]]
        options = [] if clear is None and not clear_all else options
        words = self._words(
            "FOLIO.HIS.WRITE", id.val, *options, "FORMAT", "zinc", requests.samples(items)
        )
        written = requests.written((yield words))
        for hook in self._on_his_write:
            yield Call(hook, HisWrite(id, written))
        return written

    def his_clear(self, id: str | Ref, range: Any = None) -> Any:
        """Takes samples out of a history, and answers how many."""
        words = self._words("FOLIO.HIS.CLEAR", as_ref(id).val, *requests.span(range))
        return self._ask(words, int)

    # The same by other names: Folio's and phable's.

    commit_remove_trash = empty_trash
    his_read_by_id = his_read
    his_write_by_id = his_write


def _several(recs: Any) -> list[Mapping[str, Any]]:
    return [recs] if isinstance(recs, Mapping) else list(recs)


class Watched:
    """The methods of a watch."""

    def __init__(self, folio: Any, name: str) -> None:
        self.folio = folio
        self.name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} of {self.folio.name!r}>"

    def _ask(self, verb: str, *words: Any, make: Callable[[Any], Any]) -> Any:
        return self.folio._ask(self.folio._words(verb, self.name, *words), make)

    def add(self, *ids: str | Ref) -> Any:
        """Watches these records, too."""
        return self._ask("FOLIO.WATCH.ADD", *requests.ids_of(ids), make=lambda _: None)

    def remove(self, *ids: str | Ref) -> Any:
        """Watches these records no longer."""
        return self._ask("FOLIO.WATCH.REMOVE", *requests.ids_of(ids), make=lambda _: None)

    def poll(self, refresh: bool = False) -> Any:
        """The ids of the records that have changed since it was last asked; ``refresh``: of all."""
        options = ["REFRESH"] if refresh else []
        return self._ask("FOLIO.WATCH.POLL", *options, make=requests.refs)

    def poll_recs(self, refresh: bool = False) -> Any:
        """The same records as they are now, as a grid: a row of nothing for one that is gone."""
        return self.folio._do(self._poll_recs(refresh))

    def _poll_recs(self, refresh: bool) -> Steps[Any]:
        options = ["REFRESH"] if refresh else []
        words = self.folio._words("FOLIO.WATCH.POLL", self.name, *options)
        ids = requests.refs((yield words))
        return (yield from self.folio._read_by_ids(ids, False, False, requests.grid))

    def close(self) -> Any:
        """Ends it; whether it was still there."""
        return self._ask("FOLIO.WATCH.CLOSE", make=bool)
