"""Passkeys (WebAuthn): added by name, and used in place of the password. The device checks who the person is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit
from uuid import UUID

import webauthn
from sqlalchemy import delete, select
from sqlalchemy.orm import Session
from webauthn.helpers import base64url_to_bytes, structs
from webauthn.helpers.structs import PublicKeyCredentialDescriptor, UserVerificationRequirement

from app.accounts.actor import Actor
from app.accounts.attempts import count_attempt
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.config import Settings
from app.db.models import Passkey, PasskeyChallenge, User
from app.errors import Conflict, FieldError, NotFound
from app.web.names import clean_name
from app.web.tokens import hash_token, new_token

Purpose = Literal["sign-in", "confirm", "register"]
CHALLENGE_FOR = timedelta(minutes=5)
MOST_PASSKEYS = 20
MOST_CHALLENGES, CHALLENGES_WINDOW = 100, timedelta(minutes=15)
"""For one network that is not signed in."""
UNUSABLE = "This passkey could not be used here. Nothing was changed. Try again."


@dataclass(frozen=True)
class Site:
    """What passkeys belong to: the host's name, and the origin of its pages."""

    host: str
    origin: str


def site_of(settings: Settings) -> Site | None:
    """Return the site in CONVIVE_BASE_URL, if browsers allow passkeys there: HTTPS or localhost, no bare address."""
    parts = urlsplit(settings.base_url.lower())
    host = parts.hostname or ""
    if not host or _is_address(host) or (parts.scheme != "https" and host != "localhost"):
        return None
    usual = {"https": 443, "http": 80}[parts.scheme]
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return Site(host, f"{parts.scheme}://{host}{port}")


def passkey_origin(settings: Settings) -> str:
    """Return where passkeys work, or nothing."""
    site = site_of(settings)
    return site.origin if site else ""


def passkeys_of(session: Session, user_id: UUID) -> Sequence[Passkey]:
    """Return the passkeys of an account, the oldest first."""
    return session.scalars(select(Passkey).where(Passkey.user_id == user_id).order_by(Passkey.id)).all()


def registration_options(session: Session, actor: Actor, settings: Settings) -> str:
    """Return what a browser needs to make a passkey, as JSON."""
    site, user = _require_site(settings), session.get_one(User, actor.user_id)
    known = passkeys_of(session, user.id)
    if user.password_hash is None:
        raise Conflict("Passkeys are for accounts with a password, and this account has none.")
    if len(known) >= MOST_PASSKEYS:
        raise Conflict(f"An account can have {MOST_PASSKEYS} passkeys. Remove one first.")
    options = webauthn.generate_registration_options(
        rp_id=site.host,
        rp_name="Convive",
        user_id=user.id.bytes,
        user_name=user.email or user.name,
        user_display_name=user.name,
        challenge=_new_challenge(session, "register", user.id),
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_descriptors(known),
    )
    return webauthn.options_to_json(options)


def add_passkey(session: Session, actor: Actor, settings: Settings, name: str, credential: str) -> FieldError | None:
    """Store a passkey that a browser made; or return what is wrong, for the challenge is used up either way."""
    site, name = _require_site(settings), clean_name(name, what="The name of the passkey")
    challenge = _challenge_in(credential)
    if challenge is None or not _take_challenge(session, challenge, "register", actor.user_id):
        return FieldError("passkey_name", UNUSABLE)
    try:
        verified = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except Exception:  # of many kinds, whatever the browser sent
        return FieldError("passkey_name", UNUSABLE)
    if session.scalar(select(Passkey.id).where(Passkey.credential_id == verified.credential_id)):
        return FieldError("passkey_name", "This passkey is already in use.")
    session.add(
        Passkey(
            user_id=actor.user_id,
            name=name,
            credential_id=verified.credential_id,
            public_key=verified.credential_public_key,
            sign_count=verified.sign_count,
        )
    )
    session.flush()
    details = Details(way="passkey")
    record(session, Action.SECOND_FACTOR_ADDED, by=actor.user_id, subject_id=actor.user_id, details=details)
    return None


def sign_in_options(session: Session, settings: Settings, network: str) -> str:
    """Return what a browser needs to sign in with any passkey that it has for this site, as JSON."""
    if network:
        count_attempt(session, f"passkey from:{network}", most=MOST_CHALLENGES, window=CHALLENGES_WINDOW)
    return _request_options(session, settings, "sign-in", None)


def confirm_options(session: Session, actor: Actor, settings: Settings) -> str:
    """Return what a browser needs to use one of the account's passkeys again, as JSON."""
    return _request_options(session, settings, "confirm", actor.user_id)


def user_of_passkey(
    session: Session, settings: Settings, credential: str, purpose: Purpose, user_id: UUID | None = None
) -> User | None:
    """Return whose passkey signed the challenge, which is used up; None for anything else that was sent."""
    site, challenge = _require_site(settings), _challenge_in(credential)
    if challenge is None or not _take_challenge(session, challenge, purpose, user_id):
        return None
    passkey = _passkey_in(session, credential)
    if passkey is None or (user_id is not None and passkey.user_id != user_id):
        return None
    try:
        verified = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except Exception:  # of many kinds, whatever the browser sent
        return None
    user = session.get_one(User, passkey.user_id)
    if user.disabled_at is not None:
        return None
    passkey.sign_count, passkey.last_used_at = verified.new_sign_count, now()
    session.flush()
    return user


def remove_passkey(session: Session, actor: Actor, passkey_id: UUID) -> None:
    """Remove one of the account's passkeys."""
    passkey = session.get(Passkey, passkey_id)
    if passkey is None or passkey.user_id != actor.user_id:
        raise NotFound("This passkey was removed already.")
    _remove(session, passkey, by=actor.user_id)


def remove_passkeys(session: Session, user_id: UUID, *, by: UUID | None) -> None:
    """Remove all passkeys of an account."""
    for passkey in passkeys_of(session, user_id):
        _remove(session, passkey, by=by)


def _remove(session: Session, passkey: Passkey, *, by: UUID | None) -> None:
    details = Details(way="passkey")
    record(session, Action.SECOND_FACTOR_REMOVED, by=by, subject_id=passkey.user_id, details=details)
    session.delete(passkey)
    session.flush()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _require_site(settings: Settings) -> Site:
    site = site_of(settings)
    if site is None:
        raise Conflict("Passkeys need HTTPS, and a server that knows its address (CONVIVE_BASE_URL).")
    return site


def _request_options(session: Session, settings: Settings, purpose: Purpose, user_id: UUID | None) -> str:
    options = webauthn.generate_authentication_options(
        rp_id=_require_site(settings).host,
        challenge=_new_challenge(session, purpose, user_id),
        allow_credentials=_descriptors(passkeys_of(session, user_id)) if user_id else [],
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return webauthn.options_to_json(options)


def _descriptors(passkeys: Sequence[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(passkey.credential_id) for passkey in passkeys]


def _new_challenge(session: Session, purpose: Purpose, user_id: UUID | None) -> bytes:
    session.execute(delete(PasskeyChallenge).where(PasskeyChallenge.expires_at < now()))
    challenge = new_token()
    end = now() + CHALLENGE_FOR
    row = PasskeyChallenge(challenge_hash=hash_token(challenge), purpose=purpose, user_id=user_id, expires_at=end)
    session.add(row)
    session.flush()
    return challenge.encode()


def _take_challenge(session: Session, challenge: bytes, purpose: Purpose, user_id: UUID | None) -> bool:
    """Use a challenge up, if it was made for this purpose and account; of two requests at once, one gets it."""
    is_it = (
        PasskeyChallenge.challenge_hash == hash_token(challenge.decode(errors="replace")),
        PasskeyChallenge.purpose == purpose,
        PasskeyChallenge.user_id.is_(None) if user_id is None else PasskeyChallenge.user_id == user_id,
        PasskeyChallenge.expires_at > now(),
    )
    return session.scalar(delete(PasskeyChallenge).where(*is_it).returning(PasskeyChallenge.purpose)) is not None


def _challenge_in(credential: str) -> bytes | None:
    """Return the challenge that a browser says it answers."""
    try:
        client_data = base64url_to_bytes(json.loads(credential)["response"]["clientDataJSON"])
        return base64url_to_bytes(json.loads(client_data)["challenge"])
    except Exception:  # of many kinds, whatever the browser sent
        return None


def _passkey_in(session: Session, credential: str) -> Passkey | None:
    """Return the passkey that a browser names, if the account that it names is the owner."""
    try:
        found = webauthn.helpers.parse_authentication_credential_json(credential)
    except Exception:  # of many kinds, whatever the browser sent
        return None
    query = select(Passkey).where(Passkey.credential_id == found.raw_id).with_for_update()
    passkey = session.scalars(query).one_or_none()
    handle = found.response.user_handle
    return passkey if passkey and handle in (None, passkey.user_id.bytes) else None
