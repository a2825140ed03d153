// Sends ratings to the server as they are made: one at a time, the last word on a pair wins, and what failed is kept and sent again.

const RETRY_AFTER = 5000;
const SHOWN_FOR = 5000;

export class Saver {
  constructor(root, { onSaved, onRefused }) {
    this.address = root.dataset.address;
    this.token = root.dataset.token;
    this.word = root.querySelector("[data-saving-word]");
    this.trouble = root.querySelector("[data-saving-trouble]");
    this.why = root.querySelector("[data-saving-why]");
    this.onSaved = onSaved;
    this.onRefused = onRefused;
    this.waiting = new Map();
    this.busy = false;
    root.querySelector("[data-saving-again]").addEventListener("click", () => this.send());
    window.addEventListener("online", () => this.send());
    window.addEventListener("beforeunload", (event) => {
      if (this.waiting.size) event.preventDefault();
    });
  }

  save(a, b, score) {
    this.waiting.set([a, b].sort().join(), { a, b, score });
    this.send();
  }

  async send() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.retry);
    try {
      while (this.waiting.size) await this.sendOne(...this.waiting.entries().next().value);
      this.trouble.hidden = true;
    } catch (error) {
      this.tellTrouble(error.message);
    } finally {
      this.busy = false;
    }
  }

  async sendOne(key, rating) {
    const response = await this.post(rating);
    if (response.status === 422) {
      const { detail } = await response.json();
      this.forget(key, rating);
      this.onRefused(rating, detail);
      return;
    }
    if (response.status === 401 || response.status === 403) await this.renewToken();
    if (!response.ok) throw new Error(reason(response.status));
    const answer = await response.json();
    const isLast = this.forget(key, rating);
    this.onSaved(rating, answer, isLast);
  }

  async post({ a, b, score }) {
    try {
      return await fetch(this.address, {
        method: "POST",
        headers: { Accept: "application/json", "X-Form-Token": this.token },
        body: new URLSearchParams({ a, b, score }),
      });
    } catch {
      throw new Error("The server cannot be reached.");
    }
  }

  // Who signed in again in another tab has a new form token, and this page can have it too.
  async renewToken() {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    this.token = page.querySelector("[data-token]")?.dataset.token ?? this.token;
  }

  // Whether nothing newer about the pair came up while it was sent.
  forget(key, rating) {
    if (this.waiting.get(key) !== rating) return false;
    return this.waiting.delete(key);
  }

  tellTrouble(message) {
    const many = this.waiting.size;
    const [what, kept] = many === 1 ? ["One rating is", "It is"] : [`${many} ratings are`, "They are"];
    this.tell("");
    this.why.textContent = `${what} not saved yet. ${message} ${kept} kept as long as this page is open.`;
    this.trouble.hidden = false;
    this.retry = setTimeout(() => this.send(), RETRY_AFTER);
  }

  // A word that passes: it must not cover the page for long.
  tell(text) {
    clearTimeout(this.passing);
    this.word.textContent = text;
    this.passing = setTimeout(() => this.word.replaceChildren(), SHOWN_FOR);
  }
}

function reason(status) {
  if (status === 401 || status === 403) return "You may have been signed out: sign in again in another tab.";
  if (status === 404) return "This event or one of the guests is gone.";
  return "Something went wrong on the server.";
}

export function showCounts({ rated, pairs, counts }) {
  const progress = document.getElementById("rated");
  if (progress) {
    progress.value = rated;
    const text = `${rated.toLocaleString("en-GB")} of ${pairs.toLocaleString("en-GB")} pairs rated`;
    progress.closest("[data-progress]").querySelector("[data-progress-text]").textContent = text;
  }
  for (const [guest, count] of Object.entries(counts)) {
    for (const place of document.querySelectorAll(`[data-count-of="${guest}"]`)) place.textContent = count;
  }
}

// A number as people type it, with a point or a comma and any minus sign; NaN where it is none.
export function readNumber(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
}

export function writeNumber(number) {
  return String(number).replace("-", "−");
}
