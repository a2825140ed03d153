// Everything in the room by keys alone.

import { say, takeOffer } from "./announce.js";
import { showKeys } from "./dialogs.js";
import { focusSeat, guestOf, householdOf, nextSeat, seatAt, seatOf } from "./seats.js";
import { sendMove } from "./moves.js";

const isTyping = (element) => element.closest?.("input, select, textarea, [contenteditable], dialog");

export class Keyboard {
  constructor(view, hand, selection, panel) {
    this.view = view;
    this.hand = hand;
    this.selection = selection;
    this.panel = panel;
    document.addEventListener("keydown", (event) => {
      if (this.press(event)) event.preventDefault();
    });
  }

  press(event) {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "z" && !isTyping(target)) return this.step(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return false;
    if (key === "/") return this.panel.find();
    if (key === "?") return Boolean(showKeys());
    if (key === "Escape") return this.escape();
    const seat = target.closest?.(".seat[data-table]");
    if (seat) return this.pressSeat(seat, event);
    if (target !== this.view.box) return false;
    if (key === "Enter") return this.enter();
    return this.view.press(key);
  }

  step(event) {
    if (!event.shiftKey && takeOffer()) return true; // the room was changed last
    sendMove(new URLSearchParams({ kind: event.shiftKey ? "redo" : "undo" }));
    return true;
  }

  escape() {
    if (this.hand.isEmpty) {
      if (!this.selection.guests.size) return false;
      this.selection.clear();
      return true;
    }
    this.hand.cancel();
    if (this.from?.isConnected) this.from.focus({ preventScroll: true });
    return true;
  }

  enter() {
    focusSeat(this.view.picture.querySelector('.seat[tabindex="0"]'));
    return true;
  }

  pressSeat(seat, event) {
    const { key } = event;
    if (key.startsWith("Arrow")) return this.go(nextSeat(seat, key));
    if (key === "Enter") return this.hand.isEmpty ? this.pickUp(seat) : this.drop(seat);
    if (key === "h" || key === "H") return this.pickUp(seat, true);
    if (key === "o" || key === "O") return this.pickUp(seat, false, true);
    if (key === " ") return this.choose(seat, event);
    if (key === "l" || key === "L") return this.lock(seat, event.shiftKey);
    return this.view.press(key);
  }

  choose(seat, event) {
    const guest = guestOf(seat);
    if (!guest) this.panel.showTable(seat.dataset.table, seat.dataset.seatNumber);
    else if (event.shiftKey) this.selection.toggle(guest);
    else this.panel.showGuest(guest);
    return true;
  }

  // Locks a guest or a whole table, or keeps a free seat empty; the same key takes it back.
  lock(seat, isTable) {
    const { table, seatNumber } = seat.dataset;
    const guest = guestOf(seat);
    const fields = new URLSearchParams({ table });
    if (isTable) fields.set("kind", "locked" in seat.closest(".table").dataset ? "unlock_table" : "lock_table");
    else if (guest) fields.set("kind", seat.querySelector(".seat-lock") ? "unlock" : "lock");
    else fields.set("kind", seat.matches(".kept-empty") ? "free_seat" : "block_seat");
    if (guest && !isTable) fields.set("guest", guest);
    if (!guest && !isTable) fields.set("seat", seatNumber);
    sendMove(fields).then(() => focusSeat(seatAt(table, seatNumber)));
    return true;
  }

  go(seat) {
    for (const other of document.querySelectorAll(".seat.is-target")) other.classList.remove("is-target");
    focusSeat(seat);
    this.view.bring(seat);
    if (this.hand.isEmpty) return true;
    seat.classList.add("is-target");
    const effect = this.hand.effectAt(seat);
    if (effect) say(effect.text, true);
    return true;
  }

  pickUp(seat, isHousehold = false, isAlone = false) {
    const guest = guestOf(seat);
    if (!guest || seat.querySelector(".seat-lock")) return Boolean(say(seat.getAttribute("aria-label"))) || true;
    this.start(isHousehold ? householdOf(guest) : this.selection.with(guest), seat, isAlone);
    return true;
  }

  // Picks up guests for the keys: the focus goes to the seat of the first.
  start(guests, from, isAlone = false) {
    this.from = from;
    this.hand.pickUp(guests, isAlone);
    const seat = seatOf(guests[0]) ?? this.view.picture.querySelector(".seat");
    focusSeat(seat);
    this.view.bring(seat);
  }

  drop(seat) {
    this.dropAndFocus(seat);
    return true;
  }

  async dropAndFocus(seat) {
    const [guest] = this.hand.guests;
    await this.hand.drop({ seat });
    const place = seatOf(guest);
    if (place) focusSeat(place);
  }
}
