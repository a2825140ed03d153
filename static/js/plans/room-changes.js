// Changes of the room, each with an offer to undo it beside its message.

import { say } from "./announce.js";
import { inLine, sendUntilAnswered } from "./persist.js";
import { randomId } from "../web/random-id.js";
import { changeRoom } from "./server.js";

const FAILED = "Something went wrong. Reload the page to see what was saved.";

// Tells whether the change was made.
export async function saveRoom(path, fields) {
  const body = new URLSearchParams(fields);
  body.set("submission", randomId()); // one whose answer got lost is not made twice
  const answer = await inLine(() => sendUntilAnswered(() => changeRoom(path, body))).catch((error) => {
    reportError(error);
    return { ok: false, message: FAILED };
  });
  say(answer.message, false, answer.undo ? () => undo(answer.undo) : null);
  return answer.ok;
}

async function undo({ path, fields }) {
  await saveRoom(path, fields);
  document.querySelector(".floor-view")?.focus({ preventScroll: true });
}
