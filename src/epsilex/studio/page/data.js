// Data: a table's columns with roles, and what to search for.

import { get, post, upload } from "./api.js";
import { histogram } from "./charts.js";
import { $, all, el, figure, say } from "./dom.js";

const ROLES = [["feature", "feature"], ["ignore", "ignore"], ["weight", "weights"], ["error", "standard errors"], ["group", "groups"]];
const FAMILIES = [["Arithmetic", ["add", "sub", "mul", "div", "inv"]], ["Powers", ["square", "sqrt", "pow", "abs"]],
  ["Exponential", ["exp", "log", "tanh"]], ["Angles", ["sin", "cos", "asin", "acos"]]];
const KINDS = { number: "numbers", categories: "categories", text: "text", empty: "mostly empty", other: "other" };

let project = null, table = null, openRun = null;

export const setUp = (opener) => {
  openRun = opener;
  const drop = $("#drop");
  $("#file").addEventListener("change", () => take($("#file").files[0]));
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.remove("over"); });
  drop.addEventListener("drop", (event) => take(event.dataTransfer.files[0]));
  $("#target").addEventListener("change", showRoles);
  $("#columns").addEventListener("change", showRoles);
  $("#setup").addEventListener("submit", (event) => { event.preventDefault(); start(); });
};

// Show the project's tables, and one of them.
export const show = async (known, id) => {
  project = known;
  $("#tables").replaceChildren(...project.tables.map((t) => el("button", { type: "button", class: "chip", "data-table": t.id, onclick: () => choose(t.id) }, t.name)));
  fillDefaults();
  const first = id || project.tables[0]?.id;
  if (first && first !== table?.id) await choose(first);
};

const fillDefaults = () => {
  const { defaults, operators } = project;
  if ($("#operators .checks").children.length) return;
  $("#seconds").value = defaults.seconds;
  $("#held").value = 100 * defaults.held_back;
  $("#max-length").value = defaults.max_length;
  $("#seed").value = defaults.seed;
  const symbols = Object.fromEntries(operators.map((o) => [o.name, o.symbol]));
  const grouped = new Set(FAMILIES.flatMap(([, names]) => names)), others = operators.map((o) => o.name).filter((name) => !grouped.has(name));
  for (const [title, names] of [...FAMILIES, ["Other", others]]) {
    const boxes = names.filter((name) => name in symbols).map((name) => el("label", { class: "check" },
      el("input", { type: "checkbox", value: name, checked: defaults.operators.includes(name) }), symbolOf(name, symbols[name])));
    $("#operators .checks").append(el("div", {}, el("span", { class: "quiet" }, title), ...boxes));
  }
};

export const symbolOf = (name, symbol) => ({ add: "+", sub: "−", mul: "×", div: "÷", inv: "1/x", square: "x²", sqrt: "√x", pow: "xʸ", abs: "|x|" })[name] || symbol || name;

const take = async (file) => {
  if (!file) return;
  fail("");
  project ||= await get("/api/project");
  if (file.size > project.most) return fail(`${file.name} has ${Math.round(file.size / 2 ** 20)} MB; at most ${Math.round(project.most / 2 ** 20)} MB can be taken in.`);
  $("#drop").setAttribute("aria-busy", "true");
  try {
    const found = await upload(file);
    project = await get("/api/project");
    table = null;
    await show(project, found.id);
  } catch (error) {
    fail(error.message);
  } finally {
    $("#drop").removeAttribute("aria-busy");
    $("#file").value = "";
  }
};

const fail = (words) => say($("#drop-error"), words);

const choose = async (id) => {
  try {
    table = await get(`/api/tables/${id}`);
  } catch (error) {
    return fail(error.message);
  }
  $("#setup").hidden = false;
  for (const chip of all("#tables button")) chip.setAttribute("aria-pressed", String(chip.dataset.table === id));
  say($("#setup-error"), "");
  $("#table-name").textContent = `${table.name}: ${table.rows.toLocaleString("en")} rows, ${table.columns.length} columns`;
  const numeric = table.columns.filter((c) => c.kind === "number");
  $("#target").replaceChildren(...table.columns.filter((c) => c.kind === "number").map((c) => el("option", { value: c.name }, c.name)));
  if (numeric.length) $("#target").value = numeric[numeric.length - 1].name;
  $("#columns tbody").replaceChildren(...table.columns.map(row));
  showRoles();
};

const row = (column) => {
  const roles = column.kind === "number" ? ROLES : ROLES.filter(([role]) => role !== "weight" && role !== "error");
  const ignored = column.kind === "text" || column.kind === "empty" || column.kind === "other";
  const select = el("select", { "aria-label": `Role of ${column.name}`, "data-column": column.name },
    ...roles.map(([value, name]) => el("option", { value, selected: ignored && value === "ignore" }, name)));
  const shape = column.kind === "number" ? histogram(column.histogram)
    : column.kind === "categories" ? histogram(column.counts.map((c) => c.count)) : "";
  const range = column.kind === "number" ? `${figure(column.low)} to ${figure(column.high)}`
    : column.distinct ? `${column.distinct} ${column.kind === "categories" ? "categories" : "different texts"}` : "";
  return el("tr", { "data-row": column.name },
    el("th", { class: "left name", scope: "row" }, column.name, el("span", { class: "quiet kind" }, KINDS[column.kind])),
    el("td", { class: "left role" }, select, el("span", { class: "badge strong is-target" }, "target")),
    el("td", { class: "left shape" }, shape), el("td", {}, range),
    el("td", { class: column.missing ? "some" : "quiet" }, String(column.missing)));
};

const showRoles = () => {
  const target = $("#target").value, grouped = all("#columns select").some((s) => s.value === "group" && s.dataset.column !== target);
  $("#per-group-field").hidden = !grouped;
  for (const line of all("#columns tr[data-row]")) line.classList.toggle("target-row", line.dataset.row === target);
};

const start = async () => {
  const button = $("#setup button[type=submit]"), optional = (id) => ($(id).value === "" ? null : Number($(id).value));
  const roles = Object.fromEntries(all("#columns select").map((s) => [s.dataset.column, s.value]));
  const listed = (id, by) => ($(id).closest("[hidden]") ? [] : $(id).value.split(by).map((word) => word.trim()).filter(Boolean));
  button.disabled = true;
  try {
    const { id } = await post("/api/runs", {
      table: table.id, target: $("#target").value, roles, noise: $("#noise").value, seconds: Number($("#seconds").value),
      held_back: Number($("#held").value) / 100, operators: all("#operators input:checked").map((box) => box.value),
      name: $("#name").value, max_length: Number($("#max-length").value), population: optional("#population"),
      form: $("#form").value.trim() || null, guesses: listed("#guesses", "\n"), per_group: listed("#per-group", ","),
      generations: optional("#generations"), seed: Number($("#seed").value),
    });
    say($("#setup-error"), "");
    openRun(id);
  } catch (error) {
    say($("#setup-error"), error.message);
  } finally {
    button.disabled = false;
  }
};
