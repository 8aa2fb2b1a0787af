// Pieces that sections are made of. All text becomes text nodes: nothing in the data is ever HTML.

const data = JSON.parse(document.getElementById("data").textContent);

/** An element: `el("a.link", {href}, "text", child, ...)`. */
function el(what, ...rest) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const it of rest.flat()) {
    if (it === null || it === undefined || it === false) continue;
    if (typeof it === "object" && !(it instanceof Node)) {
      for (const [name, value] of Object.entries(it)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
      }
    } else element.append(it instanceof Node ? it : String(it));
  }
  return element;
}

const count = (n) => Number(n).toLocaleString("en-US");
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many || one + "s"}`;
const percent = (part, whole) => (whole ? `${((part * 100) / whole).toFixed(1)} %` : "–");
const seconds = (n) => (n >= 0.95 ? `${n.toFixed(1)} s` : `${(n * 1000).toFixed(n < 0.01 ? 1 : 0)} ms`);
const link = (kind, ...parts) => "#" + kind + "=" + parts.map(encodeURIComponent).join("/");
const byCount = (items, key) => {
  const counts = new Map();
  for (const it of items) counts.set(key(it), (counts.get(key(it)) || 0) + 1);
  return counts;
};

const STATUSES = ["survived", "unreached", "killed", "pending", "equivalent", "suppressed", "unviable"];
const STATUS_WORDS = {
  survived: "tests reach it, and none fails",
  unreached: "no test reaches it",
  killed: "a test fails with it",
  pending: "nobody asked",
  equivalent: "it changes nothing that could be seen",
  suppressed: "left out on request",
  unviable: "rustc refuses it",
};

/** Where a mutant stops that no written test notices. */
const STOP_WORDS = {
  "not entered": "Nothing that was called goes through its code.",
  "not tried": "Calls go through its code, and none was tried with it.",
  "not infected": "All that was tried with it went the same way and gave the same.",
  "not seen": "Something went another way with it, and all that was looked at is the same.",
  "not asserted": "Something that was looked at differs with it, and no test asserts that.",
};

/** A word in a coloured box. */
const tag = (word, title) => el("span.tag", { class: "tag is-" + word, title }, word);

/** A bar of shares: [[class, number, title]]. */
function shares(parts, label) {
  const whole = parts.reduce((sum, [, n]) => sum + n, 0) || 1;
  return el("div.shares", { role: "img", "aria-label": label },
    parts.filter(([, n]) => n > 0).map(([kind, n, title]) =>
      el("span", { class: "is-" + kind, style: `flex-grow:${n};flex-basis:${(n * 100) / whole}%`, title: title || `${kind}: ${count(n)}` })));
}

const meter = (part, whole, label) =>
  shares([["killed", part, `${label}: ${count(part)}`], ["rest", whole - part, `others: ${count(whole - part)}`]], `${label}: ${percent(part, whole)}`);

/** Says that there is nothing, and which command would change that. */
const nothing = (words, command) =>
  el("div.empty", el("p", words), command && el("p", el("code.command", command), " has something to say here."));

/** Tokens of a line, with the characters from..to marked. */
function coloured(tokens, from = -1, to = -1) {
  const out = [];
  let at = 0;
  for (const [kind, text] of tokens) {
    const cuts = [0, from - at, to - at, text.length].filter((it) => it >= 0 && it <= text.length).sort((a, b) => a - b);
    for (let i = 0; i + 1 < cuts.length; i++) {
      const part = text.slice(cuts[i], cuts[i + 1]);
      if (!part) continue;
      const marked = at + cuts[i] >= from && at + cuts[i + 1] <= to;
      const node = kind ? el("span", { class: kind }, part) : document.createTextNode(part);
      const last = out[out.length - 1];
      if (!marked) out.push(node);
      else if (last instanceof Element && last.tagName === "MARK") last.append(node);
      else out.push(el("mark", node));
    }
    at += text.length;
  }
  return out;
}

/** Rust on its own. */
const code = (text) =>
  el("pre.code", { tabindex: "0" }, el("code", tokenize(text.replace(/\n+$/, "")).flatMap((line, i) => [i ? "\n" : "", ...coloured(line)])));

const tokenized = new Map();
/** The coloured lines of a source, made once. */
function sourceLines(view, path) {
  const index = view.sources[path];
  if (index === undefined) return null;
  if (!tokenized.has(index)) {
    tokenized.set(index, { lines: tokenize(data.texts[index]), plain: data.texts[index].split("\n") });
  }
  return tokenized.get(index);
}

/** What a mutant changes, as lines that go and lines that come. */
function diff(view, mutant) {
  const source = sourceLines(view, mutant.file);
  if (!source || !mutant.added) {
    return el("pre.diff", { tabindex: "0" },
      el("span.row.del", el("span.sign", "-"), mutant.original || " "),
      el("span.row.ins", el("span.sign", "+"), mutant.replacement || " "));
  }
  const { lines, plain } = source;
  const first = mutant.line - 1;
  const last = mutant.end_line - 1;
  const row = (kind, sign, number, parts) =>
    el("span", { class: "row " + kind }, el("span.no", number), el("span.sign", sign), parts);
  const before = plain.slice(first, last + 1).join("\n");
  const after = mutant.added.join("\n");
  let head = 0;
  while (head < before.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const rows = [];
  const marked = (list, text, kind, sign, number) => {
    // Where nothing comes instead, there is nothing to compare with.
    if (!mutant.added.length) head = text.length;
    let at = 0;
    list.forEach((tokens, i) => {
      const length = tokens.reduce((sum, it) => sum + it[1].length, 0);
      rows.push(row(kind, sign, number(i), coloured(tokens, Math.max(0, head - at), Math.min(length, text.length - tail - at))));
      at += length + 1;
    });
  };
  if (first > 0) rows.push(row("same", " ", first, coloured(lines[first - 1])));
  marked(lines.slice(first, last + 1), before, "del", "-", (i) => first + i + 1);
  if (mutant.added.length) marked(tokenize(after), after, "ins", "+", () => "");
  if (last + 1 < plain.length) rows.push(row("same", " ", last + 2, coloured(lines[last + 1] || [])));
  return el("pre.diff", { tabindex: "0" }, rows);
}

/** Fills a list in portions, so that thousands of items do not freeze the page; `until` is made at once. */
function fill(list, items, make, until) {
  const turn = (list.turn = (list.turn || 0) + 1);
  list.replaceChildren();
  let at = 0;
  const portion = (n) => {
    const some = document.createDocumentFragment();
    for (const end = Math.min(items.length, at + n); at < end; at++) some.append(make(items[at]));
    list.append(some);
  };
  portion(Math.max(60, until === undefined ? 0 : items.indexOf(until) + 1));
  list.toggleAttribute("data-filling", at < items.length);
  const more = () => {
    if (list.turn !== turn) return;
    portion(150);
    list.toggleAttribute("data-filling", at < items.length);
    if (at < items.length) setTimeout(more);
  };
  if (at < items.length) setTimeout(more);
}

/** A search box with chips and choices, and a list of what they leave. */
function filtered({ name, items, text, chips = [], choices = [], make, unit }) {
  const list = el("div.list", { id: name + "-list" });
  const summary = el("p.summary", { role: "status" });
  const search = el("input", { type: "search", placeholder: "Search", "aria-label": `Search ${unit}s`, id: name + "-search" });
  const bar = el("div.filters", search);
  const pressed = chips.map(({ chosen }) => new Set(chosen));
  const buttons = [];
  chips.forEach(({ key, order, words }, i) => {
    const counts = byCount(items, key);
    const values = order ? order.filter((it) => counts.has(it)) : [...counts.keys()].sort();
    if (values.length < 2 && !pressed[i].size) return;
    const group = el("div.chips", { role: "group" });
    for (const value of values) {
      const button = el("button.chip", { type: "button", class: "chip is-" + value, "data-value": value, title: words && words[value] },
        value, el("span.n", count(counts.get(value))));
      button.addEventListener("click", () => {
        if (!pressed[i].delete(value)) pressed[i].add(value);
        show();
      });
      buttons.push([button, i, value]);
      group.append(button);
    }
    bar.append(group);
  });
  const selects = choices.map(({ key, label }) => {
    const counts = byCount(items, key);
    const select = el("select", { "aria-label": label }, el("option", { value: "" }, `Any ${label}`),
      [...counts.keys()].sort().map((it) => el("option", { value: it }, `${it} (${count(counts.get(it))})`)));
    select.addEventListener("change", () => show());
    if (counts.size > 1) bar.append(select);
    return [select, key];
  });
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(), 80);
  });
  const passes = (it) => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hay = words.length ? text(it).toLowerCase() : "";
    return words.every((word) => hay.includes(word)) &&
      chips.every(({ key }, i) => !pressed[i].size || pressed[i].has(key(it))) &&
      selects.every(([select, key]) => !select.value || key(it) === select.value);
  };
  function show(until) {
    for (const [button, i, value] of buttons) button.setAttribute("aria-pressed", pressed[i].has(value));
    const left = items.filter(passes);
    summary.textContent = left.length === items.length ? plural(items.length, unit) : `${count(left.length)} of ${plural(items.length, unit)}`;
    fill(list, left, make, until);
    if (!left.length) list.append(el("p.empty", "Nothing matches."));
  }
  /** Makes sure that an item is shown, whatever the filters say. */
  function reveal(item) {
    if (!passes(item)) {
      search.value = "";
      selects.forEach(([select]) => (select.value = ""));
      chips.forEach(({ key }, i) => pressed[i].size && (pressed[i] = new Set([key(item)])));
    }
    show(item);
  }
  show();
  return { element: el("div", bar, summary, list), items, reveal };
}
