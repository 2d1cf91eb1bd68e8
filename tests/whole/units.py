"""Checks that run the tests of the crates."""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from .job import end_group, need
from .places import LIMIT, TARGET
from .registry import Failed, Skipped, check
from .servers import kvist, program


BUILT = []  # the programs that the check `tests` has built, as `parts_of` gives them


@check("tests", using=("cargo",))
def check_tests(job):
    """Do the tests of the crates build?"""
    BUILT[:] = built(job, "--workspace")


@check("unit", after=("tests",))
def check_unit(job):
    """Do the tests of the crates pass?"""
    programs = BUILT or built(job, "--workspace")
    try:
        run_programs(job, programs)
    finally:  # what passed is not run again
        BUILT[:] = [program for program in programs if program[0] in job.failed_parts] or programs


@check("doctests", after=("tests",), using=("cargo",))
def check_doctests(job):
    """Do the examples in the documentation of the crates work?"""
    job.run(["cargo", "test", "--locked", "--workspace", "--doc"])


@check("quick", after=("build",), using=("cargo",), whole=False)  # "unit" has all of it
def check_quick(job):
    """Do those tests of the crates pass that stand in their sources?"""
    metadata = json.loads(job.run(["cargo", "metadata", "--locked", "--no-deps", "--offline",
                                   "--format-version", "1"]).splitlines()[-1])
    # Cargo builds what it is told to build, also where a manifest says that there is no test in it.
    without = [package["name"] for package in metadata["packages"]
               if not any(target["test"] for target in package["targets"]
                          if "test" not in target["kind"])]
    excluded = [word for name in without for word in ("--exclude", name)]
    run_programs(job, built(job, "--workspace", *excluded, "--lib", "--bins"))


def built(job, *which):
    """Builds tests; what is to be run of them, as `parts_of` gives it."""
    output = job.run(["cargo", "test", "--locked", *which, "--no-run",
                      "--message-format", "json-render-diagnostics"])
    programs = []
    for line in output.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("profile", {}).get("test") and message.get("executable"):
            crate = pathlib.Path(message["manifest_path"]).parent
            programs += parts_of(message["executable"], message["target"], crate)
    if not programs:
        raise Failed("cargo named no program of tests")
    return programs


def run_programs(job, programs):
    """Runs tests, two programs side by side: most of the time a test waits for something."""
    with ThreadPoolExecutor(1 if job.alone else 2) as pool:
        results = list(pool.map(lambda program: run_tests(job, *program), programs))
    job.failed_parts = [name for name, passed in results if not passed]
    if job.failed_parts:
        raise Failed(f"tests failed: {', '.join(job.failed_parts)}\n" + "\n".join(job.complaints))


def parts_of(program, target, crate):
    """What is run of a program of tests: a name, the command line and the crate's folder, for each.

    The program `all` of a crate has a module for each file. Each runs in a process of its own: so
    they share no state, and the file names what fails, hangs, takes long or is skipped."""
    if target["name"] != "all":
        return [(f"{crate.name}/{target['name']}", [program], crate)]
    listed = subprocess.run([program, "--list", "--format", "terse"], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    modules = collections.defaultdict(list)
    for line in listed.splitlines():
        test, _, kind = line.rpartition(": ")
        if kind == "test":
            modules[test.partition("::")[0]].append(test)
    return [(f"{crate.name}/{module}", [program, "--exact", *tests], crate)
            for module, tests in modules.items()]


def run_tests(job, name, words, crate):
    """Runs tests as cargo would, and keeps what they print together in the log."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            words, cwd=crate, stdin=subprocess.DEVNULL, stdout=output,
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
            log.write(f"$ {words[0]} # {name}\n".encode())
            shutil.copyfileobj(output, log)
            if code:
                log.write(f"{name}: ended with {code}\n".encode())
                output.seek(0)
                job.complaints += [f"{name}: ended with {code}", *complaints(output.read())]
            seconds = time.monotonic() - started
            log.write(f"{name}: {seconds:.1f} s, {process.used:.1f} s CPU\n".encode())
    job.parts[f"unit: {name}"] = time.monotonic() - started
    return name, code == 0


def complaints(output):
    """The lines that say why tests failed: each panic with what it says, and each failed test."""
    lines = output.decode("utf-8", "replace").splitlines()
    kept = set()
    for number, line in enumerate(lines):
        if "panicked at" in line:
            kept.update(range(number, number + 4))
        elif line.endswith("FAILED"):
            kept.add(number)
    return [lines[number] for number in sorted(kept) if number < len(lines)][-30:]


LOG_LOCK = threading.Lock()
# What `crates/testkit/src/skip.rs` writes; the name of a test may stand before it on the line.
SKIP = re.compile(rb"SKIP: (.+)")


def run_longer(job, package, tests, **env):
    """Runs the tests with a name of a crate's program `all`, which settings make longer."""
    output = job.run(["cargo", "test", "--locked", "-p", package, "--test", "all", tests], **env)
    if not re.search(r"[1-9]\d* passed", output):
        raise Failed(f"{package} has no tests called {tests}")


@check("dying-disk", soaks="only")  # "unit" has a short round of it
def check_dying_disk(job):
    """Is what is read back what was there, whatever was done and wherever the disk died?"""
    for tests in ("faults::the_disk_dies_in_any_life", "replay::"):
        run_longer(job, "kvist-engine", tests, KVIST_ROUNDS="12")


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
    run_longer(job, "kvist-engine", "simulation::whatever", KVIST_SECONDS="600")


@check("interleave", soaks="only")  # "unit" has a short round of it
def check_interleave(job):
    """Do the protocols between threads hold in every order of their steps that is tried?"""
    job.run(["cargo", "test", "--locked", "-p", "kvist-interleave"], KVIST_FACTOR="20")
