// On a phone the room covers the page: whoever is chosen there is shown in a sheet at its bottom edge.

const SPACE = 48; // pixels between a seat and the sheet
const stage = () => document.getElementById("floor");

export const isRoomOverPage = () => stage() !== null && getComputedStyle(stage()).position === "fixed";

export function openSheet(view, seat) {
  if (!isRoomOverPage()) return;
  document.body.classList.add("has-sheet");
  const { top } = document.getElementById("panel").getBoundingClientRect();
  const below = (seat?.getBoundingClientRect().bottom ?? 0) + SPACE - top;
  if (below > 0) view.pan(0, -below);
}

export function closeSheet() {
  document.body.classList.remove("has-sheet");
}

// Opens the room where it is one tap away, for guests who were picked up in the list.
export function showRoom() {
  if (getComputedStyle(stage()).display === "none") location.hash = "floor";
}

export function listenToSheet() {
  window.addEventListener("hashchange", closeSheet);
  document.addEventListener("click", (event) => event.target.closest("[data-close-sheet]") && closeSheet());
}
