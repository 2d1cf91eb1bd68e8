"""Errors by the names that Folio has for them."""

from __future__ import annotations

from ..exceptions import RedisError, ResponseError


class FolioError(ResponseError):
    """A request about a project was refused, and nothing has happened."""


class UnknownRecError(FolioError):
    """There is no such record."""


class CommitError(FolioError):
    """The records cannot be changed like this."""


class ConcurrentChangeError(CommitError):
    """A record has changed since it was read."""


class DiffError(FolioError):
    """A diff is none."""


class HisConfigError(FolioError):
    """The record is no point with a history."""


class HisWriteError(FolioError):
    """The samples are not those of this point."""


class UnknownWatchError(FolioError):
    """There is no such watch: it was closed, or its time is over."""


class InvalidRecIdError(FolioError):
    """No record may have such an id."""


class InvalidTagNameError(FolioError):
    """No tag may have such a name."""


class InvalidTagValError(FolioError):
    """No tag may have such a value."""


class ParseError(FolioError):
    """A filter or a text of records cannot be read."""


class ShutdownError(RedisError):
    """The object was closed: see :meth:`kvist.folio.Folio.close`."""


NAMED: dict[str, type[FolioError]] = {
    "UnknownRecErr": UnknownRecError,
    "CommitErr": CommitError,
    "ConcurrentChangeErr": ConcurrentChangeError,
    "DiffErr": DiffError,
    "HisConfigErr": HisConfigError,
    "HisWriteErr": HisWriteError,
    "UnknownWatchErr": UnknownWatchError,
    "InvalidRecIdErr": InvalidRecIdError,
    "InvalidTagNameErr": InvalidTagNameError,
    "InvalidTagValErr": InvalidTagValError,
    "ParseErr": ParseError,
}


def named(error: ResponseError) -> ResponseError:
    """The error by its name: the same if it is none of a project's."""
    if type(error) is not ResponseError:
        return error
    text = str(error)
    word, _, rest = text.partition(" ")
    kind = NAMED.get(word)
    return error if kind is None else kind(rest, status_code=word)
