// What fingers and the mouse do in the room: drag the room, pinch, turn the wheel, press a seat, hold a seat.

const HELD_AFTER = 350;
const STILL = 6; // pixels that a press may move
const WHEEL = 0.0018;

// `on` has tap(element, event), pickUp(element, event) and, for what was picked up, dragTo(event) and drop(event); and
// the `band` that selects several guests.
export class Gestures {
  constructor(view, on) {
    this.view = view;
    this.on = on;
    this.points = new Map();
    const { box } = view;
    box.addEventListener("pointerdown", (event) => this.down(event));
    box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    // Browsers scroll for a touch of a drawing's parts, whatever the style says, unless this is prevented.
    box.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    box.addEventListener("contextmenu", (event) => this.start && event.preventDefault());
    window.addEventListener("pointermove", (event) => this.move(event));
    window.addEventListener("pointerup", (event) => this.up(event));
    window.addEventListener("pointercancel", (event) => this.up(event, true));
  }

  // Also for guests outside the room, such as in the tray; links are not dragged as links.
  listenOutside(selector) {
    const isOne = (event) => event.target.closest?.(selector);
    document.addEventListener("pointerdown", (event) => isOne(event) && this.down(event));
    document.addEventListener("touchstart", (event) => isOne(event) && event.preventDefault(), { passive: false });
    document.addEventListener("dragstart", (event) => isOne(event) && event.preventDefault());
  }

  down(event) {
    if (event.button || event.target.closest("a[href]:not([data-seat]), button, summary")) return;
    if (this.on.isBusy(event)) return;
    this.points.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.points.size > 1) {
      clearTimeout(this.holding);
      if (this.start?.isBand && this.start.isMoving) this.on.band.end(true);
      this.start = null;
      return;
    }
    const element = event.target.closest("[data-seat], .table, [data-table]");
    const isBand = this.on.band.isWanted(event);
    this.start = { element, x: event.clientX, y: event.clientY, event, isBand, isInRoom: this.view.box.contains(event.target) };
    if (event.pointerType !== "mouse" && element?.dataset.seat) {
      this.holding = setTimeout(() => this.take(event), HELD_AFTER);
    }
  }

  take(event) {
    const { start } = this;
    if (!start) return;
    this.isDragging = this.on.pickUp(start.element, start.event, event);
    if (this.isDragging) this.on.dragTo(event);
    else start.isRefused = true; // nothing moves, and the room stays where it is
  }

  move(event) {
    const last = this.points.get(event.pointerId);
    if (!last) return;
    this.points.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.isDragging) return this.on.dragTo(event);
    if (this.points.size === 2) return this.pinch(event, last);
    const { start } = this;
    if (!start || start.isRefused) return;
    if (!start.isMoving && Math.hypot(event.clientX - start.x, event.clientY - start.y) < STILL) return;
    clearTimeout(this.holding);
    if (!start.isMoving && event.pointerType === "mouse" && this.on.canPickUp(start.element)) return this.take(event);
    if (!start.isMoving && start.isBand) this.on.band.start(start);
    start.isMoving = true;
    if (start.isBand) this.on.band.drawTo(event);
    else if (start.isInRoom) this.view.pan(event.clientX - last.x, event.clientY - last.y);
  }

  pinch(event, last) {
    const other = [...this.points].find(([id]) => id !== event.pointerId)[1];
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    const middle = { x: (event.clientX + other.x) / 2, y: (event.clientY + other.y) / 2 };
    this.view.pan((event.clientX - last.x) / 2, (event.clientY - last.y) / 2);
    if (before) this.view.zoom(after / before, middle);
  }

  up(event, isCancelled = false) {
    if (!this.points.delete(event.pointerId)) return;
    clearTimeout(this.holding);
    const { start, isDragging } = this;
    if (this.points.size) return;
    this.start = null;
    this.isDragging = false;
    if (isDragging) this.on.drop(event, isCancelled);
    else if (start?.isBand && start.isMoving) this.on.band.end(isCancelled);
    else if (start && !start.isMoving && !start.isRefused && !isCancelled) this.on.tap(start.element, event);
  }

  stop() {
    this.isDragging = false;
    this.start = null;
  }

  wheel(event) {
    event.preventDefault();
    const isSideways = event.shiftKey || (event.deltaX && !event.ctrlKey);
    if (isSideways) return this.view.pan(-(event.deltaX || event.deltaY), event.shiftKey ? 0 : -event.deltaY);
    const lines = event.deltaMode ? 30 : 1;
    const delta = Math.max(-240, Math.min(240, event.deltaY * lines * (event.ctrlKey ? 4 : 1)));
    this.view.zoom(Math.exp(-delta * WHEEL), { x: event.clientX, y: event.clientY });
  }
}
