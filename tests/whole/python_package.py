"""Checks of the Python package."""

import shutil
import sys

from .environments import one_at_a_time, python_with
from .job import need
from .places import LOGS, ROOT, TARGET
from .registry import Failed, Skipped, check
from .servers import kvist, program

WHEELS = {}  # those that this run has built, by their folders


# The wheel is linked with what the check `tests` builds.
@check("python", soaks=True, after=("tests",), waits=True)
def check_python(job):
    """Does the Python package build, install and work, with Kvist and with redis-server?"""
    if sys.version_info < (3, 11):
        raise Skipped("python3 is too old: install Python 3.11 or newer to run it")
    folder = ROOT / "python"
    python = python_for(job, "venv-python", "requirements-test.txt")
    install_package(job, python)
    # From elsewhere, so that what is tested is what was installed.
    job.run([python, "-m", "pytest", "-q", "-W", "ignore", "-c", folder / "pyproject.toml",
             "--ignore", folder / "tests" / "uses", folder / "tests"], LOGS,
            KVIST_BIN=str(kvist("debug")), KVIST_SERVER=str(kvist("debug")),
            KVIST_SOAK="1" if job.options.soak else "")


@check("python-uses", after=("tests",), waits=True)
def check_python_uses(job):
    """Does the Python package work inside Django, Celery, RQ and others, and behind bad networks?"""
    if sys.version_info < (3, 11):
        raise Skipped("python3 is too old: install Python 3.11 or newer to run it")
    need("redis-server", "redis-server 7.0")
    folder = ROOT / "python"
    python = python_for(job, "venv-python-uses", "requirements-uses.txt")
    install_package(job, python)
    job.run([python, "-m", "pytest", "-q", "-ra", "-W", "ignore", "-c", folder / "pyproject.toml",
             folder / "tests" / "uses"], LOGS,
            KVIST_BIN=str(kvist("debug")), KVIST_SERVER=str(kvist("debug")))


@check("python-free-threaded")
def check_python_free_threaded(job):
    """Does the Python package work for threads that run at once?"""
    names = ("python3.14t", "python3.13t")
    program = next((path for path in map(shutil.which, names) if path), None)
    if program is None:
        raise Skipped("no free-threaded Python is here: install python3.14t or python3.13t to run it")
    need("redis-server", "redis-server 7.0")
    folder = TARGET / "venv-python-threads"
    job.run([program, "-m", "venv", "--clear", folder])
    python = folder / "bin" / "python"
    # There is no stable interface for it: the package is built for this very version.
    job.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             ROOT / "python"])
    job.run([python, "-X", "gil=0", ROOT / "python" / "tests" / "uses" / "programs" / "threads.py"],
            LOGS)


def python_for(job, name, pins):
    """The Python of an environment with what a file of the package's requirements pins."""
    try:
        return python_with(job, TARGET / name, ROOT / "python" / pins)
    except Failed as reason:
        raise Skipped(f"python/{pins} could not be installed: {reason}") from None


def install_package(job, python):
    """Installs the Python package for a Python, and builds it first."""
    wheel = built_package(job, TARGET / "wheels")
    job.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
             "--no-deps", "--force-reinstall", wheel])


@one_at_a_time
def built_package(job, folder):
    """The wheel of the Python package: built by the check that wants it first, once in a run. What
    is released is optimised, and asks less of some crates; that would be a build of its own of
    everything that the other checks have built already."""
    if folder not in WHEELS:
        maturin = python_for(job, "venv-python", "requirements-test.txt")
        shutil.rmtree(folder, ignore_errors=True)
        told = job.run([maturin, "-m", "maturin", "build", "--profile", "dev", "--features",
                        "as-tested", "--locked", "--interpreter", maturin, "--out", folder],
                       ROOT / "python")
        if not job.options.only and "Compiling kvist-engine " in told:
            raise Failed("the engine was built a second time: `as-tested` in python/Cargo.toml asks "
                         "for other features than the workspace does (cargo build --unit-graph)")
        WHEELS[folder] = next(folder.glob("*.whl"))
    return WHEELS[folder]


@check("python-methods")
def check_python_methods(job):
    """Do the Python package's methods say, send and answer what redis-py's do?"""
    if not (3, 11) <= sys.version_info < (3, 14):
        raise Skipped("the pinned type checkers are for Python 3.11 to 3.13: install one to run it")
    need("redis-server", "redis-server 7.0")
    python = python_with(job, TARGET / "venv-python-dev", ROOT / "python" / "requirements-dev.txt")
    job.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore",
             "test_commands.py", "test_composed.py", "test_keys.py", "test_typing.py"],
            ROOT / "python" / "tests", KVIST_SERVER=str(kvist("debug")))
