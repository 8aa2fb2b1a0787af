//! Learns what each test does with no mutant active: what is known from an earlier run is not learnt
//! again, and of the examples of the documentation no more are built than are needed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::kept::Kept;
use super::own::{self, Bench, Learnt, Own, OwnTest};
use super::{Analyst, kept};
use crate::PipelineError;
use testsmith_equip::{Clock, Event, Stage, Watch};

/// So long it may take cargo to begin.
const HEAD_START: Duration = Duration::from_millis(500);
/// How often we look whether it has.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Examples of the documentation.
#[derive(Default)]
struct Examples {
    tests: Vec<OwnTest>,
    /// What some of them do, by position. They are not built.
    known: BTreeMap<usize, Learnt>,
    /// What there is beside them, and why they are no tests.
    left_out: BTreeMap<String, usize>,
}

/// Examples of the documentation that will very likely be needed, if nothing else has changed than
/// functions' bodies.
pub(super) struct Plan {
    needed: Vec<OwnTest>,
    all: Vec<OwnTest>,
}

/// Those examples, built.
pub(super) struct Ahead {
    /// Those that were wanted, by name.
    wanted: BTreeSet<String>,
    tests: Vec<OwnTest>,
    left_out: BTreeMap<String, usize>,
}

impl Plan {
    /// Builds them beside something else that cargo does. It does one thing after the other, but what has
    /// examples built is not cargo itself; so it is to have them first.
    pub(super) fn beside<T>(
        self,
        bench: &Bench<'_>,
        work: impl FnOnce() -> T,
    ) -> (T, Option<Ahead>) {
        let wanted = self.needed.iter().map(|it| it.name.clone()).collect();
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| {
                let mut left_out = BTreeMap::new();
                let tests = bench.build_docs(Some((self.needed, &self.all)), &mut left_out);
                // Whoever asks again will be told.
                Some((tests.ok()?, left_out))
            });
            let start = Instant::now();
            while !bench.is_building() && !ahead.is_finished() && start.elapsed() < HEAD_START {
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
    pub(super) fn plan(&self, kept: &Kept) -> Option<Plan> {
        // What a script writes while one builds, the other would have to build again.
        if !self.has_examples() || self.jobs < 2 || self.package.has_build_script {
            return None;
        }
        let all = self.listed(kept)?.tests;
        let (_, needed) = self.divided(kept, &kept.digests(), &all);
        (!needed.is_empty()).then_some(Plan { needed, all })
    }

    /// Builds examples of the documentation, and learns what each test does.
    pub(super) fn learn(
        &self,
        (mut own, ahead): (Own, Option<Ahead>),
        kept: &Kept,
        clock: &mut Clock,
        watch: &mut Watch<'_>,
    ) -> Result<Own, PipelineError> {
        let mut known = BTreeMap::new();
        if self.has_examples() {
            watch.enter(Stage::Examples);
            known = own.add(self.examples(kept, &own, ahead)?);
            clock.stage_over("examples");
        }
        let needy = self.needy(kept, &digests(own.tests.iter()));
        for (i, learnt) in kept.learnt(&own.tests, &needy, self.copied) {
            known.entry(i).or_insert(learnt);
        }
        let mut tests = own.tests.iter().enumerate();
        if tests.any(|(i, it)| it.is_idle() && !known.contains_key(&i)) {
            self.bench.build_idle(&mut own)?;
        }
        watch.enter(Stage::LearnTests);
        let progress = &mut |n, of| watch.tell(Event::Learning { n, of });
        let unsteady = kept.unsteady(&own.tests, self.copied);
        own.learnt = self.bench.learn(&own.tests, known, &unsteady, progress)?;
        self.build_what_is_asked(kept, &mut own)?;
        clock.stage_over("learn");
        Ok(own)
    }

    fn has_examples(&self) -> bool {
        !self.asked.no_docs && !self.asked.nextest
    }

    /// Builds tests that were not, if they have to be asked after all: whoever killed a mutant may not go
    /// there any more.
    fn build_what_is_asked(&self, kept: &Kept, own: &mut Own) -> Result<(), PipelineError> {
        let asked = self.reached(kept, own);
        let asked = asked.iter().flat_map(|it| it.asked());
        let missing: Vec<&own::OwnTest> = asked
            .map(|i| &own.tests[*i])
            .filter(|it| !it.is_built())
            .collect();
        let needs_idle = missing.iter().any(|it| it.is_idle());
        let needs_examples = missing.iter().any(|it| it.is_example());
        if needs_idle {
            self.bench.build_idle(own)?;
        }
        if needs_examples {
            self.bench.build_examples(own)?;
        }
        Ok(())
    }

    /// Examples of the documentation as an earlier run had them, if that has not changed.
    fn listed(&self, kept: &Kept) -> Option<Examples> {
        let (names, n_left_out) = kept.examples(&self.bench.twin)?;
        let left_out = n_left_out.map(|n| (own::COMPILED_ONLY.to_owned(), n));
        Some(Examples {
            tests: self.bench.docs(names.iter().map(String::as_str)),
            known: BTreeMap::new(),
            left_out: left_out.into_iter().collect(),
        })
    }

    /// Examples of the documentation. Those that say nothing new are not built.
    fn examples(
        &self,
        kept: &Kept,
        own: &Own,
        ahead: Option<Ahead>,
    ) -> Result<Examples, PipelineError> {
        let listed = self.listed(kept);
        let are_listed = listed.is_some();
        let listed = match listed {
            Some(listed) => listed,
            // If they are built as one, even a list takes that.
            None if self.bench.builds_examples_as_one || !kept.has_docs() => {
                return self.all_examples();
            }
            None => Examples {
                tests: self.bench.list_docs()?,
                ..Examples::default()
            },
        };
        let all = &listed.tests;
        let (mut examples, needed) = self.divided(kept, &digests(own.tests.iter().chain(all)), all);
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
                .bench
                .build_docs(Some((needed, all)), &mut examples.left_out)?,
        };
        examples.tests.extend(built);
        match are_listed && examples.tests.len() < n {
            // They ran before, and are the same.
            true => self.all_examples(),
            false => Ok(examples),
        }
    }

    fn all_examples(&self) -> Result<Examples, PipelineError> {
        let mut examples = Examples::default();
        examples.tests = self.bench.build_docs(None, &mut examples.left_out)?;
        Ok(examples)
    }

    /// Those of which it is known what they do, and those that are needed.
    fn divided(
        &self,
        kept: &Kept,
        digests: &BTreeMap<&str, u64>,
        listed: &[OwnTest],
    ) -> (Examples, Vec<OwnTest>) {
        let needy = self.needy(kept, digests);
        let mut learnt = kept.learnt(listed, &needy, self.copied);
        let mut examples = Examples::default();
        let mut needed = Vec::new();
        for (i, test) in listed.iter().enumerate() {
            match learnt.remove(&i) {
                Some(learnt) => {
                    examples.known.insert(examples.tests.len(), learnt);
                    examples.tests.push(test.clone());
                }
                None => needed.push(test.clone()),
            }
        }
        (examples, needed)
    }

    /// Functions with mutants whose verdict has to be found, as tests have these digests.
    fn needy(&self, kept: &Kept, digests: &BTreeMap<&str, u64>) -> BTreeSet<String> {
        let digest_of = |key: &str| digests.get(key).copied();
        let open = self.open();
        let open = open.filter(|id| kept.is_needy(self.copied, *id, &self.functions, &digest_of));
        let mut needy: BTreeSet<String> =
            open.map(|id| kept::function_of(self.copied, id)).collect();
        needy.extend(kept.changed(&self.functions));
        needy
    }
}

impl Own {
    /// Adds examples of the documentation; returns what is known of them, by position.
    fn add(&mut self, examples: Examples) -> BTreeMap<usize, Learnt> {
        let n = self.tests.len();
        self.tests.extend(examples.tests);
        for (why, n) in examples.left_out {
            *self.left_out.entry(why).or_default() += n;
        }
        let known = examples.known.into_iter();
        known.map(|(i, learnt)| (n + i, learnt)).collect()
    }
}

/// Digests of tests, by their keys.
fn digests<'t>(tests: impl Iterator<Item = &'t OwnTest>) -> BTreeMap<&'t str, u64> {
    tests.map(|it| (it.key.as_str(), it.digest)).collect()
}
