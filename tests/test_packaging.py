"""What people install and run it with: Makefile, lock files, Dockerfile, compose.yaml."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

from app import __version__
from app.config import Settings

ROOT = Path(__file__).parent.parent
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The services as Docker Compose reads them."""
    return dict(yaml.safe_load((ROOT / "compose.yaml").read_text()))


def test_every_target_is_in_the_help() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    message = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  make (\w+) +\S", message, re.MULTILINE) == phony
    assert subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout == message


def test_make_refuses_an_unsuitable_python(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for name in ("Makefile", "pyproject.toml", *LOCKS):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    refused = subprocess.run(
        ["make", "setup", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert refused.returncode != 0
    assert "Convive needs Python 3.11 to 3.14" in refused.stderr


@pytest.mark.parametrize(
    ("environment", "words", "port"),
    [
        ({"PORT": "8123"}, [], "8123"),
        ({"PORT": "8123"}, ["PORT=8124"], "8124"),
        ({"PORT": "8123", "CONVIVE_PORT": "8125"}, [], "8125"),
        ({"PORT": ""}, [], ""),
    ],
)
def test_make_takes_the_port_from_its_words_or_the_environment(
    environment: dict[str, str], words: list[str], port: str
) -> None:
    shown = ["make", "--silent", "--eval", "show:; echo $$CONVIVE_PORT", "show", *words]
    kept = {"PATH": os.environ["PATH"], **environment}
    assert subprocess.run(shown, cwd=ROOT, capture_output=True, text=True, check=True, env=kept).stdout.strip() == port


@pytest.mark.parametrize("name", LOCKS)
def test_lock_file_has_a_hash_for_every_package_and_no_index(name: str) -> None:
    text = (ROOT / name).read_text()
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE | re.IGNORECASE)[1:]
    assert packages
    assert [package.split()[0] for package in packages if "--hash=sha256:" not in package] == []
    assert re.findall(r"https?://|--index|--extra-index|--find-links|file:", text) == []


def test_lock_files_agree() -> None:
    pinned = [dict(re.findall(r"^(\S+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)) for name in LOCKS]
    versions: dict[str, set[str]] = {}
    for pins in pinned:
        for package, version in pins.items():
            versions.setdefault(package, set()).add(version)
    assert {package: found for package, found in versions.items() if len(found) > 1} == {}


def test_dependencies_are_all_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    wanted = re.findall(r"^[\w.-]+", "\n".join(project["dependencies"]), re.MULTILINE)
    assert set(wanted) <= set(locked)
    assert project["version"] == __version__


def test_compose_has_a_database_a_server_and_two_workers(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"db", "web", "worker"}
    assert services["worker"]["deploy"]["replicas"] == 2
    assert services["worker"]["command"] == ["convive", "worker"]
    assert "healthcheck" in services["db"]
    assert services["web"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    assert services["worker"]["depends_on"] == {"web": {"condition": "service_healthy"}}
    assert services["db"]["volumes"] == ["database:/var/lib/postgresql"]
    assert list(compose["volumes"]) == ["database"]


SERVICE_KEYS = {
    "build",
    "cap_drop",
    "command",
    "depends_on",
    "deploy",
    "environment",
    "healthcheck",
    "image",
    "ports",
    "restart",
    "secrets",
    "security_opt",
    "volumes",
}


def test_compose_is_valid(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(compose) == {"name", "secrets", "services", "volumes", "x-convive"}
    for name, service in services.items():
        assert set(service) <= SERVICE_KEYS, name
        assert service["restart"] == "always"
        assert "image" in service
        assert set(service.get("depends_on", {})) <= set(services)
        for needed, how in service.get("depends_on", {}).items():
            assert how["condition"] != "service_healthy" or needed == "web" or "healthcheck" in services[needed]
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in compose["volumes"]
        for variable, value in service["environment"].items():
            assert isinstance(value, str)
            known = variable.removeprefix("CONVIVE_").lower() in Settings.model_fields
            assert known or variable.startswith("POSTGRES_")


def test_compose_is_reached_from_this_machine_only(compose: dict[str, Any]) -> None:
    published = [port for service in compose["services"].values() for port in service.get("ports", [])]
    assert len(published) == 1
    assert published[0].startswith("127.0.0.1:")


def test_compose_gives_the_password_as_a_file_and_takes_it_from_outside(compose: dict[str, Any]) -> None:
    assert compose["secrets"] == {"database_password": {"environment": "POSTGRES_PASSWORD"}}
    for service in compose["services"].values():
        assert service["secrets"] == ["database_password"]
        given = {name: value for name, value in service["environment"].items() if "PASSWORD" in name}
        assert set(given.values()) == {"/run/secrets/database_password"}
        assert all(name.endswith("_FILE") for name in given)
        assert "POSTGRES_PASSWORD" not in service["environment"].get("CONVIVE_DATABASE_URL", "")


def test_every_service_has_a_limit_of_memory(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert re.fullmatch(r"\$\{\w+_MEMORY:-\dg\}", service["deploy"]["resources"]["limits"]["memory"])


def test_images_are_pinned_by_digest(compose: dict[str, Any]) -> None:
    built_from = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    images = {*built_from, *(service["image"] for service in compose["services"].values())} - {"convive"}
    assert len(built_from) == 2
    assert {image.partition("@")[0] for image in images} == {"python:3.13-slim", "postgres:18"}
    assert all(re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", image) for image in images)


def test_image_runs_as_nobody_special_with_a_health_check() -> None:
    lines = (ROOT / "Dockerfile").read_text()
    final = lines.rpartition("\nFROM ")[2]
    assert final.startswith("python:3.13-slim")
    assert re.search(r"^USER convive$", final, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\n  CMD .*/readyz", final, re.MULTILINE)
    assert final.rstrip().endswith('CMD ["convive", "serve", "--host", "0.0.0.0"]')
    installs = re.findall(r"(?:pip|uv pip) install.*", lines)
    assert all("--require-hashes" in line or "--no-deps" in line for line in installs)


def test_image_holds_only_what_runs() -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert sorted(kept) == sorted(name for line in copied for name in line.split())
    assert all((ROOT / name).exists() for name in kept)


def test_processes_that_convive_starts_take_no_code_from_the_working_folder() -> None:
    code = "\n".join(path.read_text() for path in sorted((ROOT / "app").rglob("*.py")))
    first_arguments = re.findall(r"""sys\.executable,[\s*(]*("[^"]*")?""", code)
    assert first_arguments != []
    assert set(first_arguments) == {'"-P"'}


def test_nothing_is_installed_that_convive_does_not_import() -> None:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    wanted = {re.split(r"[\[<>=]", one)[0].lower() for one in named}
    sources = [*(ROOT / "app").rglob("*.py"), *(ROOT / "alembic").rglob("*.py")]
    lines = "\n".join(path.read_text() for path in sources)
    modules = set(re.findall(r"^\s*(?:from|import) (\w+)", lines, re.MULTILINE))
    homes = packages_distributions()
    imported = {home.lower().replace("_", "-") for module in modules for home in homes.get(module, ())}
    # FastAPI reads forms, SQLAlchemy speaks with PostgreSQL, openpyxl reads XML, uvicorn parses HTTP and runs its loop,
    # typst reads fonts.
    by_others = {"python-multipart", "psycopg", "defusedxml", "httptools", "uvloop", "font-manrope"}
    assert wanted - imported - by_others == set()
