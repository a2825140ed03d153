// Follows a run over server-sent events. When it is over, its URL shows the plan or the error.

const SPEAK_EVERY = 5000;
const RELOAD_AFTER = 1000;
const run = document.querySelector("[data-run]");
const find = (name) => run.querySelector(`[${name}]`);
let spokenAt = 0;

function show(words) {
  document.querySelector("h1").textContent = words.title;
  const bar = run.querySelector("progress");
  if (words.percent === null) bar.removeAttribute("value");
  else bar.value = words.percent;
  find("data-progress-text").textContent = words.text;
  find("data-finish").hidden = !words.can_finish;
  find("data-note").textContent = words.note;
  find("data-note").hidden = !words.note;
  draw(words.chart);
  seat(words.seating);
  speak(`${words.title}. ${words.text}`);
}

// Moves the names to the tables of the best plan so far; `seating` has the table of each guest, round after round.
function seat(seating) {
  const live = run.querySelector("section[data-live]");
  if (!live || !seating.length || live.querySelectorAll("li[data-guest]").length !== seating.length) return;
  let before = 0;
  for (const round of live.querySelectorAll("[data-live-round]")) before += seatRound(round, seating.slice(before));
  live.hidden = false;
}

function seatRound(round, seating) {
  const guests = [...round.querySelectorAll("li[data-guest]")];
  guests.sort((one, other) => Number(one.dataset.guest) - Number(other.dataset.guest));
  const lists = [...round.querySelectorAll("[data-live-table] > ul")];
  lists.forEach((list, table) => list.replaceChildren(...guests.filter((_, place) => seating[place] === table)));
  return guests.length;
}

function draw(chart) {
  const line = find("data-chart-line");
  line.setAttribute("points", chart.points.map(([x, y]) => `${x * 100},${(1 - y) * 100}`).join(" "));
  if (chart.summary) line.closest("svg").setAttribute("aria-label", chart.summary);
  for (const end of ["top", "bottom", "right"]) find(`data-chart-${end}`).textContent = chart[end];
}

// Announce to screen readers only now and then, not three times a second.
function speak(text) {
  if (Date.now() - spokenAt < SPEAK_EVERY) return;
  spokenAt = Date.now();
  find("data-progress-live").textContent = text;
}

const source = new EventSource(run.dataset.run);
source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
source.addEventListener("end", () => {
  source.close();
  location.reload();
});
// If the stream is rejected, don't retry: the page shows why, for example signed out.
source.addEventListener("error", () => {
  if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), RELOAD_AFTER);
});
