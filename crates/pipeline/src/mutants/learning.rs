//! Learns what each test does with no mutant active: what is known from an earlier run is not learnt
//! again, and examples of the documentation are built while other tests are run.

use std::collections::{BTreeMap, BTreeSet};

use super::kept::Kept;
use super::own::{self, Learnt, Own, OwnTest};
use super::{Analyst, kept};
use crate::{Clock, Event, Events, PipelineError};

/// Examples of the documentation.
#[derive(Default)]
struct Examples {
    tests: Vec<OwnTest>,
    /// What some of them do, by position. They are not built.
    known: BTreeMap<usize, Learnt>,
    /// What there is beside them, and why they are no tests.
    left_out: BTreeMap<String, usize>,
}

impl Analyst<'_> {
    /// Builds examples of the documentation, and learns what each test does.
    pub(super) fn learn(
        &self,
        mut own: Own,
        kept: &Kept,
        clock: &mut Clock,
        events: Events<'_>,
    ) -> Result<Own, PipelineError> {
        let has_examples = !self.asked.no_docs && !self.asked.nextest;
        let listed = self.listed(kept);
        let docs = listed.as_ref().map_or(&[][..], |it| &it.tests);
        // Who asks for other tests than before may have to know all of them first.
        let is_clear = listed.is_some() || kept.is_empty();
        if has_examples && is_clear && self.jobs > 1 {
            let known = self.known(kept, &own, docs);
            self.build_unknown(&mut own, &known)?;
            events(Event::Stage("learn tests"));
            let examples = std::thread::scope(|scope| {
                let examples = scope.spawn(|| self.examples(kept, &own, listed.as_ref()));
                let learnt = self.learn_each(&own, kept, known, events);
                clock.stage_over("learn");
                let examples = examples.join().unwrap_or_else(|panic| {
                    std::panic::resume_unwind(panic);
                });
                Ok::<_, PipelineError>((learnt?, examples?))
            });
            let (learnt, examples) = examples?;
            let mut known: BTreeMap<usize, Learnt> = learnt.into_iter().enumerate().collect();
            known.extend(own.add(examples));
            own.learnt = self.learn_each(&own, kept, known, events)?;
            clock.stage_over("examples");
        } else {
            let mut of_examples = BTreeMap::new();
            if has_examples {
                events(Event::Stage("examples"));
                of_examples = own.add(self.examples(kept, &own, listed.as_ref())?);
                clock.stage_over("examples");
            }
            let mut known = self.known(kept, &own, &[]);
            for (i, learnt) in of_examples {
                known.entry(i).or_insert(learnt);
            }
            self.build_unknown(&mut own, &known)?;
            events(Event::Stage("learn tests"));
            own.learnt = self.learn_each(&own, kept, known, events)?;
            clock.stage_over("learn");
        }
        self.build_what_is_asked(kept, &mut own)?;
        clock.stage_over("learn");
        Ok(own)
    }

    /// What tests do, by position, as far as it is known and needs nobody to find out; `docs` are those
    /// that are not among them yet.
    fn known(&self, kept: &Kept, own: &Own, docs: &[OwnTest]) -> BTreeMap<usize, Learnt> {
        let needy = self.needy(kept, own, docs);
        kept.learnt(&own.tests, &needy, self.copied)
    }

    /// Builds tests that were not, if it is not known what they do.
    fn build_unknown(
        &self,
        own: &mut Own,
        known: &BTreeMap<usize, Learnt>,
    ) -> Result<(), PipelineError> {
        let mut tests = own.tests.iter().enumerate();
        match tests.any(|(i, it)| it.is_idle() && !known.contains_key(&i)) {
            true => self.bench.build_idle(own),
            false => Ok(()),
        }
    }

    /// What each test does.
    fn learn_each(
        &self,
        own: &Own,
        kept: &Kept,
        known: BTreeMap<usize, Learnt>,
        events: Events<'_>,
    ) -> Result<Vec<Learnt>, PipelineError> {
        let progress = &mut |n, of| events(Event::Learning { n, of });
        let unsteady = kept.unsteady(&own.tests, self.copied);
        self.bench.learn(&own.tests, known, &unsteady, progress)
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
        let (names, n_left_out) = kept.examples(&self.bench.twin.package)?;
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
        listed: Option<&Examples>,
    ) -> Result<Examples, PipelineError> {
        let Some(listed) = listed else {
            // If they are built as one, even a list takes that.
            if self.bench.builds_examples_as_one || !kept.has_docs() {
                return self.all_examples();
            }
            let tests = self.bench.list_docs()?;
            let (examples, needed) = self.divided(kept, own, &tests);
            return self.with_needed(examples, needed, &tests);
        };
        let (mut examples, needed) = self.divided(kept, own, &listed.tests);
        examples.left_out.clone_from(&listed.left_out);
        let n = examples.tests.len() + needed.len();
        let examples = self.with_needed(examples, needed, &listed.tests)?;
        match examples.tests.len() < n {
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
    fn divided(&self, kept: &Kept, own: &Own, listed: &[OwnTest]) -> (Examples, Vec<OwnTest>) {
        let needy = self.needy(kept, own, listed);
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

    /// Builds those that are needed of all.
    fn with_needed(
        &self,
        mut examples: Examples,
        needed: Vec<OwnTest>,
        all: &[OwnTest],
    ) -> Result<Examples, PipelineError> {
        if !needed.is_empty() {
            let needed = Some((needed, all));
            let built = self.bench.build_docs(needed, &mut examples.left_out)?;
            examples.tests.extend(built);
        }
        Ok(examples)
    }

    /// Functions with mutants whose verdict has to be found.
    fn needy(&self, kept: &Kept, own: &Own, docs: &[own::OwnTest]) -> BTreeSet<String> {
        let tests = own.tests.iter().chain(docs);
        let digests: BTreeMap<&str, u64> = tests.map(|it| (it.key.as_str(), it.digest)).collect();
        let digest_of = |key: &str| digests.get(key).copied();
        let open = self.open();
        let open = open.filter(|id| kept.is_needy(self.copied, *id, self.functions, &digest_of));
        let mut needy: BTreeSet<String> =
            open.map(|id| kept::function_of(self.copied, id)).collect();
        needy.extend(kept.changed(self.functions));
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
