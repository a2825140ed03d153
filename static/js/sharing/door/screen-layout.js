// Divides tables into pages for a big screen, in type that is as large as the least number of pages allows.

const LEAST = 0.0255; // of the height of the screen, to be read from five metres
const MOST = 0.07;
const STEP = 0.97;
const COLUMN_EMS = 11.5;
const GAP_EMS = 2;

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function section(name, guests) {
  const named = (text) => element("bdi", "", text);
  const list = element("ul", "", ...guests.map((guest) => element("li", "", named(guest))));
  return element("section", "screen-table", element("h2", "", named(name)), list);
}

// The heights of all headings and rows, as they would be in a column of this width and type.
function measure(tables, holder, width, size) {
  const ruler = element("div", "screen-ruler", ...tables.map((table) => section(table.name, table.guests)));
  ruler.style.inlineSize = `${width}px`;
  ruler.style.fontSize = `${size}px`;
  holder.append(ruler);
  const heights = [...ruler.children].map((one) => {
    const rows = [...one.querySelectorAll("li")].map((row) => row.getBoundingClientRect().height);
    const all = one.getBoundingClientRect().height;
    return { head: all - rows.reduce((sum, row) => sum + row, 0), rows };
  });
  ruler.remove();
  return heights;
}

// A table stays whole where a column can hold it; a longer one goes on under its name in the next column.
function fill(tables, heights, room, gap) {
  const columns = [];
  let left = 0;
  tables.forEach((table, number) => {
    const { head, rows } = heights[number];
    const whole = head + rows.reduce((sum, row) => sum + row, 0);
    let part = null;
    const open = (isFirst) => {
      part = { name: isFirst ? table.name : `${table.name} (continued)`, guests: [] };
      if (!isFirst || !columns.length || whole > left) {
        columns.push([]);
        left = room;
      }
      columns.at(-1).push(part);
      left -= head;
    };
    open(true);
    table.guests.forEach((guest, row) => {
      if (rows[row] > left + 0.5 && part.guests.length) open(false);
      part.guests.push(guest);
      left -= rows[row];
    });
    left -= gap;
  });
  return columns;
}

function attempt(tables, holder, size) {
  const { clientWidth: wide, clientHeight: high } = holder;
  const gap = GAP_EMS * size;
  const count = Math.max(1, Math.floor((wide + gap) / (COLUMN_EMS * size + gap)));
  const width = (wide - gap * (count - 1)) / count;
  const columns = fill(tables, measure(tables, holder, width, size), high, size);
  return { columns, wide, gap, size, pages: Math.ceil(columns.length / count) };
}

// The pages as elements: as few as the smallest type needs, in the largest type that needs no more.
export function layOut(tables, holder) {
  const least = LEAST * innerHeight;
  let best = attempt(tables, holder, least);
  for (let size = MOST * innerHeight; size > least; size *= STEP) {
    const found = attempt(tables, holder, size);
    if (found.pages <= best.pages) {
      best = found;
      break;
    }
  }
  const perPage = Math.ceil(best.columns.length / best.pages);
  return Array.from({ length: best.pages }, (_, page) => draw(best, best.columns.slice(page * perPage, (page + 1) * perPage), perPage));
}

// A page with few columns has wider ones: names then take fewer lines, never more.
function draw({ wide, gap, size }, columns, perPage) {
  const width = (wide - gap * (perPage - 1)) / perPage;
  const drawn = columns.map((parts) => {
    const column = element("div", "screen-column", ...parts.map((part) => section(part.name, part.guests)));
    column.style.inlineSize = `${width}px`;
    return column;
  });
  const page = element("div", "screen-sheet", ...drawn);
  page.style.gap = `${gap}px`;
  page.style.fontSize = `${size}px`;
  return { page, names: columns.flat().reduce((sum, part) => sum + part.guests.length, 0) };
}
