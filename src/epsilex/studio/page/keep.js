// Keep: exports, replay, pinned formulas.

import { download, post } from "./api.js";
import { $, all, el, say, typeset } from "./dom.js";
import { formula } from "./look.js";

let run = null, pick = null;

export const setUp = (picker, openRun) => {
  pick = picker;
  for (const button of all("[data-export]"))
    button.addEventListener("click", () => doing(() => download(`/api/runs/${run.id}/export/${button.dataset.export}`, { formula: formula() })));
  $("#replay").addEventListener("click", () => doing(async () => openRun((await post(`/api/runs/${run.id}/replay`)).id)));
};

const doing = async (what) => {
  try {
    await what();
    say($("#keep-error"), "");
  } catch (error) {
    say($("#keep-error"), error.message);
  }
};

export const show = (view, folder) => {
  run = view;
  for (const button of all("[data-final]")) button.disabled = view.phase !== "done";
  for (const button of all("[data-export]:not([data-final])")) if (button.dataset.export !== "log") button.disabled = !view.front.length;
  $("#folder").textContent = `Project folder: ${folder}. Run: ${view.id}.`;
  const key = JSON.stringify(view.notes), list = $("#pinned");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...(view.notes.length ? view.notes.map(item) : [el("li", { class: "quiet" }, "Nothing yet: pin a formula, or write a note.")]));
};

const item = (note) => {
  const button = el("button", { type: "button", class: "pick", "aria-label": `${note.pinned ? "pinned" : "noted"}: ${note.short}`, onclick: () => pick(note.formula) });
  if (note.math) typeset(button, note.math);
  else button.textContent = note.short;
  return el("li", {}, button, note.text ? el("p", { class: "quiet" }, note.text) : null);
};
