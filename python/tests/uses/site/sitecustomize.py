"""Read by every Python that starts with this folder in its path: ``import redis`` finds kvist."""

import kvist.as_redis

kvist.as_redis.install()
