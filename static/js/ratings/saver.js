// Saves ratings as they are made. Failed ones are kept, retried and reported.

import { renewedToken, SIGNED_OUT } from "../web/form-token.js";

const RETRY_AFTER = 5000;
const SHOWN_FOR = 5000;
const NO_RATING = "none";

// The queue of changes to save, and its status message. Subclasses implement `sendSome`.
export class Messages {
  constructor(root) {
    this.root = root;
    this.token = root.dataset.token;
    this.word = root.querySelector("[data-saving-word]");
    this.trouble = root.querySelector("[data-saving-trouble]");
    this.why = root.querySelector("[data-saving-why]");
    this.waiting = new Map();
    this.busy = false;
  }

  listen() {
    this.root.querySelector("[data-saving-again]").addEventListener("click", () => this.send());
    window.addEventListener("online", () => this.send());
    window.addEventListener("beforeunload", (event) => {
      if (this.waiting.size || this.busy) event.preventDefault();
    });
  }

  async send() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.retry);
    try {
      while (this.waiting.size) await this.sendSome();
      this.trouble.hidden = true;
    } catch (error) {
      this.tellTrouble(error.message);
    } finally {
      this.busy = false;
    }
  }

  async sendSome() {
    throw new Error("sendSome is missing");
  }

  async request(address, fields) {
    try {
      return await fetch(address, {
        method: "POST",
        headers: { Accept: "application/json", "X-Form-Token": this.token },
        body: new URLSearchParams(fields),
      });
    } catch {
      throw new Error("Cannot reach the server.");
    }
  }

  async complain(status) {
    if (status === 401 || status === 403) {
      this.token = await renewedToken(this.token, (page) => page.querySelector("[data-token]")?.dataset.token);
    }
    throw new Error(reason(status));
  }

  tellTrouble(message) {
    const many = this.waiting.size;
    const [what, kept] = many === 1 ? ["1 rating is", "It stays"] : [`${many} ratings are`, "They stay"];
    this.announce("");
    this.why.textContent = `${what} not saved yet. ${message} ${kept} on this page while it is open.`;
    this.trouble.hidden = false;
    this.retry = setTimeout(() => this.send(), RETRY_AFTER);
  }

  // A short status message; shown `times` as long if there is more to read. `action` is a button: its label, and what it does.
  announce(text, times = 1, action = null) {
    clearTimeout(this.passing);
    this.word.textContent = text;
    if (action) this.word.append(" ", this.buttonOf(action));
    this.passing = setTimeout(() => this.word.replaceChildren(), times * SHOWN_FOR);
  }

  buttonOf({ label, run }) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn";
    button.textContent = label;
    button.addEventListener("click", () => {
      this.announce("");
      run();
    });
    return button;
  }
}

// Saves one pair at a time; the last change to a pair wins.
export class Saver extends Messages {
  constructor(root, { onSaved, onRefused, onConflict = null }) {
    super(root);
    this.address = root.dataset.address;
    this.onSaved = onSaved;
    this.onRefused = onRefused;
    this.onConflict = onConflict;
    this.listen();
  }

  // `was` is the value the page showed. If someone else has changed it since, theirs is kept and returned.
  save(a, b, score, was) {
    const key = [a, b].toSorted().join();
    this.put(key, { a, b, score, was: this.waiting.get(key)?.was ?? (was || NO_RATING) });
  }

  // Queues the fields; newer ones with the same key replace them. `to` is an address other than the usual one.
  put(key, fields) {
    this.waiting.set(key, fields);
    this.send();
  }

  async sendSome() {
    const [key, rating] = this.waiting.entries().next().value;
    const { to = this.address, ...fields } = rating;
    const response = await this.request(to, fields);
    if (response.status === 422) {
      const { detail } = await response.json();
      this.forget(key, rating);
      this.onRefused(rating, detail);
      return;
    }
    if (response.status === 409 && this.onConflict) {
      const { conflicts: [{ score }] } = await response.json();
      this.waiting.delete(key);
      this.onConflict(rating, score);
      return;
    }
    if (!response.ok) await this.complain(response.status);
    const answer = await response.json();
    const isLast = this.forget(key, rating);
    if (!isLast && "was" in rating) this.waiting.get(key).was = answer.score ?? NO_RATING;
    this.onSaved(rating, answer, isLast);
  }

  // Whether the pair has no newer change.
  forget(key, rating) {
    if (this.waiting.get(key) !== rating) return false;
    return this.waiting.delete(key);
  }
}

function reason(status) {
  if (status === 401 || status === 403) return SIGNED_OUT;
  if (status === 404) return "This event or one of the guests has been deleted.";
  return "Something went wrong on the server.";
}

export function showCounts({ rated, pairs, counts }) {
  const rating = document.querySelector("[data-pairs-rated]");
  if (rating) rating.textContent = `${rated.toLocaleString("en-GB")} of ${pairs.toLocaleString("en-GB")} pairs rated.`;
  for (const [guest, count] of Object.entries(counts)) {
    for (const place of document.querySelectorAll(`[data-count-of="${guest}"]`)) place.textContent = count;
  }
}

// Parses a number with a point or comma and any minus sign; NaN if it is not a number.
export function readNumber(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
}

export function writeNumber(number) {
  return String(number).replace("-", "−");
}
