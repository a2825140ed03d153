// Sends what was changed to the server.

import { renewedToken, SIGNED_OUT } from "../web/form-token.js";

const form = () => document.querySelector("form#add");
const KEPT_ALIVE = 60_000; // what is on its way arrives even if the page is left; browsers refuse that for more
let token = "";

// Returns the status, the answer and, where there is none, why.
export async function send(path, fields) {
  const body = new URLSearchParams(fields);
  const own = /** @type {HTMLInputElement} */ (form()?.querySelector("[name=form_token]"));
  let response;
  try {
    response = await fetch(`${form().getAttribute("action")}/${path}`, {
      method: "POST",
      headers: { Accept: "application/json", "X-Form-Token": token || own.value },
      body,
      keepalive: body.toString().length < KEPT_ALIVE,
    });
  } catch {
    return { status: 0, message: "Cannot reach the server." };
  }
  if (response.status === 401 || response.status === 403) {
    token = await renewedToken(token || own.value, (page) => page.querySelector("form#add [name=form_token]")?.value);
    return { status: response.status, message: SIGNED_OUT };
  }
  const answer = await response.json().catch(() => null);
  if (!answer) return { status: 0, message: "Something went wrong on the server." };
  return { status: response.status, answer, message: answer.detail ?? "" };
}
