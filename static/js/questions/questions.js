// Questions about pairs of guests or of groups: shows the next card immediately and saves the answer in the background.
// Works without this script too.

import { refreshProgress, showProgress } from "../events/progress.js";
import { Saver } from "../ratings/saver.js";

const LOOK_AGAIN = 1500;
const WAITS = 40;
const MEASURE_AFTER = 1500;
const root = document.querySelector("[data-questions]");
const form = root.querySelector("form[data-card]");
const at = (name) => root.querySelector(`[data-${name}]`);
const undoButtons = [...root.querySelectorAll("[data-undo]")];
const keyOf = ({ a, b }) => [a, b].toSorted().join();
const keyOfCard = ({ a, b }) => keyOf({ a: a.id, b: b.id });
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
  const done = new Set(given.map(keyOf));
  const now = shown && keyOfCard(shown);
  deck = answered.cards.filter((card) => !done.has(keyOfCard(card)) && keyOfCard(card) !== now);
  if (shown) deck.unshift(shown);
  else show(deck[0] ?? null);
  at("rated").textContent = answered.rated;
  showProgress(answered.progress);
}

function show(card) {
  shown = card;
  const waits = !card && saver.waiting.size > 0; // more may come with what is being saved
  form.hidden = !card;
  at("wait").hidden = !waits;
  at("done").hidden = Boolean(card) || waits;
  for (const button of undoButtons) button.hidden = !given.length;
  if (!card) return;
  for (const side of ["a", "b"]) {
    form.elements[side].value = card[side].id;
    for (const place of root.querySelectorAll(`[data-name="${side}"]`)) place.textContent = card[side].name;
    const about = root.querySelector(`[data-about="${side}"]`);
    if (about) about.textContent = card[side].about;
  }
  if (form.dataset.kind) form.dataset.kind = card.within ? "within" : "between";
  at("why").textContent = card.why;
}

const namesOf = (card) => (card.within ? `within ${card.a.name}` : `${card.a.name} and ${card.b.name}`);

// Screen readers hear one sentence: what was saved, and who is next.
function announceNext(before) {
  const next = shown ? `Next: ${namesOf(shown)}.` : saver.waiting.size ? "" : "No questions left.";
  at("live").textContent = `${before} ${next}`;
}

function answer(said) {
  if (!shown) return;
  const card = shown;
  const fields = { a: card.a.id, b: card.b.id, answer: said, responder: root.dataset.responder ?? "" };
  const spoken = wordsOf(said);
  given.push({ ...fields, card });
  deck = deck.filter((other) => keyOfCard(other) !== keyOfCard(card));
  saver.put(keyOf(fields), fields);
  show(deck[0] ?? null);
  announceNext(`${spoken}.`);
}

function undo() {
  const last = given.pop();
  if (!last) return;
  const { card, ...fields } = last;
  deck = [card, ...deck.filter((other) => keyOfCard(other) !== keyOfCard(card))];
  show(card);
  at("live").textContent = `Undone. ${namesOf(card)}.`;
  saver.put(keyOf(fields), { ...fields, undo: "yes" });
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  const key = event.key.toLowerCase();
  const said = { 1: "-2", 2: "-1", 3: "0", 4: "1", 5: "2", d: "unknown", s: "skip" }[key];
  if (said !== undefined && words.has(said) && !event.repeat) answer(said);
  else if (key === "u" || key === "backspace") undo();
  else return;
  event.preventDefault();
}

async function prepare() {
  for (let wait = 0; wait < WAITS; wait += 1) {
    const response = await fetch(root.dataset.prepare, {
      method: "POST",
      headers: { "X-Form-Token": saver.token },
      body: new URLSearchParams({ responder: root.dataset.responder }),
    }).catch(() => null);
    if (!response?.ok) return;
    const answered = await response.json();
    takeDeck(answered);
    if (!answered.coming) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
  }
}

const saver = new Saver(root.querySelector("[data-saving]"), {
  onSaved: (fields, answered) => {
    takeDeck(answered);
    if (answered.progress && !answered.progress.is_current) refreshProgress(MEASURE_AFTER);
    if (!answered.kept && !fields.undo) saver.announce("Someone else just answered that. Their answer was kept.");
  },
  onRefused: (_fields, detail) => saver.announce(detail),
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  answer(/** @type {HTMLButtonElement} */ (event.submitter).value);
});
for (const button of undoButtons) button.addEventListener("click", undo);
document.addEventListener("keydown", onKey);
at("given")?.remove();
if (root.dataset.prepare) prepare();
