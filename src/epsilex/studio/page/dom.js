// Small helpers: elements, numbers as text, formulas as MathML.

export const $ = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// An element with attributes, listeners (keys that begin with "on") and children; text is always text.
export const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

export const figure = (v, digits = 4) => {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e6 || size < 1e-4) return v.toExponential(Math.max(0, digits - 1)).replace("e+", "e");
  return Number(v.toPrecision(digits)).toString();
};

export const duration = (seconds) => {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
};

// Formulas come from the server as escaped MathML; nothing but MathML passes.
const TAGS = new Set(["math", "mrow", "mi", "mn", "mo", "msup", "msub", "mfrac", "msqrt", "mspace", "wbr"]);
const ATTRIBUTES = new Set(["displaystyle", "form", "fence", "stretchy", "width"]);
export const typeset = (node, markup) => {
  const holder = document.createElement("template");
  holder.innerHTML = markup;
  for (const part of holder.content.querySelectorAll("*"))
    if (!TAGS.has(part.localName) || [...part.attributes].some((a) => !ATTRIBUTES.has(a.name))) throw new Error("not a formula");
  node.replaceChildren(holder.content);
  return node;
};

export const say = (node, words) => {
  node.textContent = words || "";
  node.hidden = !words;
};

// What a person wrote into a field, in parts without the empty ones.
export const lines = (id, by = "\n") => $(id).value.split(by).map((word) => word.trim()).filter(Boolean);

// Keep what a tab looks at over a reload, where the browser lets us.
export const remember = (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* private mode */ } };
export const recall = (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } };

export const copied = async (button, text) => {
  await navigator.clipboard.writeText(text);
  const before = button.dataset.label || (button.dataset.label = button.textContent);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
};
