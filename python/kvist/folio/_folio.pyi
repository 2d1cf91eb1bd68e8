from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, List, Literal, TypeVar, overload

from .._core import Grid, Ref
from ._diffs import Commit, Committed, Diff, HisWrite, HisWritten
from ._histories import Histories

Id = str | Ref
Rec = Mapping[str, Any]
Edge = datetime | date | None
Range = date | tuple[Edge, Edge] | Any | None
OnCommit = TypeVar("OnCommit", bound=Callable[[Commit], Any])
OnHisWrite = TypeVar("OnHisWrite", bound=Callable[[HisWrite], Any])

class Folio:
    client: Any
    name: str | bytes
    def __init__(self, client: Any, name: str | bytes) -> None: ...
    def close(self) -> None: ...
    def open(self, prefix: str | None = None) -> None: ...
    def delete(self) -> bool: ...
    def info(self) -> dict[str, Any]: ...
    def cur_ver(self) -> int: ...
    def list(self) -> List[str]: ...
    def explain(self, filter: str) -> List[str]: ...
    @overload
    def read(
        self,
        filter: str,
        checked: Literal[True] = True,
        *,
        search: str | None = None,
        trash: bool = False,
    ) -> dict[str, Any]: ...
    @overload
    def read(
        self, filter: str, checked: bool, *, search: str | None = None, trash: bool = False
    ) -> dict[str, Any] | None: ...
    def read_all(
        self,
        filter: str,
        limit: int | None = None,
        *,
        sort: bool = False,
        search: str | None = None,
        trash: bool = False,
    ) -> Grid: ...
    def read_all_list(
        self,
        filter: str,
        limit: int | None = None,
        *,
        sort: bool = False,
        search: str | None = None,
        trash: bool = False,
    ) -> List[dict[str, Any]]: ...
    def read_count(
        self,
        filter: str,
        limit: int | None = None,
        *,
        search: str | None = None,
        trash: bool = False,
    ) -> int: ...
    @overload
    def read_by_id(
        self, id: Id, checked: Literal[True] = True, *, trash: bool = False
    ) -> dict[str, Any]: ...
    @overload
    def read_by_id(
        self, id: Id, checked: bool, *, trash: bool = False
    ) -> dict[str, Any] | None: ...
    def read_by_id_persistent_tags(
        self, id: Id, checked: bool = True
    ) -> dict[str, Any] | None: ...
    def read_by_id_transient_tags(
        self, id: Id, checked: bool = True
    ) -> dict[str, Any] | None: ...
    def read_by_id_trash(self, id: Id, checked: bool = True) -> dict[str, Any] | None: ...
    def read_by_ids(
        self, ids: Iterable[Id], checked: bool = True, *, trash: bool = False
    ) -> Grid: ...
    def read_by_ids_list(
        self, ids: Iterable[Id], checked: bool = True, *, trash: bool = False
    ) -> List[dict[str, Any] | None]: ...
    def pre_commit(self, hook: OnCommit) -> OnCommit: ...
    def post_commit(self, hook: OnCommit) -> OnCommit: ...
    def on_his_write(self, hook: OnHisWrite) -> OnHisWrite: ...
    def commit(
        self,
        *diffs: Diff | Iterable[Diff],
        transient: bool = False,
        force: bool = False,
        bypass_restricted: bool = False,
    ) -> List[Committed]: ...
    def commit_add(self, recs: Rec | Iterable[Rec]) -> Grid: ...
    def commit_update(self, recs: Rec | Iterable[Rec]) -> Grid: ...
    def commit_remove(self, recs: Rec | Iterable[Rec]) -> None: ...
    def trash(self, *recs: Rec) -> List[Committed]: ...
    def untrash(self, *recs: Rec) -> List[Committed]: ...
    def empty_trash(self) -> int: ...
    def commit_remove_trash(self) -> int: ...
    @overload
    def his_read(
        self,
        id: Id,
        range: Range = None,
        *,
        limit: int | None = None,
        around: bool = False,
        clip_future: bool = False,
        as_arrow: Literal[False] = False,
    ) -> Grid: ...
    @overload
    def his_read(
        self,
        id: Id,
        range: Range = None,
        *,
        limit: int | None = None,
        around: bool = False,
        clip_future: bool = False,
        as_arrow: bool,
    ) -> Any: ...
    def his_read_by_id(
        self,
        id: Id,
        range: Range = None,
        *,
        limit: int | None = None,
        around: bool = False,
        clip_future: bool = False,
        as_arrow: bool = False,
    ) -> Any: ...
    def his_read_by_ids(self, ids: Iterable[Id], range: Range = None) -> Histories: ...
    def his_write(
        self,
        id: Id,
        items: Grid | Iterable[tuple[datetime, Any] | Rec],
        *,
        clear: Range = None,
        clear_all: bool = False,
    ) -> HisWritten: ...
    def his_write_by_id(
        self,
        id: Id,
        items: Grid | Iterable[tuple[datetime, Any] | Rec],
        *,
        clear: Range = None,
        clear_all: bool = False,
    ) -> HisWritten: ...
    def his_clear(self, id: Id, range: Range = None) -> int: ...
    def watch_open(self, dis: str, lease: int | None = None) -> Watch: ...

class Watch:
    folio: Folio
    name: str
    def __enter__(self) -> Watch: ...
    def __exit__(self, *_: object) -> None: ...
    def add(self, *ids: Id) -> None: ...
    def remove(self, *ids: Id) -> None: ...
    def poll(self, refresh: bool = False) -> List[Ref]: ...
    def poll_recs(self, refresh: bool = False) -> Grid: ...
    def close(self) -> bool: ...
