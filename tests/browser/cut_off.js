// Returns what of a page cannot be read: text that is cut off, that sticks out of its box or that covers other text.
// Text that scrolls into view counts as readable, and so does an ellipsis where a title has the whole text.
() => {
  const SLACK = 4; // a letter may stand over the edge of its box by less than this
  const found = new Set();
  const name = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}">`;
  const report = (what, element, text) => found.add(`${what} ${name(element)} ${text.trim().slice(0, 50)}`);

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.add(`the page is ${scrollWidth} pixels wide`);

  const pen = document.createElement("canvas").getContext("2d");
  for (const menu of document.querySelectorAll("select:not([title])")) {
    if (!menu.checkVisibility() || !menu.selectedOptions.length) continue;
    const style = getComputedStyle(menu);
    pen.font = style.font;
    pen.letterSpacing = style.letterSpacing === "normal" ? "0px" : style.letterSpacing;
    const text = menu.selectedOptions[0].textContent.trim();
    const room = menu.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16; // for its arrow
    if (pen.measureText(text).width > room) report("cut off in", menu, text);
  }

  const isHidden = (element) =>
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
    element.closest("select, script, style, noscript, .skip, .visually-hidden, .group-label");

  function check(box, element, text) {
    for (let around = element; around !== document.documentElement; around = around.parentElement) {
      if (around instanceof SVGElement && around.tagName !== "svg") continue;
      const style = getComputedStyle(around);
      if (style.display === "inline" || style.display === "contents") continue;
      if (style.overflowX === "auto" || style.overflowX === "scroll") return;
      const edge = around.getBoundingClientRect();
      const across = Math.max(box.right - edge.right, edge.left - box.left);
      const along = Math.max(box.bottom - edge.bottom, edge.top - box.top);
      const isShortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      if (style.overflowX !== "visible" && (across > 1 || along > box.height / 2)) {
        if (!isShortened || !around.closest("[title]")) report("cut off by", around, text);
        return;
      }
      if (across > SLACK) report("sticks out of", around, text);
      if (style.position === "fixed" && box.bottom > innerHeight) report("below the screen in", around, text);
      if (across > SLACK || around.tagName === "svg" || style.position === "fixed") return;
    }
  }

  function boxesOf(node) {
    if (node.parentElement instanceof SVGTextElement) return [node.parentElement.getBoundingClientRect()]; // a range ignores textLength
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getClientRects();
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || isHidden(node.parentElement)) continue;
    for (const box of boxesOf(node)) if (box.width >= 1 && box.height >= 1) check(box, node.parentElement, node.data);
  }

  const drawn = [...document.querySelectorAll("svg text")].filter((text) => text.checkVisibility());
  const boxes = drawn.map((text) => text.getBoundingClientRect());
  boxes.forEach((one, number) => {
    for (let other = 0; other < number; other++) {
      const two = boxes[other];
      const across = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const along = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      if (across > 4 && along > 6) report(`covers ${drawn[other].textContent.trim()}:`, drawn[number], drawn[number].textContent);
    }
  });
  return [...found];
}
