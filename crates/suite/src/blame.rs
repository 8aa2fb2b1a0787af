//! Finds which callables changed, if tests fail: first the callable that failing tests have in
//! common and passing ones do not use (Ochiai's measure, as in spectrum-based fault localisation),
//! then the next one for the tests that this does not explain.

use std::collections::{BTreeMap, BTreeSet};

/// The callables that one test uses.
pub struct Spectrum {
    /// The callables, with the one first that the test is about.
    pub callables: Vec<String>,
    /// Did it fail?
    pub failed: bool,
}

/// Callables to blame, each with the failing tests that it explains, as indices into `spectra`.
/// Those that explain most come first.
pub fn blame(spectra: &[Spectrum]) -> Vec<(String, Vec<usize>)> {
    let mut n_passed: BTreeMap<&str, usize> = BTreeMap::new();
    for spectrum in spectra.iter().filter(|it| !it.failed) {
        let distinct: BTreeSet<&String> = spectrum.callables.iter().collect();
        for callable in distinct {
            *n_passed.entry(callable).or_default() += 1;
        }
    }
    let mut open: Vec<usize> = (0..spectra.len()).filter(|i| spectra[*i].failed).collect();
    let mut blamed = Vec::new();
    while !open.is_empty() {
        // For each callable: how many failing tests use it, and how many of them are about it.
        let mut n_failed: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for i in &open {
            let callables = &spectra[*i].callables;
            let distinct: BTreeSet<&String> = callables.iter().collect();
            for callable in distinct {
                let (n, n_about) = n_failed.entry(callable).or_default();
                *n += 1;
                *n_about += usize::from(callables.first() == Some(callable));
            }
        }
        let n_open = open.len() as f64;
        let score = |callable: &str, n: usize| {
            let passed = n_passed.get(callable).copied().unwrap_or(0);
            n as f64 / (n_open * (n + passed) as f64).sqrt()
        };
        let best = n_failed
            .into_iter()
            .max_by(|(a, (n, about)), (b, (m, about2))| {
                let by_score = score(a, *n).total_cmp(&score(b, *m));
                by_score.then(about.cmp(about2)).then(b.cmp(a))
            });
        let Some((callable, _)) = best else {
            // These tests use no callable.
            blamed.push((String::new(), std::mem::take(&mut open)));
            break;
        };
        let callable = callable.to_owned();
        let (explained, rest): (Vec<usize>, Vec<usize>) = open
            .into_iter()
            .partition(|i| spectra[*i].callables.contains(&callable));
        open = rest;
        blamed.push((callable, explained));
    }
    blamed.sort_by_key(|(_, explained)| std::cmp::Reverse(explained.len()));
    blamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tests: &[(&str, bool)], expected: &[(&str, &[usize])]) {
        let spectra: Vec<Spectrum> = tests
            .iter()
            .map(|(callables, failed)| Spectrum {
                callables: callables.split(' ').map(str::to_owned).collect(),
                failed: *failed,
            })
            .collect();
        let blamed = blame(&spectra);
        let blamed: Vec<(&str, &[usize])> = blamed.iter().map(|(c, i)| (&**c, &**i)).collect();
        assert_eq!(blamed, expected);
    }

    #[test]
    fn what_failing_tests_share_is_to_blame() {
        check(
            &[
                ("text parse", true),
                ("text new", true),
                ("major parse", false),
                ("minor new", false),
            ],
            &[("text", &[0, 1])],
        );
    }

    #[test]
    fn what_passing_tests_go_through_too_is_not() {
        check(
            &[
                ("set parse", true),
                ("clear parse", false),
                ("get parse", false),
            ],
            &[("set", &[0])],
        );
    }

    #[test]
    fn two_causes_are_two() {
        check(
            &[
                ("a new", true),
                ("a new", true),
                ("b new", true),
                ("c new", false),
                ("d new", false),
                ("e new", false),
            ],
            &[("a", &[0, 1]), ("b", &[2])],
        );
    }

    #[test]
    fn of_equals_the_one_that_tests_are_about() {
        check(&[("set parse", true)], &[("set", &[0])]);
    }
}
