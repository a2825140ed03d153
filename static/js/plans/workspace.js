// The workspace of a plan: brings the room, the hand, the keys and the panel together.

import { fitText } from "../web/fit-text.js";
import { say } from "./announce.js";
import { Arrange } from "./arrange.js";
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

function tapped(panel, selection, element, event) {
  if (!element) return selection.clear();
  if (element.matches("a") && event.pointerType === "mouse") return undefined; // the click follows
  const guest = element.dataset.seat;
  if (guest && event.shiftKey) return say(`${selection.toggle(guest)} selected`);
  if (guest) return panel.showGuest(guest);
  return panel.showTable(element.closest("[data-table]").dataset.table, element.dataset.seatNumber);
}

function openRoom(view) {
  const hand = new Hand();
  const selection = new Selection();
  const panel = new Panel(view, { pickUp: (guests, from) => keyboard.start(guests, from) });
  const keyboard = new Keyboard(view, hand, selection, panel);
  panel.listen();
  const drag = new Drag(view, hand, selection);
  const gestures = new Gestures(view, {
    isBusy: (event) => document.body.classList.contains("is-arranging") && Boolean(event.target.closest(".table, .turner")),
    tap: (element, event) => tapped(panel, selection, element, event),
    canPickUp: (element) => drag.canPickUp(element),
    pickUp: (element, event) => drag.pickUp(element, event),
    dragTo: (event) => drag.dragTo(event),
    drop: (event, isCancelled) => drag.drop(event, isCancelled),
  });
  const arrange = new Arrange(view);
  arrange.listen();
  gestures.listenOutside("[data-tray] [data-seat]");
  view.box.classList.add("is-live");
  document.addEventListener("parts", () => {
    prepareSeats();
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
