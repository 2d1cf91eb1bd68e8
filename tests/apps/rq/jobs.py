"""What the workers of RQ do. Jobs note what they did in lists `seen:NAME` of the same server."""

import os
import time

import redis
from rq import get_current_job

db = redis.Redis.from_url(os.environ["RQ_REDIS_URL"], decode_responses=True)


def note(name, text):
    """Appends a line to what has been seen."""
    db.rpush(f"seen:{name}", text)


def add(a, b, scale=1):
    return (a + b) * scale


def mark(name, text="ran"):
    note(name, text)
    return text


def moment(name):
    """Notes when it ran."""
    note(name, time.time())


def fail(name):
    note(name, "tried")
    raise ValueError(f"no luck with {name}")


def fail_until(name, times):
    """Fails so many times, then succeeds."""
    tries = db.incr(f"tries:{name}")
    note(name, tries)
    if tries < times:
        raise KeyError(f"try {tries}")
    return tries


def hang(name, seconds=60):
    """Says its process and runs until it is killed; ends by itself if it is not."""
    note(name, os.getpid())
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.05)


def hang_once(name):
    """Hangs at its first try only."""
    if db.incr(f"tries:{name}") == 1:
        hang(name)
    note(name, "again")
    return "recovered"


def exclusive(name):
    """Notes how many of its kind run at the same time."""
    note(name, db.incr(f"inside:{name}"))
    time.sleep(0.05)
    db.decr(f"inside:{name}")


def keep_meta(text):
    job = get_current_job()
    job.meta["text"] = text
    job.save_meta()
    return job.id


def succeeded(job, connection, result, *args, **kwargs):
    note(job.meta["name"], f"success {result}")


def failed(job, connection, kind, value, traceback):
    note(job.meta["name"], f"failure {kind.__name__}")


def stopped(job, connection):
    note(job.meta["name"], "stopped")
