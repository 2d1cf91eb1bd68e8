"""Huey's tasks, with a storage whose client is Kvist's: its class says which one it is."""

import os
import threading

from huey import Huey
from huey.storage import RedisStorage

import kvist


class Storage(RedisStorage):
    """Huey's queue in Redis."""

    redis_client = kvist.Kvist


pool = kvist.ConnectionPool.from_url(os.environ["KVIST_URL"])
huey = Huey("app", storage_class=Storage, connection_pool=pool)
done = threading.Event()


@huey.task(retries=1)
def divide(a, b):
    return a / b


@huey.task()
def finish():
    done.set()
    return "done"


consumer = huey.create_consumer(workers=2, check_worker_health=False)
consumer.start()
result = divide(6, 3)
assert result.get(blocking=True, timeout=20) == 2.0
later = divide.schedule((8, 2), delay=1)
finish()
assert done.wait(20)
assert later.get(blocking=True, timeout=20) == 4.0
try:
    divide(1, 0).get(blocking=True, timeout=20)
except Exception as error:
    assert "ZeroDivisionError" in str(error)
else:
    raise AssertionError("a task that failed has a result")
with huey.lock_task("lock"):
    assert huey.is_locked("lock")
consumer.stop(graceful=True)
