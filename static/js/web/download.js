// Downloads the file that a form returns, then reloads the page. Without this script, the browser just downloads the file.

function save(blob, answer) {
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "file";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function send(form) {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form))); // it holds no files
  const answer = await fetch(form.action, { method: "POST", body });
  const isFile = answer.ok && (answer.headers.get("content-disposition") ?? "").startsWith("attachment");
  if (!isFile) return form.submit(); // rejected: let the browser show the error
  save(await answer.blob(), answer);
  location.assign(form.dataset.then);
}

// We don't know whether the server created the links, so ask the person to check.
function tellLost(form) {
  for (const button of form.querySelectorAll("button")) button.disabled = false;
  const notice = document.querySelector("[data-lost]");
  if (!notice) return;
  notice.hidden = false;
  notice.scrollIntoView({ block: "center" });
}

for (const form of document.querySelectorAll("form[data-download]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    send(form).catch(() => tellLost(form));
  });
}
