"""Compressed answers, and what keeps their sizes from giving anything away."""

from __future__ import annotations

import gzip
import re

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from app.web.server.compression import pack
from app.web.tokens import form_token, mask_token, unmask_token


def ask(client: TestClient, path: str, **headers: str) -> Response:
    return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_pages_api_and_static_files_are_compressed(web: TestClient, api: TestClient) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    api.put(f"events/{event}/guests", json={"guests": [{"name": f"Guest {n}"} for n in range(50)]})
    for client, path in (
        (web, "/"),
        (web, f"/events/{event}/guests"),
        (api, f"events/{event}/guests"),
        (web, "/static/css/web/base.css"),
    ):
        plain, packed = ask(client, path, Accept_Encoding="identity"), ask(client, path, Accept_Encoding="gzip")
        assert ("content-encoding" in plain.headers, packed.headers.get("content-encoding")) == (False, "gzip")
        assert "accept-encoding" in packed.headers["vary"].lower()
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        assert without_tokens(packed.text) == without_tokens(plain.text)


def without_tokens(text: str) -> str:
    return re.sub(r"[0-9a-f]{128}", "", text)


@pytest.mark.parametrize("offered", ["", "identity", "br", "gzip;q=0", "deflate, gzip; q=0"])
def test_only_clients_that_take_gzip_get_it(web: TestClient, offered: str) -> None:
    assert "content-encoding" not in ask(web, "/", Accept_Encoding=offered).headers


def test_small_answers_and_errors_without_text_stay_as_they_are(client: TestClient) -> None:
    assert "content-encoding" not in ask(client, "/healthz", Accept_Encoding="gzip").headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_asks_for_is_not_compressed(web: TestClient, site: str) -> None:
    assert "content-encoding" not in ask(web, "/", Accept_Encoding="gzip", Sec_Fetch_Site=site).headers
    assert "content-encoding" in ask(web, "/", Accept_Encoding="gzip", Sec_Fetch_Site="same-origin").headers


def test_version_of_a_resource_is_the_same_however_it_is_sent(api: TestClient) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    api.put(f"events/{event}/guests", json={"guests": [{"name": f"Guest {n}"} for n in range(50)]})
    plain, packed = (ask(api, f"events/{event}/guests", Accept_Encoding=name) for name in ("identity", "gzip"))
    assert (packed.headers["content-encoding"], packed.headers["etag"]) == ("gzip", plain.headers["etag"])


def test_form_token_differs_on_every_page_and_opens_the_same(web: TestClient) -> None:
    shown = [re.findall(r'name="form_token" value="([0-9a-f]+)"', web.get("/").text) for _ in range(2)]
    assert not set(shown[0]) & set(shown[1])
    del web.headers["X-Form-Token"]
    for tokens in shown:
        made = web.post("/events", data={"name": "Party", "form_token": tokens[0]}, follow_redirects=False)
        assert made.status_code == 303
    assert web.post("/events", data={"name": "Party", "form_token": mask_token("00" * 32)}).status_code == 403


@pytest.mark.parametrize("sent", ["", "no hex", "ab", "00" * 32, "00" * 65])
def test_what_is_no_masked_token_stays_as_it_is(sent: str) -> None:
    assert unmask_token(sent) == sent


def test_masked_token_is_unmasked() -> None:
    token = form_token("a session")
    assert unmask_token(mask_token(token)) == token


def test_same_page_gives_the_same_bytes() -> None:
    assert pack(b"page" * 1000) == pack(b"page" * 1000)
    assert gzip.decompress(pack(b"page")) == b"page"
