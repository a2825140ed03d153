// Arranging the room: tables are dragged, turned and nudged, with guides where they line up. Guests stay where they are.

import { say } from "./announce.js";
import { saveRoom } from "./room-changes.js";

const SVG = "http://www.w3.org/2000/svg";
const SNAP = 10; // floor units within which a table lines up with another
const STEP = 6; // floor units of an arrow key: a tenth of a metre
const TURN = 15; // degrees

const tables = () => [...document.querySelectorAll(".floor-picture .table")];
const placeOf = (table) => ({ x: Number(table.dataset.x), y: Number(table.dataset.y), turn: Number(table.dataset.rotation) });

export class Arrange {
  constructor(view) {
    this.view = view;
    this.button = document.querySelector("[data-arrange]");
    this.button.setAttribute("role", "button");
    this.button.setAttribute("aria-pressed", "false");
  }

  listen() {
    this.button.addEventListener("click", (event) => this.toggle(event));
    this.view.box.addEventListener("pointerdown", (event) => this.isOn && this.down(event));
    window.addEventListener("pointermove", (event) => this.isHeldBy(event) && this.move(event));
    window.addEventListener("pointerup", (event) => this.isHeldBy(event) && this.drop());
    window.addEventListener("pointercancel", (event) => this.isHeldBy(event) && this.letGo());
    document.addEventListener("keydown", (event) => this.isOn && this.press(event));
    document.addEventListener("parts", () => this.isOn && this.prepare());
  }

  get isOn() {
    return document.body.classList.contains("is-arranging");
  }

  toggle(event) {
    event.preventDefault();
    const isOn = document.body.classList.toggle("is-arranging");
    this.button.setAttribute("aria-pressed", String(isOn));
    this.button.textContent = isOn ? "Done" : "Arrange room";
    for (const tool of document.querySelectorAll("[data-arrange-tool]")) tool.hidden = !isOn;
    if (isOn) this.prepare();
    else for (const table of tables()) for (const name of ["tabindex", "role", "aria-label"]) table.removeAttribute(name);
    this.choose(null);
    say(isOn ? "Drag tables to move them. Arrow keys nudge, R turns." : "");
  }

  prepare() {
    for (const table of tables()) {
      table.setAttribute("tabindex", "0");
      table.setAttribute("role", "group");
      table.setAttribute("aria-label", table.querySelector("title").textContent);
    }
    if (this.chosen) this.choose(document.getElementById(this.chosen.id));
  }

  // Marks a table and gives it a handle to turn it by.
  choose(table) {
    for (const one of document.querySelectorAll(".turner, .table.is-chosen")) {
      if (one.matches(".turner")) one.remove();
      else one.classList.remove("is-chosen");
    }
    this.chosen = table;
    if (!table) return;
    table.classList.add("is-chosen");
    const box = table.querySelector(".cloth").getBBox();
    this.draw("circle", { class: "turner", r: 8, cx: 0, cy: -Math.max(box.width, box.height) / 2 - 14 }, table);
  }

  isHeldBy(event) {
    return this.held?.pointer === event.pointerId;
  }

  down(event) {
    if (this.held) return this.letGo(); // a second finger is no way to place a table
    const table = event.target.closest(".table");
    if (!table || event.button) return;
    event.preventDefault();
    const isTurning = Boolean(event.target.closest(".turner"));
    if (!isTurning) this.choose(table);
    table.focus({ preventScroll: true });
    this.held = { pointer: event.pointerId, table, isTurning, start: this.pointAt(event), place: placeOf(table), others: tables().filter((one) => one !== table).map(placeOf) };
  }

  move(event) {
    const { held } = this;
    const at = this.pointAt(event);
    held.isMoved ||= Math.hypot(at.x - held.start.x, at.y - held.start.y) > 3;
    if (!held.isMoved) return;
    if (held.isTurning) this.turnTo(at);
    else this.slideTo(held.place.x + at.x - held.start.x, held.place.y + at.y - held.start.y);
  }

  slideTo(x, y) {
    const { held } = this;
    const across = held.others.find((other) => Math.abs(other.x - x) < SNAP);
    const along = held.others.find((other) => Math.abs(other.y - y) < SNAP);
    held.to = { ...held.place, x: across?.x ?? x, y: along?.y ?? y };
    held.table.setAttribute("transform", `translate(${held.to.x} ${held.to.y})`);
    this.guide(across?.x, along?.y);
  }

  turnTo(at) {
    const { held } = this;
    const angle = (Math.atan2(at.x - held.place.x, held.place.y - at.y) * 180) / Math.PI;
    held.to = { ...held.place, turn: (Math.round(angle / TURN) * TURN + 360) % 360 };
    const extra = held.to.turn - held.place.turn;
    held.table.setAttribute("transform", `translate(${held.place.x} ${held.place.y}) rotate(${extra})`);
  }

  guide(x, y) {
    for (const line of document.querySelectorAll(".guide")) line.remove();
    const box = this.view.picture.viewBox.baseVal;
    if (x !== undefined) this.draw("line", { class: "guide", x1: x, x2: x, y1: box.y, y2: box.y + box.height });
    if (y !== undefined) this.draw("line", { class: "guide", y1: y, y2: y, x1: box.x, x2: box.x + box.width });
  }

  draw(name, attributes, parent = this.view.picture) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
  }

  // Puts the table back where it was.
  letGo() {
    const { table, place } = this.held;
    this.held = null;
    this.guide();
    table.setAttribute("transform", `translate(${place.x} ${place.y})`);
  }

  drop() {
    const { table, to } = this.held;
    this.held = null;
    this.guide();
    if (to) this.save(table, to);
  }

  // Saves all places at once while some tables have none of their own, or these would move when one gets a place.
  async save(table, to) {
    const from = { ...table.dataset };
    Object.assign(table.dataset, { x: to.x, y: to.y, rotation: to.turn });
    const isPlaced = tables().every((one) => "placed" in one.dataset);
    const wanted = isPlaced ? [table] : tables();
    const places = wanted.map((one) => {
      const { x, y, turn } = placeOf(one);
      return { table: one.dataset.table, x, y, rotation: turn };
    });
    const isSaved = await saveRoom("places", { places: JSON.stringify(places) });
    const shown = document.getElementById(table.id); // missing where somebody has removed the table meanwhile
    if (!shown) return;
    if (!isSaved) putBack(shown, from);
    shown.focus({ preventScroll: true });
  }

  press(event) {
    const table = event.target.closest?.(".table");
    if (!table || event.target.closest("input, select, textarea")) return;
    const place = placeOf(table);
    const far = event.shiftKey ? 5 * STEP : STEP;
    const steps = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] };
    const [across, down] = steps[event.key] ?? [0, 0];
    const turn = event.key.toLowerCase() === "r" ? (event.shiftKey ? -TURN : TURN) : 0;
    if (!across && !down && !turn) return;
    event.preventDefault();
    this.chosen = table;
    this.save(table, { x: place.x + across, y: place.y + down, turn: (place.turn + turn + 360) % 360 });
  }

  pointAt(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.view.picture.getScreenCTM().inverse());
  }
}

// A table whose new place could not be saved goes back, so that the room never shows what is not true.
function putBack(table, { x, y, rotation }) {
  Object.assign(table.dataset, { x, y, rotation });
  table.setAttribute("transform", `translate(${x} ${y})`);
}
