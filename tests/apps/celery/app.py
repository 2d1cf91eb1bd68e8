"""The tasks of Celery's workers, with Redis both as the broker and as the keeper of results.

Tasks note what they did in lists `seen:NAME` of the same server. CELERY_VISIBILITY is how many
seconds a message may stay unacknowledged before another worker gets it.
"""

import os
import time

import redis
from celery import Celery
from kombu import Queue

URL = os.environ["CELERY_URL"]
db = redis.Redis.from_url(URL, decode_responses=True)
app = Celery("app", broker=URL, backend=URL)
app.conf.update(
    task_queues=[Queue("celery"), Queue("ranked"), Queue("late"), Queue("quiet")],
    task_default_queue="celery",
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": float(os.environ.get("CELERY_VISIBILITY", "3600")),
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "priority_steps": [0, 3, 6, 9],
        "queue_order_strategy": "priority",
    },
    result_extended=True,
    result_chord_join_timeout=30,
    task_track_started=True,
)


def note(name, text):
    """Appends a line to what has been seen."""
    db.rpush(f"seen:{name}", text)


@app.task
def add(a, b):
    return a + b


@app.task
def total(numbers):
    return sum(numbers)


@app.task
def mark(name, text="ran"):
    note(name, text)
    return text


@app.task
def moment(name):
    note(name, time.time())


@app.task(bind=True, max_retries=2)
def fail(self, name):
    note(name, self.request.retries)
    raise self.retry(countdown=0, exc=ValueError(f"no luck with {name}"))


@app.task(bind=True, autoretry_for=(KeyError,), max_retries=5, default_retry_delay=1)
def fail_until(self, name, times):
    """Fails so many times, a second apart, then succeeds."""
    note(name, time.time())
    tries = db.incr(f"tries:{name}")
    if tries < times:
        raise KeyError(tries)
    return tries


@app.task
def hang(name, seconds=60):
    """Runs until it is killed; ends by itself if it is not."""
    note(name, os.getpid())
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.05)


@app.task(acks_late=True, reject_on_worker_lost=True)
def hang_once(name):
    """Hangs at its first try only; its message is acknowledged when it is done."""
    if db.incr(f"tries:{name}") == 1:
        hang(name)
    note(name, "again")
    return "recovered"


@app.task(bind=True)
def progress(self, name, steps):
    """Says how far it is, each time after the tests have seen the step before."""
    for step in range(1, steps + 1):
        self.update_state(state="PROGRESS", meta={"step": step})
        db.blpop(f"go:{name}", 30)
    return steps


@app.task
def explain(request, error, traceback):
    """The errback of a chain or a chord."""
    note(request.args[0] if request.args else "errors", f"{type(error).__name__}: {error}")


@app.task
def note_error(request, error, traceback, name):
    note(name, f"{type(error).__name__}: {error}")
