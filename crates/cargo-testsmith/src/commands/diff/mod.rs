//! `cargo testsmith diff`: which two versions are meant, and what they do otherwise.

mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_commands::Side;
use testsmith_project::{LocateError, Package, Version, find_version, locate};
use testsmith_record::DiffReport;

use crate::exit::{self, Failure};
use crate::flags::{Exploring, Flags};
use crate::job;
use crate::output;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::terminal;

/// Which versions to compare, and how.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A directory with a Cargo.toml, a published version (1.2.3 of the package here, or
    /// name@1.2.3), or a git revision
    old: String,

    /// The same, for the other version
    new: String,

    #[command(flatten)]
    exploring: Exploring,

    /// Where the tests go that pass on OLD and fail on NEW [default: target/testsmith/diff]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Args {
    /// These flags, and those of `before` where these say nothing.
    pub(crate) fn over(&self, before: &Flags) -> Flags {
        Flags {
            exploring: self.exploring.or(&before.exploring),
            out: self.out.as_ref().or(before.out.as_ref()).cloned(),
            ..before.clone()
        }
    }
}

/// Compares the versions, says what came of it, and returns the exit code.
pub(crate) fn diff(args: &Args, flags: &Flags, cancel: &Arc<AtomicBool>) -> Result<u8, Failure> {
    let mut progress = Progress::new(flags.quiet);
    let result = compare(args, flags, &mut progress, cancel);
    progress.finish();
    let is_cancelled = cancel.load(Ordering::Relaxed);
    let report = match result {
        Ok(report) => report,
        // Cargo was asked for the versions, and Ctrl-C was for it too.
        Err(failure) if is_cancelled && failure.code != exit::INTERRUPTED => {
            return Ok(exit::INTERRUPTED);
        }
        Err(failure) => return Err(failure),
    };
    terminal::say(&text::text(&report, flags.verbose));
    output::write_json(flags.json.as_deref(), &report)?;
    Ok(
        match (cancel.load(Ordering::Relaxed), report.is_changed()) {
            (true, _) => exit::INTERRUPTED,
            (false, true) => exit::CHANGED,
            (false, false) => 0,
        },
    )
}

/// Finds both versions and compares them.
fn compare(
    args: &Args,
    flags: &Flags,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<DiffReport, Failure> {
    if flags.workspace || flags.package.len() > 1 {
        return Err(Failure {
            message: "two versions of one package are compared, not several packages".to_owned(),
            advice: Some("name one with -p, or none".to_owned()),
            code: exit::USAGE,
        });
    }
    output::check_json(flags.json.as_deref())?;
    let name = flags.package.first().map(String::as_str);
    let here = locate(flags.manifest_path.as_deref(), name);
    let dir = directory(&here)?;
    let find = |word: &str, side: &str| find_version(word, here.as_ref(), name, &dir.join(side));
    let old = find(&args.old, "old")?;
    let new = find(&args.new, "new")?;
    if old.package.name != new.package.name {
        return Err(Failure {
            message: format!(
                "`{}` is package `{}`, and `{}` is package `{}`",
                args.old, old.package.name, args.new, new.package.name
            ),
            advice: Some("name two versions of one package".to_owned()),
            code: exit::USAGE,
        });
    }
    let said = flags.settings();
    let out = said.out.clone();
    let out = out.unwrap_or_else(|| dir.with_file_name("diff"));
    let settings = said.or(of_files(&old, here.as_ref().ok())?);
    let old = side(old, &settings, dir.join("old"), &out);
    let new = side(new, &settings, dir.join("new"), &out);
    let report = job::watch(progress, cancel, |watch| {
        testsmith_commands::diff(&old, &new, watch)
    })?;
    compared(report)
}

/// What files say of how to explore: those of the old version or, if that was downloaded and nobody here
/// has read its settings, those of the package here.
fn of_files(old: &Version, here: Option<&Package>) -> Result<Settings, Failure> {
    let package = match old.is_downloaded {
        false => Some(&old.package),
        true => here.filter(|it| it.name == old.package.name),
    };
    let settings = package.map(Settings::of_package).transpose()?;
    Ok(settings.unwrap_or_default())
}

/// What is done with one of the versions, and where it is built.
fn side(version: Version, settings: &Settings, target_dir: PathBuf, out: &Path) -> Side {
    let manifest = version.package.manifest_path.clone();
    let settings = settings.clone();
    let mut config = settings.config(Some(manifest), &version.package, true);
    config.equipping.package.target_dir = Some(target_dir);
    config.equipping.package.cap_lints = true;
    config.writing.apart = true;
    config.writing.out = Some(out.to_path_buf());
    Side {
        config,
        origin: version.origin,
    }
}

/// The report, unless nothing was compared: then "no behaviour changed" would say too much.
fn compared(report: DiffReport) -> Result<DiffReport, Failure> {
    let (message, advice) = match (report.compared, &report.uncompared[..]) {
        (0, []) => (
            format!(
                "exploring {} {} gave no test",
                report.package, report.old.version
            ),
            "`cargo testsmith --dry-run -v` on OLD says what was left out",
        ),
        (0, [first, ..]) => (
            format!(
                "nothing of {} {} can be called in the same way on {}, mostly because: {}",
                report.package, report.old.version, report.new.version, first.reason
            ),
            "choose versions that are closer to each other",
        ),
        _ => return Ok(report),
    };
    Err(Failure {
        message,
        advice: Some(advice.to_owned()),
        code: exit::NOTHING,
    })
}

/// Where both versions are built: below the target directory of the package here; without one, below
/// `target` in this directory, or wherever cargo is told to build.
fn directory(here: &Result<Package, LocateError>) -> Result<PathBuf, Failure> {
    let target = match (here, std::env::var_os("CARGO_TARGET_DIR")) {
        (Ok(package), _) => package.target_dir.clone(),
        (Err(_), Some(dir)) if !dir.is_empty() => dir.into(),
        (Err(_), _) => Path::new("target").to_path_buf(),
    };
    let dir = target.join("testsmith/.diff");
    std::path::absolute(&dir).map_err(|error| Failure {
        message: format!("cannot use {}: {error}", dir.display()),
        advice: None,
        code: exit::WRITE,
    })
}

#[cfg(test)]
mod tests {
    use super::text::tests::report;
    use super::*;
    use crate::kept;

    #[test]
    fn settings_of_a_downloaded_version_are_not_obeyed() {
        let dir = std::env::temp_dir().join(format!("testsmith-settings-{}", std::process::id()));
        let version = |name: &str, seed: u64, is_downloaded: bool| {
            let dir = dir.join(name);
            let manifest = "[package]\nname = \"small\"\nedition = \"2024\"\n[workspace]\n";
            let settings = format!("seed = {seed}\n");
            for (file, text) in [
                ("src/lib.rs", ""),
                ("Cargo.toml", manifest),
                ("testsmith.toml", &settings),
            ] {
                let path = dir.join(file);
                kept::write(&path, text).expect("the temporary directory is writable");
            }
            Version {
                package: locate(Some(&dir.join("Cargo.toml")), None).expect("it is a package"),
                origin: String::new(),
                is_downloaded,
            }
        };
        let here = version("here", 1, false).package;
        fn seed(version: &Version, here: Option<&Package>) -> Option<u64> {
            let settings = of_files(version, here);
            settings.expect("they make sense").seed
        }
        let own = version("own", 2, false);
        assert_eq!(seed(&own, Some(&here)), Some(2));
        let downloaded = version("downloaded", 3, true);
        assert_eq!(seed(&downloaded, Some(&here)), Some(1));
        assert_eq!(seed(&downloaded, None), None);
        let other = Package {
            name: "other".to_owned(),
            ..here
        };
        assert_eq!(seed(&downloaded, Some(&other)), None);
    }

    #[test]
    fn nothing_compared_is_a_failure_with_the_most_frequent_reason() {
        assert!(compared(report()).is_ok());
        let mut none = report();
        none.compared = 0;
        let failure = compared(none.clone()).expect_err("nothing was compared");
        assert!(
            failure
                .message
                .ends_with("mostly because: it has another signature")
        );
        none.uncompared.clear();
        let failure = compared(none).expect_err("nothing was compared");
        assert_eq!(failure.message, "exploring small 0.1.0 gave no test");
        assert_eq!(failure.code, exit::NOTHING);
    }
}
