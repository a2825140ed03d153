// The workspace of a plan: brings the room, the hand, the keys and the panel together.

import { fitText } from "../web/fit-text.js";
import { say } from "./announce.js";
import { Arrange } from "./arrange.js";
import { Band } from "./band.js";
import { Colours } from "./colours.js";
import { Drag } from "./drag.js";
import { clearEffects } from "./effects.js";
import { Gestures } from "./gestures.js";
import { Hand } from "./hand.js";
import { linkListAndRoom } from "./highlight.js";
import { Keyboard } from "./keyboard.js";
import { closeMenus } from "./menus.js";
import { Live } from "./live.js";
import { Panel } from "./panel.js";
import { prepareSeats } from "./seats.js";
import { Selection } from "./selection.js";
import { isEditable } from "./server.js";
import { closeSheet, listenToSheet, openSheet, showRoom } from "./sheet.js";
import { writeTimes } from "./times.js";
import { View } from "./view.js";

const stage = document.getElementById("floor");

// The address without the last edit, so that a reload does not show its message again.
function forgetLastEdit() {
  const url = new URL(location.href);
  url.searchParams.delete("done");
  history.replaceState(null, "", url.pathname + url.search + url.hash);
  const message = document.querySelector("[data-message]").textContent;
  if (message) say(message);
}

function listenToZoom(view) {
  const buttons = stage.querySelector("[data-zoom]");
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const way = event.target.closest("[data-zoom-by]")?.dataset.zoomBy;
    if (way === "in") view.zoomIn();
    else if (way === "out") view.zoomOut();
    else if (way === "fit") view.fit();
  });
}

function clear(selection) {
  closeSheet();
  selection.clear();
}

// A guest or a table was chosen in the room, or a place for the guests who were picked up by a button.
async function tapped({ view, hand, panel, selection, band }, element, event) {
  if (!element) return clear(selection);
  if (element.matches("a") && event.pointerType === "mouse") return undefined; // the click follows
  const table = element.closest("[data-table]")?.dataset.table;
  if (!hand.isEmpty && table) return hand.drop(element.matches(".seat") ? { seat: element } : { table });
  // Seats that are too small for a finger come nearer first.
  if (event.pointerType !== "mouse" && view.isFar && table) return view.bring(element.closest(".table"), true);
  const guest = element.dataset.seat;
  if (guest && (event.shiftKey || band.isOn)) return say(`${selection.toggle(guest)} selected`);
  await (guest ? panel.showGuest(guest) : panel.showTable(table, element.dataset.seatNumber));
  return openSheet(view, element);
}

// Picks guests up from the panel; on a phone the room opens for them.
function pickUpFromPanel(keyboard, ...picked) {
  closeSheet();
  showRoom();
  keyboard.start(...picked);
}

function openRoom(view) {
  const selection = new Selection();
  const hand = new Hand(selection);
  const panel = new Panel(view, { pickUp: (...picked) => pickUpFromPanel(keyboard, ...picked) });
  const keyboard = new Keyboard(view, hand, selection, panel);
  panel.listen();
  listenToSheet();
  const drag = new Drag(view, hand, selection);
  const band = new Band(view, selection);
  const gestures = new Gestures(view, {
    isBusy: (event) => document.body.classList.contains("is-arranging") && Boolean(event.target.closest(".table, .room-item, .turner, .sizer")),
    tap: (element, event) => tapped({ view, hand, panel, selection, band }, element, event),
    canPickUp: (element) => drag.canPickUp(element),
    pickUp: (element, event) => drag.pickUp(element, event),
    dragTo: (event) => drag.dragTo(event),
    drop: (event, isCancelled) => drag.drop(event, isCancelled),
    band,
  });
  band.listen();
  const arrange = new Arrange(view);
  arrange.listen();
  gestures.listenOutside("[data-tray] [data-seat]");
  view.box.classList.add("is-live");
  document.addEventListener("moved-table", () => view.forget());
  document.addEventListener("parts", (event) => {
    const parts = /** @type {CustomEvent} */ (event).detail ?? [];
    const isWhole = !parts.length || parts.some((part) => part.matches(".floor-picture"));
    prepareSeats(isWhole ? undefined : parts.filter((part) => part.matches(".table")));
    if (isWhole) view.settle();
    else view.settleAfter(parts);
    selection.draw();
    hand.redraw();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || hand.isEmpty) return;
    gestures.stop();
    drag.end();
  });
  new Live(hand, () => Boolean(arrange.held)).listen();
}

function start() {
  fitText(document);
  linkListAndRoom();
  closeMenus();
  forgetLastEdit();
  writeTimes();
  document.addEventListener("parts", writeTimes);
  const view = stage && new View(stage);
  if (view) listenToZoom(view);
  if (view && isEditable()) {
    clearEffects();
    prepareSeats();
    new Colours().listen();
    openRoom(view);
  } else {
    new Panel(view, {}).listen();
    new Live().listen();
  }
  window.addEventListener("beforeprint", () => {
    for (const card of document.querySelectorAll("details.table-card")) card.open = true;
  });
}

start();
