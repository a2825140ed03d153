"""Print 300 place cards and all other documents of a plan: typesetting as the server does it, each in its process."""

from __future__ import annotations

import asyncio
import resource
import time
from typing import get_args

from app.files.pdf.typesetting import typeset
from app.sharing.printing.documents import build_document
from app.sharing.printing.options import NAMES, PrintOptions, What
from app.sharing.printing.seating import PrintedPlan
from bench.clock import spell
from bench.report import markdown_table
from tests.sharing.printing.plans import printed_plan

TITLE = "Printing: 300 place cards and all lists"
GUESTS, AT_TABLE, ROUNDS = 300, 10, 3
LIMIT = 3.0
ADDRESS = "https://seating.example.org/s/"
"""Where the QR code of the poster leads."""
OTHER_SCRIPTS = ("Γιώργος Παπαδόπουλος", "Дмитрий Ёжиков", "محمد علي الحسن", "דוד לוי", "अनिता शर्मा", "Åsa Öhman")
LONG = "Maria-Magdalena Hohenstein-Ziegenhagen von und zu Löwenmaul-Feldmann"


def measure() -> str:
    """Time each document three times with other names, so that none is kept, and add up the medians."""
    taken: dict[What, list[tuple[float, float]]] = {}
    sizes: dict[What, int] = {}
    for number in range(ROUNDS):
        plan = _plan(number)
        for what in get_args(What):
            began, used = time.perf_counter(), _processor_seconds()
            options = PrintOptions(what, marks=what == "place-cards")
            made = asyncio.run(typeset(build_document(plan, options, seat_address=f"{ADDRESS}{number}")))
            taken.setdefault(what, []).append((time.perf_counter() - began, _processor_seconds() - used))
            sizes[what] = len(made.content)
    medians = {what: sorted(times)[ROUNDS // 2] for what, times in taken.items()}
    rows = [
        [NAMES[what], f"{sizes[what] / 1024:,.0f} KiB", spell(seconds), spell(used)]
        for what, (seconds, used) in medians.items()
    ]
    seconds, used = (sum(one[place] for one in medians.values()) for place in (0, 1))
    whole = f"{sum(sizes.values()) / 1024:,.0f} KiB"
    rows.append(["all together", whole, f"{spell(seconds)} (limit {LIMIT:g} s)", spell(used)])
    return markdown_table([f"{GUESTS} guests at {GUESTS // AT_TABLE} tables", "file", "typeset", "processor"], rows)


def _processor_seconds() -> float:
    """Return what this process and those that typeset have used: on a busy machine the time alone says little."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _plan(round_number: int) -> PrintedPlan:
    names = [*OTHER_SCRIPTS, LONG, *(f"Guest {n} Virtanen-{round_number}" for n in range(GUESTS))][:GUESTS]
    diets = ("", "vegan", "no nuts")
    return printed_plan(names, at_table=AT_TABLE, diets=diets, has_floor=True, title=f"Midsummer {round_number}")
