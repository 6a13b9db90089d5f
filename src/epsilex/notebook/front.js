const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 400, HEIGHT = 260, LEFT = 52, RIGHT = 12, TOP = 12, BOTTOM = 34;

const add = (parent, tag, attributes = {}, text = "") => {
  const node = parent instanceof SVGElement || tag === "svg" ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
};

const short = (v) => (v === null ? "∞" : String(Number(v.toPrecision(3))));

// Round values of a logarithmic axis, not too many.
const ticks = (low, high) => {
  const found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++)
    for (const m of high / low > 2000 ? [1] : [1, 2, 5]) if (m * 10 ** k >= low && m * 10 ** k <= high) found.push(m * 10 ** k);
  const every = Math.ceil(found.length / 7);
  return found.filter((_, i) => i % every === 0);
};

// Values beyond the axis, such as the error of a formula through every row, are drawn at its end.
const drawChart = (box, front, axis, chosen) => {
  box.replaceChildren();
  const svg = add(box, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "error over length of the formulas found so far" });
  if (axis.length !== 2) return;
  const low = axis[0] / 1.2, high = axis[1] * 1.2, lengths = front.map((m) => m.length);
  const first = Math.min(...lengths) - 1, last = Math.max(...lengths) + 1;
  const x = (v) => LEFT + ((v - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (v) => {
    const share = Math.log(Math.min(Math.max(v, low), high) / low) / Math.log(high / low);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  };
  for (const v of ticks(low, high)) {
    add(svg, "line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v) });
    add(svg, "text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, short(v));
  }
  const step = Math.max(1, Math.ceil((last - first) / 8));
  for (let v = first + 1; v < last; v += step) add(svg, "text", { x: x(v), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, String(v));
  add(svg, "text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "length");
  add(svg, "text", { x: 12, y: HEIGHT / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${HEIGHT / 2})` }, "error");
  const known = front.map((m, i) => [m, i]).filter(([m]) => m.error !== null);
  add(svg, "path", { class: "path", d: known.map(([m], k) => `${k ? "L" : "M"}${x(m.length)} ${y(m.error)}`).join("") });
  for (const [m, i] of known) {
    const dot = add(svg, "circle", { class: "point", cx: x(m.length), cy: y(m.error), r: 4 });
    add(dot, "title", {}, `length ${m.length}, error ${short(m.error)}`);
    if (i === chosen) add(svg, "circle", { class: "ring", cx: x(m.length), cy: y(m.error), r: 8 });
  }
};

const drawRows = (box, front, chosen, target) => {
  box.replaceChildren();
  const table = add(box, "table"), head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
  for (const name of ["length", "error"]) add(head, "th", { scope: "col" }, name);
  add(head, "th", { scope: "col" }).innerHTML = target; // MathML by epsilex itself, with every name escaped
  front.forEach((m, i) => {
    const row = add(body, "tr", i === chosen ? { class: "chosen" } : {});
    add(row, "td", {}, String(m.length));
    add(row, "td", {}, short(m.error));
    add(row, "td").innerHTML = m.math;
  });
  const marked = body.querySelector(".chosen");
  if (marked && marked.offsetTop + marked.offsetHeight > box.clientHeight) box.scrollTop = marked.offsetTop - 60;
};

const render = ({ model, el }) => {
  const root = add(el, "div", { class: "epsilex" });
  const status = add(root, "p", { class: "status", role: "status" }), why = add(root, "p", { class: "why" });
  const chart = add(root, "div"), rows = add(root, "div", { class: "rows", tabindex: "0", role: "region", "aria-label": "formulas" });
  const draw = () => {
    status.textContent = model.get("status");
    why.textContent = model.get("why");
    why.hidden = !model.get("why");
    drawChart(chart, model.get("front"), model.get("axis"), model.get("chosen"));
    drawRows(rows, model.get("front"), model.get("chosen"), model.get("target"));
  };
  model.on("change", draw);
  draw();
  return () => model.off("change", draw);
};

export default { render };
