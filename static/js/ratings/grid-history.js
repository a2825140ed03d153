// Undo and redo for the grid: each step is a list of { a, b, before, after }.

export class History {
  constructor(root) {
    this.done = [];
    this.undone = [];
    this.buttons = { undo: root.querySelector("[data-undo]"), redo: root.querySelector("[data-redo]") };
    this.show();
  }

  add(step) {
    this.done.push(step);
    this.undone = [];
    this.show();
  }

  undo() {
    const step = this.done.pop();
    if (step) this.undone.push(step);
    this.show();
    return step?.map(({ a, b, before, after }) => ({ a, b, before: after, after: before }));
  }

  redo() {
    const step = this.undone.pop();
    if (step) this.done.push(step);
    this.show();
    return step;
  }

  show() {
    this.buttons.undo.disabled = !this.done.length;
    this.buttons.redo.disabled = !this.undone.length;
  }
}
