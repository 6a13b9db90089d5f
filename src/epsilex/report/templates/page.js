"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const figure = (v) => (v === null ? "∞" : Number(v.toPrecision(4)).toString());
  let selected = data.chosen, group = null; // of the curves, the one that a person chose

  // --- scales and axes ---------------------------------------------------------------------------------------------

  const extent = (values) => {
    const known = values.filter((v) => v !== null);
    return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  };

  const padded = ([low, high], share) => {
    const room = (high - low || Math.abs(high) || 1) * share;
    return [low - room, high + room];
  };

  const ticks = ([low, high], count) => {
    const rough = (high - low) / Math.max(1, count);
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((m) => m * unit >= rough);
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
    return found;
  };

  const logTicks = ([low, high], count) => {
    const decades = Math.log10(high / low);
    const steps = decades > count ? [1] : decades > 1.5 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    const found = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++)
      for (const m of steps) if (m * 10 ** k >= low && m * 10 ** k <= high) found.push(Number((m * 10 ** k).toPrecision(3)));
    const every = Math.ceil(found.length / (count + 2));
    return found.filter((_, i) => i % every === 0);
  };

  const label = (v) => (v !== 0 && (Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3) ? v.toExponential(0).replace("e+", "e") : v.toLocaleString("en"));

  const draw = (tag, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    parent.append(node);
    return node;
  };

  let frames = 0;
  const frame = (box, { x, y, xName, yName, yLog = false, whole = false }) => {
    const width = box.clientWidth || 300, height = Number(box.dataset.height);
    const left = 54, right = 10, top = 10, bottom = 40;
    box.replaceChildren();
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": `${yName} over ${xName}` }, box);
    const flat = yLog ? Math.log : (v) => v;
    const px = (v) => left + ((v - x[0]) / (x[1] - x[0])) * (width - left - right);
    const py = (v) => height - bottom - ((flat(v) - flat(y[0])) / (flat(y[1]) - flat(y[0]))) * (height - top - bottom);
    const xTicks = ticks(x, Math.max(2, Math.floor(width / 70))).filter((v) => !whole || Number.isInteger(v));
    for (const v of xTicks) {
      draw("line", { class: "grid", x1: px(v), x2: px(v), y1: top, y2: height - bottom }, svg);
      draw("text", { x: px(v), y: height - bottom + 16, "text-anchor": "middle" }, svg).textContent = label(v);
    }
    for (const v of (yLog ? logTicks : ticks)(y, Math.max(2, Math.floor(height / 60)))) {
      draw("line", { class: "grid", x1: left, x2: width - right, y1: py(v), y2: py(v) }, svg);
      draw("text", { x: left - 6, y: py(v) + 4, "text-anchor": "end" }, svg).textContent = label(v);
    }
    draw("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, svg).textContent = xName;
    draw("text", { x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(top + height - bottom) / 2})` }, svg).textContent = yName;
    const area = { x: left, y: top, width: Math.max(1, width - left - right), height: height - top - bottom };
    const id = `clip${frames++}`;
    draw("rect", area, draw("clipPath", { id }, svg));
    return { svg, px, py, width, height, area, inside: draw("g", { "clip-path": `url(#${id})` }, svg) };
  };

  // A value beyond an axis is drawn at its end, as a triangle that points on.
  const mark = (chart, at, kind, parent, radius) => {
    const { area } = chart;
    const x = Math.min(Math.max(at.x, area.x), area.x + area.width), y = Math.min(Math.max(at.y, area.y), area.y + area.height);
    if (Math.abs(x - at.x) < 0.5 && Math.abs(y - at.y) < 0.5) return draw("circle", { class: kind, cx: at.x, cy: at.y, r: radius }, parent);
    const [ux, uy] = Math.abs(y - at.y) >= 0.5 ? [0, Math.sign(at.y - y)] : [Math.sign(at.x - x), 0];
    const r = radius + 1, tip = [x - ux, y - uy], base = [tip[0] - ux * 2 * r, tip[1] - uy * 2 * r];
    Object.assign(at, { x: (tip[0] + base[0]) / 2, y: (tip[1] + base[1]) / 2 });
    return draw("path", { class: kind, d: `M${tip[0]} ${tip[1]}L${base[0] + uy * r} ${base[1] + ux * r}L${base[0] - uy * r} ${base[1] - ux * r}Z` }, parent);
  };

  const line = (chart, x, y, kind, parent) => {
    let pen = "M";
    const steps = x.map((v, i) => {
      if (y[i] === null) { pen = "M"; return ""; }
      const step = `${pen}${chart.px(v).toFixed(1)} ${Math.min(Math.max(chart.py(y[i]), -1e4), 1e4).toFixed(1)}`;
      pen = "L";
      return step;
    });
    return draw("path", { class: kind, d: steps.join("") }, parent);
  };

  // --- hints beside the pointer ------------------------------------------------------------------------------------

  const showTip = (event, text) => {
    tip.textContent = text;
    tip.hidden = false;
    const beside = event.pageX + 14 + tip.offsetWidth > window.scrollX + document.documentElement.clientWidth;
    tip.style.left = `${Math.max(4, beside ? event.pageX - 14 - tip.offsetWidth : event.pageX + 14)}px`;
    tip.style.top = `${event.pageY + 14}px`;
  };

  // The drawn thing nearest to the pointer, if it is near.
  const nearest = (chart, points, event) => {
    const area = chart.svg.getBoundingClientRect();
    const scale = chart.width / area.width;
    const at = [(event.clientX - area.left) * scale, (event.clientY - area.top) * scale];
    let best = null, least = 30 ** 2;
    for (const p of points) {
      const d = (p.x - at[0]) ** 2 + (p.free ? 0 : (p.y - at[1]) ** 2);
      if (d < least) [best, least] = [p, d];
    }
    return best;
  };

  const explain = (chart, points, text) => {
    chart.svg.addEventListener("pointermove", (event) => {
      const point = nearest(chart, points, event);
      if (point) showTip(event, text(point));
      else tip.hidden = true;
    });
    chart.svg.addEventListener("pointerleave", () => (tip.hidden = true));
  };

  // --- the kinds of plot -------------------------------------------------------------------------------------------

  const drawFront = () => {
    const box = document.getElementById("front");
    const [low, high] = data.errors || [0, 1];
    const yLog = low > 0 && high / low > 4;
    const y = yLog ? [low / 1.25, high * 1.25] : padded([low, high], 0.08);
    const chart = frame(box, { x: padded(extent(data.models.map((m) => m.length)), 0.06), y, yLog, xName: "length", yName: "mean absolute error", whole: true });
    const points = [];
    const height = (v) => (yLog && v <= 0 ? 1e4 : chart.py(v));
    for (const [kind, key] of [["test", "test"], ["train", "error"]]) {
      const shown = data.models.map((m, i) => [m, i]).filter(([m]) => m[key] !== null && m[key] !== undefined);
      draw("path", { class: `path ${kind}`, d: shown.map(([m], k) => `${k ? "L" : "M"}${chart.px(m.length)} ${Math.min(height(m[key]), 1e4)}`).join("") }, chart.inside);
      for (const [m, i] of shown) {
        const at = { x: chart.px(m.length), y: height(m[key]), model: i };
        const dot = mark(chart, at, `point ${kind}${i === selected ? " selected" : ""}`, chart.svg, i === selected ? 6 : 4.5);
        points.push(at);
        dot.dataset.model = i;
        if (kind !== "train") continue;
        if (i === data.chosen) draw("circle", { class: "ring", cx: at.x, cy: at.y, r: 10 }, chart.svg);
        if (i === data.knee) draw("path", { class: "knee", d: `M${at.x} ${at.y - 14}l14 14l-14 14l-14 -14Z` }, chart.svg);
        const words = `length ${m.length}, error ${figure(m.error)}${i === data.chosen ? ", chosen" : ""}${i === data.knee ? ", knee" : ""}`;
        for (const [name, value] of [["tabindex", 0], ["role", "button"], ["aria-label", words]]) dot.setAttribute(name, value);
        dot.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(i); } });
      }
    }
    chart.svg.setAttribute("role", "group");
    chart.svg.addEventListener("click", (event) => {
      const point = nearest(chart, points, event);
      if (point) select(point.model);
    });
    explain(chart, points, ({ model }) => {
      const m = data.models[model], held = m.test === null || m.test === undefined ? "" : `\nheld-back rows ${figure(m.test)}`;
      return `${m.preview}\nlength ${m.length}\ntraining rows ${figure(m.error)}${held}`;
    });
  };

  const dots = (chart, places, text, kind = (row) => (data.heldBack[row] ? "test" : "train")) => {
    const points = [];
    places.forEach((place, i) => {
      if (place === null) return;
      const at = { x: chart.px(place[0]), y: chart.py(place[1]), row: i };
      mark(chart, at, `dot ${kind(i)}`, chart.svg, 3);
      points.push(at);
    });
    explain(chart, points, text);
  };

  const told = (row) => `${data.groups ? `${data.groups.column} ${data.groups.of[row]}\n` : ""}measured ${figure(data.y[row])}\npredicted ${figure(data.models[selected].prediction[row])}\n${data.heldBack[row] ? "held back" : "training"}`;

  // The range of the measurements, with room for predictions that are not far off.
  const measured = padded(extent(data.y), 0.04);
  const around = (values) => {
    const [low, high] = padded(extent(data.y), 0.5), [least, most] = extent(values);
    return [Math.min(measured[0], Math.max(low, least)), Math.max(measured[1], Math.min(high, most))];
  };

  const drawModel = () => {
    const prediction = data.models[selected].prediction;
    const range = around(prediction);
    const fit = frame(document.getElementById("fit"), { x: range, y: range, xName: "measured", yName: "predicted" });
    draw("line", { class: "diagonal", x1: fit.px(range[0]), x2: fit.px(range[1]), y1: fit.py(range[0]), y2: fit.py(range[1]) }, fit.svg);
    dots(fit, prediction.map((p, i) => (p === null ? null : [data.y[i], p])), ({ row }) => told(row));
    const residuals = prediction.map((p, i) => (p === null ? null : data.y[i] - p));
    const sizes = residuals.filter((r) => r !== null).map(Math.abs).sort((a, b) => a - b);
    const usual = 3 * (sizes[Math.floor(0.9 * (sizes.length - 1))] || 0), [least, most] = extent([0, ...residuals]);
    const y = usual > 0 ? [Math.max(least, -usual), Math.min(most, usual)] : [least, most];
    const left = frame(document.getElementById("residuals"), { x: range, y: padded(y, 0.08), xName: "predicted", yName: "measured − predicted" });
    draw("line", { class: "diagonal", x1: left.px(range[0]), x2: left.px(range[1]), y1: left.py(0), y2: left.py(0) }, left.svg);
    dots(left, residuals.map((r, i) => (r === null ? null : [prediction[i], r])), ({ row }) => told(row));
  };

  // --- one feature: the data with the curve; several: how the prediction moves with each, others averaged --------------

  const at = (x, y, value) => {
    const k = Math.min(x.length - 2, Math.max(0, Math.floor(((value - x[0]) / (x[x.length - 1] - x[0] || 1)) * (x.length - 1))));
    if (y[k] === null || y[k + 1] === null) return null;
    return y[k] + ((value - x[k]) / (x[k + 1] - x[k] || 1)) * (y[k + 1] - y[k]);
  };

  const panel = (box, name, height) => {
    const holder = document.createElement("figure"), caption = document.createElement("figcaption"), chart = document.createElement("div");
    caption.textContent = name;
    chart.className = "chart";
    chart.dataset.height = height;
    holder.append(caption, chart);
    box.append(holder);
    return chart;
  };

  const drawBand = (chart, x, low, high, kind) => {
    const known = x.map((v, i) => i).filter((i) => low[i] !== null && high[i] !== null);
    const edge = (i, v) => `${chart.px(x[i]).toFixed(1)} ${Math.min(Math.max(chart.py(v), -1e4), 1e4).toFixed(1)}`;
    const around = [...known.map((i) => edge(i, high[i])), ...known.reverse().map((i) => edge(i, low[i]))];
    if (around.length) draw("path", { class: kind, d: `M${around.join("L")}Z` }, chart.inside);
  };

  // Each group with its own curve. A click on a group's name leaves the others faint, and shows its band.
  const drawGroups = (box, model) => {
    const { feature, x, groups } = model, name = data.features[feature], labels = groups.map((g) => g.label);
    if (!labels.includes(group)) group = null;
    const chart = frame(panel(box, `${data.target} over ${name}, for each ${data.groups.column}`, 340), { x: [x[0], x[x.length - 1]], y: around(groups.flatMap((g) => g.y)), xName: name, yName: data.target });
    const shade = (label) => `of-group g${labels.indexOf(label) % 8}${group === null || group === label ? "" : " faint"}`;
    for (const g of groups) {
      if (g.label === group && g.low) drawBand(chart, x, g.low, g.high, `band ${shade(g.label)}`);
      line(chart, x, g.y, `curve ${shade(g.label)}`, chart.inside);
    }
    dots(chart, data.X[feature].map((v, i) => (v === null || data.y[i] === null ? null : [v, data.y[i]])), ({ row }) => told(row), (row) => `${shade(data.groups.of[row])}${data.heldBack[row] ? " held" : ""}`);
    const names = document.createElement("div");
    names.className = "groups";
    for (const label of labels) {
      const button = document.createElement("button"), key = document.createElement("span");
      key.className = `key g${labels.indexOf(label) % 8}`;
      button.type = "button";
      button.dataset.group = label;
      button.setAttribute("aria-pressed", String(label === group));
      button.append(key, label);
      button.addEventListener("click", () => { group = group === label ? null : label; drawCurves(); all(".groups button").find((b) => b.dataset.group === label)?.focus(); });
      names.append(button);
    }
    box.append(names);
  };

  const drawCurves = () => {
    const box = document.getElementById("curves"), note = document.getElementById("curves-note");
    const model = data.models[selected];
    box.replaceChildren();
    box.className = model.parts ? "two" : "";
    const held = data.heldBack.some((flag) => flag) ? " Hollow dots: held-back rows." : "";
    note.textContent = model.parts ? "Line: mean prediction as one feature moves, the others as they were measured. Dots: the rows, each as far from the line as it is from its prediction."
      : model.groups ? `Lines: the formula with the constants of each ${data.groups.column}.${held} Choose one to see where 95% of its new measurements are expected.`
      : model.low ? "Line: the formula. Band: where it expects 95% of new measurements." : "";
    if (model.groups) drawGroups(box, model);
    else if (model.feature !== undefined) {
      const { x, y, low, high } = model, name = data.features[model.feature];
      const chart = frame(panel(box, `${data.target} over ${name}`, 340), { x: [x[0], x[x.length - 1]], y: around(y), xName: name, yName: data.target });
      if (low) drawBand(chart, x, low, high, "band");
      line(chart, x, y, "curve", chart.inside);
      dots(chart, data.X[model.feature].map((v, i) => (v === null || data.y[i] === null ? null : [v, data.y[i]])), ({ row }) => told(row));
    }
    const moved = (part) => data.X[part.feature].map((v, i) => {
      const p = model.prediction[i], level = v === null || p === null ? null : at(part.x, part.y, v);
      return level === null ? null : level + data.y[i] - p;
    });
    const parts = model.parts || [];
    const shared = around(parts.flatMap((part) => part.y)); // one range, so that the features can be compared
    const panels = parts.map((part) => panel(box, data.features[part.feature], 200)); // all of them, before any is measured
    parts.forEach((part, k) => {
      const chart = frame(panels[k], { x: padded([part.x[0], part.x[part.x.length - 1]], 0.02), y: shared, xName: "", yName: "" });
      line(chart, part.x, part.y, "curve", chart.inside);
      dots(chart, moved(part).map((v, i) => (v === null ? null : [data.X[part.feature][i], v])), ({ row }) => `${data.features[part.feature]} ${figure(data.X[part.feature][row])}\n${told(row)}`);
    });
  };

  const drawHistory = (box) => {
    const { columns, names } = data.charts.find((c) => c.id === box.dataset.history);
    const generation = data.history.generation;
    const values = columns.flatMap((c) => data.history[c]).filter((v) => v !== null);
    const positive = extent(values.filter((v) => v > 0));
    const yLog = box.dataset.history === "error" && positive[1] / positive[0] > 10;
    const y = yLog ? [positive[0] / 1.2, positive[1] * 1.2] : padded(extent(values), 0.06);
    const chart = frame(box, { x: extent(generation)[1] > 0 ? extent(generation) : [0, 1], y, yLog, xName: "generation", yName: "", whole: true });
    const points = generation.map((g, i) => ({ x: chart.px(g), free: true, i }));
    columns.forEach((c, k) => line(chart, generation, data.history[c].map((v) => (yLog && v <= 0 ? null : v)), `path line${k}`, chart.inside));
    explain(chart, points, ({ i }) => [`generation ${generation[i]}`, ...columns.map((c, k) => `${names[k]} ${figure(data.history[c][i])}`)].join("\n"));
  };

  // --- choosing, copying -------------------------------------------------------------------------------------------

  const reveal = () => {
    const row = document.querySelector("#models tr.selected"), box = row.closest(".tall");
    const above = row.offsetTop - box.querySelector("thead").offsetHeight, below = row.offsetTop + row.offsetHeight - box.clientHeight;
    if (box.scrollTop > above) box.scrollTop = above - 4;
    else if (box.scrollTop < below) box.scrollTop = below + 4;
  };

  const select = (index) => {
    selected = index;
    for (const node of all(".model, #models tr[data-model]")) {
      const own = Number(node.dataset.model) === index;
      if (node.matches("tr")) node.classList.toggle("selected", own);
      else node.hidden = !own;
    }
    const focused = document.activeElement && document.activeElement.matches(".point");
    drawFront();
    drawCurves();
    drawModel();
    reveal();
    tellNow();
    if (focused) all(`.point.train[data-model="${index}"]`).forEach((p) => p.focus());
  };

  // Where the formula has scrolled away, a line at the foot of a narrow page tells which one is shown.
  const now = document.getElementById("now"), answer = document.querySelector(".answer");
  const tellNow = () => (document.getElementById("now-text").textContent = `${data.target} = ${data.models[selected].preview}`);
  new IntersectionObserver(([entry]) => (now.hidden = entry.isIntersecting)).observe(answer);
  all("[data-up]").forEach((button) => button.addEventListener("click", () => answer.scrollIntoView()));
  all("[data-back]").forEach((button) => button.addEventListener("click", () => select(data.chosen)));

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // no clipboard here, as in some browsers for a file: the old way
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };

  const copied = async (button, text) => {
    await copy(text);
    const before = button.dataset.label || (button.dataset.label = button.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = before), 1500);
  };

  const textOf = (button, name) => button.closest(".model").querySelector(`[data-text="${name}"]`).textContent;
  for (const button of all("[data-copy]")) button.addEventListener("click", () => copied(button, textOf(button, button.dataset.copy)));
  for (const button of all("[data-copy-id]")) button.addEventListener("click", () => copied(button, document.getElementById(button.dataset.copyId).textContent));
  for (const button of all("[data-download]"))
    button.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([textOf(button, "json")], { type: "application/json" }));
      link.download = "model.json";
      link.click();
      URL.revokeObjectURL(link.href);
    });
  for (const row of all("#models tr[data-model]")) row.addEventListener("click", () => select(Number(row.dataset.model)));

  const drawSearch = () => all("[data-history]").filter((box) => box.clientWidth).forEach(drawHistory);
  all("details.engine").forEach((folded) => folded.addEventListener("toggle", drawSearch));
  const drawAll = () => {
    drawFront();
    drawCurves();
    drawModel();
    drawSearch();
    reveal();
    tellNow();
  };
  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth !== width) { width = document.body.clientWidth; drawAll(); }
  }).observe(document.body);
})();
