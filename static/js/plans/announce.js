// Says what happened, for eyes and for screen readers, and takes it away after a while.

const SHOWN_FOR = 10000;
let passing;

export function say(text, lasting = false) {
  const place = document.querySelector("[data-message]");
  clearTimeout(passing);
  place.textContent = text;
  if (!lasting) passing = setTimeout(() => place.replaceChildren(), SHOWN_FOR);
}
