"""A planner who marks circles within groups, with the mistakes that people make, and how many taps it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.questions.circles import FEWEST_CHOSEN, FEWEST_HOUSEHOLDS
from app.solver import IntArray
from bench.events import CLOSE, BoolArray, Event

LEFT_OUT, MISTAKEN = 0.1, 0.05
"""The shares of households that are forgotten, and that are put into another circle of their group."""


def mark_circles(event: Event, rng: np.random.Generator) -> tuple[Event, int]:
    """Return the event with its circles as groups of close guests, and the taps.

    One tap marks a household, one saves each circle, and one goes on to the next group. Groups that are small or close
    as a whole are not asked about.
    """
    household = _household_of(event)
    group_of = event.circles // 1000
    marked: list[BoolArray] = []
    taps = 0
    for group in np.unique(group_of):
        here = np.unique(household[group_of == group])
        if len(here) < FEWEST_HOUSEHOLDS or event.group_defaults[group, group] == CLOSE:
            continue
        taps += 1
        circle_of = _marked_circles(event, here, rng)
        for circle in np.unique(circle_of[circle_of >= 0]):
            chosen = here[circle_of == circle]
            if len(chosen) >= FEWEST_CHOSEN:
                taps += len(chosen) + 1
                marked.append(np.isin(household, chosen) & (group_of == group))
    return (_with_groups(event, marked), taps) if marked else (event, taps)


def _household_of(event: Event) -> IntArray:
    """Return the first guest of each guest's household."""
    household = np.arange(len(event.truth))
    for party in event.parties:
        household[list(party)] = party[0]
    return household


def _marked_circles(event: Event, here: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the circle into which each household is put, −1 for those that are forgotten."""
    true = event.circles[here]
    drawn, others = rng.random(len(here)), rng.choice(np.unique(true), len(here))
    return np.where(drawn < LEFT_OUT, -1, np.where(drawn < LEFT_OUT + MISTAKEN, others, true))


def _with_groups(event: Event, marked: list[BoolArray]) -> Event:
    """Return the event with these groups too, their guests close to each other."""
    groups = np.column_stack([event.groups, *marked])
    before, after = event.groups.shape[1], groups.shape[1]
    defaults = np.full((after, after), np.nan)
    defaults[:before, :before] = event.group_defaults
    defaults[range(before, after), range(before, after)] = CLOSE
    return replace(event, groups=groups, group_defaults=defaults, marked=np.arange(after) >= before)
