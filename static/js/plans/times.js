// Writes times as people at this machine write them: a while ago in words, else by their date and time.

const SOON = [
  [60, "minute", 60],
  [24, "hour", 3600],
];
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function written(at) {
  const seconds = (Date.now() - at.getTime()) / 1000;
  if (seconds < 60) return "just now";
  for (const [most, unit, length] of SOON) {
    const number = Math.floor(seconds / Number(length));
    if (number < Number(most)) return ago.format(-number, /** @type {Intl.RelativeTimeFormatUnit} */ (unit));
  }
  return at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export function writeTimes() {
  for (const time of document.querySelectorAll("time.version-time")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    time.setAttribute("title", at.toLocaleString());
    time.textContent = written(at);
  }
}
