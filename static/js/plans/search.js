// Finds a guest or a table by a few letters, in the list and in the room.

import { seatOf } from "./seats.js";

const MARKS = /\p{Diacritic}/gu;
const plain = (text) => text.normalize("NFD").replace(MARKS, "").toLowerCase().trim();

export class Search {
  constructor(view) {
    this.view = view;
    this.place = document.querySelector("[data-find]");
    if (!this.place) return;
    this.place.hidden = false;
    this.input = this.place.querySelector("input");
    this.input.addEventListener("input", () => this.run());
    this.input.addEventListener("keydown", (event) => this.press(event));
    this.filterAll();
  }

  // Hides what does not match, also in tables that were replaced; nothing moves.
  filterAll() {
    const wanted = plain(this.input.value);
    this.found = [];
    if (wanted || this.isFiltered) for (const card of document.querySelectorAll(".table-card")) this.filter(card, wanted);
    this.isFiltered = Boolean(wanted);
    return wanted;
  }

  run() {
    const wanted = this.filterAll();
    const count = this.found.length;
    this.place.querySelector("[data-found]").textContent =
      wanted && (count ? `${count} ${count === 1 ? "guest" : "guests"} found` : "No match. Try just the first letters.");
    this.light(wanted ? this.found : []);
  }

  filter(card, wanted) {
    const isTable = wanted && plain(card.querySelector(".card-title").textContent).includes(wanted);
    const rows = [...card.querySelectorAll(".guest-row")];
    const matching = rows.filter((row) => isTable || plain(row.querySelector("bdi").textContent).includes(wanted));
    for (const row of rows) row.hidden = Boolean(wanted) && !matching.includes(row);
    card.hidden = Boolean(wanted) && !matching.length && !isTable;
    if (wanted) card.open = matching.length > 0;
    if (wanted) this.found.push(...matching);
  }

  // Marks all who were found in the room; Enter opens the first, who is brought into view.
  light(rows) {
    for (const one of document.querySelectorAll(".is-found")) one.classList.remove("is-found");
    rows[0]?.classList.add("is-found");
    const seats = rows.map((row) => seatOf(row.dataset.guest)).filter(Boolean);
    for (const seat of seats) seat.classList.add("is-found");
    if (seats.length && this.view?.box.offsetParent) this.view.bring(seats[0]);
  }

  press(event) {
    if (event.key === "Escape" && this.input.value) {
      this.input.value = "";
      this.run();
      event.preventDefault();
    }
    if (event.key !== "Enter" || !this.found?.length) return;
    event.preventDefault();
    this.found[0].querySelector("a")?.click();
  }
}
