// Tap names: each tap goes one level up (or down for keep away), the third clears; each tap is saved immediately.

import { Saver } from "./saver.js";

const root = document.querySelector("[data-likes]");
const LEVELS = root ? JSON.parse(root.dataset.levels) : {}; // [class, sign, label] by score
const CLASSES = Object.values(LEVELS).map(([name]) => name).filter(Boolean);
const faces = root ? [...root.querySelectorAll("[data-other]")] : [];
const faceOf = (other) => faces.find((face) => face.dataset.other === other);
const nameOf = (face) => face.querySelector("bdi").textContent;
const scoreOf = (face) => (face.dataset.score === "" ? null : Number(face.dataset.score));
const mode = () => Number(root.querySelector("input[name=mode]:checked").value);

function show(face, score) {
  const [level, sign, words] = score === null ? ["", "", ""] : LEVELS[nearest(score)];
  face.dataset.score = score ?? "";
  face.classList.remove(...CLASSES);
  if (level) face.classList.add(level);
  face.querySelector("[data-sign]").textContent = sign;
  face.querySelector("[data-words]").textContent = words ? `: ${words}` : "";
  return words || "not rated";
}

// A rating between levels shows as the nearest level that is not neutral.
function nearest(score) {
  if (!score) return 0;
  return Math.max(-2, Math.min(2, Math.round(score) || Math.sign(score)));
}

function rate(face, score) {
  const was = face.dataset.score;
  saver.announce(`${nameOf(face)}: ${show(face, score)}`);
  saver.save(root.dataset.guest, face.dataset.other, score ?? "", was);
}

const faceOfPair = ({ a, b }) => faceOf(a === root.dataset.guest ? b : a);

function showTheirs(pair, score) {
  const face = faceOfPair(pair);
  saver.announce(`${nameOf(face)}: someone else just set “${show(face, score)}”. Tap again to change it.`, 2);
}

function tap(face) {
  const way = mode();
  const level = nearest(scoreOf(face)) * way;
  rate(face, level === 1 ? 2 * way : level === 2 ? null : way);
}

function step(face, by) {
  const score = Math.max(-2, Math.min(2, nearest(scoreOf(face)) + by));
  rate(face, score || null);
}

function focus(face) {
  if (!face) return;
  for (const other of faces) other.tabIndex = other === face ? 0 : -1;
  face.focus();
}

// Up and down move to the face above or below, however many fit in a row.
function below(face, way, shown) {
  const here = face.getBoundingClientRect();
  const lines = shown.filter((other) => way * (other.getBoundingClientRect().top - here.top) > 1);
  const distance = (other) => {
    const box = other.getBoundingClientRect();
    return 1000 * Math.abs(box.top - here.top) + Math.abs(box.left - here.left);
  };
  return lines.toSorted((one, two) => distance(one) - distance(two))[0];
}

function onKey(event) {
  const face = event.target.closest("[data-other]");
  if (!face || event.ctrlKey || event.altKey || event.metaKey) return;
  const shown = faces.filter((other) => !other.closest("li").hidden);
  const place = shown.indexOf(face);
  const acts = {
    ArrowRight: () => focus(shown[place + 1]),
    ArrowLeft: () => focus(shown[place - 1]),
    ArrowDown: () => focus(below(face, 1, shown)),
    ArrowUp: () => focus(below(face, -1, shown)),
    Home: () => focus(shown[0]),
    End: () => focus(shown.at(-1)),
    "+": () => step(face, 1),
    "-": () => step(face, -1),
    Delete: () => rate(face, null),
    Backspace: () => rate(face, null),
    x: () => turn(),
  };
  const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function turn() {
  const next = root.querySelector("input[name=mode]:not(:checked)");
  next.checked = true;
  saver.announce(next.value === "1" ? "Tap to set: likes." : "Tap to set: keep away.");
}

// After filtering, the Tab key reaches the first visible face.
function keepReachable() {
  const shown = faces.filter((other) => !other.closest("li").hidden);
  if (shown.some((face) => face.tabIndex === 0)) return;
  for (const face of faces) face.tabIndex = face === shown[0] ? 0 : -1;
}

let saver;
if (faces.length) {
  saver = new Saver(root.querySelector("[data-saving]"), {
    onSaved: (pair, { score }, isLast) => isLast && show(faceOfPair(pair), score),
    onRefused: (pair, detail) => saver.announce(`${nameOf(faceOfPair(pair))}: ${detail}`),
    onConflict: showTheirs,
  });
  for (const boxes of root.querySelectorAll("[data-boxes]")) boxes.remove();
  for (const face of faces) face.hidden = false;
  root.querySelector("[data-save-all]").hidden = true;
  root.querySelector("[data-modes]").hidden = false;
  root.querySelector("[data-tap-help]").hidden = false;
  const list = document.getElementById("faces");
  list.addEventListener("click", (event) => {
    const face = event.target.closest("[data-other]");
    if (!face) return;
    for (const other of faces) other.tabIndex = other === face ? 0 : -1;
    tap(face);
  });
  list.addEventListener("keydown", onKey);
  root.querySelector("input[type=search]").addEventListener("input", keepReachable);
}
