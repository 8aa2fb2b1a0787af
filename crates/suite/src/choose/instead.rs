//! Finds plain cases for what only odd ones are known to do.
//!
//! Of the many cases that could be written, few are tried on each mutant, and the first that does something
//! is chosen. So a text that exploration made up stands for mutants that a plain one would kill as well, and nobody
//! asked it. Here the plain ones are asked, those that were chosen and those that were not.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{CLOSURE_PANIC, Form};
use testsmith_equip::Executor;
use testsmith_harness::GuestError;
use testsmith_protocol::{MutantId, RegionId};
use testsmith_record::Drops;
use testsmith_sequence::World;

use super::Candidate;
use super::duty::operations;
use super::kill::{self, Group, Judgement};
use super::usual::{literals, oddness};
use super::weak::Weak;
use crate::budget::Budget;
use crate::simplify::reading;

/// A case with more steps is a story of its own.
const MAX_STEPS: usize = 7;
/// How many plain cases are tried on the mutants of one region.
const MAX_TRIED: usize = 40;
/// How many of those that kill a mutant are chosen.
const MAX_KILLERS: usize = 2;

/// Is it a case that somebody would write: nothing odd is given to anything, and not nothing?
pub(super) fn is_plain(world: &World, known: &BTreeSet<String>, case: &Candidate) -> bool {
    let odd = literals(&case.case.sequence).map(|it| oddness(it, known));
    let is_odd_closure = |op| {
        let form = &world.catalogue.operation(op).form;
        matches!(form, Form::Closure { template, .. } if !is_plain_closure(template))
    };
    odd.sum::<usize>() == 0
        && case.case.sequence.steps().len() <= MAX_STEPS
        && Weak::of(world, case).is_fair()
        && !operations(case).any(is_odd_closure)
}

/// Does a closure neither panic nor note that it was called?
pub(super) fn is_plain_closure(template: &str) -> bool {
    !template.contains("| { ") && !template.contains(CLOSURE_PANIC)
}

/// Adds those of the spare cases that are plain and do what only odd ones of the chosen do.
pub(super) fn plain_instead(
    world: &World,
    executor: &mut Executor,
    judgement: &mut Judgement<'_>,
    known: &BTreeSet<String>,
    chosen: &mut Vec<Candidate>,
    spare: Vec<Candidate>,
    budget: &Budget<'_>,
) -> Result<(), GuestError> {
    let (mut killed, mut entered) = (FxHashSet::default(), FxHashSet::default());
    let mut open: BTreeSet<MutantId> = BTreeSet::new();
    let mut unentered: BTreeSet<RegionId> = BTreeSet::new();
    for case in &*chosen {
        let kills = case.kills.iter().map(|it| it.mutant);
        match is_plain(world, known, case) {
            true => {
                killed.extend(kills);
                entered.extend(case.entered.iter().copied());
            }
            false => {
                open.extend(kills);
                unentered.extend(case.entered.iter().copied());
            }
        }
    }
    open.retain(|it| !killed.contains(it));
    unentered.retain(|it| !entered.contains(it));
    // Those that are chosen come first, whatever they cost: nobody has to read more.
    let mut plain: Vec<Candidate> = Vec::new();
    let mut at: Vec<usize> = Vec::new();
    for (i, case) in chosen.iter().enumerate() {
        if is_plain(world, known, case) {
            plain.push(case.clone());
            at.push(i);
        }
    }
    let mut spare: Vec<Candidate> = spare
        .into_iter()
        .filter(|it| is_plain(world, known, it))
        .collect();
    spare.sort_by_key(|it| reading(world, &it.case.sequence));
    plain.append(&mut spare);
    let groups = groups(judgement, &plain, at.len(), &open);
    // What is not asked because time is over stays with the odd ones.
    let unsaid = &mut Drops::default();
    kill::ask(
        world, executor, judgement, &mut plain, &groups, budget, unsaid,
    )?;
    for case in &mut plain {
        case.kills.sort_by_key(|it| it.mutant);
        case.kills.dedup_by_key(|it| it.mutant);
    }
    let spare = plain.split_off(at.len());
    for (at, case) in at.into_iter().zip(plain) {
        case.kills.iter().for_each(|it| {
            open.remove(&it.mutant);
        });
        chosen[at] = case;
    }
    let mut n_killers: BTreeMap<MutantId, usize> = BTreeMap::new();
    for case in spare {
        let mut is_wanted = false;
        for kill in case.kills.iter().filter(|it| open.contains(&it.mutant)) {
            let n = n_killers.entry(kill.mutant).or_default();
            *n += 1;
            is_wanted |= *n <= MAX_KILLERS;
        }
        for region in &case.entered {
            is_wanted |= unentered.remove(region);
        }
        if is_wanted {
            chosen.push(case);
        }
    }
    Ok(())
}

/// The open mutants of each region, with the plain cases that go there: first those that are chosen, and first one
/// of each operation and way.
fn groups(
    judgement: &Judgement<'_>,
    plain: &[Candidate],
    n_chosen: usize,
    open: &BTreeSet<MutantId>,
) -> Vec<Group> {
    let mut reaching: FxHashMap<RegionId, Vec<(bool, usize, usize)>> = FxHashMap::default();
    let mut n_alike = BTreeMap::new();
    for (i, case) in plain.iter().enumerate() {
        let n: &mut usize = n_alike.entry((case.operation, case.way)).or_default();
        for region in &case.reached {
            reaching
                .entry(*region)
                .or_default()
                .push((i >= n_chosen, *n, i));
        }
        *n += 1;
    }
    let of_region = kill::by_region(judgement, &FxHashSet::default());
    let groups = of_region.into_iter().filter_map(|(region, mut mutants)| {
        mutants.retain(|it| open.contains(it));
        let mut tried = reaching.remove(&region)?;
        tried.sort_unstable();
        tried.truncate(MAX_TRIED);
        (!mutants.is_empty()).then(|| Group {
            tried: tried.into_iter().map(|(_, _, i)| i).collect(),
            mutants,
        })
    });
    groups.collect()
}
