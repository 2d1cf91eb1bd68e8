"""Projects of Project Haystack's records: kinds, grids, diffs and histories as Python objects.

>>> from kvist import embedded
>>> from kvist.folio import Diff, Marker, Number
>>> db = embedded.open()
>>> demo = db.folio("demo")
>>> demo.open()
>>> [site] = demo.commit(Diff.add({"dis": "Main", "site": Marker(), "area": Number(740, "m²")}))
>>> demo.read("site and area > 500m²")["area"]
Number(val=740, unit='m²')
>>> grid = demo.read_all("site")
>>> len(grid), grid[0]["dis"], grid.col_names
(1, 'Main', ['id', 'area', 'dis', 'site', 'mod'])
>>> db.close()

The names of methods are Folio's in snake case, and phable's where those differ; those of the kinds
are phable's. A client for asyncio has the same methods as coroutines.
"""

from .._core import (
    NA,
    Coord,
    Grid,
    GridCol,
    Marker,
    Number,
    Ref,
    Remove,
    Symbol,
    Uri,
    XStr,
    from_zinc,
    to_zinc,
)
from ._async_folio import AsyncFolio, AsyncWatch
from ._diffs import Commit, Committed, Diff, DiffFlags, HisWrite, HisWritten
from ._errors import (
    CommitError,
    ConcurrentChangeError,
    DiffError,
    FolioError,
    HisConfigError,
    HisWriteError,
    InvalidRecIdError,
    InvalidTagNameError,
    InvalidTagValError,
    ParseError,
    ShutdownError,
    UnknownRecError,
    UnknownWatchError,
)
from ._folio import Folio, Watch
from ._histories import Histories

__all__ = [
    "NA", "AsyncFolio", "AsyncWatch", "Commit", "CommitError", "Committed", "ConcurrentChangeError",
    "Coord", "Diff", "DiffError", "DiffFlags", "Folio", "FolioError", "Grid", "GridCol",
    "HisConfigError", "HisWrite", "HisWriteError", "HisWritten", "Histories", "InvalidRecIdError",
    "InvalidTagNameError", "InvalidTagValError", "Marker", "Number", "ParseError", "Ref", "Remove",
    "ShutdownError", "Symbol", "UnknownRecError", "UnknownWatchError", "Uri", "Watch", "XStr",
    "from_zinc", "to_zinc",
]
