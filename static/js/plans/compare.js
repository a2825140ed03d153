// Links the two floors and the list of a comparison: hovering or focusing a guest highlights them everywhere.

const WANTED = "[data-guest], [data-seat]";

function light(part, lit) {
  const id = part?.dataset.guest ?? part?.dataset.seat;
  if (!id) return;
  for (const one of document.querySelectorAll(`[data-guest="${id}"], [data-seat="${id}"]`)) one.classList.toggle("lit", lit);
}

const compared = document.querySelector("[data-compare]");
for (const [name, lit] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
  compared.addEventListener(name, (event) => light(event.target.closest(WANTED), lit));
}
