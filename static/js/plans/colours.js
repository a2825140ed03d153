// Colours of the seats by choice, and a legend whose entries dim all others.

const stage = () => document.getElementById("floor");

export class Colours {
  listen() {
    document.addEventListener("click", (event) => this.click(event));
    document.addEventListener("parts", () => this.filter());
  }

  click(event) {
    const link = event.target.closest("[data-colour-mode]");
    const entry = event.target.closest("[data-filter]");
    if (link) {
      event.preventDefault();
      this.choose(link);
    } else if (entry) {
      entry.setAttribute("aria-pressed", entry.getAttribute("aria-pressed") !== "true");
      this.filter();
    }
    const menu = document.querySelector("details.ws-colours");
    if (menu?.open && (link || !menu.contains(event.target))) menu.open = false;
  }

  choose(link) {
    const mode = link.dataset.colourMode;
    stage().dataset.colour = mode;
    for (const legend of document.querySelectorAll("[data-legend]")) legend.hidden = legend.dataset.legend !== mode;
    for (const one of document.querySelectorAll("[data-colour-mode]")) one.toggleAttribute("aria-current", one === link);
    for (const one of document.querySelectorAll("[data-filter]")) one.setAttribute("aria-pressed", "false");
    document.querySelector("[data-colour-name]").textContent = link.textContent.toLowerCase();
    document.querySelector(".ws-colours > summary").focus();
    this.filter();
  }

  filter() {
    const mode = stage()?.dataset.colour;
    const pressed = document.querySelectorAll('[data-legend]:not([hidden]) [data-filter][aria-pressed="true"]');
    const wanted = [...pressed].map((entry) => entry.dataset.filter);
    for (const seat of document.querySelectorAll(".seat[data-seat]")) {
      seat.classList.toggle("is-dim", wanted.length > 0 && !keysOf(seat, mode).some((key) => wanted.includes(key)));
    }
  }
}

function keysOf(seat, mode) {
  if (mode !== "fit") return (seat.dataset[mode] ?? "none").split(" ");
  return [["h2", "h1", "h0"].find((level) => seat.classList.contains(level)) ?? "none"];
}
