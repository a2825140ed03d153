// The three best places for the guests in hand, as buttons at the end of the panel.

import { seatAt } from "./seats.js";

export function showBest(effects, drop) {
  const box = document.querySelector("[data-best]");
  if (!box) return;
  const buttons = effects.map((effect) => {
    const button = document.createElement("button");
    button.className = "btn";
    button.type = "button";
    button.textContent = effect.text;
    button.addEventListener("click", () => drop({ seat: seatAt(effect.table, effect.seat) }));
    return button;
  });
  box.querySelector("[data-best-list]").replaceChildren(...buttons);
  box.hidden = !buttons.length;
}
