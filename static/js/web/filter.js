// Filters a list as you type. Without this script, the form searches on the server.
// In a list with data-keep-ticked, what is ticked stays in view, and its number is shown. A row may stand for more guests.
// Four or more letters also match the start of a reply; fewer are more likely part of a name.

const LEAST_OF_REPLY = 4;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const isKept = (row) => row.closest("[data-keep-ticked]") !== null && row.querySelector("input:checked") !== null;
const guestsIn = (rows) => rows.reduce((sum, { row }) => sum + Number(row.dataset.guests ?? 1), 0);

function fits({ text, reply }, wanted) {
  return text.includes(wanted) || (wanted.length >= LEAST_OF_REPLY && reply.startsWith(wanted));
}

function narrow(input, rows) {
  const wanted = plain(input.value.trim());
  for (const one of rows) one.row.hidden = !fits(one, wanted) && !isKept(one.row);
}

// What is unticked stays until the next letter: it has the focus.
function count(input, rows, status) {
  const wanted = plain(input.value.trim());
  const found = guestsIn(rows.filter((one) => fits(one, wanted)));
  const ticked = guestsIn(rows.filter(({ row }) => isKept(row)));
  const words = [];
  if (wanted) words.push(found ? `${found} of ${guestsIn(rows)} found` : "Nobody found");
  if (ticked) words.push(`${ticked} selected`);
  status.textContent = words.join(" · ");
}

for (const input of document.querySelectorAll("input[data-filter]")) {
  const list = document.getElementById(input.dataset.filter);
  const status = document.querySelector("[data-filter-status]");
  if (!list || !status) continue;
  const rows = [...list.children].map((row) => {
    const named = row.querySelector(".row-name") ?? /** @type {HTMLElement} */ (row);
    return { row, text: plain(named.textContent), reply: named.dataset.reply ?? "" };
  });
  const form = input.form;
  const button = form?.querySelector("[data-filter-button]");
  if (button) button.hidden = true;
  const box = input.closest("[data-filter-box]");
  if (box) box.hidden = false;
  form?.addEventListener("submit", (event) => event.preventDefault());
  const filter = () => {
    narrow(input, rows);
    count(input, rows, status);
  };
  input.addEventListener("input", filter);
  list.addEventListener("change", () => count(input, rows, status));
  filter();
}
