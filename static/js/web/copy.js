// Shows the copy button beside a read-only field and copies the field's value. Without this the field can be selected by hand.

const status = (button) => button.closest("[data-copy-field]").querySelector("[role=status]");

async function copy(button) {
  const input = document.getElementById(button.dataset.copy);
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    status(button).textContent = "Copied.";
  } catch {
    // The clipboard is closed to pages served over plain HTTP from another machine; the selection still helps.
    status(button).textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
