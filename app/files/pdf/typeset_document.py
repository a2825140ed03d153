"""A process that typesets one document from its stdin and writes it to its stdout, with limits on time and memory.

It is started by `app.files.pdf.typesetting`. The first line of the answer is JSON, the file follows.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path
from typing import Any

import typst

from app.files.pdf.fonts import order_fonts
from app.files.resource_limits import limit_resources

TEMPLATES = Path(__file__).parent / "templates"
MOST_MEMORY, MOST_SECONDS = 1 << 30, 40
STANDARD = "ua-1"
MISSING = re.compile(r'the text `"(.*?)"` could not be displayed with', re.DOTALL)
ESCAPED = re.compile(r"\\u\{([0-9a-fA-F]+)\}")


def main() -> None:
    """Typeset, and answer with the file or with what is wrong."""
    limit_resources(MOST_MEMORY, MOST_SECONDS)
    request: dict[str, Any] = json.load(sys.stdin.buffer)
    head, content = _typeset(request)
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + content)


def _typeset(request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    fonts = typst.Fonts(include_system_fonts=True, include_embedded_fonts=True, font_paths=request["font_folders"])
    values = {**_with_logo(request["values"]), "fonts": order_fonts(request["values"]["theme"], fonts.families())}
    compiler = typst.Compiler(
        str(TEMPLATES / f"{request['template']}.typ"),
        root=str(TEMPLATES),
        font_paths=fonts,
        sys_inputs={"data": json.dumps(values, ensure_ascii=False)},
    )
    if request["format"] == "png":
        pages = compiler.compile(format="png", ppi=request["ppi"])
        return {"missing": []}, pages[0] if isinstance(pages, list) else pages or b""
    try:
        return {"missing": []}, _pdf(compiler, [STANDARD])
    except typst.TypstError as error:
        missing = missing_texts(error.diagnostic)
        if not missing:
            raise
        return {"missing": missing}, _pdf(compiler, [])


def _with_logo(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with the bytes of the logo as numbers: typst reads no base64, and no files but templates."""
    logo = values.get("logo")
    return {**values, "logo": {**logo, "data": list(base64.b64decode(logo["data"]))}} if logo else values


def _pdf(compiler: typst.Compiler, standards: list[Any]) -> bytes:
    content = compiler.compile(format="pdf", pdf_standards=standards)
    if not isinstance(content, bytes):
        raise TypeError("A PDF is one file.")
    return content


def missing_texts(diagnostic: str) -> list[str]:
    """Return the characters for which no font has a glyph, as the standard's check lists them."""
    found = (ESCAPED.sub(lambda code: chr(int(code[1], 16)), text) for text in MISSING.findall(diagnostic))
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    main()
