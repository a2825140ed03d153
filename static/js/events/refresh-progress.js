// Brings outdated progress bars up to date while somebody looks at the page.

import { refreshProgress } from "./progress.js";

const FIRST_LOOK = 1500;
const MOST_AT_ONCE = 5;

function look() {
  if (document.visibilityState !== "visible") return;
  const outdated = [...document.querySelectorAll("[data-settled][data-outdated]")];
  for (const root of outdated.slice(0, MOST_AT_ONCE)) refreshProgress(FIRST_LOOK, [root]);
}

document.addEventListener("visibilitychange", look);
look();
