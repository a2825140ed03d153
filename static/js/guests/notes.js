// What the table has to say: beside a cell that could not be saved, in a message with Undo, and to screen readers.

import { element } from "./cells.js";

const SHOWN_FOR = 12_000;

export class Notes {
  constructor() {
    this.spoken = element("p", { class: "visually-hidden", role: "status" });
    this.text = element("p", { class: "banner-text" });
    this.button = element("button", { class: "btn", type: "button" });
    this.close = element("button", { class: "btn btn-quiet", type: "button", "aria-label": "Close this message" }, "×");
    this.toast = element("div", { class: "banner gt-toast", role: "status" }, this.text, this.button, this.close);
    this.toast.hidden = true;
    this.act = () => {};
    this.button.addEventListener("click", () => {
      this.hide();
      this.act();
    });
    this.close.addEventListener("click", () => this.hide());
    this.note = element("div", { class: "gt-note", id: "gt-note", popover: "manual" });
    document.body.append(this.spoken, this.toast, this.note);
  }

  say(text) {
    this.spoken.textContent = text;
  }

  // A message with a button, such as Undo.
  show(text, { words = "", act = () => {}, isTrouble = false } = {}) {
    clearTimeout(this.passing);
    this.text.textContent = text;
    this.button.textContent = words;
    this.button.hidden = !words;
    this.act = act;
    this.toast.classList.toggle("banner-alert", isTrouble);
    this.toast.hidden = false;
    if (!isTrouble) this.passing = setTimeout(() => this.hide(), SHOWN_FOR);
  }

  hide() {
    if (this.toast.contains(document.activeElement)) document.querySelector("[data-table] [tabindex='0']")?.focus();
    this.toast.hidden = true;
  }

  // Says beside a cell why it is not saved; `choices` are [words, action].
  beside(cell, message, choices) {
    if (!cell || !message) {
      if (this.note.matches(":popover-open")) this.note.hidePopover();
      return;
    }
    const buttons = choices.map(([words, act]) => {
      const made = element("button", { class: "btn btn-small", type: "button" }, words);
      made.addEventListener("click", act);
      return made;
    });
    this.note.replaceChildren(element("p", {}, message), element("div", { class: "form-buttons" }, ...buttons));
    if (!this.note.matches(":popover-open")) this.note.showPopover();
    cell.setAttribute("aria-describedby", "gt-note");
    const box = cell.getBoundingClientRect(), { style } = this.note;
    const isAbove = box.bottom + this.note.offsetHeight > innerHeight - 8;
    style.setProperty("left", `${Math.max(8, Math.min(box.left, innerWidth - this.note.offsetWidth - 8))}px`);
    style.setProperty("top", `${isAbove ? box.top - this.note.offsetHeight - 2 : box.bottom + 2}px`);
  }
}
