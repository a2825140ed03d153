// Check-in: finds guests as you type, checks them in at once, and keeps what could not be sent yet.
// Without this script, each button sends a form.

import { Exchange } from "./exchange.js";
import { Outbox } from "./outbox.js";
import { findByName, plain } from "./search.js";

const root = document.querySelector("[data-door]");
const part = (name) => root.querySelector(`[data-${name}]`);
const list = part("list");
const input = root.querySelector("input[type=search]");
const outbox = new Outbox(root.dataset.door);
const rows = new Map();
const tableRows = new Map();
const asked = new URLSearchParams(location.search);
const view = {
  show: root.querySelector("[data-show][aria-current]")?.dataset.show ?? "missing",
  table: Number(asked.get("table") ?? 0) - 1,
  done: asked.get("done") ?? "",
};
let guests = [];
let tables = [];
let hasList = false;
let notice = "";
let shownChanges = ""; // what waited when the list was last rendered

const exchange = new Exchange({
  address: `${root.dataset.address}/arrivals`,
  formToken: root.querySelector("input[name=form_token]")?.value ?? "",
  outbox,
  onList: take,
  onState: tell,
  onGone: () => (notice = "A guest you tapped is no longer on the list."),
});

function take(values) {
  hasList = true;
  tables = values.tables;
  guests = values.guests.map((guest) => ({ ...guest, plain: plain(guest.search ?? guest.name), places: guest.route ?? [tables[guest.table]] }));
  render();
}

function tell(state) {
  const waiting = Object.keys(outbox.read()).length;
  const changes = waiting === 1 ? "1 change is" : `${waiting} changes are`;
  const texts = {
    closed: `This link no longer works. Ask your host for a new one.${waiting ? ` ${changes} not sent.` : ""}`,
    "signed-out": `You are signed out. Reload this page and sign in.${waiting ? ` ${changes} kept on this phone.` : ""}`,
    offline: waiting ? `No connection. ${changes} waiting to be sent.` : "No connection. You can go on; changes are kept on this phone.",
    done: waiting ? `${changes} waiting to be sent.` : notice,
  };
  const line = part("line");
  if (line.textContent !== texts[state]) line.textContent = texts[state];
  line.classList.toggle("is-offline", state !== "done");
  if (JSON.stringify(outbox.read()) !== shownChanges) render();
}

function overlay() {
  const waiting = outbox.read();
  shownChanges = JSON.stringify(waiting);
  return guests.map((guest) => {
    const change = waiting[guest.reference];
    return { ...guest, isWaiting: Boolean(change), isHere: change ? change.isHere : guest.arrived !== null };
  });
}

function selected(all) {
  if (input.value.trim()) return findByName(all, input.value);
  if (view.table >= 0) return all.filter((guest) => guest.table === view.table);
  return view.show === "all" ? all : all.filter((guest) => guest.isHere === (view.show === "arrived"));
}

function render() {
  if (!hasList) return;
  if (view.table >= tables.length) view.table = -1;
  const all = overlay();
  const here = all.filter((guest) => guest.isHere).length;
  count(all.length, here);
  const isTables = !input.value.trim() && view.table < 0 && view.show === "tables";
  const shown = isTables ? [] : selected(all);
  fill(isTables ? tables.map((name, number) => tableRow(name, number, all)) : shown.map(guestRow));
  head(all, shown);
  const none = part("none");
  none.hidden = isTables || shown.length > 0;
  none.textContent = noneText(all);
  last(all.find((guest) => guest.reference === view.done));
}

function noneText(all) {
  if (!all.length) return "No guests are expected yet.";
  if (input.value.trim()) return "No match. Try just a few letters.";
  return view.show === "missing" ? "Everyone has arrived." : "No one has arrived yet.";
}

function count(total, here) {
  const numbers = { missing: total - here, arrived: here, all: total, tables: tables.length };
  for (const [key, number] of Object.entries(numbers)) root.querySelector(`[data-number=${key}]`).textContent = String(number);
  part("arrived").textContent = String(here);
  part("total").textContent = String(total);
  const bar = root.querySelector("progress[data-bar]");
  bar.max = total || 1;
  bar.value = here;
  for (const tab of root.querySelectorAll("[data-show]")) {
    if (tab.dataset.show === view.show && !input.value.trim()) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
}

function head(all, shown) {
  const heading = part("heading");
  const isSearch = Boolean(input.value.trim());
  heading.hidden = !isSearch && view.table < 0;
  if (heading.hidden) return;
  const here = all.filter((guest) => guest.table === view.table && guest.isHere).length;
  heading.textContent = isSearch ? (shown.length === 1 ? "1 match" : `${shown.length} matches`) : `${tables[view.table]}, ${here} of ${shown.length} arrived`;
}

// Rows stay in place where they can: moving one would take the focus away.
function fill(wanted) {
  const isSame = wanted.length === list.children.length && wanted.every((row, number) => row === list.children[number]);
  if (isSame) return;
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...wanted);
  if (hadFocus && !part("done").hidden) part("done").focus({ preventScroll: true });
}

const copy = (name) => /** @type {HTMLElement} */ (/** @type {HTMLTemplateElement} */ (part(name)).content.firstElementChild.cloneNode(true));

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Of several rounds each stays in one piece, so that lines end between rounds.
function putPlaces(element, places) {
  if (element.textContent === places.join(" ")) return;
  const pieces = places.map((text) => {
    const piece = document.createElement("span");
    piece.className = "door-round";
    piece.textContent = text;
    return [piece, " "];
  });
  element.replaceChildren(...(places.length > 1 ? pieces.flat().slice(0, -1) : places));
}

function guestRow(guest) {
  const row = rows.get(guest.reference) ?? copy("row");
  rows.set(guest.reference, row);
  row.dataset.reference = guest.reference;
  row.classList.toggle("is-here", guest.isHere);
  row.classList.toggle("is-waiting", guest.isWaiting);
  put(row.querySelector(".door-name"), guest.name);
  putPlaces(row.querySelector(".door-table"), guest.places);
  put(row.querySelector(".door-state"), stateText(guest));
  action(row.querySelector("form"), guest);
  return row;
}

function stateText(guest) {
  if (guest.isWaiting) return guest.isHere ? "Arrived, waiting to be sent" : "Undone, waiting to be sent";
  if (!guest.isHere) return "";
  return `Arrived ${new Date(guest.arrived).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
}

function action(form, guest) {
  const button = form.querySelector("button");
  form.querySelector("input[name=guest]").value = guest.reference;
  form.querySelector("input[name=here]").value = guest.isHere ? "0" : "1";
  put(button, guest.isHere ? "Undo" : "Check in");
  button.setAttribute("aria-label", `${guest.isHere ? "Undo" : "Check in"}: ${guest.name}`);
  button.classList.toggle("btn-quiet", guest.isHere);
  button.classList.toggle("btn-primary", !guest.isHere);
}

function tableRow(name, number, all) {
  const row = tableRows.get(number) ?? copy("table-row");
  tableRows.set(number, row);
  const own = all.filter((guest) => guest.table === number);
  const here = own.filter((guest) => guest.isHere).length;
  row.querySelector("a").href = `${root.dataset.address}?table=${number + 1}`;
  row.querySelector("a").dataset.table = String(number + 1);
  put(row.querySelector(".door-table"), name);
  put(row.querySelector(".door-of"), `${here} of ${own.length}`);
  Object.assign(row.querySelector("progress"), { max: own.length || 1, value: here });
  return row;
}

// The guest who was checked in last, with the table large enough to be read out.
function last(guest) {
  const done = part("done");
  done.hidden = !guest;
  if (!guest) return;
  put(part("done-name"), guest.name);
  putPlaces(part("done-table"), guest.places);
  part("done-table").classList.toggle("door-route", Boolean(guest.route));
  put(part("done-state"), guest.isHere ? stateText(guest) : guest.isWaiting ? stateText(guest) : "Not checked in");
  const place = part("done-action");
  if (!place.querySelector("form")) place.append(copy("row").querySelector("form"));
  action(place.querySelector("form"), guest);
}

root.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method === "get") return void event.preventDefault();
  if (!hasList) return; // the list has not arrived yet: the form does it
  event.preventDefault();
  const reference = form.querySelector("input[name=guest]").value;
  const guest = guests.find((one) => one.reference === reference);
  if (!guest) return;
  outbox.add(reference, form.querySelector("input[name=here]").value === "1", exchange.now(), guest.arrived !== null);
  view.done = reference;
  notice = "";
  render();
  void exchange.run();
});

root.addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("a[data-show], a[data-table]");
  if (!link || !hasList) return;
  event.preventDefault();
  view.show = link.dataset.show ?? view.show;
  view.table = Number(link.dataset.table ?? 0) - 1;
  input.value = "";
  render();
  scrollTo({ top: 0 });
});

part("go").hidden = true;
input.addEventListener("input", render);
input.addEventListener("focus", () => input.select());
exchange.start();
