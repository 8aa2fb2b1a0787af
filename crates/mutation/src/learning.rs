//! Learns what each test does with no mutant active: what is known from an earlier run is not learnt
//! again, and of the examples of the documentation no more are built than are needed.
//!
//! **Examples go first.** cargo has one build at a time, but it is rustdoc that builds examples,
//! after cargo is done; so after a change examples are asked for before the other tests, and both
//! are built at once. Which ones are needed is foretold as if tests were what they were; if not,
//! they are built again. A package with a build script waits: what it writes would be built twice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use testsmith_equip::{Clock, Event, Stage, Watch};
use testsmith_record::Timed;
use testsmith_rig::{COMPILED_ONLY, Own, OwnTest, Profile, Rig};

use crate::analyst::Analyst;
use crate::error::MutationError;
use crate::memory::{self, Memory};

/// How long to wait for cargo to begin to build the examples.
const HEAD_START: Duration = Duration::from_millis(500);
/// How often to look whether it has begun.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Examples of the documentation.
#[derive(Default)]
struct Examples {
    tests: Vec<OwnTest>,
    /// The profiles of those that an earlier run observed, by position. These examples are not
    /// built.
    known: BTreeMap<usize, Profile>,
    /// How many examples are no tests, by reason.
    left_out: BTreeMap<String, usize>,
}

/// Examples that will very likely be needed, if nothing but the bodies of functions has changed.
pub(crate) struct Foresight {
    needed: Vec<OwnTest>,
    all: Vec<OwnTest>,
}

/// Examples that were built ahead.
pub(crate) struct Ahead {
    /// The names of the examples that the build was asked for.
    wanted: BTreeSet<String>,
    tests: Vec<OwnTest>,
    left_out: BTreeMap<String, usize>,
}

impl Foresight {
    /// Builds the examples while `work` has cargo do something else. cargo does one build at a
    /// time, but it leaves the examples to rustdoc. So the examples' command should get cargo
    /// first: `work` can then use it while rustdoc is busy.
    pub(crate) fn beside<T>(self, rig: &Rig, work: impl FnOnce() -> T) -> (T, Option<Ahead>) {
        let wanted = self.needed.iter().map(|it| it.name.clone()).collect();
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| {
                let mut left_out = BTreeMap::new();
                let tests = rig.build_docs(Some((self.needed, &self.all)), &mut left_out);
                // An error is dropped here. The examples are asked for again later, and then it is
                // reported.
                Some((tests.ok()?, left_out))
            });
            let start = Instant::now();
            while !rig.is_building() && !ahead.is_finished() && start.elapsed() < HEAD_START {
                std::thread::sleep(LOOK_EVERY);
            }
            let done = work();
            let ahead = ahead.join().unwrap_or_else(|panic| {
                std::panic::resume_unwind(panic);
            });
            let ahead = ahead.map(|(tests, left_out)| Ahead {
                wanted,
                tests,
                left_out,
            });
            (done, ahead)
        })
    }
}

impl Analyst<'_> {
    /// The examples that will be needed if the tests have not changed. `None` if there are none, or
    /// if that cannot be known.
    pub(crate) fn foresee(&self, memory: &Memory) -> Option<Foresight> {
        // What a build script writes during one of the two builds would make the other build
        // everything again.
        if !self.has_examples() || self.jobs < 2 || self.package.has_build_script {
            return None;
        }
        let all = self.listed(memory)?.tests;
        let (_, needed) = self.divided(memory, &memory.digests(), &all);
        (!needed.is_empty()).then_some(Foresight { needed, all })
    }

    /// Builds examples of the documentation, and observes what each test does.
    pub(crate) fn learn(
        &self,
        (mut own, ahead): (Own, Option<Ahead>),
        memory: &Memory,
        clock: &mut Clock,
        watch: &mut Watch<'_>,
    ) -> Result<Own, MutationError> {
        let mut known = BTreeMap::new();
        if self.has_examples() {
            watch.enter(Stage::Examples);
            let examples = self.examples(memory, &own, ahead)?;
            known = add(&mut own, examples);
            clock.stage_over(Timed::Examples);
        }
        let needy = self.needy(memory, &digests(own.tests.iter()));
        for (i, profile) in memory.profiles(&own.tests, &needy, self.copied) {
            known.entry(i).or_insert(profile);
        }
        let mut tests = own.tests.iter().enumerate();
        if tests.any(|(i, it)| it.is_idle() && !known.contains_key(&i)) {
            self.rig.build_idle(&mut own)?;
        }
        watch.enter(Stage::LearnTests);
        let progress = &mut |n, of| watch.tell(Event::Learning { n, of });
        let unsteady = memory.unsteady(&own.tests, self.copied);
        own.profiles = self.rig.profile(&own.tests, known, &unsteady, progress)?;
        self.build_what_is_asked(memory, &mut own)?;
        clock.stage_over(Timed::Learn);
        Ok(own)
    }

    fn has_examples(&self) -> bool {
        !self.asked.no_docs && !self.asked.nextest
    }

    /// Builds tests that were left out, if they must be asked after all: the test that killed a
    /// mutant in an earlier run may not reach it any more.
    fn build_what_is_asked(&self, memory: &Memory, own: &mut Own) -> Result<(), MutationError> {
        let asked = self.reached(memory, own);
        let asked = asked.iter().flat_map(|it| it.asked());
        let missing: Vec<&OwnTest> = asked
            .map(|i| &own.tests[*i])
            .filter(|it| !it.is_built())
            .collect();
        let needs_idle = missing.iter().any(|it| it.is_idle());
        let needs_examples = missing.iter().any(|it| it.is_example());
        if needs_idle {
            self.rig.build_idle(own)?;
        }
        if needs_examples {
            self.rig.build_examples(own)?;
        }
        Ok(())
    }

    /// The examples that an earlier run listed, if the documentation has not changed.
    fn listed(&self, memory: &Memory) -> Option<Examples> {
        let (names, n_left_out) = memory.examples(&self.rig.twin)?;
        let left_out = n_left_out.map(|n| (COMPILED_ONLY.to_owned(), n));
        Some(Examples {
            tests: self.rig.docs(names.iter().map(String::as_str)),
            known: BTreeMap::new(),
            left_out: left_out.into_iter().collect(),
        })
    }

    /// The examples of the documentation. Those whose profile still holds are not built.
    fn examples(
        &self,
        memory: &Memory,
        own: &Own,
        ahead: Option<Ahead>,
    ) -> Result<Examples, MutationError> {
        let listed = self.listed(memory);
        let are_listed = listed.is_some();
        let listed = match listed {
            Some(listed) => listed,
            // If rustdoc builds all examples as one executable, listing them takes as long as
            // building them.
            None if self.rig.builds_examples_as_one || !memory.has_docs() => {
                return self.all_examples();
            }
            None => Examples {
                tests: self.rig.list_docs()?,
                ..Examples::default()
            },
        };
        let all = &listed.tests;
        let (mut examples, needed) =
            self.divided(memory, &digests(own.tests.iter().chain(all)), all);
        examples.left_out = listed.left_out;
        if needed.is_empty() {
            return Ok(examples);
        }
        let n = all.len();
        let is_wanted = |it: &Ahead| {
            it.wanted.len() == needed.len()
                && needed.iter().all(|test| it.wanted.contains(&test.name))
        };
        let built = match ahead.filter(is_wanted) {
            Some(ahead) => {
                examples.left_out.extend(ahead.left_out);
                ahead.tests
            }
            None => self
                .rig
                .build_docs(Some((needed, all)), &mut examples.left_out)?,
        };
        examples.tests.extend(built);
        match are_listed && examples.tests.len() < n {
            // All of these ran before and have not changed, so an example that is missing now was
            // not found by its place. A build of all of them settles it.
            true => self.all_examples(),
            false => Ok(examples),
        }
    }

    fn all_examples(&self) -> Result<Examples, MutationError> {
        let mut examples = Examples::default();
        examples.tests = self.rig.build_docs(None, &mut examples.left_out)?;
        Ok(examples)
    }

    /// Divides examples into those with a known profile, which need not be built, and the rest.
    fn divided(
        &self,
        memory: &Memory,
        digests: &BTreeMap<&str, u64>,
        listed: &[OwnTest],
    ) -> (Examples, Vec<OwnTest>) {
        let needy = self.needy(memory, digests);
        let mut known = memory.profiles(listed, &needy, self.copied);
        let mut examples = Examples::default();
        let mut needed = Vec::new();
        for (i, test) in listed.iter().enumerate() {
            match known.remove(&i) {
                Some(profile) => {
                    examples.known.insert(examples.tests.len(), profile);
                    examples.tests.push(test.clone());
                }
                None => needed.push(test.clone()),
            }
        }
        (examples, needed)
    }

    /// Functions that changed or have mutants whose verdict must be found. `digests` are those of
    /// the tests now.
    fn needy(&self, memory: &Memory, digests: &BTreeMap<&str, u64>) -> BTreeSet<String> {
        let digest_of = |key: &str| digests.get(key).copied();
        let open = self.open();
        let open = open.filter(|id| memory.is_needy(self.copied, *id, &self.functions, &digest_of));
        let mut needy: BTreeSet<String> = open
            .map(|id| memory::function_of(self.copied, id))
            .collect();
        needy.extend(memory.changed(&self.functions));
        needy
    }
}

/// Adds the examples to the own tests, and gives the profiles that are known of them, by position.
fn add(own: &mut Own, examples: Examples) -> BTreeMap<usize, Profile> {
    let n = own.tests.len();
    own.tests.extend(examples.tests);
    for (why, n) in examples.left_out {
        *own.left_out.entry(why).or_default() += n;
    }
    let known = examples.known.into_iter();
    known.map(|(i, profile)| (n + i, profile)).collect()
}

/// Digests of tests, by their keys.
fn digests<'t>(tests: impl Iterator<Item = &'t OwnTest>) -> BTreeMap<&'t str, u64> {
    tests.map(|it| (it.key.as_str(), it.digest)).collect()
}
