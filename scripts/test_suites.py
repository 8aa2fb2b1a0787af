"""What the scripts about suites make of records, files and sources.

    python3 -m unittest discover --start-directory scripts
"""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def script(name):
    """A script as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


suites, living, timing = script("measure-suites"), script("judge-living"), script("measure-time")

FILE = """\
//! Regression tests.

use small::one;

// Above.
#[test]
fn first() {
    assert_eq!(one(), "// no comment");
}

// testsmith: generated, digest 0
"""


class Suites(unittest.TestCase):
    def test_comments_and_blank_lines_are_no_code(self):
        self.assertEqual(suites.n_lines(FILE), 5)
        self.assertEqual(suites.n_lines("/* one\n two */ fn f() {}\n"), 1)

    def test_what_a_suite_leaves_out_is_counted(self):
        branches = [{"explored": True, "taken": it} for it in (True, True, False)]
        callables = [
            {"path": path, "counted": True, "status": status, "tests": n}
            for path, status, n in [("a", "reached", 2), ("b", "reached", 0), ("c", "modelled", 0)]
        ]
        record = {"branches": [*branches, {"explored": False, "taken": True}], "callables": callables}
        record |= {"coverage": {"killed": 5, "mutants": 9}, "tests": [{"kind": "regression"}]}
        row = suites.summed_up(record, [FILE])
        wanted = ["1", "5", "5", "9", "1.00", "3", "2", "66.7", "2", "1"]
        self.assertEqual(suites.cells(row), wanted)
        self.assertEqual(row["untested"], ["b"])

    def test_the_bar_is_half_of_the_lines_for_each_kill_and_no_kill_less(self):
        before = {"lines": 100, "killed": 10}
        for lines, killed, holds in [(50, 10, True), (51, 10, False), (40, 9, False), (55, 11, True)]:
            found = suites.compared(before, {"lines": lines, "killed": killed})[1]
            self.assertEqual(found, holds, (lines, killed))


class Living(unittest.TestCase):
    def test_added_lines_are_no_lost_ones(self):
        after = FILE.replace("// Above.", "#[test]\nfn added() {}\n\n// Above.").replace("digest 0", "digest 1")
        self.assertEqual(living.lost_lines({"f": FILE}, {"f": after}), [])
        self.assertEqual(list(living.added({"f": FILE}, {"f": after})), [("f", "added")])
        changed = after.replace("one()", "two()", 1)
        self.assertEqual(len(living.lost_lines({"f": FILE}, {"f": changed})), 1)

    def test_the_exit_code_of_changed_behaviour_is_the_one_of_check(self):
        rows = ["| 5 | Nothing, also for `--check`. |", "| 7 | For `diff`: behaviour changed. |"]
        text = "\n".join([*rows, "| 10 | For `--check`: it shows that behaviour changed. |"])
        self.assertEqual(living.code_of_change(text), 10)
        with self.assertRaises(living.Trouble):
            living.code_of_change(rows[1])

    def test_a_mutant_is_edited_in_where_it_stands(self):
        place = {"line": 2, "column": 5, "end_line": 3, "end_column": 2, "edit": "X"}
        self.assertEqual(living.edited("é\nabcdéf\nghi\n", place), "é\nabcdXhi\n")

    def test_a_test_shows_something_new_if_nothing_else_kills_or_enters_or_calls_it(self):
        mutants = [
            {"killed_by": ["m::kills"], "reached_by": ["first"]},
            {"killed_by": [], "reached_by": ["enters"]},
            {"killed_by": ["first", "idle"], "reached_by": ["idle", "first"]},
        ]
        callables = [{"path": "small::two", "calls": 1}, {"path": "small::one", "calls": 2}]
        new = {("f.rs", name): "fn x() { one() }" for name in ("enters", "idle")}
        new["f/m.rs", "kills"] = "fn kills() { one() }"
        new["f.rs", "calls"] = "fn calls() { two() }"
        new["f.rs", "takes"] = "fn takes() { one() }"
        branches = [{"taken_by": ["takes"]}, {"taken_by": ["old", "idle"]}, {"taken_by": []}]
        record = {"mutants": mutants, "branches": branches, "callables": callables}
        self.assertEqual(living.shows_nothing(new, {"f": FILE}, record), ["idle"])

    def test_a_method_is_added_to_a_type_that_calls_returned_from(self):
        record = {"callables": [{"path": "small::Two::see", "status": "reached", "calls": 3}]}
        source = "impl One { pub fn see(&self) {} }\nimpl<T> Two<T> {\n    pub fn see(&self) {}\n}\n"
        with tempfile.TemporaryDirectory() as directory:
            package = Path(directory)
            (package / "src").mkdir()
            path = package / "src/lib.rs"
            path.write_text(source)
            self.assertEqual(living.with_method(package, record), (path, source))
            text = path.read_text()
            self.assertLess(text.index("Two<T>"), text.index("judged_living"))
            path.write_text(source)
            living.with_method(package, {"callables": []})
            self.assertIn("pub fn judged_living(text: &str)", path.read_text())


class Time(unittest.TestCase):
    def test_a_fifth_more_is_allowed_or_two_compilations(self):
        self.assertEqual(timing.bound(timing.seconds_of("15s"), 0.5), 18)
        self.assertEqual(timing.bound(timing.seconds_of("1m"), 10), 80)

    def test_what_is_over_its_bound_is_told_with_its_stages(self):
        row = {"whole": 50, "exploring": 20, "stages": {"choose": 12.0}, "compilation": 1, "calls": 1, "tests": 1}
        row |= {"killed": 96, "unbounded": 100}
        shown, problems = timing.cells(row, 15)
        self.assertEqual(shown[4], "2.0")
        self.assertEqual(problems[0], "2.0 s over its bound (choose 12.0)")
        self.assertEqual(len(problems), 2)
        self.assertEqual(timing.cells(row | {"exploring": 18, "killed": 97}, 15)[1], [])


if __name__ == "__main__":
    unittest.main()
