// Changes that the server has not confirmed yet. They are kept on this phone, so that neither a lost connection nor a
// reload loses one. Only references are stored, never a name.

export class Outbox {
  #key;
  #memory = "{}"; // for browsers that store nothing, or no more
  #isStored = true;

  constructor(accessKey) {
    this.#key = `convive-door-${accessKey}`;
  }

  // What is waiting, by reference: whether the guest is here, when that was decided, and whether it may have been sent.
  read() {
    if (!this.#isStored) return JSON.parse(this.#memory);
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? "{}");
    } catch {
      return JSON.parse(this.#memory);
    }
  }

  #write(changes) {
    this.#memory = JSON.stringify(changes);
    try {
      if (Object.keys(changes).length) localStorage.setItem(this.#key, this.#memory);
      else localStorage.removeItem(this.#key);
    } catch {
      this.#isStored = false; // what is stored is older than the memory from now on
    }
  }

  // A change that never left the phone and that the server does not know is simply taken back.
  add(reference, isHere, at, isHereOnServer) {
    const changes = this.read();
    const waiting = changes[reference];
    if (waiting && !waiting.isSent && waiting.isHere !== isHere && isHereOnServer === isHere) delete changes[reference];
    else changes[reference] = { isHere, at, isSent: false };
    this.#write(changes);
  }

  oldest() {
    const changes = Object.entries(this.read()).map(([reference, change]) => ({ reference, ...change }));
    return changes.reduce((first, change) => (first && first.at <= change.at ? first : change), null);
  }

  markSent({ reference, at }) {
    const changes = this.read();
    if (changes[reference]?.at === at) changes[reference].isSent = true;
    this.#write(changes);
  }

  // A newer change of the same guest stays.
  remove({ reference, at }) {
    const changes = this.read();
    if (changes[reference]?.at === at) delete changes[reference];
    this.#write(changes);
  }
}
