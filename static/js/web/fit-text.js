// Squeezes text in drawings that is too wide. The server can only estimate widths, because fonts differ between machines.

export function fitText(...roots) {
  const texts = roots.flatMap((root) => [...root.querySelectorAll("text[data-room]")]);
  const widths = texts.map((text) => text.getComputedTextLength()); // all measured before the first change: one layout
  texts.forEach((text, number) => {
    if (widths[number] <= Number(text.dataset.room)) return;
    text.setAttribute("textLength", text.dataset.room);
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
}
