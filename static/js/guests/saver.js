// Saves cells as they are typed, one step after the other. What could not be saved stays in its cell and says why.

import { isSame, wordsOf } from "./rows.js";

const RETRY_AFTER = 5000;
const SAVED_FOR = 1500;
const keyOf = (guest, column) => `${guest} ${column}`;

export class Saver {
  // `show(guest)` draws a guest again, `tell(text)` announces something, `send(path, fields)` posts to the server.
  constructor(rows, { show, tell, send }) {
    this.rows = rows;
    this.show = show;
    this.tell = tell;
    this.send = send;
    this.waiting = [];
    this.states = new Map();
    this.done = [];
    this.undone = [];
    this.busy = false;
    window.addEventListener("online", () => this.flush());
    window.addEventListener("beforeunload", (event) => {
      if (this.waiting.length || [...this.states.values()].some(({ state }) => state !== "saved")) event.preventDefault();
    });
  }

  stateOf(guest, column) {
    return this.states.get(keyOf(guest, column));
  }

  // changes: { guest, column, value }; the rows show them at once.
  save(changes, history = this.done, isTurn = false) {
    const step = changes.map((change) => ({ ...change, was: this.wasOf(change) })).filter(({ was, value }) => !isSame(was, value));
    if (!step.length) return false;
    for (const { guest, column, value } of step) {
      this.rows.set(guest, column, value);
      this.rows.learn(column, value);
      this.mark(guest, column, { state: "saving" });
    }
    history.push({ cells: step });
    if (!isTurn && history === this.done) this.undone = [];
    this.waiting.push(step);
    this.flush();
    return true;
  }

  // What the server has, as far as this page knows: a refused value never got there.
  wasOf({ guest, column }) {
    const known = this.stateOf(guest, column);
    return known && "was" in known ? known.was : this.rows.value(guest, column);
  }

  mark(guest, column, state) {
    if (state) this.states.set(keyOf(guest, column), state);
    else this.states.delete(keyOf(guest, column));
    this.show(guest);
  }

  async flush() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.retry);
    while (this.waiting.length) {
      const [step] = this.waiting;
      const cells = step.map(({ guest, column, was, value }) => ({ guest, column, was, value }));
      const { status, answer, message } = await this.send("cells", { batch: JSON.stringify({ cells }) });
      if (status === 200) this.saved(step, answer.rows);
      else if (status === 409) this.crossed(step, answer.conflicts);
      else if (status === 422) this.refused(step, answer);
      else {
        this.tell(`Not saved yet. ${message} What you typed stays here while this page is open.`, { isTrouble: true, again: () => this.flush() });
        this.retry = setTimeout(() => this.flush(), RETRY_AFTER);
        break;
      }
      this.waiting.shift();
    }
    this.busy = false;
  }

  saved(step, rows) {
    const pending = new Set(this.waiting.slice(1).flat().map(({ guest, column }) => keyOf(guest, column)));
    for (const { guest, column } of step) if (!pending.has(keyOf(guest, column))) this.settle(guest, column);
    for (const row of rows) {
      for (const { key } of this.rows.columns) {
        const state = this.stateOf(row[0], key);
        if (!pending.has(keyOf(row[0], key)) && !(state && "was" in state)) this.rows.set(row[0], key, row[this.rows.keys.get(key)]);
      }
      this.show(row[0]);
    }
    const [{ guest, column, value }] = step;
    const label = this.rows.column(column).label;
    this.tell(step.length > 1 ? `${step.length} cells saved.` : `${label} of ${this.rows.value(guest, "name") ?? "guest"}: ${wordsOf(this.rows.column(column), value) || "empty"}. Saved.`, { isQuiet: true });
  }

  settle(guest, column) {
    const state = { state: "saved" };
    this.mark(guest, column, state);
    setTimeout(() => {
      if (this.stateOf(guest, column) === state) this.mark(guest, column, null);
    }, SAVED_FOR);
  }

  // Someone else changed cells meanwhile: theirs are kept, and the others are sent again.
  crossed(step, conflicts) {
    const theirs = new Map(conflicts.map((one) => [keyOf(one.guest, one.column), one]));
    for (const { guest, column, value } of step) {
      const other = theirs.get(keyOf(guest, column));
      if (!other) continue;
      if (other.now === null) this.mark(guest, column, { state: "error", was: value, value, message: "This guest has been removed meanwhile." });
      else {
        const words = wordsOf(this.rows.column(column), other.now) || "nothing";
        const mine = wordsOf(this.rows.column(column), value) || "nothing";
        this.mark(guest, column, { state: "conflict", was: other.now, value, message: `Someone else changed this to “${words}”. You entered “${mine}”.` });
      }
    }
    this.rest(step, theirs);
    this.tell("Someone else changed this meanwhile. Go to the marked cell to choose.", { isTrouble: true });
  }

  refused(step, { detail, faults }) {
    const wrong = new Map();
    for (const { where, message } of faults) {
      const change = step[Number(where.split("/")[1])];
      if (change) wrong.set(keyOf(change.guest, change.column), message);
    }
    for (const change of step) {
      const message = wrong.get(keyOf(change.guest, change.column)) ?? (wrong.size ? "" : detail);
      if (!message) continue;
      wrong.set(keyOf(change.guest, change.column), message);
      this.mark(change.guest, change.column, { state: "error", was: change.was, value: change.value, message });
    }
    this.rest(step, wrong);
    this.tell(`Not saved. ${detail}`, { isTrouble: true });
  }

  rest(step, failed) {
    const others = step.filter(({ guest, column }) => !failed.has(keyOf(guest, column)));
    for (const later of this.waiting.slice(1).flat()) {
      const state = this.stateOf(later.guest, later.column);
      if (failed.has(keyOf(later.guest, later.column)) && state) later.was = state.was;
    }
    for (const entry of this.done) if (entry.cells === step) entry.cells = others;
    this.done = this.done.filter(({ cells, undo }) => undo || cells.length);
    if (others.length) this.waiting.splice(1, 0, others);
  }

  // Ends what is wrong with a cell: with the value that was entered, or with the one that the server has.
  resolve(guest, column, mine) {
    const state = this.stateOf(guest, column);
    if (!state || !("was" in state)) return;
    if (mine) {
      this.rows.set(guest, column, state.was);
      this.mark(guest, column, null);
      this.save([{ guest, column, value: state.value }]);
    } else {
      this.rows.set(guest, column, state.was);
      this.mark(guest, column, null);
    }
  }

  // Takes the last step back; the caller undoes changes of selected guests, which the server keeps.
  undo() {
    return this.turn(this.done, this.undone);
  }

  redo() {
    return this.turn(this.undone, this.done);
  }

  turn(from, to) {
    const step = from.pop();
    if (!step) return null;
    if (step.undo) return step;
    const back = step.cells.map(({ guest, column, was }) => ({ guest, column, value: was }));
    this.save(back, to, true);
    return { cells: back };
  }
}
