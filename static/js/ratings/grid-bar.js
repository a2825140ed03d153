// The bar of the grid: the selected pair, the source of its value, and buttons to rate all selected cells.

import { GROUP, GUESS, NOTHING, PARTY, RATING, WISH } from "./grid-data.js";
import { shortNumber } from "./grid-view.js";
import { writeNumber } from "./saver.js";

const LIKELY = 1; // a standard deviation below one level; app/ratings/text.py has the same

export function isolated(text) {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
}

export class Bar {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.scores = data.kind === "score";
    this.number = root.querySelector("#pair-number");
    this.words = new Map([...root.querySelectorAll("[data-score]")].map((b) => [Number(b.dataset.score), b.dataset.words]));
  }

  wordsOf(value) {
    if (Number.isNaN(value)) return "not rated";
    return this.words.get(value) ?? `${this.scores && value > 0 ? "+" : ""}${writeNumber(value)}`;
  }

  // "+1 · from groups (Family × Colleagues)", "get along · probably"
  describe(i, j) {
    const { data } = this, value = shortNumber(data.value(i, j), this.scores);
    switch (data.sourceAt(i, j)) {
      case RATING: return `${value} · rated`;
      case WISH: return `${value} · their wish`;
      case PARTY: return `${value} · same household`;
      case GROUP: {
        const groups = data.groupsAt(i, j);
        return groups ? `${value} · from groups (${groups.join(" × ")})` : `${value} · from groups`;
      }
      case GUESS: {
        const level = Math.min(Math.max(Math.round(data.value(i, j)), -2), 2);
        return `${this.words.get(level)} · ${data.spreadAt(i, j) < LIKELY ? "probably" : "perhaps"}`;
      }
      case NOTHING: return this.scores ? "not rated · counts as neutral" : "not rated";
    }
    return "";
  }

  show({ row, column }, many) {
    const { data, root } = this;
    const self = data.isSelf(row, column) && many < 2;
    const value = self ? NaN : data.rating(row, column);
    const [a, b] = [data.rows[row].name, data.columns[column].name];
    const names = many > 1 ? [`${many} pairs`] : self ? [isolated(a)] : [isolated(a), " & ", isolated(b)];
    root.querySelector("[data-pair-names]").replaceChildren(...names);
    root.querySelector("[data-pair-source]").textContent = many > 1 ? "Choose a level or enter a number to set them all." : self ? "" : this.describe(row, column);
    for (const button of root.querySelectorAll("[data-score]")) {
      const holds = many < 2 && Number(button.dataset.score) === value;
      button.setAttribute("aria-pressed", holds);
      button.classList.toggle(button.dataset.level, holds);
    }
    for (const control of root.querySelectorAll("[data-score], [data-pair-number] :is(button, input)")) control.disabled = self;
    if (document.activeElement !== this.number) this.number.value = Number.isNaN(value) ? "" : writeNumber(value);
  }
}
