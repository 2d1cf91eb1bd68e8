"""Checks with applications that keep their work in Redis: queues, tasks, locks."""

import os
import sys

from .environments import node_with, python_with
from .places import APPS, CLIENTS, TARGET
from .registry import Skipped, check
from .servers import against_server


def python_app(job, name, protocol=3):
    """The tests in tests/apps/NAME, whose workers are processes of the same environment."""
    if sys.version_info < (3, 10):
        raise Skipped("python3 is too old: install Python 3.10 or newer to run it")
    python = python_with(job, TARGET / "venv-apps", APPS / "requirements.txt")
    path = os.pathsep.join(map(str, (APPS, CLIENTS / "redis_py")))
    against_server(job, protocol, [python, "-m", "unittest", "-v"], APPS / name, PYTHONPATH=path)


@check("rq", soaks=True, waits=True)
def check_rq(job):
    """Do RQ's workers do its jobs: retried, scheduled, cancelled, limited, recovered?"""
    python_app(job, "rq")


@check("celery", soaks=True, waits=True)
def check_celery(job):
    """Do Celery's workers do its tasks, with Redis as broker and as result backend?"""
    python_app(job, "celery")


@check("huey", soaks=True, waits=True)
def check_huey(job):
    """Do Huey's consumers do its tasks: periodic, locked, revoked, in pipelines?"""
    python_app(job, "huey")


@check("redis-lock", soaks=True)
def check_redis_lock(job):
    """Do redis-py's Lock and scripts work for many threads and processes?"""
    for protocol in (2, 3):
        python_app(job, "redis_lock", protocol)


@check("bullmq", soaks=True)
def check_bullmq(job):
    """Do BullMQ's workers do its jobs: flows, limits, schedules, stalled ones?"""
    folder = APPS / "bullmq"
    node = node_with(job, folder)
    against_server(job, 3, [node, "--test", "--test-concurrency=1"], folder)
