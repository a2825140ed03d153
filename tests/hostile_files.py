"""Files that nobody sends by chance: each must be refused in words, and take little."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from copy import copy
from functools import cache

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
PARTS = {
    "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">'
    '<sheets><sheet name="Guests" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def workbook(rows: str, more: dict[str, bytes] | None = None) -> bytes:
    """Return an XLSX file with these rows as XML."""
    sheet = f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in {**PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, text)
        for name, content in (more or {}).items():
            archive.writestr(name, content)
    return file.getvalue()


def cell(reference: str, text: str) -> str:
    """Return one cell as XML."""
    return f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'


@cache
def bomb(sheets: int = 16, mebibytes: int = 64) -> bytes:
    """Return an XLSX file of some kilobytes that unpacks to a gigabyte: each sheet is one long row of spaces."""
    row = f'<row r="1">{" " * (mebibytes << 20)}</row>'
    sheet = f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{row}</sheetData></worksheet>'
    file = io.BytesIO()
    # Deflate packs a thousand to one at best; an archive may use another method, which packs such a row far denser.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_BZIP2, compresslevel=9) as archive:
        for name, text in {**PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, text)
        for number in range(2, sheets + 1):
            _repeat_last_part(archive, file, f"xl/worksheets/sheet{number}.xml")
    return file.getvalue()


def _repeat_last_part(archive: zipfile.ZipFile, file: io.BytesIO, name: str) -> None:
    """Put the last part into the archive once more as it is packed: to pack a gigabyte would take ten seconds."""
    part = copy(archive.infolist()[-1])
    packed = file.getvalue()[-part.compress_size :]
    part.filename, part.header_offset = name, file.tell()
    file.write(part.FileHeader() + packed)
    archive.filelist.append(part)
    archive.start_dir = file.tell()


def far_cell() -> bytes:
    """Return an XLSX file of a few kilobytes with one cell in the last corner of the sheet."""
    return workbook(f'<row r="1048576">{cell("XFD1048576", "Aino")}</row>')


def with_entities() -> bytes:
    """Return an XLSX file whose sheet declares entities that multiply."""
    lols = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    sheet = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{lols}]><worksheet xmlns="{MAIN}"><sheetData>'
    sheet += f'<row r="1">{cell("A1", "&a9;")}</row></sheetData></worksheet>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in {**PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, text)
    return file.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "an XLSX that unpacks to a gigabyte": bomb,
    "an XLSX with one cell at XFD1048576": far_cell,
    "an XLSX with entities that multiply": with_entities,
    "a damaged XLSX": lambda: far_cell()[:600],
    "a CSV with 1,000 columns": lambda: (",".join(f"c{n}" for n in range(1000)) + "\n").encode() * 20,
    "a CSV with NUL bytes": lambda: b"Name\nAino\n" + b"Bo\x00\n" * 20_000,
    "a CSV with quotes left open": lambda: b'Name,Note\nAino,"likes\n' + b"Bo,x\n" * 500_000,
    "a UTF-16 that ends in half a character": lambda: "Name\nAino\n".encode("utf-16") + b"\x00",
}
