// Asks before the page of circles is left with a selection that is not saved.

const form = /** @type {HTMLFormElement} */ (document.getElementById("circle"));
let isSent = false;

form.addEventListener("submit", () => {
  isSent = true;
});
window.addEventListener("pageshow", () => {
  isSent = false;
});
window.addEventListener("beforeunload", (event) => {
  if (!isSent && form.querySelector("input[name=guest]:checked")) event.preventDefault();
});
