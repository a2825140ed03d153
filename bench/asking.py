"""How good a plan gets after asking about some of the pairs.

0 % is the plan from groups and parties alone, 100 % the plan that knows every true score; plans are measured on the
true scores. Answers have five levels, with errors, and four in a hundred are "don't know them", which counts as asked.
What a person taps is counted too: one tap answers a question about a pair; a list card takes one for each guess that is
wrong and one to save; a circle takes one for each household and one to save.
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
    NameList,
    Problem,
    Table,
    as_known,
    find_good_plans,
    group_and_party_defaults,
    infer,
    infer_deeply,
    next_lists,
    next_questions,
    settledness,
    solve,
    total_score,
)
from bench.clock import processor_time
from bench.curves import Curve, draw_curves
from bench.events import Event, Recipe, generate_event
from bench.marking import LEFT_OUT, MISTAKEN, mark_circles
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
TAP_GUESTS, TAP_SHARES = (60, 120), (0.025, 0.05, 0.1, 0.2)
"""Taps are counted as shares of the number of pairs, so that the two tables can be compared."""
LISTS = 25
CARELESS = 0.25
"""Some planners leave this share of the guesses that are one level off as they are."""


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
  of eight 74 % and 92 %: no difference beyond chance, so eight plans with a new seed each time.
- Cards that ask more at once (empty lists, one answer for two households) are in decision 127, circles in 142."""


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
    taps: int = 0
    careless: float = 0.0

    def known(self) -> Known:
        """Return what the planner has entered so far."""
        a, b = np.nonzero(np.triu(~np.isnan(self.answers), 1))
        event = self.event
        pairs = np.column_stack([a, b])
        groups = event.groups, event.group_defaults, event.parties
        return as_known(len(event.truth), pairs, self.answers[a, b], *groups, circles=event.marked)

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
        self.taps += len(pairs)

    def show_list(self, one: NameList) -> None:
        """Let the planner correct the guesses of a list card; "don't know them" is a tap too."""
        self.taps += 1
        for other, guess in zip(one.others, one.guesses, strict=True):
            pair = min(one.guest, other), max(one.guest, other)
            said = self.event.answers[pair]
            is_wrong = said != guess  # also where the planner does not know them
            if is_wrong and abs(said - guess) == 1 and self.rng.random() < self.careless:
                is_wrong, said = False, float(guess)
            self.taps += is_wrong
            self.answers[pair] = self.answers[pair[::-1]] = said
            self.asked = np.concatenate([self.asked, [pair]])


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
    start, end = _ends(desk, seed)
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


@dataclass(frozen=True)
class TapCourse:
    """The results of one event by taps: the share of the gain, that with the quick guesses, and names read."""

    gains: tuple[float, ...]
    quick: tuple[float, ...]
    names: tuple[int, ...]


@dataclass(frozen=True)
class TapKind:
    """A way to answer: with which cards, whether circles are marked first, and whether wrong guesses are overlooked."""

    title: str
    has_lists: bool = True
    has_circles: bool = False
    is_careless: bool = False


OVERLOOKED = f"{100 * CARELESS:.0f} % of the guesses that are one level off left as they are"
TAP_KINDS = {
    "pairs": TapKind("questions about pairs", has_lists=False),
    "lists": TapKind("list cards"),
    "careless": TapKind(f"list cards, {OVERLOOKED}", is_careless=True),
    "circles": TapKind("circles, then list cards", has_circles=True),
    "careless_circles": TapKind(f"circles, then list cards, {OVERLOOKED}", has_circles=True, is_careless=True),
}


def count_taps(guests: int, seed: int, kind: str, shares: tuple[float, ...] = TAP_SHARES) -> TapCourse:
    """Ask in one of the `TAP_KINDS` and measure plans along the way; limits are processor time."""
    with processor_time():
        return _count_taps(guests, seed, kind, shares)


def _count_taps(guests: int, seed: int, kind: str, shares: tuple[float, ...]) -> TapCourse:
    event, way = generate_event(guests, seed), TAP_KINDS[kind]
    desk = _sit_down(event, seed)
    desk.careless = CARELESS if way.is_careless else 0.0
    start, end = _ends(desk, seed)
    if way.has_circles:
        desk.event, desk.taps = mark_circles(event, np.random.default_rng([seed, 11]))
    pairs = guests * (guests - 1) // 2
    rows = []
    for share in shares:
        while desk.taps < round(share * pairs):
            desk.think(seed + len(desk.asked))
            _ask_by_taps(desk, min(round(share * pairs), desk.taps + round(2 * BATCH * pairs)), way)
        desk.think(seed, plans=1)
        means = (desk.inference.mean, infer(desk.known()).mean)
        shares_now = (_share(_worth(desk, _plan(desk, mean, seed, 16)), start, end) for mean in means)
        rows.append((*shares_now, len(desk.asked)))
    return TapCourse(*zip(*rows, strict=True))


def _ask_by_taps(desk: Desk, until: int, way: TapKind) -> None:
    """Show cards until that many taps, as the page does: lists first."""
    event = desk.event
    given = (desk.inference, event.table_sizes, desk.plans.others)
    lists = list(next_lists(*given, desk.asked, LISTS, event.parties)) if way.has_lists else []
    batch = next_questions(*given, desk.asked, until - desk.taps, event.parties)
    questions = list(batch.questions)
    while desk.taps < until and (questions or lists):
        if lists:
            desk.show_list(lists.pop(0))
        else:
            question = questions.pop(0)
            desk.ask(np.array([(question.a, question.b)]))
        seen = {(a, b) for a, b in desk.asked.tolist()}
        questions = [question for question in questions if (question.a, question.b) not in seen]


def _ends(desk: Desk, seed: int) -> tuple[float, float]:
    """Return what plans are worth that know groups and parties alone, and what the one is that knows every score."""
    blind = [_worth(desk, _plan(desk, _defaults(desk), number, 4)) for number in range(4)]
    return float(np.mean(blind)), _worth(desk, _plan(desk, desk.event.truth, seed, 16))


def _share(value: float, start: float, end: float) -> float:
    """Return the share of the possible gain that a plan reaches; 1 if groups alone already give the best plan."""
    way = end - start
    return (value - start) / way if way > 1e-9 * max(abs(end), 1.0) else 1.0


def measure_taps(pool: Executor) -> str:
    """Return the table by taps of each size."""
    parts = [
        "Share of the gain by taps. A question about a pair is one tap; a list card of eight names takes one for each "
        "guess that is wrong or not known, and one to save; a circle takes one for each household and one to save, and "
        f"each group one. {100 * LEFT_OUT:.0f} % of the households are forgotten when circles are marked, and "
        f"{100 * MISTAKEN:.0f} % are put into a wrong one. Taps are in per cent of the number of pairs."
    ]
    for guests in TAP_GUESTS:
        pairs = guests * (guests - 1) // 2
        head = (f"{guests} guests, taps", *(f"{100 * share:g} % = {share * pairs:.0f}" for share in TAP_SHARES))
        rows = [row for kind in TAP_KINDS for row in _tap_rows(pool, guests, kind)]
        parts.append(markdown_table(head, rows))
    return "\n\n".join(parts)


def _tap_rows(pool: Executor, guests: int, kind: str) -> list[tuple[str, ...]]:
    """Return the gains of one kind of cards, those with the quick guesses, and how many names were read."""
    found = list(pool.map(count_taps, repeat(guests), SEEDS, repeat(kind)))
    gains = np.array([course.gains for course in found])
    error = gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    quick, names = (np.mean([getattr(course, name) for course in found], axis=0) for name in ("quick", "names"))
    cells = [f"{100 * mean:.0f} ± {100 * e:.0f} %" for mean, e in zip(gains.mean(axis=0), error, strict=True)]
    rows = [(TAP_KINDS[kind].title, *cells), ("… with the quick guesses", *(f"{100 * gain:.0f} %" for gain in quick))]
    return [*rows, ("… names read", *(f"{count:.0f}" for count in names))]


def measure() -> str:
    """Ask about new events of each size and return curves and tables."""
    with ProcessPoolExecutor() as pool:
        taps = measure_taps(pool)
        parts = [_measure_size(pool, guests) for guests in GUESTS]
        variants = [_measure_variant(pool, name, recipe) for name, recipe in VARIANTS.items()]
    table = markdown_table(("120 guests", "5 % asked", "10 %", "20 %"), variants)
    return "\n\n".join(
        [NOTE, taps, *parts, "Differently generated events, Convive's questions, three seeds each:", table, TRIED]
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
