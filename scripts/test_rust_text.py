"""What is made of Rust's text, and of the answers of readers.

    python3 -m unittest discover --start-directory scripts
"""

import importlib.machinery
import importlib.util
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import reader_cards  # noqa: E402
import rust_text  # noqa: E402


def script(name):
    """A script as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


TESTS = '''\
//! A head.
#![allow(dead_code)]
use crate::inner::Deep;
// Not about the next one.

// Right above.
#[test]
fn first() { let s = "}"; let c = '}'; let t: &'static str = r#"}"#; /* } /* } */ */ helper(); }

fn helper() -> Local { Local }
struct Local;
impl Local { fn used(&self) {} }
fn not_needed() {}

#[test]
#[ignore]
fn ignored() {}

macro_rules! make { () => { #[test] fn made() {} } }
make! { #[test] fn made_too() {} }
#[cfg(test)]
mod tests { use super::*; #[test] #[should_panic(expected = "x")] fn second() { crate::go(Deep) } }
'''


class Items(unittest.TestCase):
    def test_brackets_in_literals_and_comments_do_not_count(self):
        kinds = [(it.kind, it.name) for it in rust_text.items(TESTS)]
        wanted = [("use", "crate"), ("fn", "first"), ("fn", "helper"), ("struct", "Local")]
        wanted += [("impl", "Local"), ("fn", "not_needed"), ("fn", "ignored"), ("macro", "make")]
        self.assertEqual(kinds, [*wanted, ("call", None), ("mod", "tests")])

    def test_a_comment_right_above_belongs_to_an_item(self):
        first = rust_text.items(TESTS)[1]
        self.assertTrue(first.text.startswith("// Right above.\n#[test]\n"))
        self.assertTrue(first.is_test)

    def test_ignored_tests_and_those_that_macros_make_are_none(self):
        names = [it.name for it in rust_text.items(TESTS) if it.is_test]
        self.assertEqual(names, ["first"])

    def test_use_declarations_are_taken_apart_and_joined(self):
        leaves = rust_text.leaves("pub use a::{b, c::{self, d as e}, f::*};")
        self.assertEqual(leaves, ["a::b", "a::c", "a::c::d as e", "a::f::*"])
        lines = ["use a::{b, c};", "use a::c::d as e;", "use a::f::*;"]
        self.assertEqual(rust_text.joined(leaves), lines)


class Cards(unittest.TestCase):
    def shown(self, is_inside):
        """The tests of the text above, in a crate that publishes `Deep` at its root."""
        item = {"inner": {"struct": {}}}
        docs = SimpleNamespace(krate="small", index={}, public={"Deep": (["small"], item)})
        docs.path_of = lambda name: "small::Deep" if name == "Deep" else None
        scope = reader_cards.Scope(rust_text.items(TESTS), not is_inside)
        return {it.name: it for it in reader_cards.tests_in(TESTS, "f.rs", [scope], docs, is_inside)}

    def test_a_test_comes_with_the_helpers_that_it_needs(self):
        helpers = self.shown(False)["first"].helpers
        self.assertEqual([it.partition("{")[0].strip() for it in helpers][1:], ["struct Local;", "impl Local"])
        self.assertNotIn("not_needed", "".join(helpers))

    def test_a_unit_test_names_things_as_somebody_outside_does(self):
        second = self.shown(True)["second"]
        self.assertEqual(second.leaves, ["small::Deep"])
        self.assertIn("small::go(Deep)", second.text)


class Answers(unittest.TestCase):
    def test_answers_are_read_as_people_write_them(self):
        text = "# Mine\n17: merge\n018: Edit, name: nobody says so\n19: no (trivial) shows nothing\n20: no\n"
        wanted = {"17": ("merge", "", ""), "18": ("edit", "name", "nobody says so")}
        wanted |= {"19": ("no", "trivial", "shows nothing"), "20": ("no", "", "")}
        self.assertEqual(script("judge-readers").answers(text), wanted)

    def test_one_of_theirs_is_as_long_as_one_of_ours(self):
        dice = SimpleNamespace(randrange=lambda _: 0)
        cards = [{"code": "x\n" * n, "file": "f", "test": str(n)} for n in (1, 5, 9)]
        chosen = script("judge-readers").alike([{"code": "x\n" * 6}, {"code": "x\n" * 5}], cards, dice)
        self.assertEqual([it["test"] for it in chosen], ["5", "1"])


if __name__ == "__main__":
    unittest.main()
