// Says what happened, for eyes and for screen readers, and takes it away after a while; some of it can be undone.

const SHOWN_FOR = 10000;
const OFFERED_FOR = 30000;
let passing;
let offered = null;

const button = () => /** @type {HTMLButtonElement} */ (document.querySelector("[data-undo-offer]"));

function offer(undo) {
  offered = undo;
  const shown = button(); // only for those who may edit
  if (shown) shown.hidden = !undo;
}

document.addEventListener("click", (event) => {
  if (/** @type {Element} */ (event.target).closest("[data-undo-offer]")) takeOffer();
});

// `undo` is called by the button beside the message, which is there only with it.
export function say(text, lasting = false, undo = null) {
  const place = document.querySelector("[data-message]");
  clearTimeout(passing);
  place.textContent = text;
  offer(undo);
  if (lasting) return;
  passing = setTimeout(
    () => {
      place.replaceChildren();
      offer(null);
    },
    undo ? OFFERED_FOR : SHOWN_FOR,
  );
}

// Adds to what was just said; its undo stays.
export function sayMore(text) {
  const place = document.querySelector("[data-message]");
  place.textContent = `${place.textContent} ${text}`.trim();
}

// Takes the undo that is offered, if there is one.
export function takeOffer() {
  if (!offered) return false;
  offered();
  return true;
}
