// Saves the file that a form is answered with, then shows the page as it is now. Without this the file comes all the same.

function save(blob, answer) {
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "file";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function send(form) {
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  const isFile = answer.ok && (answer.headers.get("content-disposition") ?? "").startsWith("attachment");
  if (!isFile) return form.submit(); // refused, so nothing was done: let the browser show why
  save(await answer.blob(), answer);
  location.assign(form.dataset.then);
}

// Whether the server did it is not known then, and doing it twice is refused: so say what to look for.
function tellLost(form) {
  for (const button of form.querySelectorAll("button")) button.disabled = false;
  const told = document.querySelector("[data-lost]");
  if (!told) return;
  told.hidden = false;
  told.scrollIntoView({ block: "center" });
}

for (const form of document.querySelectorAll("form[data-download]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    send(form).catch(() => tellLost(form));
  });
}
