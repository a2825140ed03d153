// The grid of all pairs: arrow keys move, digits rate, the bar above does the same for mouse and touch, and everything saves itself.

import { Saver, readNumber, showCounts, writeNumber } from "./rating-saver.js";

const LEVELS = ["lv-m2", "lv-m1", "lv-0", "lv-p1", "lv-p2"];
const grid = document.querySelector("[data-grid]");
const bar = document.querySelector("[data-pair-bar]");
const scores = grid.dataset.kind === "score";
const rows = [...grid.tBodies[0].rows];
const columns = [...grid.tHead.rows[0].cells].slice(1);
const rowOf = new Map(rows.map((row, i) => [row.cells[0].dataset.guest, i]));
const columnOf = new Map(columns.map((head, i) => [head.dataset.guest, i]));
const words = new Map([...bar.querySelectorAll("[data-score]")].map((b) => [Number(b.dataset.score), b.dataset.words]));
const number = bar.querySelector("#pair-number");
const settled = new Map(); // what the server last said about a pair whose change is on its way
let active = { row: 0, column: 0 };

const cellAt = ({ row, column }) => rows[row].cells[column + 1];
const pairAt = ({ row, column }) => [rows[row].cells[0].dataset.guest, columns[column].dataset.guest];
const keyOf = (a, b) => [a, b].sort().join();
const isSelf = (place) => cellAt(place).classList.contains("grid-self");
const valueOf = (cell) => readNumber(cell.dataset.exact ?? cell.textContent);

function nameOf(guest) {
  const head = rowOf.has(guest) ? rows[rowOf.get(guest)].cells[0] : columns[columnOf.get(guest)];
  return head.title;
}

function tellPair(value) {
  if (Number.isNaN(value)) return "not rated";
  return words.get(value) ?? `${scores && value > 0 ? "+" : ""}${writeNumber(value)}`;
}

function shortNumber(value) {
  const rounded = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toFixed(2)));
  return `${scores && Number(rounded) > 0 ? "+" : ""}${rounded}`.replace("-", "−");
}

function paint(cell, value) {
  cell.classList.remove(...LEVELS);
  delete cell.dataset.exact;
  cell.textContent = Number.isNaN(value) ? "" : shortNumber(value);
  if (Number.isNaN(value)) return;
  if (scores) cell.classList.add(LEVELS[Math.min(4, Math.max(0, Math.floor(value + 0.5) + 2))]);
  if (valueOf(cell) !== value) cell.dataset.exact = writeNumber(value);
}

// Both cells of a pair, as far as this part of the grid shows them.
function paintPair(a, b, value) {
  for (const [row, column] of [[a, b], [b, a]]) {
    if (rowOf.has(row) && columnOf.has(column)) paint(cellAt({ row: rowOf.get(row), column: columnOf.get(column) }), value);
  }
  if (keyOf(...pairAt(active)) === keyOf(a, b)) showBar();
}

const saver = new Saver(document.querySelector("[data-saving]"), {
  onSaved({ a, b }, answer, isLast) {
    const value = answer.score ?? NaN;
    showCounts(answer);
    if (!isLast) {
      settled.set(keyOf(a, b), value);
      return;
    }
    settled.delete(keyOf(a, b));
    paintPair(a, b, value);
    saver.tell(`${nameOf(a)} and ${nameOf(b)}: ${tellPair(value)}. Saved.`);
  },
  onRefused({ a, b }, detail) {
    paintPair(a, b, settled.get(keyOf(a, b)));
    settled.delete(keyOf(a, b));
    saver.tell(`${nameOf(a)} and ${nameOf(b)}: not saved. ${detail}`);
  },
});

function rate(value) {
  if (isSelf(active)) return;
  const [a, b] = pairAt(active);
  if (!settled.has(keyOf(a, b))) settled.set(keyOf(a, b), valueOf(cellAt(active)));
  paintPair(a, b, value);
  saver.tell("Saving…");
  saver.save(a, b, Number.isNaN(value) ? "" : String(value));
}

function showBar() {
  const self = isSelf(active);
  const [a, b] = pairAt(active);
  const value = self ? NaN : valueOf(cellAt(active));
  bar.querySelector("[data-pair-names]").replaceChildren(...(self ? [isolated(nameOf(a))] : [isolated(nameOf(a)), " & ", isolated(nameOf(b))]));
  for (const button of bar.querySelectorAll("[data-score]")) {
    const holds = Number(button.dataset.score) === value;
    button.setAttribute("aria-pressed", holds);
    button.classList.toggle(button.dataset.level, holds);
  }
  for (const control of bar.querySelectorAll("button, input")) control.disabled = self;
  if (document.activeElement !== number) number.value = Number.isNaN(value) ? "" : writeNumber(value);
}

function isolated(text) {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
}

// The cell in hand stays marked, with the names of its row and column, while the number is typed in the bar.
function mark(isActive) {
  for (const part of [cellAt(active), rows[active.row].cells[0], columns[active.column]]) part.classList.toggle("in-hand", isActive);
}

function go(place, { focus = true } = {}) {
  cellAt(active).removeAttribute("tabindex");
  mark(false);
  active = {
    row: Math.min(rows.length - 1, Math.max(0, place.row)),
    column: Math.min(columns.length - 1, Math.max(0, place.column)),
  };
  const cell = cellAt(active);
  cell.tabIndex = 0;
  mark(true);
  if (focus) cell.focus();
  showBar();
}

const moves = {
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  PageUp: ({ row, column }) => ({ row: row - 10, column }),
  PageDown: ({ row, column }) => ({ row: row + 10, column }),
  Home: ({ row }, all) => ({ row: all ? 0 : row, column: 0 }),
  End: ({ row }, all) => ({ row: all ? Infinity : row, column: Infinity }),
};

const step = (by) => {
  const value = valueOf(cellAt(active)) || 0;
  const most = Math.max(2, Math.abs(value)); // an uploaded matrix brings a scale of its own
  return Math.min(most, Math.max(-most, value + by));
};

const keys = {
  "+": () => rate(step(1)),
  "-": () => rate(step(-1)),
  "−": () => rate(step(-1)),
  ...Object.fromEntries([1, 2, 3, 4, 5].map((digit) => [digit, () => rate(digit - 3)])),
};

function typeNumber(start) {
  if (isSelf(active)) return;
  number.focus();
  if (start) number.value = start;
  else number.select();
}

grid.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey) return;
  const { key } = event;
  if (moves[key]) go(moves[key](active, event.ctrlKey));
  else if (event.ctrlKey) return;
  else if (key === "Delete" || key === "Backspace") rate(NaN);
  else if (key === "Enter" || key === "F2") typeNumber();
  else if (scores && keys[key]) keys[key]();
  else if (!scores && /^[0-9.,]$/.test(key)) typeNumber(key);
  else return;
  event.preventDefault();
});

grid.addEventListener("focusin", (event) => {
  const cell = event.target.closest("td");
  if (cell && cell !== cellAt(active)) go(placeOf(cell), { focus: false });
  else showBar();
});

grid.addEventListener("click", (event) => {
  const cell = event.target.closest("tbody td");
  if (cell) go(placeOf(cell));
});

const placeOf = (cell) => ({ row: cell.parentElement.rowIndex - 1, column: cell.cellIndex - 1 });

bar.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-score], button[data-pair-clear]");
  if (button) rate(button.dataset.score === undefined ? NaN : Number(button.dataset.score));
});

bar.querySelector("[data-pair-number]").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = readNumber(number.value);
  if (number.value.trim() && Number.isNaN(value)) {
    number.setAttribute("aria-invalid", "true");
    saver.tell("This is not a number.");
    return;
  }
  number.removeAttribute("aria-invalid");
  rate(value);
  cellAt(active).focus();
});

number.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  number.removeAttribute("aria-invalid");
  cellAt(active).focus();
});

bar.hidden = false;
document.querySelector("[data-grid-help]").hidden = false;
go({ row: 0, column: columns.length > 1 ? 1 : 0 }, { focus: false });
