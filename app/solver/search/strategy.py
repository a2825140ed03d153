"""Which search for which event, and how hot: the one place that decides by size and time limit.

Everything is annealed on the original matrix. Where all sets of blocks that a table can hold can be listed, the plan
is then proven or improved. The anneals make a pool of plans, then children of two of them, each annealed again where
its parents differ. When time is short, the pool is tempered for most of it. Large events get one long anneal on each
core instead, unless there is time to temper them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.solver.problem import IntArray
from app.solver.search.anneal import random_swap_deltas
from app.solver.search.blocks import Blocks
from app.solver.search.descend import CHAINS, PAIRS

SPECTRAL_GUESTS = 400
"""Up to here the bound from eigenvalues is improved after the search."""
SEARCH_SHARE = 0.85
"""The part of a time limit that the search may use; the rest is for the bound and the seat order."""
LONG_SHARE = 0.93
"""The same for events so large that no bound is improved: only the seat order comes after."""
POLISH_SHARE = 0.03
"""The part of a time limit that the search may go over, to leave nothing that a person could improve by hand."""
FAIR_SHARE = 0.4
"""The part of the search's time in which guests left alone are weighed, if the problem has fairness."""
FAIR_SETTLE_SHARE = 0.1
"""The part of the search's time that is left for settling after that."""
FAIR_PLANS = 4
REPAIR_BEST_SHARE, REPAIR_PRICES_SHARE = 0.3, 0.15
"""The parts of a time limit for the best plan of all and for plans at falling prices of a move, in a repair."""
CLUSTER_SHARE = 0.05
"""The part of a time limit that k-means may use for starts."""
BOUND_SHARE = 0.1
BOUND_SECONDS = 1.0
"""How long the bound is improved: a part of the time that the solve took, but so many seconds where there are. Without
a time limit it takes at most as long as the search."""
FINISH_SECONDS = 1.1e-7
"""What bound, seat order and map of a large event take, for each pair of guests."""
STEP_SECONDS = 1.2e-8
"""What one step of annealing takes on an ordinary core, without what grows with the event."""


MOST_TEMPERED = 300
"""With more blocks and too little time for all restarts, one anneal on each core takes all of it: it cools as time runs
out. With fewer, a pool of plans is annealed first and tempered then."""
TEMPER_SECONDS, MOST_EVER_TEMPERED = 2e-4, 600
"""With so many seconds for each pair of blocks, in n², tempering is better up to so many blocks: measured at 480."""
PILOT_SHARE = 0.05
PILOT_HEAT = (0.16, 0.16, 0.015)
"""A long anneal comes after a short one through all temperatures, which shows where plans freeze."""
COLD_LOSS, HOT_COLD = 0.15, 8.0
"""A plan freezes at this part of what the cheapest change of an ordinary guest costs; a long anneal starts at most so
many times as hot, and not hotter than its pilot."""
COOLING_SHARE = 0.05
"""The most of the time of a search for the quick coolings that show where plans freeze."""
POOL_SHARE = 0.12
"""The part of the time of a search until the pool is done, where tempering comes after it."""
SETTLING_SHARE = 0.25
"""The same for a search that may stop early: its pool needs time to find the same plan again and again."""
AROUND = (1.5, 0.5)
"""Anneals for the pool start so many times as hot as plans freeze, and end at this part of the cold end."""
LADDER = (0.19, 0.15)
"""The hottest and coldest temperature for tempering where nothing better is known, as parts of the spread and of a
typical swap."""
FREE_LENGTH = 4
"""Restarts are so many times as long where seats stay free: the sizes of the tables have to be found too."""
MOST_CHAINED = 600
"""With more blocks, exchanges of two against two and chains of three are left out at the end."""
LONG_POOL = 8
"""The ends of long anneals that are kept: each core's is another good plan."""
SMALL_BLOCKS = 30
SMALL_STEPS = 2560
SMALL_CYCLES, CYCLES_IN_ALL = (16, 48), 1600
"""A restart of a small event is so many short anneals; the fewer the restarts, the more."""
SET_SECONDS = 4e-7
"""What listing or pricing one set of blocks takes in a proof."""
PROOF_SEARCH_SHARE = 0.4
"""The part of a time limit for the search where a proof comes after it."""
PROOF_RESTARTS = 32
"""Restarts before a proof: it finds what they missed, and is faster the better the plan it has to beat."""


@dataclass(frozen=True)
class Effort:
    """How long each anneal is, how many plans the pool holds, how deep to descend; no child steps: no children.

    `heat` are the temperatures of a fresh start, of a child and of the end, as parts of the spread of random swaps;
    `timed` says that the time limit will end the search, `long` that one anneal on each core takes all of it.
    """

    steps: int
    cycles: int
    child_steps: int
    pool: int
    depth: int
    heat: tuple[float, float, float] = (0.37, 0.105, 0.045)
    timed: bool = False
    long: bool = False


def choose_effort(
    blocks: int, restarts: int, time_limit: float | None, step_cost: float = 1.0, length: int = 1
) -> Effort:
    """Return the lengths of the anneals; `step_cost` is what a step costs beyond a plain swap.

    A restart has `base` steps, `length` times those of an event with given sizes. If all restarts fit into the time
    limit even on one core, nothing depends on time, so the same seed and restarts give the same plan. Otherwise time
    will cut the search: the first restarts measure how fast it goes, and `fit_effort` sets the lengths of the others.
    """
    if blocks <= SMALL_BLOCKS:
        least, most = SMALL_CYCLES
        cycles = max(least, min(most, CYCLES_IN_ALL // max(restarts, 1)))
        return Effort(SMALL_STEPS, cycles, 0, 12, CHAINS, (0.3, 0.15, 0.08))
    base = length * max(20_000, 40 * blocks * min(blocks, 400))
    step_seconds = STEP_SECONDS * (1 + blocks / 400) * step_cost
    depth = CHAINS if blocks <= MOST_CHAINED else PAIRS
    timed = time_limit is not None and 2 * restarts * base * step_seconds >= time_limit * SEARCH_SHARE
    if timed and not _is_tempered(blocks, time_limit, step_cost):
        endless = 1 << 50
        return Effort(endless, 1, 0, LONG_POOL, depth, PILOT_HEAT, long=True)
    return Effort(base, 1, max(base // 2, 1), 10, depth, timed=timed)


def _is_tempered(blocks: int, time_limit: float | None, step_cost: float) -> bool:
    """Say whether copies of a plan would have enough time on a ladder of temperatures."""
    needed = TEMPER_SECONDS * blocks * blocks * step_cost
    has_time = time_limit is not None and time_limit >= needed
    return blocks <= MOST_TEMPERED or (blocks <= MOST_EVER_TEMPERED and has_time)


def search_share(guests: int, provable: bool) -> float:
    """Return the part of a time limit for the search, by what comes after it."""
    if provable:
        return PROOF_SEARCH_SHARE
    return SEARCH_SHARE if guests <= SPECTRAL_GUESTS else LONG_SHARE


def search_seconds(share: float, guests: int, time_limit: float) -> float:
    """Return the seconds of a time limit for the search: its share, or less where what comes after it takes longer."""
    rest = FINISH_SECONDS * guests * guests if guests > SPECTRAL_GUESTS else 0.0
    return min(share * time_limit, max((1.0 - POLISH_SHARE) * time_limit - rest, time_limit / 2))


def bound_seconds(spent: float, time_limit: float | None) -> float:
    """Return how long the bound may be improved, in proportion to the search before it."""
    if time_limit is None:
        return max(0.05, min(BOUND_SECONDS, spent))
    return max(0.05, min(BOUND_SHARE * time_limit, max(BOUND_SECONDS, BOUND_SHARE * spent)))


def fair_steps(blocks: int) -> int:
    """Return how many steps an anneal takes that weighs guests left alone."""
    return max(30_000, 30 * blocks * min(blocks, 400))


def limited_steps(blocks: int) -> int:
    """Return how many steps an anneal takes that may only move so many guests."""
    return max(20_000, 10 * blocks * min(blocks, 400))


def limited_depth(blocks: int) -> int:
    """Return how deep to descend after it, every exchange being several times as slow to weigh as a plain one."""
    return 2 if blocks <= 60 else 1


def fit_effort(effort: Effort, blocks: int, steps_left: float) -> Effort:
    """Return lengths that leave room for a pool and its children in the steps that all cores can still do."""
    steps = int(min(max(steps_left / 60, 1000), 250 * blocks * blocks))
    return replace(effort, steps=steps, child_steps=2 * steps // 3, timed=False)


def is_provable(work: float | None, time_limit: float | None) -> bool:
    """Say whether a proof that lists so many sets fits into the time limit."""
    if work is None:
        return False
    return work * SET_SECONDS < (60.0 if time_limit is None else max(time_limit - 0.2, 0.0))


@dataclass(frozen=True)
class Temperatures:
    """Hot for a fresh start, warm for a child, cold at the end."""

    hot: float
    warm: float
    cold: float


def sets_every(blocks: Blocks) -> int:
    """Return how often to draw whole sets: swaps alone do where all blocks are alike and no seat is free."""
    if not blocks.is_uneven:
        return 16 if blocks.has_couples else 256
    return 4 if blocks.has_parties else 64


def restart_length(blocks: Blocks) -> int:
    """Return how many times as long a restart is as one of an event with given sizes."""
    return FREE_LENGTH if blocks.has_spare_seats else 1


def slowness(blocks: Blocks) -> float:
    """Return what a step costs beyond a plain swap, drawing a set being about eight times as slow."""
    return 1.0 + 8.0 / sets_every(blocks)


def measure_swaps(blocks: Blocks, starts: tuple[IntArray, ...], seed: int) -> tuple[float, float]:
    """Return how much random swaps change: the root of their mean square and their median, barriers left out.

    Of several plans the one counts where swaps change least: in a good plan they change more than in any.
    """
    found = [(0.0, 0.0)]
    for at in starts:
        deltas = np.abs(random_swap_deltas(blocks, at, np.random.default_rng(abs(seed))))
        deltas = deltas[(deltas > 0) & (deltas < blocks.barrier / (4 * blocks.most.max(initial=1)))]
        if len(deltas):
            found.append((float(np.sqrt((deltas**2).mean())), float(np.median(deltas))))
    return min(found[1:], default=found[0])


def heat_of(swaps: tuple[float, float], parts: tuple[float, float, float]) -> Temperatures:
    """Return temperatures as parts of what swaps change."""
    (spread, typical), (hot, warm, end) = swaps, parts
    cold = end * min(spread, typical)
    return Temperatures(hot * spread, max(warm * spread, 2 * cold), cold)


def heat_around(span: tuple[float, float]) -> Temperatures:
    """Return temperatures for anneals of an event whose plans freeze in this span."""
    hot, cold = span[0] * AROUND[0], span[1] * AROUND[1]
    return Temperatures(hot, float(np.sqrt(span[0] * span[1])), cold)
