// Renders the rows that are in view and some around them; two empty rows keep the room of the others.

import { element, fillCell, summaryOf } from "./cells.js";

const AROUND = 8;
const NARROW = "(max-width: 48rem)";

export class TableWindow {
  // `paint(cell, guest, key)` marks a cell; `beforeRemoval(line)` is called before a row goes.
  constructor(table, frame, rows, hooks) {
    this.table = table;
    this.frame = frame;
    this.rows = rows;
    this.hooks = hooks;
    this.top = 0;
    this.bottom = 0;
    this.body = table.tBodies[0];
    this.editable = "editable" in table.dataset;
    this.narrow = matchMedia(NARROW);
    this.narrow.addEventListener("change", () => this.reset());
    this.before = this.space();
    this.after = this.space();
    for (const target of [frame, window]) target.addEventListener("scroll", () => this.follow(), { passive: true });
    new ResizeObserver(() => this.follow()).observe(frame);
    rows.onRead = () => this.draw();
  }

  get isList() {
    return this.narrow.matches;
  }

  get shown() {
    return this.rows.columns.filter((column) => column.shown);
  }

  space() {
    return element("tr", { class: "gt-space", "aria-hidden": "true" }, element("td"));
  }

  // Starts again: other columns, another width of the screen.
  reset() {
    const grid = !this.isList;
    this.table.setAttribute("role", grid ? "grid" : "table");
    if (grid) {
      this.table.setAttribute("aria-rowcount", String(this.rows.matching + 1));
      this.table.setAttribute("aria-colcount", String(this.shown.length + (this.editable ? 1 : 0)));
      if (this.editable) this.table.setAttribute("aria-multiselectable", "true");
    } else for (const name of ["aria-rowcount", "aria-colcount", "aria-multiselectable"]) this.table.removeAttribute(name);
    this.frame.tabIndex = -1;
    this.height = this.rowHeight();
    this.drawHead();
    this.draw();
    this.hooks.onReset();
  }

  rowHeight() {
    const size = getComputedStyle(this.frame).getPropertyValue("--row");
    return parseFloat(size) * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  drawHead() {
    const head = this.table.tHead.rows[0], isShown = new Map(this.rows.columns.map((column) => [column.key, column]));
    head.setAttribute("role", "row");
    if (!this.isList) head.setAttribute("aria-rowindex", "1");
    let place = 0;
    for (const [number, cell] of [...head.cells].entries()) {
      const column = isShown.get(cell.dataset.key), hidden = Boolean(column) && !column.shown;
      cell.hidden = this.table.querySelector("colgroup").children[number].hidden = hidden;
      cell.setAttribute("role", "columnheader");
      if (hidden) continue;
      cell.setAttribute("aria-colindex", String((place += 1)));
      if (!column) continue;
      const link = cell.querySelector("a");
      link.href = column.href;
      link.tabIndex = -1;
      if (column.sorted) cell.setAttribute("aria-sort", column.sorted);
      else cell.removeAttribute("aria-sort");
    }
  }

  range() {
    const box = this.body.getBoundingClientRect();
    const from = this.isList ? 0 : this.frame.getBoundingClientRect().top;
    const seen = this.isList ? innerHeight : this.frame.clientHeight;
    const first = Math.floor((from - box.top) / this.height) - AROUND;
    const top = Math.max(0, Math.min(first, this.rows.matching - 1));
    return [top, Math.max(top, Math.min(this.rows.matching, first + Math.ceil(seen / this.height) + 2 * AROUND))];
  }

  // The first row that can be seen whole.
  firstSeen() {
    const box = this.body.getBoundingClientRect();
    const from = this.isList ? 0 : this.frame.getBoundingClientRect().top + this.table.tHead.offsetHeight;
    return Math.max(0, Math.min(this.rows.matching - 1, Math.ceil((from - box.top) / this.height - 0.1)));
  }

  follow() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      const [top, bottom] = this.range();
      if (top !== this.top || bottom !== this.bottom) this.shift(top, bottom);
    });
  }

  draw() {
    for (const line of this.lines()) this.hooks.beforeRemoval(line);
    [this.top, this.bottom] = this.range();
    this.rows.need(this.top, this.bottom);
    const lines = [];
    for (let place = this.top; place < this.bottom; place += 1) lines.push(this.line(place));
    this.body.replaceChildren(this.before, ...lines, this.after);
    this.setSpaces();
    this.hooks.onDraw();
  }

  lines() {
    return [...this.body.rows].filter((line) => line.dataset.guest);
  }

  shift(top, bottom) {
    if (top >= this.bottom || bottom <= this.top) return this.draw();
    this.rows.need(top, bottom);
    const { body, before, after } = this;
    const remove = (line) => {
      this.hooks.beforeRemoval(line);
      line.remove();
    };
    for (; this.top < top; this.top += 1) remove(before.nextElementSibling);
    for (; this.bottom > bottom; this.bottom -= 1) remove(after.previousElementSibling);
    while (this.top > top) before.after(this.line((this.top -= 1)));
    for (; this.bottom < bottom; this.bottom += 1) body.insertBefore(this.line(this.bottom), after);
    this.setSpaces();
    this.hooks.onDraw();
  }

  setSpaces() {
    this.before.style.setProperty("--space", `${this.top * this.height}px`);
    this.after.style.setProperty("--space", `${(this.rows.matching - this.bottom) * this.height}px`);
    for (const space of [this.before, this.after]) space.cells[0].colSpan = this.shown.length + (this.editable ? 1 : 0);
    this.before.hidden = !this.top;
    this.after.hidden = this.bottom >= this.rows.matching;
  }

  line(place) {
    const row = this.rows.list[place], grid = !this.isList;
    const line = element("tr", { role: "row" });
    if (grid) line.setAttribute("aria-rowindex", String(place + 2));
    if (!row) {
      line.className = "is-loading";
      line.append(element("td", { role: grid ? "gridcell" : "cell", class: "gt-name", colspan: String(this.shown.length + (this.editable ? 1 : 0)) }, "Loading…"));
      line.dataset.guest = " ";
      return line;
    }
    line.id = `guest-${row[0]}`;
    line.dataset.guest = row[0];
    if (this.editable) line.append(this.tick(row, grid));
    for (const [number, column] of this.shown.entries()) line.append(this.cell(row, column, number + (this.editable ? 2 : 1), grid));
    this.hooks.paintLine(line, row[0]);
    return line;
  }

  tick(row, grid) {
    const box = element("input", { type: "checkbox", "aria-label": `Select ${row[this.rows.keys.get("name")]}` });
    const cell = element("td", { class: "gt-tick", role: grid ? "gridcell" : "cell" }, element("label", {}, box));
    if (grid) {
      cell.setAttribute("aria-colindex", "1");
      box.tabIndex = -1;
    }
    return cell;
  }

  cell(row, column, place, grid) {
    const isName = column.key === "name";
    const cell = element(isName ? "th" : "td", { role: isName ? "rowheader" : grid ? "gridcell" : "cell" });
    cell.dataset.key = column.key;
    if (isName) cell.className = "gt-name";
    else if (column.key === "reply") cell.className = "gt-reply";
    if (grid) {
      cell.setAttribute("aria-colindex", String(place));
      if (!column.edit) cell.setAttribute("aria-readonly", "true");
    }
    this.fill(cell, row, column, grid);
    return cell;
  }

  fill(cell, row, column, grid = !this.isList) {
    const value = row[this.rows.keys.get(column.key)];
    fillCell(cell, column, value);
    if (column.key === "name") {
      const named = element("bdi", { class: "guest-name" }, value);
      const summary = summaryOf(this.rows, row);
      const link = this.editable && !grid ? element("a", { href: this.hooks.addressOf(row[0]) }, named) : named;
      const parts = [link, element("span", { class: "gt-sub", title: summary }, summary)];
      if (this.editable) parts.push(element("button", { class: "gt-more", type: "button", "aria-label": `Actions for ${value}`, "aria-haspopup": "menu", tabindex: grid ? "-1" : undefined }));
      cell.replaceChildren(...parts);
    }
    this.hooks.paint(cell, row[0], column.key);
  }

  lineOf(guest) {
    return this.body.querySelector(`tr[data-guest="${guest}"]`);
  }

  // Shows what a guest has by now; the cell that is being typed in stays.
  refresh(guest) {
    const row = this.rows.rowOf(guest), line = this.lineOf(guest);
    if (!row || !line) return;
    for (const cell of line.querySelectorAll("[data-key]")) {
      if (!cell.classList.contains("is-editing")) this.fill(cell, row, this.rows.column(cell.dataset.key));
    }
  }

  scrollTo(place) {
    if (this.isList) {
      const top = this.body.getBoundingClientRect().top + scrollY;
      scrollTo({ top: Math.max(0, top + place * this.height - 120) });
    } else this.frame.scrollTop = place * this.height;
    this.draw();
  }

  // Scrolls a row into view if it is not there.
  reveal(place) {
    const { frame, height } = this, head = this.table.tHead.offsetHeight;
    const top = place * height;
    if (top < frame.scrollTop) frame.scrollTop = top;
    else if (top + height + head > frame.scrollTop + frame.clientHeight) frame.scrollTop = top + height + head - frame.clientHeight;
    const [first, last] = this.range();
    if (first !== this.top || last !== this.bottom) this.shift(first, last);
  }
}
