// The rating form of one guest: saves each row as you rate it; keys 1 to 5 set the level.

import { Saver, showCounts, writeNumber } from "./saver.js";

const form = document.querySelector("[data-rating-form]");

const rowOf = (guest) => form.querySelector(`[data-other="${guest}"]`);
const nameOf = (row) => row.querySelector("bdi, label").textContent;

function show(row, score) {
  const text = score === null ? "" : String(score);
  row.querySelector('[name^="was/"]').value = text;
  const radios = [...row.querySelectorAll("input[type=radio]")];
  if (!radios.length) {
    row.querySelector("input.input").value = score === null ? "" : writeNumber(score);
    return;
  }
  for (const radio of radios) radio.checked = radio.value === text;
  const between = score !== null && !radios.some((radio) => radio.checked);
  row.querySelector("[data-between]").textContent = between ? `now ${score > 0 ? "+" : ""}${writeNumber(score)}` : "";
}

function mark(row, message) {
  const input = row.querySelector("input.input");
  row.querySelector("[data-refused]")?.remove();
  input?.removeAttribute("aria-invalid");
  input?.removeAttribute("aria-describedby");
  if (!message) return;
  const note = document.createElement("p");
  note.className = "field-error";
  note.id = `refused-${row.dataset.other}`;
  note.dataset.refused = "";
  note.textContent = message;
  row.append(note);
  input?.setAttribute("aria-invalid", "true");
  input?.setAttribute("aria-describedby", note.id);
}

function onSaved({ a, b }, answer, isLast) {
  const row = rowOf(a === form.dataset.guest ? b : a);
  showCounts(answer);
  if (!isLast) return;
  mark(row, "");
  show(row, answer.score);
  saver.announce(`${nameOf(row)}: saved.`);
}

function onRefused({ a, b }, detail) {
  const row = rowOf(a === form.dataset.guest ? b : a);
  mark(row, detail);
  saver.announce(`${nameOf(row)}: ${detail}`);
}

function onConflict({ a, b }, score) {
  const row = rowOf(a === form.dataset.guest ? b : a);
  show(row, score);
  const message = "Someone else just changed this. Choose again to change it.";
  mark(row, message);
  saver.announce(`${nameOf(row)}: ${message}`, 2);
}

function onChange(event) {
  const row = event.target.closest("[data-other]");
  saver.announce("Saving…");
  saver.save(form.dataset.guest, row.dataset.other, event.target.value.trim(), row.querySelector('[name^="was/"]').value);
}

function onKey(event) {
  if (event.target.type !== "radio" || event.ctrlKey || event.altKey || event.metaKey) return;
  const radios = [...event.target.closest("[data-other]").querySelectorAll("input[type=radio]")];
  const clears = ["0", "Delete", "Backspace"].includes(event.key);
  const chosen = clears ? radios[5] : /^[1-5]$/.test(event.key) ? radios[event.key - 1] : null;
  if (!chosen) return;
  event.preventDefault();
  chosen.focus();
  if (chosen.checked) return;
  chosen.checked = true;
  chosen.dispatchEvent(new Event("change", { bubbles: true }));
}

function onSubmit(event) {
  event.preventDefault();
  /** @type {HTMLElement} */ (document.activeElement).blur();
}

let saver;
if (form) {
  saver = new Saver(document.querySelector("[data-saving]"), { onSaved, onRefused, onConflict });
  form.addEventListener("change", onChange);
  form.addEventListener("keydown", onKey);
  form.addEventListener("submit", onSubmit);
  form.querySelector("[data-save-all]").hidden = true;
  const help = document.querySelector("[data-form-help]");
  if (help) help.hidden = false;
}
