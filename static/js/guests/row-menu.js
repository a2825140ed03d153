// The menu of one guest: their page, what they like, their reply, and removal.

import { element } from "./cells.js";

const link = (href, words) => element("a", { class: "btn btn-quiet", role: "menuitem", href }, words);

export class RowMenu {
  constructor({ addressOf, setReply, remove, select }) {
    this.addressOf = addressOf;
    this.setReply = setReply;
    this.remove = remove;
    this.select = select;
    this.menu = element("div", { class: "menu gt-menu gt-row-menu", popover: "auto", role: "menu" });
    document.body.append(this.menu);
    this.menu.addEventListener("keydown", (event) => {
      const items = [...this.menu.querySelectorAll("a, button")], place = items.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      items[(place + step + items.length) % items.length].focus();
      event.preventDefault();
    });
    this.menu.addEventListener("toggle", (event) => {
      if (event.newState === "closed" && this.menu.contains(document.activeElement)) this.from?.focus();
    });
  }

  open(from, { guest, name, reply, replies, isList }) {
    this.from = from;
    const address = this.addressOf(guest), [own] = address.split("?");
    const button = (words, act, kind = "quiet", role = "menuitem") => {
      const made = element("button", { class: `btn btn-${kind}`, type: "button", role }, words);
      made.addEventListener("click", () => {
        this.menu.hidePopover();
        act();
      });
      return made;
    };
    const answers = replies.map(([value, words]) => {
      const made = button(words, () => this.setReply(guest, value), "quiet", "menuitemradio");
      made.setAttribute("aria-checked", String(value === reply));
      return made;
    });
    this.menu.setAttribute("aria-label", `Actions for ${name}`);
    this.menu.replaceChildren(
      element("p", { class: "menu-title", role: "presentation" }, element("bdi", {}, name)),
      link(address, "Edit all fields"),
      link(`${own}/likes`, "Who do they like?"),
      link(`${own}/rules`, "Rules"),
      ...(isList ? answers : []),
      button("Select", () => this.select(guest)),
      button("Remove", () => this.remove(guest), "danger"),
    );
    this.menu.showPopover();
    this.put(from.getBoundingClientRect(), isList);
    this.menu.querySelector("a").focus();
  }

  put(box, isList) {
    const { style } = this.menu;
    for (const side of ["left", "top", "right", "bottom"]) style.setProperty(side, "auto");
    if (isList) {
      style.setProperty("right", "8px");
      style.setProperty("top", `${Math.max(8, Math.min(box.bottom, innerHeight - this.menu.offsetHeight - 68))}px`);
      return;
    }
    style.setProperty("left", `${Math.min(box.left, innerWidth - this.menu.offsetWidth - 8)}px`);
    style.setProperty("top", `${Math.max(8, Math.min(box.bottom, innerHeight - this.menu.offsetHeight - 8))}px`);
  }
}
