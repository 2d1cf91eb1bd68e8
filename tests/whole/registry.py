"""The checks there are: a function registers itself with what it needs."""

import sys

CHECKS = []  # of Check, in the order they run


class Skipped(Exception):
    """A check could not be done here; says what to install."""


class Failed(Exception):
    """A check did not hold; says why, after its log."""


class Check:
    """A function to run, its name, and the words for the list."""

    def __init__(self, name, run, soaks, whole, after, using, waits):
        self.name, self.run, self.soaks = name, run, soaks  # "only": in no other run
        self.whole = whole  # or only when it is named
        self.waits = waits
        self.after, self.using = frozenset(after), frozenset(using)
        self.summary = (run.__doc__ or "").partition("\n")[0]


def check(name, soaks=False, whole=True, after=("build",), using=(), waits=False):
    """Registers the function below as a check. One that soaks uses chance: repeating it helps. One
    that is not part of the whole runs only when it is named. A check begins when the checks `after`
    which it comes are done, and beside none that is `using` the same thing: a folder it fills, or
    cargo's lock of a profile. One that `waits` leaves a core idle for most of its time, so that it
    has a place beside as many others as there are cores."""

    def register(run):
        CHECKS.append(Check(name, run, soaks, whole, after, using, waits))
        return run

    return register


def choose(only):
    """The checks with these names, or all that make up the whole."""
    if not only:
        return [item for item in CHECKS if item.whole]
    names = only.split(",")
    unknown = set(names) - {item.name for item in CHECKS}
    if unknown:
        sys.exit(f"whole.py: there is no check called {', '.join(sorted(unknown))}; see --list")
    return [item for item in CHECKS if item.name in names]
