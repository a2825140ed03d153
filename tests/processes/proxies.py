"""The proxies of deploy/, as they are shipped: only names, ports, certificates and places of logs are swapped."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import missing
from tests.server import wait_for

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
NAME = "seating.example.org"
CERTIFICATE = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/start.log;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/convive.conf;
}}
"""


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def find_program(name: str) -> str:
    """Return where a program is, or skip the test."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        missing(f"there is no {name}, so the proxies of deploy/ were not all tested")
    return str(found)


def swap(text: str, swaps: dict[str, str]) -> str:
    """Put test values into a shipped file; each of them must be there."""
    for old, new in swaps.items():
        assert old in text, f"{old} is no longer in the shipped file"
        text = text.replace(old, new)
    return text


class Proxy:
    """A proxy with TLS on loopback, in the foreground, with everything that it writes in one folder."""

    program = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.http, self.https = free_port(), free_port()
        self.address = f"https://localhost:{self.https}"
        self.certificate, self._key = folder / "cert.pem", folder / "key.pem"
        self._binary = find_program(self.program)
        self._process: subprocess.Popen[bytes] | None = None
        names = ("-addext", "subjectAltName=DNS:localhost", "-keyout", str(self._key), "-out", str(self.certificate))
        subprocess.run([find_program("openssl"), *CERTIFICATE[1:], *names], check=True, capture_output=True)

    def start(self, servers: Sequence[int]) -> None:
        """Start in front of the servers at these ports."""
        command = [self._binary, *self.configure([f"127.0.0.1:{port}" for port in servers])]
        with (self.folder / "output.log").open("ab") as output:
            homes = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
            self._process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **homes})
        wait_for(self._is_listening, f"{self.program}: {self.logs()}", patience=30)

    def configure(self, servers: Sequence[str]) -> list[str]:
        """Write the configuration and return the flags that name it."""
        raise NotImplementedError

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(20)

    def logs(self) -> str:
        """Return all that it has logged."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def _is_listening(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.logs()
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.https)) == 0


class Nginx(Proxy):
    """deploy/nginx.conf."""

    program = "nginx"

    def configure(self, servers: Sequence[str]) -> list[str]:
        """Write the shipped file beside a main file that includes it."""
        live = f"/etc/letsencrypt/live/{NAME}"
        swaps = {
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            "listen 80;": f"listen 127.0.0.1:{self.http};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.https} ssl",
            f"{live}/fullchain.pem": str(self.certificate),
            f"{live}/privkey.pem": str(self._key),
            "/var/log/nginx": str(self.folder),
            "server 127.0.0.1:8000;": " ".join(f"server {server};" for server in servers),
            NAME: "localhost",
        }
        (self.folder / "convive.conf").write_text(swap((DEPLOY / "nginx.conf").read_text(), swaps))
        main = self.folder / "nginx.conf"
        main.write_text(NGINX.format(folder=self.folder))
        return ["-c", str(main), "-p", str(self.folder)]


class Caddy(Proxy):
    """deploy/Caddyfile."""

    program = "caddy"

    def configure(self, servers: Sequence[str]) -> list[str]:
        """Write the shipped file with a certificate of our own in place of one from the internet."""
        own = f"{self.address} {{\n\tbind 127.0.0.1\n\ttls {self.certificate} {self._key}\n"
        swaps = {
            f"\n{NAME} {{\n": f"\n{own}",
            "\n{\n\tservers {": "\n{\n\tadmin off\n\tauto_https disable_redirects\n\tservers {",
            "\n\treverse_proxy 127.0.0.1:8000 {": f"\n\treverse_proxy {' '.join(servers)} {{",
        }
        path = self.folder / "Caddyfile"
        path.write_text(swap((DEPLOY / "Caddyfile").read_text(), swaps))
        return ["run", "--config", str(path), "--adapter", "caddyfile"]
