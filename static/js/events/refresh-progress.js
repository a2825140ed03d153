// Brings an outdated progress bar up to date while somebody looks at the page.

import { refreshProgress } from "./progress.js";

const FIRST_LOOK = 1500;

function look() {
  if (document.visibilityState === "visible" && document.querySelector("[data-settled][data-outdated]")) refreshProgress(FIRST_LOOK);
}

document.addEventListener("visibilitychange", look);
look();
