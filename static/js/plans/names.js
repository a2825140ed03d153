// Names from afar: each is written larger where it fits, then its first line alone, and else the seat shows initials.
// Only the browser knows the zoom; at the usual one every name stands where the server has placed it.

const READABLE = 7.5; // pixels of a name's letters
const LARGEST = 1.9; // a name that would have to grow more is left out
const SEAT = 13;
const FAR_SEAT = 17; // as in room.css
const LINE = 1.08; // from one line to the next, and how far a baseline is below the top, in sizes of type
const BASELINE = 0.83;
const APART = 3;
const ROOM_TEXT = 14; // size of type, as in plan.css
const CELL = 80;
const EVERYWHERE = [-Infinity, -Infinity, Infinity, Infinity];

// The names of a drawing at one zoom. `unit`: pixels of a unit of the drawing; `edges`: beyond them a name is cut.
export class FarNames {
  constructor(picture, unit, size, edges = EVERYWHERE) {
    this.edges = edges;
    this.factor = Math.max(1, READABLE / (unit * size));
    this.taken = new Taken();
    for (const text of picture.querySelectorAll(".room-text")) this.taken.add(boxOfText(text), text);
    this.place([picture]);
  }

  // Places the names of tables that were drawn again; those of all others stay.
  replace(tables) {
    for (const table of tables) this.taken.forget(table.dataset.table);
    this.place(tables);
  }

  place(roots) {
    const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
    const labels = all(".seat[data-seat]").map(read);
    const { factor, taken, edges } = this;
    if (factor === 1) return labels.forEach(reset);
    for (const seat of all(".seat")) taken.add(boxAround(placeOf(seat), FAR_SEAT), seat);
    for (const cloth of all(".cloth")) taken.add(boxOfCloth(cloth), cloth);
    let left = factor > LARGEST ? [] : labels.filter((label) => label.lines.length);
    for (const isWhole of [true, false]) left = left.filter((label) => !place(label, factor, isWhole, taken, edges));
    const without = new Set(factor > LARGEST ? labels : left);
    for (const label of labels) show(label, !without.has(label));
  }
}

const number = (element, name) => Number(element.getAttribute(name));

function read(seat) {
  const lines = [...seat.querySelectorAll(".gname")];
  return {
    seat,
    lines,
    at: placeOf(seat),
    leader: seat.querySelector(".leader"),
    size: lines[0]?.matches(".gname-small") ? 10 : 12,
    places: lines.map((line) => ({ x: number(line, "x"), y: number(line, "y"), width: Number(line.dataset.room) })),
    anchor: lines[0]?.getAttribute("text-anchor"),
  };
}

// Where a seat is in the room.
function placeOf(seat) {
  const { x, y } = seat.closest(".table").dataset;
  const circle = seat.querySelector("circle");
  return { x: Number(x) + number(circle, "cx"), y: Number(y) + number(circle, "cy") };
}

const boxAround = ({ x, y }, reach) => [x - reach, y - reach, x + reach, y + reach];

function boxOfCloth(cloth) {
  const { x, y } = cloth.closest(".table").dataset;
  const [width, height] = sizeOf(cloth);
  const [across, down] = cloth.hasAttribute("transform") ? [height, height] : [width, height];
  return [Number(x) - across / 2, Number(y) - down / 2, Number(x) + across / 2, Number(y) + down / 2];
}

// The text of an item of the room, such as a label: no name is written over it.
function boxOfText(text) {
  const { x, y } = text.closest(".room-item").dataset;
  const [half, line] = [Number(text.dataset.room) / 2, ROOM_TEXT * 0.75];
  const [across, down] = text.hasAttribute("transform") ? [line, half] : [half, line];
  const middle = Number(y) + (text.hasAttribute("transform") ? 0 : number(text, "y") - line / 2);
  return [Number(x) - across, middle - down, Number(x) + across, middle + down];
}

// Read from its attributes: to ask for its box would lay out the drawing at once.
function sizeOf(cloth) {
  if (cloth.localName === "rect") return [number(cloth, "width"), number(cloth, "height")];
  if (cloth.localName === "ellipse") return [2 * number(cloth, "rx"), 2 * number(cloth, "ry")];
  return [2 * number(cloth, "r"), 2 * number(cloth, "r")];
}

// Puts a name beside its seat in large type; false where that would cover something or be cut.
function place(label, factor, isWhole, taken, edges) {
  const { seat, lines, at, anchor, size, places } = label;
  const { x: tableX, y: tableY } = seat.closest(".table").dataset;
  const type = size * factor;
  const count = isWhole ? lines.length : 1;
  const [first] = places;
  const middle = Number(tableY) + first.y - BASELINE * size + (places.length * LINE * size) / 2;
  const step = FAR_SEAT - SEAT;
  const width = first.width * factor * (isWhole ? 1 : shareOfFirst(lines));
  const height = count * LINE * type;
  const isBeside = Math.abs(middle - at.y) < SEAT + 2;
  const isAbove = middle < at.y;
  const half = (places.length * LINE * size) / 2;
  const top = isBeside ? middle - height / 2 : isAbove ? middle + half - step - height : middle - half + step;
  const x = Number(tableX) + first.x + (isBeside ? (anchor === "end" ? -step : step) : 0);
  const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
  const box = [left - APART, top, left + width + APART, top + height];
  if (!isWithin(box, edges) || !taken.isFree(box, seat)) return false;
  taken.add(box, seat);
  lines.forEach((line, row) => {
    line.classList.toggle("is-left-out", row >= count);
    const y = top - Number(tableY) + BASELINE * type + row * LINE * type;
    const [across, down] = [x - Number(tableX) - factor * places[row].x, y - factor * places[row].y];
    line.style.transform = `translate(${across}px, ${down}px) scale(${factor})`;
  });
  return true;
}

const isWithin = (box, edges) =>
  box[0] >= edges[0] && box[1] >= edges[1] && box[2] <= edges[2] && box[3] <= edges[3];

// About how much of the widest line's width the first one takes.
function shareOfFirst(lines) {
  const lengths = lines.map((line) => line.textContent.length);
  return Math.min(1, (1.1 * lengths[0]) / Math.max(...lengths));
}

function show({ seat, leader }, isNamed) {
  seat.classList.toggle("is-unnamed", !isNamed);
  leader?.classList.toggle("is-left-out", !isNamed);
  write(seat, isNamed ? "initial" : "initials");
}

function reset({ seat, lines, leader }) {
  if (!seat.classList.contains("is-unnamed") && !lines[0]?.style.transform) return;
  for (const line of [...lines, leader].filter(Boolean)) {
    line.classList.remove("is-left-out");
    line.style.transform = "";
  }
  seat.classList.remove("is-unnamed");
  write(seat, "initial");
}

function write(seat, which) {
  const text = seat.querySelector(".initial");
  if (text?.dataset[which] && text.textContent !== text.dataset[which]) text.textContent = text.dataset[which];
}

// Boxes that are taken, found by the cells of a grid that they are in.
class Taken {
  constructor() {
    this.cells = new Map();
  }

  add(box, owner) {
    for (const key of cellsOf(box)) {
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push({ box, owner, table: owner.closest(".table")?.dataset.table });
    }
  }

  forget(table) {
    for (const [key, boxes] of this.cells) this.cells.set(key, boxes.filter((one) => one.table !== table));
  }

  isFree(box, owner) {
    const [left, top, right, bottom] = box;
    const covers = ({ box: other, owner: whose }) =>
      whose !== owner && left < other[2] && other[0] < right && top < other[3] && other[1] < bottom;
    return !cellsOf(box).some((key) => this.cells.get(key)?.some(covers));
  }
}

function cellsOf([left, top, right, bottom]) {
  const keys = [];
  for (let across = Math.floor(left / CELL); across <= Math.floor(right / CELL); across += 1) {
    for (let down = Math.floor(top / CELL); down <= Math.floor(bottom / CELL); down += 1) keys.push(`${across}:${down}`);
  }
  return keys;
}
