"""The ID token: who signed in, as the provider has signed it. joserfc is loaded with the first one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import NotSignedIn

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
"""Signatures with a key pair only: neither “none” nor a secret that could be a public key taken for one."""
LEEWAY_SECONDS = 60
LONGEST_TOKEN, LONGEST_SUBJECT = 64 * 1024, 255


class NotValid(NotSignedIn):
    """The sign-in service sent an answer that Convive cannot trust. Start again, or tell your administrator."""


class UnknownKey(Exception):
    """The token is signed with a key that is not among the known ones."""


@dataclass(frozen=True)
class Person:
    """Somebody as the provider knows them."""

    issuer: str
    subject: str
    email: str
    name: str
    authenticated_at: int


def read_id_token(token: str, *, keys: Mapping[str, Any], issuer: str, client_id: str, nonce: str) -> Person:
    """Return the person in the token, or refuse it; an e-mail address that the provider did not verify is left out."""
    claims = _verified(token, keys)
    _check(claims, issuer, client_id, nonce)
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise NotValid
    email = claims.get("email") if claims.get("email_verified") is True else ""
    when = claims.get("auth_time")
    return Person(
        issuer,
        subject,
        email if isinstance(email, str) else "",
        str(claims.get("name") or "")[:200],
        when if isinstance(when, int) else 0,
    )


def _verified(token: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    from joserfc import jwt  # noqa: PLC0415  loaded only where somebody signs in this way
    from joserfc.errors import InvalidKeyIdError, JoseError  # noqa: PLC0415  as above
    from joserfc.jwk import KeySet  # noqa: PLC0415  as above

    if len(token) > LONGEST_TOKEN:
        raise NotValid
    try:
        return jwt.decode(token, KeySet.import_key_set(dict(keys)), algorithms=ALGORITHMS).claims  # type: ignore[arg-type]  # checked there
    except InvalidKeyIdError:
        raise UnknownKey from None
    except (JoseError, ValueError, TypeError, KeyError):
        raise NotValid from None


def _check(claims: dict[str, Any], issuer: str, client_id: str, nonce: str) -> None:
    from joserfc.errors import JoseError  # noqa: PLC0415  as above
    from joserfc.jwt import JWTClaimsRegistry  # noqa: PLC0415  as above

    registry = JWTClaimsRegistry(
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        nonce={"essential": True, "value": nonce},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )
    try:
        registry.validate(claims)
    except (JoseError, ValueError, TypeError):
        raise NotValid from None
    audience = claims["aud"]
    is_shared = isinstance(audience, list) and len(audience) > 1
    if claims.get("azp", None if is_shared else client_id) != client_id:
        raise NotValid
