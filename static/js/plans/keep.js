// Carries over what somebody is doing in a part of the page when the part is replaced for a change of somebody else.

import { focusSeat } from "./seats.js";

const FIELDS = "input:not([type=hidden]), select, textarea";
const NAMES = ["id", "name", "data-table-card", "data-tab", "data-show-guest", "data-pick-up", "href", "action"];

// Replaces the part; fields that were changed, what is open, the scroll position and the focus stay.
export function replaceKept(old, made) {
  const keepers = [keepFocus, keepFields, keepOpen, keepPopovers, keepScroll];
  const restore = keepers.map((keep) => keep(old));
  old.replaceWith(made);
  for (const back of restore.toReversed()) back(made);
}

function keepFields(old) {
  const changed = [...old.querySelectorAll(FIELDS)].filter(isChanged).map((field) => [pathOf(field, old), field]);
  return (made) => {
    for (const [path, field] of changed) {
      const now = made.querySelector(path);
      if (!now) continue;
      now.value = field.value;
      if ("checked" in field) now.checked = field.checked;
    }
  };
}

function isChanged(field) {
  if (field instanceof HTMLSelectElement) return [...field.options].some((one) => one.selected !== one.defaultSelected);
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

function keepOpen(old) {
  const all = [...old.querySelectorAll("details")].map((one) => [pathOf(one, old), one.open]);
  const isOpen = old.open;
  return (made) => {
    if (made instanceof HTMLDetailsElement) made.open = isOpen;
    for (const [path, wasOpen] of all) {
      const now = made.querySelector(path);
      if (now) now.open = wasOpen;
    }
  };
}

function keepPopovers(old) {
  const open = [...old.querySelectorAll("[popover]")].filter((one) => one.matches(":popover-open")).map((one) => one.id);
  return () => {
    for (const id of open) document.getElementById(id)?.showPopover();
  };
}

function keepScroll(old) {
  const all = old instanceof SVGElement ? [] : [...old.querySelectorAll("*")];
  const scrolled = all.filter((one) => one.scrollTop > 0).map((one) => [pathOf(one, old), one.scrollTop]);
  return (made) => {
    for (const [path, top] of scrolled) {
      const now = made.querySelector(path);
      if (now) now.scrollTop = top;
    }
  };
}

// A guest who was moved keeps the focus where they sit now, if they are in this part; else the seat keeps it.
function keepFocus(old) {
  const focused = /** @type {any} */ (document.activeElement);
  if (!old.contains(focused)) return () => {};
  const [start, end] = selectionOf(focused);
  const { seat, table, seatNumber } = focused.dataset;
  const path = seatNumber ? `.seat[data-table="${table}"][data-seat-number="${seatNumber}"]` : pathOf(focused, old);
  return (made) => {
    const guest = seat && seatNumber && document.querySelector(`.floor-picture [data-seat="${seat}"]`);
    const now = guest || (made.matches(path) ? made : made.querySelector(path));
    if (!now) return;
    if (seatNumber) {
      now.setAttribute("tabindex", "-1");
      focusSeat(now);
    } else {
      now.focus({ preventScroll: true });
    }
    if (start !== null) now.setSelectionRange(start, end);
  };
}

function selectionOf(field) {
  const isText = field.matches("textarea, input[type=text], input[type=search], input:not([type])");
  return isText ? [field.selectionStart, field.selectionEnd] : [null, null];
}

// Where an element is inside of a part: by what names it, or by its place among its neighbours.
function pathOf(element, part) {
  const steps = [];
  for (let one = element; one && one !== part; one = one.parentElement) {
    const names = [...NAMES, ...(one.localName === "button" ? ["value"] : [])].filter((key) => one.getAttribute(key));
    const values = names.map((name) => `[${name}="${CSS.escape(one.getAttribute(name))}"]`);
    const looks = !names.length && one.classList.length ? `.${CSS.escape(one.classList[0])}` : "";
    steps.unshift(one.localName + values.join("") + looks);
    if (one.id) break;
  }
  return steps.join(" ") || "*";
}
