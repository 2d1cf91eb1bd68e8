"""Checks that put Kvist beside redis-server: random commands, scripts, tools, an application."""

import contextlib
import ctypes.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from .environments import python_with_redis
from .job import end_group, need
from .places import PATIENCE, ROOT, TARGET
from .registry import Failed, Skipped, check
from .servers import (falkordb_words, kvist, lasting, program, redis_words, server_words,
                      serving)


@check("differential", soaks=True, waits=True)
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


@check("redis-module", soaks="only", using=("cargo",))  # its bindings take minutes, and libclang
def check_redis_module(job):
    """Does redis-server with our documents as its module reply, and remember, as Kvist does?"""
    need("redis-server", "redis-server 7.0")
    here = pathlib.Path("/usr/lib").glob("llvm-*/lib/libclang.so*")
    if not (any(here) or ctypes.util.find_library("clang") or "LIBCLANG_PATH" in os.environ):
        raise Skipped("libclang is not here: install libclang-dev to build the module")
    crate, folder = ROOT / "crates" / "redis-module", TARGET / "redis-module"
    job.run(["cargo", "fmt", "--check"], cwd=crate)
    for words in (["clippy", "--", "-D", "warnings"], ["build"]):
        job.run(["cargo", words[0], "--locked", "--target-dir", folder, *words[1:]], cwd=crate)
    if shutil.which("cargo-deny"):
        job.run(["cargo", "deny", "--manifest-path", crate / "Cargo.toml", "check", "--config",
                 ROOT / "deny.toml", "bans", "licenses", "sources"])
    known = ROOT / "crates" / "differential" / "known-differences.txt"
    servers = {"KVIST_BIN": str(kvist("debug")),
               "KVIST_JSON_MODULE": str(folder / "debug" / "libkvist_json.so")}
    job.run([program("debug", "differential"), "--family", "json", "--steps", "20000",
             "--known", known], **servers)
    job.run(["cargo", "test", "--locked", "-p", "kvist-differential", "--test", "all", "module::"],
            **servers)


@check("scripts")
def check_scripts(job):
    """Do scripts and functions get redis-server's bytes, whatever they call, for every user?"""
    with serving(job, server_words(job, "debug")) as port, serving(job, redis_words()) as oracle:
        job.run([sys.executable, ROOT / "tests" / "scripts" / "compare.py", oracle, port])


@check("falkordb", soaks=True)
def check_falkordb(job):
    """Do statements on random graphs get the rows that FalkorDB gives?"""
    with serving(job, server_words(job, "debug")) as port, serving(job, falkordb_words()) as oracle:
        # A build must not fail by chance; a soak draws new statements.
        seed = [] if job.options.soak else ["--seed", "4"]
        job.run([sys.executable, ROOT / "tests" / "graphs" / "compare.py", oracle, port,
                 "--graphs", "60", *seed])


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


@check("tools", waits=True)
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


def beside_redis(job, *tests):
    """Runs some of tests/tools, with a redis-server to compare with."""
    with serving(job, server_words(job, "debug")) as port, serving(job, redis_words()) as other:
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
            tests = [line for line in answer.splitlines()
                     if re.match(r'"[^"]+","([\d.]+|inf)"', line)]  # inf: done within a millisecond
            if len(tests) != 20 or re.search(r"(?i)error", answer):
                raise Failed(f"{len(tests)} of 20 tests ran at -P {batch}")
        started = time.monotonic()
        job.run([*base, "-q", "-t", "set,get", "-c", "1", "-P", "10", "-n", "2000"])
        seconds = time.monotonic() - started
        if seconds > 6:  # 400 batches that each wait 40 ms take 16 s
            raise Failed(f"-c 1 -P 10 took {seconds:.1f} s: replies wait for acknowledgements")


@check("bench-graph")
def check_bench_graph(job):
    """Does the report on graphs run, small, and do its servers answer alike?"""
    # Beside it, the report finds the server to measure.
    kvist("debug")
    report = program("debug", "kvist-bench")
    job.run([report, "graph", "--quick", "--scale", "0.002", "--out", job.temporary])


@check("packages", after=("build", "release"))
def check_packages(job):
    """Does a real application get the same answers from Kvist and from redis-server?"""
    python, redis = python_with_redis(job), redis_words()
    index = package_index(job)
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


@check("dependencies-graph", after=("build", "release"))
def check_dependencies_graph(job):
    """Does a graph of all packages answer what plain Python computes from the same index?"""
    python, index = python_with_redis(job), package_index(job)
    for protocol in ("2", "3"):
        with serving(job, server_words(job, "release")) as port:
            output = job.run([python, ROOT / "examples" / "dependencies.py", "--port", str(port),
                              "--protocol", protocol, index])
        answers = pathlib.Path(job.temporary) / f"dependencies-{protocol}"
        answers.write_text("".join(line + "\n" for line in output.splitlines()
                                   if line.startswith("{")))
        job.run([python, ROOT / "tests" / "examples" / "dependencies.py", index, answers])


@check("search-examples", after=("build", "release"))
def check_search_examples(job):
    """Do indexes of packages answer what plain Python computes, also after kill -9 of a writer?"""
    python, index = python_with_redis(job), some_packages(job)
    words = [*server_words(job, "release"), "--appendonly", "yes"]
    search = [python, ROOT / "examples" / "search.py", index]
    with lasting(job, words) as server:
        def ask(name, *options):
            output = job.run([*search, "--port", str(server.port), *options])
            answers = pathlib.Path(job.temporary) / f"search-{name}"
            answers.write_text("".join(line + "\n" for line in output.splitlines()
                                       if line.startswith("{")))
            job.run([python, ROOT / "tests" / "examples" / "search.py", index, answers])

        def agree():
            job.run([python, ROOT / "tests" / "examples" / "agreement.py", str(server.port)])

        def kill_while_loading(keys, *options):
            load = [*search, "--port", str(server.port), "--load-only", *options]
            with meanwhile(job, load) as loading:
                killed_among(job, server, loading, keys)
            server.start()
            agree()

        ask("resp2", "--protocol", "2")
        kill_while_loading(0)  # all is there, and written again
        ask("killed", "--ask-only")
        kill_while_loading(server.ask("DBSIZE") * 2 // 3, "--flush")  # some of it is there
        ask("completed")
        agree()


@contextlib.contextmanager
def meanwhile(job, words):
    """Runs a command beside others, whatever comes of it."""
    with job.log.open("ab") as log:
        log.write(f"$ {shlex.join(map(str, words))} &\n".encode())
        log.flush()
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(process, PATIENCE)
        end_group(process)


def killed_among(job, server, loading, keys):
    """Kills a server in the midst of loading, and not before it has so many keys."""
    enough, deadline = server.commands() + 3000, time.monotonic() + PATIENCE
    while server.commands() < enough or server.ask("DBSIZE") < keys:
        if loading.poll() is not None:
            raise Failed("loading was over before the server was killed")
        if time.monotonic() > deadline:
            raise Failed(f"nothing was loaded within {PATIENCE} s")
        time.sleep(0.01)
    server.kill()


def some_packages(job):
    """A file with each eighth package of the index, and some that are asked for by name."""
    path = job.log.with_suffix(".some-packages")
    packages = package_index(job).read_bytes().strip().split(b"\n\n")
    asked = {b"Package: " + name for name in (b"bash", b"gcc", b"vim")}
    some = (package for at, package in enumerate(packages)
            if at % 8 == 0 or package.partition(b"\n")[0] in asked)
    path.write_bytes(b"\n\n".join(some) + b"\n\n")
    return path


def package_index(job):
    """A file with the package index of this machine."""
    path = job.log.with_suffix(".packages")  # of each check its own: others may run beside it
    if shutil.which("apt-cache"):
        with path.open("wb") as file:
            subprocess.run(["apt-cache", "dumpavail"], stdout=file, check=False)
        if path.stat().st_size > 100_000:
            return path
    status = pathlib.Path("/var/lib/dpkg/status")
    if status.exists():
        return status
    raise Skipped("there is no package index here: run it on Debian")
