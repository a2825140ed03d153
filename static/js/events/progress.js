// How settled the plan is, as shown by templates/events/_progress.html.

const LOOK_AGAIN = 1500;
const WAITS = 40;

const bars = () => [...document.querySelectorAll("[data-settled]")];

export function showProgress(progress) {
  if (!progress) return;
  for (const root of bars()) {
    const bar = root.querySelector("progress");
    bar.hidden = progress.percent === null;
    bar.value = progress.percent ?? 0;
    root.querySelector("[data-settled-text]").textContent = progress.text;
    root.querySelector(".settled-words").classList.toggle("is-settled", progress.is_settled);
    root.toggleAttribute("data-outdated", !progress.is_current);
  }
}

let waiting = 0;

// Measures again until the answer is up to date. A later call replaces an earlier one.
export function refreshProgress(delay = 0) {
  const [root] = bars();
  if (!root) return;
  waiting += 1;
  const own = waiting;
  setTimeout(() => measure(root, own), delay);
}

async function measure(root, own) {
  for (let wait = 0; wait < WAITS; wait += 1) {
    const response = await fetch(root.dataset.settled, { method: "POST", headers: { "X-Form-Token": root.dataset.token } }).catch(() => null);
    if (!response?.ok || own !== waiting) return;
    const answer = await response.json();
    showProgress(answer.progress);
    if (!answer.coming) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
  }
}
