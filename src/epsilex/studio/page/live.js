// Live: the course of a run, its front growing, and the best formula of each length.

import { post } from "./api.js";
import { draw, explain, extent, figure, frame, line, padded } from "./charts.js";
import { $, all, duration, el, say, typeset } from "./dom.js";

export const PHASES = { waiting: "starting", preparing: "compiling", searching: "searching", paused: "paused", finishing: "tidying up",
  done: "done", failed: "failed", interrupted: "interrupted" };
const REASONS = { time: "the time was up", generations: "all generations are done", stopped: "you stopped it", settled: "nothing better was found for a long time",
  exact: "its formula is exact", interpolation: "formulas pass through every row", target: "the error asked for is reached" };

let run = null, heard = 0, pick = null, drawn = "", refusal = ""; // why the last act of a person was not taken

export const setUp = (picker) => {
  pick = picker;
  for (const kind of ["pause", "continue", "stop"]) $(`#${kind}`).addEventListener("click", () => act({ kind }));
  $("#extend").addEventListener("click", () => act({ kind: "extend", seconds: 60 }));
  setInterval(showClock, 500);
};

const act = async (body) => {
  try {
    await post(`/api/runs/${run.id}/acts`, body);
    refusal = "";
  } catch (error) {
    refusal = error.message;
  }
  showCourse();
};

export const show = (view, selected) => {
  const other = run?.id !== view.id;
  if (other) refusal = "";
  run = view;
  heard = Date.now();
  $("#run-title").replaceChildren("A formula for ", el("em", {}, view.target));
  const rows = `${view.rows.train.toLocaleString("en")} rows to fit, ${view.rows.held.toLocaleString("en")} held back`;
  const features = `${view.features.length} feature${view.features.length === 1 ? "" : "s"}`;
  const known = [view.groups.column ? `${view.groups.labels.length} groups by ${view.groups.column}` : "", view.spec.form ? `form ${view.spec.form}` : ""];
  $("#run-about").textContent = [view.table, rows, features, ...known, ...view.notes_on_data].filter(Boolean).join(" · ");
  showCourse();
  const key = JSON.stringify([view.id, view.front.map((f) => f.exact), view.chosen, selected]);
  if (other || key !== drawn) {
    showTable(selected);
    drawFront(selected);
    drawn = key;
  }
  drawHistory();
};

export const redraw = (selected) => { if (run) { drawFront(selected); drawHistory(); } };

const showCourse = () => {
  const { phase } = run, badge = $("#phase");
  const words = phase === "done" ? `done: ${REASONS[run.reason] || run.reason}` : PHASES[phase];
  if (badge.textContent !== words) badge.textContent = words;
  badge.className = `badge phase-${phase}`;
  $("#generation").textContent = run.generation.toLocaleString("en");
  const going = ["waiting", "preparing", "searching"].includes(phase), replays = run.same !== null || run.spec.replays;
  $("#pause").hidden = !going;
  $("#stop").hidden = !going && phase !== "paused";
  $("#continue").hidden = !(phase === "paused" || phase === "interrupted" || (phase === "failed"));
  $("#extend").hidden = phase === "finishing" || Boolean(replays);
  const same = run.same === true ? "Replayed: the same front, bit for bit." : run.same === false ? "Replayed: another front came out." : "";
  const words2 = phase === "failed" ? `The run failed: ${run.message}`
    : phase === "interrupted" ? "The process of this run ended. Continue goes on from its last checkpoint; nothing is lost." : run.trouble || "";
  say($("#run-message"), refusal || words2);
  if (same) badge.textContent = same;
  showClock();
};

const showClock = () => {
  if (!run) return;
  const searching = run.phase === "searching", more = searching ? (Date.now() - heard) / 1000 : 0, bar = $("#progress");
  if (run.limit !== null) {
    bar.value = run.limit ? Math.min(1, run.generation / run.limit) : 1;
    $("#clock").textContent = `of ${run.limit.toLocaleString("en")}`;
    return;
  }
  const spent = run.seconds + Math.min(more, 3), left = run.budget - spent;
  bar.value = Math.min(1, spent / run.budget);
  $("#clock").textContent = run.phase === "done" ? `in ${duration(run.seconds)}` : `${duration(left)} left of ${duration(run.budget)}`;
};

// --- the table -------------------------------------------------------------------------------------------------------

const showTable = (selected) => {
  const body = $("#formulas tbody"), known = new Map(all("tr", body).map((r) => [r.dataset.exact, r]));
  const rows = run.front.map((f, i) => {
    const row = known.get(f.exact) || newRow(f);
    row.classList.toggle("selected", f.exact === selected);
    row.classList.toggle("chosen", i === run.chosen);
    $(".pick", row).setAttribute("aria-pressed", String(f.exact === selected));
    return row;
  });
  const same = rows.length === body.children.length && rows.every((r, i) => r === body.children[i]);
  if (!same) {
    const focused = document.activeElement?.closest?.("#formulas tr")?.dataset.exact;
    body.replaceChildren(...rows);
    if (focused) rows.find((r) => r.dataset.exact === focused)?.querySelector(".pick").focus({ preventScroll: true });
  }
  $("#no-front").hidden = run.front.length > 0;
  $("#no-front").textContent = run.generation > 0 && run.constraints.length ? "No formula satisfies the bounds yet. If that stays so, loosen them under Steer."
    : "The first formulas appear once the kernels are compiled or loaded; on a new machine that takes half a minute.";
};

const newRow = (f) => {
  const button = el("button", { type: "button", class: "pick", "aria-label": `length ${f.length}: ${f.formula}`, "aria-pressed": "false" });
  typeset(button, f.math);
  const row = el("tr", { "data-exact": f.exact, onclick: () => pick(f.exact) },
    el("td", {}, String(f.length)), el("td", {}, figure(f.train, 3)), el("td", {}, figure(f.held, 3)), el("td", { class: "left formula-cell" }, button));
  return row;
};

// --- the charts ------------------------------------------------------------------------------------------------------

const drawFront = (selected) => {
  const front = run.front, box = $("#front");
  if (!front.length) return box.replaceChildren();
  const errors = front.flatMap((f) => [f.train, f.held]).filter((v) => v !== null && v > 0);
  const least = front.length ? Math.min(...front.map((f) => f.train).filter((v) => v > 0)) : 1;
  const [low, high] = extent(errors), yLog = low > 0 && high / low > 4;
  const most = Math.min(high, Math.max(...front.map((f) => f.train), least) * 30); // one wild held-back error does not flatten the rest
  const y = yLog ? [low / 1.2, most * 1.2] : padded([low, most], 0.08);
  const chart = frame(box, { x: padded(extent(front.map((f) => f.length)), 0.05), y, yLog, xName: "length", yName: "mean absolute error", whole: true, name: "Error against length of the formulas on the front" });
  for (const [kind, key] of [["train", "train"], ["test", "held"]]) {
    const shown = front.filter((f) => f[key] !== null && (!yLog || f[key] > 0));
    line(chart, shown.map((f) => f.length), shown.map((f) => f[key]), kind);
    for (const f of shown) {
      const at = { x: chart.px(f.length), y: chart.py(f[key]), exact: f.exact, text: () => `length ${f.length}\ntraining rows ${figure(f.train)}${f.held === null ? "" : `\nheld-back rows ${figure(f.held)}`}` };
      chart.points.push(at);
      const own = f.exact === selected, chosen = run.chosen !== null && run.front[run.chosen]?.exact === f.exact;
      if (chosen && kind === "train") draw("circle", { class: "ring", cx: at.x, cy: at.y, r: 11 }, chart.inside);
      draw("circle", { class: `point ${kind}${own ? " selected" : ""}`, cx: at.x, cy: at.y, r: own ? 7 : 4.5 }, chart.inside);
    }
  }
  explain(chart, (point) => pick(point.exact));
};

const drawHistory = () => {
  const { generation, best, median } = run.history, box = $("#history");
  const values = [...best, ...median].filter((v) => v !== null && v > 0), [low, high] = extent(values), yLog = low > 0 && high / low > 10;
  if (!values.length) return box.replaceChildren();
  const x = extent(generation);
  const chart = frame(box, { x: x[1] > x[0] ? x : [0, 1], y: yLog ? [low / 1.2, high * 1.2] : padded([low, high], 0.06), yLog, xName: "", yName: "", whole: true, name: "Best and median error over generations" });
  for (const act of run.log.filter((e) => !e.refused && e.generation >= x[0] && e.generation <= x[1])) {
    const at = chart.px(act.generation);
    draw("line", { class: "act", x1: at, x2: at, y1: 0, y2: chart.height }, chart.inside);
  }
  line(chart, generation, best.map((v) => (yLog && v <= 0 ? null : v)), "line0");
  line(chart, generation, median, "line1");
  const acts = (g, last) => run.log.filter((e) => e.generation <= g && e.generation > last).map((e) => `\n${e.said}`).join("");
  chart.points = generation.map((g, i) => ({ x: chart.px(g), text: () => `generation ${g}\nbest ${figure(best[i])}\nmedian ${figure(median[i])}${acts(g, generation[i - 1] ?? -1)}` }));
  explain(chart);
};
