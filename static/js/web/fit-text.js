// Squeezes text of drawings that is wider than its room. The server can only estimate widths, because each machine has its own fonts.

export function fitText(root) {
  const texts = [...root.querySelectorAll("text[data-room]")];
  const widths = texts.map((text) => text.getComputedTextLength()); // all measured before the first change: one layout
  texts.forEach((text, number) => {
    if (widths[number] <= Number(text.dataset.room)) return;
    text.setAttribute("textLength", text.dataset.room);
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
}
