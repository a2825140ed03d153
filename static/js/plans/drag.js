// Dragging guests with the mouse or a finger: a ghost follows, the seat below shows its effect, the room moves at its edges.

import { say } from "./announce.js";
import { guestOf, householdOf } from "./seats.js";

const EDGE = 40; // pixels from the edge where the room begins to move
const SPEED = 9;
const FINGER = 44; // pixels around the middle of a finger that it covers
const WORDS = 150; // pixels that the words beside the pointer take

export class Drag {
  constructor(view, hand, selection) {
    this.view = view;
    this.hand = hand;
    this.selection = selection;
  }

  canPickUp(element) {
    return Boolean(element?.dataset.seat);
  }

  // Returns whether guests are in hand now. Of a locked guest it says why not.
  pickUp(element, event) {
    if (!this.canPickUp(element)) return false;
    if (element.querySelector(".seat-lock")) {
      say(`${nameOf(element)} is locked. Unlock them to move them.`);
      return false;
    }
    const guest = guestOf(element);
    const guests = event.altKey ? householdOf(guest) : this.selection.with(guest);
    this.isTouch = event.pointerType !== "mouse";
    const isLoaded = this.hand.pickUp(guests, event.ctrlKey || event.metaKey);
    isLoaded.then(() => this.at && this.request()); // also for a pointer that rests
    this.show(guests.length > 1 ? `${guests.length} guests` : nameOf(element));
    if (this.isTouch) navigator.vibrate?.(15);
    return true;
  }

  show(name) {
    this.ghost = document.createElement("div");
    this.ghost.className = this.isTouch ? "ghost is-touch" : "ghost";
    const label = document.createElement("span");
    label.className = "ghost-name";
    label.textContent = name;
    this.words = document.createElement("span");
    this.words.className = "ghost-effect";
    this.ghost.append(label, this.words);
    this.ring = document.createElement("div");
    this.ring.className = "ring";
    this.ring.hidden = true;
    document.body.append(this.ring, this.ghost);
  }

  dragTo(event) {
    this.at = { x: event.clientX, y: event.clientY };
    this.request();
  }

  request() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = undefined;
    if (!this.ghost) return;
    const { x, y } = this.at;
    this.ghost.style.transform = `translate(${this.across(x)}, ${this.down(y)})`;
    this.aim(document.elementFromPoint(x, y));
    if (this.panAtEdges(x, y)) this.frame = requestAnimationFrame(() => this.draw());
  }

  // All of the ghost stays in the window. Its own width is not read in a frame: the browser knows it.
  across(x) {
    return `min(${Math.max(4, this.isTouch ? x - 60 : x + 14)}px, ${innerWidth - 4}px - 100%)`;
  }

  // Below the mouse, above a finger; on the other side where there is no room.
  down(y) {
    const above = `calc(${y - (this.isTouch ? FINGER : 10)}px - 100%)`;
    const below = `${y + (this.isTouch ? FINGER : 10)}px`;
    return this.isTouch ? (y < WORDS ? below : above) : y + WORDS > innerHeight ? above : below;
  }

  // Marks what is below with a ring of its own: the drawing is not painted again.
  aim(element) {
    const table = element?.closest(".table[data-table]")?.dataset.table ?? null;
    const seat = element?.closest(".seat[data-table]") ?? (table && this.hand.seatAt(table));
    const tray = element?.closest("[data-tray]") ?? null;
    if (seat !== this.seat || tray !== this.tray) {
      this.tray?.classList.remove("is-target");
      tray?.classList.add("is-target");
      this.seat = seat;
      this.tray = tray;
    }
    this.table = element?.closest(".seat") ? null : table;
    this.words.textContent = seat ? (this.hand.effectAt(seat)?.text ?? "") : (tray?.dataset.words ?? "");
    this.ring.hidden = !seat;
    if (!seat) return;
    const box = seat.querySelector("circle").getBoundingClientRect();
    this.ring.style.transform = `translate(${box.x - 5}px, ${box.y - 5}px)`;
    this.ring.style.inlineSize = this.ring.style.blockSize = `${box.width + 10}px`;
  }

  panAtEdges(x, y) {
    const room = this.view.box.getBoundingClientRect();
    if (x < room.left || x > room.right || y < room.top || y > room.bottom || this.tray) return false;
    const across = x < room.left + EDGE ? SPEED : x > room.right - EDGE ? -SPEED : 0;
    const down = y < room.top + EDGE ? SPEED : y > room.bottom - EDGE ? -SPEED : 0;
    if (across || down) this.view.pan(across, down);
    return Boolean(across || down);
  }

  drop(event, isCancelled) {
    if (!isCancelled) {
      this.at = { x: event.clientX, y: event.clientY };
      this.aim(document.elementFromPoint(event.clientX, event.clientY));
    }
    const { seat, table, tray } = this;
    this.end();
    if (isCancelled || (!seat && !table && !tray)) return this.hand.cancel();
    return this.hand.drop({ seat, table });
  }

  end() {
    this.ghost?.remove();
    this.ring?.remove();
    this.tray?.classList.remove("is-target");
    this.ghost = null;
    this.seat = null;
    this.table = null;
    this.tray = null;
  }
}

export function nameOf(element) {
  const title = element.querySelector("title")?.textContent ?? element.textContent;
  return title.split(": ")[0].trim();
}
