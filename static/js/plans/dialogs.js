// Dialogs: what a move would break, and the list of keys.

function ask(dialog) {
  return new Promise((resolve) => {
    dialog.returnValue = "cancel";
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    dialog.showModal();
  });
}

// Asks whether to make a move that breaks something, and names it; the focus goes back to where it was.
export async function askAnyway(breaks, label = "Move anyway") {
  const dialog = document.getElementById("breaks");
  dialog.querySelector("[data-anyway]").textContent = label;
  const isOne = breaks.length === 1;
  dialog.querySelector("h2").textContent = isOne ? breaks[0] : "Move anyway?";
  const items = (isOne ? [] : breaks).map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  });
  dialog.querySelector("[data-breaks]").replaceChildren(...items);
  return (await ask(dialog)) === "anyway";
}

export const showKeys = () => ask(document.getElementById("keys"));
