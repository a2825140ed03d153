// Filters a list as you type. Without this script, the form searches on the server.
// In a list with data-keep-ticked, what is ticked stays in view, and its number is shown.
// Four or more letters also match the start of a reply; fewer are more likely part of a name.

const LEAST_OF_REPLY = 4;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const isKept = (row) => row.closest("[data-keep-ticked]") !== null && row.querySelector("input:checked") !== null;

function narrow(input, rows, status) {
  const wanted = plain(input.value.trim());
  let shown = 0;
  for (const { row, text, reply } of rows) {
    const isReply = wanted.length >= LEAST_OF_REPLY && reply.startsWith(wanted);
    row.hidden = !text.includes(wanted) && !isReply && !isKept(row);
    if (!row.hidden) shown += 1;
  }
  const ticked = rows.filter(({ row }) => isKept(row)).length;
  const words = [...(wanted ? [`${shown} of ${rows.length} shown`] : []), ...(ticked ? [`${ticked} selected`] : [])];
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
  input.addEventListener("input", () => narrow(input, rows, status));
  list.addEventListener("change", () => narrow(input, rows, status));
  narrow(input, rows, status);
}
