// Sends what stands in the other forms of a page along with the one that is sent, so that the next page can show it again.

function valueOf(name) {
  const fields = [...document.getElementsByName(name)].filter((field) => field.type !== "hidden" && (field.type !== "radio" || field.checked));
  return fields[0]?.value;
}

document.addEventListener("submit", (event) => {
  for (const copy of event.target.querySelectorAll("input[data-kept]")) copy.value = valueOf(copy.dataset.kept) ?? copy.value;
});
