// Shows tables and names page by page, follows changes, and keeps showing what it has while there is no connection.

import { layOut } from "./screen-layout.js";

const ASK = 10_000;
const LEAST_TIME = 8_000;
const TIME_PER_NAME = 180;
const holder = document.querySelector("[data-tables]");
const pauseButton = document.querySelector("[data-pause]");
let tables = readTables(document);
let pages = [];
let number = 0;
let timer = 0;
let isPaused = false;

function readTables(page) {
  return [...page.querySelectorAll("[data-tables] > .screen-table")].map((table) => ({
    name: table.querySelector("h2").textContent,
    guests: [...table.querySelectorAll("li")].map((row) => row.textContent),
  }));
}

function arrange() {
  document.body.classList.toggle("is-paged", tables.length > 0);
  if (!tables.length) return;
  document.querySelector("[data-foot]").hidden = false; // it takes room from the tables
  holder.replaceChildren();
  pages = layOut(tables, holder);
  number = Math.min(number, pages.length - 1);
  show();
}

function show() {
  clearTimeout(timer);
  holder.replaceChildren(pages[number].page);
  document.querySelector("[data-page]").textContent = pages.length > 1 ? `${number + 1} of ${pages.length}` : "";
  pauseButton.hidden = pages.length < 2;
  if (isPaused || pages.length < 2) return;
  timer = setTimeout(next, Math.max(LEAST_TIME, pages[number].names * TIME_PER_NAME));
}

function next() {
  number = (number + 1) % pages.length;
  show();
}

async function ask() {
  const answer = await fetch(location.href, { cache: "no-store", headers: { "x-asks-again": "1" } }).catch(() => null);
  if (!answer || answer.status >= 500 || answer.status === 429) return; // shows what it has
  if (!answer.ok || answer.redirected) return void location.reload(); // closed or signed out
  const text = await answer.text().catch(() => "");
  if (!text) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  const head = document.querySelector("[data-head]");
  const newHead = page.querySelector("[data-head]");
  const found = readTables(page);
  const isSame = JSON.stringify(found) === JSON.stringify(tables) && head.innerHTML === newHead.innerHTML;
  if (isSame) return;
  if (!tables.length || !found.length) return void location.reload();
  head.replaceWith(document.adoptNode(newHead));
  tables = found;
  arrange();
}

async function stayAwake() {
  await navigator.wakeLock?.request("screen").catch(() => null);
}

let idle = 0;
function showControls() {
  document.body.classList.add("is-active");
  clearTimeout(idle);
  idle = setTimeout(() => document.body.classList.remove("is-active"), 3000);
}

pauseButton.addEventListener("click", () => {
  isPaused = !isPaused;
  pauseButton.setAttribute("aria-pressed", String(isPaused));
  show();
});
document.querySelector("[data-full]").addEventListener("click", () => {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen();
});
addEventListener("pointermove", showControls);
addEventListener("resize", arrange);
addEventListener("visibilitychange", () => document.hidden || void stayAwake());
setInterval(() => void ask(), ASK);
void stayAwake();
await document.fonts.ready;
arrange();
