//! Chooses the predicates that make the states: those that tell most about what calls will do.

use std::collections::{BTreeMap, BTreeSet};

/// A property that divides values into classes: an observer's answers, or how two of them compare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Feature {
    /// Its name in words: `is_empty()`, `len() and capacity()`.
    pub(super) name: String,
    /// The observers that it is made of.
    pub(super) of: Vec<usize>,
    /// The class of each value.
    pub(super) classes: Vec<u16>,
    /// The name of each class.
    pub(super) labels: Vec<String>,
    /// Of two features that tell the same, the one of lower rank is chosen.
    pub(super) rank: u8,
    /// Is it worth a state of its own even if no call depends on it? A `bool` or a variant is made
    /// for callers to ask about; whether a number is zero may mean nothing.
    pub(super) is_telling: bool,
}

impl Feature {
    /// Is it a number or list of one observer, compared with nothing?
    fn is_by_the_way(&self) -> bool {
        self.of.len() == 1 && !self.is_telling
    }
}

/// Something that may depend on the state: what a call with some arguments does, or what an
/// observer answers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Target {
    /// Targets of one group, as the calls of one method, count as one.
    pub(super) group: usize,
    /// The observer that it is about, if it is about one.
    pub(super) observer: Option<usize>,
    /// How much it counts.
    pub(super) weight: f64,
    /// The outcome for each value; `None` where it is not known.
    pub(super) outcomes: Vec<Option<u16>>,
}

/// The chosen features in the order of choice, and for each of the others why it was left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Choice {
    pub(super) chosen: Vec<usize>,
    pub(super) left_out: BTreeMap<usize, String>,
}

/// Why most features are left out.
const LITTLE: &str = "it tells little that the others do not";
/// The weight of a telling feature's own classes.
const OWN_WEIGHT: f64 = 0.3;
/// The least gain that makes a feature worth its states: a quarter of what one method does.
const MIN_GAIN: f64 = 0.25;
/// The least gain of a feature that is a single number or list. Whether that is zero or empty often
/// means nothing, unlike a number that meets its bound, so it must tell half of what a method does.
const MIN_GAIN_OF_NUMBER: f64 = 0.5;

/// Takes the feature that tells most, then the one that tells most beside it, and so on, as long as
/// there are no more states than allowed.
pub(super) fn choose(features: &[Feature], targets: &[Target], max_states: usize) -> Choice {
    let n_values = features.first().map_or(0, |it| it.classes.len());
    let mut partition: Vec<u32> = vec![0; n_values];
    let mut choice = Choice::default();
    loop {
        let mut best: Option<(f64, usize, Vec<u32>)> = None;
        for (i, feature) in features.iter().enumerate() {
            if choice.chosen.contains(&i) || choice.left_out.contains_key(&i) {
                continue;
            }
            let finer = refine(&partition, &feature.classes);
            let n_states = finer.iter().collect::<BTreeSet<_>>().len();
            if n_states > max_states {
                let why = format!("it would make {n_states} states, more than {max_states}");
                choice.left_out.insert(i, why);
                continue;
            }
            let gain = gain(feature, targets, &partition, &finer);
            let is_better = best.as_ref().is_none_or(|(most, of, _)| {
                let of = &features[*of];
                gain > most + 1e-6 || gain > most - 1e-6 && feature.rank < of.rank
            });
            if is_better {
                best = Some((gain, i, finer));
            }
        }
        match best {
            Some((gain, i, _)) if gain < MIN_GAIN_OF_NUMBER && features[i].is_by_the_way() => {
                choice.left_out.insert(i, LITTLE.to_owned());
            }
            Some((gain, i, finer)) if gain >= MIN_GAIN => {
                choice.chosen.push(i);
                partition = finer;
            }
            _ => break,
        }
    }
    for i in 0..features.len() {
        if !choice.chosen.contains(&i) {
            choice
                .left_out
                .entry(i)
                .or_insert_with(|| LITTLE.to_owned());
        }
    }
    choice
}

fn refine(partition: &[u32], classes: &[u16]) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    let pairs = partition.iter().zip(classes);
    pairs
        .map(|pair| {
            let next = numbers.len() as u32;
            *numbers.entry(pair).or_insert(next)
        })
        .collect()
}

/// How much a feature tells beside those already chosen: for each group of targets, the share of
/// its entropy that goes.
fn gain(feature: &Feature, targets: &[Target], before: &[u32], after: &[u32]) -> f64 {
    let mut groups: BTreeMap<usize, (f64, u32, f64)> = BTreeMap::new();
    for target in targets {
        let is_own = target.observer.is_some_and(|it| feature.of.contains(&it));
        if is_own {
            continue;
        }
        let all = vec![0; before.len()];
        let whole = entropy(&target.outcomes, &all);
        if whole < 1e-9 {
            continue;
        }
        let share = (entropy(&target.outcomes, before) - entropy(&target.outcomes, after)) / whole;
        let group = groups
            .entry(target.group)
            .or_insert((0.0, 0, target.weight));
        group.0 += share;
        group.1 += 1;
    }
    let told: f64 = groups
        .values()
        .map(|(sum, n, weight)| weight * sum / f64::from(*n))
        .sum();
    let own: Vec<Option<u16>> = feature.classes.iter().map(|it| Some(*it)).collect();
    let whole = entropy(&own, &vec![0; before.len()]);
    let own = match feature.is_telling && whole > 1e-9 {
        true => OWN_WEIGHT * entropy(&own, before) / whole,
        false => 0.0,
    };
    told + own
}

/// The entropy of outcomes in bits, given the class of each value.
fn entropy(outcomes: &[Option<u16>], classes: &[u32]) -> f64 {
    let mut counts: BTreeMap<u32, BTreeMap<u16, f64>> = BTreeMap::new();
    let mut n = 0.0;
    for (outcome, class) in outcomes.iter().zip(classes) {
        if let Some(outcome) = outcome {
            *counts
                .entry(*class)
                .or_default()
                .entry(*outcome)
                .or_default() += 1.0;
            n += 1.0;
        }
    }
    let of_class = |counts: &BTreeMap<u16, f64>| -> f64 {
        let whole: f64 = counts.values().sum();
        let bits = counts.values().map(|it| -it * (it / whole).log2());
        bits.sum()
    };
    match n > 0.0 {
        true => counts.values().map(of_class).sum::<f64>() / n,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str, of: usize, classes: &[u16], rank: u8) -> Feature {
        Feature {
            name: name.to_owned(),
            of: vec![of],
            classes: classes.to_vec(),
            labels: vec!["no".to_owned(), "yes".to_owned()],
            rank,
            is_telling: rank == 0,
        }
    }

    fn target(group: usize, outcomes: &[u16]) -> Target {
        Target {
            group,
            observer: None,
            weight: 1.0,
            outcomes: outcomes.iter().map(|it| Some(*it)).collect(),
        }
    }

    #[test]
    fn what_calls_depend_on_is_chosen_and_what_says_the_same_is_not() {
        let features = [
            feature("len()", 0, &[0, 1, 1, 1], 1),
            feature("is_empty()", 1, &[1, 0, 0, 0], 0),
            feature("is_full()", 2, &[0, 0, 0, 1], 0),
            feature("first()", 3, &[0, 1, 0, 1], 1),
        ];
        let targets = [target(0, &[1, 0, 0, 0]), target(1, &[0, 0, 0, 1])];
        let choice = choose(&features, &targets, 12);
        assert_eq!(choice.chosen, [1, 2]);
        assert!(choice.left_out[&0].contains("little"), "{choice:?}");
    }

    #[test]
    fn there_are_no_more_states_than_allowed() {
        let features = [
            feature("a()", 0, &[0, 1, 0, 1], 0),
            feature("b()", 1, &[0, 0, 1, 1], 0),
        ];
        let choice = choose(&features, &[], 3);
        assert_eq!(choice.chosen, [0]);
        assert_eq!(choice.left_out[&1], "it would make 4 states, more than 3");
        assert_eq!(choose(&features, &[], 4).chosen, [0, 1]);
    }

    #[test]
    fn a_number_that_nothing_depends_on_makes_no_states() {
        let features = [feature("len()", 0, &[0, 1, 1, 1], 1)];
        assert_eq!(choose(&features, &[], 12).chosen, [0; 0]);
    }
}
