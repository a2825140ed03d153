// Shows the preview again as soon as a choice changes. Without this script, “Update preview” does it.

const region = document.querySelector("[data-print]");
let turn = 0;

async function update(form) {
  turn += 1;
  const own = turn;
  const address = `${form.action}?${new URLSearchParams(/** @type {any} */ (new FormData(form)))}`; // it holds no files
  region.setAttribute("aria-busy", "true");
  const answer = await fetch(address).catch(() => null);
  const text = answer?.ok && !answer.redirected ? await answer.text() : "";
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
