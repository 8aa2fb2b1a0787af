//! The rewritten copy of the crate under test, and the rounds in which rustc says what of it stays.
//!
//! Cargo builds the user's package; we stand in rustc's place and give it the copy's files instead.
//! So the copy has the same features, dependencies, build script and environment by construction,
//! and the compiler's own arguments say what conditional compilation leaves in.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use testsmith_instrument::{
    Cfg, DefinitionId, Mutant, MutantId, ReadError, Region, RegionId, Rewriter, RewrittenFile,
    files,
};
use testsmith_project::{Diagnostic, Run, Scratch};

use crate::build::BuildError;
use crate::instrument::Instrument;

/// Tells the wrapper where the copy of the crate under test is made.
pub const COPY_VARIABLE: &str = "TESTSMITH_COPY";

/// More rounds than this mean that we don't understand rustc's answers.
const MAX_ROUNDS: u32 = 24;

/// Names of mutants that are not in the copy, a line each.
const DROPPED: &str = "dropped";
/// Names of types that cannot be looked into, a line each.
const OPAQUE: &str = "opaque";
/// If there is such a file, generic parameters are not looked into.
const PLAIN: &str = "plain";
/// What conditional compilation goes by, as the wrapper was told; the root file comes first.
const CFG: &str = "cfg";
/// The mirror of the package in which files of the crate are rewritten.
const SOURCE: &str = "source";

/// A copy of a crate that rustc accepts.
#[derive(Debug)]
pub struct Copied {
    /// Every mutant that was proposed; the number of the first is 1.
    pub mutants: Vec<Mutant>,
    /// Those that do not compile, and what rustc says.
    pub dropped: BTreeMap<MutantId, String>,
    /// Every region of the crate's code; the number of the first is 0.
    pub regions: Vec<Region>,
    /// Those that are counted: a function that must stay `const` cannot.
    pub counted: BTreeSet<RegionId>,
    /// Types of the crate whose values can be written out, and built again.
    pub n_types: usize,
    /// Those whose values cannot, and what rustc says.
    pub opaque: BTreeMap<String, String>,
    /// Is it looked into what generic parameters stand for?
    pub sees_through: bool,
    /// What was left out on purpose.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Rounds that it took.
    pub n_rounds: u32,
    /// Where the copy is: a wrapper that is told of it compiles it again.
    pub dir: PathBuf,
}

/// Makes a copy with all mutants that compile. `spec` names the package in the scratch workspace.
pub fn copy(
    scratch: &Scratch,
    spec: &str,
    instrument: &Instrument,
    progress: &mut dyn FnMut(u32, usize),
) -> Result<Copied, BuildError> {
    let dir = scratch.dir.join("copy");
    // What an earlier run left may be of another source.
    let _ = fs::remove_dir_all(&dir);
    scratch.write("copy/dropped", "")?;
    scratch.write("copy/opaque", "")?;
    let mut rewriter: Option<Rewriter> = None;
    let mut dropped: BTreeMap<MutantId, String> = BTreeMap::new();
    let mut opaque: BTreeMap<DefinitionId, String> = BTreeMap::new();
    for round in 1..=MAX_ROUNDS {
        let n_left = rewriter
            .as_ref()
            .map_or(0, |it| it.mutants().len() - dropped.len());
        progress(round, n_left);
        let mut command = scratch.cargo("check");
        command.args(["--package", spec, "--profile", "copied"]);
        command
            .env("RUSTC_WRAPPER", &instrument.wrapper)
            .env(crate::WRAPPER_VARIABLE, &instrument.krate)
            .env(COPY_VARIABLE, &dir);
        let run = Run::of(&mut command)?;
        if rewriter.is_none() {
            rewriter = Some(read(&dir).map_err(BuildError::Unexplained)?);
        }
        let known = rewriter.as_mut().expect("it was just made");
        if run.success {
            let rendered = known.render(
                &dropped.keys().copied().collect(),
                &opaque.keys().copied().collect(),
            );
            return Ok(Copied {
                mutants: known.mutants().to_vec(),
                regions: known.regions().to_vec(),
                counted: rendered.into_iter().flat_map(|it| it.regions).collect(),
                dropped,
                n_types: known.definitions().len() - opaque.len(),
                opaque: opaque
                    .into_iter()
                    .map(|(id, why)| (known.definitions()[id.0 as usize].clone(), why))
                    .collect(),
                sees_through: known.sees_through,
                left_out: known.left_out.clone(),
                n_rounds: round,
                dir,
            });
        }
        let ids: BTreeSet<MutantId> = dropped.keys().copied().collect();
        let rendered = known.render(&ids, &opaque.keys().copied().collect());
        if known.sees_through && is_ours(&rendered, &run.errors) {
            known.sees_through = false;
            scratch.write("copy/plain", "")?;
            continue;
        }
        let refused = refused(&rendered, &run.errors);
        let guilty = guilty(known, &rendered, &ids, &run.errors);
        if guilty.is_empty() && refused.is_empty() {
            return Err(BuildError::Unexplained(said(&run)));
        }
        dropped.extend(guilty);
        let names: Vec<&str> = dropped
            .keys()
            .map(|id| known.mutant(*id).name.as_str())
            .collect();
        scratch.write("copy/dropped", &(names.join("\n") + "\n"))?;
        opaque.extend(refused);
        let names = opaque.keys().map(|id| &known.definitions()[id.0 as usize]);
        let lines: String = names.map(|name| format!("{name}\n")).collect();
        scratch.write("copy/opaque", &lines)?;
    }
    Err(BuildError::Unexplained(format!(
        "the copy does not compile after {MAX_ROUNDS} rounds"
    )))
}

fn said(run: &Run) -> String {
    match run.errors.first() {
        Some(error) => error.rendered.clone(),
        None => run.stderr.clone(),
    }
}

/// Does rustc find fault with our module, or with nothing that stands in the text at all?
fn is_ours(files: &[RewrittenFile], errors: &[Diagnostic]) -> bool {
    let spans = errors.iter().flat_map(|error| &error.spans);
    let spans = spans.filter(|span| span.primary);
    let mut spans = spans.filter_map(|span| Some((file_of(files, &span.file)?, span)));
    spans.clone().next().is_none() || spans.any(|(file, span)| span.bytes.start >= file.own)
}

/// The types that errors are about.
fn refused(files: &[RewrittenFile], errors: &[Diagnostic]) -> BTreeMap<DefinitionId, String> {
    let mut found = BTreeMap::new();
    for error in errors {
        if let Some(id) = definition(files, error) {
            let text = format!("{} {}", error.code, error.message);
            found.entry(id).or_insert_with(|| text.trim().to_owned());
        }
    }
    found
}

/// The type whose code an error is in.
fn definition(files: &[RewrittenFile], error: &Diagnostic) -> Option<DefinitionId> {
    let mut spans = error.spans.iter().filter(|span| span.primary);
    spans.find_map(|span| file_of(files, &span.file)?.definition(&span.bytes))
}

/// The mutants that errors are about. An error outside of all of them is about one of those that it
/// spans; else about a statement of its function that is left out, or about anything there.
fn guilty(
    rewriter: &Rewriter,
    files: &[RewrittenFile],
    dropped: &BTreeSet<MutantId>,
    errors: &[Diagnostic],
) -> BTreeMap<MutantId, String> {
    let mut found = BTreeMap::new();
    for error in errors {
        if definition(files, error).is_some() {
            continue;
        }
        let text = format!("{} {}", error.code, error.message);
        if error.code == "E0015" {
            let called = called(&error.message).unwrap_or_default();
            let ids = needed_in_constants(rewriter, &called);
            found.extend(ids.map(|id| (id, text.clone())));
        }
        let mut spans = error.spans.iter().filter(|span| span.primary);
        let Some((file, span)) = spans.find_map(|span| Some((file_of(files, &span.file)?, span)))
        else {
            continue;
        };
        let mut ids = file.guilty(&span.bytes);
        if ids.is_empty() {
            ids = file.within(&span.bytes);
        }
        if ids.is_empty() {
            let line = span.line as usize;
            ids = suspects(rewriter, &file.path, line, dropped);
        }
        for id in ids {
            found.entry(id).or_insert_with(|| text.trim().to_owned());
        }
    }
    found
}

/// `Date::new` in "cannot call non-const associated function `Date::new` in constants".
fn called(message: &str) -> Option<String> {
    let path = message.split('`').nth(1)?;
    let mut depth = 0;
    let mut plain = String::new();
    for letter in path.chars() {
        depth += i32::from(letter == '<');
        if depth == 0 {
            plain.push(letter);
        }
        depth -= i32::from(letter == '>');
    }
    let plain = plain.split('(').next()?.trim_end_matches(':');
    plain.rsplit("::").next().map(str::to_owned)
}

/// Mutants of functions of this name that must stay `const`.
fn needed_in_constants<'r>(
    rewriter: &'r Rewriter,
    name: &'r str,
) -> impl Iterator<Item = MutantId> + 'r {
    let mutants = rewriter.mutants().iter().zip(1..);
    let of_name = |it: &Mutant| it.function.rsplit("::").next() == Some(name);
    mutants
        .filter(move |(mutant, _)| mutant.is_freed && of_name(mutant))
        .map(|(_, id)| MutantId(id))
}

fn file_of<'f>(files: &'f [RewrittenFile], name: &str) -> Option<&'f RewrittenFile> {
    files
        .iter()
        .find(|file| Path::new(name).ends_with(&file.path))
}

/// Mutants in the function around a line.
fn suspects(
    rewriter: &Rewriter,
    file: &Path,
    line: usize,
    dropped: &BTreeSet<MutantId>,
) -> Vec<MutantId> {
    let ids = (1..=rewriter.mutants().len() as u32).map(MutantId);
    let left = ids.filter(|id| !dropped.contains(id) && rewriter.mutant(*id).file == file);
    let left: Vec<MutantId> = left.collect();
    // The function of the mutant that is closest above.
    let above = left.iter().filter(|id| rewriter.mutant(**id).line <= line);
    let nearest = above.max_by_key(|id| rewriter.mutant(**id).line);
    let Some(function) = nearest.map(|id| &rewriter.mutant(*id).function) else {
        return left.first().copied().into_iter().collect();
    };
    let there = |id: &&MutantId| rewriter.mutant(**id).function == *function;
    let deleted = |id: &&MutantId| rewriter.mutant(**id).operator == "statement";
    let all: Vec<MutantId> = left.iter().filter(there).copied().collect();
    let deletions: Vec<MutantId> = all.iter().filter(deleted).copied().collect();
    match deletions.is_empty() {
        true => all,
        false => deletions,
    }
}

/// The rewriter as the wrapper had it.
fn read(dir: &Path) -> Result<Rewriter, String> {
    let told = fs::read_to_string(dir.join(CFG));
    let told = told.map_err(|error| format!("the compiler was not run on the crate: {error}"))?;
    let mut lines = told.lines();
    let (package, root) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    rewriter(Path::new(package), Path::new(root), &Cfg::new(lines))
        .map_err(|error| error.to_string())
}

fn rewriter(package: &Path, root: &Path, cfg: &Cfg) -> Result<Rewriter, ReadError> {
    let mut read = |path: &Path| fs::read_to_string(package.join(path));
    Ok(Rewriter::new(files(root, cfg, &mut read)?, cfg))
}

/// How the compiler is told that what [`Rewriter::sees_through`] takes is allowed.
const SEES_THROUGH: &str = "-Zcrate-attr=feature(specialization, freeze)";

/// How the copy is compiled.
pub(crate) struct Redirected {
    pub(crate) arguments: Vec<OsString>,
    /// Does it take features that are not stable?
    pub(crate) sees_through: bool,
}

/// In rustc's place: writes the copy, and the arguments to compile it with. `None` if the crate is
/// compiled as it is.
pub(crate) fn redirected(arguments: &[OsString]) -> Option<Redirected> {
    let dir = PathBuf::from(std::env::var_os(COPY_VARIABLE)?);
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let source = arguments
        .iter()
        .skip(1)
        .position(|word| word.as_encoded_bytes().ends_with(b".rs"))?
        + 1;
    let written = PathBuf::from(&arguments[source]);
    let here = std::env::current_dir().ok()?;
    let root = here.join(&written);
    let root = root.strip_prefix(&package).ok()?.to_owned();
    let cfg = configuration(arguments);
    let told = format!("{}\n{}\n{cfg}", package.display(), root.display());
    write(&dir.join(CFG), &told).ok()?;
    let mirror = dir.join(SOURCE);
    if let Err(error) = rewrite(&dir, &package, &root, &Cfg::new(cfg.lines())) {
        eprintln!("error: {error}");
        return None;
    }
    let mut arguments = arguments.to_vec();
    arguments[source] = mirror.join(&root).into();
    // Paths in messages and panics are the original's.
    let prefix = written.to_str()?.strip_suffix(root.to_str()?)?.to_owned();
    arguments.push(format!("--remap-path-prefix={}/={prefix}", mirror.display()).into());
    let caps = |word: &OsString| {
        word.to_str()
            .is_some_and(|it| it.starts_with("--cap-lints"))
    };
    if !arguments.iter().any(caps) {
        arguments.push("--cap-lints=allow".into());
    }
    let sees_through = !dir.join(PLAIN).exists();
    if sees_through {
        arguments.push(SEES_THROUGH.into());
    }
    Some(Redirected {
        arguments,
        sees_through,
    })
}

/// What conditional compilation goes by, tests left out: the compiler's own, and what cargo adds.
fn configuration(arguments: &[OsString]) -> String {
    let mut command = Command::new(&arguments[0]);
    command.args(["--print", "cfg"]);
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    for pair in words.windows(2) {
        if pair[0] == "--target" {
            command.args(["--target", pair[1]]);
        }
    }
    let known = command.output().map(|it| it.stdout).unwrap_or_default();
    let mut text = String::from_utf8_lossy(&known).into_owned();
    for pair in words.windows(2) {
        if pair[0] == "--cfg" {
            text.push_str(pair[1]);
            text.push('\n');
        }
    }
    if words
        .iter()
        .any(|word| *word == "debug-assertions=on" || *word == "-Cdebug-assertions=on")
    {
        text.push_str("debug_assertions\n");
    }
    text
}

fn rewrite(dir: &Path, package: &Path, root: &Path, cfg: &Cfg) -> Result<(), String> {
    let mut rewriter = rewriter(package, root, cfg).map_err(|error| error.to_string())?;
    rewriter.sees_through = !dir.join(PLAIN).exists();
    let names = fs::read_to_string(dir.join(DROPPED)).unwrap_or_default();
    let names: BTreeSet<&str> = names.lines().collect();
    let ids = (1..=rewriter.mutants().len() as u32).map(MutantId);
    let dropped = ids
        .filter(|id| names.contains(rewriter.mutant(*id).name.as_str()))
        .collect();
    let names = fs::read_to_string(dir.join(OPAQUE)).unwrap_or_default();
    let names: BTreeSet<&str> = names.lines().collect();
    let definitions = (0..).map(DefinitionId).zip(rewriter.definitions());
    let opaque = definitions
        .filter(|(_, name)| names.contains(name.as_str()))
        .map(|(id, _)| id)
        .collect();
    let mirror = dir.join(SOURCE);
    let files = rewriter.render(&dropped, &opaque);
    let rewritten: BTreeSet<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    reflect(package, &mirror, Path::new(""), &rewritten).map_err(|error| error.to_string())?;
    for file in &files {
        write(&mirror.join(&file.path), &file.text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Makes directories for what is rewritten, and links to everything else.
fn reflect(
    package: &Path,
    mirror: &Path,
    within: &Path,
    rewritten: &BTreeSet<&Path>,
) -> io::Result<()> {
    fs::create_dir_all(mirror.join(within))?;
    for entry in fs::read_dir(package.join(within))? {
        let entry = entry?;
        let path = within.join(entry.file_name());
        let is_build = within == Path::new("") && entry.file_name() == OsStr::new("target");
        if rewritten.contains(path.as_path()) || is_build {
            continue;
        }
        if rewritten.iter().any(|it| it.starts_with(&path)) {
            reflect(package, mirror, &path, rewritten)?;
            continue;
        }
        match std::os::unix::fs::symlink(package.join(&path), mirror.join(&path)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Writes a file whole, and only if that changes it: cargo looks at the time.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    // Two compilers may be at it.
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_must_be_constant_is_named_by_the_error() {
        for (path, name) in [
            ("Date::new", "new"),
            ("Core::<K, V>::new", "new"),
            ("<Date as Far>::away", "away"),
            ("double", "double"),
        ] {
            let message =
                format!("cannot call non-const associated function `{path}` in constants");
            assert_eq!(called(&message).as_deref(), Some(name));
        }
    }
}
