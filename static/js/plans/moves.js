// Sends changes of the plan one after the other, until the server has answered. Only the server's answer changes the page.

import { say } from "./announce.js";
import { askAnyway } from "./dialogs.js";
import { offer } from "./offers.js";
import { inLine, sendUntilAnswered } from "./persist.js";
import { randomId } from "../web/random-id.js";
import { guestOf, seatAt } from "./seats.js";
import { makeMove, shownVersion } from "./server.js";


// Tells whether the change was made.
export function sendMove(fields) {
  return inLine(() => deliver(fields));
}

async function deliver(fields) {
  fields.set("version", shownVersion());
  fields.set("submission", randomId());
  // Every attempt names the same submission: one whose answer got lost is not made twice.
  const answer = await sendUntilAnswered(() => makeMove(fields));
  if (answer.ok) {
    say(answer.message);
    return true;
  }
  if (answer.again) {
    offerAgain(fields, answer);
    return false;
  }
  if (answer.breaks?.length && answer.can_force) {
    if (await askAnyway(answer.breaks, fields.get("kind") === "undo" ? "Undo" : undefined)) {
      fields.set("anyway", "1");
      return deliver(fields);
    }
    say("Nothing was changed.");
    return false;
  }
  say(answer.message);
  return false;
}

// Somebody else was first: says what they did, and repeats the change on the plan as it is now if that is still wanted.
async function offerAgain(fields, answer) {
  say(""); // the offer says what happened
  const asked = offer(answer.message, answer.again, "Leave it");
  asked.focus();
  if (!(await asked.answer)) return;
  if (fields.get("kind") === "undo") fields.set("anyway", "1"); // whose change it is was just said
  else fields.delete("anyway");
  const guest = guestOf(seatAt(fields.get("table"), fields.get("seat")));
  if (guest && !fields.getAll("guests").includes(guest)) fields.delete("seat"); // taken since: another seat at this table
  sendMove(fields);
}
