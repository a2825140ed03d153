// Sends what waits in the outbox and reads the list again, in turn, about every second and a half.

const PAUSE = 1500;
const PATIENCE = 8000;

// What the server answered, in a word that decides what to do next.
function outcome(response) {
  if (response.ok || response.status === 304) return "done";
  if (response.status === 404) return "closed";
  if (response.type === "opaqueredirect" || response.status === 401 || response.status === 403) return "signed-out";
  if (response.status === 409) return "gone";
  return "offline";
}

export class Exchange {
  #isBusy = false;
  #isOver = false;
  #tag = "";
  #latest = 0;
  #clock = 0; // how far the server's clock is ahead of this phone's

  // `onList` gets each new list, `onState` the word for the connection, `onGone` the change of a guest who is gone.
  constructor({ address, formToken, outbox, onList, onState, onGone }) {
    this.address = address;
    this.formToken = formToken;
    this.outbox = outbox;
    this.onList = onList;
    this.onState = onState;
    this.onGone = onGone;
  }

  start() {
    setInterval(() => document.hidden || void this.run(), PAUSE);
    addEventListener("online", () => void this.run());
    addEventListener("visibilitychange", () => document.hidden || void this.run());
    void this.run();
  }

  // The moment on the server's clock; never the same twice.
  now() {
    this.#latest = Math.max(this.#latest + 1, Date.now() + this.#clock);
    return this.#latest;
  }

  async run() {
    if (this.#isBusy || this.#isOver) return;
    this.#isBusy = true;
    let state = "done";
    for (let change = this.outbox.oldest(); change && state === "done"; change = this.outbox.oldest()) state = await this.#send(change);
    if (state === "done") state = await this.#ask(undefined, { "if-none-match": this.#tag });
    this.#isOver = state === "closed" || state === "signed-out";
    this.#isBusy = false;
    this.onState(state);
  }

  async #send(change) {
    this.outbox.markSent(change);
    const fields = { guest: change.reference, here: change.isHere ? "1" : "0", at: String(Math.round(change.at)) };
    const state = await this.#ask(new URLSearchParams(fields), this.formToken ? { "x-form-token": this.formToken } : {});
    if (state === "done" || state === "gone") this.outbox.remove(change);
    if (state === "gone") this.onGone(change);
    return state === "gone" ? "done" : state;
  }

  async #ask(body, headers) {
    try {
      const response = await fetch(this.address, {
        method: body ? "POST" : "GET",
        body,
        headers: { accept: "application/json", ...headers },
        cache: "no-store",
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE),
      });
      const time = Number(response.headers.get("x-server-time"));
      if (time) this.#clock = time - Date.now();
      if (response.status === 200) {
        const list = await response.json();
        this.#tag = response.headers.get("etag") ?? "";
        this.onList(list);
      }
      return outcome(response);
    } catch {
      return "offline";
    }
  }
}
