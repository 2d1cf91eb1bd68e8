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

class AsyncFolio:
    client: Any
    name: str | bytes
    def __init__(self, client: Any, name: str | bytes) -> None: ...
    def close(self) -> None: ...
    async def open(self, prefix: str | None = None) -> None: ...
    async def delete(self) -> bool: ...
    async def info(self) -> dict[str, Any]: ...
    async def cur_ver(self) -> int: ...
    async def list(self) -> List[str]: ...
    async def explain(self, filter: str) -> List[str]: ...
    @overload
    async def read(
        self,
        filter: str,
        checked: Literal[True] = True,
        *,
        search: str | None = None,
        trash: bool = False,
    ) -> dict[str, Any]: ...
    @overload
    async def read(
        self, filter: str, checked: bool, *, search: str | None = None, trash: bool = False
    ) -> dict[str, Any] | None: ...
    async def read_all(
        self,
        filter: str,
        limit: int | None = None,
        *,
        sort: bool = False,
        search: str | None = None,
        trash: bool = False,
    ) -> Grid: ...
    async def read_all_list(
        self,
        filter: str,
        limit: int | None = None,
        *,
        sort: bool = False,
        search: str | None = None,
        trash: bool = False,
    ) -> List[dict[str, Any]]: ...
    async def read_count(
        self,
        filter: str,
        limit: int | None = None,
        *,
        search: str | None = None,
        trash: bool = False,
    ) -> int: ...
    @overload
    async def read_by_id(
        self, id: Id, checked: Literal[True] = True, *, trash: bool = False
    ) -> dict[str, Any]: ...
    @overload
    async def read_by_id(
        self, id: Id, checked: bool, *, trash: bool = False
    ) -> dict[str, Any] | None: ...
    async def read_by_id_persistent_tags(
        self, id: Id, checked: bool = True
    ) -> dict[str, Any] | None: ...
    async def read_by_id_transient_tags(
        self, id: Id, checked: bool = True
    ) -> dict[str, Any] | None: ...
    async def read_by_id_trash(self, id: Id, checked: bool = True) -> dict[str, Any] | None: ...
    async def read_by_ids(
        self, ids: Iterable[Id], checked: bool = True, *, trash: bool = False
    ) -> Grid: ...
    async def read_by_ids_list(
        self, ids: Iterable[Id], checked: bool = True, *, trash: bool = False
    ) -> List[dict[str, Any] | None]: ...
    def pre_commit(self, hook: OnCommit) -> OnCommit: ...
    def post_commit(self, hook: OnCommit) -> OnCommit: ...
    def on_his_write(self, hook: OnHisWrite) -> OnHisWrite: ...
    async def commit(
        self,
        *diffs: Diff | Iterable[Diff],
        transient: bool = False,
        force: bool = False,
        bypass_restricted: bool = False,
    ) -> List[Committed]: ...
    async def commit_add(self, recs: Rec | Iterable[Rec]) -> Grid: ...
    async def commit_update(self, recs: Rec | Iterable[Rec]) -> Grid: ...
    async def commit_remove(self, recs: Rec | Iterable[Rec]) -> None: ...
    async def trash(self, *recs: Rec) -> List[Committed]: ...
    async def untrash(self, *recs: Rec) -> List[Committed]: ...
    async def empty_trash(self) -> int: ...
    async def commit_remove_trash(self) -> int: ...
    @overload
    async def his_read(
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
    async def his_read(
        self,
        id: Id,
        range: Range = None,
        *,
        limit: int | None = None,
        around: bool = False,
        clip_future: bool = False,
        as_arrow: bool,
    ) -> Any: ...
    async def his_read_by_id(
        self,
        id: Id,
        range: Range = None,
        *,
        limit: int | None = None,
        around: bool = False,
        clip_future: bool = False,
        as_arrow: bool = False,
    ) -> Any: ...
    async def his_read_by_ids(self, ids: Iterable[Id], range: Range = None) -> Histories: ...
    async def his_write(
        self,
        id: Id,
        items: Grid | Iterable[tuple[datetime, Any] | Rec],
        *,
        clear: Range = None,
        clear_all: bool = False,
    ) -> HisWritten: ...
    async def his_write_by_id(
        self,
        id: Id,
        items: Grid | Iterable[tuple[datetime, Any] | Rec],
        *,
        clear: Range = None,
        clear_all: bool = False,
    ) -> HisWritten: ...
    async def his_clear(self, id: Id, range: Range = None) -> int: ...
    async def watch_open(self, dis: str, lease: int | None = None) -> AsyncWatch: ...

class AsyncWatch:
    folio: AsyncFolio
    name: str
    async def __aenter__(self) -> AsyncWatch: ...
    async def __aexit__(self, *_: object) -> None: ...
    async def add(self, *ids: Id) -> None: ...
    async def remove(self, *ids: Id) -> None: ...
    async def poll(self, refresh: bool = False) -> List[Ref]: ...
    async def poll_recs(self, refresh: bool = False) -> Grid: ...
    async def close(self) -> bool: ...
