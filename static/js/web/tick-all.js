// A button that selects or clears all visible checkboxes of a list.

for (const button of document.querySelectorAll("[data-tick-all]")) {
  const boxes = () =>
    [...document.querySelectorAll(`#${button.dataset.tickAll} input[type="checkbox"]`)].filter((box) => !box.closest("[hidden]"));
  const name = () => {
    const all = boxes();
    button.textContent = all.length && all.every((box) => box.checked) ? "Select none" : "Select all";
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const all = boxes();
    const tick = !all.every((box) => box.checked);
    for (const box of all) box.checked = tick;
    name();
  });
  document.addEventListener("change", name);
  name();
}
