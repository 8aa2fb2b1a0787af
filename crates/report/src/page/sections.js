// The sections: each makes its element when it is first shown.

const VIEW_WORDS = {
  mutants: { short: "Package’s tests", long: "the package’s own tests" },
  run: { short: "Written tests", long: "the tests that Testsmith wrote" },
};

/** Mutants that count: those that could be killed. */
const isCounted = (it) => ["killed", "survived", "unreached"].includes(it.status);
const number = (list, status) => list.filter((it) => it.status === status).length;

/** The share of mutants that are killed, or null. */
function score(view) {
  if (!view) return null;
  const counted = view.mutants.filter(isCounted).length;
  if (typeof view.score === "number") return view.score;
  return counted ? number(view.mutants, "killed") / counted : null;
}

/** Every file with what is known of it, those with most survivors first. */
function files(view) {
  if (view.files) return view.files;
  const files = new Map();
  const of = (path) => {
    if (!files.has(path)) files.set(path, { path, covered: [], uncovered: [], branches: [], mutants: [] });
    return files.get(path);
  };
  Object.keys(view.sources).forEach(of);
  if (view.coverage) {
    for (const [path, lines] of Object.entries(view.coverage.covered)) of(path).covered = lines;
    for (const [path, lines] of Object.entries(view.coverage.uncovered)) of(path).uncovered = lines;
  }
  for (const it of view.branches) of(it.file).branches.push(it);
  for (const it of view.mutants) of(it.file).mutants.push(it);
  return (view.files = [...files.values()].sort((a, b) =>
    number(b.mutants, "survived") - number(a.mutants, "survived") || a.path.localeCompare(b.path)));
}

const statusShares = (mutants, label) =>
  shares(["killed", "survived", "unreached", "pending"].map((it) => [it, number(mutants, it)]), label);

/* Overview */

function figure(title, big, small, bar, href) {
  const inside = [el("h3", title), el("p.big", big), bar, el("p.small", small)];
  return href ? el("a.figure", { href }, inside) : el("div.figure", inside);
}

function overview(view) {
  const out = el("div");
  const run = data.run;
  const figures = el("div.figures");
  for (const it of data.views) {
    const share = score(it);
    if (share === null) continue;
    const { mutants } = it;
    figures.append(figure(data.views.length > 1 ? `Mutants killed · ${VIEW_WORDS[it.key].short}` : "Mutants killed", percent(share, 1),
      `${count(number(mutants, "killed"))} killed, ${count(number(mutants, "survived"))} survived, ${count(number(mutants, "unreached"))} unreached`,
      statusShares(mutants, "mutants"), `#survivors`));
  }
  if (view && view.coverage) {
    const { lines, lines_covered, branches, branches_taken } = view.coverage;
    figures.append(figure("Lines covered", percent(lines_covered, lines), `${count(lines_covered)} of ${count(lines)}`, meter(lines_covered, lines, "covered"), "#files"));
    figures.append(figure("Branches taken", percent(branches_taken, branches), `${count(branches_taken)} of ${count(branches)} sides`, meter(branches_taken, branches, "taken"), "#files"));
  }
  if (data.callables) {
    const counted = data.callables.filter((it) => it.counted && it.reason !== "left out on request");
    const reached = number(counted, run ? "reached" : "modelled");
    figures.append(figure(run ? "Public functions reached" : "Public functions with an instance", percent(reached, counted.length),
      `${count(reached)} of ${count(counted.length)}`, meter(reached, counted.length, "reached"), "#callables"));
  }
  if (run) {
    const suspicious = run.failures.filter((it) => it.verdict === "suspicious").length;
    figures.append(figure("Suspicious failures", count(suspicious), `${plural(run.failures.length, "cause")} of failure in all`, null, "#failures"));
    const tests = (data.views.find((it) => it.key === "run") || { tests: [] }).tests;
    const assertions = tests.reduce((sum, it) => sum + (it.n_assertions || 0), 0);
    figures.append(figure("Tests written", count(tests.length), `${count(assertions)} assertions, after ${count(run.calls)} calls`, null, "#tests"));
  }
  if (!figures.children.length) {
    out.append(nothing("There are no figures yet.", "cargo testsmith"));
  }
  out.append(figures);
  const interrupted = data.views.filter((it) => it.interrupted).map((it) => VIEW_WORDS[it.key].long);
  if (interrupted.length) out.append(el("p.note", `Interrupted: what is said by ${interrupted.join(" and ")} is what was known by then.`));
  if (view && view.mutants.length) {
    const survivors = view.mutants.filter((it) => it.status === "survived");
    if (survivors.length) {
      out.append(el("h2", survivors[0].impact ? "Look at these first" : "Survivors"), el("p.lead", `The ${survivors.length > 3 ? "first three of " : ""}${plural(survivors.length, "mutant")} that survive ${VIEW_WORDS[view.key].long}.`));
      survivors.slice(0, 3).forEach((it) => out.append(mutantCard(view, it, true)));
      out.append(el("p", el("a", { href: "#survivors" }, "All survivors")));
    }
    out.append(el("h2", "By file"), fileTable(view), el("h2", "By kind of change"), operatorTable(view));
  }
  out.append(...details(view));
  return out;
}

function fileTable(view) {
  const row = (it) => {
    const counted = it.mutants.filter(isCounted);
    const lines = it.covered.length + it.uncovered.length;
    const cell = (label, part, whole, bar) => el("td", { "data-label": label }, whole ? [el("span.num", percent(part, whole)), bar] : el("span.dim", "–"));
    return el("tr",
      el("th", { scope: "row" }, el("a", { href: link("file", view.key, it.path) }, it.path)),
      cell("Lines", it.covered.length, lines, meter(it.covered.length, lines, "lines covered")),
      cell("Branches", it.branches.filter((b) => b.taken).length, it.branches.length, meter(it.branches.filter((b) => b.taken).length, it.branches.length, "branches taken")),
      cell("Mutants", number(counted, "killed"), counted.length, statusShares(counted, "mutants")),
      el("td.num", count(number(counted, "survived"))));
  };
  return el("div.scroll.by-file", { tabindex: "0" }, el("table",
    el("thead", el("tr", ["File", "Lines", "Branches", "Mutants killed", "Survivors"].map((it) => el("th", { scope: "col" }, it)))),
    el("tbody", files(view).map(row))));
}

function operatorTable(view) {
  const operators = [...byCount(view.mutants.filter(isCounted), (it) => it.operator)].sort((a, b) => b[1] - a[1]);
  return el("div.scroll", { tabindex: "0" }, el("table",
    el("thead", el("tr", ["Operator", "Mutants", "Killed", ""].map((it) => el("th", { scope: "col" }, it)))),
    el("tbody", operators.map(([operator, n]) => {
      const mutants = view.mutants.filter((it) => it.operator === operator && isCounted(it));
      return el("tr", el("th", { scope: "row" }, operator), el("td.num", count(n)),
        el("td.num", percent(number(mutants, "killed"), n)), el("td.wide", statusShares(mutants, operator)));
    }))));
}

/** What is for those who want to know everything. */
function details(view) {
  const out = [];
  const run = data.run;
  const table = (head, rows) => el("div.scroll", { tabindex: "0" }, el("table",
    el("thead", el("tr", head.map((it) => el("th", { scope: "col" }, it)))), el("tbody", rows)));
  const times = data.views.filter((it) => Object.keys(it.seconds).length);
  if (times.length) {
    out.push(el("details", el("summary", "Where the time went"), times.map((it) => [
      el("h4", it.key === "run" ? "cargo testsmith" : "cargo testsmith mutants"),
      table(["Stage", "Time"], Object.entries(it.seconds).map(([stage, n]) => el("tr", el("th", { scope: "row" }, stage), el("td.num", seconds(n))))),
    ]).flat()));
  }
  if (run && run.dropped.length) {
    out.push(el("details", el("summary", "What was left out of the run, and why"),
      table(["What", "How often", "Why"], run.dropped.map((it) => el("tr", el("th", { scope: "row" }, it.what), el("td.num", count(it.count)), el("td.text", it.reason))))));
  }
  const leftOut = view && view.left_out ? Object.entries(view.left_out) : [];
  if (leftOut.length) {
    out.push(el("details", el("summary", "Where no mutant was made, and why"),
      table(["How often", "Why"], leftOut.map(([why, n]) => el("tr", el("td.num", count(n)), el("td.text", why))))));
  }
  return out.length ? [el("h2", "Details"), ...out] : [];
}

/* Survivors */

function testLinks(view, indices, total) {
  const items = indices.map((i) => el("li", el("a", { href: link("test", view.key, view.names[i]) }, view.names[i])));
  if (total > indices.length) items.push(el("li.dim", `and ${count(total - indices.length)} more`));
  return el("ul.tests", items);
}

const shortened = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? line.slice(0, 57) + "…" : line;
};

function mutantCard(view, mutant, isBrief) {
  const self = link("mutant", view.key, mutant.key);
  const place = `${mutant.file}:${mutant.line}`;
  const what = [mutant.original ? el("code", shortened(mutant.original)) : "nothing", " → ", mutant.replacement ? el("code", shortened(mutant.replacement)) : "nothing"];
  const card = el("article.card", { id: isBrief ? null : `mutant-${view.key}-${mutant.key}`, "data-status": mutant.status },
    el("header", tag(mutant.status, STATUS_WORDS[mutant.status]), el("h3", el("a.self", { href: self }, what)), el("span.op", mutant.operator)),
    el("p.where", el("a", { href: link("file", view.key, place) }, place), " in ", el("code", mutant.function)),
    diff(view, mutant));
  const impact = mutant.impact;
  if (impact) {
    const ways = impact.functions ? `${plural(impact.functions, "function")} went another way (${plural(impact.regions, "place")})` : "";
    const values = impact.values ? `${plural(impact.values, "function")} returned something else` : "";
    const parts = [ways, values].filter((it) => it);
    card.append(el("p.impact", parts.length ? `While tests ran, ${parts.join(", and ")}: what they do not check.` : "While tests ran, nothing went another way, and nothing else was seen to be returned."));
  }
  if (STOP_WORDS[mutant.stop]) card.append(el("p.impact", STOP_WORDS[mutant.stop]));
  if (mutant.reason) card.append(el("p.reason", mutant.reason));
  const killers = mutant.killed_by || [];
  const reaching = mutant.reached_by || [];
  if (killers.length) {
    card.append(el("details", el("summary", `Killed by ${plural(killers.length, "test")}`, mutant.how && mutant.how !== "failed" ? ` (${mutant.how})` : ""), testLinks(view, killers, killers.length)));
  }
  if (reaching.length) {
    card.append(el("details", { open: !isBrief && mutant.status === "survived" && mutant.n_reached_by <= 4 },
      el("summary", `Reached by ${plural(mutant.n_reached_by, "test")}`), testLinks(view, reaching, mutant.n_reached_by)));
  }
  return card;
}

function survivors(view) {
  if (!view || !view.mutants.length) {
    return { element: nothing("No mutants are known: small changes of the code that tests should notice.", "cargo testsmith mutants") };
  }
  const hasSurvivors = view.mutants.some((it) => it.status === "survived");
  const out = el("div");
  if (!hasSurvivors && view.mutants.some((it) => it.status === "killed")) out.append(el("p.good", `No mutant that ${VIEW_WORDS[view.key].long} reach survives.`));
  const parts = filtered({
    name: "survivors", unit: "mutant", items: view.mutants,
    text: (it) => `${it.name} ${it.file}:${it.line} ${it.function} ${it.operator} ${it.original} ${it.replacement}`,
    chips: [{ key: (it) => it.status, order: STATUSES, words: STATUS_WORDS, chosen: hasSurvivors ? ["survived"] : [] }],
    choices: [{ key: (it) => it.operator, label: "operator" }, { key: (it) => it.file, label: "file" }],
    make: (it) => mutantCard(view, it),
  });
  out.append(parts.element);
  return { ...parts, element: out };
}

/* Files */

function sourceView(view, file) {
  const source = sourceLines(view, file.path);
  if (!source) return el("p.empty", "The record has no source of this file.");
  const covered = new Set(file.covered);
  const uncovered = new Set(file.uncovered);
  const group = (list) => list.reduce((map, it) => map.set(it.line, [...(map.get(it.line) || []), it]), new Map());
  const branches = group(file.branches);
  const mutants = group(file.mutants.filter((it) => it.status !== "unviable"));
  const n = source.plain[source.plain.length - 1] === "" ? source.plain.length - 1 : source.plain.length;
  const line = (i) => {
    const number = i + 1;
    const here = mutants.get(number) || [];
    const sides = branches.get(number) || [];
    const missed = sides.filter((it) => !it.taken);
    const state = covered.has(number) ? "cov" : uncovered.has(number) ? "unc" : "";
    const worst = STATUSES.find((status) => here.some((it) => it.status === status));
    const marker = here.length
      ? el("button.mk", { type: "button", class: "mk is-" + worst, "aria-expanded": "false", title: [...byCount(here, (it) => it.status)].map(([status, n]) => `${n} ${status}`).join(", "),
        "aria-label": `${plural(here.length, "mutant")} at line ${number}` }, here.length)
      : "";
    const branch = sides.length
      ? el("span.br", { class: "br " + (missed.length === sides.length ? "none" : missed.length ? "some" : "all"),
        title: sides.map((it) => `${it.kind}: ${it.taken ? "taken" : "not taken"}`).join("\n") }, `${sides.length - missed.length}/${sides.length}`)
      : "";
    const row = el("div.line", { class: "line " + state, id: `line-${view.key}-${file.path}-${number}` },
      el("a.no", { href: link("file", view.key, `${file.path}:${number}`), title: state === "cov" ? "a test goes through it" : state === "unc" ? "no test goes through it" : null }, number),
      el("span.bcell", branch), el("span.mcell", marker), el("span.src", coloured(source.lines[i])));
    if (here.length) {
      marker.addEventListener("click", () => {
        const isOpen = marker.getAttribute("aria-expanded") === "true";
        marker.setAttribute("aria-expanded", !isOpen);
        if (isOpen) row.nextSibling.remove();
        else row.after(el("div.inline", here.map((it) => el("div.mini",
          tag(it.status), el("a", { href: link("mutant", view.key, it.key) },
            el("code", shortened(it.original) || "nothing"), " → ", el("code", shortened(it.replacement) || "nothing")), el("span.op", it.operator)))));
      });
    }
    return row;
  };
  const body = el("div.source", { tabindex: "0", role: "region", "aria-label": file.path });
  const inner = el("div.lines");
  body.append(inner);
  const BLOCK = 80;
  let from = 0;
  const block = () => {
    const part = el("div.block", { style: `contain-intrinsic-size:auto ${Math.min(BLOCK, n - from) * 20}px` });
    for (const end = Math.min(n, from + BLOCK); from < end; from++) part.append(line(from));
    inner.append(part);
  };
  const more = () => {
    if (from < n) {
      block();
      setTimeout(more);
    }
  };
  block();
  setTimeout(more);
  /** Makes everything up to a line. */
  body.upTo = (number) => {
    while (from < n && from < number + BLOCK) block();
  };
  return body;
}

function fileSection(view) {
  if (!view || !files(view).length) {
    return { element: nothing("No sources are known.", "cargo testsmith mutants"), open: () => null, list() {} };
  }
  const shown = el("div", { id: "file" });
  const choice = el("select", { "aria-label": "File", id: "file-choice" }, files(view).map((it) => {
    const n = number(it.mutants, "survived");
    return el("option", { value: it.path }, n ? `${it.path} (${plural(n, "survivor")})` : it.path);
  }));
  choice.addEventListener("change", () => (location.hash = link("file", view.key, choice.value)));
  let current = null;
  let body = null;
  function open(path, lineNumber) {
    const file = files(view).find((it) => it.path === path) || files(view)[0];
    if (current !== file) {
      current = file;
      choice.value = file.path;
      const counted = file.mutants.filter(isCounted);
      const lines = file.covered.length + file.uncovered.length;
      body = sourceView(view, file);
      shown.replaceChildren(
        el("p.summary", [
          lines ? `${percent(file.covered.length, lines)} of ${plural(lines, "line")} covered` : null,
          file.branches.length ? `${percent(file.branches.filter((it) => it.taken).length, file.branches.length)} of ${plural(file.branches.length, "side")} of branches taken` : null,
          counted.length ? `${percent(number(counted, "killed"), counted.length)} of ${plural(counted.length, "mutant")} killed` : null,
        ].filter(Boolean).join(" · ")), body);
    }
    if (lineNumber && body.upTo) {
      body.upTo(lineNumber);
      const row = document.getElementById(`line-${view.key}-${file.path}-${lineNumber}`);
      const marker = row && row.querySelector(".mk[aria-expanded=false]");
      if (marker) marker.click();
      return row;
    }
    return null;
  }
  const legend = el("p.legend",
    el("span.key", el("i.cov"), "covered"), el("span.key", el("i.unc"), "not covered"),
    el("span.key", el("span.br.some", "1/2"), "sides of branches taken"),
    el("span.key", el("span.mk.is-survived", "3"), "mutants, press to list"));
  const one = el("div", { hidden: true }, el("div.filters", el("a.back", { href: "#files" }, "← All files"), choice), legend, shown);
  const all = el("div", fileTable(view));
  /** The list, or one of them. */
  const turn = (isOne) => {
    one.hidden = !isOne;
    all.hidden = isOne;
  };
  return {
    element: el("div", all, one),
    list: () => turn(false),
    open: (path, lineNumber) => {
      turn(true);
      return open(path, lineNumber);
    },
  };
}

/* Callables */

function callables() {
  if (!data.callables) return { element: nothing("No callables are known.", "cargo testsmith") };
  const items = [...data.callables];
  const order = { skipped: 0, modelled: 1, reached: 2 };
  items.sort((a, b) => b.counted - a.counted || order[a.status] - order[b.status]);
  return filtered({
    name: "callables", unit: "callable", items,
    text: (it) => `${it.path} ${it.reason || ""} ${it.instances.join(" ")}`,
    chips: [
      { key: (it) => it.status, order: ["reached", "modelled", "skipped"], words: { reached: "a call returned", modelled: "it has instances, and no call returned", skipped: "it has no instance" } },
      { key: (it) => (it.counted ? "counted" : "not counted"), words: { counted: "functions and methods that reach is measured on" }, chosen: items.some((it) => it.counted) ? ["counted"] : [] },
    ],
    make: (it) => {
      const more = [];
      if (it.reason) more.push(el("p.reason", it.reason));
      if (it.safety) more.push(el("p", el("strong", "Safety: "), it.safety));
      if (it.touches) more.push(el("p", "Reaches for ", it.touches.join(", ")));
      if (it.instances.length) more.push(el("ul.tests", it.instances.map((instance) => el("li", el("code", instance)))));
      return el("details.item", { id: "callable-" + it.path },
        el("summary", tag(it.status), el("a.self", { href: link("callable", it.path), title: "Link to this" }, el("code", it.path)),
          el("span.end", it.calls ? plural(it.calls, "call") : it.reason ? shortened(it.reason) : "")),
        more.length ? more : el("p.dim", "Nothing more is known."));
    },
  });
}

/* Failures */

function failures() {
  if (!data.run) return { element: nothing("No failures are known: nothing was explored yet.", "cargo testsmith") };
  const items = data.run.failures;
  if (!items.length) return { element: el("p.good", "No call of the public API failed.") };
  return filtered({
    name: "failures", unit: "cause", items,
    text: (it) => `${it.name} ${it.operation} ${it.message} ${it.reason} ${it.file} ${it.kind}`,
    chips: [
      { key: (it) => it.verdict, order: ["suspicious", "precondition", "documented"], words: { suspicious: "it looks like a bug", precondition: "the caller could have known", documented: "the documentation says so" } },
      { key: (it) => it.kind },
    ],
    make: (it) => {
      const card = el("article.card", { id: "failure-" + it.name, "data-status": it.verdict },
        el("header", tag(it.verdict), el("h3", el("a.self", { href: link("failure", it.name) }, el("code", it.operation))), el("span.op", it.kind)));
      if (it.message) card.append(el("p.message", it.message));
      const view = data.views.find((view) => view.key === "run");
      const place = `${it.file}:${it.line}`;
      if (it.file) card.append(el("p.where", "raised at ", view && it.file in view.sources ? el("a", { href: link("file", "run", place) }, place) : place));
      card.append(el("p.reason", it.reason));
      if (it.text) card.append(code(it.text));
      else if (it.program) card.append(el("pre.code", { tabindex: "0" }, it.program));
      if (it.test) card.append(el("p.where", "shown by ", el("a", { href: link("test", "run", it.test) }, it.test)));
      if (it.others.length) card.append(el("details", el("summary", `${plural(it.others.length, "other callable")} ${it.others.length === 1 ? "fails" : "fail"} so`), el("ul.tests", it.others.map((other) => el("li", el("code", other))))));
      if (it.verdict === "suspicious") card.append(el("p.dim.small", "To accept it, add ", el("code", it.name), " to ", el("code", "accept"), " in testsmith.toml."));
      return card;
    },
  });
}

/* Tests */

function tests() {
  const items = data.views.flatMap((view) => view.tests.map((test) => ({ view, test })));
  if (!items.length) return { element: nothing("No tests are known.", "cargo testsmith") };
  return filtered({
    name: "tests", unit: "test", items,
    text: ({ test }) => `${test.name} ${test.file || ""} ${test.target || ""} ${test.text || ""}`,
    chips: [
      { key: ({ view }) => (view.key === "run" ? "written" : "package’s") },
      { key: ({ test }) => test.kind || test.status || "unknown" },
    ],
    choices: [{ key: ({ test }) => test.file || test.target || "unknown", label: "place" }],
    make: ({ view, test }) => {
      const facts = [
        test.file ? (test.line ? `${test.file}:${test.line}` : test.file) : test.target,
        test.n_calls !== undefined ? plural(test.n_calls, "call") : null,
        test.n_assertions !== undefined ? plural(test.n_assertions, "assertion") : null,
        test.seconds !== undefined ? seconds(test.seconds) : null,
      ].filter(Boolean);
      const item = el("details.item", { id: `test-${view.key}-${test.name}` },
        el("summary", tag(test.kind || test.status || "unknown"), el("a.self", { href: link("test", view.key, test.name), title: "Link to this" }, el("code", test.name)),
          el("span.end", `kills ${count(test.kills)}`)));
      item.addEventListener("toggle", () => {
        if (item.querySelector(".more")) return;
        const kills = view.mutants.filter((it) => (it.killed_by || []).some((i) => view.names[i] === test.name));
        item.append(el("div.more",
          el("p.where", facts.join(" · ")), test.reason && el("p.reason", test.reason), test.text && code(test.text),
          kills.length ? el("details", el("summary", `Kills ${plural(kills.length, "mutant")}`), el("ul.tests", kills.slice(0, 200).map((it) =>
            el("li", el("a", { href: link("mutant", view.key, it.key) }, `${it.file}:${it.line} `, el("code", shortened(it.original) || "nothing"), " → ", el("code", shortened(it.replacement) || "nothing")))),
          kills.length > 200 && el("li.dim", `and ${count(kills.length - 200)} more`))) : null));
      });
      return item;
    },
  });
}

/* States */

function states() {
  if (!data.states.length) return nothing("No states of a type were drawn.", "cargo testsmith states TYPE");
  const base64 = (text) => btoa(Array.from(new TextEncoder().encode(text), (it) => String.fromCharCode(it)).join(""));
  return el("div", data.states.map((it) => {
    const name = (i) => (it.states[i] && it.states[i].is.length ? it.states[i].is.join(", ") : "any");
    return el("section.card", { id: "type-" + it.type },
      el("header", el("h3", el("a.self", { href: link("type", it.type) }, el("code", it.type))), el("span.op", `${plural(it.states.length, "state")}, ${plural(it.values, "value")}, ${plural(it.calls, "call")}`)),
      it.note && el("p.note", it.note),
      it.drawing && el("div.picture", { tabindex: "0" }, el("img", { src: "data:image/svg+xml;base64," + base64(it.drawing), alt: `The states of ${it.type}; the list below says the same` })),
      el("div.states", it.states.map((state, i) => el("details",
        el("summary", el("span.n", i + 1), " ", name(i), el("span.dim", ` ${plural(state.values, "value")}`)),
        el("ul.plain",
          it.transitions.filter((t) => t.from === null && t.to === i).map((t) => el("li", "made by ", el("code", t.calls.join(", ")))),
          it.transitions.filter((t) => t.from === i).map((t) => el("li", t.to === i ? "stays with " : `goes to ${name(t.to)} with `, el("code", t.calls.join(", ")))),
          state.panics.length ? el("li", "always panics: ", el("code", state.panics.join(", "))) : null,
          state.may_panic.length ? el("li", "may panic: ", el("code", state.may_panic.join(", "))) : null,
          state.also.length ? el("li.dim", "also: ", state.also.join(", ")) : null)))));
  }));
}
