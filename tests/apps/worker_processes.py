"""The workers of an application under test: started as people start them, ended without fail.

The server under test stands in the environment, as for the clients of ../clients/redis_py, whose
`target` these tests share. Workers fork, and some children outlive them: this process adopts every
orphan of its own (Linux's "child subreaper"), so that `WorkerProcesses.end` leaves no
process behind, whatever a test has killed.
"""

import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

from target import HOST, PORT, connect

PATIENCE = 40.0  # seconds until something awaited counts as never
URL = f"redis://{HOST}:{PORT}/0"
PR_SET_CHILD_SUBREAPER = 36

ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class WorkerProcesses:
    """Processes started for a test, and all of their descendants."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="workers-")
        self.logs, self.processes = [], []

    def start(self, *words, **env):
        """Starts a command with this Python's folder first in the path; output goes to a log."""
        log = pathlib.Path(self.folder.name) / f"{len(self.logs)}.log"
        self.logs.append((words, log))
        path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ.get('PATH', '')}"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1", **env},
            )
        self.processes.append(process)
        return process

    def show(self, lines=15):
        """What the latest workers said last, for the log of a test that failed."""
        for words, log in self.logs[-4:]:
            said = log.read_text("utf-8", "replace").splitlines()[-lines:]
            print("\n".join([f"-- {' '.join(map(str, words))}", *said]), file=sys.stderr)

    def end(self):
        """Kills every descendant of this process, and waits until they have gone."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for pid in descendants():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                break
            time.sleep(0.005)
        for process in self.processes:
            process.wait()
        self.folder.cleanup()


def descendants():
    """The processes below this one, children before their own children."""
    parents = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = pathlib.Path(entry.path, "stat").read_text()
            except OSError:
                continue  # it has ended meanwhile
            # The name, in parentheses, may hold anything; state and parent come after it.
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


class AppCase(unittest.TestCase):
    """Tests of one application: an empty server, a client `db`, workers for the whole class.

    Tests of a class share their workers, so each uses names of its own: `self.name()`.
    """

    @classmethod
    def setUpClass(cls):
        cls.db = connect(decode_responses=True)
        cls.addClassCleanup(cls.db.close)
        cls.db.flushall()
        cls.processes = WorkerProcesses()
        cls.addClassCleanup(cls.processes.end)
        cls.hire()

    @classmethod
    def hire(cls):
        """Starts the workers all tests of the class share."""

    def name(self, prefix="n"):
        """A name that was not used yet."""
        return f"{prefix}-{uuid.uuid4().hex[:12]}"

    def wait(self, condition, what, patience=PATIENCE):
        """Waits until `condition()` is true, and returns what it gave."""
        deadline = time.monotonic() + patience
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                self.processes.show()
                raise AssertionError(f"waited {patience} s in vain for {what}")
            time.sleep(0.02)

    def wait_exit(self, process, patience=PATIENCE):
        """The exit status of a worker that ends by itself."""
        self.wait(lambda: process.poll() is not None, f"{process.args} to end", patience)
        return process.returncode

    def seen(self, name):
        """What jobs have noted under this name, in order."""
        return self.db.lrange(f"seen:{name}", 0, -1)
