// Submits the contents of the other forms on the page too, so that the next page can show them again.

function valueOf(name) {
  const named = /** @type {NodeListOf<HTMLInputElement>} */ (document.getElementsByName(name));
  const fields = [...named].filter((field) => field.type !== "hidden" && (field.type !== "radio" || field.checked));
  return fields[0]?.value;
}

document.addEventListener("submit", (event) => {
  for (const copy of event.target.querySelectorAll("input[data-kept]")) copy.value = valueOf(copy.dataset.kept) ?? copy.value;
});
