"""What rules, parties and locks say, without any score: who moves as one, where each may sit, who stays apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from app.solver.feasibility.counts import CountLimits, Split, build_count_limits, build_splits, splits_hold
from app.solver.feasibility.side_by_side import Row, arrange, link, rows_fit
from app.solver.problem import BoolArray, IntArray, Problem, Rule


@dataclass(frozen=True)
class Constraint:
    """One thing a plan must keep: a party, a rule or a locked guest, by its position in the problem."""

    source: str
    index: int


def all_constraints(problem: Problem) -> tuple[Constraint, ...]:
    """List every party, rule and locked guest of the problem."""
    parties = [Constraint("party", i) for i, party in enumerate(problem.parties) if len(party) > 1]
    rules = [Constraint("rule", i) for i in range(len(problem.rules))]
    locked = [Constraint("locked", i) for i in range(len(problem.locked))]
    return (*parties, *rules, *locked)


def guests_of(problem: Problem, constraint: Constraint) -> tuple[int, ...]:
    """Return the guests that a constraint is about."""
    match constraint.source:
        case "party":
            return problem.parties[constraint.index]
        case "rule":
            return problem.rules[constraint.index].guests
    return (problem.locked[constraint.index][0],)


@dataclass(frozen=True)
class Structure:
    """What the constraints say, without any score: blocks, where each may sit, which stay apart.

    Of the blocks in each of the `cliques` no two share a table, and those in `alone` share theirs with nobody; no block
    of one side of a split shares a table with one of the other. `rows` are for each block the lengths of its rows of
    guests who sit side by side, `limits` say how many guests of which label a table may have. `is_torn`: a rule keeps
    guests apart who are in one block.
    """

    members: tuple[tuple[int, ...], ...]
    allowed: BoolArray
    cliques: tuple[tuple[int, ...], ...]
    rows: tuple[tuple[int, ...], ...]
    splits: tuple[Split, ...]
    limits: CountLimits
    alone: tuple[int, ...] = ()
    is_torn: bool = False

    @cached_property
    def apart(self) -> IntArray:
        """The pairs of blocks that must not share a table, but for splits: as many as the square of a clique."""
        pairs = {pair for clique in self.cliques for pair in combinations(clique, 2)}
        for block in self.alone:
            pairs |= {(min(block, other), max(block, other)) for other in range(len(self.members)) if other != block}
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)

    def mark_apart(self) -> BoolArray:
        """Return for every two blocks whether they must not share a table: a square, so only for a search."""
        marked = np.zeros((len(self.members), len(self.members)), dtype=bool)
        marked[self.apart[:, 0], self.apart[:, 1]] = True
        for one, other in self.splits:
            marked[np.ix_(one, other)] = True
        return marked | marked.T

    def keeps_rules(self, at: IntArray) -> bool:
        """Return whether everyone sits where they may, apart from whom they must, within the limits on labels."""
        one, other = self.apart.T
        return bool(
            self.allowed[np.arange(len(at)), at].all()
            and (at[one] != at[other]).all()
            and splits_hold(self.splits, at, self.allowed.shape[1])
            and self.limits.hold(at)
        )

    @property
    def is_anyone_apart(self) -> bool:
        """Whether any two blocks must not share a table."""
        return bool(self.cliques or self.alone or self.splits)

    @property
    def is_free(self) -> bool:
        """Whether every guest may sit at any table with any others."""
        alone = self.sizes.max(initial=1) == 1
        return bool(alone and not self.is_anyone_apart and not len(self.limits) and self.allowed.all())

    @cached_property
    def sizes(self) -> IntArray:
        """How many guests each block has."""
        return np.array([len(block) for block in self.members], dtype=np.int64)

    @cached_property
    def of_guest(self) -> IntArray:
        """The block of every guest."""
        block_of = np.zeros(int(self.sizes.sum()), dtype=np.int64)
        for block, guests in enumerate(self.members):
            block_of[list(guests)] = block
        return block_of

    def guests_at(self, at: IntArray) -> IntArray:
        """Turn tables by block into tables by guest."""
        return np.asarray(at, dtype=np.int64)[self.of_guest]

    def blocks_at(self, assignment: IntArray) -> IntArray:
        """Turn tables by guest into tables by block, by each block's first guest."""
        return np.array([assignment[block[0]] for block in self.members], dtype=np.int64)


def build_structure(problem: Problem, constraints: tuple[Constraint, ...]) -> Structure:
    """Join guests into blocks and collect what each block may do under the given constraints."""
    members = _joined(problem, constraints)
    block_of = np.zeros(problem.guest_count, dtype=np.int64)
    for block, guests in enumerate(members):
        block_of[list(guests)] = block
    allowed = np.ones((len(members), len(problem.tables)), dtype=bool)
    for guests, tables in _pins(problem, constraints):
        elsewhere = np.ones(len(problem.tables), dtype=bool)
        elsewhere[list(tables)] = False
        for guest in guests:
            allowed[block_of[guest], elsewhere] = False
    rules = _rules(problem, constraints)
    limits, splits = build_count_limits(problem, rules, block_of), build_splits(rules, block_of)
    kept_apart = [block_of[list(r.guests)].tolist() for r in rules if r.kind == "apart"]
    cliques = {tuple(sorted(set(blocks))) for blocks in kept_apart}
    torn = any(len(set(blocks)) < len(blocks) for blocks in kept_apart)
    torn = torn or any(not set(one).isdisjoint(other) for one, other in splits)
    structure = Structure(
        members,
        allowed & limits.allow(),
        tuple(sorted(clique for clique in cliques if len(clique) > 1)),
        ((),) * len(members),
        splits,
        limits,
        is_torn=torn,
    )
    return _with_rows(problem, structure, [r.guests for r in rules if r.kind == "side_by_side"])


def _with_rows(problem: Problem, structure: Structure, wanted: list[tuple[int, ...]]) -> Structure:
    """Add the rows, and let each block sit only where its own rows find room: a ring alone at a round table."""
    lengths: dict[int, list[int]] = {}
    alone = set()
    for linked in link(wanted):
        row, block = arrange(linked), int(structure.of_guest[linked[0][0]])
        if row is None or row.is_ring:
            structure.allowed[block] &= _ring_tables(problem, row, len(structure.members[block]))
            alone.add(block)
        else:
            lengths.setdefault(block, []).append(len(row.guests))
    rows = tuple(tuple(sorted(lengths.get(b, ()), reverse=True)) for b in range(len(structure.members)))
    for block in lengths:
        structure.allowed[block] &= [rows_fit(rows[block], table.sides) for table in problem.tables]
    return replace(structure, alone=tuple(sorted(alone)), rows=rows)


def _ring_tables(problem: Problem, row: Row | None, size: int) -> BoolArray:
    """Say which tables can seat a ring and nobody else; none where there is no ring, or its block has more guests."""
    if row is None or len(row.guests) != size:
        return np.zeros(len(problem.tables), dtype=bool)
    return np.array([table.goes_around and table.least <= size <= table.most for table in problem.tables])


def _rules(problem: Problem, constraints: tuple[Constraint, ...]) -> list[Rule]:
    return [problem.rules[c.index] for c in constraints if c.source == "rule"]


def _pins(problem: Problem, constraints: tuple[Constraint, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    pinned = [(r.guests, r.tables) for r in _rules(problem, constraints) if r.kind == "pinned"]
    locked = [problem.locked[c.index] for c in constraints if c.source == "locked"]
    return pinned + [((guest,), (table,)) for guest, table in locked]


def _joined(problem: Problem, constraints: tuple[Constraint, ...]) -> tuple[tuple[int, ...], ...]:
    """Merge guests who must share a table, in the order of their first guest."""
    leader = list(range(problem.guest_count))

    def find(guest: int) -> int:
        while leader[guest] != guest:
            leader[guest] = leader[leader[guest]]
            guest = leader[guest]
        return guest

    groups = [problem.parties[c.index] for c in constraints if c.source == "party"]
    groups += [r.guests for r in _rules(problem, constraints) if r.kind in ("together", "side_by_side")]
    for group in groups:
        for guest in group[1:]:
            a, b = find(group[0]), find(guest)
            leader[max(a, b)] = min(a, b)
    blocks: dict[int, list[int]] = {}
    for guest in range(problem.guest_count):
        blocks.setdefault(find(guest), []).append(guest)
    return tuple(tuple(block) for block in blocks.values())
