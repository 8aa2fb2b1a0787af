//! Literals near those that the crate compared, with which a comparison would come out differently.
//!
//! While the guest watches, it notes both sides of every comparison. If one side is a literal of
//! the sequence, or its length, or a letter in it, then another literal is likely to make the
//! comparison come out as it never did before. So two runs reach the branch behind it, where chance
//! might take very many.
//!
//! **Comparisons say which literal to try.** A sequence that led through new code runs once more
//! while the copy notes both sides of its comparisons (a program of a batch is watched,
//! `Program::watched`; nothing else pays for it). Where a side is a literal of the sequence or a
//! few more or less than it, a letter of a text or its length, the same sequence is tried with a
//! literal that makes the comparison come out as it never did (`explore/hints.rs`). What a
//! comparison's sides have to do with a literal is guessed from their values alone, so most tries
//! are wrong, and each place gets a few. Secrets that are computed are found so, and parsers are
//! led on: semver reaches 4 % more regions with the same number of calls, crates without much to
//! compare reach as many as before.

use std::cmp::Ordering;
use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_protocol::Compared;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World, with_literal};

use crate::ask::Ask;
use crate::other::{Scalar, others};

/// The most sequences that wait to be watched. Further ones are left out.
const MAX_UNWATCHED: usize = 256;
/// The most changed sequences that wait to be run.
const MAX_CHANGED: usize = 1024;
/// A comparison that does not come out differently after this many tries is left alone.
const MAX_TRIES: u32 = 48;
/// How many changes one run of a sequence leads to for one comparison.
const TRIES_AT_ONCE: usize = 4;
/// If nothing was noted after this many runs, the guest cannot note comparisons.
const PATIENCE: u32 = 64;

/// What is known of a place that compares.
#[derive(Clone, Copy, Debug, Default)]
struct Site {
    /// The orders in which both sides were seen, one bit each.
    seen: u8,
    n_tries: u32,
}

/// A sequence with a changed literal.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) sequence: Sequence,
    /// The first slot whose value may differ.
    pub(crate) from: SlotIdx,
}

/// What was learnt from comparisons, and what is still to be tried.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// The places that compare, by their numbers.
    places: FxHashMap<u32, Site>,
    unwatched: VecDeque<Ask>,
    changed: VecDeque<Changed>,
    n_watched: u32,
}

impl Hints {
    /// Notes that this sequence is worth watching.
    pub(crate) fn watch(&mut self, sequence: &Sequence) {
        let is_blind = self.n_watched >= PATIENCE && self.places.is_empty();
        if self.unwatched.len() < MAX_UNWATCHED && !is_blind {
            self.unwatched.push_back(Ask {
                sequence: sequence.clone(),
                watch_from: SlotIdx(sequence.n_slots()),
                watch_end: Vec::new(),
                traced: None,
                values: false,
                watched: true,
                traced_on: false,
            });
        }
    }

    /// The next sequence to watch.
    pub(crate) fn unwatched(&mut self) -> Option<Ask> {
        self.unwatched.pop_front()
    }

    /// The next changed sequence to run.
    pub(crate) fn changed(&mut self) -> Option<Changed> {
        self.changed.pop_front()
    }

    /// Learns from the comparisons of a sequence. `is_free` says which inputs may get any literal.
    pub(crate) fn learn(
        &mut self,
        world: &World,
        sequence: &Sequence,
        compared: &[Compared],
        is_free: impl Fn(&Step, usize) -> bool,
    ) {
        self.n_watched += 1;
        let mut sides: Vec<Sides> = compared.iter().filter_map(sides).collect();
        // Comparisons that nearly came out differently come first.
        sides.sort_by(|(_, a, b, _), (_, c, d, _)| a.distance(b).total_cmp(&c.distance(d)));
        for (site, _, _, order) in &sides {
            self.places.entry(*site).or_default().seen |= bit(*order);
        }
        let mut done = FxHashSet::default();
        for (site, left, right, _) in &sides {
            let place = self.places.entry(*site).or_default();
            let is_over = place.seen == ALL || place.n_tries >= MAX_TRIES;
            if is_over || self.changed.len() >= MAX_CHANGED || !done.insert(*site) {
                continue;
            }
            let wanted = ORDERS.into_iter().filter(|it| place.seen & bit(*it) == 0);
            let targets: Vec<(&Scalar, Scalar)> =
                wanted.flat_map(|it| targets(left, right, it)).collect();
            let found = changes(world, sequence, &targets, &is_free);
            place.n_tries += found.len() as u32;
            self.changed.extend(found);
        }
    }
}

const ORDERS: [Ordering; 3] = [Ordering::Equal, Ordering::Less, Ordering::Greater];
const ALL: u8 = 0b111;

fn bit(order: Ordering) -> u8 {
    match order {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 4,
    }
}

/// The place of a comparison, both sides, and their order.
pub(crate) type Sides = (u32, Scalar, Scalar, Ordering);

/// The place of a comparison, both sides, and their order, if they have one.
pub(crate) fn sides(compared: &Compared) -> Option<Sides> {
    let left = Scalar::of(&compared.left)?;
    let right = Scalar::of(&compared.right)?;
    let order = left.order(&right)?;
    Some((compared.site, left, right, order))
}

/// Sequences with one literal changed so that one of these comparisons comes out otherwise.
pub(crate) fn nearby(
    world: &World,
    sequence: &Sequence,
    compared: &[Sides],
    is_free: impl Fn(&Step, usize) -> bool,
) -> Vec<Changed> {
    let found = compared.iter().flat_map(|(_, left, right, order)| {
        let others = ORDERS.into_iter().filter(|it| it != order);
        let targets: Vec<(&Scalar, Scalar)> =
            others.flat_map(|it| targets(left, right, it)).collect();
        changes(world, sequence, &targets, &is_free)
    });
    found.collect()
}

/// How far apart the sides are, at the least, of the comparisons at these places: from 0 to 1, which stands for
/// no comparison.
pub fn nearness(compared: &[Compared], is_wanted: impl Fn(u32) -> bool) -> f64 {
    let wanted = compared.iter().filter(|it| is_wanted(it.site));
    let distances = wanted
        .filter_map(sides)
        .map(|(_, left, right, _)| left.distance(&right));
    distances.map(|it| it / (it + 1.0)).fold(1.0, f64::min)
}

/// What either side would have to be so that they have this order.
fn targets<'s>(
    left: &'s Scalar,
    right: &'s Scalar,
    order: Ordering,
) -> impl Iterator<Item = (&'s Scalar, Scalar)> {
    let to_left = right.moved(order).map(|target| (left, target));
    let to_right = left.moved(order.reverse()).map(|target| (right, target));
    to_left.into_iter().chain(to_right)
}

/// Sequences with one literal changed so that one of these values may become its target.
fn changes(
    world: &World,
    sequence: &Sequence,
    targets: &[(&Scalar, Scalar)],
    is_free: impl Fn(&Step, usize) -> bool,
) -> Vec<Changed> {
    let mut found = Vec::new();
    // Arguments of the last calls matter most.
    for (at, step) in sequence.steps().iter().enumerate().rev() {
        let Step::Call { op, args, out } = step else {
            continue;
        };
        for (i, arg) in args.iter().enumerate() {
            let Arg::Literal(value) = arg else {
                continue;
            };
            if !is_free(step, i) {
                continue;
            }
            let ty = world.signature(*op).inputs[i].ty.ty;
            let ty = &world.catalogue.types.get(ty).ty;
            let values = targets
                .iter()
                .flat_map(|(side, target)| others(ty, value, side, target));
            for value in values {
                let changed = with_literal(world, sequence, at, i, value);
                found.extend(changed.map(|sequence| Changed {
                    sequence,
                    from: *out,
                }));
                if found.len() >= TRIES_AT_ONCE {
                    return found;
                }
            }
        }
    }
    found
}
