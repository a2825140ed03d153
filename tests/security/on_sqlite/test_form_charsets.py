"""A form that claims to be in another encoding than UTF-8 is refused before it is read, also without signing in."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.security.declared_routes import flat_routes
from tests.security.world import World, fill, visitor

HALF = b"\\ud800"
ENDINGS = ("/delete", "/leave", "/sign-out", "/erase", "/end", "/transfer")


def form_of(fields: dict[str, bytes], headers: bytes = b"", file: bytes | None = None) -> bytes:
    """Return the body of a form with files, with the boundary x."""
    parts = [b'Content-Disposition: form-data; name="%s"' % name.encode() + headers for name in fields]
    bodies = list(fields.values())
    if file is not None:
        parts.append(b'Content-Disposition: form-data; name="file"; filename="%s"\r\nContent-Type: text/csv' % file)
        bodies.append(b"Name\r\nAino\r\n")
    made = b"".join(b"--x\r\n%s\r\n\r\n%s\r\n" % (part, body) for part, body in zip(parts, bodies, strict=True))
    return made + b"--x--\r\n"


def in_charset(charset: str) -> dict[str, str]:
    return {"Content-Type": f"multipart/form-data; boundary=x; {charset}"}


@pytest.mark.parametrize(
    "charset",
    ["charset=unicode_escape", 'Charset="UTF-7"', "charset=raw-unicode-escape", "charset=idna", "charset=undefined",
     "charset=utf-16", "charset=latin-1", "charset=", "charset=utf-8; charset=unicode_escape"],
)  # fmt: skip
def test_stranger_cannot_break_the_sign_in_with_an_encoding(client: TestClient, charset: str) -> None:
    body = form_of({"email": HALF, "password": HALF})
    sent = client.post("http://localhost/sign-in", content=body, headers=in_charset(charset))
    assert sent.status_code == 415
    assert "Send the form in UTF-8. Nothing was changed." in sent.text


@pytest.mark.parametrize("charset", ["charset=utf-8", 'charset="UTF-8"', "charset=utf8", "charset*=utf-8''utf-7"])
def test_form_in_utf_8_is_read(client: TestClient, charset: str) -> None:
    body = form_of({"email": b"aino@example.org", "password": b"wrong"})
    sent = client.post("http://localhost/sign-in", content=body, headers=in_charset(charset))
    assert (sent.status_code, "Incorrect e-mail or password" in sent.text) == (401, True)


@pytest.mark.parametrize("headers", [b"", b"\r\nContent-Type: text/plain; charset=unicode_escape"])
def test_no_form_breaks_the_server_with_an_encoding(
    client: TestClient, sessions: Sessions, owner: Actor, world: World, headers: bytes
) -> None:
    """In the header of the form, of a part, or in the field that names one for the others."""
    web, answers = visitor(client, sessions, owner).web, {}
    charset = "charset=utf-8" if headers else "charset=unicode_escape"
    assert isinstance(client.app, FastAPI)
    for route, path in flat_routes(client.app):
        if "POST" not in getattr(route, "methods", ()) or path.startswith("/api/") or path.endswith(ENDINGS):
            continue
        params = [one for one in route.dependant.body_params if one.alias]
        names = [name for one in params for name in getattr(one.field_info.annotation, "model_fields", {one.alias: 0})]
        extra = ("form_token", "name", "hosts", "met_tables", "maybe_percent", "rounds")
        body = form_of({"_charset_": b"unicode_escape"} | dict.fromkeys((*names, *extra), HALF), headers, file=HALF)
        answers[path] = web.post(fill(path, world.ids), content=body, headers=in_charset(charset)).status_code
    assert len(answers) > 40
    assert {path: status for path, status in answers.items() if status >= 500} == {}
    assert headers or set(answers.values()) == {415}


def test_file_names_and_uploads_of_programs_are_checked_too(
    client: TestClient, sessions: Sessions, owner: Actor, world: World
) -> None:
    api, path = visitor(client, sessions, owner).api, fill("/api/v1/events/{event_id}/guests/import", world.ids)
    for charset, expected in {"charset=unicode_escape": 415, "charset=utf-8": 200}.items():
        body = form_of({}, file=HALF + b".csv")
        sent = api.post(f"http://localhost{path}?dry_run=true", content=body, headers=in_charset(charset))
        assert sent.status_code == expected, sent.text
