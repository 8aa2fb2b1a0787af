//! Keeps what a run found out, and decides how much of it still holds in the next.
//!
//! A verdict depends on the mutant's function, on the tests that were asked, and on everything
//! outside of functions. It is used again if none of these has changed.
//!
//! **A verdict rests on tokens.** Digests of each function's tokens, of everything outside
//! functions, and of each test with what tests share say what changed; comments, line breaks and
//! documentation do not count. What rustc refused of the copy is known by names of mutants; if
//! nothing outside of functions changed, a second copy is not checked at all, since no test
//! compiles if it does not. What tests reach is kept, too: one that enters no changed function, and
//! none whose verdict has to be found, is not run again, and examples of the documentation and test
//! programs that have only such are not even built then. Where all examples are built as one, those
//! that nobody needs are marked as ignored in a copy of the package for as long as that takes.

#![expect(clippy::disallowed_methods, reason = "what is kept is a file")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use testsmith_harness::{Copied, Known, MutantId, RegionId, Texts};
use testsmith_project::{Twin, write_whole};
use testsmith_record::{Impact, MutantReport, MutantsReport, Noticed, Status};

use testsmith_rig::{
    COMPILED_ONLY, DocumentationLines, Own, OwnTest, Profile, Selection, all_documentation, digest,
    tests_and_names,
};

/// The version of this format. A file in another version is ignored.
const FORMAT: u32 = 1;

/// Everything that is kept for a package.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    /// The version of the file. Digests are the same in every build of testsmith, but what goes
    /// into them may change with the format.
    format: u32,
    /// A digest of all files and settings: if it is the same, nothing has changed.
    pub(crate) everything: u64,
    /// A digest of what every verdict depends on: settings, surroundings, and code outside of
    /// functions.
    pub(crate) ground: u64,
    /// Digests of functions, by file and name.
    functions: BTreeMap<String, u64>,
    verdicts: BTreeMap<String, KnownVerdict>,
    /// What each test does with no mutant active, by key.
    tests: BTreeMap<String, KnownTest>,
    /// What is known of examples of the documentation.
    examples: Option<KnownExamples>,
    /// What is known of targets with tests.
    targets: KnownTargets,
    /// The functions that tests compute constants with, by file and name, and a digest of the
    /// candidates that rustc was asked about.
    pub(crate) constants: Option<(u64, BTreeSet<String>)>,
    /// Dependencies that tests were built with.
    pub(crate) needed: Option<BTreeSet<String>>,
    /// The most builds that were allowed so far to look for equivalents.
    equivalents: usize,
    /// What rustc said of the mutants in the copy.
    pub(crate) copy: Option<Known>,
    /// The whole record, if no question was left open.
    pub(crate) report: Option<MutantsReport>,
}

/// What tests said about a mutant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KnownVerdict {
    function: u64,
    status: Status,
    killed_by: Option<String>,
    how: Option<Noticed>,
    reason: Option<String>,
    impact: Option<Impact>,
    compared: bool,
    /// Digests of the tests that were asked, by key: all of them if none noticed the mutant, else
    /// only the one that did.
    asked: BTreeMap<String, u64>,
}

/// Tests of the documentation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct KnownExamples {
    /// A digest of all documentation.
    digest: u64,
    /// For each example: its file, its item, and the number of its line among the lines of
    /// documentation.
    places: Vec<(PathBuf, String, usize)>,
    /// How many examples are not run.
    left_out: Option<usize>,
}

/// Targets with tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KnownTargets {
    /// The digest that [`tests_and_names`] gives.
    digest: u64,
    /// The root file of each target.
    roots: BTreeMap<String, PathBuf>,
    /// The names of the tests in each file of `tests`, if the profile of every one of them is
    /// known.
    tests: BTreeMap<String, Vec<String>>,
}

/// What a test does with no mutant active.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct KnownTest {
    digest: u64,
    seconds: f64,
    turns: u64,
    /// The functions that it enters, each with its regions by their numbers in the function. With
    /// each region stands how often it is entered, if that is the same each time.
    reached: BTreeMap<String, Vec<(u32, Option<u64>)>>,
}

/// How much of an earlier verdict holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Holds {
    /// All of it.
    Whole,
    /// All of it, if these tests do not notice the mutant either.
    But(Vec<usize>),
    /// Nothing of it.
    Not,
}

/// The key of a function, as [`testsmith_harness::Mutant::function_key`] has it.
fn key(file: &Path, function: &str) -> String {
    format!("{} {function}", file.display())
}

/// Digests of all functions, by key.
pub(crate) fn functions(texts: &Texts) -> BTreeMap<String, u64> {
    let functions = texts.functions.iter();
    functions
        .map(|((file, name), text)| (key(file, name), digest(text)))
        .collect()
}

impl Memory {
    /// Reads the file; nothing is known if it cannot be read or is in another format.
    pub(crate) fn read(path: &Path) -> Memory {
        let bytes = fs::read(path).unwrap_or_default();
        let memory: Memory = serde_json::from_slice(&bytes).unwrap_or_default();
        match memory.format {
            FORMAT => memory,
            _ => Memory::default(),
        }
    }

    /// Writes the file as a whole or not at all, so that an interruption leaves the old one.
    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        let memory = Memory {
            format: FORMAT,
            ..self.clone()
        };
        write_whole(path, serde_json::to_vec(&memory)?)
    }

    /// Forgets everything that was found out on another ground.
    pub(crate) fn stand_on(&mut self, ground: u64) {
        if self.ground != ground {
            self.ground = ground;
            self.verdicts.clear();
            self.tests.clear();
            self.needed = None;
            self.examples = None;
            self.targets = KnownTargets::default();
            self.constants = None;
        }
        self.report = None;
    }

    /// Functions that are new or have changed.
    pub(crate) fn changed(&self, now: &BTreeMap<String, u64>) -> BTreeSet<String> {
        let is_new = |(name, digest): &(&String, &u64)| self.functions.get(*name) != Some(*digest);
        now.iter().filter(is_new).map(|it| it.0.clone()).collect()
    }

    /// Names of the mutants that survived or were not reached in the last run.
    pub(crate) fn survivors(&self) -> BTreeSet<&str> {
        let open = |it: &KnownVerdict| matches!(it.status, Status::Survived | Status::Unreached);
        let survivors = self.verdicts.iter().filter(|(_, it)| open(it));
        survivors.map(|(name, _)| name.as_str()).collect()
    }

    /// Must tests be asked again, whichever tests reach the mutant? `digest_of` gives a test's
    /// digest by its key.
    pub(crate) fn is_needy(
        &self,
        copied: &Copied,
        id: MutantId,
        functions: &BTreeMap<String, u64>,
        digest_of: &dyn Fn(&str) -> Option<u64>,
    ) -> bool {
        let Some(verdict) = self.verdict(copied, id, functions) else {
            return true;
        };
        // A mutant that no test reached then may be reached now, but only by tests that have
        // changed, and these run in any case.
        let is_same = |(key, digest): (&String, &u64)| digest_of(key) == Some(*digest);
        verdict.status == Status::Killed && !verdict.asked.iter().all(is_same)
    }

    fn verdict(
        &self,
        copied: &Copied,
        id: MutantId,
        functions: &BTreeMap<String, u64>,
    ) -> Option<&KnownVerdict> {
        let mutant = copied.mutant(id);
        let verdict = self.verdicts.get(&mutant.name)?;
        let function = functions.get(&mutant.function_key());
        (function == Some(&verdict.function)).then_some(verdict)
    }

    /// How much of a mutant's verdict holds if these tests reach it.
    pub(crate) fn holds(
        &self,
        copied: &Copied,
        id: MutantId,
        functions: &BTreeMap<String, u64>,
        own: &Own,
        reaching: &[usize],
    ) -> Holds {
        let Some(verdict) = self.verdict(copied, id, functions) else {
            return Holds::Not;
        };
        if verdict.status == Status::Unreached {
            return Holds::Not;
        }
        let is_asked = |i: &usize| {
            let test = &own.tests[*i];
            verdict.asked.get(&test.key) == Some(&test.digest)
        };
        match verdict.status {
            Status::Killed if reaching.iter().any(is_asked) => Holds::Whole,
            Status::Killed => Holds::Not,
            Status::Equivalent => Holds::Whole,
            _ => {
                let new = reaching.iter().copied().filter(|it| !is_asked(it));
                let new: Vec<usize> = new.collect();
                match new.is_empty() {
                    true => Holds::Whole,
                    false => Holds::But(new),
                }
            }
        }
    }

    /// Copies the kept verdict of a mutant into its report. `names` are the names of tests by their
    /// keys.
    pub(crate) fn tell(&self, mutant: &mut MutantReport, names: &BTreeMap<&str, &str>) {
        let Some(verdict) = self.verdicts.get(&mutant.name) else {
            return;
        };
        mutant.status = verdict.status;
        let killer = verdict.killed_by.as_deref().and_then(|it| names.get(it));
        mutant.killed_by = killer.into_iter().map(|it| (*it).to_owned()).collect();
        mutant.how = verdict.how;
        mutant.reason.clone_from(&verdict.reason);
        mutant.impact = verdict.impact;
        mutant.compared = verdict.compared;
        mutant.reused = true;
    }

    /// Keeps the verdict of a mutant.
    pub(crate) fn learn(
        &mut self,
        mutant: &MutantReport,
        functions: &BTreeMap<String, u64>,
        own: &Own,
        reaching: &[usize],
    ) {
        let is_killer = |test: &OwnTest| mutant.killed_by.contains(&test.name);
        let asked = reaching.iter().map(|i| &own.tests[*i]);
        let asked = asked.filter(|it| mutant.status != Status::Killed || is_killer(it));
        let killer = own.tests.iter().find(|it| is_killer(it));
        let verdict = KnownVerdict {
            function: functions
                .get(&key(Path::new(&mutant.file), &mutant.function))
                .copied()
                .unwrap_or(0),
            status: mutant.status,
            killed_by: killer.map(|it| it.key.clone()),
            how: mutant.how,
            reason: mutant.reason.clone(),
            impact: mutant.impact,
            compared: mutant.compared,
            asked: asked.map(|it| (it.key.clone(), it.digest)).collect(),
        };
        self.verdicts.insert(mutant.name.clone(), verdict);
    }

    /// Keeps the present digests of functions, and the profiles of tests.
    pub(crate) fn settle(
        &mut self,
        copied: &Copied,
        functions: BTreeMap<String, u64>,
        own: &Own,
        twin: &Twin,
    ) {
        let names: BTreeSet<&str> = copied.mutants.iter().map(|it| it.name.as_str()).collect();
        self.verdicts
            .retain(|name, _| names.contains(name.as_str()));
        self.functions = functions;
        self.needed.clone_from(&own.needed);
        self.examples = examples(own, twin);
        self.targets = targets(own, &twin.package);
        let places = places(copied);
        let fit = own.tests.iter().zip(&own.profiles);
        let fit = fit.filter(|(_, profile)| profile.unfit.is_none());
        self.tests = fit
            .map(|(test, profile)| {
                let mut reached: BTreeMap<String, Vec<(u32, Option<u64>)>> = BTreeMap::new();
                for region in &profile.reached {
                    let (function, n) = places[region.0 as usize].clone();
                    let entered = profile.counts.get(region).copied();
                    reached.entry(function).or_default().push((n, entered));
                }
                let known = KnownTest {
                    digest: test.digest,
                    seconds: profile.seconds,
                    turns: profile.turns,
                    reached,
                };
                (test.key.clone(), known)
            })
            .collect();
    }

    /// Which targets with tests have to be built if these functions have changed. Targets are idle
    /// if none of their tests reaches a changed function.
    pub(crate) fn selection(&self, package: &Path, changed: &BTreeSet<String>) -> Selection {
        let known = &self.targets;
        if known.roots.is_empty() || known.digest != tests_and_names(package) {
            return Selection::default();
        }
        let goes_there = |target: &str, name: &str| {
            let test = self.tests.get(&testsmith_rig::key(target, name));
            test.is_none_or(|it| it.reached.keys().any(|it| changed.contains(it)))
        };
        let mut selection = Selection::default();
        for (target, root) in &known.roots {
            match known.tests.get(target) {
                Some(names) if !names.iter().any(|name| goes_there(target, name)) => {
                    let idle = (root.clone(), names.clone());
                    selection.idle.insert(target.clone(), idle);
                }
                _ => selection.built.push(target.clone()),
            }
        }
        match selection.built.is_empty() {
            true => Selection::default(),
            false => selection,
        }
    }

    /// The names of the examples, and how many others are not run, if the documentation has not
    /// changed.
    pub(crate) fn examples(&self, twin: &Twin) -> Option<(Vec<String>, Option<usize>)> {
        let known = self.examples.as_ref()?;
        if known.digest != all_documentation(&twin.root()) {
            return None;
        }
        let mut lines = DocumentationLines::of(twin.root());
        let names = known.places.iter().map(|(file, item, number)| {
            let line = lines.line(file, *number)?;
            Some(format!("{item} (line {line})"))
        });
        Some((names.collect::<Option<_>>()?, known.left_out))
    }

    /// Digests of tests in the earlier run, by key.
    pub(crate) fn digests(&self) -> BTreeMap<&str, u64> {
        let tests = self.tests.iter();
        tests.map(|(key, it)| (key.as_str(), it.digest)).collect()
    }

    /// Is any example of the documentation known?
    pub(crate) fn has_docs(&self) -> bool {
        self.tests.keys().any(|key| key.starts_with("doc "))
    }

    /// The kept profiles of these tests, by position. A test has none if it has changed or reaches
    /// one of the needy functions.
    pub(crate) fn profiles(
        &self,
        tests: &[OwnTest],
        needy: &BTreeSet<String>,
        copied: &Copied,
    ) -> BTreeMap<usize, Profile> {
        let places = places(copied);
        let ids = by_place(&places);
        let known = |test: &OwnTest| {
            let known = self.tests.get(&test.key)?;
            let is_needed = known.reached.keys().any(|it| needy.contains(it));
            if known.digest != test.digest || is_needed {
                return None;
            }
            let mut profile = Profile {
                seconds: known.seconds,
                turns: known.turns,
                ..Profile::default()
            };
            for (function, regions) in &known.reached {
                for (n, entered) in regions {
                    let id = *ids.get(&(function.as_str(), *n))?;
                    profile.reached.insert(id);
                    profile.counts.extend(entered.map(|entered| (id, entered)));
                }
            }
            Some(profile)
        };
        let tests = tests.iter().enumerate();
        tests
            .filter_map(|(i, test)| Some((i, known(test)?)))
            .collect()
    }

    /// For each of these tests, by position, the regions that it did not enter equally often each
    /// time. A test that has changed is not in it.
    pub(crate) fn unsteady(
        &self,
        tests: &[OwnTest],
        copied: &Copied,
    ) -> BTreeMap<usize, BTreeSet<RegionId>> {
        let places = places(copied);
        let ids = by_place(&places);
        let regions = |known: &KnownTest| {
            let mut unsteady = BTreeSet::new();
            for (function, regions) in &known.reached {
                let regions = regions.iter().filter(|(_, entered)| entered.is_none());
                let regions = regions.filter_map(|(n, _)| ids.get(&(function.as_str(), *n)));
                unsteady.extend(regions);
            }
            unsteady
        };
        let tests = tests.iter().enumerate();
        tests
            .filter_map(|(i, test)| {
                let known = self.tests.get(&test.key)?;
                (known.digest == test.digest).then(|| (i, regions(known)))
            })
            .collect()
    }

    /// May survivors that were not compared in an earlier run be compared now, because more builds
    /// are allowed?
    pub(crate) fn compares_more(&self, builds: usize) -> bool {
        builds > self.equivalents
    }

    /// Keeps how many builds were allowed.
    pub(crate) fn compared(&mut self, builds: usize) {
        self.equivalents = self.equivalents.max(builds);
    }
}

/// What is kept of targets with tests. A target is always built if its root is outside of `tests`,
/// or if one of its tests is unfit.
fn targets(own: &Own, package: &Path) -> KnownTargets {
    let names = |target: &str| {
        let tests = own.tests.iter().zip(&own.profiles);
        let mut tests = tests.filter(|(test, _)| test.target == target);
        tests.try_fold(Vec::new(), |mut names, (test, profile)| {
            names.push(test.exact().filter(|_| profile.unfit.is_none())?.to_owned());
            Some(names)
        })
    };
    let programs = own
        .targets
        .iter()
        .filter(|(target, root)| target.starts_with("test ") && root.starts_with("tests"));
    KnownTargets {
        digest: tests_and_names(package),
        tests: programs
            .filter_map(|(target, _)| Some((target.clone(), names(target)?)))
            .collect(),
        roots: own.targets.clone(),
    }
}

/// What is kept of the examples, if there are any.
fn examples(own: &Own, twin: &Twin) -> Option<KnownExamples> {
    let examples = own.tests.iter().filter(|it| it.is_example());
    let mut lines = DocumentationLines::of(twin.root());
    let places = examples.map(|test| {
        let name = test.name.strip_prefix("doc ")?;
        let (item, line) = name.rsplit_once(" (line ")?;
        let file = PathBuf::from(item.split_once(" -")?.0);
        let line = line.strip_suffix(')')?.parse().ok()?;
        let number = lines.number(&file, line)?;
        Some((file, item.to_owned(), number))
    });
    let places: Vec<_> = places.collect::<Option<_>>()?;
    (!places.is_empty()).then(|| KnownExamples {
        places,
        digest: all_documentation(&twin.root()),
        left_out: own.left_out.get(COMPILED_ONLY).copied(),
    })
}

/// For every region its function, and its number among the regions of that function.
fn places(copied: &Copied) -> Vec<(String, u32)> {
    let mut n_before: BTreeMap<String, u32> = BTreeMap::new();
    let place = |region: &testsmith_harness::Region| {
        let key = key(&region.file, &region.function);
        let n = n_before.entry(key.clone()).or_default();
        *n += 1;
        (key, *n)
    };
    copied.regions.iter().map(place).collect()
}

fn by_place(places: &[(String, u32)]) -> BTreeMap<(&str, u32), RegionId> {
    let places = places.iter().zip(0..);
    places
        .map(|((function, n), id)| ((function.as_str(), *n), RegionId(id)))
        .collect()
}

/// The key of the function that a mutant is in.
pub(crate) fn function_of(copied: &Copied, id: MutantId) -> String {
    copied.mutant(id).function_key()
}

/// The file that is kept for a package.
pub(crate) fn path(target_dir: &Path, package: &str) -> PathBuf {
    target_dir.join(format!("testsmith/mutants/{package}.json"))
}

#[cfg(test)]
mod tests {
    use testsmith_harness::Mutant;

    use super::*;

    const MUTANT: MutantId = MutantId(1);
    const FUNCTION: &str = "src/lib.rs add";

    #[test]
    fn foreign_bytes_of_kept_verdicts_are_read_or_forgotten() {
        let test = KnownTest {
            reached: BTreeMap::from([(FUNCTION.to_owned(), vec![(0, Some(3)), (1, None)])]),
            ..KnownTest::default()
        };
        let memory = Memory {
            format: FORMAT,
            functions: functions(7),
            tests: BTreeMap::from([("a".to_owned(), test)]),
            ..Memory::default()
        };
        let sample = serde_json::to_vec(&memory).expect("it is JSON");
        testsmith_noise::throw("kept-verdicts", &[sample], |bytes| {
            let mut memory = match serde_json::from_slice::<Memory>(bytes) {
                Ok(memory) => memory,
                Err(error) => return testsmith_noise::plain(&error.to_string()),
            };
            let changed = memory.changed(&functions(7)).len();
            let survivors = memory.survivors().len();
            memory.stand_on(0);
            let is_needy = memory.is_needy(&copied(), MUTANT, &functions(7), &|_| Some(1));
            format!("{changed} {survivors} {is_needy}")
        });
    }

    /// A crate with one function and one mutant.
    fn copied() -> Copied {
        let mut copied = Copied::default();
        copied.mutants.push(Mutant {
            name: "add: `+` -> `-`".to_owned(),
            file: PathBuf::from("src/lib.rs"),
            line: 1,
            function: "add".to_owned(),
            first: MUTANT,
            region: None,
            operator: "arithmetic",
            original: "+".to_owned(),
            replacement: "-".to_owned(),
            is_freed: false,
            sameness: None,
            suppressed: None,
            range: 0..1,
            edit: "-".to_owned(),
        });
        copied
    }

    /// Its function with a body of this digest.
    fn functions(digest: u64) -> BTreeMap<String, u64> {
        BTreeMap::from([(FUNCTION.to_owned(), digest)])
    }

    /// Two tests whose texts have these digests.
    fn own(digests: [u64; 2]) -> Own {
        let tests = ["a", "b"].iter().zip(digests);
        Own {
            tests: tests
                .map(|(name, digest)| OwnTest::unbuilt("lib x", name, digest))
                .collect(),
            profiles: vec![Profile::default(); 2],
            ..Own::default()
        }
    }

    /// What was found out about the mutant by tests that reach it.
    fn memory(status: Status, killer: Option<&str>, reaching: &[usize]) -> Memory {
        let mutant = MutantReport {
            name: copied().mutant(MUTANT).name.clone(),
            file: "src/lib.rs".to_owned(),
            function: "add".to_owned(),
            status,
            killed_by: killer.into_iter().map(str::to_owned).collect(),
            ..MutantReport::default()
        };
        let mut memory = Memory::default();
        memory.learn(&mutant, &functions(1), &own([10, 20]), reaching);
        memory
    }

    fn holds(memory: &Memory, function: u64, tests: [u64; 2], reaching: &[usize]) -> Holds {
        memory.holds(
            &copied(),
            MUTANT,
            &functions(function),
            &own(tests),
            reaching,
        )
    }

    #[test]
    fn a_kill_holds_as_long_as_its_function_and_its_killer_are_what_they_were() {
        let memory = memory(Status::Killed, Some("lib x a"), &[0, 1]);
        assert_eq!(holds(&memory, 1, [10, 20], &[0, 1]), Holds::Whole);
        // Another test may change.
        assert_eq!(holds(&memory, 1, [10, 21], &[0, 1]), Holds::Whole);
        assert_eq!(holds(&memory, 1, [11, 20], &[0, 1]), Holds::Not);
        assert_eq!(holds(&memory, 2, [10, 20], &[0, 1]), Holds::Not);
        // The killer does not go there any more.
        assert_eq!(holds(&memory, 1, [10, 20], &[1]), Holds::Not);
    }

    #[test]
    fn of_a_survivor_only_tests_are_asked_that_were_not() {
        let memory = memory(Status::Survived, None, &[0]);
        assert_eq!(holds(&memory, 1, [10, 20], &[0]), Holds::Whole);
        assert_eq!(holds(&memory, 1, [10, 20], &[0, 1]), Holds::But(vec![1]));
        assert_eq!(holds(&memory, 1, [11, 20], &[0]), Holds::But(vec![0]));
    }

    #[test]
    fn what_no_test_reached_is_asked_again() {
        let memory = memory(Status::Unreached, None, &[]);
        assert_eq!(holds(&memory, 1, [10, 20], &[0]), Holds::Not);
    }

    #[test]
    fn another_ground_forgets_verdicts() {
        let mut memory = memory(Status::Survived, None, &[0]);
        memory.stand_on(memory.ground);
        assert_eq!(memory.survivors().len(), 1);
        memory.stand_on(7);
        assert!(memory.survivors().is_empty());
    }

    #[test]
    fn what_another_format_kept_is_forgotten() {
        let path = std::env::temp_dir().join("testsmith-memory/kept.json");
        let memory = memory(Status::Survived, None, &[0]);
        memory.write(&path).expect("it can be written");
        assert_eq!(Memory::read(&path).survivors().len(), 1);
        let text = fs::read_to_string(&path).expect("it was written");
        let format = format!("\"format\":{FORMAT}");
        assert!(text.contains(&format), "{text}");
        fs::write(&path, text.replace(&format, "\"format\":0")).expect("it can be written");
        assert!(Memory::read(&path).survivors().is_empty());
    }
}
