"""Histories of several points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import _core
from .._core import Grid, Ref


class Histories(Mapping[Ref, Grid]):
    """The samples of some points: a grid of ``ts`` and ``val`` for each.

    As a table they are long, with a row for each sample (``id``, ``ts``, ``val_num``, ``val_bool``,
    ``val_str`` and ``val_na``), or ``wide``, with a column for each point that is named by its id
    and a row for each instant at which any has a sample.
    """

    __slots__ = ("_grids",)

    def __init__(self, grids: Mapping[Ref, Grid]) -> None:
        self._grids = dict(grids)

    def __getitem__(self, id: Ref | str) -> Grid:
        return self._grids[id if isinstance(id, Ref) else Ref(id)]

    def __iter__(self) -> Iterator[Ref]:
        return iter(self._grids)

    def __len__(self) -> int:
        return len(self._grids)

    def __repr__(self) -> str:
        return f"<Histories of {len(self)} points>"

    def to_columns(self, wide: bool = False) -> _core.Columns:
        """The samples as columns of Arrow's types."""
        points = [(id.val, grid) for id, grid in self._grids.items()]
        return _core.wide_histories(points) if wide else _core.long_histories(points)

    def to_arrow(self, wide: bool = False) -> Any:
        """A ``pyarrow.Table``."""
        return self.to_columns(wide).to_arrow()

    def to_pandas(self, wide: bool = False) -> Any:
        """A ``pandas.DataFrame``; needs pyarrow too. The wide one has ``ts`` as its index."""
        frame = self.to_columns(wide).to_pandas()
        return frame.set_index("ts") if wide else frame.astype({"id": "category"})

    def to_polars(self, wide: bool = False) -> Any:
        """A ``polars.DataFrame``."""
        return self.to_columns(wide).to_polars()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_columns().__arrow_c_stream__(requested_schema)
