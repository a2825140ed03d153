// Narrows a list while somebody types in its search field. Without this the field's form asks the server.

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function narrow(input, rows, status) {
  const wanted = plain(input.value.trim());
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !text.includes(wanted);
    if (!row.hidden) shown += 1;
  }
  status.textContent = wanted ? `${shown} of ${rows.length} shown` : "";
}

for (const input of document.querySelectorAll("input[data-filter]")) {
  const list = document.getElementById(input.dataset.filter);
  const status = document.querySelector("[data-filter-status]");
  if (!list || !status) continue;
  const rows = [...list.children].map((row) => ({ row, text: plain((row.querySelector(".row-name") ?? row).textContent) }));
  const form = input.form;
  const button = form?.querySelector("[data-filter-button]");
  if (button) button.hidden = true;
  form?.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", () => narrow(input, rows, status));
  if (input.value) narrow(input, rows, status);
}
