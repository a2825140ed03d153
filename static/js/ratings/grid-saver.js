// Saves grid changes in batches, in order. Failed changes are retried; conflicting changes open a dialog.

import { keyOf } from "./grid-data.js";
import { Messages } from "./saver.js";

const orNull = (value) => (Number.isNaN(value) ? null : value);

export class GridSaver extends Messages {
  constructor(root, address, { onSaved, onRefused, onConflict }) {
    super(root);
    this.address = address;
    this.onSaved = onSaved;
    this.onRefused = onRefused;
    this.onConflict = onConflict;
    this.listen();
  }

  // changes: { a, b, was, score }, NaN for no rating. A pair that is already waiting keeps its first `was`.
  save(changes) {
    for (const change of changes) {
      const key = keyOf(change.a, change.b);
      this.waiting.set(key, { ...change, was: this.waiting.get(key)?.was ?? change.was });
    }
    this.send();
  }

  async sendSome() {
    const batch = [...this.waiting];
    this.waiting.clear();
    let response;
    try {
      response = await this.post(batch.map(([, change]) => change));
    } catch (error) {
      this.putBack(batch);
      throw error;
    }
    const changes = batch.map(([, change]) => change);
    if (response.status === 422) this.onRefused(changes, (await response.json()).detail);
    else if (response.status === 409) await this.settle(batch, (await response.json()).conflicts);
    else if (!response.ok) {
      this.putBack(batch);
      await this.complain(response.status);
    } else this.onSaved(changes, await response.json());
  }

  // Older changes go first. A newer change of the same pair wins, but keeps the older `was`.
  putBack(batch) {
    const newer = this.waiting;
    this.waiting = new Map(batch);
    for (const [key, change] of newer) this.waiting.set(key, { ...change, was: this.waiting.get(key)?.was ?? change.was });
  }

  async settle(batch, conflicts) {
    const theirs = new Map(conflicts.map(({ a, b, score }) => [keyOf(a, b), score ?? NaN]));
    const both = batch.filter(([key]) => theirs.has(key)).map(([key, change]) => ({ ...change, theirs: theirs.get(key) }));
    const mine = await this.onConflict(both);
    const kept = batch.filter(([key]) => mine || !theirs.has(key));
    this.putBack(kept.map(([key, change]) => [key, theirs.has(key) ? { ...change, was: theirs.get(key) } : change]));
  }

  post(changes) {
    const guests = [...new Set(changes.flatMap(({ a, b }) => [a, b]))];
    const place = new Map(guests.map((guest, i) => [guest, i]));
    const cells = changes.map(({ a, b, was, score }) => [place.get(a), place.get(b), orNull(was), orNull(score)]);
    return this.request(this.address, { batch: JSON.stringify({ guests, cells }) });
  }
}
