"""What clients and applications are installed into: made once, and again when their pins change."""

import collections
import hashlib
import re
import subprocess
import sys
import threading

from .job import need
from .places import CLIENTS, TARGET
from .registry import Skipped


def once(stamp, *sources):
    """Whether what `stamp` stands for must be made (again), and a function to say it was."""
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    done = stamp.exists() and stamp.read_text() == digest
    return not done, lambda: stamp.write_text(digest)


FOLDER_LOCKS = collections.defaultdict(threading.Lock)


def one_at_a_time(make):
    """For functions that fill a folder, their second argument: one check fills it, others wait."""

    def locked(job, folder, *rest):
        with FOLDER_LOCKS[folder]:
            return make(job, folder, *rest)

    return locked


@one_at_a_time
def python_with(job, folder, pins):
    """The Python of an environment in `folder` that has the packages pinned in a file."""
    stale, done = once(folder / "installed", pins)
    python = folder / "bin" / "python"
    if stale:
        probe = [sys.executable, "-c", "import ensurepip, venv"]
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            raise Skipped("venv is not here: install python3-venv to run it")
        job.run([sys.executable, "-m", "venv", "--clear", folder])
        job.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "-r", pins])
        done()
    return python


def python_with_redis(job):
    """The Python of an environment that has the pinned redis-py."""
    return python_with(job, TARGET / "venv", CLIENTS / "requirements.txt")


@one_at_a_time
def node_with(job, folder):
    """Node, once the packages locked in `folder` are there."""
    node = need("node", "nodejs 20 or newer")
    npm = need("npm", "npm")
    version = job.run([node, "--version"]).strip()
    if int(version.lstrip("v").split(".")[0]) < 20:
        raise Skipped(f"node {version} is too old: install nodejs 20 or newer to run it")
    stale, done = once(folder / "node_modules" / ".installed", folder / "package-lock.json")
    if stale:
        # What a package would run while it is installed is never needed here.
        job.run([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)
        done()
    return node


def go_here(job):
    """A go that runs the tests' modules, or fetches one that does."""
    go = need("go", "golang 1.21 or newer")
    version = re.search(r"go1\.(\d+)", job.run([go, "version"]))
    if not version or int(version.group(1)) < 21:
        raise Skipped("go is too old to fetch a newer one: install golang 1.21 or newer to run it")
    return go
