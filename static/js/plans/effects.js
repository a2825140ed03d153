// Shows in every seat what it would do for the guest in hand. Words and signs come from the server.

import { readEffects } from "./server.js";
import { seatAt } from "./seats.js";

const SVG = "http://www.w3.org/2000/svg";
const TONES = { better: "good", same: "soft", worse: "warn", breaks: "breaks", blocked: "soft" };

export class Effects {
  constructor() {
    this.of = new Map();
  }

  async load(guests) {
    const answer = await readEffects(guests);
    this.of = new Map((answer.seats ?? []).map((effect) => [`${effect.table}:${effect.seat}`, effect]));
    this.best = answer.best ?? [];
    return answer;
  }

  at(seat) {
    return seat && this.of.get(`${seat.dataset.table}:${seat.dataset.seatNumber}`);
  }

  show() {
    for (const effect of this.of.values()) {
      const seat = seatAt(effect.table, effect.seat);
      if (seat && effect.sign) draw(seat, effect);
    }
  }

  hide() {
    this.of = new Map();
    clearEffects();
  }
}

export function clearEffects() {
  for (const text of document.querySelectorAll(".floor-picture .effect")) text.remove();
  for (const seat of document.querySelectorAll(".seat.weighed")) seat.classList.remove("weighed");
}

function draw(seat, effect) {
  const circle = seat.querySelector("circle");
  const text = document.createElementNS(SVG, "text");
  text.setAttribute("class", `mono effect effect-${TONES[effect.tone]}${effect.sign.length > 4 ? " effect-long" : ""}`);
  text.setAttribute("x", circle.getAttribute("cx"));
  text.setAttribute("y", String(Number(circle.getAttribute("cy")) + 4));
  text.textContent = effect.sign;
  seat.append(text);
  seat.classList.add("weighed");
}
