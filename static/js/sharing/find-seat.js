// Finds a guest's table by any part of their name. Without this script, the names stand from A to Z.

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-find]"));
const answer = document.querySelector("[data-answer]");
const input = form.querySelector("input");
const MOST_MATES = 12;
let people = [];

function readNames() {
  people = [...document.querySelectorAll("[data-names] li")].map((row) => {
    const name = row.firstElementChild.textContent;
    return { row, name, text: plain(name), table: row.lastElementChild.textContent };
  });
}

// Each word must match the start of a part of the name, in any order: “vir ain” finds Aino Virtanen.
const matches = (text, words) => words.every((word) => ` ${text}`.includes(` ${word}`) || text.includes(`-${word}`));

function narrow() {
  const words = plain(input.value).split(/\s+/).filter(Boolean);
  const found = people.filter((one) => {
    const isFound = matches(one.text, words);
    one.row.hidden = !isFound;
    return isFound;
  });
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
  box.append(element("p", "seat-name", one.name), element("p", "seat-table", one.table));
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
