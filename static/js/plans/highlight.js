// Pointing at a guest in the list lights the seat in the room, and the other way round.

function light(one, lit) {
  const id = one?.dataset.guest ?? one?.dataset.seat;
  if (!id) return;
  for (const part of document.querySelectorAll(`[data-guest="${id}"], [data-seat="${id}"]`)) part.classList.toggle("lit", lit);
}

export function linkListAndRoom() {
  for (const name of /** @type {const} */ (["mouseover", "mouseout", "focusin", "focusout"])) {
    const lit = name === "mouseover" || name === "focusin";
    document.addEventListener(name, (event) => {
      if (!document.body.classList.contains("is-holding")) light(event.target.closest?.("[data-guest], [data-seat]"), lit);
    });
  }
}
