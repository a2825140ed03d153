"""Reading pages in tests, as somebody without JavaScript would."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser


class _Collector(HTMLParser):
    """Gathers the fields' values, the actions of forms, and the words of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self.kept: dict[str, str] = {}
        self.actions: list[str] = []
        self.words: list[str] = []
        self._area: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        name = has.get("name") or ""
        if tag == "form":
            self.actions.append(has.get("action") or "")
        elif tag == "button" and has.get("formaction"):
            self.actions.append(has["formaction"] or "")
        elif tag == "textarea":
            self._area = name
            self.fields.setdefault(name, []).append("")
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and "selected" in has:
            self.fields.setdefault(self._select, []).append(has.get("value") or "")
        elif tag == "input" and "data-kept" in has:
            self.kept[name] = has.get("value") or ""
        elif tag == "input" and (has.get("type") not in ("radio", "checkbox") or "checked" in has):
            self.fields.setdefault(name, []).append(has.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area is not None:
            # A browser leaves out the first line end of a text area.
            self.fields[self._area][-1] = self.fields[self._area][-1].removeprefix("\n")
            self._area = None
        elif tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.fields[self._area][-1] += data
        else:
            self.words.append(data)


def fields_of(html: str) -> dict[str, list[str]]:
    """Return what stands in the fields of all forms, by name."""
    collector = _Collector()
    collector.feed(html)
    return collector.fields


def kept_of(html: str) -> dict[str, str]:
    """Return what the forms of the page send along of each other, by name."""
    collector = _Collector()
    collector.feed(html)
    return collector.kept


def actions_of(html: str) -> list[str]:
    """Return where the forms and buttons of the page are sent."""
    collector = _Collector()
    collector.feed(html)
    return collector.actions


def words_of(html: str) -> str:
    """Return the words of the page in one line."""
    collector = _Collector()
    collector.feed(html)
    return " ".join(" ".join(collector.words).split()).replace(" ,", ",")


def faults_of(html: str) -> list[str]:
    """Return the messages of the error summary."""
    summary = re.search(r'class="error-summary".*?</div>\s*</div>', html, re.DOTALL)
    found = re.findall(r"<li>(.*?)</li>", summary[0], re.DOTALL) if summary else []
    return [unescape(re.sub(r"<[^>]+>", "", message)) for message in found]
