// Moves through the cells of the table with the keyboard and the mouse, as in a spreadsheet.

const PAGE = 10;

export class Grid {
  // `active` is { row, column }: the heading is row −1, and the first column selects guests.
  constructor(view, hooks) {
    this.view = view;
    this.hooks = hooks;
    this.active = { row: 0, column: view.editable ? 1 : 0 };
    const { table } = view;
    table.addEventListener("keydown", (event) => this.press(event));
    table.addEventListener("pointerdown", (event) => this.point(event));
    table.addEventListener("dblclick", (event) => {
      if (!view.isList && this.placeOf(event.target) && !event.target.closest("button, label")) this.hooks.edit();
    });
    table.addEventListener("focusin", (event) => {
      const place = this.placeOf(event.target);
      if (place && (place.row !== this.active.row || place.column !== this.active.column)) this.go(place, { focus: false });
    });
  }

  get columns() {
    return [...(this.view.editable ? [null] : []), ...this.view.shown];
  }

  get guest() {
    return this.view.rows.list[this.active.row]?.[0];
  }

  get column() {
    return this.columns[this.active.column];
  }

  placeOf(target) {
    const cell = target.closest("th, td"), line = cell?.closest("tr");
    if (!cell || this.view.isList || line.classList.contains("gt-space")) return null;
    return { row: Number(line.getAttribute("aria-rowindex")) - 2, column: Number(cell.getAttribute("aria-colindex")) - 1 };
  }

  cellAt({ row, column }) {
    const line = row < 0 ? this.view.table.tHead.rows[0] : this.view.lineOf(this.view.rows.list[row]?.[0]);
    return line?.querySelector(`[aria-colindex="${column + 1}"]:not([hidden])`) ?? null;
  }

  // What gets the focus: the only control of a heading or of the first column, else the cell itself.
  targetAt(place) {
    const cell = this.cellAt(place);
    return cell?.querySelector(place.row < 0 ? "a, input" : ".gt-tick input") ?? (place.column === 0 && this.view.editable ? cell?.querySelector("input") : null) ?? cell;
  }

  go(place, { focus = true } = {}) {
    const before = this.targetAt(this.active);
    this.active = {
      row: Math.max(-1, Math.min(this.view.rows.matching - 1, place.row)),
      column: Math.max(0, Math.min(this.columns.length - 1, place.column)),
    };
    if (before) before.tabIndex = -1;
    if (focus) {
      if (this.active.row >= 0) this.view.reveal(this.active.row);
      this.mark()?.focus({ preventScroll: this.active.row < 0 });
      this.cellAt(this.active)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else this.mark();
    this.hooks.onMove();
  }

  mark() {
    const target = this.view.isList ? null : this.targetAt(this.active);
    if (target) target.tabIndex = 0;
    return target;
  }

  // After rows were drawn: the active cell can be reached by Tab, and keeps the focus that it had.
  restore(hadFocus) {
    const target = this.mark();
    if (hadFocus) (target ?? this.view.frame).focus({ preventScroll: true });
  }

  point(event) {
    const place = this.placeOf(event.target);
    if (!place || event.button || this.view.isList || place.row < 0 || event.target.closest("button, label, input, textarea, .gt-options")) return;
    const isSame = place.row === this.active.row && place.column === this.active.column && this.cellAt(place) === document.activeElement;
    if (event.shiftKey) {
      event.preventDefault();
      this.hooks.extend(this.view.rows.list[place.row]?.[0], this.guest);
    }
    const isBox = event.target.closest(".gt-box");
    this.go(place);
    event.preventDefault(); // no selection of text
    if (isBox) this.hooks.toggle();
    else if (isSame && event.pointerType !== "mouse") this.hooks.edit();
  }

  press(event) {
    if (this.view.isList || event.target.closest("input:not([type=checkbox]), textarea") || event.isComposing) return;
    const { key, shiftKey } = event, control = event.ctrlKey || event.metaKey, { row, column } = this.active;
    const moves = {
      ArrowUp: { row: control ? -1 : row - 1, column },
      ArrowDown: { row: control ? Infinity : row + 1, column },
      ArrowLeft: { row, column: control ? 0 : column - 1 },
      ArrowRight: { row, column: control ? Infinity : column + 1 },
      PageUp: { row: Math.max(0, row - PAGE), column },
      PageDown: { row: row + PAGE, column },
      Home: { row: control ? 0 : row, column: 0 },
      End: { row: control ? Infinity : row, column: Infinity },
    };
    if (event.altKey) return;
    if (moves[key]) {
      const from = this.guest;
      this.go(moves[key]);
      if (shiftKey && key.startsWith("Arrow") && this.active.row !== row) this.hooks.extend(this.guest, from);
    } else if (!this.act(key, shiftKey, control)) return;
    event.preventDefault();
  }

  act(key, shiftKey, control) {
    const { row } = this.active;
    if (control) return this.hooks.control(key.toLowerCase(), shiftKey);
    if (key === " " && shiftKey && row >= 0) this.hooks.select(this.guest);
    else if (key === "F10" && shiftKey && row >= 0) this.hooks.menu(this.guest);
    else if (key === "ContextMenu" && row >= 0) this.hooks.menu(this.guest);
    else if (key === "Escape") return this.hooks.escape();
    else if (row < 0 || !this.column) return false; // links and boxes do what they always do
    else if (key === " " && this.column.kind === "boolean") this.hooks.toggle();
    else if (key === "Enter" || key === "F2") this.hooks.edit();
    else if (key === "Delete" || key === "Backspace") this.hooks.empty();
    else if (key.length === 1 && key !== " ") this.hooks.edit(key);
    else return false;
    return true;
  }
}
