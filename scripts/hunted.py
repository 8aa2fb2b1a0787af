"""Scores of mutants by unit, and whether two lists of scores differ."""

import collections
import math
import re


KINDS = ["value", "flag", "comparison", "text"]


def assertions(text):
    """How many assertions there are of each kind; `text` asks for what `Debug` writes."""
    counts = collections.Counter()
    for macro, about in re.findall(r"\b(assert\w*)!\(\s*([^\n]*)", text):
        if about.startswith("format!"):
            counts["text"] += 1
        elif macro == "assert_ne" or macro == "assert" and re.search(r" ([=!<>]=|<|>) ", about):
            counts["comparison"] += 1
        else:
            counts["flag" if macro == "assert" else "value"] += 1
    return counts


def unit(function):
    """The type that a function belongs to, or its module: `a::b::Map<K>::len` and `<Map<K> as Drop>::drop` to `Map`."""
    path = function
    while True:
        shorter = re.sub(r"<[^<>]*>", lambda it: kept(it.group(0)), path)
        if shorter == path:
            break
        path = shorter
    parts = path.split("::")[:-1]
    types = [part for part in parts if part.lstrip("&'")[:1].isupper()]
    return types[-1].strip("& ") if types else "::".join(parts) or "functions"


def kept(generics):
    """What is left of a part in angle brackets: of `<T as Trait>` the type."""
    body = generics[1:-1]
    return body.split(" as ")[0].split("::")[-1] if " as " in body else ""


def share(of, kind):
    of = list(of)
    return sum(kind(it) for it in of) / len(of) if of else 1.0


def scores(mutants):
    """Shares of these mutants: killed by own tests, by written ones, by both together; of own's; where the record agrees."""
    mutants = list(mutants)
    return {
        "own": share(mutants, lambda it: it["own"]),
        "written": share(mutants, lambda it: it["written"]),
        "union": share(mutants, lambda it: it["own"] or it["written"]),
        "of_own": share((it for it in mutants if it["own"]), lambda it: it["written"]),
        "agree": share((it for it in mutants if it["said"] is not None), lambda it: it["said"] == it["written"]),
    }


def by_unit(mutants):
    """The scores of each unit."""
    units = collections.defaultdict(list)
    for it in mutants:
        units[it["unit"]].append(it)
    return {name: scores(of) for name, of in sorted(units.items())}


def mann_whitney(a, b):
    """How likely two such lists are at least as different by chance: two-tailed, by the normal distribution, corrected
    for ties and continuity."""
    values = sorted(a + b)
    n, m = len(a), len(b)
    ranks, ties, at = {}, 0, 0
    while at < len(values):
        end = at
        while end < len(values) and values[end] == values[at]:
            end += 1
        ranks[values[at]] = (at + end + 1) / 2
        ties += (end - at) ** 3 - (end - at)
        at = end
    u = sum(ranks[it] for it in a) - n * (n + 1) / 2
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1))) if total > 1 else 0
    if variance <= 0:
        return 1.0
    z = max(abs(u - n * m / 2) - 0.5, 0) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))
