//! What a run begins with: the suite that is there, read, compiled and run, and what the user wants to
//! become of it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use testsmith_equip::{Stage, Watch};
use testsmith_project::{Package, Scratch, check_within};
use testsmith_rig::Cell;

use crate::error::SuiteError;
use crate::place::{Destination, Names, relative};
use crate::printer::makers_seen_from;
use crate::settings::{Course, Writing};
use crate::standing::accept::{Accepted, accept};
use crate::standing::changed::{Change, calls, likely};
use crate::standing::refused::Refused;
use crate::standing::trial::{Fate, Fates, fates};
use crate::standing::{At, Author, Cut, Edit, Standing, StandingError, edited};
use crate::vet::Vetting;
use crate::write::put;

/// What a run begins with.
#[derive(Default)]
pub struct Begun {
    /// The suite as it was before anything was accepted.
    pub(crate) original: Standing,
    /// The suite as it goes on: accepted changes are in it.
    pub(crate) standing: Standing,
    pub(crate) fates: Fates,
    /// The files as they were found, with their texts.
    pub(crate) found: Vec<(PathBuf, String)>,
    /// How many tests there were.
    pub(crate) n_tests: usize,
    /// How many of them are a person's.
    pub(crate) n_persons: usize,
    /// What was accepted: of all that changed in a review, where each is shown before it is written.
    pub(crate) accepted: Accepted,
    /// Changes that were found, by the calls that are likely to have changed; before anything was
    /// accepted.
    pub(crate) changes: Vec<Changed>,
    pub(crate) refused: Refused,
    /// Names of tests whose change the user did not accept in a review.
    declined: BTreeSet<String>,
    /// Does the run start over?
    pub(crate) is_fresh: bool,
}

/// A test that shows a change of behaviour, with all that is said of it.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) call: String,
    pub(crate) name: String,
    pub(crate) file: String,
    /// Its first line, counted from 1.
    pub(crate) line: usize,
    pub(crate) author: Author,
    pub(crate) change: Change,
    pub(crate) text: String,
}

/// Reads the suite that is there and runs it.
pub fn begin(
    writing: &Writing,
    package: &Package,
    scratch: &Scratch,
    is_sandboxed: bool,
    watch: &mut Watch<'_>,
) -> Result<Begun, SuiteError> {
    // A suite that is compared with another version is nobody's to keep.
    if writing.apart {
        return Ok(Begun::default());
    }
    let dir = Destination::of(writing, package).dir;
    let names = Names::of(writing);
    let roots = match writing.only_failures {
        true => &[names.failures][..],
        false => &[names.regression, names.failures],
    };
    let mut standing = Standing::read(&dir, roots)?;
    let refused = Refused::read(&dir).map_err(|source| StandingError::Read {
        path: dir.clone(),
        source,
    })?;
    let mut begun = found(&standing, refused, &writing.course);
    for cut in &standing.cut {
        watch.note(kept_apart(cut, package));
    }
    if standing.is_empty() {
        return Ok(begun);
    }
    for path in standing.forget_removed() {
        let shown = relative(package, &path);
        watch.note(format!(
            "{shown} was removed, so it is not declared any more"
        ));
    }
    let (standing, is_accepted) = begun.course(standing, &writing.course);
    if standing.is_empty() {
        return Ok(begun);
    }
    if is_for_other_features(&standing, scratch, watch) {
        begun.fates = Fates::untried(&standing, "it is for other features than those of this run");
        begun.standing = standing.clone();
        begun.original = standing;
        return Ok(begun);
    }
    watch.enter(Stage::Standing);
    let makers = makers_seen_from(scratch, &dir);
    let vetting = Vetting {
        scratch,
        cells: &Cell::several(scratch, is_sandboxed)?,
        edition: &package.edition,
        module: makers.as_ref().map(|(_, file)| &**file),
        in_release: false,
    };
    let is_failures = |root: &str| root == names.failures;
    let mut standing = match begun.is_fresh {
        true => standing.without_idle_stand_ins(),
        false => standing,
    };
    begun.fates = fates(&vetting, &standing, &is_failures)?;
    if begun.is_fresh && !begun.fates.unused.is_empty() {
        standing = standing.without_imports(&begun.fates.unused);
        begun.fates = fates(&vetting, &standing, &is_failures)?;
    }
    begun.changes = changes(&standing, &begun.fates, package);
    begun.standing = standing.clone();
    begun.original = standing;
    if let Some(is_accepted) = is_accepted {
        let (standing, fates) = (&begun.standing, &begun.fates);
        begun.accepted = accept(&vetting, standing, fates, &is_failures, &*is_accepted)?;
        begun.standing = begun.accepted.standing.clone();
        begun.fates = begun.accepted.fates.clone();
        begun.say_unknown(&writing.course, watch);
    }
    Ok(begun)
}

/// Keeps what is left of a file that ends in the middle, and says so.
fn kept_apart(cut: &Cut, package: &Package) -> String {
    let shown = relative(package, &cut.path);
    let dir = package.target_dir.join("testsmith/cut-off");
    let name = shown.replace(['/', '\\'], "-");
    let kept = dir.join(format!("{}-{name}", package.name));
    let is_kept = match cut.text.trim().is_empty() {
        true => Ok(false),
        false => check_within(&kept, &package.target_dir)
            .and_then(|()| put(&kept, &dir, &cut.text))
            .map(|()| true),
    };
    let rest = match is_kept {
        Ok(true) => format!("; what was left of it is in {}", kept.display()),
        Ok(false) => String::new(),
        Err(error) => format!("; what was left of it cannot be kept: {error}"),
    };
    format!("{shown} ends in the middle, so its tests are written anew{rest}")
}

/// What is known before anything runs.
fn found(standing: &Standing, refused: Refused, course: &Course) -> Begun {
    let is_cut = |path: &PathBuf| standing.cut.iter().any(|it| it.path == *path);
    let files = standing.files.iter().filter(|it| !is_cut(&it.path));
    let files = files.map(|it| (it.path.clone(), it.text.clone()));
    let cut = standing.cut.iter();
    let cut = cut.map(|it| (it.path.clone(), it.text.clone()));
    let persons = standing
        .tests()
        .filter(|(_, it)| it.author == Author::Person);
    Begun {
        found: files.chain(cut).collect(),
        n_tests: standing.tests().count(),
        n_persons: persons.count(),
        refused,
        is_fresh: matches!(course, Course::Fresh),
        ..Begun::default()
    }
}

/// Does the suite depend on other features than those that are chosen? Then nothing is added to it, and
/// the user is told.
fn is_for_other_features(standing: &Standing, scratch: &Scratch, watch: &mut Watch<'_>) -> bool {
    let bare = |text: String| text.replace(char::is_whitespace, "");
    let chosen = scratch.condition().map(bare);
    let mut roots = standing.files.iter().filter(|it| it.module.is_none());
    let is_other = roots.any(|it| it.condition != chosen);
    if is_other {
        watch.note(
            "the tests that are there are for other features than those of this run, so they are not \
             run, and nothing is added to them: choose their features, another --out, or --fresh",
        );
    }
    is_other
}

/// Says whether the change that a test shows is accepted.
type IsAccepted = Box<dyn Fn(&str) -> bool>;

impl Begun {
    /// The suite that the run goes on with, and which changes are accepted, if any are.
    fn course(&self, standing: Standing, course: &Course) -> (Standing, Option<IsAccepted>) {
        match course {
            Course::Usual => (standing, None),
            Course::Review => (standing, Some(Box::new(|_: &str| true))),
            Course::Accept(names) => {
                let names = names.clone();
                let is_accepted = move |name: &str| {
                    let is_it = |it: &String| it == name || name.ends_with(&format!("::{it}"));
                    names.is_empty() || names.iter().any(is_it)
                };
                (standing, Some(Box::new(is_accepted)))
            }
            Course::Fresh => {
                let tests = standing.tests();
                let ours = tests.filter(|(_, it)| it.author == Author::Testsmith);
                let ours: BTreeSet<At> = ours.map(|(at, _)| at).collect();
                (standing.without(&ours), None)
            }
        }
    }

    /// Tells the user which names stand for no test that changed.
    fn say_unknown(&self, course: &Course, watch: &mut Watch<'_>) {
        let Course::Accept(names) = course else {
            return;
        };
        let is_named = |it: &str, name: &str| it == name || it.ends_with(&format!("::{name}"));
        for name in names {
            let mut done = self.accepted.rewritten.iter();
            let mut gone = self.accepted.taken_out.iter();
            if done.any(|it| is_named(it, name)) || gone.any(|(it, _)| is_named(it, name)) {
                continue;
            }
            let is_it = |it: &&Changed| it.name == *name || it.name.ends_with(&format!("::{name}"));
            match self.changes.iter().find(is_it) {
                None => watch.note(format!(
                    "--accept {name}: no test of this name shows a change"
                )),
                Some(it) if it.author == Author::Person => watch.note(format!(
                    "--accept {name}: a person wrote or edited it, so only a person changes it"
                )),
                Some(_) => {}
            }
        }
    }

    /// Is there a suite, and was none of it run?
    pub fn is_untried(&self) -> bool {
        let mut tests = self.standing.tests().peekable();
        let is_untried = |at: At| matches!(self.fates.of(at), Fate::Untried(_));
        tests.peek().is_some() && tests.all(|(at, _)| is_untried(at))
    }

    /// Tests that fail, or do not compile, and nobody accepted that.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Changed> {
        let broken: BTreeSet<String> = self
            .fates
            .broken()
            .into_iter()
            .map(|at| self.standing.full_name(at))
            .collect();
        let is_open = move |name| broken.contains(name) || self.declined.contains(name);
        self.changes.iter().filter(move |it| is_open(&it.name))
    }

    /// How many changes the user did not accept in a review.
    pub(crate) fn n_declined(&self) -> usize {
        self.declined.len()
    }

    /// A review came to its end: this is the suite now, and these changes were accepted.
    pub(crate) fn settled(
        &mut self,
        standing: Standing,
        accepted: BTreeSet<String>,
        rewritten: &[(At, String)],
        out: &BTreeSet<At>,
    ) {
        let name = |at: &At| self.original.full_name(*at);
        let taken_out = out
            .iter()
            .map(|at| (name(at), self.original.test(*at).text.clone()));
        let taken_out = taken_out.collect();
        let rewritten = rewritten.iter().map(|(at, _)| name(at)).collect();
        let changed = self.changes.iter().map(|it| it.name.clone());
        self.declined = changed.filter(|it| !accepted.contains(it)).collect();
        self.accepted.rewritten = rewritten;
        self.accepted.taken_out = taken_out;
        self.standing = standing;
        self.fates = Fates::default();
    }

    /// The last segments of calls of tests that were taken out.
    pub(crate) fn replaced_calls(&self) -> BTreeSet<String> {
        let texts = self.accepted.taken_out.iter().map(|(_, text)| text);
        let calls = texts.flat_map(|text| calls(text, None));
        calls
            .map(|it| it.rsplit("::").next().unwrap_or(&it).to_owned())
            .collect()
    }

    /// The suite as it compiles, without tests that do not hold.
    pub(crate) fn compiling(&self) -> Standing {
        let out = self
            .fates
            .which(|it| *it != Fate::Holds && *it != Fate::Fixed);
        let texts = self.fates.compiling.iter().enumerate().map(|(i, text)| {
            let file = &self.standing.files[i];
            let of_file = out.iter().filter(|at| at.file == i);
            let edits = of_file.map(|at| {
                let lines = file.tests[at.test].lines.clone();
                Edit {
                    with: vec![String::new(); lines.len()],
                    lines,
                }
            });
            edited(text, edits.collect())
        });
        self.standing.with_texts(texts.collect())
    }

    /// Tests that passed some of their runs, that are fixed, or that were not run, with the reason.
    pub(crate) fn which(&self, is_it: impl Fn(&Fate) -> bool) -> Vec<At> {
        self.fates.which(is_it).into_iter().collect()
    }
}

fn changes(standing: &Standing, fates: &Fates, package: &Package) -> Vec<Changed> {
    let likely = likely(standing, fates).into_iter();
    let changes = likely.flat_map(|it| {
        let call = it.call;
        it.changes
            .into_iter()
            .map(move |change| (call.clone(), change))
    });
    let changes = changes.map(|(call, change)| {
        let (file, test) = (standing.file(change.at), standing.test(change.at));
        let path = file.path.strip_prefix(&package.dir).unwrap_or(&file.path);
        Changed {
            call,
            name: standing.full_name(change.at),
            file: path.display().to_string(),
            line: test.lines.start + 1,
            author: test.author,
            text: test.text.clone(),
            change,
        }
    });
    changes.collect()
}
