"""Checks of the Python package."""

import shutil
import sys

from .environments import python_with
from .job import need
from .places import LOGS, ROOT, TARGET
from .registry import Failed, Skipped, check
from .servers import kvist, program


@check("python", soaks=True, using=("wheels",))
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


@check("python-uses", using=("wheels",))
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
    """Builds the Python package, and installs it for a Python. What is released is optimised; that
    would be a build of its own of everything that the other checks have built without."""
    maturin = python_for(job, "venv-python", "requirements-test.txt")
    wheels = TARGET / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    job.run([maturin, "-m", "maturin", "build", "--profile", "dev", "--locked", "--interpreter",
             maturin, "--out", wheels], ROOT / "python")
    job.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
             "--no-deps", "--force-reinstall", *wheels.glob("*.whl")])


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
