// Arranging the room: tables and items are dragged, turned and nudged, with guides where they line up. Guests stay.

import { say, sayMore } from "./announce.js";
import { markOverlaps } from "./overlaps.js";
import { saveRoom } from "./room-changes.js";

const SVG = "http://www.w3.org/2000/svg";
const SNAP = 10; // floor units within which a table lines up with another
const STEP = 6; // floor units of an arrow key: a tenth of a metre
const TURN = 15; // degrees

const LEAST = 12; // floor units of a side

// Whatever can be moved is a table or an item of the room, such as a dance floor; items can be resized, too.
const THINGS = ".table, .room-item";
const tables = () => [...document.querySelectorAll(".floor-picture .table")];
const things = () => [...document.querySelectorAll(".floor-picture :is(.table, .room-item)")];
const isItem = (thing) => thing.matches(".room-item");
const again = (thing) =>
  isItem(thing) ? document.querySelector(`.room-item[data-item="${thing.dataset.item}"]`) : document.getElementById(thing.id);

function placeOf({ dataset }) {
  const { x, y, rotation, width, height } = dataset;
  return { x: Number(x), y: Number(y), turn: Number(rotation), width: Number(width), height: Number(height) };
}

const nameOf = (table) => table.querySelector("title").textContent.replace(/ \(locked\)$/, "");

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
    else for (const thing of things()) for (const name of ["tabindex", "role", "aria-label"]) thing.removeAttribute(name);
    this.choose(null);
    say(isOn ? "Drag tables and room items to move them. Arrow keys nudge, R turns, W and H resize items." : "");
  }

  prepare() {
    for (const thing of things()) {
      thing.setAttribute("tabindex", "0");
      thing.setAttribute("role", "group");
      thing.setAttribute("aria-label", thing.dataset.label ?? thing.querySelector("title").textContent);
    }
    markOverlaps(tables());
    if (this.chosen) this.choose(again(this.chosen));
  }

  // Says which tables the one just moved stands on.
  warn(table) {
    const [below, ...more] = markOverlaps(tables(), table).map(nameOf);
    if (!below) return;
    const others = more.length ? `${below} and ${more.length} more` : below;
    sayMore(`${nameOf(table)} overlaps ${others}. Move them apart, or choose Arrange again.`);
  }

  // Marks a table or an item, and gives it a handle to turn it by; an item also one to resize it by.
  choose(thing) {
    for (const one of document.querySelectorAll(".turner, .sizer")) one.remove();
    for (const one of document.querySelectorAll(".floor-picture .is-chosen")) one.classList.remove("is-chosen");
    this.chosen = thing;
    if (!thing) return;
    thing.classList.add("is-chosen");
    const { turn, width, height } = placeOf(thing);
    if (isItem(thing)) {
      const turned = { transform: `rotate(${turn})` };
      this.draw("circle", { class: "turner", r: 8, cx: 0, cy: -height / 2 - 18, ...turned }, thing);
      this.draw("rect", { class: "sizer", x: width / 2 - 8, y: height / 2 - 8, width: 16, height: 16, rx: 3, ...turned }, thing);
      return;
    }
    const box = thing.querySelector(".cloth").getBBox();
    this.draw("circle", { class: "turner", r: 8, cx: 0, cy: -Math.max(box.width, box.height) / 2 - 14 }, thing);
  }

  isHeldBy(event) {
    return this.held?.pointer === event.pointerId;
  }

  down(event) {
    if (this.held) return this.letGo(); // a second finger is no way to place a table
    const thing = event.target.closest(THINGS);
    if (!thing || event.button) return;
    event.preventDefault();
    const how = event.target.closest(".turner") ? "turn" : event.target.closest(".sizer") ? "resize" : "slide";
    if (how === "slide") this.choose(thing);
    thing.focus({ preventScroll: true });
    const others = things().filter((one) => one !== thing).map(placeOf);
    this.held = { pointer: event.pointerId, thing, how, start: this.pointAt(event), place: placeOf(thing), others };
  }

  move(event) {
    const { held } = this;
    const at = this.pointAt(event);
    held.isMoved ||= Math.hypot(at.x - held.start.x, at.y - held.start.y) > 3;
    if (!held.isMoved) return;
    if (held.how === "turn") this.turnTo(at);
    else if (held.how === "resize") this.resizeTo(at);
    else this.slideTo(held.place.x + at.x - held.start.x, held.place.y + at.y - held.start.y);
  }

  // The middle stays, so that a turned item grows where one pulls.
  resizeTo(at) {
    const { thing, place } = this.held;
    const angle = (-place.turn * Math.PI) / 180;
    const [across, down] = [at.x - place.x, at.y - place.y];
    const half = {
      x: Math.abs(across * Math.cos(angle) - down * Math.sin(angle)),
      y: Math.abs(across * Math.sin(angle) + down * Math.cos(angle)),
    };
    const [width, height] = [half.x, half.y].map((side) => Math.max(LEAST, Math.round((2 * side) / STEP) * STEP));
    this.held.to = { ...place, width, height };
    const box = thing.querySelector("rect");
    for (const [name, value] of Object.entries({ x: -width / 2, y: -height / 2, width, height })) box.setAttribute(name, String(value));
    const sizer = thing.querySelector(".sizer");
    sizer.setAttribute("x", String(width / 2 - 8));
    sizer.setAttribute("y", String(height / 2 - 8));
  }

  slideTo(x, y) {
    const { held } = this;
    const across = held.others.find((other) => Math.abs(other.x - x) < SNAP);
    const along = held.others.find((other) => Math.abs(other.y - y) < SNAP);
    held.to = { ...held.place, x: across?.x ?? x, y: along?.y ?? y };
    held.thing.setAttribute("transform", `translate(${held.to.x} ${held.to.y})`);
    this.guide(across?.x, along?.y);
  }

  turnTo(at) {
    const { held } = this;
    const angle = (Math.atan2(at.x - held.place.x, held.place.y - at.y) * 180) / Math.PI;
    held.to = { ...held.place, turn: (Math.round(angle / TURN) * TURN + 360) % 360 };
    const extra = held.to.turn - held.place.turn;
    held.thing.setAttribute("transform", `translate(${held.place.x} ${held.place.y}) rotate(${extra})`);
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

  // Puts it back where it was.
  letGo() {
    const { thing, place } = this.held;
    this.held = null;
    this.guide();
    thing.setAttribute("transform", `translate(${place.x} ${place.y})`);
  }

  drop() {
    const { thing, to } = this.held;
    this.held = null;
    this.guide();
    if (to) this.save(thing, to);
  }

  async save(thing, to) {
    const from = { ...thing.dataset };
    Object.assign(thing.dataset, { x: to.x, y: to.y, rotation: to.turn });
    const isSaved = await (isItem(thing) ? saveItem(thing, to) : saveTables(thing));
    const shown = again(thing); // missing where somebody has removed it meanwhile
    if (!shown) return;
    if (!isSaved) putBack(shown, from);
    else if (!isItem(shown)) this.warn(shown);
    shown.focus({ preventScroll: true });
  }

  press(event) {
    const thing = event.target.closest?.(THINGS);
    if (!thing || event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = placeOf(thing);
    const far = event.shiftKey ? 5 * STEP : STEP;
    const steps = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] };
    const [across, down] = steps[event.key] ?? [0, 0];
    const turn = event.key.toLowerCase() === "r" ? (event.shiftKey ? -TURN : TURN) : 0;
    const size = isItem(thing) ? sizeAfter(event, place) : null;
    if (!across && !down && !turn && !size) return;
    event.preventDefault();
    this.chosen = thing;
    this.save(thing, { ...place, ...size, x: place.x + across, y: place.y + down, turn: (place.turn + turn + 360) % 360 });
  }

  pointAt(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.view.picture.getScreenCTM().inverse());
  }
}

// W makes an item wider, H longer; with Shift less so.
function sizeAfter(event, place) {
  const side = { w: "width", h: "height" }[event.key.toLowerCase()];
  const step = event.shiftKey ? -5 * STEP : 5 * STEP;
  return side ? { [side]: Math.max(LEAST, place[side] + step) } : null;
}

function saveItem(item, { x, y, turn, width, height }) {
  return saveRoom("items", { item: item.dataset.item, place: JSON.stringify({ x, y, width, height, rotation: turn }) });
}

// Saves all places at once while some tables have none of their own, or these would move when one gets a place.
function saveTables(table) {
  const isPlaced = tables().every((one) => "placed" in one.dataset);
  const places = (isPlaced ? [table] : tables()).map((one) => {
    const { x, y, turn } = placeOf(one);
    return { table: one.dataset.table, x, y, rotation: turn };
  });
  return saveRoom("places", { places: JSON.stringify(places) });
}

// A table whose new place could not be saved goes back, so that the room never shows what is not true.
function putBack(table, { x, y, rotation }) {
  Object.assign(table.dataset, { x, y, rotation });
  table.setAttribute("transform", `translate(${x} ${y})`);
}
