"""Checks of the other front ends: HTTP and gRPC."""

import shlex
import shutil

from .environments import go_here, node_with, python_with
from .places import CLIENTS, ROOT, TARGET
from .registry import Skipped, check
from .servers import free_port, server_words, serving


@check("http")
def check_http(job):
    """Does the HTTP port do what its OpenAPI document says, and tell what redis_exporter tells?"""
    if job.options.server:
        raise Skipped("the server has no HTTP port")
    folder = ROOT / "tests" / "web"
    python = python_with(job, TARGET / "venv-web", folder / "requirements.txt")
    port, token = free_port(), "of-a-test"
    words = [*server_words(job, "debug"), "--http-port", str(port)]
    with serving(job, words) as redis:
        job.run([python, "-m", "unittest", "-v"], folder,
                TEST_PORT=str(redis), HTTP_PORT=str(port))
    with serving(job, [*words, "--http-token", token]):
        # As many examples as fit into a minute of a loaded machine, and the same every time. What a
        # key named like a route may be asked stands in Allow, though the document has it elsewhere.
        job.run([python.parent / "st", "--config-file", folder / "schemathesis.toml",
                 "run", f"http://127.0.0.1:{port}/openapi.json",
                 "--header", f"Authorization: Bearer {token}", "--no-color",
                 "--phases", "examples,coverage,fuzzing", "--generation-deterministic",
                 "--max-examples", "25", "--request-timeout", "20",
                 "--suppress-health-check", "all",
                 "--exclude-checks", "allow_header_conformance"], TARGET / "venv-web")


@check("grpc")
def check_grpc(job):
    """Do generated clients, health probes and reflection work over gRPC, and memory stay bounded?"""
    if job.options.server:
        raise Skipped("only Kvist has these services: run it without --server")
    folder = CLIENTS / "grpc_py"
    python = python_with(job, TARGET / "venv-grpc", folder / "requirements.txt")
    line = shlex.join(server_words(job, "debug")) + " --port {port}"
    job.run([python, "-m", "unittest", "-v"], folder, TEST_SERVER_COMMAND=line)
    folder = CLIENTS / "grpc_node"
    node = node_with(job, folder)
    grpc_port = free_port()
    with serving(job, [*server_words(job, "debug"), "--grpc-port", str(grpc_port)]):
        job.run([node, "--test", "--test-concurrency=1"], folder, TEST_GRPC_PORT=str(grpc_port))


@check("phable")
def check_phable(job):
    """Does Project Haystack's client work, as it is?"""
    if job.options.server:
        raise Skipped("only Kvist has this API: run it without --server")
    folder, http_port = CLIENTS / "phable_py", free_port()
    python = python_with(job, TARGET / "venv-phable", folder / "requirements.txt")
    words = [*server_words(job, "debug"), "--http-port", str(http_port)]
    with serving(job, words) as port:
        job.run([python, "-m", "unittest", "-v"], folder, TEST_PORT=str(port),
                TEST_HTTP_PORT=str(http_port))


@check("grpc-go")
def check_grpc_go(job):
    """Does grpc-go work, with code generated of the .proto files?"""
    if job.options.server:
        raise Skipped("only Kvist has these services: run it without --server")
    go = go_here(job)
    folder = with_go_stubs(job, go, CLIENTS / "grpc_go")
    line = shlex.join(server_words(job, "debug")) + " --port {port}"
    job.run([go, "test", "-count=1", "-v", "./..."], folder, TEST_SERVER_COMMAND=line)


def with_go_stubs(job, go, folder):
    """A copy of a Go module with the code of the .proto files, generated with what it pins: so
    nothing generated is in the repository, and nothing is made there."""
    # Its tools hold a protoc that runs everywhere.
    python = python_with(job, TARGET / "venv-grpc", CLIENTS / "grpc_py" / "requirements.txt")
    tools, copy = TARGET / "grpc-go" / "tools", TARGET / "grpc-go" / "module"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    job.run([go, "build", "-o", f"{tools}/", "tool"], copy)
    module = "kvist.dev/tests/grpcgo"
    packages = {"memorize/memorize.proto": "memorize", "kvist/v1/kvist.proto": "kvist"}
    mapped = ",".join(f"M{file}={module}/{name}" for file, name in packages.items())
    words = [python, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}"]
    for kind in ("go", "go-grpc"):
        words += [f"--plugin=protoc-gen-{kind}={tools / f'protoc-gen-{kind}'}",
                  f"--{kind}_out={copy}", f"--{kind}_opt=module={module},{mapped}"]
    job.run([*words, *packages])
    return copy
