// Finds seats in the room, and the order in which keys go through them.

const picture = () => document.querySelector(".floor-picture");

export const seatOf = (guest) => picture()?.querySelector(`[data-seat="${guest}"]`);

export const guestOf = (seat) => seat?.dataset.seat ?? "";

export const seatAt = (table, number) =>
  picture()?.querySelector(`.seat[data-table="${table}"][data-seat-number="${number}"]`);

// The household of a guest, with the guest first.
export function householdOf(guest) {
  const seat = seatOf(guest);
  const household = seat?.dataset.household;
  if (!household || household === "none") return [guest];
  const others = [...picture().querySelectorAll(`[data-household="${household}"]`)].map(guestOf);
  return [guest, ...others.filter((other) => other !== guest)];
}

// Makes seats reachable by keyboard: one at a time, as in a grid.
export function prepareSeats(tables = [picture()]) {
  const seats = tables.flatMap((table) => [...(table?.querySelectorAll(".seat[data-table]") ?? [])]);
  for (const seat of seats) {
    if (seat.hasAttribute("role")) continue;
    if (!seat.hasAttribute("tabindex")) seat.setAttribute("tabindex", "-1");
    seat.setAttribute("role", "button");
    seat.setAttribute("aria-label", seat.querySelector("title").textContent);
  }
  if (picture()?.querySelector('.seat[tabindex="0"]')) return;
  picture()?.querySelector(".seat[data-table]")?.setAttribute("tabindex", "0");
}

export function focusSeat(seat) {
  for (const other of picture().querySelectorAll('.seat[tabindex="0"]')) other.setAttribute("tabindex", "-1");
  seat.setAttribute("tabindex", "0");
  seat.focus({ preventScroll: true });
}

// Tables from left to right in rows, as one reads; a row is as high as a table.
export function tablesInOrder() {
  const boxes = [...picture().querySelectorAll(".table")].map((table) => {
    const box = table.querySelector(".cloth").getBoundingClientRect();
    return { table, x: box.x + box.width / 2, y: box.y + box.height / 2, height: box.height };
  });
  const height = Math.max(...boxes.map((box) => box.height), 1);
  boxes.sort((one, other) => one.y - other.y);
  const rows = [];
  for (const box of boxes) {
    if (!rows.length || box.y - rows.at(-1)[0].y > height) rows.push([]);
    rows.at(-1).push(box);
  }
  return rows.flatMap((row) => row.toSorted((one, other) => one.x - other.x)).map((box) => box.table);
}

// The seat to which an arrow key leads: along the table, or to the next table.
export function nextSeat(seat, key) {
  const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const tables = tablesInOrder();
  const table = seat.closest(".table");
  const other = tables[(tables.indexOf(table) + step + tables.length) % tables.length];
  if (key === "ArrowUp" || key === "ArrowDown") return other.querySelector(".seat");
  const seats = [...table.querySelectorAll(".seat")];
  const next = seats[seats.indexOf(seat) + step];
  return next ?? [...other.querySelectorAll(".seat")].at(step > 0 ? 0 : -1);
}
