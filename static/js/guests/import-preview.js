// Saves each choice in the preview of an import as soon as it is made, and shows what it changes.

let sending = new AbortController();

function selectorOf(field) {
  const value = ["checkbox", "radio"].includes(field.type) ? `[value="${CSS.escape(field.value)}"]` : "";
  return field.name ? `[name="${CSS.escape(field.name)}"]${value}` : "";
}

// A field in which somebody is typing must not be replaced.
function isTyping(field) {
  return (field.tagName === "TEXTAREA" || ["text", "number"].includes(field.type)) && field.value !== field.defaultValue;
}

function keyOf(details) {
  const field = details.querySelector("[name]");
  return `${details.className} ${field?.name} ${field?.value}`;
}

function show(form, fresh) {
  const active = form.contains(document.activeElement) ? document.activeElement : null;
  if (active && isTyping(active)) return;
  const selector = active ? selectorOf(active) : "";
  const place = selector ? [...form.querySelectorAll(selector)].indexOf(active) : -1;
  const open = [...form.querySelectorAll("details[open]")].map(keyOf);
  form.replaceChildren(...fresh.childNodes);
  for (const details of form.querySelectorAll("details")) if (open.includes(keyOf(details))) details.open = true;
  if (place >= 0) form.querySelectorAll(selector)[place]?.focus({ preventScroll: true });
}

async function save(form) {
  sending.abort();
  sending = new AbortController();
  const body = new FormData(form);
  body.set("action", "save");
  try {
    // Buttons are called “action”, so form.action would be one of them.
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body, signal: sending.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("form[data-import]");
    if (!answer.ok || !fresh) return;
    show(form, fresh);
    const status = form.querySelector("[data-import-status]");
    if (status) status.textContent = "Preview updated.";
  } catch {
    // The form still has everything, and its buttons work.
  }
}

for (const form of document.querySelectorAll("form[data-import]")) {
  form.addEventListener("change", () => save(form));
  form.addEventListener("submit", () => sending.abort());
}
