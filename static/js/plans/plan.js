// Keeps the scroll position while a plan is edited: links and forms with data-stay are fetched and replace the page in place.
// Hovering a guest in the list highlights the seat on the floor plan, and the other way round.

import { fitText } from "../web/fit-text.js";

const PARTS = [".top-actions", "main"];
const SHOWN_FOR = 10000;
const read = (text) => new DOMParser().parseFromString(text, "text/html");

async function show(address, options, hash = "", button = "") {
  const answer = await fetch(address, { ...options, headers: { Accept: "text/html" } });
  const page = read(await answer.text());
  if (!page.querySelector("[data-plan]")) {
    location.assign(options.method === "POST" ? location.href : answer.url);
    return;
  }
  for (const part of PARTS) document.querySelector(part).replaceWith(page.querySelector(part));
  fitText(document);
  document.title = page.title;
  if (!new URL(answer.url).pathname.endsWith("/moves")) history.replaceState(null, "", plainAddress(answer.url));
  tell(page.querySelector("[data-message]").textContent);
  focusOn(hash, button);
}

// The URL without the last edit, so that a reload does not show its message again.
function plainAddress(address) {
  const url = new URL(address);
  url.searchParams.delete("done");
  return url.pathname + url.search + url.hash;
}

let passing;

function tell(text) {
  const place = document.querySelector("[data-message]");
  clearTimeout(passing);
  place.textContent = text;
  passing = setTimeout(() => place.replaceChildren(), SHOWN_FOR);
}

function focusOn(hash, button) {
  const target = document.querySelector("main [role=alert]") ?? document.getElementById(hash.slice(1));
  if (!target) {
    document.querySelector(`.top-actions button[value="${button}"]:enabled`)?.focus({ preventScroll: true });
    return;
  }
  const focusable = target.matches("a, button, [tabindex]") ? target : target.querySelector("a, button, select, input:not([type=hidden])");
  (focusable ?? target).focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-stay]");
  const seat = event.target.closest("[data-seat]");
  const wanted = link ?? (seat && document.querySelector(`[data-guest="${seat.dataset.seat}"] a[data-stay]`));
  if (!wanted || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(wanted.href, {}, wanted.hash).catch(() => location.assign(wanted.href));
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-stay]");
  if (!form) return;
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (event.submitter);
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form, button))); // it holds no files
  const hash = body.has("guest") ? `#g-${body.get("guest")}` : "";
  show(form.action, { method: "POST", body }, hash, button?.value).catch(() => location.reload());
});

function light(one, lit) {
  const id = one?.dataset.guest ?? one?.dataset.seat;
  if (!id) return;
  for (const part of document.querySelectorAll(`[data-guest="${id}"], [data-seat="${id}"]`)) part.classList.toggle("lit", lit);
}

for (const name of /** @type {const} */ (["mouseover", "mouseout", "focusin", "focusout"])) {
  const lit = name === "mouseover" || name === "focusin";
  document.addEventListener(name, (event) => light(event.target.closest?.("[data-guest], [data-seat]"), lit));
}

// The summary links to guests who need attention: the link scrolls to the row and highlights the seat.
function lightTarget() {
  for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
  light(document.getElementById(location.hash.slice(1)), true);
}

window.addEventListener("hashchange", lightTarget);
lightTarget();
tell(document.querySelector("[data-message]").textContent);
history.replaceState(null, "", plainAddress(location.href));

fitText(document);
