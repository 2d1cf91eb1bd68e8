"""What the terminal shows of a run."""

import shutil
import sys
import threading
import time


def some(names):
    """The first few of these names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Report:
    """What the terminal shows, from all threads: a line for each check that is done, and on a
    terminal a last one about those that run."""

    def __init__(self, total):
        self.lock, self.total, self.finished = threading.Lock(), total, 0
        self.running, self.seconds, self.outcomes, self.processor = {}, {}, {}, 0.0
        self.failures = {}  # what each failed check said
        self.failed_parts = {}  # the programs of tests that failed, or the check itself
        self.again, self.flaky = {}, {}  # what was said by what runs again; by what passed then

    def begin(self, item):
        """A check begins."""
        with self.lock:
            self.running[item.name] = time.monotonic()

    def begin_again(self, item):
        """A check that failed begins once more."""
        self.again[item.name] = self.failures.pop(item.name)
        self.finished -= 1
        self.begin(item)

    def done(self, item, outcome, text, seconds, job):
        """A check is done: how long its parts took, and how much processor time all of it."""
        processor = job.processor
        with self.lock:
            self.running.pop(item.name, None)
            self.finished += 1
            self.outcomes[item.name] = outcome
            if outcome == "failed":
                self.failures[item.name] = text
                self.failed_parts[item.name] = job.failed_parts or [item.name]
            elif item.name in self.again:
                self.flaky[item.name] = self.again[item.name]
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

    def show_flaky(self, path):
        """A line for each program of tests or check that failed at first and then passed; a file keeps
        all that they said."""
        path.write_text("".join(f"{text}\n" for text in self.flaky.values()))
        for name, text in self.flaky.items():
            said = next((line for line in text.splitlines() if "panicked at" in line), text.splitlines()[-2])
            print(f"flaky: {', '.join(self.failed_parts[name])} ({said.strip()}); see {path}")

    def repeat_failures(self, count):
        """The last lines of each failed check once more: of a long run one often sees the end only."""
        for name, text in self.failures.items():
            print(f"FAILED: {name}")
            for line in text.splitlines()[-count:]:
                print(f"    {line[:200]}")
