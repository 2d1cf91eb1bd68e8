"""Runs checks side by side, each as soon as it may begin; and once more, alone, those that failed."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor

from .job import Job
from .registry import Failed, Skipped
from .report import some


def run_one(options, item, report, alone=False):
    """Runs a check, and tells the report how it went."""
    job = Job(options, item.name, f"{item.name}-again" if alone else item.name, alone)
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
    report.done(item, outcome, text, seconds, job)


def behind(item, checks):
    """The checks that come after this one, directly or behind others."""
    direct = [other for other in checks if item.name in other.after]
    return set(direct).union(*(behind(other, checks) for other in direct))


def has_place(item, running, jobs):
    """Whether a check may begin beside those that run: as many as there are jobs keep the cores busy,
    and as many more wait most of the time, unless they are to run one after another."""
    if jobs == 1:
        return not running
    return sum(other.waits == item.waits for other in running) < jobs


def run_all(options, checks, report):
    """Runs checks, as many at a time as have a place, each as soon as it may begin."""
    names = {item.name for item in checks}
    # First those that others wait for, then those that take long and leave a core idle: at the end
    # there would be nothing to do beside them.
    waiting = sorted(checks, key=lambda item: (-len(behind(item, checks)), not item.waits))
    running, using = {}, set()
    with ThreadPoolExecutor(2 * options.jobs) as pool:
        while waiting or running:
            for item in [item for item, future in running.items() if future.done()]:
                running.pop(item).result()
                using -= item.using
            blocked = {item.name for item in waiting} | {item.name for item in running}
            for item in list(waiting):
                free = not item.after & names & blocked and not item.using & using
                if free and has_place(item, running, options.jobs):
                    waiting.remove(item)
                    using |= item.using
                    report.begin(item)
                    running[item] = pool.submit(run_one, options, item, report)
            report.show_progress()
            time.sleep(0.1)


def run_again(options, checks, report):
    """Runs what failed once more, alone: what passes now depends on what ran beside it. No more than
    `MOST_FLAKY`: where more fails, something is broken."""
    failed = [item for item in checks if report.outcomes.get(item.name) == "failed"]
    if sum(len(report.failed_parts[item.name]) for item in failed) <= MOST_FLAKY:
        for item in failed:
            report.begin_again(item)
            run_one(options, item, report, alone=True)


MOST_FLAKY = 2  # parts of a run, a program of tests or a check each, that may fail at first
