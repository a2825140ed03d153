// Filters the tables of a shared plan by name, and shows the table of a single match.

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const form = document.querySelector("[data-find]");
const answer = document.querySelector("[data-find-answer]");
const tables = [...document.querySelectorAll("[data-find-in] > .card")].map((card) => ({
  card,
  name: card.querySelector(".card-title").textContent,
  guests: [...card.querySelectorAll("li")].map((row) => ({ row, name: row.textContent, text: plain(row.textContent) })),
}));

// Each word must match the start of a part of the name, in any order: “vir ain” finds Aino Virtanen.
const matches = (text, words) => words.every((word) => ` ${text}`.includes(` ${word}`) || ` ${text}`.includes(`-${word}`));

function narrow(value) {
  const words = plain(value).split(/\s+/).filter(Boolean);
  const found = [];
  for (const table of tables) {
    for (const guest of table.guests) {
      const isFound = matches(guest.text, words);
      guest.row.hidden = !isFound;
      if (isFound && words.length) found.push(`${guest.name} sits at ${table.name}.`);
    }
    table.card.hidden = table.guests.every((guest) => guest.row.hidden);
  }
  answer.textContent = words.length ? say(found) : "";
}

function say(found) {
  if (found.length === 1) return found[0];
  return found.length ? `${found.length} guests match.` : "No match. Try just the first letters.";
}

if (form) {
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  const input = form.querySelector("input");
  input.addEventListener("input", () => narrow(input.value));
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
