"""What a reader is shown of a test: its text with what it needs, and what the documentation says of what it calls.

`scripts/judge-readers` draws and numbers the tests. Nothing here tells tests by people from written ones: both go
the same way.
"""

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import judging
import rust_text
from judging import Trouble

# More documentation than this is not read.
MAX_DOCUMENTED, MAX_DOC = 8, 700
MAX_ROUNDS = 12
# Methods that are std's unless a type that has them stands in the test.
COMMON = set("clone collect count filter get into is_empty is_err is_none is_ok is_some iter len map next".split())


@dataclass
class Shown:
    """A test with all that it needs of the file it is in."""

    name: str
    # Where it is, relative to the package.
    file: str
    # Paths that it needs in use declarations.
    leaves: list
    helpers: list
    text: str
    # Names of the macros, traits and the like that stand in it.
    words: set = field(default_factory=set)

    def module(self):
        """A module that compiles if nothing else is needed; its first lines are the leaves."""
        lines = [f"use {leaf};" for leaf in self.leaves]
        return "\n".join([*lines, *self.helpers, self.text]) + "\n"

    def code(self):
        """What is shown, as rustfmt prints it."""
        parts = ["\n".join(rust_text.joined(self.leaves)), *self.helpers, self.text]
        return formatted("\n\n".join(part for part in parts if part))


def formatted(code):
    """What rustfmt makes of it; `None` if it makes nothing of it."""
    command = ["rustfmt", "--edition", "2021", "--emit", "stdout"]
    env = judging.environment()
    done = subprocess.run(command, input=code, capture_output=True, text=True, env=env)
    return done.stdout if done.returncode == 0 else None


class Docs:
    """What rustdoc knows of a crate: its public names, and what stands above its items."""

    def __init__(self, package):
        # Dependencies whose items the crate publishes have theirs beside it.
        found = sorted(package.glob(f"target/testsmith/*/target/doc/{krate_of(package)}.json"))
        if len(found) != 1:
            raise Trouble(f"rustdoc left {len(found)} files of JSON, not one")
        known = json.loads(found[0].read_text())
        self.index = known["index"]
        self.package = package
        self.krate = self.index[str(known["root"])]["name"]
        # Public path and item by name, the shortest path of several.
        self.public = {}
        self.walk(known["root"], [self.krate], set())
        self.functions = list(self.all_functions())

    def walk(self, module, path, seen):
        if module in seen:
            return
        seen = seen | {module}
        for inner in self.index[str(module)]["inner"]["module"]["items"]:
            item = self.index.get(str(inner))
            if item is None or item["visibility"] != "public" and "macro" not in item["inner"]:
                continue
            [(kind, value)] = item["inner"].items()
            name = item["name"]
            if kind == "use":
                target = self.index.get(str(value["id"]))
                if target is None:
                    continue
                if value["is_glob"]:
                    if "module" in target["inner"]:
                        self.walk(target["id"], path, seen)
                    continue
                item, name = target, value["name"]
                [(kind, value)] = item["inner"].items()
            if kind == "module":
                self.walk(item["id"], [*path, name], seen)
            elif name and (name not in self.public or len(path) < len(self.public[name][0])):
                self.public[name] = (path, item)

    def path_of(self, name):
        if name not in self.public:
            return None
        return "::".join([*self.public[name][0], name])

    def all_functions(self):
        """Name, owner (a type, a trait, or none) and item of every function that can be called."""
        for item in self.index.values():
            if item["crate_id"] != 0:
                continue
            [(kind, value)] = item["inner"].items()
            if kind == "impl":
                # A provided or required method is documented with its trait.
                owner = value["for"].get("resolved_path", {}).get("path", "").rpartition("::")[2]
                inner = value["items"]
            elif kind == "trait":
                owner, inner = item["name"], value["items"]
            elif kind == "module":
                owner, inner = None, value["items"]
            else:
                continue
            for function in map(self.index.get, map(str, inner)):
                # What has no place is of an implementation that std makes.
                if function and "function" in function["inner"] and function["span"]:
                    hidden = function["visibility"] not in ("public", "default")
                    if not hidden and (function["docs"] or not value.get("trait")):
                        yield function["name"], owner, function

    def of(self, code):
        """What is said of what a test uses: a title, the signature and the documentation of each."""
        blank = rust_text.blanked(code)
        words = set(re.findall(r"\w+", blank))
        found, seen = [], set()
        for match in re.finditer(r"\b([A-Z]\w*)\b", blank):
            name = match[1]
            if name in seen or name not in self.public:
                continue
            seen.add(name)
            item = self.public[name][1]
            if "type_alias" in item["inner"]:
                whole = item["inner"]["type_alias"]["type"].get("resolved_path", {})
                words.add(whole.get("path", "").rpartition("::")[2])
            if item["docs"] and next(iter(item["inner"])) in ("struct", "enum", "trait", "union"):
                found.append((self.path_of(name), "", short(item["docs"])))
        n_types = len(found)
        for match in re.finditer(r"(?:\b(\w+)\s*::\s*|(\.)\s*)?\b(\w+)\s*(?:::\s*<[^;(]*>)?\(", blank):
            owner, dot, name = match.groups()
            if name in seen:
                continue
            same = [it for it in self.functions if it[0] == name and bool(it[1]) >= bool(dot)]
            exact = [it for it in same if owner and it[1] == owner]
            mentioned = [it for it in same if it[1] in words]
            alone = same if len(same) == 1 and name not in COMMON else []
            chosen = exact or mentioned or alone
            if chosen:
                seen.add(name)
                _, owner, item = chosen[0]
                title = f"{owner}::{name}" if owner else name
                found.append((title, self.signature(item), short(item["docs"])))
        # What is called says more than what it is called on.
        types, functions = found[:n_types], found[n_types:]
        return (types[:3] + functions)[:MAX_DOCUMENTED]

    def signature(self, item):
        """As it stands in the source, if it does."""
        span = item["span"]
        if not span:
            return ""
        path = Path(span["filename"])
        try:
            lines = (path if path.is_absolute() else self.package / path).read_text().splitlines()
        except OSError:
            return ""
        text = "\n".join(lines[span["begin"][0] - 1 : span["end"][0]])
        blank = rust_text.blanked(text)
        start = re.search(rf"\bfn\s+{re.escape(item['name'])}\b", blank)
        if not start:
            return ""
        index = start.end()
        while index < len(blank) and blank[index] not in "{;":
            index = rust_text.group_end(blank, index) if blank[index] in "([" else index + 1
        begin = blank.rfind("\n", 0, start.start()) + 1
        return re.sub(r"\s+", " ", text[begin:index]).strip().removeprefix("pub ")


def short(docs):
    """Its first paragraph, and when it panics."""
    if not docs:
        return "(not documented)"
    first = docs.strip().split("\n\n")[0]
    panics = re.search(r"(?ms)^#+ Panics?\n+(.*?)(?:\n\s*\n|\Z)", docs)
    parts = [first] + ([f"Panics: {panics[1].strip()}"] if panics else [])
    text = "\n\n".join(parts)
    return text if len(text) <= MAX_DOC else text[:MAX_DOC].rstrip() + " .."


@dataclass
class Scope:
    """The items that a test sees by name: those of one module."""

    items: list
    # Is it there for tests only? What is not belongs to the crate, and is not shown as a helper.
    is_for_tests: bool


def people(package, docs):
    """Every plain test by people in a package."""
    found = []
    for path in sorted(package.glob("src/**/*.rs")) + sorted(package.glob("tests/*.rs")):
        file = str(path.relative_to(package))
        if path.name.startswith("testsmith_"):
            continue
        text = path.read_text(errors="replace")
        is_own = file.startswith("tests/") or path.stem in ("tests", "test")
        top = Scope(rust_text.items(text), is_own)
        found += tests_in(text, file, [top], docs, file.startswith("src/"))
    return found


def written(package, docs):
    """Every regression test that testsmith wrote."""
    found, root = [], []
    for path in judging.written_tests(package):
        file = str(path.relative_to(package))
        if not file.startswith(f"tests/{judging.REGRESSION}"):
            continue
        text = path.read_text()
        scope = Scope(rust_text.items(text), True)
        if path.stem == judging.REGRESSION:
            root = [scope]
            found += tests_in(text, file, root, docs, False)
        else:
            found += tests_in(text, file, [scope, *root], docs, False)
    return found


def tests_in(text, file, scopes, docs, is_inside):
    """The tests of the first scope, and those of the modules in it."""
    blank = None
    for item in scopes[0].items:
        # Whether another condition holds is not for us to say.
        if item.is_test and not item.has("cfg"):
            yield shown(item, file, scopes, docs, is_inside)
        elif item.kind == "mod" and item.inside != (0, 0):
            blank = rust_text.blanked(text) if blank is None else blank
            inner = rust_text.items(text, *item.inside, blank)
            is_for_tests = scopes[0].is_for_tests or item.is_for_tests
            yield from tests_in(text, file, [Scope(inner, is_for_tests), *scopes], docs, is_inside)


def shown(test, file, scopes, docs, is_inside):
    """A test with the helpers that it needs, and paths for all names that it may need."""
    own = [it for scope in scopes if scope.is_for_tests for it in scope.items]
    helpers = needed(test, own)
    words = test.words.union(*(it.words for it in helpers))
    by_name = {}
    for scope in scopes:
        for item in scope.items:
            if item.kind == "use":
                for leaf in rust_text.leaves(item.text):
                    for one in outside(leaf, words, docs) if is_inside else [leaf]:
                        by_name.setdefault(unique(one), one)
    if is_inside:
        for leaf in globbed(words, docs):
            by_name.setdefault(unique(leaf), leaf)
    # What a helper defines needs no path, and a glob of what is around a written module is these helpers.
    for item in helpers:
        if item.kind != "impl":
            by_name.pop(item.name, None)
    leaves = [leaf for leaf in by_name.values() if not leaf.startswith(("super::", "self::"))]
    texts = [it.text for it in helpers]
    body = test.text
    if is_inside:
        texts = [named_outside(text, docs) for text in texts]
        body = named_outside(body, docs)
    return Shown(test.name, file, leaves, texts, body, words)


def unique(leaf):
    """Only names clash; several globs, or several `as _`, do not."""
    name = rust_text.name_of(leaf)
    return leaf if name in ("*", "_") else name


def needed(test, own):
    """The helpers that a test needs, in the order of the file."""
    kinds = {"fn", "struct", "enum", "union", "trait", "type", "static", "const", "macro"}
    chosen, words = set(), set(test.words)
    while True:
        more = set()
        for index, item in enumerate(own):
            if index in chosen or item.has("test"):
                continue
            if item.kind in kinds and item.name in words:
                more.add(index)
            elif item.kind == "impl":
                head = set(re.findall(r"\w+", item.blank.partition("{")[0]))
                types = {own[it].name for it in chosen if own[it].kind in ("struct", "enum", "union")}
                if head & types:
                    more.add(index)
        if not more:
            return [own[index] for index in sorted(chosen)]
        chosen |= more
        words = words.union(*(own[index].words for index in more))


def named_outside(text, docs):
    return re.sub(r"(?<![\w$])crate::", f"{docs.krate}::", text)


def outside(leaf, words, docs):
    """Paths by which a test outside of the crate has what it had inside."""
    start = leaf.partition("::")[0]
    if start not in ("crate", "super", "self"):
        return [leaf]
    name = rust_text.name_of(leaf.partition(" as ")[0])
    if name == "*":
        return globbed(words, docs)
    path = docs.path_of(name)
    alias = leaf.partition(" as ")[2]
    if path is None:
        return []
    return [f"{path} as {alias}" if alias else path]


def globbed(words, docs):
    """What a glob of the crate could bring in: public names that are mentioned, and traits with such methods."""
    for name, (_, item) in docs.public.items():
        [(kind, value)] = item["inner"].items()
        methods = value["items"] if kind == "trait" else []
        methods = {docs.index[str(it)]["name"] for it in methods if str(it) in docs.index}
        if name in words or methods & words:
            yield docs.path_of(name)


def compiled(package, target, candidates, name="readers_cards"):
    """Those that compile as tests of the package, with no more paths than they need."""
    directory = package / "tests" / name
    directory.mkdir(parents=True, exist_ok=True)
    left = dict(enumerate(candidates))
    edition = re.search(r'(?m)^edition\s*=\s*"(\d+)"', (package / "Cargo.toml").read_text())
    is_old = edition is None or edition[1] == "2015"
    krate = krate_of(package)
    command = ["cargo", "check", "--test", name, "--message-format=json"]
    env = judging.environment(CARGO_TARGET_DIR=str(target))
    for _ in range(MAX_ROUNDS):
        root = [f"extern crate {krate};"] if is_old else []
        root += [f"mod card_{index};" for index in left]
        (directory / "main.rs").write_text("\n".join(root) + "\nfn main() {}\n")
        for index, one in left.items():
            (directory / f"card_{index}.rs").write_text(one.module())
        done = judging.run(command, cwd=package, accept=None, env=env)
        wrong, unneeded = {}, {}
        for message in judging.messages(done):
            if message["reason"] == "compiler-message" and message["target"]["name"] == name:
                sort(message["message"], wrong, unneeded)
        for index, lines in wrong.items():
            # A path that leads nowhere outside of the crate may not be needed.
            if not forget(left[index], lines):
                left.pop(index)
        if wrong:
            continue
        if done.returncode != 0:
            last = done.stderr.strip().splitlines()[-10:]
            raise Trouble("\n  ".join(["the cards do not compile:", *last]))
        # What is not needed may stand in the body, where the author put it.
        if not any([forget(left[index], lines) for index, lines in unneeded.items()]):
            return list(left.values())
    raise Trouble("the cards do not compile after several rounds")


def forget(one, lines):
    """Takes the paths of these lines out of a test's; answers whether there were any."""
    kept = [it for line, it in enumerate(one.leaves, 1) if line not in lines]
    is_less = len(kept) < len(one.leaves)
    one.leaves = kept
    return is_less


def sort(diagnostic, wrong, unneeded):
    """Which cards a message of rustc is about: what is wrong, or not needed, by line."""
    for span in diagnostic["spans"]:
        while span:
            card = re.search(r"card_(\d+)\.rs$", span["file_name"])
            if card and diagnostic["level"].startswith("error"):
                wrong.setdefault(int(card[1]), set()).add(span["line_start"])
            code = (diagnostic["code"] or {}).get("code")
            if card and diagnostic["level"] == "warning" and code == "unused_imports":
                unneeded.setdefault(int(card[1]), set()).add(span["line_start"])
            # What a macro's definition is blamed for was called from a card.
            span = (span.get("expansion") or {}).get("span")


def krate_of(package):
    """The name of the library, as Rust has it."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    [found] = json.loads(judging.run(command, cwd=package).stdout)["packages"]
    kinds = {"lib", "rlib", "proc-macro"}
    [library] = [it for it in found["targets"] if kinds & set(it["kind"])]
    return library["name"].replace("-", "_")
