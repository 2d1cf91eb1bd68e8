#!/usr/bin/env python3
"""Everything `make test` checks, several checks side by side, with one summary at the end.

First the code (formatting, lints, rules of the house, unit tests), then the whole program: the
same random commands to Kvist and to redis-server, real clients and tools, a real application. A
tool that is not installed costs one visible SKIP line, never a silent pass. What failed runs once
more, alone, at the end: if it passes then, a line says `flaky`, and the run is green, but for more than
two such. Standard library only.

    tests/whole.py                      everything
    tests/whole.py --list               what there is
    tests/whole.py --only clippy,tidy   some of it
    tests/whole.py --jobs 1             one check after another
    tests/whole.py --busy 2             everything, beside two processes that are busy all the time
    tests/whole.py --soak 60            the checks that use chance, again and again, for an hour
    tests/whole.py --server redis-server --only redis-py-3
                                        the clients against another server: are the checks right?

Servers are started on free ports in folders of their own. Only what was started here is stopped.
"""

import sys

from whole.command import main

if __name__ == "__main__":
    try:
        sys.exit(main(__doc__))
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
