// Changes of the room, each with an offer to undo it beside its message.

import { say } from "./announce.js";
import { changeRoom } from "./server.js";

export async function saveRoom(path, fields) {
  const answer = await changeRoom(path, fields);
  say(answer.message, false, answer.undo ? () => undo(answer.undo) : null);
}

async function undo({ path, fields }) {
  await saveRoom(path, fields);
  document.querySelector(".floor-view")?.focus({ preventScroll: true });
}
