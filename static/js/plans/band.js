// A band drawn over the room with Shift held, or with the tool for it: whoever sits inside is selected.

import { say } from "./announce.js";

export class Band {
  constructor(view, selection) {
    this.view = view;
    this.selection = selection;
    this.tool = document.querySelector("[data-select-tool]");
  }

  listen() {
    this.tool.hidden = false;
    this.tool.addEventListener("click", () => this.toggle());
  }

  get isOn() {
    return this.tool.getAttribute("aria-pressed") === "true";
  }

  toggle() {
    const isOn = !this.isOn;
    this.tool.setAttribute("aria-pressed", String(isOn));
    document.body.classList.toggle("is-selecting", isOn);
    say(isOn ? "Drag a box around guests, or choose them one by one. Then drag one of them to move them all." : "");
  }

  // Whether a press there begins a band: on the floor or a cloth, where no guest is.
  isWanted(event) {
    return (event.shiftKey || this.isOn) && !event.target.closest("[data-seat]") && this.view.box.contains(event.target);
  }

  start({ x, y }) {
    this.from = { x, y };
    this.area = null;
    this.box = document.createElement("div");
    this.box.className = "band";
    document.body.append(this.box);
  }

  drawTo(event) {
    const [left, right] = [this.from.x, event.clientX].toSorted((one, other) => one - other);
    const [top, bottom] = [this.from.y, event.clientY].toSorted((one, other) => one - other);
    this.area = { left, right, top, bottom };
    this.box.style.transform = `translate(${left}px, ${top}px)`;
    this.box.style.inlineSize = `${right - left}px`;
    this.box.style.blockSize = `${bottom - top}px`;
  }

  // Adds those inside to the selection.
  end(isCancelled) {
    this.box.remove();
    const { area } = this;
    if (isCancelled || !area) return;
    const seats = [...this.view.picture.querySelectorAll(".seat[data-seat]")].filter((seat) => isInside(seat, area));
    const count = this.selection.add(seats.map((seat) => seat.dataset.seat));
    say(count ? `${count} selected. Drag one of them to move them all; Escape clears the selection.` : "Nobody selected.");
  }
}

function isInside(seat, { left, right, top, bottom }) {
  const box = seat.querySelector("circle").getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x > left && x < right && y > top && y < bottom;
}
