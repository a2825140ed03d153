// Menus that are disclosures close at a click elsewhere and at Escape, which gives the focus back.

const opened = () => /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details[data-menu][open]")]);

export function closeMenus() {
  document.addEventListener("pointerdown", (event) => {
    for (const menu of opened()) if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of opened()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}
