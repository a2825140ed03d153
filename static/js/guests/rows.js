// The rows of the guest table: read in pieces, as they scroll into view. A row is [id, value of each column…].

const PIECE = 100;
const PLACE = ["page", "row", "guest"];

export class Rows {
  constructor(address) {
    this.address = address;
    this.columns = [];
    this.list = [];
    this.matching = 0;
    this.turn = 0;
    this.reading = new Set();
    this.query = new URLSearchParams();
    this.keys = new Map();
    this.places = new Map();
    this.onRead = () => {};
  }

  // Reads the rows of a query from around a place on, and what stands around the table; null if another query came first.
  async open(query, { first = 0, guest = "" } = {}) {
    const turn = (this.turn += 1);
    const asked = new URLSearchParams(query);
    for (const name of PLACE) asked.delete(name);
    this.query = new URLSearchParams(asked);
    asked.set("head", "1");
    asked.set("first", String(Math.max(0, first - PIECE / 2)));
    asked.set("limit", String(2 * PIECE));
    if (guest) asked.set("guest", guest);
    const answer = await this.read(asked);
    if (turn !== this.turn) return null;
    this.columns = answer.columns;
    this.keys = new Map(answer.columns.map(({ key }, place) => [key, place + 1]));
    this.list = Array.from({ length: answer.matching });
    this.places = new Map();
    this.matching = answer.matching;
    this.reading.clear();
    this.fill(answer);
    return answer;
  }

  async read(query) {
    // The Back button would otherwise show the rows as they were before they were edited.
    const response = await fetch(`${this.address}?${query}`, { cache: "no-cache", headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`Cannot read the guests (${response.status}).`);
    return response.json();
  }

  fill({ first, rows }) {
    for (const [place, row] of rows.entries()) {
      this.list[first + place] = row;
      this.places.set(row[0], first + place);
    }
  }

  // Makes sure that these rows are read, or will be.
  need(top, bottom) {
    for (let piece = Math.floor(top / PIECE); piece * PIECE < Math.min(bottom, this.matching); piece += 1) {
      if (!this.reading.has(piece) && this.isMissing(piece)) this.readPiece(piece);
    }
  }

  isMissing(piece) {
    const end = Math.min((piece + 1) * PIECE, this.matching);
    for (let place = piece * PIECE; place < end; place += 1) if (!this.list[place]) return true;
    return false;
  }

  async readPiece(piece) {
    const { turn } = this, asked = new URLSearchParams(this.query);
    asked.set("first", String(piece * PIECE));
    asked.set("limit", String(PIECE));
    this.reading.add(piece);
    const answer = await this.read(asked).catch(() => null);
    if (turn !== this.turn) return;
    if (!answer) {
      setTimeout(() => this.reading.delete(piece), 3000); // asked again while it is in view
      return;
    }
    this.fill(answer);
    this.reading.delete(piece);
    this.onRead();
  }

  async allIds() {
    const asked = new URLSearchParams(this.query);
    asked.set("ids", "1");
    asked.set("limit", "0");
    return (await this.read(asked)).ids;
  }

  column(key) {
    return this.columns[this.keys.get(key) - 1];
  }

  rowOf(guest) {
    return this.list[this.places.get(guest)];
  }

  value(guest, key) {
    return this.rowOf(guest)?.[this.keys.get(key)];
  }

  set(guest, key, value) {
    const row = this.rowOf(guest);
    if (row) row[this.keys.get(key)] = value;
  }

  // Offers values that were typed for the first time.
  learn(key, value) {
    const column = this.column(key);
    if (!column.open) return;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one && !column.options.some(([known]) => known === one)) column.options.push([one, one, "grey"]);
    }
  }
}

export const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// A value in words, as a cell, a spreadsheet and an announcement have it.
export function wordsOf(column, value) {
  if (typeof value === "boolean") return value ? "Yes" : "";
  const words = (one) => column.options.find(([known]) => known === one)?.[1] ?? one;
  return Array.isArray(value) ? value.map(words).join(", ") : words(value ?? "");
}

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// How well an option fits what was typed, 0 best and Infinity not at all; the words behind its colour mean it too.
function fit([, words, , ...also], typed) {
  const shown = plain(words), others = also.map(plain);
  const fits = [shown === typed || others.includes(typed), shown.startsWith(typed), shown.includes(` ${typed}`), others.some((word) => word.startsWith(typed)), shown.includes(typed)];
  const place = fits.indexOf(true);
  return place < 0 ? Infinity : place;
}

// The options that fit what was typed, those that fit best first.
export function optionsFor(column, text) {
  const typed = plain(text.trim());
  const fitting = column.options.map((option) => [fit(option, typed), option]).filter(([place]) => place < Infinity);
  return fitting.toSorted(([one], [other]) => one - other).map(([, option]) => option);
}

// The option that a text names as a whole.
export const optionNamed = (column, text) => column.options.find((option) => fit(option, plain(text.trim())) === 0);
