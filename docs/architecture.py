"""Draw the packages and the two flows from the real imports: `make architecture`.

Writes docs/architecture.svg and the list of packages in docs/architecture.md.
"""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "architecture.svg"
PAGE = ROOT / "docs" / "architecture.md"
BASE = "base"
BLOCK = re.compile(r"(<!-- packages: .*? -->\n).*?(<!-- end of packages -->)", re.DOTALL)

ROW, CELL, WIDTH = 26, 18, 960
LEFT, TOP = 24, 150
MATRIX = WIDTH - 24
STYLE = """
  svg { font: 13px system-ui, sans-serif }
  text { fill: #26221b }
  .soft { fill: #5f594e }
  .name { font: 600 13px ui-monospace, monospace }
  .title { font-size: 17px; font-weight: 600 }
  .page { fill: #fffefa }
  .band { fill: #f3efe6 }
  .box { fill: #fffefa; stroke: #8a8272 }
  .row { fill: #e3eeea; stroke: #115e5b }
  .dot { fill: #115e5b }
  .self { fill: #cfc7b6 }
  .line { stroke: #115e5b; stroke-width: 1.6; fill: none; marker-end: url(#tip) }
  @media (prefers-color-scheme: dark) {
    text { fill: #f3efe6 }
    .soft { fill: #bdb5a5 }
    .page { fill: #191713 }
    .band { fill: #24211b }
    .box { fill: #191713; stroke: #a79f8e }
    .row { fill: #12312f; stroke: #6fc0b8 }
    .dot { fill: #6fc0b8 }
    .self { fill: #554e41 }
    .line { stroke: #6fc0b8 }
  }
"""


@dataclass(frozen=True)
class Step:
    """One box of a flow; the module `imports_from` has to import this one (None: the flow begins here)."""

    module: str
    text: str
    imports_from: str | None = None


PAGE_FLOW = (
    Step("plans.routes", "lists the routes"),
    Step("plans.pages.show", "form in, HTML out", "plans.routes"),
    Step("plans.read", "checks the role, reads", "plans.pages.show"),
    Step("plans.queries", "rows to values", "plans.read"),
    Step("db", "one transaction", "plans.queries"),
)
SERVER_FLOW = (
    Step("runs.pages", "reads the options"),
    Step("runs.start", "writes the run", "runs.pages"),
    Step("problem.snapshot", "stores the problem", "runs.start"),
)
WORKER_FLOW = (
    Step("worker.execute", "execute_run"),
    Step("runs.leases", "claims the run", "worker.execute"),
    Step("problem.snapshot", "reads the problem", "worker.execute"),
    Step("solver", "solve() → Result", "worker.execute"),
    Step("plans.save", "saves the plan", "worker.execute"),
)


@dataclass(frozen=True)
class Packages:
    """The packages from the highest to the lowest, and what each imports."""

    names: tuple[str, ...]
    imports: dict[str, frozenset[str]]


def main() -> None:
    """Write the picture and the list of packages."""
    PICTURE.write_text(draw())
    PAGE.write_text(fill_in(PAGE.read_text()))


def draw() -> str:
    """Return the picture."""
    graph = grimp.build_graph("app", cache_dir=None)
    for flow in (PAGE_FLOW, SERVER_FLOW, WORKER_FLOW):
        check_flow(graph, flow)
    packages = read_packages(graph)
    rows = len(packages.names)
    flows = TOP + rows * ROW + 40
    height = flows + 352
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>The packages in their order with what each imports, and the flow of a page and of a solve</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="dot" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="12"/>',
        *_matrix(packages),
        *_page_flow(flows),
        *_solve_flow(flows + 116),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def fill_in(page: str) -> str:
    """Put the list of packages into the page."""
    return BLOCK.sub(lambda found: f"{found[1]}\n```\n{_list()}\n```\n\n{found[2]}", page)


def layers() -> list[list[str]]:
    """Return the layers of the import contract, the highest first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    order = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [re.split(r"\s*[|:]\s*", layer) for layer in order]


def read_packages(graph: grimp.ImportGraph) -> Packages:
    """Return what each package imports; the single modules of the lowest layer count as one."""
    *upper, lowest = layers()
    names = [name for layer in upper for name in layer]
    home = {**{name: name for name in names}, **dict.fromkeys(lowest, BASE)}
    found: dict[str, set[str]] = {name: set() for name in (*names, BASE)}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            ours, theirs = (home.get(_package(one)) for one in (module, imported))
            if ours and theirs and ours != theirs:
                found[ours].add(theirs)
    return Packages((*names, BASE), {name: frozenset(theirs) for name, theirs in found.items()})


def check_flow(graph: grimp.ImportGraph, flow: tuple[Step, ...]) -> None:
    """Refuse a flow with a step that the code does not take."""
    for step in flow:
        if step.imports_from is None:
            continue
        importers = _family(graph, f"app.{step.imports_from}")
        imported = _family(graph, f"app.{step.module}")
        if not any(graph.find_modules_directly_imported_by(one) & imported for one in importers):
            raise SystemExit(f"docs/architecture.py: app.{step.imports_from} does not import app.{step.module}.")


def _family(graph: grimp.ImportGraph, module: str) -> set[str]:
    return {module, *graph.find_descendants(module)} if module in graph.modules else set()


def _package(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _list() -> str:
    lines = []
    for layer in layers():
        for name in layer:
            is_package = (ROOT / "app" / name).is_dir()
            lines.append(f"{name + ('/' if is_package else '.py'):<20} {summary(name)}")
    return "\n".join(lines)


def summary(name: str) -> str:
    """Return the first sentence of what a package or module says about itself."""
    path = ROOT / "app" / name / "__init__.py"
    source = (path if path.exists() else ROOT / "app" / f"{name}.py").read_text()
    return re.split(r"(?<=\.)\s", ast.get_docstring(ast.parse(source)) or "")[0].rstrip(".").replace("`", "")


def _matrix(packages: Packages) -> list[str]:
    count = len(packages.names)
    start = MATRIX - count * CELL
    parts = [
        _text(LEFT, 40, "A package imports only from packages below it", "title"),
        _text(LEFT, 64, "A dot: the package of this row imports the one named above the dot.", "soft"),
        _text(LEFT, 84, "All dots are to the right of the diagonal, so there is no way back up.", "soft"),
    ]
    for row, name in enumerate(packages.names):
        top = TOP + row * ROW
        if row % 2 == 0:
            parts.append(
                f'<rect class="band" x="{LEFT - 8}" y="{top}" width="{WIDTH - 2 * LEFT + 16}" height="{ROW}"/>'
            )
        parts.append(_text(LEFT, top + 18, name, "name"))
        parts.append(_text(LEFT + 108, top + 18, _short(name), "soft"))
        x = start + row * CELL + CELL / 2
        parts.append(
            f'<text class="soft" transform="translate({x + 4:.0f} {TOP - 6}) rotate(-60)" font-size="12">{name}</text>'
        )
        parts.append(f'<rect class="self" x="{x - 4:.0f}" y="{top + 9}" width="8" height="8"/>')
        for column, other in enumerate(packages.names):
            if other in packages.imports[name]:
                parts.append(f'<circle class="dot" cx="{start + column * CELL + CELL / 2:.0f}" cy="{top + 13}" r="4"/>')
    return parts


SHORT = {BASE: "Single modules: settings, errors, clock, logs …", "main": "create_app(): wiring only"}


def _short(name: str, most: int = 62) -> str:
    """Return the summary, up to its colon where all of it does not fit beside the matrix."""
    text = SHORT.get(name) or summary(name)
    return text if len(text) <= most else text.partition(":")[0]


def _page_flow(top: int) -> list[str]:
    return [
        _text(LEFT, top, "A page", "title"),
        _text(LEFT + 76, top, "a request goes down, values come back up into templates/plans/show.html", "soft"),
        *_boxes(PAGE_FLOW, top + 16),
        *_links(len(PAGE_FLOW), top + 16),
    ]


def _solve_flow(top: int) -> list[str]:
    middle = top + 16
    worker = middle + 128
    x = [_box_x(number) for number in range(5)]
    return [
        _text(LEFT, top, "A solve", "title"),
        _text(LEFT + 76, top, "server above, worker below; the row of the run is the only thing they share", "soft"),
        *_boxes(SERVER_FLOW, middle),
        *_links(len(SERVER_FLOW), middle),
        f'<rect class="row" x="{x[3]}" y="{middle}" width="{x[4] + 168 - x[3]}" height="56" rx="10"/>',
        _text(x[3] + 12, middle + 24, "the run's row", "name"),
        _text(x[3] + 12, middle + 44, "queue, lease, progress, cancel, status", "soft"),
        f'<path class="line" d="M{x[2] + 168} {middle + 28}H{x[3] - 3}"/>',
        f'<path class="line" d="M{x[4] + 84} {middle + 56}V{middle + 92}H{x[0] + 84}V{worker - 3}"/>',
        *_boxes(WORKER_FLOW, worker),
        *(
            f'<path class="line" d="M{x[0] + 84} {worker + 56}V{worker + 76}H{x[n] + 84}V{worker + 59}"/>'
            for n in range(1, 5)
        ),
    ]


def _boxes(flow: tuple[Step, ...], top: int) -> list[str]:
    parts = []
    for number, step in enumerate(flow):
        x = _box_x(number)
        parts.append(f'<rect class="box" x="{x}" y="{top}" width="168" height="56" rx="10"/>')
        parts.append(_text(x + 12, top + 24, step.module.replace(".", "/"), "name"))
        parts.append(_text(x + 12, top + 44, step.text, "soft"))
    return parts


def _links(count: int, top: int) -> list[str]:
    ends = ((_box_x(number) + 168, _box_x(number + 1) - 3) for number in range(count - 1))
    return [f'<path class="line" d="M{a} {top + 28}H{b}"/>' for a, b in ends]


def _box_x(number: int) -> int:
    return LEFT + number * 186


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'


if __name__ == "__main__":
    main()
