"""Routes of signing in, and the own account."""

from __future__ import annotations

from tests.security.routes.addresses import Audiences

AUDIENCE: Audiences = {
    "/sign-in": {"GET": "public", "POST": "public"},
    "/sign-in/openid": {"GET": "public"},
    "/sign-in/openid/callback": {"GET": "public"},
    "/account/openid": {"GET": "person"},
    "/account/openid/connect": {"POST": "person"},
    "/account/openid/disconnect": {"POST": "person"},
    "/sign-in/forgot": {"GET": "public", "POST": "public"},
    "/sign-in/passkey": {"POST": "public"},
    "/sign-in/passkey/options": {"POST": "public"},
    "/sign-in/code": {"GET": "public", "POST": "public"},
    "/reset": {"GET": "public", "POST": "public"},
    "/setup": {"GET": "public", "POST": "public"},
    "/sign-out": {"POST": "person"},
    "/account": {"GET": "person"},
    "/account/name": {"POST": "person"},
    "/account/password": {"POST": "person"},
    "/account/sessions/end": {"POST": "person"},
    "/account/sessions/{session_id}/end": {"POST": "person"},
    "/account/codes": {"GET": "person", "POST": "person"},
    "/account/codes/confirm": {"POST": "person"},
    "/account/codes/recovery": {"POST": "person"},
    "/account/codes/remove": {"POST": "person"},
    "/account/passkeys": {"POST": "person"},
    "/account/passkeys/options": {"POST": "person"},
    "/account/passkeys/{passkey_id}/remove": {"POST": "person"},
    "/confirm/passkey": {"POST": "person"},
    "/confirm/passkey/options": {"POST": "person"},
    "/account/keys": {"POST": "person"},
    "/account/keys/{key_id}/revoke": {"POST": "person"},
    "/confirm": {"GET": "person", "POST": "person"},
}
