// Sends changes to the server, and puts the parts of the page that it answers with in their places.

import { fitText } from "../web/fit-text.js";
import { say } from "./announce.js";
import { replaceKept } from "./keep.js";

const root = () => document.querySelector("[data-plan]");

export const isEditable = () => "editable" in root().dataset;

export const shownVersion = () => root().dataset.version;

// Whether the page shows an older plan than there is by now.
export function isBehind({ version, revision }) {
  const shown = root().dataset;
  return version > Number(shown.version) || revision > Number(shown.revision);
}

// No answer, or one from something in front of the server: nobody knows whether the change was made.
export class Unreachable extends Error {}

const PASSING = [429, 502, 503, 504];
let changing = 0;

// Whether a change is on its way: its answer brings the page up to date.
export const isChanging = () => changing > 0;

async function send(address, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  const response = await fetch(address, { ...options, headers }).catch(() => null);
  if (!response || PASSING.includes(response.status)) throw new Unreachable();
  const type = response.headers.get("Content-Type") ?? "";
  if (!type.includes("json")) {
    location.reload(); // signed out, or the plan is gone: the page says which
    return new Promise(() => {});
  }
  const answer = await response.json().catch(() => null);
  if (!answer) throw new Unreachable();
  return { ...answer, ok: response.ok, message: answer.message ?? answer.detail ?? "" };
}

// The answer where there is none; other errors stay errors.
function withoutAnswer(error, message) {
  if (!(error instanceof Unreachable)) throw error;
  return { ok: false, message };
}

async function change(address, body) {
  changing += 1;
  try {
    return await send(address, { method: "POST", body, headers: { "X-Form-Token": root().dataset.token } });
  } finally {
    changing -= 1;
  }
}

function show({ fragments, places, version }, isKept = false) {
  for (const [table, place] of Object.entries(places ?? {})) putTable(document.querySelector(table), place);
  if (fragments) replaceParts(fragments, isKept);
  if (version) root().dataset.version = version;
}

// Tables that nobody has placed make room for others. One that stays is not touched: the drawing would be laid out again.
function putTable(table, place) {
  if (!table || table.getAttribute("transform") === place) return;
  table.setAttribute("transform", place);
  [table.dataset.x, table.dataset.y] = place.match(/-?[\d.]+/g);
  document.dispatchEvent(new CustomEvent("moved-table"));
}

// Makes one change. The answer has `ok`, a `message`, and what it would break where it was refused.
export async function makeMove(fields) {
  const { address, revision } = root().dataset;
  const body = new URLSearchParams(fields);
  body.set("tab", openTab()); // a plain form leads to the list, but here the panel stays as it is
  body.set("selected", selectedGuest());
  body.set("open_table", document.getElementById("table-menu")?.dataset.menuOf ?? "");
  const answer = await change(`${address}/moves`, body);
  if (answer.ok) forgetMoved();
  show(answer, !answer.ok);
  // A larger step means that somebody changed something besides: what that is comes over the stream.
  if (answer.revision === Number(revision) + 1) root().dataset.revision = answer.revision;
  return answer;
}

// Saves a change of the room: tables placed, renamed, added.
export async function changeRoom(path, fields) {
  const { address } = root().dataset;
  const target = path.startsWith("/events/") ? path : `${address}/tables/${path}`;
  const answer = await change(target, fields);
  show(answer);
  if (answer.revision) root().dataset.revision = answer.revision;
  return answer;
}

// Brings the page up to date with what others have changed.
export async function readParts() {
  const { address, version, revision } = root().dataset;
  const place = new URLSearchParams(location.search);
  const query = new URLSearchParams({ version, revision, tab: openTab(), guest: selectedGuest() });
  for (const name of ["table", "page"]) if (place.get(name)) query.set(name, place.get(name));
  const answer = await send(`${address}/parts?${query}`);
  const shown = root().dataset;
  const isSame = shown.version === version && shown.revision === revision;
  const isSamePanel = query.get("tab") === openTab() && query.get("guest") === selectedGuest();
  if (!answer.ok || isChanging() || !isSame || !isSamePanel) return; // these parts are from before another change
  show(answer, true);
  root().dataset.revision = answer.revision;
  if (!document.querySelector("[data-message]").textContent) say(answer.message); // what is said already stays
}

// Tells others that the plan is open here with these guests picked up, or that it was closed; it is repeated anyway.
// Resolves to the answer, or to nothing if the server cannot be reached.
export function announceTab(tab, guests, isClosed = false) {
  const { address, token } = root().dataset;
  const body = new URLSearchParams(guests.map((guest) => ["guest", guest]));
  if (isClosed) body.set("closed", "1");
  const options = { method: "POST", body, headers: { "X-Form-Token": token }, keepalive: isClosed };
  return fetch(`${address}/live/${tab}`, options).catch(() => null);
}

export const planAddress = () => root().dataset.address;
export const userId = () => root().dataset.user;

const openTab = () => document.querySelector("[data-open-tab]")?.dataset.openTab ?? "table";
const selectedGuest = () => document.querySelector("[data-selected]")?.dataset.selected ?? "";

// What every seat would do for the guests in hand, and the best places by name.
export async function readEffects(guests, isAlone) {
  const query = new URLSearchParams(guests.map((guest) => ["guest", guest]));
  if (isAlone) query.set("alone", "1");
  return send(`${root().dataset.address}/effects?${query}`).catch((error) =>
    withoutAnswer(error, "Cannot reach the server, so no seat shows what it would do."),
  );
}

// Shows another tab, guest or table in the panel, under the address that a plain link has.
export async function showPanel(query) {
  const { address } = root().dataset;
  const response = await fetch(`${address}/panel${query}`, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!response) return say("Cannot reach the server. Try again.");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const panel = page.querySelector("#panel");
  if (!response.ok || !panel) return location.assign(address + query);
  document.querySelector("#panel").replaceWith(panel);
  history.replaceState(null, "", address + query);
  document.dispatchEvent(new CustomEvent("panel"));
}

// Only the last move is marked; tables that it did not touch are not sent again.
function forgetMoved() {
  for (const mark of document.querySelectorAll(".floor-picture .moved-ring, .just-moved")) mark.remove();
  for (const seat of document.querySelectorAll(".seat.moved")) seat.classList.remove("moved");
  document.getElementById("floor")?.classList.remove("has-moved");
}

// `isKept`: for a change of somebody else, which must not take away what is typed, open or focused.
export function replaceParts(parts, isKept = false) {
  const shown = [];
  const isMoved = Object.values(parts).some((html) => html.includes("moved-ring"));
  document.getElementById("floor")?.classList.toggle("has-moved", isMoved);
  for (const [selector, html] of Object.entries(parts)) {
    const old = document.querySelector(selector);
    if (!old || isShown(old, html)) continue;
    const made = parse(html, old);
    if (!made) continue;
    htmlOf.set(made, html);
    if (old.matches("[data-tray]")) {
      renew(old, made, html);
      continue;
    }
    if (old instanceof HTMLDetailsElement) /** @type {HTMLDetailsElement} */ (made).open = old.open;
    if (isKept) replaceKept(old, made);
    else old.replaceWith(made);
    shown.push(made);
  }
  fitText(...shown.filter((part) => part instanceof SVGElement));
  document.dispatchEvent(new CustomEvent("parts", { detail: shown }));
}

// What each part was made from: one that is the same again stays, and with it all that was laid out.
const htmlOf = new WeakMap();

const isShown = (part, html) => htmlOf.get(part) === html && !part.matches(".table, details, #panel");

// Changes what is in a part that lies over the room: a new element there would have the whole room laid out again.
function renew(old, made, html) {
  for (const { name, value } of made.attributes) if (name !== "class") old.setAttribute(name, value);
  for (const name of ["data-empty", "hidden"]) if (!made.hasAttribute(name)) old.removeAttribute(name);
  old.replaceChildren(...made.childNodes);
  htmlOf.set(old, html);
}

// A part of a drawing is read inside a drawing, or its elements would have no shape.
function parse(html, old) {
  const template = document.createElement("template");
  const isDrawn = old instanceof SVGElement;
  template.innerHTML = isDrawn ? `<svg>${html}</svg>` : html;
  return isDrawn ? template.content.firstElementChild.firstElementChild : template.content.firstElementChild;
}
