"""Who to be: passwords that stay, and tokens. No server is asked."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest
from kvist.auth.err import InvalidTokenSchemaErr
from kvist.auth.token import JWToken, SimpleToken, TokenResponse
from kvist.credentials import (
    CredentialProvider,
    StreamingCredentialProvider,
    UsernamePasswordCredentialProvider,
)


def token_of(claims: Any) -> str:
    """A token that claims something, without a signature."""
    parts = [b'{"alg":"none"}', json.dumps(claims).encode(), b""]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


@pytest.mark.parametrize(("args", "credentials"), [
    ((), ("",)), (("ada",), ("ada", "")), (("ada", "x"), ("ada", "x")),
    ((None, "x"), ("x",)), (("", "x"), ("x",)), ((None, None), ("",)),
])
def test_words_that_stay(args: tuple[Any, ...], credentials: tuple[str, ...]) -> None:
    provider = UsernamePasswordCredentialProvider(*args)
    assert provider.get_credentials() == credentials
    provider.username, provider.password = "bob", "y"
    assert provider.get_credentials() == ("bob", "y")


def test_providers_that_lack_their_methods() -> None:
    class Mine(StreamingCredentialProvider):
        """Nothing of its own."""

    with pytest.raises(NotImplementedError, match="CredentialProvider has no get_credentials"):
        CredentialProvider().get_credentials()
    with pytest.raises(NotImplementedError, match="Mine has no on_next"):
        Mine().on_next(print)
    with pytest.raises(NotImplementedError, match="Mine has no on_error"):
        Mine().on_error(print)
    with pytest.raises(NotImplementedError, match="Mine has no is_streaming"):
        Mine().is_streaming()


def test_a_json_web_token() -> None:
    ends = time.time() + 60
    token = JWToken(token_of({"exp": ends, "oid": "ada"}))
    assert token.get_expires_at_ms() == ends * 1000 and not token.is_expired()
    assert token.try_get("oid") == "ada" and token.try_get("none") is None
    assert 0 < token.ttl() <= 60_000
    assert 0 < TokenResponse(token).get_ttl_ms() <= 60_000
    assert JWToken(token_of({"exp": 1})).is_expired()
    assert JWToken(token_of({"exp": -1})).ttl() == -1
    assert not SimpleToken("t", -1, 0, {}).is_expired()


@pytest.mark.parametrize("claims", [[], ["exp"], "exp", 5, None, True])
def test_a_token_whose_claims_are_no_object(claims: Any) -> None:
    with pytest.raises(ValueError, match=f"an object's fields.* {type(claims).__name__}$"):
        JWToken(token_of(claims))


@pytest.mark.parametrize("exp", ["1", None, [], {}, True, float("nan"), float("inf"), 10**400])
def test_a_token_whose_end_is_no_number(exp: Any) -> None:
    with pytest.raises(ValueError, match="'exp' of a JSON Web Token is a number of seconds"):
        JWToken(token_of({"exp": exp}))


@pytest.mark.parametrize("text", ["", "a", "a.b.c", "..", "a.!.c"])
def test_what_is_no_token(text: str) -> None:
    with pytest.raises(ValueError, match="this is no JSON Web Token"):
        JWToken(text)


def test_a_token_that_does_not_say_when_it_ends() -> None:
    with pytest.raises(InvalidTokenSchemaErr, match="^the token does not say: exp$") as caught:
        JWToken(token_of({"sub": "ada"}))
    assert caught.value.missing_fields == ["exp"]
