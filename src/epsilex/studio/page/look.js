// Look: one formula in full. Sliders move its constants, and the curve follows.

import { post } from "./api.js";
import { band, dots, draw, explain, extent, figure, frame, line, padded, robust } from "./charts.js";
import { $, copied, el, say, typeset } from "./dom.js";

let run = null, exact = null, seen = null, moved = null, other = null, serial = 0, busy = false, waiting = false, noteTimer = null;
let over = null, group = null, hold = null; // the feature and the group a person chose; a function that keeps this formula in view

export const setUp = (onFollow, onHold) => {
  hold = onHold;
  $("#feature").addEventListener("change", () => { over = $("#feature").value; fetchLook(); });
  $("#other").addEventListener("change", () => { hold(); other = $("#other").value || null; fetchOther(); });
  $("#copy-text").addEventListener("click", (event) => copied(event.target, moved?.formula || seen.formula));
  $("#copy-latex").addEventListener("click", (event) => copied(event.target, seen.latex));
  $("#reset").addEventListener("click", () => { moved = null; showAll(); });
  $("#follow").addEventListener("click", onFollow);
  $("#pin").addEventListener("click", () => note({ pinned: $("#pin").getAttribute("aria-pressed") !== "true" }));
  $("#note").addEventListener("input", () => { clearTimeout(noteTimer); $("#note-state").textContent = ""; noteTimer = setTimeout(() => note({}), 600); });
  $("#reject").addEventListener("click", () => reject());
};

export const formula = () => moved?.exact || exact;

// Show a formula of a run; the same one again only brings its notes up to date.
export const show = async (view, chosen, following) => {
  const another = view.id !== run?.id || chosen !== exact;
  if (view.id !== run?.id) { other = over = group = null; $("#feature").replaceChildren(); }
  run = view;
  $("#look").hidden = !chosen;
  exact = chosen;
  if (!chosen) return;
  fillOthers();
  showNote(another);
  $("#follow").hidden = following || view.front.some((f) => f.exact === chosen);
  $("#reject").hidden = ["done", "failed"].includes(view.phase) || Boolean(view.spec.replays);
  if (another) { moved = null; await fetchLook(); } else showWhy();
};

export const redraw = () => { if (seen && run) drawCharts(); };

const fetchLook = async () => {
  const mine = ++serial, body = { formula: exact, feature: over };
  try {
    const found = await post(`/api/runs/${run.id}/look`, body);
    if (mine !== serial) return;
    seen = found;
    moved = null;
    showAll();
  } catch (error) {
    say($("#steer-error"), error.message);
  }
};

const showAll = () => {
  $("#look").dataset.formula = exact;
  showHead();
  const select = $("#feature");
  if (select.options.length !== run.features.length) select.replaceChildren(...run.features.map((name) => el("option", { value: name }, name)));
  select.value = seen.curve.feature;
  showConstants();
  showParts();
  $("#proven").textContent = seen.proven;
  drawPartial();
  drawCharts();
  fetchOther();
};

const showHead = () => {
  const now = moved || seen, badges = [`length ${now.length}`, `error on training rows ${figure(now.train)}`];
  if (now.held !== null) badges.push(`error on held-back rows ${figure(now.held)}`, `R² on held-back rows ${figure(now.held_r2, 5)}`);
  else if (now.train_r2 !== null) badges.push(`R² ${figure(now.train_r2, 5)}`);
  $("#look-target").textContent = `${run.target} =`;
  typeset($("#look-math"), now.math);
  $("#look-badges").replaceChildren(...(moved ? [el("span", { class: "badge moved" }, "constants moved")] : []), ...badges.map((b) => el("span", { class: "badge" }, b)));
  $("#look-definitions").hidden = !now.definitions.length;
  $("#look-definitions").replaceChildren(...now.definitions.map((words) => el("li", {}, words)));
  $("#reset").hidden = !moved;
  showWhy();
};

const showWhy = () => {
  const chosen = run.chosen !== null && run.front[run.chosen]?.exact === exact;
  say($("#look-why"), chosen ? run.why : "");
};

// --- curve and residuals -------------------------------------------------------------------------------------------

const drawCharts = () => {
  const now = moved || seen, { curve, points } = now, held = points.held, grouped = curve.lines.length > 1;
  if (!run.groups.labels.includes(group)) group = null;
  const xs = extent([...points.x, ...curve.x]), measured = extent(points.y), curves = robust(curve.lines.flatMap((l) => l.y).filter((v) => v !== null), 0.02);
  const room = measured[1] - measured[0];
  const y = padded([Math.max(Math.min(measured[0], curves[0]), measured[0] - room), Math.min(Math.max(measured[1], curves[1]), measured[1] + room)], 0.06);
  const chart = frame($("#curve"), { x: xs, y, xName: curve.feature, yName: run.target, name: `Data and the formula over ${curve.feature}` });
  const labels = run.groups.labels, shade = (label) => `of-group g${labels.indexOf(label) % 8}${group === null || group === label ? "" : " faint"}`;
  const banded = grouped ? curve.lines.find((l) => l.group === group) : curve.lines[0];
  if (banded?.low && !moved) band(chart, curve.x, banded.low, banded.high);
  const kind = labels.length ? (i) => `${shade(labels[points.group[i]])}${held[i] ? " hollow" : ""}` : undefined;
  const whose = (i) => (labels.length ? `${run.groups.column} ${labels[points.group[i]]}\n` : "");
  dots(chart, points.x, points.y, held, (i) => `${whose(i)}${curve.feature} ${figure(points.x[i])}\nmeasured ${figure(points.y[i])}\npredicted ${figure(points.predicted[i])}`, kind);
  if (seen.otherCurve?.feature === curve.feature) for (const l of seen.otherCurve.lines) line(chart, seen.otherCurve.x, l.y, `second${group !== null && l.group && l.group !== group ? " faint" : ""}`);
  if (moved) for (const l of seen.curve.lines) line(chart, seen.curve.x, l.y, "ghost");
  curve.lines.forEach((l, k) => { const path = line(chart, curve.x, l.y, grouped ? `main ${shade(l.group)}` : "main"); if (!k) path.id = "curve-line"; });
  explain(chart);
  showGroups(labels);
  const fixed = curve.held.map((h) => `${h.name} = ${figure(h.value, 3)}`).join(", ");
  const words = fixed ? `The curve holds the other features at their medians: ${fixed}.` : "The formula depends on no other feature.";
  $("#curve-about").textContent = labels.length ? `${words} Hollow dots are held-back rows.${grouped ? ` Choose a ${run.groups.column} to see its band.` : ""}` : words;

  const residuals = points.predicted.map((p, i) => (p === null ? null : points.y[i] - p));
  const second = frame($("#residuals"), { x: padded(robust(points.predicted), 0.04), y: padded(robust([0, ...residuals]), 0.08), xName: "predicted", yName: "measured − predicted" });
  draw("line", { class: "diagonal", x1: 0, x2: second.width, y1: second.py(0), y2: second.py(0) }, second.inside);
  dots(second, points.predicted, residuals, held, (i) => `predicted ${figure(points.predicted[i])}\nmeasured ${figure(points.y[i])}`);
  explain(second);
};

const showGroups = (labels) => {
  const box = $("#groups"), key = JSON.stringify([run.id, labels, group]);
  box.hidden = !labels.length;
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const focused = document.activeElement?.dataset?.group;
  box.replaceChildren(...labels.map((label, k) => el("button", { type: "button", class: "chip", "data-group": label, "aria-pressed": String(label === group),
    onclick: () => { group = group === label ? null : label; drawCharts(); } }, el("span", { class: `key g${k % 8}` }), label)));
  if (focused) [...box.children].find((chip) => chip.dataset.group === focused)?.focus();
};

const drawPartial = () => {
  const box = $("#partial");
  if (!seen.partial.length) return box.replaceChildren(el("p", { class: "quiet" }, "The formula depends on no feature."));
  const ys = padded(extent(seen.partial.flatMap((p) => p.y)), 0.08);
  box.replaceChildren(...seen.partial.map((p) => el("figure", {}, el("figcaption", {}, p.name, el("span", { class: "quiet" }, ` importance ${figure(p.importance, 2)}`)), el("div", { class: "chart", "data-height": 130 }))));
  seen.partial.forEach((p, i) => line(frame($(".chart", box.children[i]), { x: extent(p.x), y: ys, xName: "", yName: "", bare: true, name: `Mean prediction over ${p.name}` }), p.x, p.y, "main"));
};

// --- constants and parts -------------------------------------------------------------------------------------------

const showConstants = () => {
  const box = $("#constants");
  showOwn();
  if (!seen.constants.length) return box.replaceChildren(el("p", { class: "quiet" }, seen.own.length ? "No constant is shared by all groups." : "It has no constants."));
  box.replaceChildren(...seen.constants.map((c, i) => {
    const name = c.of ? `${c.name} of ${c.of}` : c.name;
    const slider = el("input", { type: "range", min: c.from, max: c.to, step: "any", value: c.value, "aria-label": name, "data-constant": i, oninput: slide });
    const between = c.low === undefined || c.low === null ? "" : `95%: ${figure(c.low)} to ${figure(c.high)}`;
    return el("div", { class: "constant" }, el("span", { class: "constant-name" }, c.name, c.of ? el("span", { class: "quiet" }, ` of ${c.of}`) : null, c.unit === "1" ? null : el("span", { class: "quiet" }, ` [${c.unit}]`)),
      slider, el("output", { class: "numbers" }, figure(c.value, 5)), el("span", { class: "quiet numbers between" }, between));
  }));
};

// Constants per group: a row per group, a column per constant.
const showOwn = () => {
  const names = [...new Set(seen.own.map((c) => c.name))], cell = new Map(seen.own.map((c) => [`${c.group}\n${c.name}`, c]));
  if (!names.length) return $("#own").replaceChildren();
  const between = (c) => (c.low === undefined || c.low === null ? "" : `${figure(c.low)} to ${figure(c.high)}`);
  $("#own").replaceChildren(el("table", { class: "own" },
    el("thead", {}, el("tr", {}, el("th", { class: "left", scope: "col" }, run.groups.column), ...names.flatMap((name) => [el("th", { scope: "col" }, name), el("th", { scope: "col" }, "95%")]))),
    el("tbody", {}, ...run.groups.labels.map((label) => el("tr", {}, el("th", { class: "left", scope: "row" }, label),
      ...names.map((name) => cell.get(`${label}\n${name}`)).flatMap((c) => [el("td", {}, figure(c.value, 4)), el("td", { class: "quiet" }, between(c))]))))));
};

// One request at a time; the last position of the sliders always wins.
const slide = async () => {
  hold();
  const sliders = [...document.querySelectorAll("#constants input")];
  sliders.forEach((s) => (s.parentElement.querySelector("output").textContent = figure(Number(s.value), 5)));
  if (busy) { waiting = true; return; }
  busy = true;
  const mine = serial, constants = sliders.map((s, i) => (Number(s.value) === Number(seen.constants[i].value) ? seen.constants[i].value : Number(s.value)));
  try {
    const found = await post(`/api/runs/${run.id}/look`, { formula: exact, constants, feature: seen.curve.feature, light: true });
    if (mine === serial) { moved = found; showHead(); drawCharts(); }
  } catch (error) {
    say($("#steer-error"), error.message);
  } finally {
    busy = false;
    if (waiting) { waiting = false; slide(); }
  }
};

const showParts = () => {
  const box = $("#parts"), shown = seen.parts.filter((p) => p.without !== null);
  if (shown.length < 2) return box.replaceChildren(el("p", { class: "quiet" }, "It has one part only."));
  const most = Math.max(...shown.map((p) => p.without));
  const rows = shown.map((p) => {
    const math = el("span", { class: "part-math" });
    typeset(math, p.math);
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of [["class", "bar"], ["viewBox", "0 0 100 10"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]]) bar.setAttribute(name, value);
    draw("rect", { width: (100 * p.without) / most, height: 10 }, bar);
    return el("tr", {}, el("th", { scope: "row", class: "left" }, el("span", { class: "sign" }, p.sign), math), el("td", { class: "left" }, bar), el("td", {}, figure(p.without, 3)));
  });
  box.replaceChildren(el("table", { class: "bars" }, el("tbody", {}, ...rows)), el("p", { class: "quiet" }, `Error if a part were held at its median; with all parts it is ${figure(seen.train, 3)}.`));
};

// --- compare, note, reject -------------------------------------------------------------------------------------------

const fillOthers = () => {
  const choices = [...run.notes.filter((n) => n.pinned).map((n) => [n.formula, `pinned: ${n.short}`]), ...run.front.map((f) => [f.exact, `${f.length}: ${f.formula}`])];
  const options = choices.filter(([value]) => value !== exact), select = $("#other"), key = JSON.stringify(options);
  if (select.dataset.key === key) return;
  select.dataset.key = key;
  if (other && !options.some(([value]) => value === other)) options.unshift([other, "the formula compared so far"]);
  select.replaceChildren(el("option", { value: "" }, "none"), ...options.map(([value, name]) => el("option", { value }, name.slice(0, 90))));
  select.value = other || "";
};

const fetchOther = async () => {
  if (!seen) return;
  if (!other) { seen.otherCurve = null; $("#compare").replaceChildren(el("p", { class: "quiet" }, "Choose a second formula to see both curves.")); return drawCharts(); }
  const mine = serial;
  try {
    const found = await post(`/api/runs/${run.id}/look`, { formula: other, feature: seen.curve.feature, light: true });
    if (mine !== serial) return;
    seen.otherCurve = found.curve;
    const math = el("div", { class: "formula small" }), row = (name, key) => el("tr", {}, el("th", { scope: "row", class: "left" }, name), el("td", {}, figure(seen[key])), el("td", {}, figure(found[key])));
    typeset(math, found.math);
    $("#compare").replaceChildren(math, el("table", {}, el("thead", {}, el("tr", {}, el("td", {}), el("th", { scope: "col" }, "this"), el("th", { scope: "col" }, el("span", { class: "key second" }), "other"))),
      el("tbody", {}, row("length", "length"), row("error, training rows", "train"), row("error, held-back rows", "held"))));
    drawCharts();
  } catch (error) {
    $("#compare").replaceChildren(el("p", { class: "error" }, error.message));
  }
};

const own = () => run.notes.find((n) => n.formula === exact);

const showNote = (another) => {
  const found = own();
  $("#pin").setAttribute("aria-pressed", String(Boolean(found?.pinned)));
  $("#pin").textContent = found?.pinned ? "Pinned" : "Pin";
  if (another || document.activeElement !== $("#note")) $("#note").value = found?.text || "";
};

const note = async (change) => {
  hold();
  const pinned = change.pinned ?? Boolean(own()?.pinned);
  try {
    await post(`/api/runs/${run.id}/notes`, { formula: formula(), text: $("#note").value, pinned });
    $("#note-state").textContent = "Saved.";
  } catch (error) {
    $("#note-state").textContent = error.message;
  }
};

const reject = async () => {
  try {
    await post(`/api/runs/${run.id}/acts`, { kind: "reject", formula: exact });
    say($("#steer-error"), "");
  } catch (error) {
    say($("#steer-error"), error.message);
  }
};
