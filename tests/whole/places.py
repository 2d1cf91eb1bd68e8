"""Where things are, and how long they may take."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
CLIENTS = ROOT / "tests" / "clients"
APPS = ROOT / "tests" / "apps"
LOGS = TARGET / "whole"
PATIENCE = 30  # seconds a server may take to start or to stop
LIMIT = 25 * 60  # seconds a single command may take
