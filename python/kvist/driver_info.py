"""Which packages use a connection, as ``CLIENT LIST`` shows it."""

from __future__ import annotations

import re

from ._core import __version__

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_VERSION = re.compile(r"[!-'*-Z\\^-z|~]+")  # what can be seen, but brackets


class DriverInfo:
    """The library's own name and version, and those of what was built upon it.

    >>> DriverInfo("lib", "1.0").add_upstream_driver("app", "2.1").formatted_name
    'lib(app_v2.1)'
    """

    def __init__(
        self, name: str | None = "kvist-py", lib_version: str | None = __version__
    ) -> None:
        self.name = name
        self.lib_version = lib_version
        self.upstream_drivers: list[str] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.formatted_name} {self.lib_version}>"

    def add_upstream_driver(self, driver_name: str, driver_version: str) -> DriverInfo:
        """Adds a package that uses this one; the latest comes first."""
        if not _NAME.fullmatch(driver_name):
            raise ValueError(
                f"{driver_name!r} is no name of a package: small letters, digits, '-' and '_'"
            )
        if not _VERSION.fullmatch(driver_version):
            raise ValueError(f"{driver_version!r} is no version: no spaces, no brackets")
        self.upstream_drivers.insert(0, f"{driver_name}_v{driver_version}")
        return self

    @property
    def formatted_name(self) -> str | None:
        """``name(upstream_v1;…)``; ``None`` without a name."""
        if not self.name or not self.upstream_drivers:
            return self.name or None
        return f"{self.name}({';'.join(self.upstream_drivers)})"
