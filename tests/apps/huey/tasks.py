"""The tasks of Huey's consumers: of a plain queue, and of one with priorities.

Tasks note what they did in lists `seen:NAME` of the same server. HUEY_NAME tells consumers and
tests apart from those of other tests.
"""

import os
import time

import redis
from huey import PriorityRedisExpireHuey, RedisHuey, crontab

URL = os.environ["HUEY_URL"]
NAME = os.environ["HUEY_NAME"]
db = redis.Redis.from_url(URL, decode_responses=True)
plain = RedisHuey(NAME, url=URL)
# Its tests wait for results by a blocking pop instead of polling.
ranked = PriorityRedisExpireHuey(f"{NAME}ranked", url=URL, notify_result=True, expire_time=60)


def note(name, text):
    """Appends a line to what has been seen."""
    db.rpush(f"seen:{name}", text)


@plain.task()
def add(a, b):
    return a + b


@plain.task()
def mark(name, text="ran"):
    note(name, str(text))  # a handler of errors gets the exception
    return text


@plain.task()
def moment(name):
    note(name, time.time())


@plain.task(retries=2)
def fail(name):
    note(name, "tried")
    raise ValueError(f"no luck with {name}")


@plain.task(retries=3, retry_delay=1)
def fail_until(name, times):
    """Fails so many times, then succeeds."""
    note(name, time.time())
    tries = db.incr(f"tries:{name}")
    if tries < times:
        raise KeyError(f"try {tries}")
    return tries


@plain.task()
def hang(name, seconds=60):
    """Runs until its consumer is killed; ends by itself if it is not."""
    note(name, "hangs")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.05)


@plain.task(retries=100, retry_delay=0.05)
@plain.lock_task("only-one")
def exclusive(name):
    """Notes how many of its kind run at the same time: the lock lets one in, others try again."""
    note(name, db.incr(f"inside:{name}"))
    time.sleep(0.02)
    db.decr(f"inside:{name}")


@plain.task()
def gather(values):
    return sorted(values)


@plain.task()
def total(*values):
    return sum(values)


@plain.periodic_task(crontab(minute="*"))
def every_minute():
    note(f"{NAME}-minute", time.time())


@plain.periodic_task(lambda timestamp: True)
def every_time():
    """Due whenever the consumer looks, which it does once a minute and at its start."""
    note(f"{NAME}-always", "ran")


@ranked.task()
def rank(name, text):
    note(name, text)
    return text


@plain.periodic_task(lambda timestamp: True)
def revoked_always():
    note(f"{NAME}-revoked", "ran")


limited_runs = plain.rate_limit("limit", limit=2, per=1)


@plain.task()
@limited_runs
def limited(name):
    """At most twice a second; what comes too often is put off."""
    note(name, int(time.time()))
