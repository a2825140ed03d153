// Moves and scales the room. A gesture changes one transform of a sheet that is a picture of its own, so a frame is cheap.

import { FarNames } from "./names.js";

const SMALLEST = 0.5;
const LARGEST = 12;
const STEP = 1.35;
const PAN = 80;
const SETTLED_AFTER = 160;
const READABLE = 7; // pixels of a name's letters
const CLEAR = 9; // and of those beside which marks can be distinguished
const TITLE = 11; // pixels of a table's name, where it has room
const NAME_SIZE = 12;
const [LETTER, MIDDLE] = [0.62, 0.4]; // the width of a letter and its middle, in sizes of type
const [BEYOND, FAR_BEYOND] = [1.15, 2.4]; // a title over its cloth, and over its seats where nothing else can be read
const [USUAL_TITLE, SMALL_TITLE] = [15, 12]; // as in plan.css
const INSET = 60; // pixels around something that is brought into view
const BELOW = 110; // and below it, where the tray and the buttons are

export class View {
  constructor(stage) {
    this.box = stage.querySelector("[data-view]");
    this.sheet = stage.querySelector("[data-sheet]");
    this.fit();
    new ResizeObserver(() => this.settle()).observe(this.box);
  }

  // The drawing is replaced when tables change.
  get picture() {
    return this.sheet.querySelector(".floor-picture");
  }

  // Whether names, and seats for a finger, are too small.
  get isFar() {
    return this.box.classList.contains("is-far");
  }

  fit() {
    this.set(0, 0, 1);
  }

  set(x, y, scale) {
    this.x = x;
    this.y = y;
    this.scale = scale;
    this.box.classList.add("is-moving");
    this.frame ??= requestAnimationFrame(() => this.draw());
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), SETTLED_AFTER);
  }

  draw() {
    this.frame = undefined;
    const isHome = !this.x && !this.y && this.scale === 1;
    this.sheet.style.transform = isHome ? "" : `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
  }

  // After a gesture the sheet is painted afresh, sharp, and with the names that can be read.
  settle() {
    if (this.frame) return;
    this.box.classList.remove("is-moving");
    this.unit = this.picture.getScreenCTM()?.a ?? 1;
    const size = this.unit * NAME_SIZE;
    const isFarther = size < READABLE / 1.6;
    this.box.classList.toggle("is-small", size < CLEAR);
    this.box.classList.toggle("is-far", size < READABLE);
    this.box.classList.toggle("is-farther", isFarther);
    this.beyond = isFarther ? FAR_BEYOND : BEYOND;
    this.enlarge(this.picture);
    this.names = new FarNames(this.picture, this.unit, this.isFar ? NAME_SIZE : Infinity, this.edges());
  }

  enlarge(part) {
    for (const title of part.querySelectorAll(".tname")) enlarge(title, this.unit, this.isFar && this.beyond);
  }

  // Where names can be seen while the whole room is in view, in units of the drawing: from left, top, right to bottom.
  edges() {
    const [box, drawn] = [this.box.getBoundingClientRect(), this.picture.getScreenCTM()];
    const padding = Number.parseFloat(getComputedStyle(this.sheet).paddingTop) || 0;
    const across = (pixels) => (box.left + this.x + this.scale * pixels - drawn.e) / drawn.a;
    const down = (pixels) => (box.top + this.y + this.scale * pixels - drawn.f) / drawn.d;
    return drawn ? [across(0), down(padding), across(box.width), down(box.height)] : undefined;
  }

  // After parts of the room were replaced: the names of new tables get their places, and all others keep theirs.
  settleAfter(parts) {
    const tables = parts.filter((part) => part.matches(".table"));
    if (!this.names) return this.settle();
    for (const table of tables) this.enlarge(table);
    this.names.replace(tables);
  }

  // Tables have made room for others, so names have to be placed again.
  forget() {
    this.names = null;
  }

  pan(across, down) {
    this.set(this.x + across, this.y + down, this.scale);
  }

  // Scales around a point of the window, which stays where it is.
  zoom(factor, point) {
    const box = this.box.getBoundingClientRect();
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    const [left, top] = point ? [point.x - box.x, point.y - box.y] : [box.width / 2, box.height / 2];
    const share = scale / this.scale;
    this.set(left - (left - this.x) * share, top - (top - this.y) * share, scale);
  }

  zoomIn() {
    this.zoom(STEP);
  }

  zoomOut() {
    this.zoom(1 / STEP);
  }

  // Moves the room until an element is in view, and larger where its name could not be read.
  bring(element, isClose = false) {
    if (isClose && this.isFar) {
      const middle = middleOf(element);
      this.zoom((READABLE * 1.4) / (this.picture.getScreenCTM().a * NAME_SIZE), middle);
      this.draw();
      const [here, whole] = [middleOf(element), middleOf(this.box)];
      return this.pan(whole.x - here.x, whole.y - here.y);
    }
    const [box, room] = [element.getBoundingClientRect(), this.box.getBoundingClientRect()];
    const across = Math.max(room.left + INSET - box.left, 0) - Math.max(box.right - room.right + INSET, 0);
    const down = Math.max(room.top + INSET - box.top, 0) - Math.max(box.bottom - room.bottom + BELOW, 0);
    if (across || down) this.pan(across, down);
  }

  // The keys of the room itself: true where one of them was pressed.
  press(key) {
    const moves = { ArrowLeft: [PAN, 0], ArrowRight: [-PAN, 0], ArrowUp: [0, PAN], ArrowDown: [0, -PAN] };
    if (moves[key]) this.pan(...moves[key]);
    else if (key === "+" || key === "=") this.zoomIn();
    else if (key === "-" || key === "−") this.zoomOut();
    else if (key === "0") this.fit();
    else return false;
    return true;
  }
}

// Names of tables are all that can be read from afar: they grow until they fill the table, or go `beyond` it.
function enlarge(title, unit, beyond) {
  if (!beyond || title.parentElement.querySelectorAll(".tname").length > 1) {
    if (title.style.fontSize) title.style.fontSize = title.style.transform = "";
    return;
  }
  const usual = title.matches(".tname-small") ? SMALL_TITLE : USUAL_TITLE;
  const fitting = (Number(title.dataset.room) * beyond) / (title.textContent.length * LETTER);
  const size = Math.max(usual, Math.min(TITLE / unit, fitting));
  title.style.fontSize = `${size}px`;
  title.style.transform = `translateY(${size * MIDDLE}px)`; // the line below it is not shown
}

export function middleOf(element) {
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
