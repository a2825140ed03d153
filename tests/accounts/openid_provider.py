"""A small OpenID Connect provider: a real HTTP server with a key of its own, and answers that tests can spoil."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "convive", "s3cret:/word"
Claims = dict[str, Any]


class Provider:
    """Signs everyone in who comes, as the person `who`; `spoil` changes the claims, `sign` the signature."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
        self.who: Claims = {"sub": "248289761001", "email": "aino@example.org", "email_verified": True, "name": "Aino"}
        self.spoil: Callable[[Claims], Claims] = lambda claims: claims
        self.sign: Callable[[Claims], str] = self.sign_as_usual
        self.metadata: Claims = {}
        self.codes: dict[str, Claims] = {}
        self.given: list[str] = []
        self.asked: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def sign_as_usual(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def sign_in(self, address: str, **who: Any) -> str:
        """Do what a browser and a person do at the authorize address; return the query of the answer."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (query["response_type"], query["client_id"]) == ("code", CLIENT_ID)
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.given += [code, query["state"], query["nonce"]]
        self.codes[code] = {**query, "who": {**self.who, **who}}
        return urlencode({"code": code, "state": query["state"]})

    def ask(self, address: str) -> str:
        """Return the page on which a person signs in, or changes their mind."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        back = query["redirect_uri"]
        refusal = urlencode({"error": "access_denied", "state": query["state"]})
        again = " again" if query.get("prompt") == "login" else ""
        return (
            f"<!doctype html><title>Example</title><link rel=icon href=data:,><h1>Example</h1>"
            f'<a href="{escape(f"{back}?{self.sign_in(address)}")}">Sign in{again} as {escape(self.who["name"])}</a> '
            f'<a href="{escape(f"{back}?{refusal}")}">Refuse</a>'
        )

    def answer(self, path: str) -> Claims:
        self.asked.append(path)
        if path == "/jwks":
            return {"keys": [self.key.as_dict(private=False)]}
        assert path == "/.well-known/openid-configuration"
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            **self.metadata,
        }

    def exchange(self, authorization: str, form: dict[str, str]) -> Claims | None:
        """Give a token for a code: once, to the client, with the right verifier."""
        expected = base64.b64encode(f"{CLIENT_ID}:s3cret%3A%2Fword".encode()).decode()
        asked = self.codes.pop(form["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        if asked is None or authorization != f"Basic {expected}" or challenge.decode() != asked["code_challenge"]:
            return None
        assert form["redirect_uri"] == asked["redirect_uri"]
        at = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "nonce": asked["nonce"], "iat": at, "exp": at + 300}
        if "max_age" in asked:
            claims["auth_time"] = at
        return {"token_type": "Bearer", "id_token": self.sign(self.spoil(claims | asked["who"]))}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/authorize?"):
                    self._send_body(200, provider.ask(self.path).encode(), "text/html; charset=utf-8")
                else:
                    self._send(provider.answer(self.path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                form = {name: values[0] for name, values in parse_qs(body).items()}
                self._send(provider.exchange(self.headers.get("authorization", ""), form))

            def _send(self, answer: Claims | None) -> None:
                body = json.dumps(answer or {"error": "invalid_grant"}).encode()
                self._send_body(200 if answer else 400, body, "application/json")

            def _send_body(self, status: int, body: bytes, media_type: str) -> None:
                self.send_response(status)
                self.send_header("content-type", media_type)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                """Say nothing."""

        return Handler
