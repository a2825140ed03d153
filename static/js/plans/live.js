// Follows the plan while the page is visible, brings the page up to date, and tells others what is in hand here.

import { say } from "./announce.js";
import { drawEditors, heldByOthers, showEditors } from "./editors.js";
import { randomId } from "../web/random-id.js";
import { announceTab, isBehind, isChanging, planAddress, readParts, Unreachable, userId } from "./server.js";

const ANNOUNCE_EVERY = 10000;
const MOST_GUESTS = 50; // that are sent to others
const RELEASE_AFTER = 600;
const LOOK_AGAIN = 300;
const RETRY = 3000;
const LOST_AFTER = 2000; // a shorter interruption is not worth words

// `hand` is missing for somebody who only looks on; `isBusy` tells when nothing in the room may be replaced.
export class Live {
  constructor(hand, isBusy = () => false) {
    this.hand = hand;
    this.isBusy = isBusy;
    this.tab = randomId();
    /** @type {Promise<unknown>} */
    this.announced = Promise.resolve();
    this.warned = "";
  }

  listen() {
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
    document.addEventListener("parts", () => this.draw());
    window.addEventListener("online", () => this.start());
    window.addEventListener("offline", () => this.lose());
    window.addEventListener("pageshow", (event) => event.persisted && this.start());
    window.addEventListener("pagehide", () => this.leave());
    if (this.hand) document.addEventListener("hand", () => this.noteHand());
    if (!document.hidden) this.start();
  }

  start() {
    this.stop();
    this.source = new EventSource(`${planAddress()}/live`);
    this.source.addEventListener("plan", (event) => this.hear(JSON.parse(event.data)));
    this.source.addEventListener("error", () => this.fail());
    if (!this.hand) return;
    this.announce();
    this.announcing = setInterval(() => this.announce(), ANNOUNCE_EVERY);
  }

  stop() {
    this.source?.close();
    clearInterval(this.announcing);
    clearTimeout(this.retrying);
    clearTimeout(this.losing);
    this.losing = undefined;
  }

  leave() {
    this.stop();
    if (this.hand) announceTab(this.tab, [], true);
  }

  hear(plan) {
    clearTimeout(this.losing);
    this.losing = undefined;
    this.isLost = false;
    this.plan = plan;
    showEditors(plan.editors.filter((editor) => editor.user !== userId())); // one's other tabs are not somebody else
    this.draw();
    this.warn();
    this.catchUp();
  }

  // Whoever holds a guest already is named as soon as that guest is picked up here.
  noteHand() {
    this.warned = heldByOthers(this.hand.guests);
    clearTimeout(this.releasing);
    // A move that ends here is saved before it is said that the hand is empty.
    if (this.hand.isEmpty) this.releasing = setTimeout(() => this.announce(), RELEASE_AFTER);
    else this.announce();
  }

  // Somebody else has just picked up a guest who is in hand here.
  warn() {
    const warning = heldByOthers(this.hand?.guests ?? []);
    if (warning && warning !== this.warned) say(warning, true);
    this.warned = warning;
  }

  async catchUp() {
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (isBehind(this.plan)) {
        if (!isChanging() && !this.isBusy()) await readParts();
        if (isBehind(this.plan)) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.lose();
      this.retry();
    } finally {
      this.isReading = false;
    }
  }

  // The browser connects again by itself, unless it got an answer that is no stream.
  fail() {
    this.losing ??= setTimeout(() => this.lose(), LOST_AFTER);
    if (this.source.readyState === EventSource.CLOSED) this.retry();
  }

  retry() {
    clearTimeout(this.retrying);
    this.retrying = setTimeout(() => this.look(), RETRY);
  }

  // Asks for the plan itself first: somebody who may no longer see it learns why.
  async look() {
    try {
      await readParts();
      this.start();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.retry();
    }
  }

  lose() {
    this.isLost = true;
    showEditors([]);
    this.draw();
  }

  draw() {
    drawEditors();
    const place = document.querySelector("[data-lost]");
    const text = this.isLost ? place?.dataset.words : "";
    if (place && place.textContent !== text) place.textContent = text;
  }

  // One after the other, so that the last one said is what is true.
  announce() {
    this.announced = this.announced.then(() => this.send());
  }

  async send() {
    if (await announceTab(this.tab, this.hand.guests.slice(0, MOST_GUESTS))) return;
    this.lose(); // the stream may have brought a last event after the connection was lost
    this.retry();
  }
}
