// Finds a guest's table by any part of their name. Without this script, the names stand from A to Z.

import { findByName, plain } from "./door/search.js";

const COMPANY = / \(with .*\)$/; // who is with a namesake is no part of their name
const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-find]"));
const answer = document.querySelector("[data-answer]");
const input = form.querySelector("input");
const MOST_MATES = 12;
let people = [];

function readNames() {
  people = [...document.querySelectorAll("[data-names] li")].map((row) => {
    const name = row.firstElementChild.textContent;
    const places = [...row.lastElementChild.children].map((place) => place.textContent);
    return { row, name, plain: plain(name.replace(COMPANY, "")), places, table: places.join(" · ") };
  });
}

// Each word must begin a part of the name, in any order: “vir ain” finds Aino Virtanen. If nobody has such a name, any
// part counts: “connor” finds O'Connor.
function find(words) {
  const found = people.filter((one) => words.every((word) => ` ${one.plain}`.includes(` ${word}`)));
  return found.length ? found : findByName(people, words.join(" "));
}

function narrow() {
  const words = plain(input.value).split(" ").filter(Boolean);
  const found = find(words);
  const rows = new Set(found.map((one) => one.row));
  for (const one of people) one.row.hidden = !rows.has(one.row);
  for (const section of document.querySelectorAll("[data-names] section")) {
    section.toggleAttribute("hidden", !section.querySelector("li:not([hidden])"));
  }
  const names = document.querySelector("[data-names]");
  names.classList.toggle("searching", words.length > 0);
  names.toggleAttribute("hidden", words.length > 0 && found.length === 1);
  document.querySelector("[data-letters]")?.toggleAttribute("hidden", true);
  answer.replaceChildren(...(words.length ? say(found) : []));
}

function say(found) {
  if (found.length === 1) return [seatOf(found[0])];
  const text = found.length
    ? `${found.length} names match. Type more, or look below.`
    : "No match. Try just the first letters of your name.";
  return [element("p", "", text)];
}

function seatOf(one) {
  const box = element("div", "seat");
  const style = one.places.length > 1 ? "seat-table seat-route" : "seat-table";
  box.append(element("p", "seat-name", one.name), ...one.places.map((text) => element("p", style, text)));
  const mates = people.filter((other) => other !== one && other.table === one.table).map((other) => other.name);
  if (mates.length) box.append(element("p", "seat-with", `with ${listed(mates)}`));
  return box;
}

function listed(names) {
  const shown = names.slice(0, MOST_MATES);
  if (names.length > MOST_MATES) shown.push(`${names.length - MOST_MATES} more`);
  return new Intl.ListFormat("en", { type: "conjunction" }).format(shown);
}

function element(tag, style, text = "") {
  const made = document.createElement(tag);
  if (style) made.className = style;
  made.dir = "auto";
  made.textContent = text;
  return made;
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
input.addEventListener("input", narrow);
document.addEventListener("seating-changed", () => {
  readNames();
  narrow();
});
readNames();
narrow();
