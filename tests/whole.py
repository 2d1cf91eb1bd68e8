#!/usr/bin/env python3
"""Everything `make test` checks, several checks side by side, with one summary at the end.

First the code (formatting, lints, rules of the house, unit tests), then the whole program: the
same random commands to Kvist and to redis-server, real clients and tools, a real application. A
tool that is not installed costs one visible SKIP line, never a silent pass. Standard library only.

    tests/whole.py                      everything
    tests/whole.py --list               what there is
    tests/whole.py --only clippy,tidy   some of it
    tests/whole.py --jobs 1             one check after another
    tests/whole.py --soak 60            the checks that use chance, again and again, for an hour
    tests/whole.py --server redis-server --only redis-py-3
                                        the clients against another server: are the checks right?

Servers are started on free ports in folders of their own. Only what was started here is stopped.
"""

import argparse
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
CLIENTS = ROOT / "tests" / "clients"
APPS = ROOT / "tests" / "apps"
LOGS = TARGET / "whole"
PATIENCE = 30  # seconds a server may take to start or to stop
LIMIT = 25 * 60  # seconds a single command may take

CHECKS = []  # of Check, in the order they run


class Skipped(Exception):
    """A check could not be done here; says what to install."""


class Failed(Exception):
    """A check did not hold; says why, after its log."""


class Check:
    """A function to run, its name, and the words for the list."""

    def __init__(self, name, run, soaks, after, using):
        self.name, self.run, self.soaks = name, run, soaks  # "only": in no other run
        self.after, self.using = frozenset(after), frozenset(using)
        self.summary = (run.__doc__ or "").partition("\n")[0]


def check(name, soaks=False, after=("build",), using=()):
    """Registers the function below as a check. One that soaks uses chance: repeating it helps. It
    begins when the checks `after` which it comes are done, and beside none that is `using` the same
    thing: a folder it fills, or cargo's lock of a profile."""

    def register(run):
        CHECKS.append(Check(name, run, soaks, after, using))
        return run

    return register


# -- What a check may use --------------------------------------------------------------------------


class Job:
    """One run of one check: its log, and its line on the terminal."""

    def __init__(self, options, title, name):
        self.options, self.title = options, title
        self.log = LOGS / f"{name}.log"
        self.log.write_bytes(b"")
        self.started = time.monotonic()
        self.parts = {}  # seconds that parts of it took, by name: for the list of the slowest
        self.skips = {}  # what parts of it could not do here, and which parts those are
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
        deadline = time.monotonic() + limit
        while process.returncode is None:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                with self.lock:
                    self.processor += usage.ru_utime + usage.ru_stime
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


GIVEN_PORTS = set()
PORTS_LOCK = threading.Lock()


def free_port():
    """A port nobody listens on now, and no other check has been given."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with PORTS_LOCK:
            if port not in GIVEN_PORTS:
                GIVEN_PORTS.add(port)
                return port


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
    # The ports that are there unless somebody says otherwise would be in each other's way.
    return [str(kvist(profile)), "serve", *pure, "--grpc-port", "0", "--http-port", "0"]


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


def against_server(job, protocol, words, cwd, **env):
    """Runs the tests of a client library or an application against a fresh server."""
    server = server_words(job, "debug")
    with serving(job, server) as port:
        # The port is last, so that a test can put in that of a server of its own.
        line = f"{shlex.join(server)} --port {{port}}"
        return job.run(words, cwd, TEST_HOST="127.0.0.1", TEST_PORT=str(port),
                       TEST_PROTOCOL=str(protocol), TEST_SERVER_COMMAND=line, **env)


# -- The code --------------------------------------------------------------------------------------


@check("format", after=())
def check_format(job):
    """Is everything formatted as rustfmt would?"""
    job.run(["cargo", "fmt", "--all", "--check"])


@check("tidy", after=(), using=("cargo",))
def check_tidy(job):
    """Are the rules of the house kept?"""
    job.run(["cargo", "xtask", "tidy"])


@check("clippy", using=("cargo",))
def check_clippy(job):
    """Is clippy content?"""
    job.run(["cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])


@check("generated", using=("cargo",))
def check_generated(job):
    """Are the pages made from the commands' specs up to date?"""
    job.run(["cargo", "xtask", "gen", "--check"])


@check("dependencies", after=())
def check_dependencies(job):
    """Are all dependencies allowed by deny.toml?"""
    need("cargo-deny", "cargo-deny (cargo install cargo-deny)")
    job.run(["cargo", "deny", "check", "bans", "licenses", "sources"])


@check("docs", using=("cargo",))
def check_docs(job):
    """Does every page of the API documentation build, with links that lead somewhere?"""
    job.run(["cargo", "doc", "--locked", "--workspace", "--no-deps", "--document-private-items"],
            RUSTDOCFLAGS="-D warnings")


@check("build", after=(), using=("cargo",))
def check_build(job):
    """Does everything build, with assertions?"""
    job.run(["cargo", "build", "--locked", "--workspace"])
    for name in ("kvist", "differential"):
        program("debug", name)


@check("release", after=())
def check_release(job):
    """Does the program that people run build?"""
    job.run(["cargo", "build", "--locked", "--release", "--bin", "kvist"])


@check("unit", using=("cargo",))
def check_unit(job):
    """Do the tests of the crates pass?"""
    output = job.run(["cargo", "test", "--locked", "--workspace", "--no-run",
                      "--message-format", "json-render-diagnostics"])
    programs = []
    for line in output.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("profile", {}).get("test") and message.get("executable"):
            programs.append((message["executable"], pathlib.Path(message["manifest_path"]).parent))
    if not programs:
        raise Failed("cargo named no program of tests")
    # Most of the time a test waits for something, so two programs go side by side.
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda program: run_tests(job, *program), programs))
    failed = [name for name, passed in results if not passed]
    if failed:
        raise Failed(f"tests failed: {', '.join(failed)}")
    job.run(["cargo", "test", "--locked", "--workspace", "--doc"])


def run_tests(job, program, crate):
    """Runs a program of tests as cargo would, and keeps what it prints together in the log."""
    name = f"{crate.name}/{pathlib.Path(program).name.rpartition('-')[0]}"
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [program], cwd=crate, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "CARGO_MANIFEST_DIR": str(crate), "TMPDIR": job.temporary,
                 "KVIST_BIN": str(kvist("debug"))},
        )
        try:
            code = job.wait(process, LIMIT)
        except subprocess.TimeoutExpired:
            code = f"took longer than {LIMIT} s"
        finally:
            end_group(process)
        output.seek(0)
        skips = SKIP.findall(output.read())
        output.seek(0)
        with LOG_LOCK, job.log.open("ab") as log:
            for reason in skips:
                job.skips.setdefault(reason.decode("utf-8", "replace").strip(), set()).add(name)
            log.write(f"$ {program}\n".encode())
            shutil.copyfileobj(output, log)
            if code:
                log.write(f"{name}: ended with {code}\n".encode())
    job.parts[f"unit: {name}"] = time.monotonic() - started
    return name, code == 0


LOG_LOCK = threading.Lock()
# What `crates/base/tests/skip` writes; the name of a test may stand before it on the line.
SKIP = re.compile(rb"SKIP: (.+)")


@check("dying-disk", soaks="only")  # "unit" has a short round of it
def check_dying_disk(job):
    """Is what is read back what was there, whatever was done and wherever the disk died?"""
    for test, name in (("faults", "any_life"), ("replay", "")):
        job.run(["cargo", "test", "--locked", "-p", "kvist-engine", "--test", test, name],
                KVIST_ROUNDS="12")


# What sanitizers say of the interpreter that is known and harmless: `luaH_getnum` subtracts one from
# an index and looks at the result as unsigned.
KNOWN_OVERFLOWS = "signed-integer-overflow:ltable.c\n"


@check("sanitizers", soaks="only", after=())  # it builds anew what it looks at
def check_sanitizers(job):
    """Does the interpreter, compiled to watch itself, stay within its memory and within C?"""
    need("gcc", "gcc")
    named = job.run(["gcc", "-print-file-name=libasan.so"]).strip()
    if not os.path.isabs(named):
        raise Skipped("gcc has no libasan: install libgcc-12-dev or the like")
    host = re.search(r"host: (\S+)", job.run(["rustc", "-vV"])).group(1)
    folder = TARGET / "sanitized"
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / "known-overflows"
    known.write_text(KNOWN_OVERFLOWS)
    # Only what is written in C is instrumented; what is written in Rust is checked by its compiler.
    # The interpreter's memory comes from Rust, which asks the system's allocator, and so the
    # sanitizer's, for it.
    where = host.replace("-", "_")
    cargo = f"CARGO_TARGET_{where.upper()}"
    job.run(["cargo", "test", "--locked", "-p", "kvist-lua", "-p", "kvist-script", "--tests",
             "--target", host, "--target-dir", folder],
            **{f"CFLAGS_{where}": "-fsanitize=address,undefined -fno-omit-frame-pointer -g",
               f"{cargo}_RUSTFLAGS": "-Clink-arg=-lasan -Clink-arg=-lubsan",
               f"{cargo}_RUNNER": f"env LD_PRELOAD={named} ASAN_OPTIONS=detect_leaks=0 "
                                  f"UBSAN_OPTIONS=halt_on_error=1:suppressions={known}"})


@check("simulation", soaks="only")  # "unit" has a minute of it
def check_simulation(job):
    """Is nothing lost that was promised, in whatever order all steps come and power is cut?"""
    job.run(["cargo", "test", "--locked", "-p", "kvist-engine", "--test", "simulation", "whatever"],
            KVIST_SECONDS="600")


@check("interleave", soaks="only")  # "unit" has a short round of it
def check_interleave(job):
    """Do the protocols between threads hold in every order of their steps that is tried?"""
    job.run(["cargo", "test", "--locked", "-p", "kvist-interleave"], KVIST_FACTOR="20")


# -- The whole program -----------------------------------------------------------------------------


@check("differential", soaks=True)
def check_differential(job):
    """Do random commands get the replies redis-server gives?"""
    need("redis-server", "redis-server 7.0")
    # A build must not fail by chance, so the seed is fixed, though another than the unit tests'; a
    # soak draws new ones.
    seed = [] if job.options.soak else ["--seed", "4"]
    known = ROOT / "crates" / "differential" / "known-differences.txt"
    # All families that the program knows: it is told none.
    job.run([program("debug", "differential"), "--steps", "40000", "--known", known, *seed],
            KVIST_BIN=str(kvist("debug")))


@check("scripts")
def check_scripts(job):
    """Do scripts and functions get the bytes redis-server gives, whatever they call and whoever?"""
    redis_server = need("redis-server", "redis-server 7.0")
    redis = [redis_server, "--bind", "127.0.0.1", "--appendonly", "no", "--save", ""]
    with serving(job, server_words(job, "debug")) as port, serving(job, redis) as oracle:
        job.run([sys.executable, ROOT / "tests" / "scripts" / "compare.py", oracle, port])


@check("redis-cli")
def check_redis_cli(job):
    """Does redis-cli get what the README shows, and load and scan a database?"""
    cli = need("redis-cli", "redis-tools")
    with serving(job, server_words(job, "debug")) as port:
        base = [cli, "-h", "127.0.0.1", "-p", str(port)]
        commands, expected = first_session()
        for protocol in ([], ["-3"]):
            job.run([*base, "FLUSHALL"])
            got = feed(job, [*base, "--no-raw", *protocol], commands)
            if got != expected:
                raise Failed(f"the README shows\n{expected}\nand redis-cli got\n{got}")
        load = "".join(f"SET key:{n} {n}\r\nRPUSH list {n}\r\n" for n in range(20_000))
        if "errors: 0, replies: 40000" not in feed(job, [*base, "--pipe"], load):
            raise Failed("--pipe did not load 40,000 commands")
        keys = job.run([*base, "--scan", "--pattern", "key:*"]).split()
        if sorted(keys) != sorted(f"key:{n}" for n in range(20_000)):
            raise Failed(f"--scan saw {len(set(keys))} keys of 20,000")
        big = job.run([*base, "--bigkeys"])
        if not re.search(r"Biggest\s+list found '\"list\"' has 20000 items", big):
            raise Failed("--bigkeys did not find the list")
        if not job.options.server:
            answer = job.run([kvist("debug"), "cli", "-p", str(port), "GET", "key:7"])
            if answer.strip().strip('"') != "7":
                raise Failed(f"kvist cli answered {answer!r}")


def first_session():
    """The commands and the answers of the first session in the README."""
    text = (ROOT / "README.md").read_text()
    session = re.search(r"```console\n\$ redis-cli\n(.*?)```", text, re.DOTALL)
    if not session:
        raise Failed("the README has no session with redis-cli")
    prompt = re.compile(r"127\.0\.0\.1:6379> ")
    lines = session.group(1).splitlines(keepends=True)
    commands = [prompt.sub("", line) for line in lines if prompt.match(line)]
    return "".join(commands), "".join(line for line in lines if not prompt.match(line))


def feed(job, words, text):
    """What a command prints when given `text`."""
    with job.log.open("ab") as log:
        log.write(f"$ {shlex.join(words)} < {len(text)} bytes\n".encode())
        log.flush()
        done = subprocess.run(words, input=text.encode(), stdout=subprocess.PIPE, stderr=log,
                              timeout=300, check=False)
        log.write(done.stdout)
    return done.stdout.decode("utf-8", "replace")


@check("tools")
def check_tools(job):
    """Do redis-cli, in all its modes, browsers and agents get what they get from redis-server?"""
    need("redis-cli", "redis-tools")
    beside_redis(job, "test_redis_cli", "test_monitoring.Replayed")


@check("redis-exporter")
def check_redis_exporter(job):
    """Does redis_exporter make the same metrics of Kvist as of redis-server?"""
    if not shutil.which("redis_exporter"):
        need("prometheus-redis-exporter", "prometheus-redis-exporter")
    beside_redis(job, "test_monitoring.Exporter")


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
        job.run([python.parent / "st", "run", f"http://127.0.0.1:{port}/openapi.json",
                 "--header", f"Authorization: Bearer {token}", "--no-color",
                 "--phases", "examples,coverage,fuzzing", "--generation-deterministic",
                 "--max-examples", "25", "--request-timeout", "20",
                 "--suppress-health-check", "all",
                 "--exclude-checks", "allow_header_conformance"], TARGET / "venv-web")


def beside_redis(job, *tests):
    """Runs some of tests/tools, with a redis-server to compare with."""
    redis_server = need("redis-server", "redis-server 7.0")
    redis = [redis_server, "--bind", "127.0.0.1", "--appendonly", "no", "--save", ""]
    with serving(job, server_words(job, "debug")) as port, serving(job, redis) as other:
        job.run([sys.executable, "-m", "unittest", "-v", *tests], ROOT / "tests" / "tools",
                TEST_PORT=str(port), REDIS_PORT=str(other))


@check("redis-benchmark", after=("release",))
def check_redis_benchmark(job):
    """Do all default tests of redis-benchmark run, and does none wait for an acknowledgement?"""
    tool = need("redis-benchmark", "redis-tools")
    with serving(job, server_words(job, "release")) as port:
        base = [tool, "-p", str(port)]
        for batch in ("1", "16"):
            answer = job.run([*base, "--csv", "-n", "2000", "-P", batch])
            tests = [line for line in answer.splitlines() if re.match(r'"[^"]+","[\d.]+"', line)]
            if len(tests) != 20 or re.search(r"(?i)error", answer):
                raise Failed(f"{len(tests)} of 20 tests ran at -P {batch}")
        started = time.monotonic()
        job.run([*base, "-q", "-t", "set,get", "-c", "1", "-P", "10", "-n", "2000"])
        seconds = time.monotonic() - started
        if seconds > 6:  # 400 batches that each wait 40 ms take 16 s
            raise Failed(f"-c 1 -P 10 took {seconds:.1f} s: replies wait for acknowledgements")


@check("redis-py-2", soaks=True)
def check_redis_py_2(job):
    """Does redis-py work, speaking RESP2?"""
    redis_py(job, 2)


@check("redis-py-3", soaks=True)
def check_redis_py_3(job):
    """Does redis-py work, speaking RESP3?"""
    redis_py(job, 3)


def redis_py(job, protocol):
    """The tests in tests/clients/redis_py."""
    python = python_with_redis(job)
    against_server(job, protocol, [python, "-m", "unittest", "-v"], CLIENTS / "redis_py")


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


@check("ioredis", soaks=True)
def check_ioredis(job):
    """Does ioredis work, speaking RESP2 and RESP3?"""
    folder = CLIENTS / "ioredis"
    node = node_with(job, folder)
    for protocol in (2, 3):
        against_server(job, protocol, [node, "--test", "--test-concurrency=1"], folder)


@check("go-redis", soaks=True)
def check_go_redis(job):
    """Does go-redis work, speaking RESP2 and RESP3?"""
    go, folder = go_here(job), CLIENTS / "goredis"
    for protocol in (2, 3):
        against_server(job, protocol, [go, "test", "-count=1", "-v", "./..."], folder)


def python_app(job, name, protocol=3):
    """The tests in tests/apps/NAME, whose workers are processes of the same environment."""
    if sys.version_info < (3, 10):
        raise Skipped("python3 is too old: install Python 3.10 or newer to run it")
    python = python_with(job, TARGET / "venv-apps", APPS / "requirements.txt")
    path = os.pathsep.join(map(str, (APPS, CLIENTS / "redis_py")))
    against_server(job, protocol, [python, "-m", "unittest", "-v"], APPS / name, PYTHONPATH=path)


@check("rq", soaks=True)
def check_rq(job):
    """Do RQ's workers do its jobs: retried, scheduled, cancelled, limited, recovered?"""
    python_app(job, "rq")


@check("celery", soaks=True)
def check_celery(job):
    """Do Celery's workers do its tasks, with Redis as broker and as result backend?"""
    python_app(job, "celery")


@check("huey", soaks=True)
def check_huey(job):
    """Do Huey's consumers do its tasks: periodic, locked, revoked, in pipelines?"""
    python_app(job, "huey")


@check("redis-lock", soaks=True)
def check_redis_lock(job):
    """Do redis-py's Lock and scripts work for many threads and processes?"""
    for protocol in (2, 3):
        python_app(job, "redis_lock", protocol)


@check("bullmq", soaks=True)
def check_bullmq(job):
    """Do BullMQ's workers do its jobs: flows, limits, schedules, stalled ones?"""
    folder = APPS / "bullmq"
    node = node_with(job, folder)
    against_server(job, 3, [node, "--test", "--test-concurrency=1"], folder)


@check("packages", after=("build", "release"))
def check_packages(job):
    """Does a real application get the same answers from Kvist and from redis-server?"""
    python = python_with_redis(job)
    redis_server = need("redis-server", "redis-server 7.0")
    index = package_index(job)
    redis = [redis_server, "--bind", "127.0.0.1", "--appendonly", "no", "--save", ""]
    answers = {}
    for name, words, protocol in (
        ("redis-server", redis, "3"),
        ("Kvist, RESP2", server_words(job, "release"), "2"),
        ("Kvist, RESP3", server_words(job, "release"), "3"),
    ):
        with serving(job, words) as port:
            output = job.run([python, ROOT / "examples" / "packages.py", "--port", str(port),
                              "--protocol", protocol, index])
        answers[name] = [line for line in output.splitlines() if line.startswith("{")]
    expected = answers.pop("redis-server")
    if len(expected) < 12:
        raise Failed(f"redis-server answered {len(expected)} questions")
    for name, got in answers.items():
        for a, b in zip(expected, got):
            if a != b:
                raise Failed(f"redis-server answered\n{a[:2000]}\nand {name}\n{b[:2000]}")
        if len(got) != len(expected):
            raise Failed(f"{name} answered {len(got)} questions of {len(expected)}")


def package_index(job):
    """A file with the package index of this machine."""
    path = LOGS / "Packages"
    if shutil.which("apt-cache"):
        with path.open("wb") as file:
            subprocess.run(["apt-cache", "dumpavail"], stdout=file, check=False)
        if path.stat().st_size > 100_000:
            return path
    status = pathlib.Path("/var/lib/dpkg/status")
    if status.exists():
        return status
    raise Skipped("there is no package index here: run it on Debian")


# -- The program -----------------------------------------------------------------------------------


def run_one(options, item, report):
    """Runs a check, tells how it went, and returns "passed", "failed" or "skipped"."""
    job = Job(options, item.name, item.name)
    outcome, text = "passed", ""
    try:
        item.run(job)
    except Skipped as reason:
        outcome, text = "skipped", f"SKIP: {item.name}: {reason}"
    except Failed as reason:
        outcome, text = "failed", f"{job.last_lines(80)}\n{item.name}: {reason}\nlog: {job.log}"
    except Exception as error:  # pylint: disable=broad-except
        outcome, text = "failed", f"{item.name}: {error!r}\nlog: {job.log}"
    lines = (f"SKIP: {item.name}: {reason} ({some(sorted(parts))})"
             for reason, parts in sorted(job.skips.items()))
    text = "\n".join(filter(None, [*lines, text]))
    shutil.rmtree(job.temporary, ignore_errors=True)
    seconds = {item.name: time.monotonic() - job.started, **job.parts}
    report.done(item, outcome, text, seconds, job.processor)
    return outcome


def some(names):
    """The first few of these names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Report:
    """What the terminal shows, from all threads: a line for each check that is done, and on a
    terminal a last one about those that run."""

    def __init__(self, total):
        self.lock, self.total, self.finished = threading.Lock(), total, 0
        self.running, self.seconds, self.outcomes, self.processor = {}, {}, {}, 0.0

    def begin(self, item):
        """A check begins."""
        with self.lock:
            self.running[item.name] = time.monotonic()

    def done(self, item, outcome, text, seconds, processor):
        """A check is done: how long its parts took, and how much processor time all of it."""
        with self.lock:
            self.running.pop(item.name, None)
            self.finished += 1
            self.outcomes[item.name] = outcome
            self.seconds.update(seconds)
            self.processor += processor
            start = "\r\x1b[K" if sys.stdout.isatty() else ""
            print(f"{start}[{self.finished:2}/{self.total}] {item.name:<20} {outcome:<8}"
                  f"{seconds[item.name]:6.1f} s {processor:6.1f} s CPU  {item.summary}", flush=True)
            if text:
                print(text, flush=True)

    def show_progress(self):
        """On a terminal: which checks run, and for how long they have."""
        if not sys.stdout.isatty():
            return
        with self.lock:
            now = time.monotonic()
            texts = (f"{name} {int(now - begun) // 60}:{int(now - begun) % 60:02}"
                     for name, begun in self.running.items())
            width = max(20, shutil.get_terminal_size().columns - 1)
            print("\r\x1b[K" + ", ".join(texts)[:width], end="", flush=True)

    def show_slowest(self, count):
        """The checks and the programs of tests that took longest."""
        slowest = sorted(self.seconds.items(), key=lambda item: -item[1])[:count]
        print("slowest: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in slowest))


def run_all(options, checks, report):
    """Runs checks, as many at a time as there are jobs, each as soon as it may begin."""
    names = {item.name for item in checks}
    waiting, running, using = list(checks), {}, set()
    with ThreadPoolExecutor(options.jobs) as pool:
        while waiting or running:
            for item in [item for item, future in running.items() if future.done()]:
                running.pop(item).result()
                using -= item.using
            blocked = {item.name for item in waiting} | {item.name for item in running}
            for item in list(waiting):
                free = not item.after & names & blocked and not item.using & using
                if free and len(running) < options.jobs:
                    waiting.remove(item)
                    using |= item.using
                    report.begin(item)
                    running[item] = pool.submit(run_one, options, item, report)
            report.show_progress()
            time.sleep(0.1)


def choose(only):
    """The checks with these names, or all."""
    if not only:
        return CHECKS
    names = only.split(",")
    unknown = set(names) - {item.name for item in CHECKS}
    if unknown:
        sys.exit(f"whole.py: there is no check called {', '.join(sorted(unknown))}; see --list")
    return [item for item in CHECKS if item.name in names]


def main():
    about, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="NAME,...", help="run these checks only")
    parser.add_argument("--list", action="store_true", help="list the checks and stop")
    parser.add_argument("--jobs", type=int, metavar="N", default=os.cpu_count() or 1,
                        help="how many checks run side by side (as many as there are cores)")
    parser.add_argument("--soak", type=float, metavar="MINUTES",
                        help="repeat the checks that use chance until the time is over")
    parser.add_argument("--server", metavar="COMMAND",
                        help="try the whole-program checks on this server instead of Kvist")
    options = parser.parse_args()
    checks = choose(options.only)
    if options.list:
        for item in checks:
            print(f"{item.name:<16} {item.summary}")
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    if not options.soak:
        checks = [item for item in checks if item.soaks != "only"]
    started = time.monotonic()
    outcomes = collections.Counter()
    while True:
        if options.soak:
            checks = [item for item in checks if item.soaks or not outcomes]
        report = Report(len(checks))
        run_all(options, checks, report)
        outcomes.update(report.outcomes.values())
        is_over = time.monotonic() - started > (options.soak or 0) * 60
        if is_over or outcomes["failed"] or not outcomes["passed"]:
            break
    report.show_slowest(10)
    minutes = (time.monotonic() - started) / 60
    print(f"in {minutes:.1f} min, {report.processor / 60:.1f} min of processor time, "
          f"{options.jobs} checks at a time")
    print(f"{outcomes['passed']} passed, {outcomes['failed']} failed, {outcomes['skipped']} skipped")
    return 1 if outcomes["failed"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
