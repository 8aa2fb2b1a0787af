"""What scripts make of Rust's text: the items of a file, and the names that a use declaration brings in.

By words and brackets, without macros: what a macro makes is not seen.
"""

import re
from dataclasses import dataclass

PIECE = re.compile(
    r"""
    (?P<line>//[^\n]*)
  | (?P<block>/\*)
  | (?P<raw>\b(?:br|cr|r)(?P<hashes>\#*)")
  | (?P<text>\b[bc]"(?:[^"\\]|\\.)*"|"(?:[^"\\]|\\.)*")
  | (?P<char>\bb'(?:[^'\\\n]|\\.)+?'|'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.))')
  | (?P<kept>'?\w+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
CLOSING = {"(": ")", "[": "]", "{": "}"}
HEAD = re.compile(
    r"(?:pub(?:\s*\([^)]*\))?\s+)?(?:default\s+)?(?:(?:const|async|unsafe|extern)\s+)*"
    r"(?:(?P<kind>fn|mod|struct|enum|union|trait|impl|use|type|static|const|extern\s+crate)\b"
    r"|(?P<macro>macro_rules)\s*!)\s*(?:mut\s+)?(?P<name>\w+)?"
)
CALL = re.compile(r"[\w:]+\s*!\s*(?:\w+\s*)?(?=[({\[])")
# These end with a semicolon, whatever brackets they have.
DECLARATIONS = {"use", "type", "static", "const", "extern crate"}


def blanked(text):
    """The text with spaces for comments and literals; lines and columns stay."""
    return "".join(piece if kind == "kept" else spaces(piece) for kind, piece in pieces(text))


def uncommented(text):
    """The text with spaces for comments; lines and columns stay."""
    comments = ("line", "block")
    return "".join(spaces(piece) if kind in comments else piece for kind, piece in pieces(text))


def spaces(text):
    return re.sub(r"[^\n]", " ", text)


def pieces(text):
    """Comments, literals and what is between them, each with its kind."""
    at = 0
    while at < len(text):
        match = PIECE.match(text, at)
        kind, end = match.lastgroup, match.end()
        if kind == "block":
            end = end_of_comment(text, at)
        elif match["raw"]:
            closing = '"' + match["hashes"]
            found = text.find(closing, end)
            end = len(text) if found < 0 else found + len(closing)
            kind = "raw"
        yield kind, text[at:end]
        at = end


def end_of_comment(text, at):
    """Block comments nest."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def group_end(blank, at):
    """The index behind the group that opens at `at`."""
    depth = 0
    for index in range(at, len(blank)):
        if blank[index] in CLOSING:
            depth += 1
        elif blank[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index + 1
    return len(blank)


@dataclass
class Item:
    """An item with its attributes and the comments right above it."""

    kind: str
    name: str
    attributes: list
    text: str
    # The same without comments and literals.
    blank: str
    # What is between its braces starts and ends there, in the file; 0 and 0 if it has none.
    inside: tuple

    @property
    def is_test(self):
        """A plain test that cargo runs."""
        plain = [re.sub(r"\s", "", it) for it in self.attributes]
        return self.kind == "fn" and "#[test]" in plain and not self.has("ignore")

    def has(self, attribute):
        return any(re.match(rf"#\[\s*{attribute}\b", it) for it in self.attributes)

    @property
    def is_for_tests(self):
        return any(re.match(r"#\[\s*cfg\s*\(\s*(all\s*\(\s*)?test\b", it) for it in self.attributes)

    @property
    def words(self):
        return set(re.findall(r"\w+", self.blank))


def items(text, start=0, end=None, blank=None):
    """The items of a file, or of what is inside of one of its modules."""
    blank = blanked(text) if blank is None else blank
    end = len(text) if end is None else end
    found, at, last = [], start, start
    while at < end:
        if blank[at].isspace() or blank[at] == ";":
            at += 1
            continue
        first, attributes = at, []
        while match := re.compile(r"#(!?)\s*\[").match(blank, at, end):
            after = group_end(blank, match.end() - 1)
            if match[1]:
                # It is about what surrounds it.
                first = last = after
            else:
                attributes.append(text[at:after])
            at = skip_space(blank, after, end)
        if at >= end:
            break
        one = read_item(text, blank, at, end)
        if one is None:
            at += 1
            continue
        kind, name, after, inside = one
        begin = first_comment(text, last, first)
        whole = (text[begin:after].strip("\n"), blank[begin:after])
        found.append(Item(kind, name, attributes, *whole, inside))
        at = last = after
    return found


def skip_space(blank, at, end):
    while at < end and blank[at].isspace():
        at += 1
    return at


def first_comment(text, last, first):
    """Where the comments begin that stand right above an item."""
    above = text[last:first].rstrip(" \t")
    lines = above.split("\n")
    # The last piece is what stands before the item on its line; the first is behind the item before.
    n_lines = 0
    for line in reversed(lines[1:-1]):
        if not line.strip():
            break
        n_lines += 1
    return first - len("\n".join(lines[len(lines) - 1 - n_lines :])) if n_lines else first


def read_item(text, blank, at, end):
    """Kind, name, where it ends, and what its braces surround."""
    head = HEAD.match(blank, at, end)
    if head:
        kind = re.sub(r"\s+", " ", head["kind"]) if head["kind"] else "macro"
        index = head.end()
        while index < end:
            char = blank[index]
            if char == ";":
                return kind, head["name"], index + 1, (0, 0)
            if char == "{" and kind not in DECLARATIONS:
                after = group_end(blank, index)
                return kind, head["name"], after, (index + 1, after - 1)
            index = group_end(blank, index) if char in CLOSING else index + 1
        return kind, head["name"], end, (0, 0)
    call = CALL.match(blank, at, end)
    if call:
        after = group_end(blank, call.end())
        return "call", None, after + (blank[after : after + 1] == ";"), (0, 0)
    return None


def leaves(declaration):
    """The paths of a use declaration, each with its `as`: `use a::{b, c as d};` has `a::b` and `a::c as d`."""
    tree = re.sub(r"\s+", " ", blanked(declaration))
    tree = re.sub(r"^.*?\buse\b", "", re.sub(r"#\[[^\]]*\]", "", tree)).strip().rstrip(";")
    found = []

    def walk(tree, before):
        tree = tree.strip()
        if "{" not in tree:
            path = before + tree
            path = re.sub(r"::self\b", "", path)
            if tree:
                found.append(re.sub(r"\s*::\s*", "::", path))
            return
        head, _, rest = tree.partition("{")
        inside = rest[: rest.rindex("}")]
        for part in split_commas(inside):
            walk(part, before + head.strip())

    walk(tree, "")
    return [leaf.removeprefix("::") for leaf in found]


def split_commas(text):
    parts, depth, last = [], 0, 0
    for index, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(text[last:index])
            last = index + 1
    return [*parts, text[last:]]


def name_of(leaf):
    """What a leaf is called where it is used."""
    return re.split(r"\s+as\s+|::", leaf)[-1].strip()


def joined(all_leaves):
    """Use declarations for leaves, one for each path that some have in common."""
    groups = {}
    for leaf in sorted(set(all_leaves)):
        parent, _, name = leaf.rpartition("::")
        if " as " in leaf:
            parent, _, name = leaf.partition(" as ")[0].rpartition("::")
            name += " as " + leaf.partition(" as ")[2]
        groups.setdefault(parent, []).append(name)
    lines = []
    for parent, names in groups.items():
        before = f"{parent}::" if parent else ""
        tree = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
        lines.append(f"use {before}{tree};")
    return lines
