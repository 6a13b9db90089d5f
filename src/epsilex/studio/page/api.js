// Talking to the server: JSON requests with the CSRF header, and a stream of events that reconnects.

import { $ } from "./dom.js";

const csrf = $('meta[name="csrf"]').content;

const answered = async (response) => {
  if (response.ok) return response;
  let told = { error: `The server answered ${response.status}.` };
  try {
    const text = await response.text();
    told = text.startsWith("{") ? JSON.parse(text) : { error: text.trim() || told.error };
  } catch { /* no words came */ }
  throw Object.assign(new Error(told.error), { column: told.column });
};

const ask = async (path, options) => {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw new Error("The studio does not answer. Is `epsilex studio` still running?");
  }
  return answered(response);
};

const send = (path, body) => ask(path, { method: "POST", headers: { "content-type": "application/json", "x-csrf": csrf }, body: JSON.stringify(body) });

export const get = async (path) => (await ask(path)).json();
export const post = async (path, body = {}) => (await send(path, body)).json();

export const upload = async (file) => {
  const headers = { "content-type": "application/octet-stream", "x-csrf": csrf, "x-name": encodeURIComponent(file.name) };
  return (await ask("/api/tables", { method: "POST", headers, body: file })).json();
};

export const download = async (path, body) => {
  const response = await send(path, body);
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") || "")?.[1] || "file";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// Events of all runs, and of one in full; returns a function that ends them.
export const listen = (run, handlers) => {
  let source = null, timer = null, ended = false;
  const open = () => {
    source = new EventSource(run ? `/api/events?run=${encodeURIComponent(run)}` : "/api/events");
    source.onopen = () => handlers.connected(true);
    for (const name of ["runs", "run", "trouble"]) source.addEventListener(name, (event) => handlers[name](JSON.parse(event.data)));
    source.onerror = () => {
      source.close();
      if (ended) return;
      handlers.connected(false);
      timer = setTimeout(open, 1000);
    };
  };
  open();
  return () => { ended = true; clearTimeout(timer); source.close(); };
};
