//! Turns chosen cases into checked files: sorts out what the suite that is there shows already, and
//! checks the rest beside it.

mod reported;

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::CallableId;
use testsmith_emit::{EmittedTest, TestCase, TestKind, Worth};
use testsmith_equip::{Executor, Target};
use testsmith_explore::Cause;
use testsmith_harness::{Copied, MutantId};
use testsmith_protocol::Death;
use testsmith_record::{Drops, TestReport};
use testsmith_rig::Cell;
use testsmith_sequence::{Sequence, World};

use crate::begin::Begun;
use crate::choose::Judgement;
use crate::error::SuiteError;
use crate::failing::{self, Finding};
use crate::place::{Destination, Names, relative};
use crate::printer::Printer;
use crate::released::{self, Released};
use crate::settings::Writing;
use crate::standing::compose::Composer;
use crate::standing::measure::measure;
use crate::standing::memory::Code;
use crate::standing::news::{Chosen, Rules, canonical, claimed, failing_already, news, sorted};
use crate::standing::refused::Offer;
use crate::standing::trial::Fate;
use crate::standing::weigh::{Weighed, Weight, weigh};
use crate::standing::worthless::worthless;
use crate::standing::{At, Author, Standing, StandingFile, StandingTest};
use crate::verdict::{Sources, Verdict, is_asked_for, is_unchecked_in_release};
use crate::vet::{Draft, VetError, Vetting};

/// How often the suite is checked again without tests that turned out to be there.
const MAX_VETTINGS: usize = 3;

/// The checked suite: the tests that were there, and new ones.
pub struct Suite {
    pub(crate) names: Names,
    pub(crate) regression: Root,
    pub(crate) failures: Root,
    unconfirmed: Vec<TestCase>,
    /// Cases that rustc refused, with its message.
    refused: Vec<(TestCase, String)>,
    /// Cases that stand in the suite already.
    there: Vec<(TestCase, String)>,
    /// Tests that could go, with the reason.
    pub(crate) proposed: Vec<(At, String)>,
    /// How many tests that were there could not be read as a whole.
    pub(crate) n_unread: usize,
    /// How many new tests wait until behaviour that changed is accepted.
    pub(crate) n_waiting: usize,
    /// The functions of the crate, as this run saw them.
    pub(crate) code: Option<Code>,
}

/// A root with its modules, and what is known of its tests.
#[derive(Default)]
pub(crate) struct Root {
    /// The files as they are to be, the root first; none if there are no tests.
    pub(crate) files: Vec<StandingFile>,
    /// The new tests.
    pub(crate) tests: Vec<EmittedTest>,
    /// The cases of the new tests.
    pub(crate) cases: Vec<TestCase>,
    /// What the tests are good for that were there, by full name.
    weights: BTreeMap<String, Weight>,
}

/// What vetting leaves of new tests, and what it saw.
#[derive(Default)]
struct Vetted {
    regressions: Vec<TestCase>,
    failing: Failing,
    unconfirmed: Vec<TestCase>,
    /// Cases that rustc refused, with its message.
    refused: Vec<(TestCase, String)>,
    /// What became of failures in a release build.
    released: Vec<(Sequence, Released)>,
}

/// Failures as test cases.
#[derive(Default)]
struct Failing {
    cases: Vec<TestCase>,
    /// How each case ends its process, if it does.
    deaths: Vec<Option<Death>>,
    /// Cases that panic as documented, and so pass.
    passing: Vec<TestCase>,
}

impl Failing {
    fn of(world: &World, findings: &[Finding], writing: &Writing, drops: &mut Drops) -> Failing {
        let mut failing = Failing::default();
        let all = writing.all_failures;
        // A suite has tests that expect what is documented; without one, all means all.
        let also_documented = all && writing.only_failures;
        for finding in findings {
            // If the caller broke a precondition, there is no failure to look at, unless somebody
            // wants to. The record has it all the same.
            if finding.judged.verdict == Verdict::Precondition && !all {
                continue;
            }
            let is_documented = finding.judged.verdict == Verdict::Documented;
            if is_documented && !also_documented && is_unchecked_in_release(&finding.failure) {
                let reason = "its documented panic is arithmetic that overflows: builds without \
                              overflow checks go on with a wrong number";
                drops.add("test", reason, 1);
                continue;
            }
            if is_documented && is_asked_for(&finding.failure) {
                let reason = "that the panic of a closure reaches its caller is Rust's matter";
                drops.add("test", reason, 1);
                continue;
            }
            let case = failing::case(world, finding, also_documented);
            match case.kind {
                TestKind::Failure { .. } => {
                    failing.cases.push(case);
                    failing.deaths.push(match finding.failure.cause {
                        Cause::Panic { .. } => None,
                        Cause::Death(death) => Some(death),
                    });
                }
                _ => failing.passing.push(case),
            }
        }
        failing
    }
}

/// Chosen cases, without those that the suite shows already.
pub struct Sorted {
    regressions: Vec<TestCase>,
    failing: Failing,
    there: Vec<(TestCase, At)>,
    weighed: Weighed,
    code: Option<Code>,
    n_waiting: usize,
}

/// Checks and writes the suite of a package.
pub struct Writer<'w> {
    /// What is written, and where.
    pub writing: &'w Writing,
    /// The package.
    pub target: &'w Target,
    /// The operations that its tests call.
    pub world: &'w World,
    /// Are tests run behind walls?
    pub is_sandboxed: bool,
    /// Did exploration end early? Then nothing is removed or proposed for removal, because the run
    /// has not seen enough to know what is no longer needed.
    pub is_partial: bool,
}

impl<'w> Writer<'w> {
    /// A printer for the file with this name.
    fn printer(&self, name: &str) -> Printer<'w> {
        let package = &self.target.package;
        let names = Names::of(self.writing);
        let what = match name == names.failures {
            true => "Failures found",
            false => names.about,
        };
        let about = format!("{what} of {}.", package.name);
        let dir = Destination::of(self.writing, package).dir;
        Printer::new(self.target, self.world, &dir, about)
    }

    /// Lets `then` have what puts tests into a root of this name, beside those of `standing`.
    fn composing<T>(
        &self,
        root: &'static str,
        standing: &Standing,
        whole: &Standing,
        then: impl FnOnce(&Composer<'_, '_>) -> T,
    ) -> T {
        let printer = self.printer(root);
        let dir = Destination::of(self.writing, &self.target.package).dir;
        then(&Composer {
            world: self.world,
            printer: &printer,
            standing,
            whole,
            dir: &dir,
            root,
            makers: self.target.scratch.makers().map(|it| &*it.name),
            may_split: root == Names::of(self.writing).regression,
        })
    }

    /// Sorts out which of the chosen cases the suite that is there shows already.
    pub fn sort(
        &self,
        begun: &Begun,
        failures: &[Finding],
        mut regressions: Vec<TestCase>,
        executor: &mut Executor,
        judgement: Option<&mut Judgement<'_>>,
        drops: &mut Drops,
    ) -> Result<Sorted, SuiteError> {
        let mut failing = Failing::of(self.world, failures, self.writing, drops);
        if !self.writing.only_failures {
            regressions.append(&mut failing.passing);
        }
        let printer = self.printer(Names::of(self.writing).regression);
        let n_wide: usize = regressions.iter_mut().map(|it| printer.narrow(it)).sum();
        let reason = "only 64 bits give its number, and the test shows more";
        drops.add("assertion", reason, n_wide as u64);
        let mut sorted = Sorted {
            regressions,
            failing,
            there: Vec::new(),
            weighed: Weighed::default(),
            n_waiting: 0,
            code: judgement
                .as_ref()
                .map(|it| Code::of(&self.target.package, it.copied, &self.writing.run)),
        };
        let standing = &begun.standing;
        if standing.is_empty() {
            let called = sorted.regressions.iter();
            let called = called.flat_map(|it| Weight::of_case(self.world, it).callables);
            let called: BTreeSet<CallableId> = called.collect();
            self.leave_uncalled(&mut sorted, |it| !called.contains(&it));
            return Ok(sorted);
        }
        if begun.is_untried() {
            let n = sorted.regressions.len() + sorted.failing.cases.len();
            let why = "the suite that is there is for other features: its files depend on them";
            drops.add("new test", why, n as u64);
            sorted.regressions.clear();
            sorted.failing = Failing::default();
            return Ok(sorted);
        }
        let others = self.known(standing, &mut sorted, drops);
        let mut weighed = Weighed::default();
        for (case, at) in &sorted.there {
            weighed.know(*at, Weight::of_case(self.world, case));
        }
        let known: BTreeSet<At> = sorted.there.iter().map(|(_, at)| *at).collect();
        let is_passing = |at: &At| standing.file(*at).root == Names::of(self.writing).regression;
        let which = standing.tests().map(|(at, _)| at);
        let which = which
            .filter(|at| !known.contains(at) && is_passing(at))
            .collect();
        let copied = judgement.as_ref().map(|it| it.copied);
        weigh(
            self.world,
            executor,
            standing,
            &which,
            judgement,
            &mut weighed,
        )?;
        let claimed = claimed(&self.rules(begun, &weighed, &sorted), &others);
        if let (Some(claimed), Some(copied)) = (claimed, copied) {
            self.measure(begun, copied, &claimed, &mut weighed, drops)?;
        }
        let rules = self.rules(begun, &weighed, &sorted);
        let news = news(&rules, others, drops);
        self.leave_uncalled(&mut sorted, |it| news.uncalled.contains(&it));
        (sorted.regressions, sorted.n_waiting) = (news.added, news.n_waiting);
        sorted.weighed = weighed;
        Ok(sorted)
    }

    /// What decides whether a case is new.
    fn rules<'r>(
        &'r self,
        begun: &'r Begun,
        weighed: &'r Weighed,
        sorted: &'r Sorted,
    ) -> Rules<'r> {
        Rules {
            world: self.world,
            standing: &begun.standing,
            weighed,
            refused: &begun.refused,
            is_open: begun.open().next().is_some(),
            replaced: begun.replaced_calls(),
            is_like_the_last: !begun.is_fresh && self.is_like_an_earlier_run(&begun.standing),
            code: sorted.code.as_ref(),
        }
    }

    /// Notes which callables no test calls, for the next run.
    fn leave_uncalled(&self, sorted: &mut Sorted, is_left: impl Fn(CallableId) -> bool) {
        let callables = (0..)
            .map(CallableId)
            .zip(&self.world.catalogue.api.callables);
        let left = callables.filter(|(id, _)| is_left(*id));
        if let Some(code) = &mut sorted.code {
            code.leaves_uncalled(left.map(|(_, it)| &*it.key));
        }
    }

    /// Runs the tests that are there on the copy: says what each enters, and which of these mutants it kills.
    fn measure(
        &self,
        begun: &Begun,
        copied: &Copied,
        mutants: &BTreeSet<MutantId>,
        weighed: &mut Weighed,
        drops: &mut Drops,
    ) -> Result<(), SuiteError> {
        let names = Names::of(self.writing);
        let standing = &begun.standing;
        let holding = standing.tests().map(|(at, _)| at).filter(|at| {
            let is_regression = standing.file(*at).root == names.regression;
            is_regression && *begun.fates.of(*at) == Fate::Holds
        });
        let makers = self.printer(names.regression);
        let vetting = Vetting {
            scratch: &self.target.scratch,
            cells: &Cell::several(&self.target.scratch, self.is_sandboxed)?,
            edition: &self.target.package.edition,
            module: makers.makers(),
            in_release: false,
        };
        let holding = holding.collect();
        let compiling = begun.compiling();
        let Some(measured) = measure(&vetting, copied, standing, &compiling, &holding)? else {
            let why = "they do not build on the copy: what they show is read from their text";
            drops.add("test that is there", why, holding.len() as u64);
            return Ok(());
        };
        for (at, regions) in measured.entered() {
            weighed.entered(at, regions);
        }
        for (at, kills) in measured.kills(mutants)? {
            weighed.kills(at, kills);
        }
        Ok(())
    }

    /// Did a run like this one add tests to the suite before?
    fn is_like_an_earlier_run(&self, standing: &Standing) -> bool {
        let mut files = standing.files.iter();
        files.any(|it| it.seal.runs.contains(&self.writing.run))
    }

    /// Finds the cases that stand in the suite, and gives the other regression tests.
    fn known(&self, standing: &Standing, into: &mut Sorted, drops: &mut Drops) -> Vec<Chosen> {
        let names = Names::of(self.writing);
        let regressions = std::mem::take(&mut into.regressions);
        let chosen = self.printed(names.regression, standing, regressions, drops);
        let (there, others) = sorted(standing, names.regression, chosen);
        into.there.extend(there);
        let failing = std::mem::take(&mut into.failing);
        let deaths: Vec<Option<Death>> = failing.deaths;
        for (case, death) in failing.cases.into_iter().zip(deaths) {
            let known = match &case.kind {
                TestKind::Failure { reason } => failing_already(standing, reason),
                _ => None,
            };
            match known {
                Some(at) => into.there.push((case, at)),
                None => {
                    into.failing.cases.push(case);
                    into.failing.deaths.push(death);
                }
            }
        }
        others
    }

    /// The cases with the texts that they would have in the suite.
    fn printed(
        &self,
        root: &'static str,
        standing: &Standing,
        cases: Vec<TestCase>,
        drops: &mut Drops,
    ) -> Vec<Chosen> {
        let composed = self.composing(root, standing, standing, |it| it.compose(&cases));
        let texts = composed.texts();
        let n_lost = cases.len() - texts.len();
        drops.add("test", "it has no text in Rust", n_lost as u64);
        let cases = cases.into_iter().enumerate();
        let chosen = cases.filter_map(|(i, case)| {
            let text = texts.get(&i)?.clone();
            Some(Chosen { case, text })
        });
        chosen.collect()
    }

    /// Prints, compiles and runs new tests beside those that are there, until they are clean.
    ///
    /// The verdicts on findings learn what became of them in a release build.
    pub fn vet(
        &self,
        begun: &Begun,
        sorted: Sorted,
        findings: &mut [Finding],
        drops: &mut Drops,
    ) -> Result<Suite, VetError> {
        let standing = &begun.standing;
        let sources = Sources::of(&self.target.package.dir, None);
        let mut trials = released::cases(self.world, &sources, findings);
        let mut vetted = Vetted {
            regressions: sorted.regressions,
            failing: sorted.failing,
            ..Vetted::default()
        };
        for _ in 0..MAX_VETTINGS {
            self.vet_once(begun, &mut vetted, std::mem::take(&mut trials), drops)?;
            // What was weakened may have become a test that is there.
            let regressions = std::mem::take(&mut vetted.regressions);
            let n_before = regressions.len();
            vetted.regressions = self.without_known(standing, regressions, drops);
            if vetted.regressions.len() == n_before {
                break;
            }
        }
        self.weigh_released(standing, findings, &mut vetted);
        let names = Names::of(self.writing);
        let Vetted {
            regressions,
            failing,
            unconfirmed,
            refused,
            ..
        } = vetted;
        let there = sorted.there.into_iter();
        let there = there.map(|(case, at)| (case, standing.full_name(at)));
        let regression = self.composed(names.regression, standing, regressions, drops);
        let failures = self.composed(names.failures, standing, failing.cases, drops);
        let mut suite = Suite {
            regression,
            failures,
            unconfirmed,
            refused,
            there: there.collect(),
            n_unread: sorted.weighed.n_unread(),
            code: sorted.code,
            n_waiting: sorted.n_waiting,
            ..Suite::of(names)
        };
        suite.proposed = self.proposed(begun, &sorted.weighed, &suite);
        for (at, test) in standing.tests() {
            if let Some(weight) = sorted.weighed.of(at)
                && *begun.fates.of(at) == Fate::Holds
            {
                let file = standing.file(at);
                let name = file.full_name(test);
                suite.regression.weights.insert(name, weight.clone());
            }
        }
        Ok(suite)
    }

    /// Compiles and runs new tests until they are clean. Trials are run in the release build, and not written.
    fn vet_once(
        &self,
        begun: &Begun,
        vetted: &mut Vetted,
        trials: Vec<TestCase>,
        drops: &mut Drops,
    ) -> Result<(), VetError> {
        let names = Names::of(self.writing);
        let standing = &begun.standing;
        let compiling = begun.compiling();
        let print = |root: &'static str, cases: &[TestCase]| {
            let composed = self.composing(root, &compiling, standing, |it| it.compose(cases));
            composed.to_vet()
        };
        let print_regression = |cases: &[TestCase]| print(names.regression, cases);
        let print_failures = |cases: &[TestCase]| print(names.failures, cases);
        let printer = self.printer(names.failures);
        let print_trials = |cases: &[TestCase]| printer.print(cases);
        let regressions = std::mem::take(&mut vetted.regressions);
        let failing = std::mem::take(&mut vetted.failing);
        let mut drafts = vec![
            Draft::of(names.regression, regressions, &print_regression),
            Draft {
                failures: Some(failing.deaths),
                ..Draft::of(names.failures, failing.cases, &print_failures)
            },
        ];
        let is_new = drafts.iter().any(|it| !it.cases.is_empty());
        if !trials.is_empty() {
            drafts.push(Draft {
                released: Some(Vec::new()),
                ..Draft::of(released::FILE, trials, &print_trials)
            });
        }
        if is_new || standing.is_empty() {
            let makers = self.printer(names.regression);
            let vetting = Vetting {
                scratch: &self.target.scratch,
                cells: &Cell::several(&self.target.scratch, self.is_sandboxed)?,
                edition: &self.target.package.edition,
                module: makers.makers(),
                in_release: true,
            };
            vetting.vet(&mut drafts, drops)?;
        }
        for draft in drafts {
            if let Some(released) = draft.released {
                vetted.released = released;
            } else if let Some(deaths) = draft.failures {
                vetted.failing = Failing {
                    cases: draft.cases,
                    deaths,
                    passing: Vec::new(),
                };
                vetted.unconfirmed.extend(draft.unconfirmed);
                vetted.refused.extend(draft.refused);
            } else {
                vetted.regressions = draft.cases;
            }
        }
        Ok(())
    }

    /// Adds to verdicts what became of failures in a release build. What crashes there gets a test, whatever was
    /// thought of it before.
    fn weigh_released(&self, standing: &Standing, findings: &mut [Finding], vetted: &mut Vetted) {
        let failing = &mut vetted.failing;
        for finding in findings.iter_mut() {
            let mut released = vetted.released.iter();
            let found = released.find(|(it, _)| *it == finding.failure.sequence);
            let Some((sequence, became)) = found else {
                continue;
            };
            became.weigh(finding);
            let is_tested = failing.cases.iter().any(|it| it.sequence == *sequence);
            let case = failing::case(self.world, finding, false);
            let is_known = match &case.kind {
                TestKind::Failure { reason } => failing_already(standing, reason).is_some(),
                _ => true,
            };
            if became.is_crash() && !is_tested && !is_known {
                failing.cases.push(case);
                failing.deaths.push(None);
            }
        }
        failing::sort(findings);
    }

    /// The cases whose text is not that of a test that is there.
    fn without_known(
        &self,
        standing: &Standing,
        cases: Vec<TestCase>,
        drops: &mut Drops,
    ) -> Vec<TestCase> {
        if standing.is_empty() || cases.is_empty() {
            return cases;
        }
        let known: BTreeSet<String> = standing
            .tests()
            .map(|(_, it)| canonical(&it.text))
            .collect();
        let n_before = cases.len();
        let root = Names::of(self.writing).regression;
        let chosen = self.printed(root, standing, cases, drops).into_iter();
        let left = chosen.filter(|it| !known.contains(&canonical(&it.text)));
        let left: Vec<TestCase> = left.map(|it| it.case).collect();
        let why = "the tests that are there show all that it shows";
        drops.add("new test", why, (n_before - left.len()) as u64);
        left
    }

    /// The files of a root with these new tests in them.
    pub(crate) fn composed(
        &self,
        root: &'static str,
        standing: &Standing,
        cases: Vec<TestCase>,
        drops: &mut Drops,
    ) -> Root {
        let composed = self.composing(root, standing, standing, |it| it.compose(&cases));
        let n_lost = cases.len() - composed.tests.len();
        drops.add("test", "it has no text in Rust", n_lost as u64);
        let tests = composed.tests.clone();
        for condition in tests.iter().filter_map(|it| it.condition.as_ref()) {
            let reason = format!("not sure to hold but with `{condition}`: left out elsewhere");
            drops.add("test elsewhere", reason, 1);
        }
        Root {
            files: composed.sealed(standing, Some(&self.writing.run)),
            tests,
            cases,
            weights: BTreeMap::new(),
        }
    }

    /// Tests that could go, with the reason.
    fn proposed(&self, begun: &Begun, weighed: &Weighed, suite: &Suite) -> Vec<(At, String)> {
        let standing = &begun.standing;
        let is_offered = |at: &At| !begun.refused.has(Offer::Removal, &standing.test(*at).text);
        let fixed = begun.which(|it| *it == Fate::Fixed).into_iter();
        let why = "it passes now: what it shows does not happen any more";
        let mut proposed: Vec<(At, String)> = fixed
            .filter(is_offered)
            .map(|at| (at, why.to_owned()))
            .collect();
        // What the run adds is no measure as long as behaviour is in doubt.
        if self.is_partial || !begun.changes.is_empty() {
            return proposed;
        }
        let chosen: BTreeSet<&String> = suite.there.iter().map(|(_, name)| name).collect();
        let holding = standing
            .tests()
            .filter(|(at, _)| *begun.fates.of(*at) == Fate::Holds);
        let known = holding.filter_map(|(at, _)| Some((at, weighed.of(at)?)));
        let known: BTreeMap<At, &Weight> = known.collect();
        let candidates = known.keys().copied().filter(|at| {
            let is_ours = standing.test(*at).author == Author::Testsmith;
            is_ours && !chosen.contains(&standing.full_name(*at)) && is_offered(at)
        });
        let added = suite.regression.cases.iter();
        let added: Vec<Weight> = added.map(|it| Weight::of_case(self.world, it)).collect();
        let why = "others enter all code that it enters, kill all mutants that it kills, and call \
                   all that it calls";
        let worthless = worthless(&known, &candidates.collect(), &added).into_iter();
        proposed.extend(worthless.map(|at| (at, why.to_owned())));
        proposed
    }
}

impl Suite {
    /// A suite of which nothing is known.
    pub(crate) fn of(names: Names) -> Suite {
        Suite {
            names,
            regression: Root::default(),
            failures: Root::default(),
            unconfirmed: Vec::new(),
            refused: Vec::new(),
            there: Vec::new(),
            proposed: Vec::new(),
            n_unread: 0,
            code: None,
            n_waiting: 0,
        }
    }

    /// The new cases that have a regression test.
    pub fn regressions(&self) -> impl Iterator<Item = &TestCase> {
        let written = self.regression.tests.iter();
        written.map(|test| &self.regression.cases[test.case])
    }

    /// The new cases that have a failing test.
    pub fn failing(&self) -> impl Iterator<Item = &TestCase> {
        let written = self.failures.tests.iter();
        written.map(|test| &self.failures.cases[test.case])
    }

    /// What each regression test enters and kills, as far as it is known, by the test's name.
    pub fn worth(&self) -> impl Iterator<Item = (&str, &Worth)> {
        let old = self.regression.weights.iter();
        let old = old.map(|(name, weight)| (&**name, &weight.worth));
        let new = self.regression.tests.iter();
        let new = new.map(|it| (&*it.name, &self.regression.cases[it.case].worth));
        old.chain(new)
    }

    /// The regression tests of this run's cases, by name, whether they were there or not.
    pub fn named_regressions(&self) -> impl Iterator<Item = (String, &TestCase)> {
        let there = self.there.iter().map(|(case, name)| (name.clone(), case));
        let there = there.filter(|(_, case)| !matches!(case.kind, TestKind::Failure { .. }));
        let new = self.regression.tests.iter();
        there.chain(new.map(|it| (it.name.clone(), &self.regression.cases[it.case])))
    }

    /// The names of the new tests, of both kinds.
    pub(crate) fn added(&self) -> impl Iterator<Item = &EmittedTest> {
        self.regression.tests.iter().chain(&self.failures.tests)
    }

    /// The tests as the record lists them.
    pub fn test_reports(&self, target: &Target) -> Vec<TestReport> {
        use testsmith_record::TestKind::{Failure, Regression};
        let mut reports = Vec::new();
        for (root, kind) in [(&self.regression, Regression), (&self.failures, Failure)] {
            for file in &root.files {
                let path = relative(&target.package, &file.path);
                let tests = file.tests.iter();
                reports.extend(tests.map(|test| root.report(file, test, &path, kind)));
            }
        }
        reports
    }
}

impl Root {
    fn report(
        &self,
        file: &StandingFile,
        test: &StandingTest,
        path: &str,
        kind: testsmith_record::TestKind,
    ) -> TestReport {
        let name = file.full_name(test);
        let new = self.tests.iter().find(|it| it.name == name);
        let weight = self.weights.get(&name);
        let lines = test.text.lines().map(str::trim_start);
        let n_assertions = lines.filter(|line| line.starts_with("assert")).count();
        let panics = test.text.contains("#[should_panic") || test.text.contains("#[ignore");
        let kills = match new {
            Some(it) => self.cases[it.case].worth.kills.len(),
            None => weight.map_or(0, |it| it.worth.kills.len()),
        };
        TestReport {
            name,
            file: path.to_owned(),
            kind,
            n_calls: new.map_or(weight.map_or(0, |it| it.n_calls), |it| it.n_calls),
            n_assertions: (n_assertions as u32).max(u32::from(panics)),
            kills,
            line: test.lines.start as u32 + 1,
            condition: condition(&test.text),
            text: test.text.clone(),
        }
    }
}

/// The predicate of a test's `#[cfg(..)]`.
fn condition(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim);
    let found = lines.find_map(|line| line.strip_prefix("#[cfg(")?.strip_suffix(")]"));
    found.map(str::to_owned)
}
