//! Makes the rewritten copy of the crate under test, in rounds in which rustc says what of it can
//! stay.
//!
//! Cargo builds the user's package; testsmith stands in rustc's place and compiles the copy's files
//! instead. So the copy has the same features, dependencies, build script and environment by
//! construction, and the compiler's own arguments say what conditional compilation leaves in.
//!
//! **One copy has all mutants.** `instrument` splices them into the source, switched by a number at
//! run time; operands are evaluated in the scrutinee of a `match`, arms only decide, so that
//! temporaries live as long as in the original and everything is dropped in its order. rustc's
//! errors name the mutants that go, round by round (`harness/copy/`); those that went for an error
//! around them get another chance, in halves. The harness is built on it: the host says which
//! mutant is active in a batch, and a batch is a process of its own, so that statics and undefined
//! behaviour of one mutant never meet another. A `const fn` stays one, since anybody may need it:
//! what decides and counts asks the compiler whether it is evaluating (`const_eval_select`, for
//! which this one crate may use what is unstable), and there the original holds. So a function that
//! computes a constant of the crate has no mutants; a round without the word `const` shows which
//! those are. Cargo builds the user's own package, and our wrapper gives rustc the copy's files:
//! features, build script and conditional compilation are the original's by construction, and
//! messages and panics have its paths. The copy's files are written before cargo is called, as far
//! as it does not take a build script: what is newer than the beginning of a build, cargo builds
//! again the next time.

#![expect(
    clippy::disallowed_methods,
    reason = "the copy is a directory of files, and rustc runs on it"
)]

mod blame;
mod rounds;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use testsmith_instrument::{
    Cfg, Contents, DefinitionId, DerivedId, FunctionId, MonitorId, Mutant, MutantId, ReadError,
    Region, RegionId, Rewriter, RewrittenFile, Texts, UNSTABLE, files,
};

use testsmith_project::Diagnostic;

pub use rounds::{Changed, Earlier, Purpose, copy, copy_again, copy_unchecked};

use crate::instrument::COPY_VARIABLE;

/// The file with the names of mutants that are not in the copy, one a line.
const DROPPED: &str = "dropped";
/// The file with the names of types that cannot be looked into, one a line.
const OPAQUE: &str = "opaque";
/// The file with the names of types whose equality the compiler derives, one a line.
const DERIVED: &str = "derived";
/// The file with the names of functions that do not note what they read of values, one a line.
const UNMONITORED: &str = "unmonitored";
/// The file with the names of functions that do not note what they return, one a line.
const SILENT: &str = "silent";
/// If this file exists, functions can note what they return.
const RETURNS: &str = "returns";
/// If this file exists, the copy uses only stable features.
const STABLE: &str = "stable";
/// If this file exists, calls from outside can be written down.
const RECORDS: &str = "records";
/// While this file exists, functions that are `const` lose that if they have mutants.
const FREED: &str = "freed";
/// If this file exists, the copy's source is already written, as far as no build script makes it.
const AHEAD: &str = "ahead";
/// The file with the directory of the package, since other packages may have a crate of the same
/// name.
const PACKAGE: &str = "package";
/// The file with the path of the library's root file in the package, since a binary or a test may
/// be a crate of the same name.
const ROOT: &str = "root";
/// The file with the path of the package in its workspace, since its source may include files from
/// there.
const WITHIN: &str = "within";
/// The file with the configuration for conditional compilation, as the wrapper was given it. Its
/// first line is the root file.
const CFG: &str = "cfg";
/// The mirror of the workspace. In it is that of the package, where files of the crate are
/// rewritten.
const SOURCE: &str = "source";

/// A copy of a crate that rustc accepts.
#[derive(Debug, Default)]
pub struct Copied {
    /// Every mutant that was proposed; the first has number 1.
    pub mutants: Vec<Mutant>,
    /// The mutants that are not in the copy.
    pub dropped: BTreeMap<MutantId, Refusal>,
    /// Every region of the crate's code; the first has number 0.
    pub regions: Vec<Region>,
    /// The regions whose entries are counted. A function that must stay `const` cannot count if
    /// only stable features are used.
    pub counted: BTreeSet<RegionId>,
    /// How many types have values that can be written out, and built again.
    pub n_types: usize,
    /// The types whose values cannot, with rustc's message.
    pub opaque: BTreeMap<String, String>,
    /// How many derived equalities are written out, and so are regions.
    pub n_written_out: usize,
    /// The types whose equality the compiler derives, with the reason.
    pub derived: BTreeMap<String, String>,
    /// How many equalities written by hand, and methods that they call, note what they read of
    /// values.
    pub n_monitored: usize,
    /// Those that do not, with the reason. They count as reading all of a value.
    pub unmonitored: BTreeMap<String, String>,
    /// How many functions can note what they return.
    pub n_returning: usize,
    /// The functions that cannot, with the reason.
    pub silent: BTreeMap<String, String>,
    /// May the copy use unstable features? Only then can it look into generic parameters.
    pub unstable: bool,
    /// How many things were left out on purpose, by reason.
    pub left_out: BTreeMap<&'static str, usize>,
    /// The original source, in parts.
    pub texts: Texts,
    /// How many rounds it took.
    pub n_rounds: u32,
    /// The directory of the copy. A wrapper that is given it compiles the copy again.
    pub dir: PathBuf,
    /// The files that differ from the original, with their texts.
    files: Vec<(PathBuf, String)>,
}

/// Why a mutant is not in the copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// What rustc says.
    pub said: String,
    /// What that is about.
    pub about: About,
}

/// What was found out about the copy of an earlier source, so that it need not be found out again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Known {
    /// The configuration for conditional compilation.
    cfg: String,
    /// Mutants that are not in the copy, by name.
    dropped: BTreeMap<String, Refusal>,
    opaque: BTreeMap<String, String>,
    derived: BTreeMap<String, String>,
    unmonitored: BTreeMap<String, String>,
    #[serde(default)]
    silent: BTreeMap<String, String>,
    unstable: bool,
}

/// What an error about a mutant is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum About {
    /// The mutant's own code.
    Itself,
    /// The code around the mutant; nothing closer was to blame.
    Around,
    /// A constant that is computed with the mutant's function. No mutant can be active while rustc
    /// computes it.
    Constant,
}

impl Copied {
    /// The mutant with this number.
    pub fn mutant(&self, id: MutantId) -> &Mutant {
        &self.mutants[id.0 as usize - 1]
    }

    /// All mutants that were proposed, with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (MutantId, &Mutant)> + Clone {
        let ids = (1..).map(MutantId);
        ids.zip(&self.mutants)
    }

    /// The region with this number. `None` if there is none; a copy with other features may have
    /// had more.
    pub fn region(&self, id: RegionId) -> Option<&Region> {
        self.regions.get(id.0 as usize)
    }

    /// Is the region a side of a branch?
    pub fn is_branch(&self, id: RegionId) -> bool {
        self.region(id).is_some_and(|it| it.kind.is_branch())
    }

    /// What a copy of a changed source can begin with.
    pub fn known(&self) -> Known {
        let dropped = self.dropped.iter();
        Known {
            cfg: fs::read_to_string(self.dir.join(CFG)).unwrap_or_default(),
            dropped: dropped
                .map(|(id, why)| (self.mutant(*id).name.clone(), why.clone()))
                .collect(),
            opaque: self.opaque.clone(),
            derived: self.derived.clone(),
            unmonitored: self.unmonitored.clone(),
            silent: self.silent.clone(),
            unstable: self.unstable,
        }
    }

    /// The text of a file of the copy, named relative to the package, if it differs from the
    /// original's.
    pub fn text(&self, path: &Path) -> Option<&str> {
        let mut files = self.files.iter();
        let (_, text) = files.find(|(it, _)| it == path)?;
        Some(text)
    }

    /// Prepares the same copy, but with functions that have mutants not `const`. rustc then says
    /// which constants are computed with them.
    pub fn freed(&self, dir: &Path, package: &Path) -> io::Result<()> {
        self.note(dir, package)?;
        fs::write(dir.join(FREED), "")?;
        write_ahead(dir)
    }

    /// The mutants of functions that constants are computed with, by rustc's errors about such a
    /// copy.
    pub fn in_constants(&self, errors: &[Diagnostic]) -> BTreeSet<MutantId> {
        let errors = errors.iter().filter(|it| it.code == "E0015");
        let is_left = |id: &MutantId| !self.dropped.contains_key(id);
        errors
            .flat_map(|it| blame::needed_in_constants(&self.mutants, &is_left, &it.message))
            .collect()
    }

    /// Prepares another directory for the same copy, of the same source in another place.
    pub fn again(&self, dir: &Path, package: &Path) -> io::Result<()> {
        self.note(dir, package)?;
        let files = self.files.iter();
        let files: Vec<(&Path, &str)> = files.map(|it| (it.0.as_path(), it.1.as_str())).collect();
        put_ahead(dir, package, &files)
    }

    fn note(&self, dir: &Path, package: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        write(&dir.join(PACKAGE), &package.display().to_string())?;
        for name in [
            ROOT,
            WITHIN,
            CFG,
            DROPPED,
            OPAQUE,
            DERIVED,
            UNMONITORED,
            SILENT,
        ] {
            fs::copy(self.dir.join(name), dir.join(name))?;
        }
        for name in [STABLE, FREED, RECORDS, RETURNS] {
            match self.dir.join(name).exists() {
                true => fs::write(dir.join(name), "")?,
                false => drop(fs::remove_file(dir.join(name))),
            }
        }
        Ok(())
    }
}

/// Writes the source of a copy before the compiler runs. A file that is written while the compiler
/// runs is newer than the compiler's output, so cargo would compile all of it again the next time.
fn write_ahead(dir: &Path) -> io::Result<()> {
    let _ = fs::remove_file(dir.join(AHEAD));
    let Ok(rewriter) = read(dir) else {
        // The root file itself may be made by a build script.
        let _ = fs::remove_dir_all(mirror(dir));
        return Ok(());
    };
    let files = rewriter.render(&kept(dir, &rewriter));
    let package = fs::read_to_string(dir.join(PACKAGE))?;
    put_ahead(dir, Path::new(&package), &texts(&files))
}

fn put_ahead(dir: &Path, package: &Path, files: &[(&Path, &str)]) -> io::Result<()> {
    sweep(&mirror(dir), Path::new(""), &paths(files))?;
    put(package, dir, files)?;
    fs::write(dir.join(AHEAD), "")
}

/// The path of the package in its workspace.
fn within(dir: &Path) -> PathBuf {
    PathBuf::from(fs::read_to_string(dir.join(WITHIN)).unwrap_or_default())
}

/// The mirror of the package.
fn mirror(dir: &Path) -> PathBuf {
    below(&dir.join(SOURCE), &within(dir))
}

/// The path of a package in the mirror of its workspace.
pub(crate) fn below(mirror: &Path, within: &Path) -> PathBuf {
    match within == Path::new("") {
        true => mirror.to_owned(),
        false => mirror.join(within),
    }
}

/// Removes all files except these.
fn sweep(mirror: &Path, within: &Path, files: &BTreeSet<&Path>) -> io::Result<()> {
    let dir = mirror.join(within);
    if !dir.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = within.join(entry.file_name());
        match entry.file_type()? {
            kind if kind.is_dir() => sweep(mirror, &path, files)?,
            kind if kind.is_file() && files.contains(path.as_path()) => {}
            _ => fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// Makes the rewriter that the wrapper had.
fn read(dir: &Path) -> Result<Rewriter, String> {
    let told = fs::read_to_string(dir.join(CFG));
    let told = told.map_err(|error| format!("the compiler was not run on the crate: {error}"))?;
    let package = fs::read_to_string(dir.join(PACKAGE)).map_err(|error| error.to_string())?;
    let mut lines = told.lines();
    let root = lines.next().unwrap_or_default();
    rewriter(Path::new(&package), Path::new(root), &Cfg::new(lines))
        .map_err(|error| error.to_string())
}

fn rewriter(package: &Path, root: &Path, cfg: &Cfg) -> Result<Rewriter, ReadError> {
    let mut read = |path: &Path| fs::read_to_string(package.join(path));
    Ok(Rewriter::new(files(root, cfg, &mut read)?, cfg))
}

/// How the copy is compiled.
pub(crate) struct Redirected {
    pub(crate) arguments: Vec<OsString>,
    /// May it use unstable features?
    pub(crate) unstable: bool,
}

/// What rustc is asked to compile, if it is the crate that a copy is made of.
pub(crate) struct Asked {
    /// The directory of the copy.
    dir: PathBuf,
    package: PathBuf,
    /// The index of the argument that is the root file.
    pub(crate) source: usize,
    /// The root file, relative to the package.
    pub(crate) root: PathBuf,
    /// The part of that argument before the root file.
    pub(crate) prefix: String,
}

/// Run in rustc's place: is rustc asked to compile the crate that a copy is made of?
pub(crate) fn asked(arguments: &[OsString]) -> Option<Asked> {
    let dir = PathBuf::from(std::env::var_os(COPY_VARIABLE)?);
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let meant = fs::read_to_string(dir.join(PACKAGE)).ok()?;
    if package.canonicalize().ok()? != Path::new(&meant).canonicalize().ok()? {
        // Another crate of the same name.
        return None;
    }
    let source = arguments
        .iter()
        .skip(1)
        .position(|word| word.as_encoded_bytes().ends_with(b".rs"))?
        + 1;
    let written = PathBuf::from(&arguments[source]);
    let here = std::env::current_dir().ok()?;
    let root = here.join(&written);
    let root = root.strip_prefix(&package).ok()?.to_owned();
    if root != Path::new(&fs::read_to_string(dir.join(ROOT)).ok()?) {
        // Another target of the same name.
        return None;
    }
    let prefix = written.to_str()?.strip_suffix(root.to_str()?)?.to_owned();
    Some(Asked {
        dir,
        package,
        source,
        root,
        prefix,
    })
}

/// Run in rustc's place: writes the copy, and gives the arguments to compile it with. `None` if the
/// crate is compiled as it is.
pub(crate) fn redirected(arguments: &[OsString]) -> Option<Redirected> {
    let Asked {
        dir,
        package,
        source,
        root,
        prefix,
    } = asked(arguments)?;
    let cfg = told(&dir, &root, arguments)?;
    let mirror = mirror(&dir);
    // A build script may have written parts of the source since.
    let is_written = dir.join(AHEAD).exists() && std::env::var_os("OUT_DIR").is_none();
    if !is_written && let Err(error) = rewrite(&dir, &package, &root, &Cfg::new(cfg.lines())) {
        eprintln!("error: {error}");
        return None;
    }
    let mut arguments = arguments.to_vec();
    arguments[source] = mirror.join(&root).into();
    // Messages and panics name the original's paths.
    arguments.push(format!("--remap-path-prefix={}/={prefix}", mirror.display()).into());
    let unstable = !dir.join(STABLE).exists();
    if unstable {
        arguments.push(format!("-Zcrate-attr={UNSTABLE}").into());
    }
    let caps = |word: &OsString| {
        word.to_str()
            .is_some_and(|it| it.starts_with("--cap-lints"))
    };
    if !arguments.iter().any(caps) {
        arguments.push("--cap-lints=allow".into());
    }
    Some(Redirected {
        arguments,
        unstable,
    })
}

/// The configuration for conditional compilation, as the first compilation of the copy was given
/// it, so that mutants have the same numbers in every compilation. `None` if it cannot be written
/// down.
fn told(dir: &Path, root: &Path, arguments: &[OsString]) -> Option<String> {
    if let Ok(known) = fs::read_to_string(dir.join(CFG)) {
        return known.split_once('\n').map(|(_, cfg)| cfg.to_owned());
    }
    let cfg = configuration(arguments);
    let told = format!("{}\n{cfg}", root.display());
    write(&dir.join(CFG), &told).ok()?;
    Some(cfg)
}

/// The configuration for conditional compilation without `test`: the compiler's own, and what cargo
/// adds.
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
    let rewriter = rewriter(package, root, cfg).map_err(|error| error.to_string())?;
    let files = rewriter.render(&kept(dir, &rewriter));
    put(package, dir, &texts(&files)).map_err(|error| error.to_string())
}

/// Writes files, and makes links to everything else.
fn put(package: &Path, dir: &Path, files: &[(&Path, &str)]) -> io::Result<()> {
    reflect_above(package, &dir.join(SOURCE), &within(dir))?;
    let mirror = mirror(dir);
    reflect(package, &mirror, Path::new(""), &paths(files))?;
    for (path, text) in files {
        write(&mirror.join(path), text)?;
    }
    Ok(())
}

/// Makes links to everything around a package in its workspace, because a file of the package may
/// include it.
pub(crate) fn reflect_above(package: &Path, mirror: &Path, within: &Path) -> io::Result<()> {
    for (n_up, within) in (1..).zip(within.ancestors().filter(|it| *it != Path::new(""))) {
        let Some(above) = package.ancestors().nth(n_up) else {
            break;
        };
        let at = within.parent().unwrap_or(Path::new(""));
        let own = within.file_name().map(Path::new);
        reflect(
            above,
            &mirror.join(at),
            Path::new(""),
            &own.into_iter().collect(),
        )?;
    }
    Ok(())
}

fn texts(files: &[RewrittenFile]) -> Vec<(&Path, &str)> {
    let files = files.iter();
    files
        .map(|it| (it.path.as_path(), it.text.as_str()))
        .collect()
}

fn paths<'f>(files: &[(&'f Path, &str)]) -> BTreeSet<&'f Path> {
    files.iter().map(|it| it.0).collect()
}

/// What the copy has, as the rounds wrote it down.
fn kept(dir: &Path, rewriter: &Rewriter) -> Contents {
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
    let dropped = read(DROPPED);
    let dropped: BTreeSet<&str> = dropped.lines().collect();
    let ids = (1..=rewriter.mutants().len() as u32).map(MutantId);
    let dropped = ids.filter(|id| dropped.contains(rewriter.mutant(*id).name.as_str()));
    let (opaque, derived, unmonitored) = (read(OPAQUE), read(DERIVED), read(UNMONITORED));
    let opaque = numbers(&opaque, rewriter.definitions()).map(DefinitionId);
    let derived = numbers(&derived, rewriter.derived()).map(DerivedId);
    let unmonitored = numbers(&unmonitored, rewriter.monitored()).map(MonitorId);
    let silent = read(SILENT);
    let silent = numbers(&silent, rewriter.returning()).map(FunctionId);
    Contents {
        dropped: dropped.collect(),
        opaque: opaque.collect(),
        derived: derived.collect(),
        unmonitored: unmonitored.collect(),
        unstable: !dir.join(STABLE).exists(),
        constants: !dir.join(FREED).exists(),
        records: dir.join(RECORDS).exists(),
        returns: dir.join(RETURNS).exists(),
        silent: silent.collect(),
    }
}

/// The positions of names in a list that has one a line.
fn numbers(listed: &str, names: &[String]) -> impl Iterator<Item = u32> {
    let listed: BTreeSet<&str> = listed.lines().collect();
    let all = names.iter().zip(0..);
    all.filter(move |(name, _)| listed.contains(name.as_str()))
        .map(|(_, id)| id)
}

/// Makes directories for the rewritten files, and links to everything else.
pub(crate) fn reflect(
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

/// Writes a file as a whole, and only if that changes it, because cargo looks at its time.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    // Two compilers may write it at the same time.
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}
