// Questions about pairs of guests or of groups, and lists of guests: shows the next card immediately and saves the answer in the background.
// Works without this script too.

import { refreshProgress, showProgress } from "../events/progress.js";
import { Saver } from "../ratings/saver.js";
import { askAgain } from "../web/ask-again.js";

const MEASURE_AFTER = 1500;
const root = document.querySelector("[data-questions]");
const form = root.querySelector("form[data-card]");
const at = (name) => root.querySelector(`[data-${name}]`);
const undoButtons = [...root.querySelectorAll("[data-undo]")];
const listForm = root.querySelector("form[data-list]");
const keyOf = (a, b) => [a, b].toSorted().join();
const keysOfCard = (card) => (card.rows ? card.rows.map((row) => keyOf(card.guest.id, row.id)) : [keyOf(card.a.id, card.b.id)]);
const keyOfCard = (card) => keysOfCard(card).join(" ");
const words = new Map([...form.querySelectorAll("button[name=answer]")].map((button) => [button.value, labelOf(button)]));

let deck = JSON.parse(root.dataset.deck).cards;
let shown = deck[0] ?? null;
const given = [];

function labelOf(button) {
  return button.children.length > 1 ? button.children[1] : button.firstChild;
}

// Of two wordings, the one that fits the card.
function wordsOf(said) {
  const label = words.get(said);
  const fitting = label instanceof Element && label.querySelector(`.for-${form.dataset.kind}`);
  return (fitting || label).textContent.trim();
}

// Never replace the visible card; new cards from the server come after it.
function takeDeck(answered) {
  const done = new Set([...given.map(({ card }) => card), shown].filter(Boolean).flatMap(keysOfCard));
  deck = answered.cards.filter((card) => !keysOfCard(card).some((key) => done.has(key)));
  if (shown) deck.unshift(shown);
  else show(deck[0] ?? null);
  at("rated").textContent = answered.rated;
  showProgress(answered.progress);
}

function show(card) {
  shown = card;
  const waits = !card && saver.waiting.size > 0; // more may come with what is being saved
  form.hidden = !card || Boolean(card.rows);
  if (listForm) listForm.hidden = !card?.rows;
  at("wait").hidden = !waits;
  at("done").hidden = Boolean(card) || waits;
  for (const button of undoButtons) button.hidden = !given.length;
  if (!card) return;
  if (card.rows) {
    showList(card);
    return;
  }
  for (const side of ["a", "b"]) {
    form.elements[side].value = card[side].id;
    for (const place of root.querySelectorAll(`[data-name="${side}"]`)) place.textContent = card[side].name;
    const about = root.querySelector(`[data-about="${side}"]`);
    if (about) about.textContent = card[side].about;
  }
  if (form.dataset.kind) form.dataset.kind = card.within ? "within" : "between";
  at("why").textContent = card.why;
}

function showList(card) {
  /** @type {HTMLInputElement} */ (listForm.elements.namedItem("guest")).value = card.guest.id;
  at("list-name").textContent = card.guest.name;
  at("list-about").textContent = card.guest.about;
  at("list-rows").replaceChildren(...card.rows.map(rowOf));
}

// A copy of the template's row, filled in.
function rowOf({ id, name, about, guess }) {
  const { content } = /** @type {HTMLTemplateElement} */ (at("list-row"));
  const row = /** @type {HTMLElement} */ (content.firstElementChild.cloneNode(true));
  const label = row.querySelector(".list-one");
  label.id = `listed-${id}`;
  row.setAttribute("aria-labelledby", label.id);
  label.querySelector(".list-name").textContent = name;
  label.querySelector(".pair-about").textContent = about;
  for (const choice of row.querySelectorAll("input")) {
    choice.name = `said/${id}`;
    choice.checked = choice.value === guess;
  }
  return row;
}

function namesOf(card) {
  if (card.rows) return `${card.guest.name} and ${card.rows.length} others`;
  return card.within ? `within ${card.a.name}` : `${card.a.name} and ${card.b.name}`;
}

// Screen readers hear one sentence: what was saved, and who is next.
function announceNext(before) {
  const next = shown ? `Next: ${namesOf(shown)}.` : saver.waiting.size ? "" : "No questions left.";
  at("live").textContent = `${before} ${next}`;
}

function answer(said) {
  if (!shown) return;
  if (shown.rows) {
    answerList(said);
    return;
  }
  const fields = { a: shown.a.id, b: shown.b.id, answer: said, responder: root.dataset.responder ?? "" };
  keep(shown, fields, `${wordsOf(said)}.`);
}

// A list is sent as its form has it; skipped, none of its levels counts.
function answerList(said) {
  const card = shown;
  const fields = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(listForm)));
  delete fields.form_token;
  const rows = card.rows.map((row) => ({ ...row, guess: fields[`said/${row.id}`] ?? row.guess }));
  const isSkipped = said === "skip";
  if (isSkipped) for (const row of rows) fields[`said/${row.id}`] = said;
  keep({ ...card, rows }, { ...fields, answer: said, to: listForm.action }, isSkipped ? "Skipped." : "Saved.");
  if (shown?.rows) at("list-head").focus();
}

function keep(card, fields, spoken) {
  given.push({ card, fields });
  const done = new Set(keysOfCard(card));
  deck = deck.filter((other) => !keysOfCard(other).some((key) => done.has(key)));
  saver.put(keyOfCard(card), fields);
  show(deck[0] ?? null);
  announceNext(spoken);
}

function undo() {
  const last = given.pop();
  if (!last) return;
  const { card, fields } = last;
  deck = [card, ...deck.filter((other) => keyOfCard(other) !== keyOfCard(card))];
  show(card);
  at("live").textContent = `Undone. ${namesOf(card)}.`;
  saver.put(keyOfCard(card), { ...fields, undo: "yes" });
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input:not([type=radio]), select, textarea")) return;
  const key = event.key.toLowerCase();
  const said = { 1: "-2", 2: "-1", 3: "0", 4: "1", 5: "2", d: "unknown", s: "skip" }[key];
  if (shown?.rows && said !== undefined && said !== "skip") choose(event.target, said);
  else if (said !== undefined && words.has(said) && !event.repeat) answer(said);
  else if (key === "u" || key === "backspace") undo();
  else return;
  event.preventDefault();
}

// With the focus on a name of a list, a key chooses its level and goes on to the next name.
function choose(place, said) {
  const row = place.closest(".list-row");
  if (!row) return;
  row.querySelector(`input[value="${said}"]`).checked = true;
  (row.nextElementSibling?.querySelector("input:checked") ?? listForm.querySelector("button[value=save]")).focus();
}

function prepare() {
  const body = new URLSearchParams({ responder: root.dataset.responder });
  const send = () => fetch(root.dataset.prepare, { method: "POST", headers: { "X-Form-Token": saver.token }, body });
  return askAgain(send, async (response) => {
    const answered = await response.json();
    takeDeck(answered);
    return answered.coming;
  });
}

const saver = new Saver(root.querySelector("[data-saving]"), {
  onSaved: (fields, answered) => {
    takeDeck(answered);
    if (answered.progress && !answered.progress.is_current) refreshProgress(MEASURE_AFTER);
    if (!answered.kept && !fields.undo) saver.announce("Someone else just answered that. Their answer was kept.");
  },
  onRefused: (_fields, detail) => saver.announce(detail),
});
for (const one of [form, listForm].filter(Boolean)) {
  one.addEventListener("submit", (event) => {
    event.preventDefault();
    answer(/** @type {HTMLButtonElement} */ (event.submitter).value);
  });
}
for (const button of undoButtons) button.addEventListener("click", undo);
document.addEventListener("keydown", onKey);
for (const before of root.querySelectorAll("[data-given]")) before.remove();
if (root.dataset.prepare) prepare();
