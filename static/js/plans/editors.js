// Shows who else works on the plan, and at which guests they are. Words come from the server.

const SVG = "http://www.w3.org/2000/svg";
let others = [];

export function showEditors(editors) {
  others = editors;
  drawEditors();
}

// What to know before one picks up these guests as well; empty where nobody else has them.
export function heldByOthers(guests) {
  const holding = others.filter((editor) => editor.guests.some((guest) => guests.includes(guest)));
  return holding.map((editor) => editor.holds).join(" ");
}

// Also after parts of the page were replaced.
export function drawEditors() {
  drawNames();
  for (const seat of document.querySelectorAll("[data-seat].is-held")) unmark(seat);
  for (const editor of others) {
    for (const guest of editor.guests) {
      for (const seat of document.querySelectorAll(`[data-seat="${CSS.escape(guest)}"]`)) mark(seat, editor);
    }
  }
}

// Somebody with several windows is shown once.
function drawNames() {
  const list = document.querySelector("[data-editors]");
  if (!list) return;
  const names = new Map(others.map((editor) => [editor.name, editor.initials]));
  const items = [...names].map(([name, initials]) => {
    const item = document.createElement("li");
    item.title = name;
    item.append(textIn("span", initials, { "aria-hidden": "true" }), textIn("span", name, { class: "visually-hidden" }));
    return item;
  });
  list.replaceChildren(...items);
  list.hidden = !items.length;
}

function textIn(tag, text, attributes) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function mark(seat, editor) {
  seat.classList.add("is-held");
  if (!(seat instanceof SVGElement)) {
    seat.title = editor.holds;
    return;
  }
  const circle = seat.querySelector("circle");
  const [x, y] = ["cx", "cy"].map((name) => Number(circle.getAttribute(name)) - 12);
  const group = draw("g", { class: "held-mark" }, seat);
  draw("title", {}, group).textContent = editor.holds;
  draw("circle", { cx: x, cy: y, r: 9 }, group);
  draw("text", { x, y: y + 3.5 }, group).textContent = editor.initials;
  label(seat, ` ${editor.holds}`);
}

function unmark(seat) {
  seat.classList.remove("is-held");
  for (const group of seat.querySelectorAll(".held-mark")) group.remove();
  if (seat instanceof SVGElement) label(seat, "");
  else seat.removeAttribute("title");
}

function label(seat, more) {
  const title = seat.querySelector("title").textContent;
  if (seat.hasAttribute("aria-label")) seat.setAttribute("aria-label", more ? `${title}.${more}` : title);
}

function draw(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}
