// The grid of all pairs: arrow keys move, Shift selects several, digits rate, spreadsheets can be pasted, changes save automatically.

import { Bar, isolated } from "./grid-bar.js";
import { copyText, readPasted, settlePasted } from "./grid-clipboard.js";
import { GridData, keyOf } from "./grid-data.js";
import { History } from "./grid-history.js";
import { GridSaver } from "./grid-saver.js";
import { GridView } from "./grid-view.js";
import { readNumber, showCounts } from "./saver.js";

const REFRESH_AFTER = 700;
const table = document.querySelector("[data-grid]");
const tools = document.querySelector("[data-grid-tools]");
const barRoot = document.querySelector("[data-pair-bar]");
const dialog = document.querySelector("dialog[data-conflict]");
const source = table.dataset.cells;
const order = tools.querySelector("select");
const many = barRoot.querySelector("[data-many]");
const goesOn = (event) => event.shiftKey || many.getAttribute("aria-pressed") === "true";

let data, view, bar, anchor, refreshing, leftOut = "";
const history = new History(tools);
const nameOf = (guest) => (data.rows[data.rowOf.get(guest)] ?? data.columns[data.columnOf.get(guest)]).name;
const address = () => `${source}${source.includes("?") ? "&" : "?"}order=${order.value}`;

const saver = new GridSaver(document.querySelector("[data-saving]"), source.split("?")[0], {
  onSaved(changes, answer) {
    showCounts(answer);
    const [{ a, b, score }] = changes;
    saver.announce(`${changes.length > 1 ? `${changes.length} pairs saved.` : `${nameOf(a)} and ${nameOf(b)}: ${bar.wordsOf(score)}. Saved.`}${leftOut}`, leftOut ? 4 : 1);
    leftOut = "";
    refreshSoon();
  },
  onRefused(changes, detail) {
    apply(changes.map(({ a, b, was, score }) => ({ a, b, before: score, after: was })), { send: false });
    const [{ a, b }] = changes;
    saver.announce(changes.length > 1 ? `${changes.length} pairs: not saved. ${detail}` : `${nameOf(a)} and ${nameOf(b)}: not saved. ${detail}`);
  },
  onConflict: askWhose,
});

// Shows both values of a conflict; the promise resolves to true to use mine.
function askWhose(conflicts) {
  const [{ a, b, theirs, score }] = conflicts;
  const text = dialog.querySelector("[data-conflict-text]");
  if (conflicts.length > 1) text.textContent = `Someone else changed ${conflicts.length} of these pairs.`;
  else text.replaceChildren("Someone else set ", isolated(nameOf(a)), " & ", isolated(nameOf(b)), ` to “${bar.wordsOf(theirs)}”. You chose “${bar.wordsOf(score)}”.`);
  dialog.querySelector("[data-keep]").textContent = conflicts.length > 1 ? "Keep theirs" : `Keep “${bar.wordsOf(theirs)}”`;
  dialog.querySelector("[data-mine]").textContent = conflicts.length > 1 ? "Use mine" : `Use “${bar.wordsOf(score)}”`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const mine = dialog.returnValue === "mine";
      if (!mine) apply(conflicts.map((one) => ({ a: one.a, b: one.b, before: one.score, after: one.theirs })), { send: false });
      resolve(mine);
      view.focus();
    }, { once: true });
  });
}

// Estimates change with every rating: reload them after a pause.
function refreshSoon() {
  clearTimeout(refreshing);
  refreshing = setTimeout(async () => {
    if (saver.busy || saver.waiting.size) return;
    const now = await GridData.load(address()).catch(() => null);
    if (!now || saver.busy || saver.waiting.size) return;
    data.takeIn(now);
    view.repaint();
    showBar();
  }, REFRESH_AFTER);
}

function apply(steps, { send = true } = {}) {
  for (const { a, b, after } of steps) {
    data.setRating(a, b, after);
    for (const [i, j] of data.places(a, b)) view.paint(i, j);
  }
  showBar();
  if (!send || !steps.length) return;
  saver.announce("Saving…");
  saver.save(steps.map(({ a, b, before, after }) => ({ a, b, was: before, score: after })));
}

// Rates pairs: `wanted` gives [row, column, value]; the same pair is rated once. Returns whether anything changes.
function rate(wanted) {
  const steps = new Map();
  for (const [i, j, after] of wanted) {
    if (data.isSelf(i, j)) continue;
    const [a, b] = [data.rows[i].id, data.columns[j].id];
    steps.set(keyOf(a, b), { a, b, before: data.rating(i, j), after });
  }
  const changed = [...steps.values()].filter(({ before, after }) => !Object.is(before, after));
  if (!changed.length) return false;
  history.add(changed);
  apply(changed);
  return true;
}

function chosenPlaces() {
  const { rows, columns } = view.chosen, places = [];
  for (let i = rows[0]; i <= rows[1]; i += 1) for (let j = columns[0]; j <= columns[1]; j += 1) places.push([i, j]);
  return places;
}

function countChosen() {
  const { rows, columns } = view.chosen;
  if (rows[0] === rows[1] && columns[0] === columns[1]) return 1;
  return new Set(chosenPlaces().filter(([i, j]) => !data.isSelf(i, j)).map(([i, j]) => keyOf(data.rows[i].id, data.columns[j].id))).size;
}

const fill = (value) => rate(chosenPlaces().map(([i, j]) => [i, j, value]));
const showBar = () => bar.show(view.active, countChosen());

function step(by) {
  rate(chosenPlaces().map(([i, j]) => {
    const value = data.rating(i, j) || 0;
    const most = Math.max(2, Math.abs(value)); // an uploaded matrix has its own scale
    return [i, j, Math.min(most, Math.max(-most, value + by))];
  }));
}

function go(place, { extend = false, focus = true } = {}) {
  const active = {
    row: Math.min(data.rows.length - 1, Math.max(0, place.row)),
    column: Math.min(data.columns.length - 1, Math.max(0, place.column)),
  };
  if (!extend) anchor = active;
  view.choose(active, anchor, { focus });
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

const keys = {
  "+": () => step(1),
  "-": () => step(-1),
  "−": () => step(-1),
  ...Object.fromEntries([1, 2, 3, 4, 5].map((digit) => [digit, () => fill(digit - 3)])),
};

const takeBack = () => apply(history.undo() ?? []);
const doAgain = () => apply(history.redo() ?? []);

function withControl(key, shift) {
  if (key === "z" || key === "Z") (shift ? doAgain : takeBack)();
  else if (key === "y") doAgain();
  else if (key === "a") {
    anchor = { row: 0, column: 0 };
    go({ row: Infinity, column: Infinity }, { extend: true, focus: false });
  } else return false;
  return true;
}

function typeNumber(first) {
  if (data.isSelf(view.active.row, view.active.column) && countChosen() < 2) return;
  bar.number.focus();
  if (first) bar.number.value = first;
  else bar.number.select();
}

table.addEventListener("keydown", (event) => {
  if (!view || event.altKey) return;
  const { key } = event, control = event.ctrlKey || event.metaKey, scores = data.kind === "score";
  if (moves[key]) go(moves[key](view.active, control), { extend: goesOn(event) });
  else if (control) {
    if (!withControl(key, event.shiftKey)) return;
  } else if (key === "Delete" || key === "Backspace") fill(NaN);
  else if (key === "Enter" || key === "F2") typeNumber();
  else if (scores && keys[key]) keys[key]();
  else if (!scores && /^[0-9.,]$/.test(key)) typeNumber(key);
  else return;
  event.preventDefault();
});

const placeOf = (target) => {
  const cell = target.closest?.("tbody td");
  return cell && view?.placeOf(cell);
};

table.addEventListener("focusin", (event) => {
  const place = placeOf(event.target);
  if (place && (place.row !== view.active.row || place.column !== view.active.column)) go(place, { extend: goesOn(event), focus: false });
});

table.addEventListener("pointerdown", (event) => {
  const place = placeOf(event.target);
  if (!place || event.button || event.pointerType !== "mouse") return;
  go(place, { extend: goesOn(event) });
  event.preventDefault(); // no selection of text
  const drag = (moved) => {
    const to = placeOf(document.elementFromPoint(moved.clientX, moved.clientY) ?? table);
    if (to && (to.row !== view.active.row || to.column !== view.active.column)) go(to, { extend: true });
  };
  table.addEventListener("pointermove", drag);
  window.addEventListener("pointerup", () => table.removeEventListener("pointermove", drag), { once: true });
});

table.addEventListener("click", (event) => {
  const place = placeOf(event.target);
  if (place && event.pointerType !== "mouse") go(place, { extend: goesOn(event) });
  if (place) for (const part of [barRoot, saver.root]) part.classList.add("is-near");
});

const isInHand = () => view && table.contains(document.activeElement);
const announceCopied = ({ rows, columns }) => saver.announce(`${rows[1] - rows[0] + 1} × ${columns[1] - columns[0] + 1} cells copied. Only ratings are copied; other values are left empty.`);

document.addEventListener("copy", (event) => {
  if (!isInHand()) return;
  event.clipboardData.setData("text/plain", copyText(data, view.chosen));
  event.preventDefault();
  announceCopied(view.chosen);
});

document.addEventListener("paste", (event) => {
  if (!isInHand()) return;
  event.preventDefault();
  paste(event.clipboardData.getData("text/plain"));
});

function paste(text) {
  let lines;
  try {
    lines = readPasted(text);
  } catch (error) {
    saver.announce(error.message);
    return;
  }
  if (lines.length === 1 && lines[0].length === 1) {
    fill(lines[0][0]);
    return;
  }
  const { wanted, unclear } = settlePasted(data, lines, view.chosen);
  leftOut = tellUnclear(unclear);
  if (!rate(wanted) && leftOut) {
    saver.announce(leftOut, 4);
    leftOut = "";
  }
}

function tellUnclear(places) {
  if (!places.length) return "";
  const names = places.slice(0, 3).map(([i, j]) => `${data.rows[i].name} & ${data.columns[j].name}`).join(", ");
  return ` Not changed, because the two cells of the pair differ: ${names}${places.length > 3 ? ` and ${places.length - 3} more` : ""}.`;
}

barRoot.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-score], button[data-pair-clear]");
  if (button) fill(button.dataset.score === undefined ? NaN : Number(button.dataset.score));
});

many.addEventListener("click", () => {
  const on = many.getAttribute("aria-pressed") !== "true";
  many.setAttribute("aria-pressed", String(on));
  anchor = view.active;
  saver.announce(on ? "Select another cell to select everything between." : "Selecting one cell at a time.");
});

// Without HTTPS, buttons have no clipboard access; the keyboard still works.
for (const button of barRoot.querySelectorAll("[data-copy-cells], [data-paste-cells]")) button.hidden = !navigator.clipboard?.readText;
barRoot.querySelector("[data-copy-cells]").addEventListener("click", async () => {
  await navigator.clipboard.writeText(copyText(data, view.chosen)).then(() => announceCopied(view.chosen), () => saver.announce("Your browser blocked copying."));
});
barRoot.querySelector("[data-paste-cells]").addEventListener("click", async () => {
  await navigator.clipboard.readText().then(paste, () => saver.announce("Your browser blocked pasting."));
});

barRoot.querySelector("[data-pair-number]").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = readNumber(bar.number.value);
  if (bar.number.value.trim() && Number.isNaN(value)) {
    bar.number.setAttribute("aria-invalid", "true");
    saver.announce("Enter a number.");
    return;
  }
  bar.number.removeAttribute("aria-invalid");
  fill(value);
  view.focus();
});

barRoot.querySelector("#pair-number").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  bar.number.removeAttribute("aria-invalid");
  view.focus();
});

tools.querySelector("[data-undo]").addEventListener("click", takeBack);
tools.querySelector("[data-redo]").addEventListener("click", doAgain);
order.addEventListener("change", start);
for (const button of dialog.querySelectorAll("button")) button.addEventListener("click", () => dialog.close(button.value));

async function start() {
  data = await GridData.load(address());
  if (view) {
    view.data = data;
    view.byGroup = order.value === "group";
    view.draw();
  } else view = new GridView(table, data);
  bar = new Bar(barRoot, data);
  barRoot.hidden = tools.hidden = false;
  document.querySelector("[data-grid-help]").hidden = false;
  if (data.columns === data.rows) for (const part of document.querySelectorAll("[data-windows]")) part.remove();
  go({ row: 0, column: data.columns.length > 1 ? 1 : 0 }, { focus: false });
  table.dataset.ready = "yes";
}

start();
