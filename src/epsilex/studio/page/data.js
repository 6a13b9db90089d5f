// Data: a table's columns with roles, and what to search for.

import { get, post, upload } from "./api.js";
import { histogram } from "./charts.js";
import { $, all, el, figure, lines, say } from "./dom.js";

const ROLES = [["feature", "feature"], ["ignore", "ignore"], ["weight", "weights"], ["error", "standard errors"], ["group", "groups"]];
const FAMILIES = [["Arithmetic", ["add", "sub", "mul", "div", "inv"]], ["Powers", ["square", "sqrt", "pow", "abs"]],
  ["Exponential", ["exp", "log", "tanh"]], ["Angles", ["sin", "cos", "asin", "acos"]]];
const KINDS = { number: "numbers", categories: "categories", text: "text", empty: "mostly empty", other: "other" };

const FIELDS = { target: "#target", noise: "#noise", seconds: "#seconds", held_back: "#held", operators: "#operators", form: "#form", guesses: "#guesses",
  per_group: "#per-group", constraints: "#constraints", constant_units: "#constant-units", name: "#name", max_length: "#max-length", population: "#population",
  generations: "#generations", seed: "#seed" }; // where the page asks for what the server may refuse

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
  $("#columns").addEventListener("input", showUnits);
  $("#units-header").addEventListener("click", () => { for (const field of unitFields()) field.value = field.dataset.header || "1"; showUnits(); });
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
  forgive();
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
    el("td", { class: "left unit" }, column.kind === "number" ? el("input", { type: "text", maxlength: 100, spellcheck: "false", autocomplete: "off",
      "aria-label": `Unit of ${column.name}`, "data-unit": column.name, "data-header": column.unit }) : null),
    el("td", { class: "left shape" }, shape), el("td", {}, range),
    el("td", { class: column.missing ? "some" : "quiet" }, String(column.missing)));
};

const showRoles = () => {
  const target = $("#target").value, grouped = all("#columns select").some((s) => s.value === "group" && s.dataset.column !== target);
  $("#per-group-field").hidden = !grouped;
  for (const line of all("#columns tr[data-row]")) {
    line.classList.toggle("target-row", line.dataset.row === target);
    line.classList.toggle("no-unit", line.dataset.row !== target && $("select", line).value !== "feature");
  }
  showUnits();
};

// The fields for units of the target and of the features.
const unitFields = () => all("#columns tr:not(.no-unit) [data-unit]");

const showUnits = () => {
  const fields = unitFields();
  $("#units-header").hidden = !fields.some((field) => field.dataset.header);
  $("#constant-units-field").hidden = !fields.some((field) => field.value.trim());
};

// Say what is wrong beside the field that it is about; without one, beside the button.
const blame = ({ message, column }) => {
  const name = /^(\w+): /.exec(message)?.[1], unitOf = column ?? (name === "target_unit" ? $("#target").value : null);
  const role = { weight: "weight", error: "error", groups: "group" }[name];
  const field = unitOf !== null ? all("[data-unit]").find((f) => f.dataset.unit === unitOf)
    : role ? all("#columns select").find((select) => select.value === role) : name in FIELDS ? $(FIELDS[name]) : null;
  if (!field || field.closest("[hidden]")) return say($("#setup-error"), message);
  for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const said = message.slice(name ? name.length + 2 : 0), line = field.closest("tr"), how = { class: "error field-error", role: "alert", id: "field-error" };
  if (line) line.after(el("tr", { class: "line-error" }, el("td", { class: "left", colspan: line.children.length }, el("span", how, said))));
  else (field.closest("label") || field).append(el("span", how, said));
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", "field-error");
  (field.matches("fieldset") ? $("input", field) : field).focus();
};

const forgive = () => {
  say($("#setup-error"), "");
  ($(".line-error") || $("#field-error"))?.remove();
  for (const field of all("[aria-invalid]")) { field.removeAttribute("aria-invalid"); field.removeAttribute("aria-errormessage"); }
};

const start = async () => {
  const button = $("#setup button[type=submit]"), optional = (id) => ($(id).value === "" ? null : Number($(id).value));
  const roles = Object.fromEntries(all("#columns select").map((s) => [s.dataset.column, s.value]));
  const units = Object.fromEntries(unitFields().map((field) => [field.dataset.unit, field.value]));
  button.disabled = true;
  forgive();
  try {
    const { id } = await post("/api/runs", {
      table: table.id, target: $("#target").value, roles, noise: $("#noise").value, seconds: Number($("#seconds").value),
      held_back: Number($("#held").value) / 100, operators: all("#operators input:checked").map((box) => box.value),
      name: $("#name").value, max_length: Number($("#max-length").value), population: optional("#population"),
      form: $("#form").value.trim() || null, guesses: lines("#guesses"), per_group: $("#per-group-field").hidden ? [] : lines("#per-group", ","),
      constraints: lines("#constraints"), units, target_unit: units[$("#target").value], constant_units: $("#constant-units").value,
      generations: optional("#generations"), seed: Number($("#seed").value),
    });
    openRun(id);
  } catch (error) {
    blame(error);
  } finally {
    button.disabled = false;
  }
};
