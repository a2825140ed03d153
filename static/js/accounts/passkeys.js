// Signs in with a passkey, adds one, or confirms who it is. The forms stay hidden without this script, in browsers
// that have no passkeys, and under another address than the one that passkeys belong to.

const CANCELLED = "No passkey was used. Try again, or use your password.";
const FAILED = "This did not work. Reload the page and try again, or use your password.";
const EXISTS = "This device already has a passkey for your account.";
const messages = { NotAllowedError: CANCELLED, AbortError: CANCELLED, InvalidStateError: EXISTS };

const field = (form, name) => /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));

/** Fetches what is to be signed; null if the server wants the password first. */
async function fetchOptions(form) {
  const token = field(form, "form_token")?.value ?? "";
  const answer = await fetch(form.dataset.passkey, { method: "POST", headers: { "X-Form-Token": token } });
  if (answer.redirected) {
    location.assign(answer.url);
    return null;
  }
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

async function askDevice(form, options) {
  if (form.dataset.passkeyNew !== undefined) {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}

async function send(form) {
  const options = await fetchOptions(form);
  if (options === null) return;
  const credential = /** @type {PublicKeyCredential} */ (await askDevice(form, options));
  field(form, "credential").value = JSON.stringify(credential.toJSON());
  form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON || form.dataset.origin !== location.origin) continue;
  form.closest("[data-passkey-part]").hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = form.querySelector("[role=status]");
    status.textContent = "";
    try {
      await send(form);
    } catch (error) {
      status.textContent = messages[error.name] ?? FAILED;
    }
  });
}
