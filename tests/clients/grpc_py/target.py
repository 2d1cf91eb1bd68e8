"""The server under test, and stubs made of the .proto files when they are needed."""

import atexit
import contextlib
import importlib
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import grpc
from grpc_tools import protoc

PATIENCE = 30  # seconds
PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"


def stubs():
    """The modules of memorize and of kvist.v1, each with its messages and its services."""
    folder = tempfile.mkdtemp(prefix="kvist-stubs-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    files = ["memorize/memorize.proto", "kvist/v1/kvist.proto"]
    words = ["protoc", f"-I{PROTO}", f"--python_out={folder}", f"--grpc_python_out={folder}"]
    if protoc.main([*words, *files]):
        raise RuntimeError("the .proto files do not compile")
    sys.path.insert(0, folder)
    names = ["memorize.memorize_pb2", "memorize.memorize_pb2_grpc",
             "kvist.v1.kvist_pb2", "kvist.v1.kvist_pb2_grpc"]
    return [importlib.import_module(name) for name in names]


class Server:
    """A server with a gRPC port, stopped when closed."""

    def __init__(self, *args, **env):
        self.port, self.grpc_port = free_port(), free_port()
        self.folder = tempfile.TemporaryDirectory(prefix="kvist-grpc-")
        words = shlex.split(os.environ["TEST_SERVER_COMMAND"].format(port=self.port))
        words += ["--grpc-port", str(self.grpc_port), *args]
        self.process = subprocess.Popen(
            words, cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env={**os.environ, **env},
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError):
                if self.resp("PING") == b"+PONG\r\n":
                    break
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start")
            time.sleep(0.02)

    def resp(self, line):
        """What an inline command is answered, if that is short."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(line.encode() + b"\r\n")
            return connection.recv(65536)

    def channel(self, **options):
        """A channel to it, which is ready."""
        pairs = [(name.replace("__", "."), value) for name, value in options.items()]
        channel = grpc.insecure_channel(f"127.0.0.1:{self.grpc_port}", pairs)
        grpc.channel_ready_future(channel).result(PATIENCE)
        return channel

    def resident(self):
        """Bytes of memory it has."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    def close(self):
        """Stops it; it must end well."""
        self.process.terminate()
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.folder.cleanup()
        if code:
            raise RuntimeError(f"the server ended with {code}")

# Modules that all tests in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from ports import free_port  # noqa: E402

