// Shows who else works on the event, and says every minute that this page is open. Alone, it asks once and stops.

const EVERY = 60_000;
const present = document.querySelector("ul[data-present]");

if (present instanceof HTMLElement) begin(present);

/** @param {HTMLElement} list */
async function begin(list) {
  if (!(await ask(list, "GET"))) return;
  const announce = () => document.hidden || ask(list, "POST");
  announce();
  setInterval(announce, EVERY);
  document.addEventListener("visibilitychange", announce);
}

// Returns whether the event has other members.
/** @param {HTMLElement} list @param {string} method */
async function ask(list, method) {
  let answer;
  try {
    const headers = { "X-Form-Token": list.dataset.token ?? "", Accept: "application/json" };
    answer = await fetch(list.dataset.present ?? "", { method, headers, redirect: "manual" });
  } catch {
    return false; // offline
  }
  // Removed from the event, or signed out: show that instead of what was here.
  if (answer.status === 404 || answer.status === 401) location.reload();
  if (!answer.ok) return false;
  const { is_shared: isShared, people } = await answer.json();
  list.replaceChildren(...people.map(face));
  list.hidden = people.length === 0 || "quiet" in list.dataset; // the page of a plan shows who works on it by itself
  return isShared;
}

/** @param {{ name: string, initials: string }} person */
function face({ name, initials }) {
  const item = document.createElement("li");
  const letters = document.createElement("span");
  const full = document.createElement("span");
  item.title = `${name} is here`;
  letters.textContent = initials;
  letters.setAttribute("aria-hidden", "true");
  full.textContent = name;
  full.className = "visually-hidden";
  item.append(letters, full);
  return item;
}
