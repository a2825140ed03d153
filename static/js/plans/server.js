// Sends changes to the server, and puts the parts of the page that it answers with in their places.

import { fitText } from "../web/fit-text.js";

const root = () => document.querySelector("[data-plan]");

export const isEditable = () => "editable" in root().dataset;

async function answerOf(response) {
  const type = response.headers.get("Content-Type") ?? "";
  if (type.includes("json")) return { ok: response.ok, ...(await response.json()) };
  location.reload(); // signed out, or the plan is gone: the page says which
  return new Promise(() => {});
}

// Makes one change. The answer has `ok`, a `message`, and what it would break where it was refused.
export async function makeMove(fields) {
  const body = fields instanceof URLSearchParams ? fields : new URLSearchParams(fields);
  const { address, token, version } = root().dataset;
  body.set("version", version);
  const open = document.querySelector("[data-open-tab]")?.dataset.openTab ?? "table";
  const selected = document.querySelector("[data-selected]")?.dataset.selected ?? "";
  body.set("tab", open); // a plain form leads to the list, but here the panel stays as it is
  body.set("selected", selected);
  const headers = { Accept: "application/json", "X-Form-Token": token };
  const answer = await answerOf(await fetch(`${address}/moves`, { method: "POST", body, headers }));
  if (answer.ok) forgetMoved();
  if (answer.fragments) replaceParts(answer.fragments);
  for (const [table, place] of Object.entries(answer.places ?? {})) {
    document.querySelector(table)?.setAttribute("transform", place);
  }
  if (answer.version) root().dataset.version = answer.version;
  return answer;
}

// Saves a change of the room: tables placed, renamed, added.
export async function changeRoom(path, fields) {
  const { address, token } = root().dataset;
  const headers = { Accept: "application/json", "X-Form-Token": token };
  const target = path.startsWith("/events/") ? path : `${address}/tables/${path}`;
  const answer = await answerOf(await fetch(target, { method: "POST", body: new URLSearchParams(fields), headers }));
  if (answer.fragments) replaceParts(answer.fragments);
  if (answer.version) root().dataset.version = answer.version;
  return answer;
}

// What every seat would do for the guests in hand, and the best places by name.
export async function readEffects(guests, isAlone) {
  const query = new URLSearchParams(guests.map((guest) => ["guest", guest]));
  if (isAlone) query.set("alone", "1");
  const headers = { Accept: "application/json" };
  return answerOf(await fetch(`${root().dataset.address}/effects?${query}`, { headers }));
}

// Shows another tab, guest or table in the panel, under the address that a plain link has.
export async function showPanel(query) {
  const { address } = root().dataset;
  const response = await fetch(`${address}/panel${query}`, { headers: { Accept: "text/html" } });
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
}

export function replaceParts(parts) {
  for (const [selector, html] of Object.entries(parts)) {
    const old = document.querySelector(selector);
    const made = old && parse(html, old);
    if (!made) continue;
    if (old instanceof HTMLDetailsElement) /** @type {HTMLDetailsElement} */ (made).open = old.open;
    old.replaceWith(made);
    fitText(made);
  }
  document.dispatchEvent(new CustomEvent("parts"));
}

// A part of a drawing is read inside a drawing, or its elements would have no shape.
function parse(html, old) {
  const template = document.createElement("template");
  const isDrawn = old instanceof SVGElement;
  template.innerHTML = isDrawn ? `<svg>${html}</svg>` : html;
  return isDrawn ? template.content.firstElementChild.firstElementChild : template.content.firstElementChild;
}
