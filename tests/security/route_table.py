"""Who may use each route. A route that is not in this table fails the build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from app.accounts.current_user import known_caller, known_person
from app.events.context import RANK
from app.web.deps import guard_form
from app.web.one_hop import WRAPPED

EVENT = "/events/{event_id}"
API = "/api/v1"
API_EVENT = f"{API}{EVENT}"

# public: everyone · link: whoever has the token · near: this machine or an API key · person: any account
# viewer, editor, owner: the least role in the event · operator: who runs the installation, whatever their events
AUDIENCE: dict[str, dict[str, str]] = {
    f"{API}/openapi.json": {"GET": "public", "HEAD": "public"},
    f"{API}/shared/{{token}}": {"GET": "link"},
    f"{API}/events": {"GET": "person", "POST": "person"},
    f"{API}/audit": {"GET": "operator"},
    f"{API}/import": {"POST": "person"},
    f"{API_EVENT}/event.json": {"GET": "editor"},
    f"{API_EVENT}/duplicate": {"POST": "editor"},
    f"{API_EVENT}/event.ics": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/downloads": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/seating.csv": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/floor.svg": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/floor.png": {"GET": "viewer"},
    f"{API_EVENT}/logo": {"GET": "viewer", "PUT": "editor", "DELETE": "editor"},
    f"{API_EVENT}/event.xlsx": {"GET": "editor"},
    API_EVENT: {"GET": "viewer", "PATCH": "editor", "DELETE": "owner"},
    f"{API_EVENT}/guests": {"GET": "viewer", "POST": "editor", "PUT": "editor", "PATCH": "editor"},
    f"{API_EVENT}/guests/import": {"POST": "editor"},
    f"{API_EVENT}/guests/import/{{import_id}}/undo": {"POST": "editor"},
    f"{API_EVENT}/guests/{{guest_id}}": {"GET": "viewer", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/guests/removed": {"GET": "editor"},
    f"{API_EVENT}/guests/{{guest_id}}/restore": {"POST": "editor"},
    f"{API_EVENT}/guests/{{guest_id}}/data": {"GET": "editor"},
    f"{API_EVENT}/guests/{{guest_id}}/erase": {"POST": "owner"},
    f"{API_EVENT}/groups": {"GET": "viewer", "POST": "editor", "PUT": "editor"},
    f"{API_EVENT}/groups/ratings": {"GET": "editor", "PUT": "editor"},
    f"{API_EVENT}/groups/{{group_id}}": {"GET": "viewer", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/fields": {"GET": "viewer", "POST": "editor"},
    f"{API_EVENT}/fields/order": {"PUT": "editor"},
    f"{API_EVENT}/fields/balanced": {"GET": "viewer", "PUT": "editor"},
    f"{API_EVENT}/fields/{{field_id}}": {"GET": "viewer", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/tables": {"GET": "viewer", "POST": "editor", "PUT": "editor"},
    f"{API_EVENT}/tables/{{table_id}}": {"GET": "viewer", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/tables/{{table_id}}/duplicate": {"POST": "editor"},
    f"{API_EVENT}/room": {"GET": "viewer", "PATCH": "editor"},
    f"{API_EVENT}/room/layout": {"PATCH": "editor"},
    f"{API_EVENT}/room/arrange": {"POST": "editor"},
    f"{API_EVENT}/room/background": {"GET": "viewer", "PUT": "editor", "DELETE": "editor"},
    f"{API_EVENT}/rules": {"GET": "editor", "POST": "editor", "PUT": "editor"},
    f"{API_EVENT}/rules/{{rule_id}}": {"GET": "editor", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/ratings": {"GET": "editor", "PUT": "editor", "PATCH": "editor"},
    f"{API_EVENT}/ratings/matrix": {"GET": "editor", "PUT": "editor"},
    f"{API_EVENT}/wishes": {"GET": "editor"},
    f"{API_EVENT}/wishes/accept": {"POST": "editor"},
    f"{API_EVENT}/wishes/decline": {"POST": "editor"},
    f"{API_EVENT}/wishes/withdraw": {"POST": "editor"},
    f"{API_EVENT}/runs": {"GET": "editor", "POST": "editor"},
    f"{API_EVENT}/runs/{{run_id}}": {"GET": "editor", "DELETE": "editor"},
    f"{API_EVENT}/runs/{{run_id}}/events": {"GET": "editor"},
    f"{API_EVENT}/runs/{{run_id}}/repeat": {"POST": "editor"},
    f"{API_EVENT}/plans": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}": {"GET": "viewer", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/moves": {"POST": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/effects": {"GET": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/changes": {"GET": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/events": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/editors/{{tab}}": {"PUT": "editor", "DELETE": "editor"},
    f"{API_EVENT}/deleted-plans": {"GET": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/use": {"POST": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/duplicate": {"POST": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/restore": {"POST": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/comparison/{{other_plan_id}}": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/repair": {"GET": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/picture": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/print/{{what}}.pdf": {"GET": "viewer"},
    f"{API_EVENT}/links": {"GET": "editor", "POST": "editor"},
    f"{API_EVENT}/members": {"GET": "viewer", "POST": "owner"},
    f"{API_EVENT}/members/{{member_id}}": {"PATCH": "owner", "DELETE": "owner"},
    f"{API_EVENT}/membership": {"DELETE": "viewer"},
    f"{API_EVENT}/invitations": {"GET": "owner", "POST": "owner"},
    f"{API_EVENT}/invitations/{{invitation_id}}": {"DELETE": "owner"},
    f"{API_EVENT}/audit": {"GET": "owner"},
    f"{API_EVENT}/links/{{link_id}}": {"GET": "editor", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/arrivals": {"GET": "editor"},
    f"{API_EVENT}/arrivals/{{guest_id}}": {"PUT": "editor", "DELETE": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/links": {"GET": "editor", "POST": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/links/{{link_id}}": {"GET": "editor", "DELETE": "editor"},
    "/healthz": {"GET": "public"},
    "/readyz": {"GET": "public"},
    "/metrics": {"GET": "near"},
    "/api/docs": {"GET": "public"},
    "/static": {"GET": "public"},
    "/privacy": {"GET": "public"},
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
    "/": {"GET": "person"},
    "/events": {"GET": "person", "POST": "person"},
    "/import": {"GET": "person", "POST": "person"},
    f"{EVENT}/event.xlsx": {"GET": "editor"},
    f"{EVENT}/duplicate": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/event.json": {"GET": "editor"},
    f"{EVENT}/logo": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/logo/image": {"GET": "viewer"},
    f"{EVENT}/logo/remove": {"POST": "editor"},
    f"{EVENT}/ratings.csv": {"GET": "editor"},
    f"{EVENT}/wishes.csv": {"GET": "editor"},
    f"{EVENT}/rules.csv": {"GET": "editor"},
    EVENT: {"GET": "viewer"},
    f"{EVENT}/settings": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/delete": {"POST": "owner"},
    f"{EVENT}/guests": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/guests/paste": {"POST": "editor"},
    f"{EVENT}/guests.csv": {"GET": "editor"},
    f"{EVENT}/guests.xlsx": {"GET": "editor"},
    f"{EVENT}/guests/import": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/guests/import/{{import_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/guests/import/{{import_id}}/discard": {"POST": "editor"},
    f"{EVENT}/guests/import/{{import_id}}/undo": {"POST": "editor"},
    f"{EVENT}/guests/unnamed": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/guests/rows": {"GET": "viewer"},
    f"{EVENT}/guests/cells": {"POST": "editor"},
    f"{EVENT}/guests/bulk": {"POST": "editor"},
    f"{EVENT}/guests/undo/{{import_id}}": {"POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}/likes": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}/remove": {"POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}/restore": {"POST": "editor"},
    f"{EVENT}/guests/removed": {"GET": "editor"},
    f"{EVENT}/guests/removed/{{guest_id}}/restore": {"POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}/data": {"GET": "editor"},
    f"{EVENT}/guests/{{guest_id}}/data.json": {"GET": "editor"},
    f"{EVENT}/guests/{{guest_id}}/erase": {"GET": "owner", "POST": "owner"},
    f"{EVENT}/guests/{{guest_id}}/rules": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}/rules/{{rule_id}}/delete": {"POST": "editor"},
    f"{EVENT}/guests/{{guest_id}}/rules/restore": {"POST": "editor"},
    f"{EVENT}/ratings": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/ratings/skipped": {"POST": "editor"},
    f"{EVENT}/ratings/all": {"GET": "editor"},
    f"{EVENT}/ratings/pairs": {"POST": "editor"},
    f"{EVENT}/ratings/start-over": {"POST": "editor"},
    f"{EVENT}/ratings/questions": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/ratings/questions/prepare": {"POST": "editor"},
    f"{EVENT}/ratings/questions/progress": {"POST": "editor"},
    f"{EVENT}/ratings/questions/skipped": {"POST": "editor"},
    f"{EVENT}/ratings/groups.csv": {"GET": "editor"},
    f"{EVENT}/ratings/groups/file": {"POST": "editor"},
    f"{EVENT}/ratings/guests/{{guest_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/ratings/cells": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/ratings/groups": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/ratings/matrix": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/fields": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/fields/balanced": {"POST": "editor"},
    f"{EVENT}/fields/{{field_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/fields/{{field_id}}/move": {"POST": "editor"},
    f"{EVENT}/fields/{{field_id}}/delete": {"POST": "editor"},
    f"{EVENT}/fields/{{field_id}}/options/{{option_id}}/delete": {"POST": "editor"},
    f"{EVENT}/groups": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/groups/{{group_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/groups/{{group_id}}/delete": {"POST": "editor"},
    f"{EVENT}/tables": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/tables/sizes": {"POST": "editor"},
    f"{EVENT}/tables/undo": {"POST": "editor"},
    f"{EVENT}/tables/{{table_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/tables/{{table_id}}/remove": {"POST": "editor"},
    f"{EVENT}/tables/{{table_id}}/restore": {"POST": "editor"},
    f"{EVENT}/tables/{{table_id}}/duplicate": {"POST": "editor"},
    f"{EVENT}/room": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/room/items": {"POST": "editor"},
    f"{EVENT}/room/items/{{item_id}}/remove": {"POST": "editor"},
    f"{EVENT}/room/arrange": {"POST": "editor"},
    f"{EVENT}/room/background": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/room/background/remove": {"POST": "editor"},
    f"{EVENT}/rules": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/rules/{{rule_id}}/delete": {"POST": "editor"},
    f"{EVENT}/rules/check": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/rules/restore": {"POST": "editor"},
    f"{EVENT}/plan": {"GET": "viewer"},
    f"{EVENT}/plans": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/panel": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/parts": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/effects": {"GET": "editor"},
    f"{EVENT}/plans/{{plan_id}}/found": {"GET": "editor"},
    f"{EVENT}/plans/{{plan_id}}/tables/places": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/tables/items": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/tables/arrange": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/tables/{{table_id}}": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/tables/{{table_id}}/duplicate": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/tables/{{table_id}}/remove": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/picture.svg": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/alternatives": {"GET": "editor"},
    f"{EVENT}/plans/{{plan_id}}/compare": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/duplicate": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/restore": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/moves": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/live": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/live/{{tab}}": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/choose": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/apart": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/repair": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/rest": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/name": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/delete": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/print": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/print/preview.png": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/print/view": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/print/{{what}}.pdf": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/seating.csv": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/floor.svg": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/floor.png": {"GET": "viewer"},
    f"{EVENT}/event.ics": {"GET": "viewer"},
    f"{EVENT}/share": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/links/{{link_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/links/{{link_id}}/qr.png": {"GET": "editor"},
    f"{EVENT}/links/{{link_id}}/revoke": {"POST": "editor"},
    "/s/{token}": {"GET": "link"},
    "/s/{token}/tables": {"GET": "link"},
    "/s/{token}/screen": {"GET": "link"},
    f"{EVENT}/door": {"GET": "editor"},
    f"{EVENT}/door/links": {"POST": "editor"},
    f"{EVENT}/door/check-in": {"GET": "editor"},
    f"{EVENT}/door/check-in/arrivals": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/door/screen": {"GET": "viewer"},
    "/d/{door_token}": {"GET": "link"},
    "/d/{door_token}/arrivals": {"GET": "link", "POST": "link"},
    f"{EVENT}/wishes": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/wishes/accept-all": {"POST": "editor"},
    f"{EVENT}/wishes/undo": {"POST": "editor"},
    f"{EVENT}/wishes/until": {"POST": "editor"},
    f"{EVENT}/wishes/links": {"POST": "editor"},
    f"{EVENT}/wishes/links/revoke": {"POST": "editor"},
    f"{EVENT}/wishes/links/{{wish_link_id}}/revoke": {"POST": "editor"},
    f"{EVENT}/wishes/links/{{wish_link_id}}/renew": {"POST": "editor"},
    "/w/{wish_token}": {"GET": "link"},
    "/w/{wish_token}/search": {"GET": "link"},
    "/w/{wish_token}/add": {"POST": "link"},
    "/w/{wish_token}/remove": {"POST": "link"},
    f"{EVENT}/runs": {"POST": "editor"},
    f"{EVENT}/runs/{{run_id}}": {"GET": "editor"},
    f"{EVENT}/runs/{{run_id}}/cancel": {"POST": "editor"},
    f"{EVENT}/runs/{{run_id}}/events": {"GET": "editor"},
    f"{EVENT}/runs/{{run_id}}/repeat": {"POST": "editor"},
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
    "/admin/accounts": {"GET": "operator", "POST": "operator"},
    "/admin/accounts/{account_id}/reset": {"POST": "operator"},
    "/admin/accounts/{account_id}/disable": {"POST": "operator"},
    "/admin/accounts/{account_id}/enable": {"POST": "operator"},
    "/admin/accounts/{account_id}/delete": {"GET": "operator", "POST": "operator"},
    f"{EVENT}/members": {"GET": "viewer"},
    f"{EVENT}/members/leave": {"POST": "viewer"},
    f"{EVENT}/members/{{member_id}}/role": {"POST": "owner"},
    f"{EVENT}/members/{{member_id}}/transfer": {"POST": "owner"},
    f"{EVENT}/members/{{member_id}}/remove": {"POST": "owner"},
    f"{EVENT}/invitations": {"POST": "owner"},
    f"{EVENT}/invitations/{{invitation_id}}/close": {"POST": "owner"},
    f"{EVENT}/present": {"GET": "viewer", "POST": "viewer"},
    f"{EVENT}/audit": {"GET": "owner"},
    f"{EVENT}/audit.csv": {"GET": "owner"},
    "/join/{invitation_token}": {"GET": "link", "POST": "link"},
    "/join/{invitation_token}/accept": {"POST": "person"},
    "/admin/audit": {"GET": "operator"},
    "/admin/audit.csv": {"GET": "operator"},
    "/admin/runs": {"GET": "operator"},
    "/admin/runs/{run_id}/retry": {"POST": "operator"},
}

# What the API needs to be sent before it looks at the role; the pages' forms may be empty.
BODIES: dict[tuple[str, str], Any] = {
    ("POST", f"{API}/events"): {"name": "Party"},
    ("PATCH", API_EVENT): {"name": "Gala"},
    ("POST", f"{API_EVENT}/duplicate"): {"name": "Brunch"},
    ("POST", f"{API_EVENT}/guests"): {"name": "Eve"},
    ("PUT", f"{API_EVENT}/guests"): {"guests": [{"name": "Aino"}]},
    ("PATCH", f"{API_EVENT}/guests"): {"guests": [{"id": "{guest_id}", "note": "Eve"}]},
    ("PATCH", f"{API_EVENT}/guests/{{guest_id}}"): {"name": "Eve"},
    ("POST", f"{API_EVENT}/groups"): {"name": "Choir"},
    ("PUT", f"{API_EVENT}/groups"): {"groups": [{"name": "Choir"}]},
    ("PATCH", f"{API_EVENT}/groups/{{group_id}}"): {"name": "Choir"},
    ("PUT", f"{API_EVENT}/groups/ratings"): {"ratings": [{"a": "{group_id}", "b": "{group_id}", "score": 1.0}]},
    ("POST", f"{API_EVENT}/fields"): {"kind": "text", "name": "Song"},
    ("PUT", f"{API_EVENT}/fields/order"): {"fields": ["{field_id}"]},
    ("PUT", f"{API_EVENT}/fields/balanced"): {"balanced": ["{field_id}"]},
    ("PATCH", f"{API_EVENT}/fields/{{field_id}}"): {"name": "Hotel"},
    ("POST", f"{API_EVENT}/tables"): {"name": "Birch", "seats": 4},
    ("PUT", f"{API_EVENT}/tables"): {"tables": [{"name": "Birch", "seats": 9}]},
    ("PATCH", f"{API_EVENT}/tables/{{table_id}}"): {"name": "Birch"},
    ("PATCH", f"{API_EVENT}/room"): {"width": 600.0},
    ("PATCH", f"{API_EVENT}/room/layout"): {"tables": [{"id": "{table_id}", "x": 1.0, "y": 2.0}]},
    ("POST", f"{API_EVENT}/rules"): {"kind": "together", "guests": ["{guest_id}", "{other_id}"]},
    ("PUT", f"{API_EVENT}/rules"): {"rules": []},
    ("PATCH", f"{API_EVENT}/rules/{{rule_id}}"): {"kind": "apart"},
    ("PUT", f"{API_EVENT}/ratings"): {"ratings": [{"a": "{guest_id}", "b": "{other_id}", "score": 1.0}]},
    ("PATCH", f"{API_EVENT}/ratings"): {"ratings": [{"a": "{guest_id}", "b": "{other_id}", "score": 1.0}]},
    ("PUT", f"{API_EVENT}/ratings/matrix"): {"guests": ["{guest_id}", "{other_id}"], "matrix": [[0, 1], [1, 0]]},
    ("POST", f"{API_EVENT}/wishes/accept"): {"wishes": []},
    ("POST", f"{API_EVENT}/wishes/decline"): {"wishes": []},
    ("POST", f"{API_EVENT}/wishes/withdraw"): {"wishes": []},
    ("POST", f"{API_EVENT}/members"): {"email": "somebody@example.org", "role": "viewer"},
    ("PATCH", f"{API_EVENT}/members/{{member_id}}"): {"role": "editor"},
    ("POST", f"{API_EVENT}/invitations"): {"role": "viewer"},
    ("POST", f"{API_EVENT}/runs"): {"restarts": 1},
    ("PATCH", f"{API_EVENT}/plans/{{plan_id}}"): {"name": "Plan B"},
    ("POST", f"{API_EVENT}/plans/{{plan_id}}/moves"): {"kind": "lock", "guest": "{guest_id}"},
    ("PUT", f"{API_EVENT}/plans/{{plan_id}}/editors/{{tab}}"): {},
    ("POST", f"{API_EVENT}/plans/{{plan_id}}/links"): {"audience": "guests"},
    ("POST", f"{API_EVENT}/links"): {"audience": "venue"},
    ("PATCH", f"{API_EVENT}/links/{{link_id}}"): {"name": "Kitchen"},
}


IDENTIFIERS = {known_person, known_caller, guard_form}
"""Dependencies that refuse whoever is not signed in or has no API key; streams and uploads use them."""


def routes_of(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Give each method and path that the application answers, also those of routers inside of routers."""
    yield from _walk(app.routes, "")


def flat_routes(app: FastAPI) -> Iterator[tuple[Any, str]]:
    """Give each route with its whole path."""
    yield from _flat(app.routes, "")


def _walk(routes: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for route, path in _flat(routes, prefix):
        for method in getattr(route, "methods", None) or {"GET"}:
            yield method, path


def _flat(routes: Any, prefix: str) -> Iterator[tuple[Any, str]]:
    for route in routes:
        if hasattr(route, "original_router"):  # FastAPI keeps included routers whole
            yield from _flat(route.original_router.routes, prefix + route.include_context.prefix)
        else:
            yield route, prefix + route.path


def declared_roles(app: FastAPI) -> dict[tuple[str, str], str]:
    """Return the role that each route asks for with `needs` or `api_needs`, itself or in what it depends on."""
    found: dict[tuple[str, str], str] = {}
    for route, path in _flat(app.routes, ""):
        endpoint = getattr(getattr(route, "endpoint", None), WRAPPED, None)
        markers = endpoint.call.markers() if endpoint else ()
        roles = {marker.role for marker in markers if getattr(marker, "role", "")}
        if roles:
            found |= {(method, path): max(roles, key=RANK.__getitem__) for method in route.methods}
    return found


def declared_audiences(app: FastAPI) -> dict[tuple[str, str], str]:
    """Return what each route itself says about who may use it: a role in the event, `person`, or `everyone`."""
    roles = declared_roles(app)
    found: dict[tuple[str, str], str] = {}
    for route, path in _flat(app.routes, ""):
        for method in getattr(route, "methods", None) or {"GET"}:
            otherwise = "person" if _asks_who(route) else "everyone"
            found[method, path] = roles.get((method, path), otherwise)
    return found


def _asks_who(route: Any) -> bool:
    """Say whether a route finds out who is asking: by a guard, or by something that it depends on."""
    endpoint = getattr(getattr(route, "endpoint", None), WRAPPED, None)
    if endpoint and endpoint.guards:
        return True
    dependant = getattr(route, "dependant", None)
    return bool(dependant) and bool(IDENTIFIERS & _calls_of(dependant))


def _calls_of(dependant: Any) -> set[Any]:
    return {dependant.call}.union(*map(_calls_of, dependant.dependencies))


def routes_for(*audiences: str) -> list[tuple[str, str]]:
    """Return the methods and paths for these audiences: what reads first, what removes last."""
    order = {"GET": 0, "HEAD": 0, "PATCH": 1, "POST": 2, "PUT": 3, "DELETE": 4}
    found = [(m, path) for path, methods in AUDIENCE.items() for m, who in methods.items() if who in audiences]
    leaves = ("/leave", "/membership", "/transfer")  # afterwards whoever asks may do less
    return sorted(
        found,
        key=lambda route: (
            route[1].endswith(leaves),
            order[route[0]],
            route[1].endswith(("/remove", "/delete", "/erase")),
            -len(route[1]),
        ),
    )
