// Questions about pairs of guests or of groups, and lists of guests: shows the next card immediately and saves the answer in the background.
// Works without this script too.

import { refreshProgress, showProgress } from "../events/progress.js";
import { randomId } from "../web/random-id.js";
import { Saver } from "../ratings/saver.js";
import { askAgain } from "../web/ask-again.js";

const MEASURE_AFTER = 1500;
const MOST_NAMED = 3;
const root = document.querySelector("[data-questions]");
const form = root.querySelector("form[data-card]");
const at = (name) => root.querySelector(`[data-${name}]`);
const undoButtons = [...root.querySelectorAll("[data-undo]")];
const listForm = root.querySelector("form[data-list]");
const SCORES = ["-2", "-1", "0", "1", "2"];
const keyOf = (a, b) => [a, b].toSorted().join();
const keysOfCard = (card) => (card.rows ? card.rows.map((row) => keyOf(card.guest.id, row.id)) : [keyOf(card.a.id, card.b.id)]);
const keyOfCard = (card) => keysOfCard(card).join(" ");
const words = new Map([...form.querySelectorAll("button[name=answer]")].map((button) => [button.value, labelOf(button)]));

let deck = JSON.parse(root.dataset.deck).cards;
let shown = deck[0] ?? null;
// What was answered here: the card, what was sent, and what became of it as soon as the server has said so.
const given = [];
const sent = new Map();

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
  focusFirstRow();
  at("list-head").scrollIntoView({ block: "nearest" }); // on phones the buttons of the list before are far below
}

// The keys work at once on a list, unless somebody is busy elsewhere on the page.
function focusFirstRow() {
  const active = document.activeElement;
  if (active && active !== document.body && !root.contains(active)) return;
  listForm.querySelector(".list-row input:checked")?.focus({ preventScroll: true });
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
  const fields = { a: shown.a.id, b: shown.b.id, answer: said, was: shown.was ?? "", responder: root.dataset.responder ?? "" };
  keep(shown, fields, wordsOf(said));
}

// A list is sent as its form has it; skipped, none of its levels counts.
function answerList(said) {
  const card = shown;
  const fields = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(listForm)));
  delete fields.form_token;
  const rows = card.rows.map((row) => ({ ...row, guess: fields[`said/${row.id}`] ?? row.guess }));
  const isSkipped = said === "skip";
  if (isSkipped) for (const row of rows) fields[`said/${row.id}`] = said;
  keep({ ...card, rows }, { ...fields, answer: said, to: listForm.action }, isSkipped ? "Skipped" : "Saved");
}

// Each answer has an id of its own: sent again it counts once, and undo takes back only what it has written.
function keep(card, fields, label) {
  const entry = { card, fields: { ...fields, submission: randomId() }, outcome: null, label };
  given.push(entry);
  sent.set(entry.fields.submission, entry);
  const done = new Set(keysOfCard(card));
  deck = deck.filter((other) => !keysOfCard(other).some((key) => done.has(key)));
  saver.put(entry.fields.submission, entry.fields);
  show(deck[0] ?? null);
  announceNext(`${label}.`);
}

function undo() {
  const last = given.pop();
  if (!last) return;
  const { card, fields, outcome } = last;
  if (outcome && !outcome.written.length) {
    nothingToUndo(last);
    return;
  }
  const isPart = outcome && card.rows;
  const own = isPart ? { ...card, rows: card.rows.filter(({ id }) => outcome.written.includes(id)) } : card;
  bringBack(own);
  at("live").textContent = `Undone. ${namesOf(own)}.`;
  saver.put(fields.submission, { ...fields, undo: "yes" });
}

function bringBack(card) {
  const keys = new Set(keysOfCard(card));
  deck = [card, ...deck.filter((other) => !keysOfCard(other).some((key) => keys.has(key)))];
  show(card);
}

// Someone else had answered before; of a single question, their answer can be replaced.
function nothingToUndo(entry) {
  at("live").textContent = "";
  if (entry.card.rows) {
    show(shown);
    saver.announce("Nothing to undo: someone else had answered all of this list before you.", 2);
    return;
  }
  const theirs = answerOfOthers(entry);
  changeTheirs(entry);
  saver.announce(theirs ? `Nothing to undo: someone else had answered “${theirs.words}”.` : "Nothing to undo: nothing was saved.", 2);
}

function answerOfOthers({ fields, outcome, label }) {
  const [theirs] = Object.values(outcome.theirs);
  if (theirs) return theirs;
  return SCORES.includes(fields.answer) ? { value: fields.answer, words: label } : null;
}

// Shows a question again with the answer that someone else has given, which the next one replaces.
function changeTheirs(entry) {
  const place = given.indexOf(entry);
  if (place >= 0) given.splice(place, 1);
  const theirs = answerOfOthers(entry);
  bringBack(theirs ? { ...entry.card, was: theirs.value, why: `The answer so far is “${theirs.words}”. Yours replaces it.` } : entry.card);
}

function tellConflict(entry) {
  const { card, outcome } = entry;
  at("live").textContent = "";
  if (card.rows) {
    saver.announce(`Someone else just answered for ${namesOfTheirs(card, outcome)}. ${count(outcome.theirs) > 1 ? "Their answers were" : "Their answer was"} kept.`, 4);
    return;
  }
  const [theirs] = Object.values(outcome.theirs);
  saver.announce(`${nameInSentence(card)}: someone else just answered “${theirs.words}”. Their answer was kept.`, 4, {
    label: "Change it",
    run: () => changeTheirs(entry),
  });
}

const count = (map) => Object.keys(map).length;

function namesOfTheirs(card, { theirs }) {
  const names = card.rows.filter(({ id }) => id in theirs).map(({ id, name }) => `${name} (${theirs[id].words})`);
  const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  const listed = [...names.slice(0, MOST_NAMED), ...more];
  return listed.length > 1 ? `${listed.slice(0, -1).join(", ")} and ${listed.at(-1)}` : listed[0];
}

function nameInSentence(card) {
  const name = namesOf(card);
  return name[0].toUpperCase() + name.slice(1);
}

function settle(fields, answered) {
  const entry = sent.get(fields.submission);
  if (!entry) return;
  if (fields.undo) {
    settleUndo(entry, answered);
    return;
  }
  entry.outcome = answered;
  if (!answered.kept && given.includes(entry)) tellConflict(entry);
}

// It was pressed before it was known what the answer had written, or someone has changed that since.
function settleUndo(entry, answered) {
  if (answered.undone.length < answered.written.length) {
    saver.announce("Not undone: someone else has changed it since. Their answer was kept.", 2);
  } else if (entry.outcome && !answered.undone.length && keyOfCard(shown ?? entry.card) === keyOfCard(entry.card)) {
    nothingToUndo(entry);
  }
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input:not([type=radio]), select, textarea")) return;
  const key = event.key.toLowerCase();
  const said = { d: "unknown", s: "skip" }[key] ?? SCORES[Number(key) - 1];
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
    settle(fields, answered);
    takeDeck(answered);
    if (answered.progress && !answered.progress.is_current) refreshProgress(MEASURE_AFTER);
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
if (shown?.rows) focusFirstRow();
if (root.dataset.prepare) prepare();
