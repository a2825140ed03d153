// Colours of the seats by choice, and a legend and marks whose entries dim all others.

const stage = () => document.getElementById("floor");
const seats = () => document.querySelectorAll(".floor-picture .seat[data-seat]");
const pressed = (selector) => [...document.querySelectorAll(`${selector}[aria-pressed="true"]`)];

export class Colours {
  listen() {
    document.addEventListener("click", (event) => this.click(event));
    document.addEventListener("parts", (event) => {
      const { detail } = /** @type {CustomEvent<Element[]>} */ (event);
      if (detail?.some((part) => part.id === "legend")) this.show(stage().dataset.colour);
      else this.paint();
    });
  }

  click(event) {
    const link = event.target.closest("[data-colour-mode]");
    const entry = event.target.closest("[data-filter], [data-filter-mark]");
    if (link) {
      event.preventDefault();
      this.show(link.dataset.colourMode);
      link.closest("details").removeAttribute("open");
      link.closest("details").querySelector("summary").focus();
    } else if (entry) {
      entry.setAttribute("aria-pressed", entry.getAttribute("aria-pressed") !== "true");
      this.filter();
    }
  }

  // Shows one of the ways to colour, or the first one where it is gone.
  show(wanted) {
    const links = [...document.querySelectorAll("a[data-colour-mode]")];
    const link = links.find((one) => one.getAttribute("data-colour-mode") === wanted) ?? links[0];
    const mode = link?.getAttribute("data-colour-mode") ?? "fit";
    stage().dataset.colour = mode;
    for (const legend of document.querySelectorAll("ul[data-legend]")) {
      legend.toggleAttribute("hidden", legend.getAttribute("data-legend") !== mode);
    }
    for (const one of links) one.toggleAttribute("aria-current", one === link);
    for (const one of pressed("[data-filter]")) one.setAttribute("aria-pressed", "false");
    if (link) document.querySelector("[data-colour-name]").textContent = link.textContent;
    this.paint();
  }

  // The server colours the seats of a page; those that come later, or in another way, are coloured here.
  paint() {
    const legend = shownLegend();
    const shades = Object.fromEntries(
      [...(legend?.querySelectorAll("[data-swatch]") ?? [])].map((one) => [one.dataset.filter, one.dataset.swatch]),
    );
    for (const seat of seats()) {
      const shade = shades[keysOf(seat, legend)[0]];
      if (shade && seat.dataset.shade !== shade) seat.dataset.shade = shade;
      else if (!shade) delete seat.dataset.shade;
    }
    this.filter();
  }

  filter() {
    const legend = shownLegend();
    const wanted = pressed("[data-legend]:not([hidden]) [data-filter]").map((entry) => entry.dataset.filter);
    const marks = pressed("[data-filter-mark]");
    const keys = marks.map((mark) => mark.dataset.filterMark);
    for (const seat of seats()) {
      const own = (seat.dataset.marks ?? "").split(" ");
      const isMeant = !wanted.length || keysOf(seat, legend).some((key) => wanted.includes(key));
      const isMarked = !keys.length || own.some((mark) => keys.includes(mark));
      seat.classList.toggle("is-dim", !(isMeant && isMarked));
    }
    const names = document.querySelector("[data-mark-names]");
    const words = marks.map((mark) => mark.querySelector("span").textContent.toLowerCase()).join(", ");
    if (names) names.textContent = words && `: ${words}`;
  }
}

const shownLegend = () => document.querySelector("ul[data-legend]:not([hidden])");

// The entries of a legend that a seat belongs to.
function keysOf(seat, legend) {
  const place = Number(legend?.dataset.place ?? -1);
  if (place < 0) return [["h2", "h1", "h0"].find((level) => seat.classList.contains(level)) ?? "none"];
  const values = (seat.dataset.values ?? "").split(";")[place];
  return values ? values.split(".") : ["none"];
}
