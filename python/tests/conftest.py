"""Makes the tests' own modules importable where they stand, and the package too unless a wheel of it
is installed.

The methods, replies and types are plain Python and can be tested before the package's native part
is built: then the package is its folder alone.
"""

import importlib.util
import sys
import types
from pathlib import Path

HERE = Path(__file__).parent
# Modules that all tests in Python share are in the last.
SHARED = HERE.parents[1] / "tests"
folders = [HERE, *([] if importlib.util.find_spec("kvist") else [HERE.parent]), SHARED]
for folder in folders:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

try:
    import kvist  # noqa: F401
except ImportError:
    bare = types.ModuleType("kvist")
    bare.__path__ = [str(HERE.parent / "kvist")]
    sys.modules["kvist"] = bare
