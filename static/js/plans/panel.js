// The panel: tabs, guests and forms without leaving the page.

import { sendMove } from "./moves.js";
import { saveRoom } from "./room-changes.js";
import { seatOf } from "./seats.js";
import { showPanel } from "./server.js";
import { Search } from "./search.js";

function focusSearch() {
  document.getElementById("find")?.focus();
}

export class Panel {
  constructor(view, on) {
    this.view = view;
    this.on = on;
  }

  listen() {
    document.addEventListener("click", (event) => this.click(event));
    document.addEventListener("submit", (event) => this.submit(event));
    for (const name of ["panel", "parts"]) document.addEventListener(name, () => this.prepare());
    this.prepare();
  }

  prepare() {
    if (this.search?.input?.isConnected) this.search.filterAll();
    else this.search = new Search(this.view);
    for (const button of document.querySelectorAll("[data-pick-up], [data-pick-up-household]")) button.hidden = false;
  }

  click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const pick = event.target.closest("[data-pick-up], [data-pick-up-household]");
    const { pickUp, pickUpHousehold } = pick?.dataset ?? {};
    if (pick) return this.on.pickUp((pickUp ?? pickUpHousehold).split(" "), pick, Boolean(pickUp));
    const link = event.target.closest("a[data-tab], a[data-show-guest], a[data-show-table]");
    if (!link) return;
    event.preventDefault();
    const { tab, showGuest } = link.dataset;
    this.show(new URL(link.href).search, tab ? `a[data-tab="${tab}"]` : "").then(() => this.light(showGuest));
  }

  async show(query, focus = "") {
    await showPanel(query);
    if (focus) document.querySelector(`#panel ${focus}`)?.focus();
  }

  // Shows a guest who was chosen in the room; the focus stays there.
  async showGuest(guest) {
    await this.show(`?tab=guest&guest=${guest}`);
    this.mark(guest);
  }

  // Shows a table, and what can be done with its free seat, if one was chosen.
  async showTable(table, seat) {
    await this.show(`?tab=table&table=${table}${seat ? `&seat=${seat}` : ""}`);
    document.querySelector(`[data-table-card="${table}"]`)?.scrollIntoView({ block: "nearest" });
  }

  light(guest) {
    const seat = guest && seatOf(guest);
    if (!seat) return;
    this.mark(guest);
    if (this.view?.box.offsetParent) this.view.bring(seat, true);
  }

  mark(guest) {
    for (const seat of document.querySelectorAll(".seat.is-found, .seat.held")) seat.classList.remove("is-found", "held");
    seatOf(guest)?.classList.add("is-found");
  }

  // The search is in the list of tables; the key works everywhere.
  find() {
    if (document.getElementById("find")) focusSearch();
    else this.show("?tab=table").then(focusSearch);
    return true;
  }

  async submit(event) {
    const form = event.target.closest("form[data-move], form[data-room-form]");
    if (!form) return;
    event.preventDefault();
    if ("roomForm" in form.dataset) return saveRoom(new URL(form.action).pathname, new FormData(form));
    const fields = new URLSearchParams(/** @type {any} */ (new FormData(form, event.submitter)));
    const value = event.submitter?.value;
    const isDone = await sendMove(fields);
    if (!isDone) document.querySelector("#panel [role=alert]")?.focus();
    else if (form.id === "history") document.querySelector(`#history button[value="${value}"]:enabled`)?.focus();
    else (document.getElementById(event.submitter?.id) ?? document.querySelector(".ws-tab")).focus({ preventScroll: true });
  }
}
