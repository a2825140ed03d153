// Sends changes of the plan one after the other, until the server has answered. Only the server's answer changes the page.

import { say } from "./announce.js";
import { askAnyway } from "./dialogs.js";
import { offer } from "./offers.js";
import { randomId } from "./random-id.js";
import { guestOf, seatAt } from "./seats.js";
import { makeMove, shownVersion, Unreachable } from "./server.js";

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
const NOT_SAVED = "Cannot reach the server. Your change is not saved yet. Trying again…";
const STOPPED = "Stopped trying. When the server can be reached again, this page shows what is saved.";
let line = Promise.resolve(true);

// Tells whether the change was made.
export function sendMove(fields) {
  const sent = line.then(() => deliver(fields));
  line = sent.catch(() => false); // the next one is sent all the same
  return sent;
}

async function deliver(fields) {
  fields.set("version", shownVersion());
  fields.set("submission", randomId());
  const answer = await sendUntilAnswered(fields);
  if (answer.ok) {
    say(answer.message);
    return true;
  }
  if (answer.again) {
    offerAgain(fields, answer);
    return false;
  }
  if (answer.breaks?.length && answer.can_force) {
    if (await askAnyway(answer.breaks)) {
      fields.set("anyway", "1");
      return deliver(fields);
    }
    say("Nothing was changed.");
    return false;
  }
  say(answer.message);
  return false;
}

// Every attempt names the same submission: one whose answer got lost is not made twice.
async function sendUntilAnswered(fields) {
  let notice;
  try {
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await makeMove(fields);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
      }
      addEventListener("beforeunload", warn);
      notice ??= offer(NOT_SAVED, "Try now", "Stop trying");
      const choice = await Promise.race([notice.answer, pause(wait)]);
      if (choice === false) return { message: STOPPED };
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

// Somebody else was first: says what they did, and repeats the change on the plan as it is now if that is still wanted.
async function offerAgain(fields, answer) {
  if (!(await offer(answer.message, answer.again, "Leave it").answer)) return;
  fields.delete("anyway");
  const guest = guestOf(seatAt(fields.get("table"), fields.get("seat")));
  if (guest && !fields.getAll("guests").includes(guest)) fields.delete("seat"); // taken since: another seat at this table
  sendMove(fields);
}
