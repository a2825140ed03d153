// How settled the plan is, as shown by templates/events/_progress.html. A list of events shows it for each.

import { askAgain } from "../web/ask-again.js";

const bars = () => [...document.querySelectorAll("[data-settled]")];

export function showProgress(progress, address = bars()[0]?.dataset.settled) {
  if (!progress) return;
  for (const root of bars().filter((one) => one.dataset.settled === address)) {
    const bar = root.querySelector("progress");
    bar.hidden = progress.percent === null;
    bar.value = progress.percent ?? 0;
    root.querySelector("[data-settled-text]").textContent = progress.text;
    root.querySelector(".settled-words").classList.toggle("is-settled", progress.is_settled);
    root.toggleAttribute("data-outdated", !progress.is_current);
  }
}

const waiting = new Map();

// Measures again until the answer is up to date. A later call for the same event replaces an earlier one.
export function refreshProgress(delay = 0, [root] = bars()) {
  if (!root) return;
  const address = root.dataset.settled;
  const own = (waiting.get(address) ?? 0) + 1;
  waiting.set(address, own);
  setTimeout(() => measure(root, address, own), delay);
}

function measure(root, address, own) {
  const send = () => fetch(address, { method: "POST", headers: { "X-Form-Token": root.dataset.token } });
  return askAgain(send, async (response) => {
    if (own !== waiting.get(address)) return false;
    const answer = await response.json();
    showProgress(answer.progress, address);
    return answer.coming;
  });
}
