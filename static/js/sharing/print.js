// Shows the preview again as soon as a choice changes. Without this script, “Update preview” does it.

const region = document.querySelector("[data-print]");
const progress = document.querySelector("[data-progress]");
const SLOW = 700; // milliseconds after which people want to know that something happens
let turn = 0;

// Says that a document is being typeset, once it takes longer than a blink; returns what takes the words away.
function announce() {
  const wait = setTimeout(() => {
    progress.textContent = "Typesetting… This takes a few seconds for many guests.";
  }, SLOW);
  return () => {
    clearTimeout(wait);
    progress.textContent = "";
  };
}

async function update(form) {
  turn += 1;
  const own = turn;
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form))); // it holds no files
  const address = `${form.action}?${fields}`;
  region.setAttribute("aria-busy", "true");
  const done = announce();
  const answer = await fetch(`${address}&wait=1`).catch(() => null);
  const text = answer?.ok && !answer.redirected ? await answer.text() : "";
  done();
  if (own !== turn) return; // a newer choice is on its way
  if (!text) return void form.submit(); // the page itself says what is wrong
  const page = new DOMParser().parseFromString(text, "text/html");
  const focused = document.activeElement?.id;
  region.replaceChildren(...page.querySelector("[data-print]").childNodes);
  region.removeAttribute("aria-busy");
  history.replaceState(null, "", address);
  if (focused) document.getElementById(focused)?.focus();
}

region?.addEventListener("change", () => void update(region.querySelector("form[method=get]")));
