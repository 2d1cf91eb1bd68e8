"""The command line."""

import argparse
import collections
import contextlib
import os
import subprocess
import sys
import time

# Each of these registers its checks. They begin in this order, but that those which others wait for
# come first: what takes longest comes early, so that the end is not one check alone.
from . import units, code, compared, doors, clients, python_package, apps  # noqa: F401
from .places import LOGS
from .registry import CHECKS, choose
from .report import Report
from .runner import run_again, run_all


def main(text):
    """Runs what the command line asks for; `text` is its help."""
    about, _, rest = text.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="NAME,...", help="run these checks only")
    parser.add_argument("--list", action="store_true", help="list the checks and stop")
    parser.add_argument("--jobs", type=int, metavar="N", default=os.cpu_count() or 1,
                        help="how many checks run side by side (as many as there are cores)")
    parser.add_argument("--soak", type=float, metavar="MINUTES",
                        help="repeat the checks that use chance until the time is over")
    parser.add_argument("--busy", type=int, metavar="N", default=0,
                        help="keep N processes busy meanwhile: do the checks hold on a busy machine?")
    parser.add_argument("--server", metavar="COMMAND",
                        help="try the whole-program checks on this server instead of Kvist")
    options = parser.parse_args()
    checks = choose(options.only)
    if options.list:
        for item in CHECKS:
            print(f"{item.name:<16} {item.summary}")
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    if not options.soak:
        checks = [item for item in checks if item.soaks != "only"]
    started = time.monotonic()
    outcomes = collections.Counter()
    with busy(options.busy):
        while True:
            if options.soak:
                checks = [item for item in checks if item.soaks or not outcomes]
            report = Report(len(checks))
            run_all(options, checks, report)
            run_again(options, checks, report)
            outcomes.update(report.outcomes.values())
            is_over = time.monotonic() - started > (options.soak or 0) * 60
            if is_over or outcomes["failed"] or not outcomes["passed"]:
                break
    report.show_slowest(10)
    minutes = (time.monotonic() - started) / 60
    print(f"in {minutes:.1f} min, {report.processor / 60:.1f} min of processor time, "
          f"{options.jobs} checks at a time")
    report.show_flaky(LOGS / "flaky.log")
    report.repeat_failures(20)
    print(f"{outcomes['passed']} passed, {outcomes['failed']} failed, {outcomes['skipped']} skipped")
    return 1 if outcomes["failed"] else 0


@contextlib.contextmanager
def busy(count):
    """Keeps as many processes busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
