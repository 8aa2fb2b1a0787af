//! Lifts seeds: sequences from examples of the documentation and tests of the package.
//!
//! People show how their crate is meant to be used. Where they do so in straight-line code, its
//! statements are matched with the operations of the harness, and exploration begins with the
//! resulting sequences. No types are inferred: names and arguments decide which instance a call may
//! be, and of several readings of a program the one is taken that lifts most of its statements.

mod apply;
mod evaluate;
mod index;
mod lift;
mod names;
mod pure;
mod read;
mod script;
mod state;
mod syntax;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use testsmith_api::Origin;
use testsmith_sequence::{Builder, Sequence, SlotIdx, Step, World, slice};

pub use script::Why;

/// The most steps of a seed. Sequences that are built upon a longer one would be too long.
const MAX_STEPS: usize = 25;
/// The most calls of all seeds together.
const MAX_CALLS: usize = 40_000;
/// The most calls that are tried for all programs together, which takes a second or two.
const MAX_TRIES: u32 = 400_000;

/// Code that shows how a crate is used, in the order in which it is read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Examples of the documentation.
    pub examples: Vec<String>,
    /// Source files that may have test functions in them.
    pub tests: Vec<String>,
    /// The crate's type aliases, with the heads of the types that they stand for.
    pub aliases: BTreeMap<String, String>,
}

/// Sequences to begin with, and where they come from.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    /// The sequences. Each ends in a call of the crate, and has the steps that this call needs.
    pub sequences: Vec<Sequence>,
    /// What examples gave.
    pub examples: Yield,
    /// What test functions gave.
    pub tests: Yield,
    /// How many statements were not lifted, by reason.
    pub left: BTreeMap<Why, u64>,
    /// How many examples and files are not Rust.
    pub n_unread: u64,
    /// How many sequences were left out because they are too long, or because there are too many.
    pub n_long: u64,
}

/// What one kind of source gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Yield {
    /// Programs that were found.
    pub n_found: u64,
    /// Programs with a call that was lifted.
    pub n_lifted: u64,
    /// Statements with a call in them.
    pub n_statements: u64,
    /// Statements that were lifted.
    pub n_lifted_statements: u64,
}

/// Lifts the examples and tests of these sources.
pub fn lift(world: &World, sources: &Sources) -> Seeds {
    let index = index::Index::new(world);
    let mut seeds = Seeds::default();
    let mut known = FxHashSet::default();
    let mut n_calls = 0;
    let mut n_tries = 0;
    let mut add = |seeds: &mut Seeds, script: &script::Script| {
        let lifted = lift::lift(world, &index, script, MAX_TRIES - n_tries);
        n_tries += lifted.n_tries;
        for (why, n) in &lifted.left {
            *seeds.left.entry(*why).or_default() += n;
        }
        for sequence in sequences(world, &lifted.steps) {
            if sequence.steps().len() > MAX_STEPS {
                seeds.n_long += 1;
            } else if known.insert(sequence.clone()) {
                n_calls += sequence.steps().len();
                match n_calls <= MAX_CALLS {
                    true => seeds.sequences.push(sequence),
                    false => seeds.n_long += 1,
                }
            }
        }
        lifted
    };
    let mut names = names::Names::new(&sources.aliases);
    for example in &sources.examples {
        let Some(scripts) = read::example(example, &names) else {
            seeds.n_unread += 1;
            continue;
        };
        for script in scripts {
            let lifted = add(&mut seeds, &script);
            seeds.examples.enter(&lifted);
        }
    }
    for source in &sources.tests {
        names.learn(source);
    }
    for source in &sources.tests {
        let Some(scripts) = read::tests(source, &names) else {
            seeds.n_unread += 1;
            continue;
        };
        for script in scripts {
            let lifted = add(&mut seeds, &script);
            seeds.tests.enter(&lifted);
        }
    }
    seeds
}

/// A test of a file, as far as its calls could be read.
#[derive(Clone, Debug)]
pub struct ReadBack {
    /// The function's name.
    pub name: String,
    /// The calls, of which there may be none.
    pub sequence: Sequence,
    /// The slots whose values the test asserts something about.
    pub asserted: Vec<SlotIdx>,
    /// Was every statement read that has a call in it?
    pub is_whole: bool,
}

/// Reads tests back that stand in files: what they call, and what they look at. `aliases` are those
/// of [`Sources`]. A file that is not Rust has none.
pub fn read_back(
    world: &World,
    aliases: &BTreeMap<String, String>,
    files: &[&str],
) -> Vec<Vec<ReadBack>> {
    let index = index::Index::new(world);
    let names = names::Names::new(aliases);
    let back = |name: String, script: &script::Script| {
        let lifted = lift::lift(world, &index, script, u32::MAX);
        let mut builder = Builder::new(world);
        let is_built = builder.append_steps(&lifted.steps).is_ok();
        ReadBack {
            name,
            asserted: lifted.asserted,
            is_whole: is_built && lifted.n_lifted == lifted.n_statements,
            sequence: builder.finish(),
        }
    };
    let files = files.iter().map(|text| {
        let tests = read::named_tests(text, &names).unwrap_or_default();
        let tests = tests.into_iter();
        tests.map(|(name, script)| back(name, &script)).collect()
    });
    files.collect()
}

impl Yield {
    fn enter(&mut self, lifted: &lift::Lifted) {
        self.n_found += 1;
        self.n_lifted += u64::from(!lifted.steps.is_empty());
        self.n_statements += lifted.n_statements;
        self.n_lifted_statements += lifted.n_lifted;
    }
}

/// For each call of the crate, the steps that it needs, and finally the whole sequence, because a
/// slice leaves out changes behind shared references.
fn sequences(world: &World, steps: &[Step]) -> Vec<Sequence> {
    let whole = |steps: &[Step]| {
        let mut builder = Builder::new(world);
        let appended = builder.append_steps(steps);
        appended.ok().map(|_| builder.finish())
    };
    let is_of_crate = |step: &Step| match step {
        Step::Call { op, .. } => {
            matches!(world.catalogue.operation(*op).origin, Origin::Callable(_))
        }
        Step::Drop(_) => false,
    };
    let ends = (0..steps.len()).filter(|i| is_of_crate(&steps[*i]));
    let slices = ends.filter_map(|end| slice(world, &whole(&steps[..=end])?));
    let mut sequences: Vec<Sequence> = slices.collect();
    sequences.extend(whole(steps).filter(|it| (1..=MAX_STEPS).contains(&it.steps().len())));
    sequences
}
