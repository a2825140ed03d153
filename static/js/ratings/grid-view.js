// Renders the visible part of the grid and a margin around it; small grids are rendered whole as a plain table.

import { GUESS, NOTHING, RATING, SOURCES } from "./grid-data.js";

const LEVELS = ["lv-m2", "lv-m1", "lv-0", "lv-p1", "lv-p2"];
const SMALL = 4000;
const AROUND = 3;
const EMOJI = /((?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)(?:\u200D|\uFE0F|\p{Emoji_Modifier}|\p{Extended_Pictographic})*)/u;

const CELL = document.createElement("td");
CELL.setAttribute("role", "gridcell");

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => escapes[letter]);

function turned(name) {
  return name.split(EMOJI).map((part, i) => (i % 2 ? `<span class="upright">${escaped(part)}</span>` : escaped(part))).join("");
}

export function shortNumber(value, scores) {
  const rounded = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toFixed(2)));
  return `${scores && Number(rounded) > 0 ? "+" : ""}${rounded}`.replace("-", "−");
}

export class GridView {
  constructor(table, data) {
    this.shown = new Map(); // the names beside the rows, by row
    this.table = table;
    this.wrap = table.parentElement;
    this.data = data;
    this.byGroup = false;
    this.scores = data.kind === "score";
    this.chosen = { rows: [0, 0], columns: [0, 0] };
    this.active = { row: 0, column: 0 };
    const cell = table.tBodies[0].querySelector("td");
    this.width = cell.offsetWidth;
    this.height = cell.parentElement.offsetHeight;
    this.names = cell.parentElement.cells[0].offsetWidth;
    const small = data.rows.length * data.columns.length <= SMALL;
    this.all = small ? { top: 0, bottom: data.rows.length, left: 0, right: data.columns.length } : null;
    table.setAttribute("aria-rowcount", data.rows.length + 1);
    table.setAttribute("aria-colcount", data.columns.length + 1);
    table.setAttribute("aria-multiselectable", "true");
    if (!small) this.spread();
    this.wrap.addEventListener("scroll", () => this.follow(), { passive: true });
    new ResizeObserver(() => this.follow()).observe(this.wrap);
    this.draw();
  }

  // Rows are positioned absolutely, so that adding a row does not re-lay out the others.
  spread() {
    const { rows, columns } = this.data, { style } = this.wrap;
    for (const part of [this.table.tHead, this.table.tBodies[0]]) part.setAttribute("role", "rowgroup");
    this.table.classList.add("grid-part");
    this.wrap.classList.add("grid-wrap-part");
    this.column = document.createElement("div");
    this.column.className = "grid-names";
    this.column.setAttribute("aria-hidden", "true");
    this.wrap.prepend(this.column);
    style.setProperty("--width", `${this.width}px`);
    style.setProperty("--height", `${this.height}px`);
    style.setProperty("--all-width", `${this.names + columns.length * this.width}px`);
    style.setProperty("--all-height", `${rows.length * this.height}px`);
  }

  follow() {
    if (this.all || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const next = this.partAround();
      if (Object.keys(next).some((side) => next[side] !== this.part[side])) this.shift(next);
    });
  }

  inView() {
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.wrap;
    return {
      top: Math.floor(scrollTop / this.height),
      bottom: Math.ceil((scrollTop + clientHeight) / this.height),
      left: Math.floor(scrollLeft / this.width),
      right: Math.ceil((scrollLeft + clientWidth) / this.width),
    };
  }

  partAround() {
    const { rows, columns } = this.data, seen = this.inView();
    return {
      top: Math.max(0, seen.top - AROUND),
      bottom: Math.min(rows.length, seen.bottom + AROUND),
      left: Math.max(0, seen.left - AROUND),
      right: Math.min(columns.length, seen.right + AROUND),
    };
  }

  draw() {
    this.part = this.all ?? this.partAround();
    const { top, bottom } = this.part;
    this.keepFocus(() => {
      this.column?.replaceChildren();
      this.shown = new Map();
      this.table.tHead.replaceChildren(this.headRow());
      this.table.tBodies[0].replaceChildren(...Array.from({ length: bottom - top }, (_, k) => this.row(top + k)));
    });
  }

  // Scrolls to another part: removes rows and columns that leave and renders those that enter.
  shift(next) {
    const old = this.part;
    const apart = next.top >= old.bottom || next.bottom <= old.top || next.left >= old.right || next.right <= old.left;
    if (apart) return this.draw();
    this.keepFocus(() => {
      const body = this.table.tBodies[0];
      for (; this.part.top < next.top; this.part.top += 1) this.takeAway(body.rows[0]);
      for (; this.part.bottom > next.bottom; this.part.bottom -= 1) this.takeAway(body.lastElementChild);
      for (const line of body.rows) this.shiftRow(line, next, (j) => this.cell(this.rowOf(line), j));
      this.shiftRow(this.table.tHead.rows[0], next, (j) => this.head(j));
      Object.assign(this.part, { left: next.left, right: next.right });
      while (this.part.top > next.top) body.prepend(this.row((this.part.top -= 1)));
      for (; this.part.bottom < next.bottom; this.part.bottom += 1) body.append(this.row(this.part.bottom));
    });
  }

  takeAway(line) {
    const row = this.rowOf(line);
    this.shown.get(row).remove();
    this.shown.delete(row);
    line.remove();
  }

  // The sticky column of names is one layer; a sticky header in every row would be one layer each.
  nameOf(i) {
    const { rows } = this.data, name = document.createElement("bdi");
    name.textContent = rows[i].name;
    name.title = this.titleOf(rows[i]);
    name.style.top = `${i * this.height}px`;
    name.classList.toggle("grid-next-group", this.isNew(rows, i));
    name.classList.toggle("in-hand", this.active.row === i);
    return name;
  }

  shiftRow(line, next, make) {
    let { left, right } = this.part;
    for (; left < next.left; left += 1) line.cells[1].remove();
    for (; right > next.right; right -= 1) line.lastElementChild.remove();
    while (left > next.left) line.cells[0].after(make((left -= 1)));
    for (; right < next.right; right += 1) line.append(make(right));
  }

  keepFocus(change) {
    const had = this.table.contains(document.activeElement);
    change();
    if (had && !this.table.contains(document.activeElement)) this.focus({ preventScroll: true });
  }

  headRow() {
    const line = document.createElement("tr"), corner = document.createElement("td");
    line.setAttribute("aria-rowindex", "1");
    line.setAttribute("role", "row");
    corner.className = "grid-corner";
    corner.setAttribute("role", "gridcell");
    line.append(corner);
    for (let j = this.part.left; j < this.part.right; j += 1) line.append(this.head(j));
    return line;
  }

  head(j) {
    const { columns } = this.data, head = document.createElement("th");
    head.scope = "col";
    head.setAttribute("role", "columnheader");
    head.setAttribute("aria-colindex", j + 2);
    head.title = this.titleOf(columns[j]);
    head.classList.toggle("grid-next-group", this.isNew(columns, j));
    head.classList.toggle("in-hand", this.active.column === j);
    head.innerHTML = `<bdi>${turned(columns[j].name)}</bdi>`;
    if (!this.all) head.style.left = `${this.names + j * this.width}px`;
    return head;
  }

  row(i) {
    const { rows } = this.data, line = document.createElement("tr"), head = document.createElement("th");
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", i + 2);
    head.scope = "row";
    head.setAttribute("role", "rowheader");
    head.title = this.titleOf(rows[i]);
    head.classList.toggle("grid-next-group", this.isNew(rows, i));
    head.classList.toggle("in-hand", this.active.row === i);
    head.innerHTML = `<bdi>${escaped(rows[i].name)}</bdi>`;
    if (!this.all) {
      line.style.top = `${i * this.height}px`;
      this.shown.set(i, this.nameOf(i));
      this.column.append(this.shown.get(i));
    }
    line.append(head);
    for (let j = this.part.left; j < this.part.right; j += 1) line.append(this.cell(i, j));
    return line;
  }

  cell(i, j) {
    const cell = /** @type {HTMLTableCellElement} */ (CELL.cloneNode());
    cell.setAttribute("aria-colindex", j + 2);
    cell.className = this.classOf(i, j);
    cell.textContent = this.textOf(i, j);
    if (!this.all) cell.style.left = `${this.names + j * this.width}px`;
    if (this.active.row === i && this.active.column === j) cell.tabIndex = 0;
    if (this.isChosen(i, j)) cell.setAttribute("aria-selected", "true");
    return cell;
  }

  classOf(i, j) {
    const inHand = this.active.row === i && this.active.column === j ? "in-hand " : "";
    return inHand + this.looksOf(i, j);
  }

  looksOf(i, j) {
    if (this.data.isSelf(i, j)) return "grid-self";
    const source = this.data.sourceAt(i, j);
    if (source === NOTHING || !this.scores) return "";
    const level = LEVELS[Math.min(4, Math.max(0, Math.floor(this.data.value(i, j) + 0.5) + 2))];
    return source === RATING ? level : `${level} from from-${SOURCES[source]}`;
  }

  textOf(i, j) {
    if (this.data.isSelf(i, j)) return "";
    const value = this.data.value(i, j);
    if (Number.isNaN(value)) return "";
    return shortNumber(this.data.sourceAt(i, j) === GUESS ? Number(value.toFixed(1)) : value, this.scores);
  }

  titleOf({ name, group }) {
    return group ? `${name} (${group})` : name;
  }

  isNew(guests, i) {
    return this.byGroup && i > 0 && guests[i].group !== guests[i - 1].group;
  }

  cellAt(row, column) {
    const { top, bottom, left, right } = this.part;
    if (row < top || row >= bottom || column < left || column >= right) return null;
    return this.table.tBodies[0].rows[row - top].cells[column - left + 1];
  }

  rowOf(line) {
    return Number(line.getAttribute("aria-rowindex")) - 2;
  }

  placeOf(cell) {
    const row = this.rowOf(cell.parentElement);
    const column = Number(cell.getAttribute("aria-colindex")) - 2;
    return row >= 0 && column >= 0 ? { row, column } : null;
  }

  paint(row, column) {
    const cell = this.cellAt(row, column);
    if (!cell) return;
    const [name, text] = [this.classOf(row, column), this.textOf(row, column)];
    if (cell.className !== name) cell.className = name;
    if (cell.textContent !== text) cell.textContent = text;
  }

  isChosen(i, j) {
    const { rows, columns } = this.chosen;
    return i >= rows[0] && i <= rows[1] && j >= columns[0] && j <= columns[1] && (rows[0] !== rows[1] || columns[0] !== columns[1]);
  }

  // Makes a cell active and selects everything between it and the anchor.
  choose(active, anchor, { focus = true } = {}) {
    const before = this.cellAt(this.active.row, this.active.column);
    // Without a tabindex it would lose focus, and the grid its keyboard input.
    if (before && before === document.activeElement && !focus) before.tabIndex = -1;
    else before?.removeAttribute("tabindex");
    this.mark(false);
    this.active = active;
    this.mark(true);
    this.chosen = {
      rows: [Math.min(active.row, anchor.row), Math.max(active.row, anchor.row)],
      columns: [Math.min(active.column, anchor.column), Math.max(active.column, anchor.column)],
    };
    for (const cell of this.table.querySelectorAll("[aria-selected]")) cell.removeAttribute("aria-selected");
    const { top, bottom, left, right } = this.part, { rows, columns } = this.chosen;
    for (let i = Math.max(top, rows[0]); i < Math.min(bottom, rows[1] + 1); i += 1) {
      for (let j = Math.max(left, columns[0]); j < Math.min(right, columns[1] + 1); j += 1) {
        if (this.isChosen(i, j)) this.cellAt(i, j).setAttribute("aria-selected", "true");
      }
    }
    if (focus) this.focus();
    else this.cellAt(active.row, active.column)?.setAttribute("tabindex", "0");
  }

  // The active cell stays marked, with its row and column names, while you type in the bar.
  mark(isActive) {
    const { row, column } = this.active, { top, left } = this.part;
    const heads = [this.table.tBodies[0].rows[row - top]?.cells[0], this.shown.get(row), this.table.tHead.rows[0].cells[column - left + 1]];
    for (const part of [this.cellAt(row, column), ...heads]) part?.classList.toggle("in-hand", isActive);
  }

  focus(options) {
    const { row, column } = this.active;
    if (!options?.preventScroll && !this.cellAt(row, column)) this.scrollTo(row, column);
    const cell = this.cellAt(row, column);
    if (!cell) {
      this.table.tabIndex = -1;
      this.table.focus({ preventScroll: true });
      return;
    }
    cell.tabIndex = 0;
    cell.focus(options);
  }

  // Repaints the cells, for example after new values for the same guests.
  repaint() {
    const { top, bottom, left, right } = this.part;
    for (let i = top; i < bottom; i += 1) for (let j = left; j < right; j += 1) this.paint(i, j);
  }

  scrollTo(row, column) {
    this.wrap.scrollTop = Math.max(0, (row + 0.5) * this.height - this.wrap.clientHeight / 2 + this.table.tHead.offsetHeight / 2);
    this.wrap.scrollLeft = Math.max(0, (column + 0.5) * this.width - this.wrap.clientWidth / 2);
    this.draw();
  }
}
