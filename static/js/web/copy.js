// Shows the copy button beside a read-only field. Without this script, the field can be selected by hand.

const status = (button) => button.closest("[data-copy-field]").querySelector("[role=status]");

async function copy(button) {
  const input = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copy));
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    status(button).textContent = "Copied.";
  } catch {
    // No clipboard access over plain HTTP from another machine; the selection still helps.
    status(button).textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
