"""The fonts that the browser of the tests sees: those of a bare Debian, whatever else a machine has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
BARE = ("DejaVu", "Liberation")
CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{folder}</dir>
  <cachedir>{folder}/cache</cachedir>
  <match target="pattern">
    <test qual="all" name="family" compare="not_eq"><string>sans-serif</string></test>
    <test qual="all" name="family" compare="not_eq"><string>serif</string></test>
    <test qual="all" name="family" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="append_last"><string>sans-serif</string></edit>
  </match>
  {aliases}
</fontconfig>
"""
ALIAS = "<alias><family>{generic}</family><prefer>{families}</prefer></alias>"
GENERIC = {"system-ui": "Sans", "sans-serif": "Sans", "serif": "Serif", "monospace": "Sans Mono"}


def only_fonts(folder: Path, makers: Sequence[str] = BARE) -> dict[str, str]:
    """Return the variables that let a program see only the fonts of these makers; none if the machine has none."""
    files = [file for root in FOLDERS for maker in makers for file in Path(root).expanduser().rglob(f"{maker}*.ttf")]
    if not files:
        return {}
    for file in files:
        (folder / file.name).unlink(missing_ok=True)
        (folder / file.name).symlink_to(file)
    configuration = folder / "fonts.conf"
    configuration.write_text(
        CONFIGURATION.format(folder=escape(str(folder)), aliases="".join(map(_alias, GENERIC, [makers] * 4)))
    )
    return {"FONTCONFIG_FILE": str(configuration)}


def _alias(generic: str, makers: Sequence[str]) -> str:
    kind = GENERIC[generic]
    names = [f"{maker} {kind.removeprefix('Sans ') if maker == 'Liberation' else kind}" for maker in makers]
    return ALIAS.format(generic=generic, families="".join(f"<family>{name}</family>" for name in names))
