// Steer: operators, guesses, bounds, and the log of every act.

import { post } from "./api.js";
import { symbolOf } from "./data.js";
import { $, el, lines, say } from "./dom.js";

let run = null, operators = [], typed = false; // whether a person has typed bounds that are not set yet

export const setUp = () => {
  $("#guess-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await act({ kind: "guess", formula: $("#guess").value })) $("#guess").value = "";
  });
  $("#bounds").addEventListener("input", () => { typed = true; });
  $("#bounds-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await act({ kind: "bounds", constraints: lines("#bounds") }, "#bounds-error");
  });
};

const act = async (body, words = "#steer-error") => {
  try {
    await post(`/api/runs/${run.id}/acts`, body);
    say($(words), "");
    return true;
  } catch (error) {
    say($(words), error.message);
    return false;
  }
};

export const show = (view, known) => {
  const formed = Boolean(view.spec.form), fixed = Boolean(view.spec.replays) || formed;
  if (run?.id !== view.id) { typed = false; say($("#steer-error"), ""); say($("#bounds-error"), ""); }
  run = view;
  operators = known;
  const key = JSON.stringify([view.id, view.operators, view.forbidden, fixed]), box = $("#allowed");
  if (box.dataset.key !== key) {
    box.dataset.key = key;
    const focused = document.activeElement?.dataset?.operator;
    box.replaceChildren(...operators.map((o) => chip(o, fixed)));
    if (focused) box.querySelector(`[data-operator="${focused}"]`)?.focus();
  }
  $("#guess").disabled = $("#guess-form button").disabled = fixed;
  $("#allowed-about").textContent = formed ? "The functions of a form are searched with the operators that the run began with. A form of a formula may still be rejected."
    : "Click one to forbid or allow it from the next generation on. Formulas with a forbidden operator leave the population.";
  $("#guess-about").textContent = formed ? "Guesses cannot stand beside a form." : `A formula over ${view.features.slice(0, 6).map(quoted).join(", ")}${view.features.length > 6 ? ", …" : ""}; its constants are tuned.${view.spec.target_unit ? " Its units must be consistent." : ` Such as ${example(view)}.`}`;
  showBounds();
  showLog();
};

// The bounds in force, unless a person is typing others.
const showBounds = () => {
  const box = $("#bounds"), said = run.constraints.join("\n"), example = quoted(run.features[0]);
  if (lines("#bounds").join("\n") === said) typed = false;
  if (!typed && box.value !== said) box.value = said;
  box.disabled = $("#bounds-form button").disabled = Boolean(run.spec.replays);
  $("#bounds-about").textContent = `What every formula f must satisfy within the range of the data, one per line: f >= 0, f <= 100, increasing in ${example}, decreasing in ${example}, convex in ${example}, concave in ${example}. They replace those before them; without any, all are lifted.`;
};

const quoted = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``);
const example = (view) => (view.features.length > 1 ? `2.5*${quoted(view.features[0])} + sqrt(${quoted(view.features[1])})` : `2.5*sqrt(${quoted(view.features[0])}) + 1`);

const chip = (operator, fixed) => {
  const allowed = run.operators.includes(operator.name);
  return el("button", { type: "button", class: "chip toggle", "aria-pressed": String(allowed), "data-operator": operator.name, disabled: fixed,
    "aria-label": `${operator.name}: ${allowed ? "allowed" : "forbidden"}`,
    onclick: () => act({ kind: allowed ? "forbid" : "allow", operator: operator.name }) }, symbolOf(operator.name, operator.symbol));
};

const showLog = () => {
  const waits = ["done", "failed", "interrupted"].includes(run.phase) ? "when the run goes on" : "next";
  const entries = [...run.log.map((e) => el("li", { class: e.refused ? "refused" : "" }, el("span", { class: "when numbers" }, String(e.generation)), el("span", {}, e.said))),
    ...run.waiting.map((said) => el("li", { class: "waiting" }, el("span", { class: "when" }, waits), el("span", {}, said)))];
  $("#log").replaceChildren(...(entries.length ? entries.reverse() : [el("li", { class: "quiet" }, "Nothing yet.")]));
};
