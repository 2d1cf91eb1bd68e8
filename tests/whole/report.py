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
            if outcome == "failed":
                self.failures[item.name] = text
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

    def repeat_failures(self, count):
        """The last lines of each failed check once more: of a long run one often sees the end only."""
        for name, text in self.failures.items():
            print(f"FAILED: {name}")
            for line in text.splitlines()[-count:]:
                print(f"    {line[:200]}")
