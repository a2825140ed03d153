// Keeps an open page up to date: asks now and then whether it has changed, and replaces what did.

const SECONDS = 30;
const main = document.querySelector("main");
let timer = 0;
let isAsking = false;

// Phones that were opened together must not ask together.
const wait = () => {
  clearTimeout(timer);
  timer = setTimeout(ask, SECONDS * (750 + Math.random() * 500));
};

async function ask() {
  if (document.hidden || isAsking) return;
  isAsking = true;
  try {
    const answer = await fetch(location.pathname + location.search, {
      headers: { "If-None-Match": main.dataset.tag },
      cache: "no-store",
      signal: AbortSignal.timeout(SECONDS * 1000), // a request that hangs must not be the last one
    });
    if (answer.status === 200) show(await answer.text());
    if (answer.status === 404) location.reload(); // the link was closed
  } catch {
    // Without a network the page stays as it is, and asks again later.
  }
  isAsking = false;
  wait();
}

function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.querySelector("main");
  const [live, newLive] = [main, fresh].map((part) => part.querySelector("[data-live]"));
  const hasSameShape = !live.matches(".waiting") && !newLive.matches(".waiting");
  if (!hasSameShape) {
    location.reload();
    return;
  }
  live.replaceWith(document.adoptNode(newLive));
  main.querySelector(".event").replaceWith(document.adoptNode(fresh.querySelector(".event")));
  main.dataset.tag = fresh.dataset.tag;
  document.dispatchEvent(new CustomEvent("seating-changed"));
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) ask();
});
if (main.dataset.tag) wait();
