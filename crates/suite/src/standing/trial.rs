//! Compiles and runs the suite that is there, in the scratch workspace.
//!
//! A test that does not compile any more is taken out, and the others are tried without it. A test
//! that fails is run again by itself: what passes then does not show a change.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use syn::UseTree;
use syn::spanned::Spanned;
use testsmith_project::{Diagnostic, Inmate, Run, Span};
use testsmith_rig::{TestRun, each_of_all, run_tests};

use super::changed::{Broke, broke};
use super::text::parse;
use super::{At, Author, Edit, Standing, StandingFile, Usual, edited};
use crate::vet::{MAX_SECONDS, SUSPECT_SECONDS, VetError, Vetting, compile, in_scratch};

/// Rounds of taking out what does not compile.
const MAX_ROUNDS: usize = 20;

/// What became of a test that is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It still passes; or it shows a failure and still fails.
    Holds,
    /// It fails now, or does not compile any more.
    Broken(Broke),
    /// It shows a failure, and passes now.
    Fixed,
    /// It fails in some runs only.
    Flickers,
    /// It was not run, for this reason.
    Untried(String),
}

/// What became of the suite that is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fates {
    fates: BTreeMap<At, Fate>,
    /// The texts of the files that compile, in the order of the files.
    pub(crate) compiling: Vec<String>,
    /// Imports that nothing uses, or that cannot be resolved and no test mentions: the file, the line, counted from 0, and the name.
    pub(crate) unused: Vec<(usize, usize, String)>,
}

impl Fates {
    /// None of the tests was run, for one reason.
    pub(crate) fn untried(standing: &Standing, why: &str) -> Fates {
        let untried = |(at, _)| (at, Fate::Untried(why.to_owned()));
        Fates {
            fates: standing.tests().map(untried).collect(),
            compiling: standing.files.iter().map(|it| it.text.clone()).collect(),
            ..Fates::default()
        }
    }

    /// What became of a test.
    pub(crate) fn of(&self, at: At) -> &Fate {
        self.fates.get(&at).unwrap_or(&Fate::Holds)
    }

    /// The tests that ended like this.
    pub(crate) fn which(&self, is_it: impl Fn(&Fate) -> bool) -> BTreeSet<At> {
        let which = self.fates.iter().filter(|(_, fate)| is_it(fate));
        which.map(|(at, _)| *at).collect()
    }

    /// Tests that fail now, or do not compile any more.
    pub(crate) fn broken(&self) -> BTreeSet<At> {
        self.which(|fate| matches!(fate, Fate::Broken(_)))
    }
}

/// Tries the suite that is there. `is_failures` says which roots have tests that show failures.
pub(crate) fn fates(
    vetting: &Vetting<'_>,
    standing: &Standing,
    is_failures: &dyn Fn(&str) -> bool,
) -> Result<Fates, VetError> {
    let mut fates = Fates::default();
    if standing.is_empty() {
        return Ok(fates);
    }
    let binaries = compiled(vetting, standing, &mut fates)?;
    for root in standing.roots() {
        let tests = standing.tests().filter(|(at, test)| {
            let is_run = test.usual == Usual::Passes || is_failures(root);
            standing.file(*at).root == root && is_run && !fates.fates.contains_key(at)
        });
        let tests = tests.map(|(at, test)| (at, standing.full_name(at), test.usual));
        let (passing, ignored): (Vec<_>, Vec<_>) =
            tests.partition(|(_, _, usual)| *usual == Usual::Passes);
        let named = |tests: Vec<(At, String, Usual)>| -> Vec<(At, String)> {
            tests.into_iter().map(|(at, name, _)| (at, name)).collect()
        };
        let (passing, ignored) = (named(passing), named(ignored));
        let Some(binary) = binaries.get(root) else {
            continue;
        };
        let found = tried(vetting, binary, standing, &passing, &ignored)?;
        fates.fates.extend(found);
    }
    Ok(fates)
}

/// What becomes of the tests of one binary: those that pass as a rule, and those that are ignored
/// because they fail.
fn tried(
    vetting: &Vetting<'_>,
    binary: &Path,
    standing: &Standing,
    passing: &[(At, String)],
    ignored: &[(At, String)],
) -> Result<Vec<(At, Fate)>, VetError> {
    let mut found = Vec::new();
    if !passing.is_empty() {
        let args = ["--test-threads", "2"];
        let cell = &vetting.cells[0];
        let whole = run_tests(cell, binary, &args, Inmate::TestBinary, MAX_SECONDS)?;
        // A test that ends the process leaves nothing to know of the others.
        let is_suspect = |name: &String| !whole.complete || whole.failed.contains_key(name);
        let suspects = passing.iter().filter(|(_, name)| is_suspect(name));
        let suspects: Vec<(At, String)> = suspects.cloned().collect();
        for (at, run) in alone(vetting, binary, &suspects, &[])? {
            let name = standing.full_name(at);
            let failed_among_others = whole.complete;
            let fate = match (is_failed(&run, &name), failed_among_others) {
                (false, false) => continue,
                (false, true) => Fate::Flickers,
                (true, _) => {
                    let again = alone(vetting, binary, &[(at, name.clone())], &[])?;
                    match again.first().is_some_and(|(_, run)| is_failed(run, &name)) {
                        true => Fate::Broken(broke(standing, at, &run, &name)),
                        false => Fate::Flickers,
                    }
                }
            };
            found.push((at, fate));
        }
        let is_unknown = |name: &String| whole.complete && !whole.passed.contains(name);
        for (at, name) in passing {
            if is_unknown(name) && !whole.failed.contains_key(name) {
                let why = "it is not compiled here: its condition does not hold".to_owned();
                found.push((*at, Fate::Untried(why)));
            }
        }
    }
    for (at, run) in alone(vetting, binary, ignored, &["--ignored"])? {
        let name = standing.full_name(at);
        if run.complete && run.passed.contains(&name) {
            found.push((at, Fate::Fixed));
        }
    }
    Ok(found)
}

/// Runs each test in a process of its own.
fn alone(
    vetting: &Vetting<'_>,
    binary: &Path,
    tests: &[(At, String)],
    more: &[&str],
) -> Result<Vec<(At, TestRun)>, VetError> {
    let seconds = match more.is_empty() {
        true => MAX_SECONDS,
        false => SUSPECT_SECONDS,
    };
    let tests: Vec<&(At, String)> = tests.iter().collect();
    let runs = each_of_all(vetting.cells, &tests, |cell, (_, name)| {
        let args = [&["--exact", name], more].concat();
        run_tests(cell, binary, &args, Inmate::Suspect, seconds)
    })?;
    Ok(tests.into_iter().map(|(at, _)| *at).zip(runs).collect())
}

fn is_failed(run: &TestRun, name: &str) -> bool {
    !run.complete || run.failed.contains_key(name)
}

/// Compiles the suite, without tests that do not compile, and gives the binary of each root.
fn compiled(
    vetting: &Vetting<'_>,
    standing: &Standing,
    fates: &mut Fates,
) -> Result<BTreeMap<String, PathBuf>, VetError> {
    vetting.prepare(&standing.roots())?;
    fates.compiling = standing.files.iter().map(|it| it.text.clone()).collect();
    for _ in 0..MAX_ROUNDS {
        write_files(
            vetting,
            standing,
            fates.compiling.iter().map(String::as_str),
        )?;
        let run = compile(vetting.scratch, &vetting.scratch.feature_flags())?;
        if run.success {
            let unused = unused(vetting, standing, &run, fates);
            fates.unused.extend(unused);
            return Ok(run.executables.into_iter().collect());
        }
        if !take_out(vetting, standing, &run, fates) {
            return Err(match crate::vet::unexplained(run) {
                VetError::Unexplained(said) => VetError::Standing(said),
                error => error,
            });
        }
    }
    Err(VetError::Standing(
        "whatever is left out of it, the rest does not compile".to_owned(),
    ))
}

/// Writes the files of the suite with these texts into the scratch workspace.
pub(super) fn write_files<'t>(
    vetting: &Vetting<'_>,
    standing: &Standing,
    texts: impl Iterator<Item = &'t str>,
) -> Result<(), VetError> {
    for (file, text) in standing.files.iter().zip(texts) {
        let text = in_scratch(vetting.scratch, vetting.module, text);
        vetting.scratch.write(&place(standing, file), &text)?;
    }
    Ok(())
}

/// The imports that nothing uses, of files of which all compiles.
fn unused(
    vetting: &Vetting<'_>,
    standing: &Standing,
    run: &Run,
    fates: &Fates,
) -> Vec<(usize, usize, String)> {
    let warnings = run.warnings.iter().filter(|it| it.code == "unused_imports");
    let spans = warnings.flat_map(|it| it.spans.iter().filter(|it| it.primary));
    let unused = spans.filter_map(|span| {
        let mut files = standing.files.iter();
        let i = files.position(|it| span.file.ends_with(&place(standing, it)))?;
        let text = &fates.compiling[i];
        let is_whole = *text == standing.files[i].text;
        let seen = in_scratch(vetting.scratch, vetting.module, text);
        let name = last_name(seen.get(span.bytes.clone())?).to_owned();
        is_whole.then_some((i, span.line as usize - 1, name))
    });
    unused.collect()
}

/// The name in what a diagnostic points at in an import.
fn last_name(import: &str) -> &str {
    let last = import.split(" as ").next().unwrap_or(import);
    last.rsplit("::").next().unwrap_or(last).trim()
}

impl Standing {
    /// The suite without these imports.
    pub(crate) fn without_imports(&self, unused: &[(usize, usize, String)]) -> Standing {
        let of_file = |i: usize| {
            let text = &self.files[i].text;
            let own = || unused.iter().filter(|(file, _, _)| *file == i);
            let mut edits: BTreeMap<usize, Edit> = BTreeMap::new();
            for (_, line, _) in own() {
                let Some((lines, imported)) = imports_at(text, *line) else {
                    continue;
                };
                let is_out = |it: &&Imported| {
                    !own().any(|(_, line, name)| it.line == *line && it.name == *name)
                };
                let rest: Vec<&Imported> = imported.iter().filter(is_out).collect();
                let edit = Edit {
                    with: rest.iter().map(|it| format!("use {};", it.path)).collect(),
                    lines,
                };
                edits.insert(edit.lines.start, edit);
            }
            edited(text, edits.into_values().collect())
        };
        self.with_texts((0..self.files.len()).map(of_file).collect())
    }
}

/// The path of a file in the scratch workspace.
fn place(standing: &Standing, file: &StandingFile) -> String {
    format!("suite/tests/{}", standing.below(file))
}

/// Takes out what the errors point at, and says whether that is anything.
fn take_out(vetting: &Vetting<'_>, standing: &Standing, run: &Run, fates: &mut Fates) -> bool {
    let n_before = fates.fates.len();
    let texts = fates.compiling.clone();
    for error in &run.errors {
        for span in error.spans.iter().filter(|it| it.primary) {
            let mut files = standing.files.iter();
            let Some(i) = files.position(|it| span.file.ends_with(&place(standing, it))) else {
                continue;
            };
            let line = span.line as usize - 1;
            let file = &standing.files[i];
            let inside = file.tests.iter().position(|it| it.lines.contains(&line));
            match inside {
                Some(test) => refuse(vetting, standing, At { file: i, test }, error, fates),
                None => refuse_item(vetting, standing, i, span, error, fates),
            }
        }
    }
    for (i, file) in standing.files.iter().enumerate() {
        let is_out = |test: usize| fates.fates.contains_key(&At { file: i, test });
        let out = file.tests.iter().enumerate().filter(|(j, _)| is_out(*j));
        let edits = out.map(|(_, test)| empty(test.lines.clone()));
        fates.compiling[i] = edited(&fates.compiling[i], edits.collect());
    }
    fates.fates.len() > n_before || fates.compiling != texts
}

/// These lines without a text.
fn empty(lines: Range<usize>) -> Edit {
    Edit {
        with: vec![String::new(); lines.len()],
        lines,
    }
}

/// Takes a test out that does not compile. The scratch workspace does not have all that the package
/// has for its tests, so what a person wrote may lack something there.
fn refuse(
    vetting: &Vetting<'_>,
    standing: &Standing,
    at: At,
    error: &Diagnostic,
    fates: &mut Fates,
) {
    let krate = &vetting.scratch.package().krate;
    let message = match &*error.code {
        "" => error.message.clone(),
        code => format!("{} ({code})", error.message),
    };
    let is_persons = standing.test(at).author == Author::Person;
    let is_path = ["", "E0432", "E0433", "E0463", "E0583"].contains(&&*error.code);
    let fate = match is_persons && is_path && !error.message.contains(krate) {
        true => Fate::Untried(format!(
            "it does not compile where testsmith checks it, without the package's dev-dependencies \
             and other files: {message}"
        )),
        false => Fate::Broken(Broke::Compiling { message }),
    };
    fates.fates.entry(at).or_insert(fate);
}

/// Takes an item out that is no test. If it is an import, all tests go that mention what cannot be
/// imported.
fn refuse_item(
    vetting: &Vetting<'_>,
    standing: &Standing,
    i: usize,
    span: &Span,
    error: &Diagnostic,
    fates: &mut Fates,
) {
    let file = &standing.files[i];
    let line = span.line as usize - 1;
    let items = file.items.values().flatten();
    let declared = file.declared.iter().map(|it| &it.piece);
    if let Some(piece) = items.chain(declared).find(|it| it.lines.contains(&line)) {
        fates.compiling[i] = edited(&fates.compiling[i], vec![empty(piece.lines.clone())]);
        return;
    }
    let seen = in_scratch(vetting.scratch, vetting.module, &fates.compiling[i]);
    let name = seen.get(span.bytes.clone()).unwrap_or_default();
    let last = last_name(name);
    let Some((lines, imported)) = imports_at(&fates.compiling[i], line) else {
        return;
    };
    let is_it = |it: &Imported| it.line == line && it.name == last;
    // If the error is not about one of the names, it is about the path that all of them have.
    let is_one = imported.iter().any(is_it);
    let (gone, rest): (Vec<&Imported>, Vec<&Imported>) =
        imported.iter().partition(|it| !is_one || is_it(it));
    let mentions = |text: &str, name: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == name)
    };
    for it in &gone {
        if !file.tests.iter().any(|test| mentions(&test.text, &it.name)) {
            fates.unused.push((i, it.line, it.name.clone()));
        }
    }
    for (test, of) in file.tests.iter().enumerate() {
        if gone.iter().any(|it| mentions(&of.text, &it.name)) {
            refuse(vetting, standing, At { file: i, test }, error, fates);
        }
    }
    let rest: Vec<String> = rest.iter().map(|it| format!("use {};", it.path)).collect();
    let mut edit = empty(lines);
    edit.with[0] = rest.join(" ");
    fates.compiling[i] = edited(&fates.compiling[i], vec![edit]);
}

/// A name that an import brings in.
struct Imported {
    name: String,
    /// As one import has it.
    path: String,
    /// The line of the name, counted from 0.
    line: usize,
}

/// The lines of the import that a line belongs to, and the names that it brings in.
fn imports_at(text: &str, line: usize) -> Option<(Range<usize>, Vec<Imported>)> {
    let file = parse(text).ok()?;
    file.items.iter().find_map(|item| {
        let syn::Item::Use(it) = item else {
            return None;
        };
        let lines = it.span().start().line - 1..it.span().end().line;
        let mut names = Vec::new();
        imported(&it.tree, String::new(), &mut names);
        lines.contains(&line).then_some((lines, names))
    })
}

fn imported(tree: &UseTree, before: String, names: &mut Vec<Imported>) {
    let mut add = |name: &syn::Ident, path: String| {
        names.push(Imported {
            name: name.to_string(),
            path,
            line: name.span().start().line - 1,
        });
    };
    match tree {
        UseTree::Path(it) => imported(&it.tree, format!("{before}{}::", it.ident), names),
        UseTree::Group(it) => {
            let trees = it.items.iter();
            trees.for_each(|tree| imported(tree, before.clone(), names));
        }
        UseTree::Name(it) if it.ident == "self" => {
            let path = before.trim_end_matches("::");
            names.push(Imported {
                name: path.rsplit("::").next().unwrap_or(path).to_owned(),
                path: path.to_owned(),
                line: it.ident.span().start().line - 1,
            });
        }
        UseTree::Name(it) => add(&it.ident, format!("{before}{}", it.ident)),
        UseTree::Rename(it) => add(&it.ident, format!("{before}{} as {}", it.ident, it.rename)),
        UseTree::Glob(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_found_by_any_of_its_lines() {
        let text = "use a::B;\nuse c::{\n    D,\n    e::F as _,\n};\nfn f() {}\n";
        let (lines, names) = imports_at(text, 3).expect("it is an import");
        assert_eq!(lines, 1..5);
        let names: Vec<_> = names.iter().map(|it| (&*it.path, it.line)).collect();
        assert_eq!(names, [("c::D", 2), ("c::e::F as _", 3)]);
        assert!(imports_at(text, 5).is_none());
    }
}
