// Sends what was changed to the server.

const form = () => document.querySelector("form#add");
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
    });
  } catch {
    return { status: 0, message: "Cannot reach the server." };
  }
  if (response.status === 401 || response.status === 403) {
    await renew();
    return { status: response.status, message: "You may have been signed out. Sign in again in another tab." };
  }
  const answer = await response.json().catch(() => null);
  if (!answer) return { status: 0, message: "Something went wrong on the server." };
  return { status: response.status, answer, message: answer.detail ?? "" };
}

// After signing in again in another tab there is a new token.
async function renew() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  token = /** @type {HTMLInputElement | null} */ (page.querySelector("form#add [name=form_token]"))?.value ?? token;
}
