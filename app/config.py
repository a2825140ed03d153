"""Settings from the environment (`CONVIVE_…`) and a `.env` file, checked at start."""

from __future__ import annotations

import ipaddress
import os
import sys
from email.utils import parseaddr
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent
MEBIBYTE = 1024 * 1024
MOST_USUAL_PROCESSES = 4  # each has up to twelve connections, and PostgreSQL takes 100
LEAST_KEY_LENGTH = 32
MOST_FIELDS = 20_100
"""Of one form: one for each guest, and some more."""
OWN_COMMAND = (sys.executable, "-P", "-m", "app.cli")
"""What starts `convive` in a process of its own, with the same Python."""
SECRETS = ("database_url", "database_password", "link_key", "smtp_password", "openid_client_secret")
"""Settings that may also be given as the path of a file, in `CONVIVE_…_FILE`."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]", "::1")


class SettingsError(Exception):
    """A setting cannot be used; the message names it and says what it takes."""


def check_port(address: str) -> None:
    """Refuse an address whose port is not a number."""
    try:
        _ = urlsplit(address).port
    except ValueError:
        raise ValueError("the port must be a number from 0 to 65535") from None


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_safe_provider(address: str) -> bool:
    """Return whether an address of a sign-in provider is encrypted, or on this machine."""
    try:
        parts = urlsplit(address)
        check_port(address)
    except ValueError:
        return False
    is_encrypted = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    return is_encrypted and bool(parts.hostname) and parts.username is None and address.isprintable()


class Settings(BaseSettings):
    """Everything that can be set from outside, with defaults that suit one person's laptop."""

    model_config = SettingsConfigDict(env_prefix="CONVIVE_", env_file=".env", extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    data_dir: Path = Field(default_factory=lambda: user_data_path("convive", appauthor=False))
    database_url: str = ""
    database_url_file: Path | None = None
    database_password: SecretStr = SecretStr("")
    database_password_file: Path | None = None
    base_url: str = ""
    allowed_hosts: Annotated[list[str], NoDecode] = Field(default_factory=list)
    trusted_proxies: Annotated[list[str], NoDecode] = Field(default_factory=list)
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error|critical)$")
    log_format: str = Field(default="auto", pattern="^(auto|json|console)$")
    max_body_bytes: int = Field(default=4 * MEBIBYTE, ge=1024)
    max_matrix_bytes: int = Field(default=256 * MEBIBYTE, ge=1024)
    head_seconds: float = Field(default=20, ge=1, le=3600)
    body_seconds: float = Field(default=20, ge=1, le=3600)
    read_seconds: float = Field(default=60, ge=1, le=3600)
    session_days: int = Field(default=30, ge=1, le=366)
    session_idle_days: int = Field(default=14, ge=1, le=366)
    link_key: SecretStr = SecretStr("")
    link_key_file: Path | None = None
    link_days: int = Field(default=90, ge=1, le=3660)
    upload_places: int = Field(default=0, ge=0, le=64)
    database_connections: int = Field(default=0, ge=0, le=1000)
    max_waiting_requests: int = Field(default=1000, ge=1, le=100_000)
    max_streams: int = Field(default=1000, ge=1, le=100_000)
    max_streams_per_account: int = Field(default=20, ge=1, le=100_000)
    web_processes: int | None = Field(default=None, ge=1, le=64)
    max_waiting_runs: int = Field(default=20, ge=1, le=1_000_000)
    max_run_seconds: float = Field(default=3600, ge=1, le=3600)
    max_attempts: int = Field(default=3, ge=1, le=100)
    backup_dir: Path | None = None
    backups_kept: int = Field(default=7, ge=0, le=1000)
    keep_runs_days: int = Field(default=90, ge=0, le=36600)
    keep_plans_days: int = Field(default=0, ge=0, le=36600)
    keep_audit_days: int = Field(default=365, ge=0, le=36600)
    privacy_contact: str = Field(default="", max_length=300)
    smtp_url: SecretStr = SecretStr("")
    smtp_password: SecretStr = SecretStr("")
    smtp_password_file: Path | None = None
    mail_from: str = Field(default="", max_length=320, validate_default=True)
    openid_issuer: str = Field(default="", max_length=300)
    openid_client_id: str = Field(default="", max_length=300, validate_default=True)
    openid_client_secret: SecretStr = SecretStr("")
    openid_client_secret_file: Path | None = None
    openid_name: str = Field(default="your organisation", min_length=1, max_length=60)
    openid_accounts: Literal["connected", "invited", "anyone"] = "connected"
    worker_metrics_host: str = "127.0.0.1"
    worker_metrics_port: int = Field(default=0, ge=0, le=65535)

    @property
    def process_count(self) -> int:
        """How many server processes share the port: one for each core with PostgreSQL, four at most by default."""
        if self.is_sqlite or os.name != "posix":
            return 1
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.web_processes or min(cores, MOST_USUAL_PROCESSES)

    @property
    def connections(self) -> int:
        """How many requests of one server process work on the database at once, each on a connection of its own."""
        # Few: threads of one process share one core, and more of them at work only make each request slower.
        return max(self.database_connections, 2) if self.database_connections else (3 if self.is_sqlite else 4)

    @property
    def max_book_bytes(self) -> int:
        """How large the workbook or JSON file of an event may be: 20,000 guests with ten versions of the plan fit."""
        return 4 * self.max_body_bytes

    @model_validator(mode="before")
    @classmethod
    def read_secret_files(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Read the secrets that are given as files; a value that is given itself wins."""
        for name in SECRETS:
            if path := values.get(f"{name}_file"):
                try:
                    read = Path(path).read_text(encoding="utf-8").strip()
                except (OSError, UnicodeDecodeError) as error:
                    raise ValueError(f"CONVIVE_{name.upper()}_FILE: cannot read {path}: {error}") from None
                values[name] = values.get(name) or read
        return values

    @field_validator("allowed_hosts", "trusted_proxies", mode="before")
    @classmethod
    def split_hosts(cls, value: object) -> object:
        """Take the hosts as one line with commas, as an environment variable gives them."""
        return [host.strip() for host in value.split(",") if host.strip()] if isinstance(value, str) else value

    @field_validator("trusted_proxies")
    @classmethod
    def check_proxies(cls, value: list[str]) -> list[str]:
        """Refuse what is neither an address nor a network; “*” would let every visitor invent an address."""
        for proxy in value:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise ValueError(f"{proxy} must be an address or a network, such as 127.0.0.1 or 10.0.0.0/24") from None
        return value

    @field_validator("database_url")
    @classmethod
    def name_the_driver(cls, value: str) -> str:
        """Take the usual spellings of a PostgreSQL address and refuse other databases."""
        for prefix in ("postgresql+psycopg://", "postgresql://", "postgres://"):
            if value.startswith(prefix):
                check_port(value)
                return "postgresql+psycopg://" + value.removeprefix(prefix)
        if value and not value.startswith("sqlite:///"):
            raise ValueError("must start with postgresql:// or sqlite:///")
        return value

    @field_validator("web_processes")
    @classmethod
    def check_processes(cls, value: int | None, info: ValidationInfo) -> int | None:
        """Refuse several server processes on SQLite, where the only one has the worker."""
        if value and value > 1 and not str(info.data.get("database_url", "")).startswith("postgresql"):
            raise ValueError("SQLite supports only one server process; use PostgreSQL for more (CONVIVE_DATABASE_URL)")
        return value

    @field_validator("link_key")
    @classmethod
    def check_link_key(cls, value: SecretStr) -> SecretStr:
        """Refuse a key that somebody could guess."""
        if 0 < len(value.get_secret_value()) < LEAST_KEY_LENGTH:
            raise ValueError(f"must have at least {LEAST_KEY_LENGTH} characters; “openssl rand -hex 32” makes one")
        return value

    @field_validator("base_url")
    @classmethod
    def check_base_url(cls, value: str) -> str:
        """Refuse a public address that no link could be built from."""
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.netloc):
            raise ValueError("must look like https://seating.example.org")
        return value.rstrip("/")

    @field_validator("smtp_url")
    @classmethod
    def check_smtp_url(cls, value: SecretStr) -> SecretStr:
        """Refuse an address that is not one of a mail server."""
        address = value.get_secret_value()
        parts = urlsplit(address)
        if address and (parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/")):
            raise ValueError("must look like smtp://user@mail.example.org:587 or smtps://user@mail.example.org")
        check_port(address)
        return value

    @field_validator("mail_from")
    @classmethod
    def check_mail_from(cls, value: str, info: ValidationInfo) -> str:
        """Refuse a sender that no mail server takes, and a mail server without a sender."""
        smtp_url = info.data.get("smtp_url")
        is_needed = bool(smtp_url and smtp_url.get_secret_value())
        if (value or is_needed) and ("@" not in parseaddr(value)[1] or not value.isprintable()):
            raise ValueError("must be an e-mail address, such as convive@example.org or Convive <convive@example.org>")
        return value

    @field_validator("openid_issuer")
    @classmethod
    def check_issuer(cls, value: str) -> str:
        """Refuse a provider without encryption."""
        if value and not is_safe_provider(value):
            raise ValueError("must look like https://login.example.org/realms/main")
        return value

    @field_validator("openid_client_id")
    @classmethod
    def check_client_id(cls, value: str, info: ValidationInfo) -> str:
        """Refuse a provider without a client id."""
        if not value and info.data.get("openid_issuer"):
            raise ValueError("must be set with CONVIVE_OPENID_ISSUER: the provider gives it to you")
        return value

    @property
    def has_openid(self) -> bool:
        """Whether people can sign in through a provider."""
        return bool(self.openid_issuer)

    @property
    def openid_button(self) -> str:
        """The name of the provider through which people can sign in, or nothing."""
        return self.openid_name if self.has_openid else ""

    @property
    def sends_mail(self) -> bool:
        """Whether a mail server is set up."""
        return bool(self.smtp_url.get_secret_value())

    @cached_property
    def database(self) -> str:
        """The SQLAlchemy address of the database in use, with the password if that is set on its own."""
        password = self.database_password.get_secret_value()
        host = urlsplit(self.database_url).netloc
        if password and host and "@" in host and ":" not in host.partition("@")[0]:
            return self.database_url.replace("@", f":{quote(password, safe='')}@", 1)
        return self.database_url or f"sqlite:///{self.data_dir / 'convive.db'}"

    @property
    def is_sqlite(self) -> bool:
        return self.database.startswith("sqlite")

    @property
    def sqlite_path(self) -> Path:
        return Path(self.database.removeprefix("sqlite:///"))

    @property
    def backups(self) -> Path:
        """The folder for the daily backups of a SQLite database."""
        return self.backup_dir or self.sqlite_path.parent / "backups"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def is_only_here(self) -> bool:
        """Whether it is meant for this machine only: nothing else reaches it, and no public address leads to it."""
        return self.is_loopback and (not self.base_url or urlsplit(self.base_url).hostname in LOOPBACK_NAMES)

    @property
    def is_https(self) -> bool:
        """Whether people reach it by HTTPS."""
        return self.address.startswith("https:")

    @property
    def has_unnamed_proxy(self) -> bool:
        """Whether an HTTPS proxy in front, which nobody named, hides the addresses of all visitors."""
        return self.base_url.startswith("https:") and not self.trusted_proxies

    @property
    def address(self) -> str:
        """The address that people type, without a slash at the end."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104  compared, not bound  # nosec B104
        return self.base_url or f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def hosts(self) -> list[str]:
        """The Host headers that are answered."""
        named = [urlsplit(self.base_url).hostname or ""] if self.base_url else []
        own = [] if self.host in ("0.0.0.0", "::") else [self.host]  # noqa: S104  compared, not bound  # nosec B104
        return [*map(str.lower, [*self.allowed_hosts, *filter(None, named), *own]), *LOOPBACK_NAMES]

    def environment(self, *names: str) -> dict[str, str]:
        """Return the environment for a process of our own that must have the same values of these settings."""
        return {**os.environ, **{f"CONVIVE_{name.upper()}": str(getattr(self, name)) for name in names}}


def load_settings(**overrides: object) -> Settings:
    """Read the settings; `overrides` with a value (a command's flags) win over the environment."""
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]  # checked by pydantic right here
    except ValidationError as error:
        lines = [f"CONVIVE_{str(e['loc'][0]).upper()}: {e['msg']}" if e["loc"] else e["msg"] for e in error.errors()]
        raise SettingsError("; ".join(lines)) from None
