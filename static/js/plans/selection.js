// Several guests at once: Shift and a click adds one, a band adds those inside it, Escape forgets them.

import { seatOf } from "./seats.js";

export class Selection {
  constructor() {
    this.guests = new Set();
  }

  toggle(guest) {
    if (!this.guests.delete(guest)) this.guests.add(guest);
    this.draw();
    return this.guests.size;
  }

  add(guests) {
    for (const guest of guests) this.guests.add(guest);
    this.draw();
    return this.guests.size;
  }

  forget(guests) {
    for (const guest of guests) this.guests.delete(guest);
    this.draw();
  }

  clear() {
    this.guests.clear();
    this.draw();
  }

  // The guests to pick up with this one: all that are selected, if it is one of them.
  with(guest) {
    return this.guests.has(guest) ? [guest, ...[...this.guests].filter((other) => other !== guest)] : [guest];
  }

  // Guests who are no longer in the room or the tray, such as one who declined, are not selected any more.
  draw() {
    for (const guest of this.guests) if (!document.querySelector(`[data-seat="${guest}"]`)) this.guests.delete(guest);
    for (const seat of document.querySelectorAll(".seat.is-selected")) seat.classList.remove("is-selected");
    for (const guest of this.guests) seatOf(guest)?.classList.add("is-selected");
  }
}
