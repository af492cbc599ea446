// Adds to the pages what needs a script: the theme, the search, filters, copying, and trying operations out. Without it
// everything can be read all the same.
"use strict";

// The theme is set before the page is drawn, so that it does not flash.
const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* a page of a file may not keep anything */ } },
};
const known = store.get("theme");
if (known === "dark" || known === "light") document.documentElement.dataset.theme = known;

document.addEventListener("DOMContentLoaded", () => {
  theme();
  side();
  search();
  document.querySelectorAll("form.filter").forEach(filter);
  document.querySelectorAll(".endpoint .path, .panel pre").forEach(copy);
  languages();
  document.querySelectorAll(".source").forEach(number);
  reveal();
  window.addEventListener("hashchange", reveal);
  trial();
});

function make(name, text, attributes = {}) {
  const element = document.createElement(name);
  if (text !== "") element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function theme() {
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.hidden = false;
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    store.set("theme", document.documentElement.dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();
}

// On narrow screens the list of pages is folded; on wide ones the current page is in view.
function side() {
  const list = document.getElementById("side");
  const narrow = window.matchMedia("(max-width: 56rem)");
  const fold = () => { list.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  const current = list.querySelector("[aria-current]");
  if (current && !narrow.matches) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

// What a link leads to is unfolded.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  let folded = false;
  for (let around = target; around; around = around.parentElement) {
    if (around.tagName === "DETAILS" && !around.open) { around.open = true; folded = true; }
  }
  if (folded) target.scrollIntoView();
}

// The numbers of the lines of a file, beside them.
function number(source) {
  const lines = source.textContent.split("\n").length - 1;
  const numbers = Array.from({ length: lines }, (_, index) => index + 1).join("\n");
  source.prepend(make("pre", numbers, { "aria-hidden": "true" }));
}

function copy(code) {
  if (!navigator.clipboard) return;
  const button = make("button", "Copy", { type: "button", class: "copy" });
  code.after(button);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not copied"; });
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// The language of one example is that of all, also on the next page.
function languages() {
  const choose = (language) => {
    for (const input of document.querySelectorAll(`.tabs input.${language}`)) input.checked = true;
  };
  const wanted = store.get("language");
  if (["json", "rust", "blocking", "curl"].includes(wanted)) choose(wanted);
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".tabs input")) return;
    choose(event.target.value);
    store.set("language", event.target.value);
  });
}

// Search -------------------------------------------------------------------------------------------------------------

const fillers = new Set("a an and are at be by can do does for from get how i in is it many may me much my need needs of on or that the there to what when where which with".split(" "));

// Words in lower case; `posSide` is also `pos` and `side`, and a plural is its singular.
function words(text) {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return parts.map((word) => (word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word));
}

let prepared = null;

function prepare() {
  prepared ??= (window.siteIndex ?? []).map(([title, kind, place, text, page, anchor, more, weight = 1]) => {
    const link = window.sitePages[page] + (anchor && `#${anchor}`);
    const [, called = ""] = more.split("||");
    const title_words = [...words(title), ...words(called)], place_words = words(place);
    const names = [title, ...more.split("|")].map(joined).filter((name) => name.length > 2);
    return { title, kind, place, text, weight, link, names, plain: title.toLowerCase(), title_words, place_words, all: new Set([...title_words, ...place_words, ...words(text), ...words(kind), ...words(more)]) };
  });
  return prepared;
}

// Letters and digits only, as people write a name whose spelling they do not know: `placeorder`.
function joined(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function begins(set, word) {
  for (const other of set) if (other.startsWith(word)) return true;
  return false;
}

// Whether one word becomes the other by so many letters that are missing, added, wrong or exchanged.
function isNear(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return false;
  let before = [], row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    if (Math.min(...next) > most) return false;
    [before, row] = [row, next];
  }
  return row[other.length] <= most;
}

// The words of the index that a word nobody wrote may stand for.
function nearest(word, entries) {
  if (word.length < 3) return new Set();
  const all = new Set(entries.flatMap((entry) => [...entry.all]));
  const within = (most) => new Set([...all].filter((other) => isNear(word, other, most)));
  const one = within(1);
  return one.size > 0 || word.length < 6 ? one : within(2);
}

// The words of the index; all of them and what they begin with are known.
function isKnown(word, entries) {
  return entries.some((entry) => entry.all.has(word) || (word.length > 1 && begins(entry.all, word)));
}

// A word that nobody wrote as two that somebody did: `postonly`, `openordrs`. Both are known, or one is nearly.
function apart(word, entries) {
  if (word.length < 6 || isKnown(word, entries)) return [word];
  const isWord = (part) => entries.some((entry) => entry.all.has(part));
  const cuts = [];
  for (let at = 3; at <= word.length - 3; at += 1) cuts.push([word.slice(0, at), word.slice(at)]);
  const whole = cuts.find((parts) => parts.every(isWord));
  if (whole || nearest(word, entries).size > 0) return whole ?? [word];
  const isNearly = (part) => part.length > 3 && nearest(part, entries).size > 0;
  return cuts.find(([one, other]) => (isWord(one) && isNearly(other)) || (isNearly(one) && isWord(other))) ?? [word];
}

// How well an entry has a word: 2 if it is one of its words, 1 if it begins one, 0.6 if it is nearly one.
function occurrence(entry, word, similar) {
  if (entry.all.has(word)) return 2;
  if (word.length > 1 && begins(entry.all, word)) return 1;
  for (const other of similar) if (entry.all.has(other)) return 0.6;
  return 0;
}

// The entries that have the most of the words: rare words before common ones, operations before what they consist of,
// names before sentences, documented ones before those that no document describes.
function lookUp(query) {
  const plain = query.trim().toLowerCase(), together = joined(query);
  if (plain === "") return [];
  const entries = prepare();
  const wanted = words(query).filter((word) => !fillers.has(word)).flatMap((word) => apart(word, entries));
  const terms = wanted.map((word) => {
    const similar = isKnown(word, entries) ? new Set() : nearest(word, entries);
    const has = entries.map((entry) => occurrence(entry, word, similar));
    const count = has.reduce((sum, one) => sum + (one > 0), 0);
    return { word, similar, has, weight: Math.log(1 + entries.length / (1 + count)) };
  });
  const order = { operation: 8, concept: 3, code: 3, limit: 3, parameter: 2, family: 2, "observed code": 1 };
  const found = [];
  entries.forEach((entry, index) => {
    let score = 0, named = 0, had = 0;
    for (const { word, similar, has, weight } of terms) {
      if (has[index] === 0) continue;
      had += 1;
      score += weight * (has[index] === 2 ? 1 : 0.7);
      const isTitle = entry.title_words.includes(word) || entry.title_words.some((other) => similar.has(other));
      named += isTitle;
      if (isTitle) score += weight * 0.8;
      else if (entry.title_words.some((other) => other.startsWith(word))) score += weight * 0.4;
      if (entry.place_words.includes(word)) score += weight * 0.3;
    }
    if (entry.plain === plain) score += 20;
    else if (plain.length > 1 && entry.plain.startsWith(plain)) score += 6;
    else if (plain.length > 2 && entry.plain.includes(plain)) score += 3;
    if (together.length > 2) {
      if (entry.names.includes(together)) score += 12;
      else if (entry.names.some((name) => name.startsWith(together))) score += 4;
    }
    if (score === 0) return;
    // What has all words is meant before what has one of them often.
    if (terms.length > 1) score *= 0.5 + (0.5 * had) / terms.length;
    // All words are in the name of an operation or of a topic.
    if ((entry.kind === "operation" || entry.kind === "concept") && terms.length > 0 && named === terms.length) score += 8;
    // Of two sentences the shorter one says it; the same code of several families stays in the order of these.
    const length = entry.kind === "code" ? 0 : entry.text.length;
    found.push({ entry, index, score: entry.weight * (score + 0.2 * (order[entry.kind] ?? 0) - 0.0002 * length) });
  });
  const best = Math.max(0, ...found.map((one) => one.score));
  return found.filter((one) => one.score > best * 0.35).sort((a, b) => b.score - a.score || a.index - b.index).slice(0, 20).map((one) => one.entry);
}

// What the search says about its results.
function state(query, count) {
  if (window.siteIndex === undefined) {
    const failed = document.querySelector('script[data-index="failed"]');
    return failed ? "The index of the search could not be loaded: reload the page." : "Loading …";
  }
  if (query.trim() === "") return "Arrow keys choose, Enter opens.";
  return count === 0 ? "Nothing has these words." : `${count} results`;
}

function search() {
  const button = document.getElementById("find");
  const dialog = make("dialog", "", { id: "search", "aria-label": "Search" });
  const form = make("form", "", { method: "dialog", role: "search" });
  const query = make("input", "", { id: "query", type: "search", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-label": "Search names, codes, rules and words", "aria-expanded": "false", "aria-controls": "results", "aria-autocomplete": "list", placeholder: "Search names, codes, rules, words" });
  const results = make("ul", "", { id: "results", role: "listbox", "aria-label": "Results" });
  const found = make("p", "", { id: "found", role: "status" });
  form.append(query, make("button", "Esc", { type: "submit", class: "close", "aria-label": "Close the search" }));
  dialog.append(form, results, found);
  document.body.append(dialog);
  const root = document.body.dataset.root;
  let at = -1;
  button.querySelector("kbd").hidden = false;
  button.setAttribute("aria-keyshortcuts", "/");
  button.setAttribute("role", "button");

  const open = () => {
    if (window.siteIndex === undefined && !document.querySelector("script[data-index]")) {
      const script = make("script", "", { src: `${root}search.js`, "data-index": "" });
      script.addEventListener("load", show);
      script.addEventListener("error", () => { script.dataset.index = "failed"; show(); });
      document.head.append(script);
    }
    if (!dialog.open) dialog.showModal();
    query.select();
  };
  const select = (to) => {
    const options = [...results.children];
    at = options.length === 0 ? -1 : (to + options.length) % options.length;
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
    if (at >= 0) {
      query.setAttribute("aria-activedescendant", options[at].id);
      options[at].scrollIntoView({ block: "nearest" });
    } else query.removeAttribute("aria-activedescendant");
  };
  const show = () => {
    const entries = lookUp(query.value);
    results.replaceChildren(...entries.map((entry, index) => {
      const option = make("li", "", { role: "option", id: `result-${index}`, "aria-selected": "false" });
      const link = make("a", "", { href: root + entry.link, tabindex: "-1" });
      const kind = [entry.kind, entry.place].filter(Boolean).join(" · ");
      link.append(make("strong", entry.title), make("small", kind), make("span", entry.text));
      link.addEventListener("click", () => dialog.close());
      option.append(link);
      return option;
    }));
    query.setAttribute("aria-expanded", String(entries.length > 0));
    found.textContent = state(query.value, entries.length);
    select(0);
  };
  button.addEventListener("click", (event) => { event.preventDefault(); open(); show(); });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("input, textarea, select");
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      open();
      show();
    }
  });
  query.addEventListener("input", show);
  query.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      select(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      results.children[at]?.querySelector("a").click();
    }
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
}

// Filters ------------------------------------------------------------------------------------------------------------

function filter(form) {
  const field = form.querySelector("input[type=search]");
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const status = form.querySelector("[role=status]");
  const rows = [...document.querySelectorAll("[data-filter]")].map((row) => ({ row, text: row.textContent.toLowerCase(), about: row.closest("tbody")?.dataset.about ?? "" }));
  const apply = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    for (const { row, text, about } of rows) {
      const fits = (boxes.length === 0 || kinds.has(row.dataset.filter)) && wanted.every((word) => text.includes(word) || about.includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    for (const group of document.querySelectorAll("tbody[data-about]")) {
      group.hidden = !group.querySelector("[data-filter]:not([hidden])");
    }
    status.textContent = `${shown} of ${rows.length}`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  apply();
}

// Trying an operation out --------------------------------------------------------------------------------------------

// Only a server on this machine is requested to send its key, and only a local exchange has one.
async function trial() {
  const form = document.getElementById("try");
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  if (!form || !isHere || !location.protocol.startsWith("http")) return;
  const ask = () => fetch(`${document.body.dataset.root}keys.json`);
  const first = await ask().catch(() => null);
  if (!first?.ok) return;
  const [request, shown] = [form.querySelector("textarea"), form.querySelector("[role=status]")];
  form.hidden = false;
  for (const link of document.querySelectorAll(".jump [hidden]")) link.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      // The exchange's clock may be another than this one, so each signature is made by its time.
      const keys = await (await ask()).json();
      const sent = await send(form.dataset, request.value, keys);
      const text = await sent.text();
      shown.replaceChildren(verdict(form.dataset, sent.status, text), make("pre", pretty(text), { tabindex: "0", "aria-label": "Answer" }));
    } catch (error) {
      shown.replaceChildren(make("p", `Not sent: ${error.message}`));
    }
  });
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

async function send(call, text, keys) {
  const request = text.trim() === "" ? {} : JSON.parse(text);
  let path = call.path.replace(/\{([^}]*)\}/g, (_, name) => {
    const value = request[name];
    delete request[name];
    return encodeURIComponent(value ?? "");
  });
  const hasBody = call.body === "true";
  const query = hasBody ? "" : Object.entries(request).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  const body = hasBody ? JSON.stringify(request) : "";
  const headers = hasBody ? { "Content-Type": "application/json" } : {};
  if (call.signs) {
    const timestamp = keys.time;
    const signedQuery = call.signedQuery === "decoded" ? decodeURIComponent(query) : query;
    const parts = { timestamp, method: call.method, path, query: query && `?${signedQuery}`, body };
    const signed = call.signs.split(" ").map((part) => parts[part]).join("");
    headers[call.key] = keys.key;
    headers[call.signature] = await signature(keys.secret, signed, call.encoding);
    headers[call.timestamp] = timestamp;
    if (call.passphrase) headers[call.passphrase] = keys.passphrase;
  }
  if (query) path += `?${query}`;
  return fetch(path, { method: call.method, headers, body: hasBody ? body : undefined });
}

async function signature(secret, text, encoding) {
  const bytes = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(text)));
  if (encoding === "hex") return [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return btoa(String.fromCharCode(...signed));
}

// What the answer shows, in the words of the page's own table of codes.
function verdict(call, status, text) {
  const line = make("p", "");
  let code;
  try { code = JSON.parse(text)[call.code]; } catch { /* an answer without a code */ }
  const row = document.getElementById(`code-${code}`);
  const group = [...document.querySelectorAll(".groups li")].find((one) => one.querySelector(".codes-of").textContent.split(" ").includes(code));
  if (row) line.append(row.querySelector(".verdict").cloneNode(true), ` ${code}: ${row.lastElementChild.textContent}`);
  else if (code !== undefined) {
    const link = make("a", "what it shows", { href: `${document.body.dataset.root}errors.html#observed-${code}` });
    if (group) line.append(group.querySelector(".verdict").cloneNode(true), ` ${code}: ${group.children[1].textContent} `, link);
    else line.append(`HTTP status ${status}, code ${code}: `, link);
  } else line.append(`HTTP status ${status}`);
  return line;
}
