// Search, filters, order and columns; the address of the page says what is shown.

import { element } from "./cells.js";

const TYPING = 250;
const RESTING = 400;

export class Tools {
  // `open(query)` shows the guests of another query.
  constructor(form, event, open) {
    this.form = form;
    this.open = open;
    this.remembered = `convive guest columns ${event}`;
    this.search = form.elements.namedItem("q");
    form.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      this.apply();
    });
    this.search.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.apply({ isTyped: true }), TYPING);
    });
    form.addEventListener("change", (changed) => {
      if (changed.target !== this.search && !changed.target.closest("[data-columns]")) this.apply();
    });
    document.addEventListener("click", (clicked) => {
      const link = /** @type {HTMLAnchorElement | null} */ (clicked.target.closest("[data-part] a, thead a, [data-nobody] a"));
      if (!link || clicked.ctrlKey || clicked.metaKey || clicked.shiftKey) return;
      clicked.preventDefault();
      this.go(new URL(link.href).searchParams);
    });
    for (const part of document.querySelectorAll("[data-without-script]")) part.hidden = true;
    window.addEventListener("popstate", () => this.open(new URLSearchParams(location.search), { isBack: true }));
  }

  // The query that the form asks for.
  query() {
    const asked = new URLSearchParams();
    for (const [key, value] of new FormData(this.form)) if (value || !["q", "sort", "desc"].includes(key)) asked.append(key, String(value));
    return asked;
  }

  apply({ isTyped = false } = {}) {
    clearTimeout(this.typing);
    this.go(this.query(), isTyped && this.isTyped);
    this.isTyped = isTyped;
  }

  // Typing changes one step of the history; everything else adds one.
  go(query, isSameStep = false) {
    const address = `${location.pathname}${query.size ? `?${query}` : ""}`;
    if (isSameStep) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.open(query);
  }

  // Keeps the first row that is seen in the address, once scrolling rests.
  rest(row) {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      const query = new URLSearchParams(location.search);
      for (const name of ["page", "guest", "added", "undo", "removed", "restored", "same", "imported", "notice", "made"]) query.delete(name);
      if (row()) query.set("row", String(row()));
      else query.delete("row");
      history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    }, RESTING);
  }

  // The part of the address that a guest's page leads back to.
  state(row) {
    const query = new URLSearchParams(location.search);
    for (const name of ["page", "guest", "added", "undo", "removed", "restored", "same", "imported", "notice", "made"]) query.delete(name);
    if (row) query.set("row", String(row));
    return query.toString();
  }

  // Shows what the server says stands around the table; what has the focus or is open stays so.
  show({ parts, state, matching, total }) {
    for (const place of document.querySelectorAll("[data-part]")) this.replace(place, parts[place.dataset.part]);
    const query = new URLSearchParams(state);
    for (const key of ["q", "sort", "desc"]) {
      const field = this.form.elements.namedItem(key);
      if (field && field !== document.activeElement) field.value = query.get(key) ?? "";
    }
    const filters = [...query.keys()].filter((key) => !["q", "sort", "desc"].includes(key)).length;
    this.form.querySelector("[data-open-filters]").textContent = `Filter and sort${filters ? ` (${filters})` : ""}`;
    const isNarrowed = filters || query.get("q");
    const text = isNarrowed ? `${matching.toLocaleString("en-GB")} of ${total.toLocaleString("en-GB")} guests` : "";
    const status = this.form.querySelector("[data-matching]");
    if (status.textContent !== text) status.textContent = text;
    for (const back of document.querySelectorAll("input[data-back]")) back.value = state;
  }

  replace(place, html) {
    const open = new Map([...place.querySelectorAll("details")].map((one) => [one.dataset.facet, [one.open, one.querySelector("fieldset").scrollTop]]));
    const { name, value } = place.contains(document.activeElement) ? /** @type {HTMLInputElement} */ (document.activeElement) : {};
    place.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    for (const one of place.querySelectorAll("details")) {
      const [wasOpen, scrolled] = open.get(one.dataset.facet) ?? [one.open, 0];
      one.open = wasOpen;
      one.querySelector("fieldset").scrollTop = scrolled;
    }
    if (name) [...place.querySelectorAll("input")].find((input) => input.name === name && input.value === value)?.focus();
  }

  // Which columns are shown is remembered in this browser.
  choose(columns, onChange) {
    const chosen = this.readChosen();
    for (const column of columns) if (column.key in chosen) column.shown = chosen[column.key];
    const menu = this.form.querySelector("[data-columns]");
    const boxes = columns.filter(({ key }) => key !== "name").map((column) => {
      const box = element("input", { type: "checkbox" });
      box.checked = column.shown;
      box.addEventListener("change", () => {
        column.shown = box.checked;
        this.writeChosen({ ...this.readChosen(), [column.key]: box.checked });
        onChange();
      });
      return element("label", { class: "choice" }, box, element("span", {}, column.label));
    });
    menu.replaceChildren(element("p", { class: "menu-title" }, "Columns to show"), ...boxes);
    const button = this.form.querySelector("[data-open-columns]");
    button.hidden = false;
    menu.addEventListener("toggle", () => {
      const box = button.getBoundingClientRect(), { style } = menu;
      style.setProperty("left", `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`);
      style.setProperty("right", "auto");
      style.setProperty("top", `${box.bottom + 4}px`);
      style.setProperty("max-height", `${innerHeight - box.bottom - 12}px`);
    });
  }

  readChosen() {
    try {
      return JSON.parse(localStorage.getItem(this.remembered) ?? "{}");
    } catch {
      return {};
    }
  }

  writeChosen(chosen) {
    try {
      localStorage.setItem(this.remembered, JSON.stringify(chosen));
    } catch {
      // A browser that stores nothing shows the usual columns next time.
    }
  }
}
