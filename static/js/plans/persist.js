// Sends a change again and again until the server has answered, and says so meanwhile.

import { offer } from "./offers.js";
import { Unreachable } from "./server.js";

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
const NOT_SAVED = "Cannot reach the server. Your change is not saved yet. Trying again…";
const STOPPED = "Stopped trying. When the server can be reached again, this page shows what is saved.";

/** @type {Promise<any>} */
let line = Promise.resolve();

// Changes are made one after the other; the next one is made whatever became of this one.
export function inLine(make) {
  const made = line.then(make);
  line = made.catch(() => {});
  return made;
}

// `send` must be safe to repeat: the answer of an attempt can get lost after the change was made.
export async function sendUntilAnswered(send) {
  let notice;
  try {
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
      }
      addEventListener("beforeunload", warn);
      notice ??= offer(NOT_SAVED, "Try now", "Stop trying");
      const choice = await Promise.race([notice.answer, pause(wait)]);
      if (choice === false) return { ok: false, isStopped: true, message: STOPPED };
      if (choice) notice = undefined;
    }
  } finally {
    notice?.withdraw();
    removeEventListener("beforeunload", warn);
  }
}

function warn(event) {
  event.preventDefault();
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", () => resolve(), { once: true });
  });
}
