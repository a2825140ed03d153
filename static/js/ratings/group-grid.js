// The group grid: saves each answer as you choose it and updates its note.

import { refreshProgress } from "../events/progress.js";

const MEASURE_AFTER = 1500;
const form = document.querySelector("form[data-group-form]");
const hint = form.querySelector("[data-group-hint]");
const word = form.querySelector("[data-group-word]");
const LEVELS = { "-2": "lv-m2", "-1": "lv-m1", 0: "lv-0", 1: "lv-p1", 2: "lv-p2" };
let line = Promise.resolve();

const wasOf = (select) => /** @type {HTMLInputElement} */ (form.elements.namedItem(select.name.replace("score/", "was/")));

function paint(select) {
  select.classList.remove(...Object.values(LEVELS));
  if (LEVELS[select.value]) select.classList.add(LEVELS[select.value]);
}

async function save(select) {
  const was = wasOf(select);
  const value = select.value;
  word.textContent = "Saving…";
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams({ form_token: form.querySelector("input[name=form_token]").value, [was.name]: was.value, [select.name]: value }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail);
    was.value = value;
    for (const [name, note] of Object.entries(answer.notes)) {
      const place = form.querySelector(`[data-note="${name}"]`);
      if (place) place.textContent = note;
    }
    explain(select);
    word.textContent = "Saved.";
    refreshProgress(MEASURE_AFTER);
  } catch (error) {
    word.textContent = `Not saved. ${error.message || "Cannot reach the server."} Press Save to try again.`;
    form.querySelector("[data-save-all]").hidden = false;
  }
}

// One explanation for all cells, in view below the grid: of the cell under the pointer, else of the one in focus.
function explain(target) {
  const note = target instanceof Element && target.closest(".group-cell")?.querySelector(".group-note");
  if (note) hint.textContent = note.textContent;
}

form.addEventListener("focusin", (event) => explain(event.target));
form.addEventListener("pointerover", (event) => explain(event.target));
form.addEventListener("pointerleave", () => explain(document.activeElement));
form.addEventListener("change", (event) => {
  const select = event.target;
  if (!(select instanceof HTMLSelectElement)) return;
  paint(select);
  line = line.then(() => save(select));
});

form.classList.add("has-script");
form.querySelector("[data-save-all]").hidden = true;
