// Copying from and pasting into the grid.

import { keyOf } from "./grid-data.js";
import { readNumber } from "./saver.js";

const same = (one, other) => one === other || (Number.isNaN(one) && Number.isNaN(other));

// Copies ratings only: pasting an estimate or default back would turn it into a rating.
export function copyText(data, { rows, columns }) {
  const lines = [];
  for (let i = rows[0]; i <= rows[1]; i += 1) {
    const line = [];
    for (let j = columns[0]; j <= columns[1]; j += 1) line.push(data.isSelf(i, j) || Number.isNaN(data.rating(i, j)) ? "" : String(data.rating(i, j)));
    lines.push(line.join("\t"));
  }
  return lines.join("\n");
}

// Lines of numbers, NaN where a cell is empty; throws an error that names the first cell that is not a number.
export function readPasted(text) {
  return text.replace(/\r?\n$/, "").split(/\r?\n/).map((line, i) => line.split("\t").map((cell, j) => {
    const number = readNumber(cell);
    if (cell.trim() && Number.isNaN(number)) throw new Error(`Row ${i + 1}, column ${j + 1}: “${cell.slice(0, 20)}” is not a number. Nothing was pasted.`);
    return number;
  }));
}

// One value for each pair. A pair that was pasted twice, above and below the diagonal, gets the value that is new;
// if both are new and differ, the pair is not changed and is reported.
export function settlePasted(data, lines, { rows, columns }) {
  const pairs = new Map();
  for (const [y, line] of lines.entries()) {
    for (const [x, value] of line.entries()) {
      const [i, j] = [rows[0] + y, columns[0] + x];
      if (i >= data.rows.length || j >= data.columns.length || data.isSelf(i, j)) continue;
      const key = keyOf(data.rows[i].id, data.columns[j].id);
      if (pairs.has(key)) pairs.get(key).values.push(value);
      else pairs.set(key, { i, j, values: [value] });
    }
  }
  const skipped = emptyHalf([...pairs.values()].filter(({ values }) => values.length > 1));
  const wanted = [], unclear = [];
  for (const { i, j, values } of pairs.values()) {
    const said = values.length > 1 ? values.filter((_, half) => half !== skipped) : values;
    const fresh = said.filter((value) => !same(value, data.rating(i, j)));
    if (fresh.length < 2 || same(...fresh)) wanted.push([i, j, fresh[0] ?? data.rating(i, j)]);
    else unclear.push([i, j]);
  }
  return { wanted, unclear };
}

// If only one side of the diagonal has numbers, skip the other half (0 or 1).
function emptyHalf(mirrored) {
  const isEmpty = (half) => mirrored.every(({ values }) => Number.isNaN(values[half]));
  if (mirrored.length < 2 || isEmpty(0) === isEmpty(1)) return null;
  return isEmpty(0) ? 0 : 1;
}
