// The guests in hand: picked up by mouse, touch or keys, and dropped onto a seat or into the tray.

import { say } from "./announce.js";
import { showBest } from "./best-places.js";
import { askAnyway } from "./dialogs.js";
import { clearEffects, Effects } from "./effects.js";
import { heldByOthers } from "./editors.js";
import { sendMove } from "./moves.js";
import { guestOf, seatOf } from "./seats.js";

export class Hand {
  constructor(selection) {
    this.guests = [];
    this.effects = new Effects();
    this.selection = selection;
  }

  get isEmpty() {
    return !this.guests.length;
  }

  // Shows at once who is in hand; the effects follow as soon as the server has them.
  pickUp(guests, isAlone = false) {
    this.guests = guests;
    this.isAlone = isAlone;
    this.isDropping = false;
    document.body.classList.add("is-holding");
    this.mark();
    this.dispatch();
    this.isLoaded = this.loadEffects(guests);
    return this.isLoaded;
  }

  async loadEffects(guests) {
    const answer = await this.effects.load(guests, this.isAlone);
    if (this.guests !== guests) return;
    this.effects.show();
    showBest(this.effects.best, (target) => this.drop(target));
    say([heldByOthers(guests), answer.text ?? answer.message].filter(Boolean).join(" "), true);
  }

  mark() {
    for (const guest of this.guests) seatOf(guest)?.classList.add("is-picked");
  }

  // Lets other parts of the page know that guests were picked up or let go.
  dispatch() {
    document.dispatchEvent(new CustomEvent("hand"));
  }

  // After parts of the room were replaced: the guests stay in hand, and seats show what they would do now.
  async redraw() {
    clearEffects();
    if (this.isEmpty) return;
    this.mark();
    this.effects.show();
    const { guests } = this;
    await this.effects.load(guests, this.isAlone);
    if (this.guests !== guests) return;
    clearEffects();
    this.effects.show();
    showBest(this.effects.best, (target) => this.drop(target));
  }

  letGo() {
    this.guests = [];
    this.isDropping = false;
    this.dispatch();
    this.effects.hide();
    showBest([]);
    document.body.classList.remove("is-holding");
    for (const seat of document.querySelectorAll(".is-picked, .is-target")) seat.classList.remove("is-picked", "is-target");
  }

  cancel(text = "Put back. Nothing was changed.") {
    this.letGo();
    say(text);
  }

  effectAt(seat) {
    return this.effects.at(seat);
  }

  // The seat for whoever is dropped on the cloth of a table; none where they sit there already.
  seatAt(table) {
    if (this.guests.every((guest) => seatOf(guest)?.dataset.table === table)) return null;
    return this.effects.bestAt(table);
  }

  // Drops the guests on a seat, at a table or into the tray; what that would break is asked about before anything is sent.
  // While it waits, the guests can be put back, and a second drop does nothing.
  async drop(target) {
    if (this.isEmpty || this.isDropping) return false;
    const picked = this.guests;
    this.isDropping = true;
    await this.isLoaded;
    if (this.guests !== picked) return false;
    const seat = target.table ? this.seatAt(target.table) : target.seat;
    const effect = seat && this.effectAt(seat);
    if ((target.table && !seat) || (seat && picked.length === 1 && picked[0] === guestOf(seat))) {
      this.cancel();
      return false;
    }
    const guests = effect?.guests ?? picked;
    if (effect?.tone === "blocked") {
      this.cancel(effect.text);
      return false;
    }
    const fields = fieldsFor(guests, seat, effect);
    if (effect?.breaks?.length) {
      const isWanted = await askAnyway(effect.breaks);
      if (this.guests !== picked) return false;
      if (!isWanted) {
        this.cancel();
        return false;
      }
      fields.set("anyway", "1");
    }
    this.letGo();
    const isMade = await sendMove(fields);
    if (isMade) this.selection.forget(picked);
    return isMade;
  }
}

// Onto a guest is a swap; several guests swap only where their seat's effect says with whom.
function fieldsFor(guests, seat, effect) {
  const other = guests.length === 1 ? guestOf(seat) : effect?.other;
  const fields = new URLSearchParams({ kind: other ? "swap" : "move" });
  for (const guest of guests) fields.append("guests", guest);
  if (other) {
    fields.set("other", other);
    return fields;
  }
  if (seat) {
    fields.set("table", seat.dataset.table);
    fields.set("seat", seat.dataset.seatNumber);
  }
  return fields;
}
