"""``python -m kvist``: the program ``kvist`` that came with the package.

``python -m kvist serve --dir data`` runs a server; ``cli``, ``bench``, ``check``, ``import`` and
``export`` are the program's other verbs.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str | None:
    """Where the program is: in the package, or else where commands are."""
    inside = Path(__file__).with_name("bin") / "kvist"
    if inside.is_file() and os.access(inside, os.X_OK):
        return str(inside)
    return shutil.which("kvist")


def main() -> int:
    """Becomes the program."""
    found = program()
    if found is None:
        print(
            "kvist: this installation has no program inside, and there is none on the PATH; build "
            "one with 'cargo build --release --bin kvist'",
            file=sys.stderr,
        )
        return 1
    sys.stdout.flush()
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
