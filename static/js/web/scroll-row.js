// Brings the current link of each row that scrolls sideways into view, which not every browser does by itself.

function show(row) {
  const link = row.querySelector("[aria-current]");
  if (!link) return;
  const [outer, inner] = [row.getBoundingClientRect(), link.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

function showAll() {
  for (const row of document.querySelectorAll("[data-scroll-row]")) show(row);
}

showAll();
document.addEventListener("parts", (event) => {
  const parts = /** @type {CustomEvent} */ (event).detail;
  if (parts.some((part) => part.matches(":has([data-scroll-row])"))) showAll();
});
document.addEventListener("seating-changed", showAll);
