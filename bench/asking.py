"""How good a plan gets after asking about some of the pairs.

0 % is the plan from groups and parties alone, 100 % the plan that knows every true score; plans are measured on the
true scores. Answers have five levels, with errors, and four in a hundred are "don't know them", which counts as asked.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np

from app.solver import (
    FloatArray,
    GoodPlans,
    Inference,
    IntArray,
    Known,
    Problem,
    Table,
    as_known,
    find_good_plans,
    group_and_party_defaults,
    infer,
    infer_deeply,
    next_questions,
    settledness,
    solve,
    total_score,
)
from bench.curves import Curve, draw_curves
from bench.events import Event, Recipe, generate_event
from bench.report import RESULTS, markdown_table

TITLE = "The best next question: plans from a tenth of the answers"
GUESTS = (60, 120, 200)
SEEDS = range(1001, 1009)
"""Events that were not used to develop the strategy; those had seeds below 100."""
LARGE, FEW = 200, 3
"""Larger events, and the other strategies, are measured with the first few seeds only."""
SMALL, UNPROVEN_SECONDS = 100, 0.5
BATCH = 0.01
SHARES = (0.025, 0.05, 0.1, 0.15, 0.2, 0.3)


NOTE = (
    "0 % is the plan that uses groups and parties alone, 100 % the plan that uses every true score; plans are measured "
    'on the true scores. Answers have five levels, with errors; 4 % are "don\'t know them" and count as asked. '
    f"Seeds {SEEDS.start} to {SEEDS.stop - 1}; none of them was used to develop the strategy."
)
TRIED = """What was tried, on six other events of 120 guests (10 % and 20 % of the pairs asked; random: four events):

- Random questions 33 % and 59 %; pairs that several good plans seat together 60 % and 89 %.
- The same with a discount on asking about the same two parties again: 67 % and 92 %. Parties share circles and tastes,
  so the second of four questions between two couples adds little. This discount helped every strategy.
- Plans for random draws of the scores (Thompson sampling): 59 % and 85 %, with the discount 69 % and 91 %; for draws
  without pair effects 74 % and 88 %; with a first twentieth spread evenly over the guests 73 % and 91 %.
- Variance removed where plans share a table: 69 % and 88 %; where they disagree, p(1 − p): 73 % and 93 %, kept.
- Prediction: one Gaussian process with group and party kernels is nearly as good as the traits at a tenth of the
  pairs and worse at a fifth; learning its kernel from its own guesses made it worse. Hidden circles as clusters
  (a Chinese restaurant process in addition to the traits) and 2, 6 or 8 traits instead of 4 made no difference.
- Plans drawn with the same seed each time 73 % and 91 %, with a new seed each time 77 % and 90 %, sixteen plans instead
  of eight 74 % and 92 %: no difference beyond chance, so eight plans with a new seed each time."""


@dataclass
class Desk:
    """One event during the questions: what is known, and what is inferred from it."""

    event: Event
    problem: Problem
    answers: FloatArray
    asked: IntArray
    rng: np.random.Generator
    inference: Inference
    plans: GoodPlans

    def known(self) -> Known:
        """Return what the planner has entered so far."""
        a, b = np.nonzero(np.triu(~np.isnan(self.answers), 1))
        event = self.event
        pairs = np.column_stack([a, b])
        return as_known(len(event.truth), pairs, self.answers[a, b], event.groups, event.group_defaults, event.parties)

    def think(self, seed: int, plans: int = 8) -> None:
        """Infer again and find plans, as a worker does after some answers."""
        known = self.known()
        self.inference = infer_deeply(known, seed=seed)
        self.plans = find_good_plans(self.problem, self.inference, count=plans, seed=seed)

    def ask(self, pairs: IntArray) -> None:
        """Let the planner answer."""
        a, b = pairs.T
        self.answers[a, b] = self.answers[b, a] = self.event.answers[a, b]
        self.asked = np.concatenate([self.asked, pairs])


Strategy = Callable[[Desk, int], IntArray]


def ask_best(desk: Desk, count: int) -> IntArray:
    """Ask the questions that `next_questions` chooses."""
    event = desk.event
    batch = next_questions(desk.inference, event.table_sizes, desk.plans.others, desk.asked, count, event.parties)
    return np.array([(question.a, question.b) for question in batch.questions], dtype=np.int64).reshape(-1, 2)


def ask_seated(desk: Desk, count: int) -> IntArray:
    """Ask pairs that several good plans for the expected scores seat together: the naive strategy."""
    together = np.zeros_like(desk.answers)
    for seed in desk.rng.integers(1 << 30, size=8).tolist():
        seated = find_good_plans(desk.problem, desk.inference, count=0, seed=seed).best
        together += seated[:, None] == seated[None, :]
    return _highest(desk, together, count)


def ask_random(desk: Desk, count: int) -> IntArray:
    """Ask random questions."""
    return _highest(desk, np.zeros_like(desk.answers), count)


def _highest(desk: Desk, worth: FloatArray, count: int) -> IntArray:
    """Return the open pairs with the highest value, ties in random order."""
    worth = worth + 0.5 * desk.rng.random(worth.shape)
    for party in desk.event.parties:
        worth[np.ix_(party, party)] = -1.0
    worth[desk.asked[:, 0], desk.asked[:, 1]] = worth[desk.asked[:, 1], desk.asked[:, 0]] = -1.0
    worth[np.tril_indices(len(worth))] = -1.0
    top = np.argsort(-worth, axis=None)[:count]
    return np.column_stack(np.unravel_index(top, worth.shape))


STRATEGIES: dict[str, Strategy] = {"best": ask_best, "seated": ask_seated, "random": ask_random}
NAMES = {
    "best": "Convive's questions",
    "seated": "pairs that good plans seat together",
    "random": "random questions",
}


VARIANTS = {
    "stronger pair effects": Recipe(between_two=0.7),
    "weak circles, strong tastes": Recipe(circle=0.4, taste=0.7),
    "no hidden circles": Recipe(circle=0.0),
}
"""Differently generated events, to check that the strategy does not depend on one recipe."""


@dataclass(frozen=True)
class Course:
    """The results of one event: the share of the gain at each share of the pairs asked, how settled the plan looked,
    and the gain of a plan from the quick guesses, which a run uses."""

    shares: tuple[float, ...]
    gains: tuple[float, ...]
    settled: tuple[float, ...]
    quick: tuple[float, ...]
    rounding: float


def run_course(
    guests: int,
    seed: int,
    name: str,
    shares: tuple[float, ...] = SHARES,
    recipe: Recipe | None = None,
    batch: float = BATCH,
) -> Course:
    """Ask about one event until the largest share is reached, and measure plans along the way on the true scores."""
    event = generate_event(guests, seed, recipe)
    desk = _sit_down(event, seed)
    start = float(np.mean([_worth(desk, _plan(desk, _defaults(desk), number, 4)) for number in range(4)]))
    end = _worth(desk, _plan(desk, event.truth, seed, 16))
    spoken = np.where(np.isnan(event.answers), _defaults(desk), event.answers)
    rounding = _share(_worth(desk, _plan(desk, spoken, seed, 16)), start, end)
    gains, settled, quick = [], [], []
    pairs = guests * (guests - 1) // 2
    for share in shares:
        while len(desk.asked) < round(share * pairs):
            desk.think(seed + len(desk.asked), plans=8 if name == "best" else 1)
            count = min(round(batch * pairs), round(share * pairs) - len(desk.asked))
            desk.ask(STRATEGIES[name](desk, count))
        desk.think(seed)
        gains.append(_share(_worth(desk, _plan(desk, desk.inference.mean, seed, 16)), start, end))
        settled.append(settledness(desk.plans.gained, desk.plans.left))
        quick.append(_share(_worth(desk, _plan(desk, infer(desk.known()).mean, seed, 16)), start, end))
    return Course(shares, tuple(gains), tuple(settled), tuple(quick), rounding)


def _share(value: float, start: float, end: float) -> float:
    """Return the share of the possible gain that a plan reaches; 1 if groups alone already give the best plan."""
    way = end - start
    return (value - start) / way if way > 1e-9 * max(abs(end), 1.0) else 1.0


def measure() -> str:
    """Ask about new events of each size and return curves and tables."""
    with ProcessPoolExecutor() as pool:
        parts = [_measure_size(pool, guests) for guests in GUESTS]
        variants = [_measure_variant(pool, name, recipe) for name, recipe in VARIANTS.items()]
    table = markdown_table(("120 guests", "5 % asked", "10 %", "20 %"), variants)
    return "\n\n".join(
        [NOTE, *parts, "Differently generated events, Convive's questions, three seeds each:", table, TRIED]
    )


def _measure_size(pool: Executor, guests: int) -> str:
    """Return the table of one size, and write its curves next to the results."""
    courses = {}
    for name in STRATEGIES:
        seeds = SEEDS if name == "best" and guests < LARGE else SEEDS[:FEW]
        batch = BATCH if guests < LARGE else 2 * BATCH
        coming = pool.map(run_course, repeat(guests), seeds, repeat(name), repeat(SHARES), repeat(None), repeat(batch))
        courses[name] = list(coming)
    rows, curves = [], []
    for name, found in courses.items():
        gains = np.array([course.gains for course in found])
        error = gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
        cells = [f"{100 * mean:.0f} ± {100 * e:.0f} %" for mean, e in zip(gains.mean(axis=0), error, strict=True)]
        rows.append((NAMES[name], *cells))
        curves.append(Curve(NAMES[name], (0.0, *SHARES), (0.0, *gains.mean(axis=0))))
    quick = np.mean([course.quick for course in courses["best"]], axis=0)
    rows.append(("Convive's questions, planned with the quick guesses", *(f"{100 * gain:.0f} %" for gain in quick)))
    settled = np.mean([course.settled for course in courses["best"]], axis=0)
    rows.append(("how settled Convive says the plan is", *(f"{100 * share:.0f} %" for share in settled)))
    all_asked = np.mean([course.rounding for course in courses["best"]])
    path = RESULTS.with_name(f"asking_{guests}.svg")
    title = f"Share of the gain reached, {guests} guests"
    path.write_text(draw_curves(curves, title, "pairs asked", "share of the gain", max(SHARES)))
    head = (f"{guests} guests, pairs asked", *(f"{100 * share:g} %" for share in SHARES))
    foot = (
        f"With every pair answered, in five levels: {100 * all_asked:.0f} %. Mean of "
        f"{len(courses['best'])} events ± standard error; {FEW} events for the other strategies."
    )
    return f"{markdown_table(head, rows)}\n\n{foot}\n\n![{title}]({path.name})"


def _measure_variant(pool: Executor, name: str, recipe: Recipe) -> tuple[str, ...]:
    shares = (0.05, 0.1, 0.2)
    seeds = SEEDS[:FEW]
    found = pool.map(run_course, repeat(120), seeds, repeat("best"), repeat(shares), repeat(recipe))
    return name, *(f"{100 * gain:.0f} %" for gain in np.mean([course.gains for course in found], axis=0))


def _sit_down(event: Event, seed: int) -> Desk:
    n = len(event.truth)
    tables = tuple(Table(most=size, least=size) for size in event.table_sizes)
    problem = Problem(np.zeros((n, n)), tables, parties=event.parties)
    empty = Inference(np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), dtype=np.int8))
    none = GoodPlans(np.zeros(n, dtype=np.int64), np.zeros((0, n), dtype=np.int64), 0.0, 0.0)
    nothing = np.zeros((0, 2), dtype=np.int64)
    return Desk(event, problem, np.full((n, n), np.nan), nothing, np.random.default_rng([seed, 7]), empty, none)


def _defaults(desk: Desk) -> FloatArray:
    return group_and_party_defaults(desk.known()).values


def _plan(desk: Desk, matrix: FloatArray, seed: int, restarts: int) -> IntArray:
    """Return a good plan; a small event gets no time for a proof, which takes hundreds of times as long."""
    problem = replace(desk.problem, matrix=matrix)
    limit = UNPROVEN_SECONDS if len(matrix) < SMALL else None
    return solve(problem, method="full", restarts=restarts, time_limit=limit, seed=seed).assignment


def _worth(desk: Desk, seated: IntArray) -> float:
    return total_score(desk.event.truth, seated)
