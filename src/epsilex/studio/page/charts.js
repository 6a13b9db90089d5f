// Charts as SVG: a frame with axes, points with hints, lines, bands and bars.

import { $, figure } from "./dom.js";

const tip = $("#tip");

export const extent = (values) => {
  const known = values.filter((v) => v !== null && v !== undefined && Number.isFinite(v));
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
};

export const padded = ([low, high], share) => {
  const room = (high - low || Math.abs(high) || 1) * share;
  return [low - room, high + room];
};

// The range of most values: single wild ones do not flatten the rest.
export const robust = (values, share = 0.01) => {
  const known = values.filter((v) => v !== null && Number.isFinite(v)).sort((a, b) => a - b);
  if (known.length < 20) return extent(known);
  const at = (q) => known[Math.round(q * (known.length - 1))];
  const [low, high] = [at(share), at(1 - share)], room = 1.5 * (high - low);
  return [Math.max(known[0], low - room), Math.min(known[known.length - 1], high + room)];
};

const ticks = ([low, high], count) => {
  const rough = (high - low) / Math.max(1, count), unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((m) => m * unit >= rough) || 10), found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9 && found.length < 50; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
};

const logTicks = ([low, high], count) => {
  const decades = Math.log10(high / low), steps = decades > count ? [1] : decades > 1.5 ? [1, 3] : [1, 1.5, 2, 3, 5, 7], found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++)
    for (const m of steps) if (m * 10 ** k >= low && m * 10 ** k <= high) found.push(Number((m * 10 ** k).toPrecision(3)));
  const every = Math.ceil(found.length / (count + 2));
  return found.filter((_, i) => i % every === 0);
};

const label = (v) => (v !== 0 && (Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3) ? v.toExponential(0).replace("e+", "e") : v.toLocaleString("en", { maximumFractionDigits: 6 }));

export const draw = (tag, attributes, parent, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};

export const frame = (box, { x, y, xName, yName, yLog = false, whole = false, name = "", bare = false }) => {
  const width = Math.max(200, box.clientWidth || 300), height = Number(box.dataset.height);
  const left = bare ? 46 : 58, right = 10, top = 10, bottom = xName ? 40 : 22;
  box.replaceChildren();
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": name || `${yName} over ${xName}` }, box);
  const flat = yLog ? Math.log : (v) => v;
  const px = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
  const py = (v) => height - bottom - ((flat(v) - flat(y[0])) / (flat(y[1]) - flat(y[0]) || 1)) * (height - top - bottom);
  for (const v of ticks(x, Math.max(2, Math.floor(width / 75))).filter((v) => !whole || Number.isInteger(v))) {
    draw("line", { class: "grid", x1: px(v), x2: px(v), y1: top, y2: height - bottom }, svg);
    draw("text", { x: px(v), y: height - bottom + 16, "text-anchor": "middle" }, svg, label(v));
  }
  for (const v of (yLog ? logTicks : ticks)(y, Math.max(2, Math.floor(height / 60)))) {
    draw("line", { class: "grid", x1: left, x2: width - right, y1: py(v), y2: py(v) }, svg);
    draw("text", { x: left - 6, y: py(v) + 4, "text-anchor": "end" }, svg, label(v));
  }
  if (xName) draw("text", { class: "axis", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, svg, short(xName));
  const middle = (top + height - bottom) / 2;
  if (yName) draw("text", { class: "axis", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, svg, short(yName));
  const inside = draw("svg", { x: left - 6, y: top - 6, width: width - left - right + 12, height: height - top - bottom + 12,
    viewBox: `${left - 6} ${top - 6} ${width - left - right + 12} ${height - top - bottom + 12}` }, svg);
  return { svg, inside, px, py, width, height, points: [] };
};

const short = (name) => (name.length > 40 ? name.slice(0, 39) + "…" : name);

export const line = (chart, xs, ys, kind) => {
  let pen = "M";
  const d = ys.map((v, i) => {
    if (v === null || v === undefined) { pen = "M"; return ""; }
    const step = `${pen}${chart.px(xs[i]).toFixed(1)} ${clip(chart.py(v)).toFixed(1)}`;
    pen = "L";
    return step;
  });
  return draw("path", { class: `path ${kind}`, d: d.join("") }, chart.inside);
};

const clip = (v) => Math.max(-1e5, Math.min(1e5, v));

export const band = (chart, xs, low, high) => {
  const known = xs.map((_, i) => i).filter((i) => low[i] !== null && high[i] !== null);
  if (!known.length) return;
  const at = (i, ys) => `${chart.px(xs[i]).toFixed(1)} ${clip(chart.py(ys[i])).toFixed(1)}`;
  draw("path", { class: "band", d: `M${known.map((i) => at(i, high)).join("L")}L${known.reverse().map((i) => at(i, low)).join("L")}Z` }, chart.inside);
};

export const dots = (chart, xs, ys, held, text, kind = (i) => (held[i] ? "test" : "train")) => {
  ys.forEach((v, i) => {
    if (v === null || xs[i] === null) return;
    const at = { x: chart.px(xs[i]), y: chart.py(v), text: () => text(i) };
    chart.points.push(at);
    draw("circle", { class: `dot ${kind(i)}`, cx: at.x.toFixed(1), cy: clip(at.y).toFixed(1), r: 3 }, chart.inside);
  });
};

const nearest = (chart, event) => {
  const area = chart.svg.getBoundingClientRect(), scale = chart.width / area.width;
  const at = [(event.clientX - area.left) * scale, (event.clientY - area.top) * scale];
  let best = null, least = 30 ** 2;
  for (const p of chart.points) {
    const d = (p.x - at[0]) ** 2 + (p.y === undefined ? 0 : (p.y - at[1]) ** 2);
    if (d < least) [best, least] = [p, d];
  }
  return best;
};

// Hints beside the pointer, and a click on the nearest point.
export const explain = (chart, pick) => {
  chart.svg.addEventListener("pointermove", (event) => {
    const point = nearest(chart, event);
    tip.hidden = !point;
    if (!point) return;
    tip.textContent = point.text();
    const beside = event.pageX + 14 + tip.offsetWidth > window.scrollX + document.documentElement.clientWidth;
    tip.style.left = `${Math.max(4, beside ? event.pageX - 14 - tip.offsetWidth : event.pageX + 14)}px`;
    tip.style.top = `${event.pageY + 14}px`;
  });
  chart.svg.addEventListener("pointerleave", () => (tip.hidden = true));
  if (pick) chart.svg.addEventListener("click", (event) => { const point = nearest(chart, event); if (point) pick(point); });
};

export const histogram = (counts) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${counts.length * 5} 28`);
  svg.setAttribute("class", "histogram");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const most = Math.max(...counts, 1);
  counts.forEach((n, i) => draw("rect", { x: i * 5 + 0.5, width: 4, y: (28 - (27 * n) / most).toFixed(1), height: ((27 * n) / most).toFixed(1) }, svg));
  return svg;
};

export { figure };
