"""Grids as tables of other packages, which are imported when they are wanted."""

# Those packages need not be here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from .._core import Grid
from ..graph._tables import package


def to_arrow(grid: Grid) -> Any:
    """A ``pyarrow.Table``."""
    return package("pyarrow", "to_arrow()").table(grid)


def to_pandas(grid: Grid) -> Any:
    """A ``pandas.DataFrame``."""
    package("pandas", "to_pandas()")
    return package("pyarrow", "to_pandas()").table(grid).to_pandas()


def to_polars(grid: Grid) -> Any:
    """A ``polars.DataFrame``."""
    return package("polars", "to_polars()").DataFrame(grid.to_columns())


def to_numpy(grid: Grid, name: str) -> Any:
    """A column: doubles, instants in UTC or truths where it has no others, else objects."""
    numpy = package("numpy", "to_numpy()")
    kinds = set(grid.kinds(name))
    known = kinds - {"Null", "Na"}
    if known == {"Number"}:
        return numpy.frombuffer(grid.doubles(name), dtype=numpy.float64)
    if known == {"DateTime"}:
        return numpy.frombuffer(grid.nanos(name), dtype="datetime64[ns]")
    if kinds == {"Bool"}:
        return numpy.array(grid.column(name), dtype=bool)
    if known == {"Marker"} and "Na" not in kinds:
        return numpy.array([value is not None for value in grid.column(name)], dtype=bool)
    values = numpy.empty(len(grid), dtype=object)
    values[:] = grid.column(name)
    return values
