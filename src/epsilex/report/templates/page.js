"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const figure = (v) => (v === null ? "∞" : Number(v.toPrecision(4)).toString());
  let selected = data.chosen;

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
    return { svg, px, py, width, height, left, right };
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

  // --- the four kinds of plot --------------------------------------------------------------------------------------

  const drawFront = () => {
    const box = document.getElementById("front");
    const errors = data.models.flatMap((m) => [m.error, m.test]).filter((v) => v !== null && v !== undefined);
    const [low, high] = extent(errors.filter((v) => v > 0));
    const yLog = high / low > 4;
    const y = yLog ? [low / 1.15, high * 1.15] : padded(extent(errors), 0.06);
    const chart = frame(box, { x: padded(extent(data.models.map((m) => m.length)), 0.05), y, yLog, xName: "length", yName: "mean absolute error", whole: true });
    const points = [];
    for (const [kind, key] of [["train", "error"], ["test", "test"]]) {
      const shown = data.models.map((m, i) => [m, i]).filter(([m]) => m[key] !== null && m[key] !== undefined && (!yLog || m[key] > 0));
      draw("path", { class: `path ${kind}`, d: shown.map(([m], k) => `${k ? "L" : "M"}${chart.px(m.length)} ${chart.py(m[key])}`).join("") }, chart.svg);
      for (const [m, i] of shown) {
        const at = { x: chart.px(m.length), y: chart.py(m[key]), model: i };
        points.push(at);
        const dot = draw("circle", { class: `point ${kind}${i === selected ? " selected" : ""}`, cx: at.x, cy: at.y, r: i === selected ? 7 : 5, "data-model": i }, chart.svg);
        if (kind !== "train") continue;
        for (const [name, value] of [["tabindex", 0], ["role", "button"], ["aria-label", `length ${m.length}, error ${figure(m.error)}`]]) dot.setAttribute(name, value);
        dot.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(i); } });
      }
    }
    chart.svg.addEventListener("click", (event) => {
      const point = nearest(chart, points, event);
      if (point) select(point.model);
    });
    explain(chart, points, ({ model }) => {
      const m = data.models[model], held = m.test === null || m.test === undefined ? "" : `\nheld-back rows ${figure(m.test)}`;
      return `length ${m.length}\ntraining rows ${figure(m.error)}${held}`;
    });
  };

  const drawScatter = (id, value, names, y, x, line) => {
    const prediction = data.models[selected].prediction;
    const chart = frame(document.getElementById(id), { x, y, xName: names[0], yName: names[1] });
    draw("line", { class: "diagonal", x1: chart.px(x[0]), x2: chart.px(x[1]), y1: chart.py(line[0]), y2: chart.py(line[1]) }, chart.svg);
    const points = [];
    prediction.forEach((p, i) => {
      if (p === null) return;
      const [vx, vy] = value(p, i);
      points.push({ x: chart.px(vx), y: chart.py(vy), row: i });
      draw("circle", { class: `dot ${data.heldBack[i] ? "test" : "train"}`, cx: chart.px(vx), cy: chart.py(vy), r: 3 }, chart.svg);
    });
    explain(chart, points, ({ row }) => `measured ${figure(data.y[row])}\npredicted ${figure(prediction[row])}\n${data.heldBack[row] ? "held back" : "training"}`);
  };

  const drawModel = () => {
    const prediction = data.models[selected].prediction;
    const range = padded(extent([...prediction, ...data.y]), 0.04);
    drawScatter("fit", (p, i) => [data.y[i], p], ["measured", "predicted"], range, range, range);
    const residuals = prediction.map((p, i) => (p === null ? null : data.y[i] - p));
    const x = padded(extent(prediction), 0.04);
    drawScatter("residuals", (p, i) => [p, data.y[i] - p], ["predicted", "measured − predicted"], padded(extent([0, ...residuals]), 0.06), x, [0, 0]);
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
    columns.forEach((c, k) => {
      let pen = "M";
      const d = data.history[c].map((v, i) => {
        if (v === null || (yLog && v <= 0)) { pen = "M"; return ""; }
        const step = `${pen}${chart.px(generation[i])} ${chart.py(v)}`;
        pen = "L";
        return step;
      });
      draw("path", { class: `path line${k}`, d: d.join("") }, chart.svg);
    });
    explain(chart, points, ({ i }) => [`generation ${generation[i]}`, ...columns.map((c, k) => `${names[k]} ${figure(data.history[c][i])}`)].join("\n"));
  };

  // --- choosing, copying -------------------------------------------------------------------------------------------

  const select = (index) => {
    selected = index;
    for (const node of all(".model, #models tr[data-model]")) {
      const own = Number(node.dataset.model) === index;
      if (node.matches("tr")) node.classList.toggle("selected", own);
      else node.hidden = !own;
    }
    const focused = document.activeElement && document.activeElement.matches(".point");
    drawFront();
    drawModel();
    if (focused) all(`.point.train[data-model="${index}"]`).forEach((p) => p.focus());
  };

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

  const drawAll = () => {
    drawFront();
    drawModel();
    all("[data-history]").forEach(drawHistory);
  };
  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth !== width) { width = document.body.clientWidth; drawAll(); }
  }).observe(document.body);
  const chosenRow = document.querySelector("#models tr.selected");
  if (chosenRow) chosenRow.closest(".tall").scrollTop = chosenRow.offsetTop - 80;
})();
