"""redis-py's name for :mod:`kvist.aio`, and for the modules in it."""

import importlib
import pkgutil
import sys

from . import aio
from .aio import *  # noqa: F403
from .aio import __all__ as __all__

# The same modules, not copies of them: their classes must be the same.
__path__: list[str] = []
for _found in pkgutil.iter_modules(aio.__path__):
    _module = importlib.import_module(f"{aio.__name__}.{_found.name}")
    sys.modules[f"{__name__}.{_found.name}"] = globals()[_found.name] = _module
