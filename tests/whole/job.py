"""One run of one check: its commands, its log and its temporary folder."""

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from .places import LIMIT, LOGS, ROOT
from .registry import Failed, Skipped


class Job:
    """One run of one check: its log, and its line on the terminal."""

    def __init__(self, options, title, name, alone=False):
        self.options, self.title = options, title
        self.alone = alone  # nothing else is to run beside it, nor parts of it side by side
        self.log = LOGS / f"{name}.log"
        self.log.write_bytes(b"")
        self.started = time.monotonic()
        self.parts = {}  # seconds that parts of it took, by name: for the list of the slowest
        self.skips = {}  # what parts of it could not do here, and which parts those are
        self.complaints = []  # lines of the log that say why parts of it failed
        self.failed_parts = []  # the names of the parts that failed, if it has parts
        self.lock, self.processor = threading.Lock(), 0.0  # seconds of processor time
        # Whatever is killed in the middle leaves its files here. A short path: sockets lie in it.
        self.temporary = tempfile.mkdtemp(prefix="kvist-")

    def run(self, words, cwd=ROOT, limit=LIMIT, **env):
        """Runs a command to its end and returns what it printed; fails if the command did."""
        begin = self.log.stat().st_size
        with self.log.open("ab") as log:
            log.write(f"$ {shlex.join(map(str, words))}\n".encode())
            log.flush()
            process = subprocess.Popen(
                [str(word) for word in words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "TMPDIR": self.temporary, **env},
            )
        try:
            code = self.wait(process, limit)
        except subprocess.TimeoutExpired:
            raise Failed(f"took longer than {limit} s: {shlex.join(map(str, words))}") from None
        finally:
            end_group(process)
        if code:
            raise Failed(f"{pathlib.Path(str(words[0])).name} ended with {code}")
        with self.log.open("rb") as log:
            log.seek(begin)
            return log.read().decode("utf-8", "replace").partition("\n")[2]

    def wait(self, process, limit):
        """The code with which a process of this job ends within `limit` seconds. The processor time
        of all that it has waited for itself is counted."""
        deadline, process.used = time.monotonic() + limit, 0.0
        while process.returncode is None:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                process.used = usage.ru_utime + usage.ru_stime
                with self.lock:
                    self.processor += process.used
            elif time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, limit)
            else:
                time.sleep(0.05)
        return process.returncode

    def last_lines(self, count):
        """The end of the log."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 200 * count))
            return "\n".join(log.read().decode("utf-8", "replace").splitlines()[-count:])


def end_group(process):
    """Ends what a command left behind; its process group was made for it alone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def need(tool, install):
    """The path of a tool, or a skip that says how to get it."""
    path = shutil.which(tool)
    if not path:
        raise Skipped(f"{tool} is not here: install {install} to run it")
    return path
