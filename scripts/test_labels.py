"""What `judge-labels` makes of the labels, and how they were divided.

    python3 -m unittest discover --start-directory scripts
"""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_suites import script  # noqa: E402

judge = script("judge-labels")


def label(**more):
    cells = {"half": "open", "subject": "a@1.0.0", "verdict": "bug", "operation": "a::Map<K>::get", "says": "index"}
    return judge.Label(**{**cells, "place": "-", "found": "changelog", "why": "", **more})


def failure(operation="a::Map<K>::get", message="index out of bounds", place=("src/lib.rs", 3)):
    return {"operation": operation, "others": [], "message": message, "kind": "panic", "file": place[0], "line": place[1]}


class Labels(unittest.TestCase):
    def test_the_half_that_is_aside_is_the_one_that_the_seed_draws(self):
        known = judge.labels()
        aside = {it.subject for it in known if it.half == "aside"}
        self.assertEqual(sorted(aside), judge.draw(known, 20261119))

    def test_what_exploration_met_is_not_aside(self):
        self.assertFalse([it for it in judge.labels() if it.is_explored and it.half == "aside"])

    def test_a_label_is_met_by_name_and_message(self):
        self.assertTrue(label().is_met_by(failure()))
        self.assertTrue(label().is_met_by(failure("a::Map<K>::get::<u8>")))
        self.assertFalse(label().is_met_by(failure("a::Map<K>::get_mut")))
        self.assertFalse(label().is_met_by(failure(message="attempt to add with overflow")))
        self.assertTrue(label(operation="*::get").is_met_by(failure()))

    def test_a_label_with_a_place_is_met_there_whatever_was_called(self):
        placed = label(place="src/lib.rs:3")
        self.assertTrue(placed.is_met_by(failure("a::other", "another message")))
        self.assertFalse(placed.is_met_by(failure("a::other", "another message", ("src/lib.rs", 4))))

    def test_a_failure_of_its_own_counts_before_that_of_another(self):
        own = {**failure(message="columns is zero"), "level": "caller's"}
        other = {**failure("a::other"), "others": ["a::Map<K>::get"], "level": "bug"}
        documented = label(verdict="callers", says="")
        self.assertEqual(judge.judged(documented, [other, own]), "caller's")
        self.assertEqual(judge.judged(documented, [other]), "bug")

    def test_bugs_that_exploration_showed_do_not_count_as_met(self):
        found = [(label(found="explored"), "bug"), (label(), None), (label(), "arguable")]
        row, is_good = judge.summed("open", found)
        self.assertEqual(row[1:3], ["1 of 2 (50 %)", "1 of 2 (50 %)"])
        self.assertFalse(is_good)


if __name__ == "__main__":
    unittest.main()
