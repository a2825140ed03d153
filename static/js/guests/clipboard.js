// Cells copied from a spreadsheet, or to it.

import { optionNamed, wordsOf } from "./rows.js";

// The server reads words such as “coming” or “x”; known ones are shown at once as they will be.
function readCell(column, text) {
  if (column.kind === "multi") return text.split(",").map((one) => one.trim()).filter(Boolean);
  if (column.kind === "boolean" && /^(yes|no|)$/i.test(text)) return /^yes$/i.test(text);
  return optionNamed(column, text)?.[0] ?? text;
}

const readLines = (text) => text.replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.split("\t"));

export function listenToClipboard({ grid, rows, saver, selection, notes, view, isActive }) {
  document.addEventListener("paste", (event) => {
    if (!isActive() || !grid.column?.edit) return;
    event.preventDefault();
    const lines = readLines(event.clipboardData.getData("text/plain")), { row, column } = grid.active;
    const changes = lines.flatMap((line, y) => line.map((text, x) => [rows.list[row + y]?.[0], grid.columns[column + x], text.trim()]))
      .filter(([guest, to]) => guest && to?.edit)
      .map(([guest, to, text]) => ({ guest, column: to.key, value: readCell(to, text) }));
    const left = lines.length - Math.min(lines.length, rows.matching - row);
    if (!saver.save(changes)) notes.say("Nothing to change.");
    if (left) notes.show(`${left} more ${left === 1 ? "row" : "rows"} did not fit below the last guest. Paste them under “Add guests”.`);
  });
  document.addEventListener("copy", (event) => {
    if (!isActive()) return;
    const write = (row, column) => wordsOf(column, row[rows.keys.get(column.key)]).replace(/\s+/g, " ");
    const chosen = selection?.ids.size ? rows.list.filter((row) => row && selection.has(row[0])) : null;
    if (!chosen && !grid.column) return;
    const lines = chosen ? chosen.map((row) => view.shown.map((column) => write(row, column)).join("\t")) : [write(rows.rowOf(grid.guest), grid.column)];
    event.clipboardData.setData("text/plain", lines.join("\n"));
    event.preventDefault();
    notes.say(chosen ? `${chosen.length} rows copied.` : "Cell copied.");
  });
}
