// Selected guests, and the bar that changes them all.

export class Selection {
  // `rows` knows the order of the guests; `onChange` draws what is selected.
  constructor(rows, bar, onChange) {
    this.rows = rows;
    this.bar = bar;
    this.onChange = onChange;
    this.ids = new Set();
    this.anchor = null;
    this.count = bar.querySelector("[data-selected]");
    const none = bar.querySelector("[data-select-none]");
    none.hidden = false;
    none.addEventListener("click", () => this.clear());
    bar.hidden = true;
  }

  has(guest) {
    return this.ids.has(guest);
  }

  set(guest, isSelected) {
    if (isSelected) this.ids.add(guest);
    else this.ids.delete(guest);
    this.anchor = guest;
    this.show();
  }

  // Selects everything between the last guest that was selected and this one.
  async extendTo(guest) {
    const from = this.rows.places.get(this.anchor), to = this.rows.places.get(guest);
    if (from === undefined || to === undefined) {
      this.set(guest, true);
      return;
    }
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const isRead = this.rows.list.slice(first, last + 1).every(Boolean);
    const ids = isRead ? this.rows.list.slice(first, last + 1).map((row) => row[0]) : (await this.rows.allIds()).slice(first, last + 1);
    for (const id of ids) this.ids.add(id);
    this.show();
  }

  async all() {
    for (const id of await this.rows.allIds()) this.ids.add(id);
    this.show();
  }

  clear() {
    this.ids.clear();
    this.anchor = null;
    this.show();
  }

  show() {
    const hidden = [...this.ids].filter((id) => !this.rows.places?.has(id)).length;
    const isPart = hidden && this.rows.list.every(Boolean);
    this.bar.hidden = !this.ids.size;
    this.count.textContent = `${this.ids.size.toLocaleString("en-GB")} selected${isPart ? `, ${hidden} not shown` : ""}`;
    this.onChange();
  }
}
