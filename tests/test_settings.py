"""Settings that tests of the server cannot reach: secrets in files, and proxies that are trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.config import Settings, SettingsError, load_settings


def test_secrets_are_read_from_files_and_values_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "password").write_text("p@ss/word\n")
    (tmp_path / "key").write_text("k" * 40 + "\n")
    monkeypatch.setenv("CONVIVE_DATABASE_URL", "postgresql://convive@db/convive")
    monkeypatch.setenv("CONVIVE_DATABASE_PASSWORD_FILE", str(tmp_path / "password"))
    monkeypatch.setenv("CONVIVE_LINK_KEY_FILE", str(tmp_path / "key"))
    settings = load_settings()
    assert settings.database == "postgresql+psycopg://convive:p%40ss%2Fword@db/convive"
    assert settings.link_key.get_secret_value() == "k" * 40
    assert "p@ss" not in repr(settings)
    monkeypatch.setenv("CONVIVE_LINK_KEY", "v" * 40)
    assert load_settings().link_key.get_secret_value() == "v" * 40


def test_secret_file_that_is_missing_or_too_short_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_LINK_KEY_FILE", str(tmp_path / "missing"))
    with pytest.raises(SettingsError, match="CONVIVE_LINK_KEY_FILE: cannot read"):
        load_settings()
    (tmp_path / "missing").write_text("short")
    with pytest.raises(SettingsError, match=r"CONVIVE_LINK_KEY: .*at least 32"):
        load_settings()


@pytest.mark.parametrize("proxies", ["*", "proxy.example.org", "10.0.0.1/8"])
def test_only_addresses_and_networks_are_trusted(proxies: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings(_env_file=None).trusted_proxies == []
    monkeypatch.setenv("CONVIVE_TRUSTED_PROXIES", proxies)
    with pytest.raises(SettingsError, match="CONVIVE_TRUSTED_PROXIES"):
        load_settings()
