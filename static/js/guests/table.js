// The guest table: scrolls through thousands of rows, is edited in place, and remembers where you were.

import { listenToClipboard } from "./clipboard.js";
import { Editor } from "./editor.js";
import { Grid } from "./grid.js";
import { Notes } from "./notes.js";
import { RowMenu } from "./row-menu.js";
import { Rows } from "./rows.js";
import { Saver } from "./saver.js";
import { Selection } from "./selection.js";
import { send } from "./server.js";
import { Tools } from "./tools.js";
import { TableWindow } from "./window.js";

const PRESSED_LONG = 500;
const table = document.querySelector("table[data-table]");
const frame = document.querySelector("[data-frame]");
const bar = document.querySelector("[data-bulk]");
const list = table.dataset.rows.replace(/\/rows$/, "");

const notes = new Notes();
const rows = new Rows(table.dataset.rows);
const addressOf = (guest) => {
  const state = tools.state(view.firstSeen());
  return `${list}/${guest}${state ? `?${new URLSearchParams({ back: state })}` : ""}`;
};

const saver = new Saver(rows, {
  send,
  show(guest) {
    const had = hasFocus();
    view.refresh(guest);
    if (had) grid.restore(true);
    explain();
  },
  tell(text, { isQuiet = false, isTrouble = false, again = null } = {}) {
    if (isQuiet) notes.say(text);
    else notes.show(text, { isTrouble, words: again ? "Try again" : "", act: again ?? (() => {}) });
    if (isQuiet && notes.toast.classList.contains("banner-alert")) notes.hide();
  },
});

const editor = new Editor({
  commit: (guest, column, value) => saver.save([{ guest, column: column.key, value }]),
  redraw: (guest) => view.refresh(guest),
  leave(move) {
    const { row, column } = grid.active;
    const to = { down: [row + 1, column], up: [row - 1, column], right: [row, column + 1], left: [row, column - 1] }[move] ?? [row, column];
    grid.go({ row: to[0], column: to[1] });
  },
});

const hasFocus = () => table.contains(document.activeElement) && !editor.isOpen;
let hadFocus = false;

const view = new TableWindow(table, frame, rows, {
  addressOf,
  beforeRemoval(line) {
    if (!line.contains(document.activeElement)) return;
    if (editor.isOpen) editor.finish();
    hadFocus = true;
  },
  paint(cell, guest, key) {
    const state = saver.stateOf(guest, key)?.state ?? "";
    cell.classList.toggle("is-saving", state === "saving");
    cell.classList.toggle("is-saved", state === "saved");
    cell.classList.toggle("is-wrong", state === "error" || state === "conflict");
    if (state === "error" || state === "conflict") cell.setAttribute("aria-invalid", "true");
    else for (const name of ["aria-invalid", "aria-describedby"]) cell.removeAttribute(name);
  },
  paintLine,
  onDraw() {
    grid.restore(hadFocus);
    hadFocus = false;
    tools.rest(() => view.firstSeen());
  },
  onReset() {
    grid.active.column = Math.min(grid.active.column, grid.columns.length - 1);
    grid.mark();
  },
});

function paintLine(line, guest) {
  const isSelected = selection?.has(guest) ?? false, box = line.querySelector(".gt-tick input");
  if (box) box.checked = isSelected;
  if (view.editable && !view.isList) line.setAttribute("aria-selected", String(isSelected));
  line.classList.toggle("is-selected", isSelected);
}

const selection = bar && new Selection(rows, bar, () => {
  for (const line of view.lines()) paintLine(line, line.dataset.guest);
  const all = /** @type {HTMLInputElement} */ (table.querySelector("[data-select-all] input"));
  if (all) {
    all.checked = selection !== undefined && rows.matching > 0 && (selection?.ids.size ?? 0) >= rows.matching;
    all.indeterminate = !all.checked && (selection?.ids.size ?? 0) > 0;
  }
});

const grid = new Grid(view, {
  edit(typed) {
    const { guest, column } = grid;
    if (!guest || !column?.edit || !rows.rowOf(guest)) return;
    if (column.kind === "boolean") this.toggle();
    else {
      const state = saver.stateOf(guest, column.key);
      const value = state && "was" in state ? state.value : rows.value(guest, column.key);
      editor.start(grid.cellAt(grid.active), { guest, column, name: rows.value(guest, "name"), value, typed });
    }
  },
  toggle() {
    const { guest, column } = grid;
    if (column?.edit && column.kind === "boolean") saver.save([{ guest, column: column.key, value: !rows.value(guest, column.key) }]);
  },
  empty() {
    const { guest, column } = grid;
    if (!column?.edit || column.key === "name" || (column.kind === "choice" && !column.open && !column.empty)) return;
    saver.save([{ guest, column: column.key, value: { multi: [], boolean: false }[column.kind] ?? "" }]);
  },
  select: (guest) => selection?.set(guest, !selection.has(guest)),
  async extend(guest, from) {
    if (!selection || !guest) return;
    if (!selection.anchor) selection.set(from, true);
    await selection.extendTo(guest);
    notes.say(`${selection.ids.size} selected`);
  },
  menu: (guest) => openMenu(guest, grid.cellAt(grid.active)),
  escape() {
    const { guest, column } = grid, state = column && saver.stateOf(guest, column.key);
    if (state && "was" in state) saver.resolve(guest, column.key, false);
    else if (selection?.ids.size) selection.clear();
    else return false;
    return true;
  },
  control(key, isShift) {
    if (key === "z") (isShift ? redo : undo)();
    else if (key === "y") redo();
    else if (key === "a" && selection) selection.all().then(() => notes.say(`${selection.ids.size} selected`));
    else return false;
    return true;
  },
  onMove: () => explain(),
});

// Says beside the active cell what is wrong with it.
function explain() {
  const { guest, column } = grid, state = column && guest && saver.stateOf(guest, column.key);
  const isWrong = state && "was" in state && !editor.isOpen && !view.isList;
  const end = (mine) => {
    saver.resolve(guest, column.key, mine);
    grid.go(grid.active);
  };
  const choices = !isWrong ? [] : state.state === "conflict" ? [["Use mine", () => end(true)], ["Keep theirs", () => end(false)]] : [["Edit", () => grid.hooks.edit()], ["Discard", () => end(false)]];
  notes.beside(isWrong ? grid.cellAt(grid.active) : null, isWrong ? state.message : "", choices);
}

async function undo() {
  const step = saver.undo();
  if (!step) notes.say("Nothing to undo.");
  else if (step.undo) await undoBulk(step.undo);
  else notes.say(`Undone: ${step.cells.length === 1 ? "1 cell" : `${step.cells.length} cells`}.`);
}

const redo = () => notes.say(saver.redo() ? "Done again." : "Nothing to redo.");

async function undoBulk(id) {
  const { status, answer, message } = await send(`undo/${id}`, {});
  notes.show(status === 200 ? answer.message : message, { isTrouble: status !== 200 });
  await reload();
}

// Changes several guests in one step, which one Undo takes back.
async function bulk(guests, fields) {
  const body = [...guests.map((guest) => ["guest", guest]), ...Object.entries(fields)];
  const { status, answer, message } = await send("bulk", body);
  if (status !== 200) {
    notes.show(message, { isTrouble: true });
    return;
  }
  if (answer.undo) {
    document.querySelector("[data-last-change]")?.remove(); // it is not the last one any more
    saver.done.push({ undo: answer.undo });
    notes.show(answer.message, { words: "Undo", act: undo });
  } else notes.show(answer.message);
  if (fields.do === "remove") {
    for (const guest of guests) selection.ids.delete(guest);
    document.querySelector("[data-removed]").hidden = false;
  }
  const shown = await reload();
  if (shown?.total === 0) location.assign(`${list}?undo=${answer.undo}`); // the page for an empty list
  selection.show();
}

const within = (place, size, room) => `${Math.max(8, Math.min(place, room - size - 8))}px`;

if (bar) {
  // Above its button, and in view wherever the button is: the bar moves while the table is drawn.
  const put = (part) => {
    const box = bar.querySelector(`[popovertarget="${part.id}"]`).getBoundingClientRect();
    part.style.setProperty("left", within(box.left, part.offsetWidth, innerWidth));
    part.style.setProperty("right", "auto");
    part.style.setProperty("bottom", within(innerHeight - box.top + 8, part.offsetHeight, innerHeight));
  };
  for (const part of bar.querySelectorAll("[popover]")) part.addEventListener("toggle", () => put(part));
  for (const moved of ["scroll", "resize"])
    window.addEventListener(moved, () => {
      const open = bar.querySelector("[popover]:popover-open");
      if (open) put(open);
    });
  document.querySelector("form#add").addEventListener("submit", (event) => {
    const { submitter } = /** @type {SubmitEvent} */ (event), button = /** @type {HTMLButtonElement} */ (submitter);
    if (button?.name !== "do") return;
    event.preventDefault();
    const fields = { do: button.value, to_group: bar.querySelector("input[name=to_group]").value, to_party: bar.querySelector("input[name=to_party]").value };
    button.closest("[popover]")?.hidePopover();
    bulk([...selection.ids], fields);
  });
}

const menu = new RowMenu({
  addressOf,
  setReply: (guest, value) => (saver.save([{ guest, column: "reply", value }]), view.refresh(guest)),
  remove: (guest) => bulk([guest], { do: "remove" }),
  select(guest) {
    selectMode(true);
    selection.set(guest, true);
  },
});

function openMenu(guest, from) {
  menu.open(from, { guest, name: rows.value(guest, "name"), reply: rows.value(guest, "reply"), replies: rows.column("reply").options, isList: view.isList });
}

let anchored = null;
table.addEventListener("click", (event) => {
  const guest = event.target.closest("tr")?.dataset.guest;
  if (!guest?.trim()) return;
  if (event.target.closest(".gt-more")) openMenu(guest, event.target.closest(".gt-more"));
  else if (event.target.matches(".gt-tick input")) {
    if (event.shiftKey && selection.anchor) selection.extendTo(guest);
    else selection.set(guest, !selection.has(guest));
  } else if (view.isList && frame.classList.contains("is-selecting")) {
    event.preventDefault();
    selection.set(guest, !selection.has(guest));
  }
});
table.addEventListener("contextmenu", (event) => {
  const guest = event.target.closest("tr")?.dataset.guest;
  if (!view.editable || !guest?.trim() || view.isList || event.target.closest("input, textarea, a")) return;
  event.preventDefault();
  openMenu(guest, event.target.closest("th, td"));
});

// On a phone, a long press selects a guest.
table.addEventListener("pointerdown", (event) => {
  const guest = event.target.closest("tr")?.dataset.guest;
  if (!view.editable || !view.isList || event.pointerType === "mouse" || !guest?.trim()) return;
  anchored = setTimeout(() => {
    selectMode(true);
    selection.set(guest, true);
    table.addEventListener("click", (clicked) => (clicked.preventDefault(), clicked.stopImmediatePropagation()), { once: true, capture: true });
  }, PRESSED_LONG);
});
for (const name of ["pointerup", "pointercancel"]) table.addEventListener(name, () => clearTimeout(anchored));
table.addEventListener("pointermove", (event) => {
  if (Math.abs(event.movementX) + Math.abs(event.movementY) > 4) clearTimeout(anchored);
});

const selectButton = document.querySelector("[data-select-mode]");
function selectMode(on) {
  frame.classList.toggle("is-selecting", on);
  selectButton.setAttribute("aria-pressed", String(on));
  selectButton.textContent = on ? "Done" : "Select";
  if (!on) selection.clear();
}
if (bar) {
  selectButton.hidden = false;
  selectButton.addEventListener("click", () => selectMode(!frame.classList.contains("is-selecting")));
  table.querySelector("[data-select-all]").hidden = false;
  const all = table.querySelector("[data-select-all] input");
  all.tabIndex = -1;
  all.addEventListener("change", () => (selection.ids.size < rows.matching ? selection.all() : selection.clear()));
}

listenToClipboard({ grid, rows, saver, selection, notes, view, isActive: () => hasFocus() && !view.isList && grid.active.row >= 0 });

// Selects the guests whose boxes were ticked before this script was there.
function takeEarlyTicks() {
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (table.querySelectorAll('input[name="guest"]:checked'))) selection?.ids.add(box.value);
}

async function show(query, { first = 0, guest = "", keepsPlace = false } = {}) {
  const place = keepsPlace ? view.firstSeen() : first, { active } = grid, had = hasFocus();
  const answer = await rows.open(query, { first: place, guest }).catch((error) => notes.show(error.message, { isTrouble: true }));
  if (!answer) return null;
  tools.choose(rows.columns, () => view.reset());
  tools.show(answer);
  frame.hidden = !answer.matching;
  document.querySelector("[data-nobody]").hidden = Boolean(answer.matching);
  if (!table.dataset.ready) takeEarlyTicks();
  view.reset();
  if (place || answer.place) view.scrollTo(answer.place ?? place);
  grid.go({ row: answer.place ?? (keepsPlace ? active.row : Math.max(first, 0)), column: active.column }, { focus: had && answer.matching > 0 && keepsPlace });
  selection?.show();
  table.dataset.ready = "yes";
  return answer;
}

const reload = () => show(rows.query, { keepsPlace: true });
const tools = new Tools(document.querySelector("form[data-list]"), table.dataset.event, (query, { isBack = false } = {}) => {
  editor.finish();
  return show(query, { first: isBack ? Number(query.get("row") ?? 0) : 0, guest: query.get("guest") ?? "" });
});

// What is being typed is saved when the page is left, and a page that comes back shows what was changed elsewhere.
window.addEventListener("pagehide", () => editor.finish());
window.addEventListener("pageshow", (event) => event.persisted && reload());

document.querySelector("[data-pages]").hidden = true;
history.scrollRestoration = "manual";
const asked = new URLSearchParams(location.search);
show(asked, { first: Number(asked.get("row") ?? (Number(asked.get("page") ?? 1) - 1) * 100), guest: asked.get("guest") ?? "" });
document.addEventListener("keydown", (event) => {
  const isField = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (!isField && !table.contains(event.target) && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
  }
});
