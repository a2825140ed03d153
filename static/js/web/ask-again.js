// What a worker finds, asked for until it is there: more and more seldom, and not while nobody looks at the page.

const FIRST_PAUSE = 1500;
const LONGEST_PAUSE = 15000;
const SLOWER = 1.15;
const TOO_MANY = 429;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function seen() {
  if (!document.hidden) return null;
  return new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

// Sends a request until `take` returns false for its answer. What was refused is not sent again; what got lost, or came at a busy moment, is.
export async function askAgain(send, take) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * SLOWER, LONGEST_PAUSE)) {
    const response = await send().catch(() => null);
    if (response?.ok) {
      if (!(await take(response))) return;
    } else if (response && response.status < 500 && response.status !== TOO_MANY) {
      return;
    }
    await sleep(pause);
    await seen();
  }
}
