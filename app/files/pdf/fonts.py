"""Which fonts a document uses, best first: those of the theme, then those for other scripts, then whatever has a glyph.

typst brings Libertinus Serif, New Computer Modern and DejaVu Sans Mono: together they have Latin, Greek, Cyrillic,
Hebrew, Arabic and Devanagari. Manrope comes as a Python package. Chinese, Japanese, Korean and emoji need a font of the
system.
"""

from __future__ import annotations

from collections.abc import Collection

THEME_FONTS = {
    "classic": ("Libertinus Serif",),
    "modern": ("Manrope", "Noto Sans", "DejaVu Sans", "Libertinus Serif"),
    "garden": ("Libertinus Serif",),
}
OTHER_SCRIPTS = (
    *(
        "Noto Sans CJK SC",
        "Noto Serif CJK SC",
        "Source Han Sans SC",
        "WenQuanYi Zen Hei",
        "PingFang SC",
        "Microsoft YaHei",
    ),
    *("Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic", "Noto Sans CJK KR", "Apple SD Gothic Neo", "Malgun Gothic"),
    *(
        "Noto Naskh Arabic",
        "Amiri",
        "Noto Sans Arabic",
        "Geeza Pro",
        "Segoe UI",
        "Noto Serif Hebrew",
        "Noto Sans Hebrew",
    ),
    *("Noto Serif Devanagari", "Noto Sans Devanagari", "Nirmala UI", "Noto Color Emoji", "Apple Color Emoji"),
    *("Segoe UI Emoji", "Twitter Color Emoji", "DejaVu Sans", "New Computer Modern", "DejaVu Sans Mono"),
)


def order_fonts(theme: str, installed: Collection[str]) -> list[str]:
    """Return the families of a theme that are there, in the order in which a glyph is looked for."""
    known = {family.casefold() for family in installed}
    return [family for family in dict.fromkeys(THEME_FONTS[theme] + OTHER_SCRIPTS) if family.casefold() in known]
