// Shows in every seat what it would do for the guest in hand. Words and signs come from the server.

import { readEffects } from "./server.js";
import { guestOf, seatAt } from "./seats.js";

const SVG = "http://www.w3.org/2000/svg";
const TONES = { better: "good", same: "soft", worse: "warn", breaks: "breaks", blocked: "soft" };

const WEIGHED = ["weighed", ...new Set(Object.values(TONES).map((tone) => `weighed-${tone}`))];

export class Effects {
  constructor() {
    this.of = new Map();
  }

  async load(guests, isAlone) {
    const answer = await readEffects(guests, isAlone);
    this.of = new Map((answer.seats ?? []).map((effect) => [`${effect.table}:${effect.seat}`, effect]));
    this.best = answer.best ?? [];
    return answer;
  }

  at(seat) {
    return seat && this.of.get(`${seat.dataset.table}:${seat.dataset.seatNumber}`);
  }

  // The seat that suits best at a table: a free one, or else the best guest to swap with.
  bestAt(table) {
    const here = [...this.of.values()].filter((effect) => effect.table === table && effect.sign && effect.tone !== "blocked");
    const ranked = here.map((effect) => ({ effect, seat: seatAt(effect.table, effect.seat) })).filter((one) => one.seat);
    ranked.sort((one, other) => rank(one) - rank(other) || other.effect.gain - one.effect.gain);
    return ranked[0]?.seat ?? null;
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

// Whatever breaks nothing comes first, and free seats before swaps.
const rank = ({ effect, seat }) => (effect.tone === "breaks" ? 2 : 0) + (guestOf(seat) ? 1 : 0);

export function clearEffects() {
  for (const text of document.querySelectorAll(".floor-picture .effect")) text.remove();
  for (const seat of document.querySelectorAll(".seat.weighed")) seat.classList.remove("separates", ...WEIGHED);
}

function draw(seat, effect) {
  const circle = seat.querySelector("circle");
  const text = document.createElementNS(SVG, "text");
  const { sign } = effect;
  const tone = effect.separates ? "soft" : TONES[effect.tone];
  text.setAttribute("class", `mono effect effect-${tone}${sign.length > 2 ? " effect-long" : ""}`);
  text.setAttribute("x", circle.getAttribute("cx"));
  text.setAttribute("y", String(Number(circle.getAttribute("cy")) + 4.5));
  text.textContent = sign;
  seat.append(text);
  seat.classList.add("weighed", `weighed-${tone}`);
  seat.classList.toggle("separates", effect.separates);
}
