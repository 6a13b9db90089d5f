// The page: which run it shows, and its parts brought up to date by events.

import { get, listen } from "./api.js";
import * as data from "./data.js";
import { $, all, el, recall, remember, say } from "./dom.js";
import * as keep from "./keep.js";
import * as live from "./live.js";
import * as look from "./look.js";
import * as steer from "./steer.js";

let project = null, view = null, end = null, selected = null, following = true, lastFollowed = 0;

const runInHash = () => /^#run=([0-9a-z-]+)$/.exec(location.hash)?.[1] || null;

const openRun = (id) => { location.hash = `#run=${id}`; };

const route = async () => {
  const id = runInHash(), table = view?.spec.table || null;
  end?.();
  view = null;
  document.title = "epsilex studio";
  $("#data").hidden = id !== null;
  $("#run").hidden = $("#sections").hidden = true;
  try {
    project = await get("/api/project");
  } catch (error) {
    say($("#banner"), error.message);
  }
  if (project) showRuns(project.runs);
  if (id === null && project) await data.show(project, table);
  if (id !== null) {
    const kept = recall(`run:${id}`);
    [selected, following] = kept ? [kept.selected, kept.following] : [null, true];
  }
  end = listen(id, { connected, runs: showRuns, run: showRun, trouble: ({ error }) => say($("#banner"), error) });
};

const connected = (yes) => say($("#banner"), yes ? "" : "The studio does not answer. Its runs go on or wait on disk; this page tries again every second.");

const showRuns = (runs) => {
  const id = runInHash();
  $("#runs").replaceChildren(...runs.map((r) => el("a", { class: `run-link phase-${r.phase}`, href: `#run=${r.id}`, "aria-current": r.id === id ? "page" : null },
    el("span", { class: "dot-state", "aria-hidden": "true" }), r.name, el("span", { class: "quiet" }, live.PHASES[r.phase]))));
};

// The formula that a person would look at first: the chosen one, or the knee of the front.
const first = (run) => {
  if (!run.front.length) return null;
  if (run.chosen !== null) return run.front[run.chosen].exact;
  const logs = run.front.map((f) => Math.log(Math.max(f.train, 1e-12))), low = Math.min(...logs), spread = Math.max(...logs) - low || 1;
  const longest = Math.max(...run.front.map((f) => f.length));
  const cost = run.front.map((f, i) => (logs[i] - low) / spread + f.length / longest);
  return run.front[cost.indexOf(Math.min(...cost))].exact;
};

const showRun = (run) => {
  const ended = view?.id === run.id && view.phase !== run.phase && run.phase === "done";
  view = run;
  say($("#banner"), "");
  $("#run").hidden = $("#sections").hidden = false;
  document.title = `${run.name} · epsilex studio`;
  const calm = Date.now() - lastFollowed > 1500;
  if (following && (selected === null || calm || ended)) { selected = first(run); lastFollowed = Date.now(); }
  render();
};

const render = () => {
  live.show(view, selected);
  look.show(view, selected, following);
  steer.show(view, project.operators);
  keep.show(view, project.folder);
};

const pick = (exact) => {
  [selected, following] = [exact, false];
  remember(`run:${view.id}`, { selected, following });
  render();
};

// A person works with this formula: it stays in view though the front moves on.
const hold = () => {
  if (!following) return;
  following = false;
  remember(`run:${view.id}`, { selected, following });
};

const follow = () => {
  [selected, following] = [first(view), true];
  remember(`run:${view.id}`, { selected: null, following });
  render();
};

data.setUp(openRun);
live.setUp(pick);
look.setUp(follow, hold);
steer.setUp();
keep.setUp(pick, openRun);
$("#new-run").addEventListener("click", () => { location.hash = "#new"; });
window.addEventListener("hashchange", route);
for (const link of all("#sections a, .skip")) // the address keeps the run
  link.addEventListener("click", (event) => { event.preventDefault(); const place = $(link.getAttribute("href")); place.scrollIntoView(); place.focus({ preventScroll: true }); });
let width = 0;
new ResizeObserver(() => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  if (view) { live.redraw(selected); look.redraw(); }
}).observe(document.body);
route();
