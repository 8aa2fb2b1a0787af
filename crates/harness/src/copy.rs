//! The rewritten copy of the crate under test, and the rounds in which rustc says what of it stays.
//!
//! Cargo builds the user's package; we stand in rustc's place and give it the copy's files instead.
//! So the copy has the same features, dependencies, build script and environment by construction,
//! and the compiler's own arguments say what conditional compilation leaves in.
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

/// Names of mutants that are not in the copy, a line each.
const DROPPED: &str = "dropped";
/// Names of types that cannot be looked into, a line each.
const OPAQUE: &str = "opaque";
/// Names of types whose equality is left to the compiler to derive, a line each.
const DERIVED: &str = "derived";
/// Names of functions that do not note what they read of values, a line each.
const UNMONITORED: &str = "unmonitored";
/// Names of functions that do not note what they return, a line each.
const SILENT: &str = "silent";
/// If there is such a file, functions can note what they return.
const RETURNS: &str = "returns";
/// If there is such a file, nothing is used that is not stable.
const STABLE: &str = "stable";
/// If there is such a file, calls from outside can be written down.
const RECORDS: &str = "records";
/// While it is there, functions that are `const` are none where mutants stand in them.
const FREED: &str = "freed";
/// If there is such a file, the copy's source is written, as far as it does not take a build script.
const AHEAD: &str = "ahead";
/// The directory of the package: others may have a crate of the same name.
const PACKAGE: &str = "package";
/// The library's root file in the package: a binary or a test may be a crate of the same name.
const ROOT: &str = "root";
/// Where the package is in its workspace: its source may have files from there.
const WITHIN: &str = "within";
/// What conditional compilation goes by, as the wrapper was told; the root file comes first.
const CFG: &str = "cfg";
/// The mirror of the workspace; that of the package, in which files of the crate are rewritten, is in it.
const SOURCE: &str = "source";

/// A copy of a crate that rustc accepts.
#[derive(Debug, Default)]
pub struct Copied {
    /// Every mutant that was proposed; the number of the first is 1.
    pub mutants: Vec<Mutant>,
    /// Those that are not in the copy.
    pub dropped: BTreeMap<MutantId, Refusal>,
    /// Every region of the crate's code; the number of the first is 0.
    pub regions: Vec<Region>,
    /// Those that are counted: a function that must stay `const` cannot, if everything is stable.
    pub counted: BTreeSet<RegionId>,
    /// Types of the crate whose values can be written out, and built again.
    pub n_types: usize,
    /// Those whose values cannot, and what rustc says.
    pub opaque: BTreeMap<String, String>,
    /// Types whose derived equality is written out: it has a region.
    pub n_written_out: usize,
    /// Those whose equality the compiler derives, and why.
    pub derived: BTreeMap<String, String>,
    /// Equalities by hand, and methods that they call, that note what they read of values.
    pub n_monitored: usize,
    /// Those that do not, and why: all of a value counts as read by them.
    pub unmonitored: BTreeMap<String, String>,
    /// Functions that can note what they return.
    pub n_returning: usize,
    /// Those that cannot, and why.
    pub silent: BTreeMap<String, String>,
    /// May it use what is not stable? Only then it is looked into what generic parameters stand for.
    pub unstable: bool,
    /// What was left out on purpose.
    pub left_out: BTreeMap<&'static str, usize>,
    /// The source that it is of, in parts.
    pub texts: Texts,
    /// Rounds that it took.
    pub n_rounds: u32,
    /// Where the copy is: a wrapper that is told of it compiles it again.
    pub dir: PathBuf,
    /// Its files that are not the original's, and their texts.
    files: Vec<(PathBuf, String)>,
}

/// Why a mutant is not in the copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// What rustc says.
    pub said: String,
    /// Whom it says that about.
    pub about: About,
}

/// What is known of a copy of an earlier state of the source: it need not be found out again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Known {
    /// What conditional compilation goes by.
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

/// What an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum About {
    /// The mutant's own code.
    Itself,
    /// The code around it; nothing closer was to blame.
    Around,
    /// A constant that is computed with the mutant's function: no mutant can be switched on while rustc
    /// computes it.
    Constant,
}

impl Copied {
    /// The mutant of this number.
    pub fn mutant(&self, id: MutantId) -> &Mutant {
        &self.mutants[id.0 as usize - 1]
    }

    /// All mutants that were proposed, with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (MutantId, &Mutant)> + Clone {
        let ids = (1..).map(MutantId);
        ids.zip(&self.mutants)
    }

    /// The region of this number; a copy with other features may have had more of them.
    pub fn region(&self, id: RegionId) -> Option<&Region> {
        self.regions.get(id.0 as usize)
    }

    /// Is the region a side of a branch?
    pub fn is_branch(&self, id: RegionId) -> bool {
        self.region(id).is_some_and(|it| it.kind.is_branch())
    }

    /// What another copy, of the source with some changes, can begin with.
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

    /// The same, but for functions with mutants: they are not `const`, so that rustc says who computes
    /// constants with them.
    pub fn freed(&self, dir: &Path, package: &Path) -> io::Result<()> {
        self.note(dir, package)?;
        fs::write(dir.join(FREED), "")?;
        write_ahead(dir)
    }

    /// Mutants of the functions that constants are computed with, as rustc says of such a copy.
    pub fn in_constants(&self, errors: &[Diagnostic]) -> BTreeSet<MutantId> {
        let errors = errors.iter().filter(|it| it.code == "E0015");
        let is_left = |id: &MutantId| !self.dropped.contains_key(id);
        errors
            .flat_map(|it| blame::needed_in_constants(&self.mutants, &is_left, &it.message))
            .collect()
    }

    /// Prepares another directory for the same copy, of the same source elsewhere.
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

/// Writes the source of a copy before the compiler is asked for. What is written while it runs is newer
/// than what it makes, and then cargo asks for all of it again the next time.
fn write_ahead(dir: &Path) -> io::Result<()> {
    let _ = fs::remove_file(dir.join(AHEAD));
    let Ok(rewriter) = read(dir) else {
        // It may take a build script to make the root file, even.
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

/// Where the package is in its workspace.
fn within(dir: &Path) -> PathBuf {
    PathBuf::from(fs::read_to_string(dir.join(WITHIN)).unwrap_or_default())
}

/// The mirror of the package.
fn mirror(dir: &Path) -> PathBuf {
    below(&dir.join(SOURCE), &within(dir))
}

/// Where a package is in the mirror of its workspace.
pub(crate) fn below(mirror: &Path, within: &Path) -> PathBuf {
    match within == Path::new("") {
        true => mirror.to_owned(),
        false => mirror.join(within),
    }
}

/// Removes all but these files.
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

/// The rewriter as the wrapper had it.
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
    /// May it use what is not stable?
    pub(crate) unstable: bool,
}

/// What rustc is asked to compile, if that is the crate that a copy is made of.
pub(crate) struct Asked {
    /// Where the copy is made.
    dir: PathBuf,
    package: PathBuf,
    /// Which of the arguments is the root file.
    pub(crate) source: usize,
    /// The root file, relative to the package.
    pub(crate) root: PathBuf,
    /// What stands before that in the argument.
    pub(crate) prefix: String,
}

/// In rustc's place: is it asked to compile the crate that a copy is made of?
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

/// In rustc's place: writes the copy, and the arguments to compile it with. `None` if the crate is
/// compiled as it is.
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
    // A build script may have written some of the source since.
    let is_written = dir.join(AHEAD).exists() && std::env::var_os("OUT_DIR").is_none();
    if !is_written && let Err(error) = rewrite(&dir, &package, &root, &Cfg::new(cfg.lines())) {
        eprintln!("error: {error}");
        return None;
    }
    let mut arguments = arguments.to_vec();
    arguments[source] = mirror.join(&root).into();
    // Paths in messages and panics are the original's.
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

/// What conditional compilation goes by, as the first that compiled the copy was told: numbers of
/// mutants are the same for everybody. `None` if they cannot be written down.
fn told(dir: &Path, root: &Path, arguments: &[OsString]) -> Option<String> {
    if let Ok(known) = fs::read_to_string(dir.join(CFG)) {
        return known.split_once('\n').map(|(_, cfg)| cfg.to_owned());
    }
    let cfg = configuration(arguments);
    let told = format!("{}\n{cfg}", root.display());
    write(&dir.join(CFG), &told).ok()?;
    Some(cfg)
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
    let rewriter = rewriter(package, root, cfg).map_err(|error| error.to_string())?;
    let files = rewriter.render(&kept(dir, &rewriter));
    put(package, dir, &texts(&files)).map_err(|error| error.to_string())
}

/// Writes files, and links to everything else.
fn put(package: &Path, dir: &Path, files: &[(&Path, &str)]) -> io::Result<()> {
    reflect_above(package, &dir.join(SOURCE), &within(dir))?;
    let mirror = mirror(dir);
    reflect(package, &mirror, Path::new(""), &paths(files))?;
    for (path, text) in files {
        write(&mirror.join(path), text)?;
    }
    Ok(())
}

/// Links to what is around a package in its workspace: a file of the package may include it.
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

/// The positions of the names that are listed, a line each.
fn numbers(listed: &str, names: &[String]) -> impl Iterator<Item = u32> {
    let listed: BTreeSet<&str> = listed.lines().collect();
    let all = names.iter().zip(0..);
    all.filter(move |(name, _)| listed.contains(name.as_str()))
        .map(|(_, id)| id)
}

/// Makes directories for what is rewritten, and links to everything else.
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
