// Makes the rows and cells of the guest table.

import { wordsOf } from "./rows.js";

export const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const isolated = (text) => element("bdi", {}, text);

function tag(column, value) {
  const [, words, colour] = column.options.find(([known]) => known === value) ?? [value, value, "grey"];
  return element("span", { class: `tag spot spot-${colour || "grey"}` }, isolated(words));
}

export function fillCell(cell, column, value) {
  const words = wordsOf(column, value);
  if (words.length > 8) cell.title = words;
  else cell.removeAttribute("title");
  if (column.key === "name") return;
  if (column.key === "reply") cell.replaceChildren(element("span", { class: `tag tag-reply-${value}` }, words));
  else if (Array.isArray(value) && column.open) cell.replaceChildren(...value.map((one) => tag(column, one)));
  else if (typeof value === "boolean") cell.replaceChildren(element("span", { class: "gt-box", "aria-hidden": "true" }, value ? "✓" : ""), element("span", { class: "visually-hidden" }, value ? "Yes" : "No"));
  else cell.replaceChildren(words ? isolated(words) : "");
}

// The line below the name that narrow screens show instead of the columns.
export function summaryOf(rows, row) {
  const shown = ["party", "groups", "diet"].filter((key) => rows.keys.has(key));
  return shown.map((key) => wordsOf(rows.column(key), row[rows.keys.get(key)])).filter(Boolean).join(" · ");
}
