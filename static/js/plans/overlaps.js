// Finds tables that stand on each other, by what is on the screen: a seat in the cloth or on a seat of another table.

const INSIDE = 0.8; // of a cloth or of two seats: those that only touch are fine

function drawn(table) {
  const seats = [...table.querySelectorAll(".seat > circle")].map((circle) => middle(circle.getBoundingClientRect()));
  return { table, seats, cloth: middle(table.querySelector(".cloth").getBoundingClientRect()) };
}

const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2, width: width / 2, height: height / 2 });

const isOn = (one, other) =>
  Math.abs(one.x - other.x) < INSIDE * (one.width + other.width) && Math.abs(one.y - other.y) < INSIDE * (one.height + other.height);

const isInside = (seat, cloth) =>
  Math.abs(seat.x - cloth.x) < INSIDE * cloth.width && Math.abs(seat.y - cloth.y) < INSIDE * cloth.height;

function overlap(one, other) {
  if (isOn(one.cloth, other.cloth)) return true;
  const near = one.seats.some((seat) => isInside(seat, other.cloth) || other.seats.some((beside) => isOn(seat, beside)));
  return near || other.seats.some((seat) => isInside(seat, one.cloth));
}

// Marks the tables that overlap, and returns those on which this one stands.
export function markOverlaps(tables, moved = null) {
  const all = tables.map(drawn);
  const marked = new Set();
  const below = [];
  for (const [number, one] of all.entries()) {
    for (const other of all.slice(number + 1)) {
      if (!overlap(one, other)) continue;
      marked.add(one.table).add(other.table);
      if (one.table === moved) below.push(other.table);
      if (other.table === moved) below.push(one.table);
    }
  }
  for (const table of tables) table.classList.toggle("is-overlapping", marked.has(table));
  return below;
}
