// Shows matching names as you type. Without this script, the button loads a page of results.

const WAIT = 250;
const form = document.querySelector("form[data-wish-search]");
const status = document.querySelector("[data-wish-status]");
const results = document.querySelector("[data-wish-results]");
const template = document.querySelector("template[data-wish-row]");
let timer = 0;
let asked = 0;

function row(one) {
  const item = /** @type {HTMLElement} */ (template.content.firstElementChild.cloneNode(true));
  item.querySelector("input[name=guest]").value = one.reference;
  item.querySelector("bdi").textContent = one.name;
  return item;
}

function show(found, text) {
  const wished = new Set([...document.querySelectorAll("#wishes input[name=guest]")].map((input) => input.value));
  const fresh = found.filter((one) => !wished.has(one.reference));
  results.replaceChildren(...fresh.map(row));
  status.textContent = fresh.length ? (fresh.length === 1 ? "1 name" : `${fresh.length} names`) : text;
}

async function search() {
  const text = form.querySelector("input[name=q]").value.trim();
  const number = ++asked;
  if (text.length === 0) return show([], "");
  try {
    const address = `${form.action}?${new URLSearchParams({ q: text })}`;
    const answer = await fetch(address, { headers: { accept: "application/json" } });
    const body = await answer.json();
    if (number !== asked) return;
    if (answer.ok) show(body.found, body.advice);
    else show([], body.detail);
  } catch {
    if (number === asked) show([], "No response. Press Find to try again.");
  }
}

if (form) {
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, WAIT);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    search();
  });
}
