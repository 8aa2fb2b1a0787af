// The page itself: header, sections, and the part of the address after `#`.

const SECTIONS = [
  ["overview", "Overview"], ["survivors", "Survivors"], ["files", "Files"], ["callables", "Callables"],
  ["failures", "Failures"], ["tests", "Tests"], ["states", "States"],
];

// Whoever has both wants to see what all tests say, if they were asked.
let view = data.views.find((it) => it.mutants.some((mutant) => mutant.status !== "pending")) || data.views[0] || null;
const made = new Map();

/** The parts of a section, made once for each view. */
function section(name) {
  const isOfView = ["overview", "survivors", "files"].includes(name);
  const key = isOfView && view ? `${name} ${view.key}` : name;
  if (!made.has(key)) {
    const parts = {
      overview: () => ({ element: overview(view) }), survivors: () => survivors(view), files: () => fileSection(view),
      callables, failures, tests, states: () => ({ element: states() }),
    }[name]();
    made.set(key, parts);
  }
  return made.get(key);
}

function tabCount(name) {
  const counts = {
    survivors: () => view && number(view.mutants, "survived"),
    files: () => view && files(view).length,
    callables: () => data.callables && data.callables.length,
    failures: () => data.run && data.run.failures.length,
    tests: () => data.views.reduce((sum, it) => sum + it.tests.length, 0),
    states: () => data.states.length,
  };
  return counts[name] ? counts[name]() : null;
}

function drawHeader(current) {
  document.getElementById("package").textContent = data.package || "Nothing yet";
  document.getElementById("version").textContent = data.version;
  const share = score(view);
  document.getElementById("score").replaceChildren(...(share === null ? [] : [
    el("span.pill", { class: "pill " + (share >= 0.9 ? "high" : share >= 0.7 ? "middle" : "low"), title: `mutants killed by ${VIEW_WORDS[view.key].long}` },
      el("strong", percent(share, 1)), el("span", " killed")),
  ]));
  document.getElementById("views").replaceChildren(...(data.views.length < 2 ? [] : [
    el("div.segments", { role: "group", "aria-label": "Judged by" }, data.views.map((it) =>
      el("button", { type: "button", "aria-pressed": String(it === view), title: `Judged by ${VIEW_WORDS[it.key].long}`, onclick: () => choose(it) }, VIEW_WORDS[it.key].short))),
  ]));
  document.getElementById("top").classList.toggle("two", data.views.length > 1);
  document.getElementById("tabs").replaceChildren(...SECTIONS.map(([name, title]) => {
    const n = tabCount(name);
    return el("a", { href: "#" + name, "aria-current": name === current ? "page" : null, id: "tab-" + name },
      title, n === null || n === undefined || name === "overview" ? null : el("span.n", count(n)));
  }));
  const tab = document.getElementById("tab-" + current);
  const tabs = document.getElementById("tabs");
  tabs.scrollLeft = Math.max(0, tab.offsetLeft - (tabs.clientWidth - tab.clientWidth) / 2);
  const height = () => document.documentElement.style.setProperty("--top", document.getElementById("top").offsetHeight + "px");
  height();
}

function choose(other) {
  view = other;
  const current = address().section;
  if (location.hash === "#" + current) show();
  else location.hash = current;
}

/** What the address asks for. */
function address() {
  const hash = location.hash.slice(1);
  const at = hash.indexOf("=");
  if (at < 0) return { section: SECTIONS.some(([name]) => name === hash) ? hash : "overview" };
  const part = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const kind = hash.slice(0, at);
  const [first, ...rest] = hash.slice(at + 1).split("/");
  const section = { mutant: "survivors", file: "files", callable: "callables", test: "tests", failure: "failures", type: "states" }[kind] || "overview";
  return { section, kind, first: part(first), rest: part(rest.join("/")), whole: part(hash.slice(at + 1)) };
}

/** Finds what the address points at, makes it if need be, and returns its element. */
function target({ kind, first, rest, whole }, parts) {
  const byId = (id) => document.getElementById(id);
  if (kind === "mutant") {
    const mutant = view && view.mutants.find((it) => it.key === rest);
    if (!mutant) return null;
    const id = `mutant-${view.key}-${mutant.key}`;
    if (!byId(id)) parts.reveal(mutant);
    return byId(id);
  }
  if (kind === "file") {
    const [, path, line] = /^(.*?)(?::(\d+))?$/.exec(rest);
    return parts.open(path, Number(line));
  }
  if (kind === "callable") {
    const item = (data.callables || []).find((it) => it.path === whole);
    if (item && parts.reveal && !byId("callable-" + whole)) parts.reveal(item);
    return byId("callable-" + whole);
  }
  if (kind === "failure") {
    const item = ((data.run && data.run.failures) || []).find((it) => it.name === whole);
    if (item && parts.reveal && !byId("failure-" + whole)) parts.reveal(item);
    return byId("failure-" + whole);
  }
  if (kind === "test") {
    const id = `test-${first}-${rest}`;
    const item = (parts.items || []).find(({ view, test }) => view.key === first && test.name === rest);
    if (item && !byId(id)) parts.reveal(item);
    return byId(id);
  }
  if (kind === "type") return byId("type-" + whole);
  return null;
}

// Whoever comes back to a list finds it as it was left.
history.scrollRestoration = "manual";
const positions = new Map();
let current = null;
addEventListener("scroll", () => current && positions.set(current, scrollY), { passive: true });

function show() {
  const wanted = address();
  current = null;
  if (wanted.kind === "mutant" || wanted.kind === "file") view = data.views.find((it) => it.key === wanted.first) || view;
  drawHeader(wanted.section);
  const parts = section(wanted.section);
  const [, title] = SECTIONS.find(([name]) => name === wanted.section);
  document.getElementById("main").replaceChildren(el("section", { id: wanted.section, "aria-labelledby": "heading" }, el("h2.heading", { id: "heading" }, title), parts.element));
  document.querySelectorAll(".target").forEach((it) => it.classList.remove("target"));
  if (wanted.section === "files" && !wanted.kind) parts.list();
  const found = wanted.kind ? target(wanted, parts) : null;
  // What a link points at is a place of its own, not where somebody was reading.
  requestAnimationFrame(() => setTimeout(() => (current = wanted.kind ? null : wanted.section)));
  if (!found) {
    if (wanted.kind && wanted.kind !== "file") document.getElementById("heading").after(el("p.note", "What this address points at is not in this report."));
    scrollTo(0, wanted.kind ? 0 : positions.get(wanted.section) || 0);
    return;
  }
  found.classList.add("target");
  if (found.tagName === "DETAILS") found.open = true;
  // Places that were never drawn have a guessed height, so the second look is the better one.
  found.scrollIntoView({ block: "center" });
  requestAnimationFrame(() => found.scrollIntoView({ block: "center" }));
}

/* Light and dark */

const theme = {
  stored() {
    try {
      return localStorage.getItem("testsmith-theme");
    } catch {
      return null;
    }
  },
  isDark: () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark",
  draw() {
    const button = document.getElementById("theme");
    button.textContent = theme.isDark() ? "☀" : "☾";
    button.title = button.ariaLabel = theme.isDark() ? "Light colours" : "Dark colours";
  },
  toggle() {
    const next = theme.isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("testsmith-theme", next);
    } catch {
      // Then it is forgotten.
    }
    theme.draw();
  },
};
if (theme.stored()) document.documentElement.dataset.theme = theme.stored();
document.getElementById("theme").addEventListener("click", theme.toggle);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.draw);
theme.draw();

addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  const search = document.querySelector("input[type=search]");
  if (search) {
    event.preventDefault();
    search.focus();
  }
});
show();
