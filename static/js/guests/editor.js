// Types into a cell: a plain field, or a field with a menu of the values that the column offers.

import { element } from "./cells.js";
import { isSame, optionNamed, optionsFor, wordsOf } from "./rows.js";

const MOST_OPTIONS = 50;

export class Editor {
  // `commit(guest, column, value)` saves, `leave(move)` goes on in the grid: down, up, right, left or nowhere.
  constructor({ commit, leave, redraw }) {
    this.commit = commit;
    this.leave = leave;
    this.redraw = redraw;
    this.open = null;
    this.menu = element("ul", { class: "gt-options", role: "listbox", id: "gt-options", popover: "manual" });
    document.body.append(this.menu);
    this.menu.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    this.menu.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(Number(option.dataset.place), "stay");
    });
  }

  get isOpen() {
    return Boolean(this.open);
  }

  start(cell, { guest, name, column, value, typed }) {
    this.finish();
    const isLong = column.kind === "long";
    const hasMenu = column.kind === "choice" || column.kind === "multi";
    const field = /** @type {HTMLInputElement} */ (element(isLong ? "textarea" : "input", { class: "gt-input", "aria-label": `${column.label} of ${name}`, autocomplete: "off", dir: "auto", spellcheck: "false" }));
    const isText = !hasMenu || (column.kind === "choice" && column.open);
    field.value = typed ?? (isText ? value ?? "" : "");
    if (!isText) field.placeholder = wordsOf(column, value);
    this.open = { cell, guest, column, value, field, isLong, chosen: column.kind === "multi" ? [...value] : null, isTouched: typed !== undefined && typed !== null, place: -1 };
    cell.classList.add("is-editing");
    cell.replaceChildren(field);
    if (hasMenu) {
      for (const [key, is] of [["role", "combobox"], ["aria-controls", "gt-options"], ["aria-expanded", "true"], ["aria-autocomplete", "list"]]) field.setAttribute(key, is);
      this.listOptions();
    }
    field.addEventListener("keydown", (event) => this.press(event));
    field.addEventListener("input", () => {
      this.open.isTouched = true;
      if (hasMenu) this.listOptions();
    });
    field.addEventListener("blur", () => {
      if (this.open?.field === field) this.take("stay", false);
    });
    field.focus();
    if (typed === undefined || typed === null) field.select();
    else field.setSelectionRange(field.value.length, field.value.length);
  }

  listOptions() {
    const { column, field, chosen, value, cell, isTouched } = this.open, typed = field.value.trim();
    const isFiltered = isTouched && typed;
    this.options = (isFiltered ? optionsFor(column, typed) : column.options).slice(0, MOST_OPTIONS);
    if (column.open && isFiltered && !optionNamed(column, typed)) this.options.push([typed, `New: ${typed}`, ""]);
    const isChosen = (one) => (chosen ? chosen.includes(one) : one === value);
    this.menu.replaceChildren(...this.options.map(([one, words, colour], place) => {
      const option = element("li", { role: "option", id: `gt-option-${place}`, "aria-selected": String(isChosen(one)), class: colour ? `spot spot-${colour}` : undefined }, element("bdi", {}, words));
      option.dataset.place = String(place);
      return option;
    }));
    this.menu.setAttribute("aria-label", column.label);
    if (chosen) this.menu.setAttribute("aria-multiselectable", "true");
    else this.menu.removeAttribute("aria-multiselectable");
    const isOffered = this.options.length > 0;
    field.setAttribute("aria-expanded", String(isOffered));
    if (isOffered && !this.menu.matches(":popover-open")) this.menu.showPopover();
    if (!isOffered && this.menu.matches(":popover-open")) this.menu.hidePopover();
    this.putMenu(cell);
    this.activate(isFiltered && isOffered ? 0 : chosen ? -1 : this.options.findIndex(([one]) => one === value));
  }

  putMenu(cell) {
    const box = cell.getBoundingClientRect(), { style } = this.menu;
    style.setProperty("left", `${Math.max(4, Math.min(box.left, innerWidth - this.menu.offsetWidth - 4))}px`);
    style.setProperty("min-width", `${box.width}px`);
    const below = innerHeight - box.bottom;
    const isAbove = below < this.menu.offsetHeight + 8 && box.top > below;
    style.setProperty("top", isAbove ? "auto" : `${box.bottom}px`);
    style.setProperty("bottom", isAbove ? `${innerHeight - box.top}px` : "auto");
  }

  activate(place) {
    this.open.place = place;
    for (const [number, option] of [...this.menu.children].entries()) option.classList.toggle("is-active", number === place);
    const active = this.menu.children[place];
    if (active) {
      this.open.field.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    } else this.open.field.removeAttribute("aria-activedescendant");
  }

  press(event) {
    event.stopPropagation();
    if (event.isComposing) return;
    const { key } = event, { isLong, column } = this.open, hasMenu = this.menu.matches(":popover-open");
    if (key === "Escape") this.cancel();
    else if (key === "Tab") this.take(event.shiftKey ? "left" : "right");
    else if (key === "Enter" && isLong && (event.altKey || event.shiftKey || event.ctrlKey)) this.open.field.setRangeText("\n", this.open.field.selectionStart, this.open.field.selectionEnd, "end");
    else if (key === "Enter" && column.kind === "multi" && this.open.place >= 0) this.pick(this.open.place, "stay");
    else if (key === "Enter") this.take(event.shiftKey ? "up" : "down");
    else if (hasMenu && (key === "ArrowDown" || key === "ArrowUp")) {
      const many = this.options.length, { place } = this.open;
      this.activate(key === "ArrowDown" ? (place + 1) % many : (place <= 0 ? many : place) - 1);
      this.open.isPicked = true;
    } else return;
    event.preventDefault();
  }

  // Chooses an option: the only one, or one of several to be added or taken away.
  pick(place, move) {
    const [one] = this.options[place], { chosen, field } = this.open;
    if (!chosen) {
      this.end(one, move === "stay" ? "here" : move);
      return;
    }
    this.open.chosen = chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
    this.open.hasChanged = true;
    field.value = "";
    this.open.isTouched = false;
    field.placeholder = this.open.chosen.join(", ");
    this.listOptions();
  }

  // Takes what was typed or chosen.
  take(move, isByKey = true) {
    const { column, field, value, chosen, isTouched, isPicked, place } = this.open, typed = field.value;
    if (chosen) {
      const rest = isTouched && typed.trim() ? [this.options[place]?.[0] ?? typed.trim()] : [];
      this.end([...new Set([...chosen, ...rest])], move, isByKey);
    } else if (column.kind === "choice" && (isPicked || (isTouched && !column.open)) && place >= 0) this.end(this.options[place][0], move, isByKey);
    else if (column.kind === "choice" && !column.open) this.end(isTouched && typed.trim() ? typed.trim() : value, move, isByKey);
    else this.end(isTouched ? typed.trim() : value, move, isByKey);
  }

  end(value, move, isByKey = true) {
    const { guest, column } = this.open, was = this.open.value;
    this.close();
    if (!isSame(value, was)) this.commit(guest, column, value);
    if (isByKey) this.leave(move);
  }

  cancel() {
    this.close();
    this.leave("here");
  }

  // Saves what is being typed, before its row goes.
  finish() {
    if (this.open) this.take("stay", false);
  }

  close() {
    const { cell, guest } = this.open;
    this.open = null;
    if (this.menu.matches(":popover-open")) this.menu.hidePopover();
    cell.classList.remove("is-editing");
    this.redraw(guest);
  }
}
