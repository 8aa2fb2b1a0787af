"""Tests of `hunted`."""

import unittest

import hunted


class Units(unittest.TestCase):
    def test_a_function_belongs_to_its_type_or_module(self):
        of = hunted.unit
        self.assertEqual(of("map::IndexMap<K, V, S>::insert"), "IndexMap")
        self.assertEqual(of("impls::<BuildMetadata as Ord>::cmp"), "BuildMetadata")
        self.assertEqual(of("<&Set<Vec<T>> as IntoIterator>::into_iter"), "Set")
        self.assertEqual(of("parse::version"), "parse")
        self.assertEqual(of("levenshtein"), "functions")


class Assertions(unittest.TestCase):
    def test_assertions_are_told_apart_by_what_they_ask(self):
        text = 'assert!(a.is_empty());\nassert_eq!(\n    format!("{a:?}"),\n    "A"\n);\nassert_eq!(a.len(), 1);\nassert!(a < b);'
        self.assertEqual(hunted.assertions(text), {"flag": 1, "text": 1, "value": 1, "comparison": 1})


class Scores(unittest.TestCase):
    def test_scores_are_shares(self):
        def mutant(own, written, said=True):
            return {"own": own, "written": written, "said": said, "unit": "A"}

        told = hunted.scores([mutant(True, True), mutant(True, False), mutant(False, True), mutant(False, False, None)])
        self.assertEqual((told["own"], told["written"], told["union"], told["of_own"]), (0.5, 0.5, 0.75, 0.5))
        self.assertAlmostEqual(told["agree"], 2 / 3)

    def test_mann_and_whitney_tell_lists_apart(self):
        # By hand: the ranks of `a` add up to 21, so U is 6 of 25, and z is (12.5 - 6 - 0.5) / sqrt(25 * 11 / 12) = 1.253.
        a, b = [1.1, 2.2, 3.3, 4.4, 5.5], [2.3, 3.4, 4.5, 5.6, 6.7]
        self.assertAlmostEqual(hunted.mann_whitney(a, b), 0.2101, places=4)
        self.assertEqual(hunted.mann_whitney([1, 1], [1, 1]), 1.0)
        self.assertLess(hunted.mann_whitney(list(range(20)), list(range(30, 50))), 0.001)


if __name__ == "__main__":
    unittest.main()
