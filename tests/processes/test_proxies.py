"""A real server behind the proxies of deploy/: sign-in, writes, streams, large uploads, and who is asking."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psutil
import pytest
from sqlalchemy import select

from app.db.models import Attempt
from app.db.session import transaction
from app.web.tokens import form_token
from tests.processes.proxies import Caddy, Nginx, Proxy, free_port
from tests.run_helpers import ENDLESS, LARGE, stored_event
from tests.server import ServerProcess, wait_for

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Site:
    """A proxy with a server behind it."""

    proxy: Proxy
    server: ServerProcess

    def client(self, **options: object) -> httpx2.Client:
        """Return a client that trusts the proxy's certificate."""
        trust = ssl.create_default_context(cafile=str(self.proxy.certificate))
        transport = httpx2.HTTPTransport(verify=trust, **options)  # type: ignore[arg-type]
        return httpx2.Client(base_url=self.proxy.address, transport=transport, timeout=60)

    def api(self) -> httpx2.Client:
        """Return a client with an API key."""
        client = self.client()
        client.headers["Authorization"] = self.server.api().headers["Authorization"]
        client.base_url = f"{self.proxy.address}/api/v1/"
        return client


def test_caddy_logs_errors_without_secrets(tmp_path: Path) -> None:
    proxy = Caddy(tmp_path)
    proxy.start([free_port()])
    try:
        trust = ssl.create_default_context(cafile=str(proxy.certificate))
        for path in ("/s/canary", "/w/canary", "/api/v1/shared/canary", "/sign-in?key=canary"):
            headers = {"Referer": f"{proxy.address}/s/canary", "Authorization": "Bearer canary"}
            assert httpx2.get(f"{proxy.address}{path}", headers=headers, verify=trust).status_code in (502, 503)
        wait_for(lambda: '"uri":"/s/"' in proxy.logs(), "the line of the error")
        assert "canary" not in proxy.logs()
    finally:
        proxy.stop()


@pytest.fixture(scope="module", params=[Nginx, Caddy])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Each proxy in turn, with one server that answers and one that is down."""
    proxy: Proxy = request.param(tmp_path_factory.mktemp("proxy"))
    server = ServerProcess(
        tmp_path_factory.mktemp("server"), CONVIVE_BASE_URL=proxy.address, CONVIVE_TRUSTED_PROXIES="127.0.0.1"
    )
    server.start()
    try:
        proxy.start([port_of(server), free_port()])
        yield Site(proxy, server)
    finally:
        proxy.stop()
        server.stop()


def port_of(server: ServerProcess) -> int:
    """Return where the server listens; what it prints is the address of the proxy."""
    listening = [c.laddr.port for c in server.process.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    return int(listening[0])


def test_printed_address_signs_in_and_forms_are_taken(site: Site) -> None:
    client = site.client()
    assert urlsplit(site.server.sign_in_address).netloc == f"localhost:{site.proxy.https}"
    signed_in = client.get(site.server.sign_in_address)
    assert signed_in.status_code == 303
    assert "secure" in signed_in.headers["set-cookie"].lower()
    token = form_token(client.cookies[site.server.cookie_name])
    form = {"name": "Behind a proxy", "form_token": token}
    made = client.post("/events", data=form, headers={"Origin": site.proxy.address})
    assert made.status_code == 303
    assert "Behind a proxy" in client.get("/").text
    elsewhere = client.post("/events", data=form, headers={"Origin": "https://elsewhere.example"})
    assert elsewhere.status_code == 403


def test_every_request_is_answered_while_one_server_is_down(site: Site) -> None:
    api = site.api()
    statuses = {api.post("events", json={"name": "Party"}).status_code for _ in range(10)}
    assert (statuses, {api.get("events").status_code for _ in range(10)}) == ({201}, {200})


def test_answer_is_sent_over_https_only(site: Site) -> None:
    answer = site.client().get("/sign-in")
    assert (answer.status_code, answer.headers["strict-transport-security"]) == (200, "max-age=31536000")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_stream_of_a_run_arrives_while_it_is_going_on(site: Site) -> None:
    event = f"events/{stored_event(site.server.sessions(), site.server.owner(), **LARGE)}"
    api = site.api()
    run = f"{event}/runs/{api.post(f'{event}/runs', json=ENDLESS).json()['id']}"
    with api.stream("GET", f"{run}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        states = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert next(states)["status"] in ("queued", "running")  # a proxy that waits for more would time out here
        wait_for(lambda: next(states)["status"] == "running", "a report while the run continues")
        assert api.delete(run).is_success
        assert [*states][-1]["status"] == "cancelled"


def test_matrix_may_be_larger_than_other_uploads(site: Site) -> None:
    api = site.api()
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    people = api.put(f"{event}/guests", json={"guests": [{"name": "Aino"}, {"name": "Bo"}]}).json()["guests"]
    ids = [guest["id"] for guest in people]
    body = json.dumps({"kind": "score", "guests": ids, "matrix": [[0, 1], [1, 0]]}).encode()
    large = body + b" " * (20 * MEBIBYTE)
    headers = {"Content-Type": "application/json"}
    assert api.put(f"{event}/ratings/matrix", content=large, headers=headers).is_success
    refused = api.put(f"{event}/ratings", content=large, headers=headers)
    assert refused.status_code == 413
    own = api.put(f"{event}/ratings", content=b" " * (5 * MEBIBYTE), headers=headers)
    assert (own.status_code, own.headers["content-type"]) == (413, "application/problem+json")


def test_server_counts_the_visitor_whom_the_proxy_saw(site: Site) -> None:
    lie = {"X-Forwarded-For": "192.0.2.99", "Forwarded": "for=192.0.2.99", "X-Real-IP": "192.0.2.99"}
    visitor = site.client(local_address="127.0.0.2")
    form = {"email": "nobody@example.org", "password": "wrong wrong"}
    origin = {"Origin": site.proxy.address}
    assert visitor.post("/sign-in", data=form, headers=lie | origin).status_code == 401
    with transaction(site.server.sessions(), read_only=True) as session:
        subjects = set(session.scalars(select(Attempt.subject)))
    assert "sign-in from:127.0.0.2/32" in subjects
    assert "sign-in from:192.0.2.99/32" not in subjects


def test_log_of_the_proxy_has_no_secret(site: Site) -> None:
    client = site.client()
    for path in ("/s/canary", "/w/canary", "/api/v1/shared/canary", "/sign-in?key=canary"):
        client.get(path, headers={"Referer": f"{site.proxy.address}/s/canary"})
    key = site.server.sign_in_address.rpartition("=")[2]
    if isinstance(site.proxy, Nginx):  # Caddy logs errors only
        wait_for(lambda: '"GET /s/..." 404' in site.proxy.logs(), "the line of the request")
    assert "canary" not in site.proxy.logs()
    assert key not in site.proxy.logs()


def test_plain_http_leads_to_https(site: Site) -> None:
    if isinstance(site.proxy, Caddy):
        return  # it does so by itself, on a port that tests may not have
    answer = httpx2.get(f"http://localhost:{site.proxy.http}/s/any")
    assert (answer.status_code, answer.headers["location"]) == (301, "https://localhost/s/any")


def test_shipped_files_hold_no_server_of_ours() -> None:
    folder = Path(__file__).parent.parent.parent / "deploy"
    assert {path.name for path in folder.rglob("*") if path.is_file()} == {
        "Caddyfile",
        "convive-worker@.service",
        "convive.env",
        "convive.service",
        "convive.yml",
        "nginx.conf",
        "traefik.yml",
    }
