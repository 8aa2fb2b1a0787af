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

/// So long it may take cargo to begin.
const HEAD_START: Duration = Duration::from_millis(500);
/// How often we look whether it has.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Examples of the documentation.
#[derive(Default)]
struct Examples {
    tests: Vec<OwnTest>,
    /// What some of them do, by position. They are not built.
    known: BTreeMap<usize, Profile>,
    /// What there is beside them, and why they are no tests.
    left_out: BTreeMap<String, usize>,
}

/// Examples of the documentation that will very likely be needed, if nothing else has changed than
/// functions' bodies.
pub(crate) struct Foresight {
    needed: Vec<OwnTest>,
    all: Vec<OwnTest>,
}

/// Those examples, built.
pub(crate) struct Ahead {
    /// Those that were wanted, by name.
    wanted: BTreeSet<String>,
    tests: Vec<OwnTest>,
    left_out: BTreeMap<String, usize>,
}

impl Foresight {
    /// Builds them beside something else that cargo does. It does one thing after the other, but what has
    /// examples built is not cargo itself; so it is to have them first.
    pub(crate) fn beside<T>(self, rig: &Rig, work: impl FnOnce() -> T) -> (T, Option<Ahead>) {
        let wanted = self.needed.iter().map(|it| it.name.clone()).collect();
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| {
                let mut left_out = BTreeMap::new();
                let tests = rig.build_docs(Some((self.needed, &self.all)), &mut left_out);
                // Whoever asks again will be told.
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
    /// The examples that will be needed if tests are what they were. `None` if there are none, or if
    /// nobody can tell.
    pub(crate) fn foresee(&self, memory: &Memory) -> Option<Foresight> {
        // What a script writes while one builds, the other would have to build again.
        if !self.has_examples() || self.jobs < 2 || self.package.has_build_script {
            return None;
        }
        let all = self.listed(memory)?.tests;
        let (_, needed) = self.divided(memory, &memory.digests(), &all);
        (!needed.is_empty()).then_some(Foresight { needed, all })
    }

    /// Builds examples of the documentation, and learns what each test does.
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

    /// Builds tests that were not, if they have to be asked after all: whoever killed a mutant may not go
    /// there any more.
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

    /// Examples of the documentation as an earlier run had them, if that has not changed.
    fn listed(&self, memory: &Memory) -> Option<Examples> {
        let (names, n_left_out) = memory.examples(&self.rig.twin)?;
        let left_out = n_left_out.map(|n| (COMPILED_ONLY.to_owned(), n));
        Some(Examples {
            tests: self.rig.docs(names.iter().map(String::as_str)),
            known: BTreeMap::new(),
            left_out: left_out.into_iter().collect(),
        })
    }

    /// Examples of the documentation. Those that say nothing new are not built.
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
            // If they are built as one, even a list takes that.
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
            // They ran before, and are the same.
            true => self.all_examples(),
            false => Ok(examples),
        }
    }

    fn all_examples(&self) -> Result<Examples, MutationError> {
        let mut examples = Examples::default();
        examples.tests = self.rig.build_docs(None, &mut examples.left_out)?;
        Ok(examples)
    }

    /// Those of which it is known what they do, and those that are needed.
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

    /// Functions with mutants whose verdict has to be found, as tests have these digests.
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

/// Adds examples of the documentation; returns what is known of them, by position.
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
