// Asks something that can wait: a text with two buttons that stays until it is answered or no longer true.

// Resolves to true or false by the buttons; `withdraw` takes it away unanswered, `focus` brings the keys to it.
export function offer(text, yes, no) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("offer"));
  const box = /** @type {HTMLElement} */ (template.content.firstElementChild.cloneNode(true));
  const [accept, decline] = box.querySelectorAll("button");
  box.querySelector("[data-offer-text]").textContent = text;
  accept.textContent = yes;
  decline.textContent = no;
  const answer = new Promise((resolve) => {
    accept.addEventListener("click", () => resolve(true));
    decline.addEventListener("click", () => resolve(false));
  });
  const withdraw = () => box.remove();
  document.querySelector("[data-offers]").append(box);
  const focus = () => accept.focus();
  return { answer: answer.finally(withdraw), withdraw, focus };
}
