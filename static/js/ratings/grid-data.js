// What the grid shows: guests in an order, and for each pair a value, its source and its uncertainty.

export const RATING = 1, WISH = 2, PARTY = 3, GUESS = 4, GROUP = 5, NOTHING = 6;
export const SOURCES = { [WISH]: "wish", [PARTY]: "party", [GUESS]: "guess", [GROUP]: "group" };
const NOT_KNOWN = 255;

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
export const keyOf = (a, b) => [a, b].toSorted().join();

export class GridData {
  static async load(address) {
    // The Back button would otherwise show the ratings as they were before they were edited.
    const response = await fetch(address, { cache: "no-cache", headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(String(response.status));
    return new GridData(await response.json());
  }

  constructor(json) {
    this.kind = json.kind;
    this.rows = json.rows;
    this.columns = json.columns ?? json.rows;
    this.values = new Float32Array(bytes(json.values));
    this.source = new Uint8Array(bytes(json.source));
    this.spread = new Uint8Array(bytes(json.spread));
    this.groups = json.groups;
    this.block = json.block ? new Int32Array(bytes(json.block)) : null;
    this.rowOf = new Map(this.rows.map((guest, i) => [guest.id, i]));
    this.columnOf = new Map(this.columns.map((guest, j) => [guest.id, j]));
  }

  at(i, j) {
    return i * this.columns.length + j;
  }

  isSelf(i, j) {
    return this.rows[i].id === this.columns[j].id;
  }

  sourceAt(i, j) {
    return this.source[this.at(i, j)];
  }

  // Single precision holds seven digits: 0.1 must not come out as 0.10000000149.
  value(i, j) {
    return this.sourceAt(i, j) === NOTHING ? NaN : Number(this.values[this.at(i, j)].toPrecision(7));
  }

  rating(i, j) {
    return this.sourceAt(i, j) === RATING ? this.value(i, j) : NaN;
  }

  spreadAt(i, j) {
    const spread = this.spread[this.at(i, j)];
    return spread === NOT_KNOWN ? NaN : spread / 100;
  }

  groupsAt(i, j) {
    if (!this.block) return null;
    const number = this.block[this.at(i, j)];
    const many = this.groups.length + 1;
    return [this.groups[Math.floor(number / many)], this.groups[number % many]];
  }

  places(a, b) {
    return [[a, b], [b, a]]
      .filter(([one, other]) => this.rowOf.has(one) && this.columnOf.has(other))
      .map(([one, other]) => [this.rowOf.get(one), this.columnOf.get(other)]);
  }

  ratingOf(a, b) {
    const [place] = this.places(a, b);
    return place ? this.rating(...place) : NaN;
  }

  setRating(a, b, value) {
    for (const [i, j] of this.places(a, b)) {
      this.values[this.at(i, j)] = Number.isNaN(value) ? 0 : value;
      this.source[this.at(i, j)] = Number.isNaN(value) ? NOTHING : RATING;
    }
  }

  // Updates the values from the server and keeps the order of the guests.
  takeIn(other) {
    const rows = this.rows.map((guest) => other.rowOf.get(guest.id));
    const columns = this.columns.map((guest) => other.columnOf.get(guest.id));
    if ([...rows, ...columns].includes(undefined)) return;
    if (other.block && !this.block) this.block = new Int32Array(this.values.length);
    this.groups = other.groups;
    rows.forEach((i, row) => columns.forEach((j, column) => {
      const [to, from] = [this.at(row, column), other.at(i, j)];
      this.values[to] = other.values[from];
      this.source[to] = other.source[from];
      this.spread[to] = other.spread[from];
      if (this.block) this.block[to] = other.block?.[from] ?? 0;
    }));
  }
}
