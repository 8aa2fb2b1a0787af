//! `cargo testsmith diff`: which two versions are meant, and what is printed of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_commands::{self as commands, Side};
use testsmith_equip::{Outcome, Watch};
use testsmith_project::{LocateError, Package, Version, find_version, locate};
use testsmith_record::{ChangedTest, DiffReport, GoneReport};

use crate::arguments::{Arguments, Diff};
use crate::exit::{self, Failure};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::{check_json, complain, say, write_json};

/// Items of a list that a short text shows.
const MAX_SHOWN: usize = 10;
/// Lines of a test that a short text shows.
const MAX_LINES: usize = 5;
/// Longer values are cut.
const MAX_VALUE: usize = 160;

/// Compares the versions, says what came of it, and returns the exit code.
pub(crate) fn diff(arguments: &Arguments, choice: &Diff, cancel: &Arc<AtomicBool>) -> u8 {
    let mut progress = Progress::new(arguments.quiet);
    let result = compare(arguments, choice, &mut progress, cancel);
    progress.finish();
    match result {
        Ok(report) => {
            say(&text(&report, arguments.verbose));
            if let Err(failure) = write_json(arguments.json.as_deref(), &report) {
                return complain(&failure);
            }
            match (cancel.load(Ordering::Relaxed), report.is_changed()) {
                (true, _) => exit::INTERRUPTED,
                (false, true) => exit::CHANGED,
                (false, false) => 0,
            }
        }
        // Cargo was asked for the versions, and Ctrl-C was for it too.
        Err(failure) if cancel.load(Ordering::Relaxed) && failure.code != exit::INTERRUPTED => {
            exit::INTERRUPTED
        }
        Err(failure) => complain(&failure),
    }
}

fn compare(
    arguments: &Arguments,
    choice: &Diff,
    progress: &mut Progress,
    cancel: &Arc<AtomicBool>,
) -> Result<DiffReport, Failure> {
    if arguments.workspace || arguments.package.len() > 1 {
        return Err(Failure {
            message: "two versions of one package are compared, not several packages".to_owned(),
            advice: Some("name one with -p, or none".to_owned()),
            code: exit::USAGE,
        });
    }
    check_json(arguments.json.as_deref())?;
    let name = arguments.package.first().map(String::as_str);
    let here = locate(arguments.manifest_path.as_deref(), name);
    let dir = directory(&here)?;
    let find = |word: &str, side: &str| find_version(word, here.as_ref(), name, &dir.join(side));
    let old = find(&choice.old, "old")?;
    let new = find(&choice.new, "new")?;
    if old.package.name != new.package.name {
        return Err(Failure {
            message: format!(
                "`{}` is package `{}`, and `{}` is package `{}`",
                choice.old, old.package.name, choice.new, new.package.name
            ),
            advice: Some("name two versions of one package".to_owned()),
            code: exit::USAGE,
        });
    }
    let settings = arguments.settings().or(Settings::of_package(&old.package)?);
    let out = arguments.settings().out;
    let out = out.unwrap_or_else(|| dir.with_file_name("diff"));
    let side = |version: &Version, side: &str| {
        let manifest = version.package.manifest_path.clone();
        let mut config = settings
            .clone()
            .config(Some(manifest), &version.package, true);
        config.equipping.package.target_dir = Some(dir.join(side));
        config.equipping.package.cap_lints = true;
        config.writing.apart = true;
        config.writing.out = Some(out.clone());
        Side {
            config,
            origin: version.origin.clone(),
        }
    };
    let mut events = |event| progress.show(event);
    let mut watch = Watch::new(&mut events, cancel);
    let report = match commands::diff(&side(&old, "old"), &side(&new, "new"), &mut watch)? {
        Outcome::Done(report) => report,
        Outcome::Interrupted(stage) => return Err(Failure::interrupted(stage)),
    };
    match (report.compared, report.uncompared.is_empty()) {
        (0, true) => Err(Failure {
            message: format!(
                "exploring {} {} gave no test",
                report.package, report.old.version
            ),
            advice: Some("`cargo testsmith --dry-run -v` on OLD says what was left out".to_owned()),
            code: exit::NOTHING,
        }),
        (0, false) => Err(Failure {
            message: format!(
                "nothing of {} {} can be called in the same way on {}, mostly because: {}",
                report.package, report.old.version, report.new.version, report.uncompared[0].reason
            ),
            advice: Some("choose versions that are closer to each other".to_owned()),
            code: exit::NOTHING,
        }),
        _ => Ok(report),
    }
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

/// What changed, what could not be compared, and what is gone.
fn text(report: &DiffReport, verbose: bool) -> String {
    let mut out = String::new();
    let (old, new) = (&report.old, &report.new);
    let _ = writeln!(
        out,
        "\n{} {} ({}) -> {} ({})",
        report.package, old.version, old.origin, new.version, new.origin
    );
    if report.interrupted {
        let _ = writeln!(out, "  interrupted: this is what was learnt until then");
    }
    let n_tests: usize = report.changed.iter().map(|it| it.tests.len()).sum();
    let n_uncompared: usize = report.uncompared.iter().map(|it| it.count).sum();
    let _ = writeln!(
        out,
        "  compared  {} cases: {} end alike, {n_tests} otherwise, {} failures are gone; {n_uncompared} \
         could not be compared",
        report.compared,
        report.same,
        report.fixed.len(),
    );
    changes(&mut out, report, verbose);
    if !report.fixed.is_empty() {
        let _ = writeln!(
            out,
            "  fixed     failures of {} that {} does not have",
            old.version, new.version
        );
    }
    for fixed in &report.fixed {
        let _ = writeln!(
            out,
            "            {}: {}",
            fixed.callable,
            cut(&fixed.old, verbose)
        );
        code(&mut out, 16, &fixed.code, verbose);
    }
    surface(
        &mut out,
        "gone",
        "API that NEW does not have",
        &report.gone,
        verbose,
    );
    if !report.signatures.is_empty() {
        let _ = writeln!(
            out,
            "  resigned  {} with another signature",
            report.signatures.len()
        );
    }
    let signatures = report.signatures.iter();
    for it in signatures.take(limit(verbose)) {
        let _ = writeln!(out, "            {}", it.path);
        let _ = writeln!(out, "                OLD  {}", cut(&it.old, verbose));
        let _ = writeln!(out, "                NEW  {}", cut(&it.new, verbose));
    }
    more(&mut out, report.signatures.len(), verbose);
    match verbose {
        true => surface(
            &mut out,
            "new",
            "API that OLD does not have",
            &report.added,
            true,
        ),
        false if report.added.is_empty() => {}
        false => {
            let _ = writeln!(
                out,
                "  new       {} callables and types; -v lists them",
                report.added.len()
            );
        }
    }
    if !report.uncompared.is_empty() {
        let _ = writeln!(out, "  not compared");
    }
    for it in report.uncompared.iter().take(limit(verbose)) {
        let _ = writeln!(out, "      {:>5} × {}", it.count, cut(&it.reason, verbose));
    }
    more(&mut out, report.uncompared.len(), verbose);
    if let Some(file) = &report.file {
        let _ = writeln!(
            out,
            "  tests     {} ({}): each passes on OLD and fails on NEW",
            from_here(&file.path),
            file.status
        );
    }
    if !report.is_changed() {
        let _ = writeln!(out, "  no behaviour changed");
    }
    out
}

/// By callable, how many tests show it and the shortest of them.
fn changes(out: &mut String, report: &DiffReport, verbose: bool) {
    if report.changed.is_empty() {
        return;
    }
    let _ = writeln!(out, "  changed   tests  callable");
    for change in &report.changed {
        let resigned = match change.resigned {
            true => " (it has another signature, too)",
            false => "",
        };
        let _ = writeln!(
            out,
            "            {:>5}  {}{resigned}",
            change.tests.len(),
            change.callable
        );
        let mut seen = BTreeSet::new();
        let distinct = change.tests.iter();
        let distinct = distinct.filter(|it| seen.insert((it.kind, &it.code, &it.new)));
        let shown: Vec<&ChangedTest> = match verbose {
            true => distinct.collect(),
            false => distinct.take(1).collect(),
        };
        for test in shown {
            code(out, 19, &test.code, verbose);
            let _ = writeln!(out, "                     OLD  {}", cut(&test.old, verbose));
            let _ = writeln!(out, "                     NEW  {}", cut(&test.new, verbose));
        }
    }
}

/// A list of API; what belongs to a type that is in it is only counted.
fn surface(out: &mut String, verb: &str, words: &str, list: &[GoneReport], verbose: bool) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(out, "  {verb:<9} {}: {words}", list.len());
    let types: Vec<&str> = list
        .iter()
        .filter(|it| it.kind == "type")
        .map(|it| &*it.path)
        .collect();
    let is_within =
        |it: &&GoneReport| it.kind == "callable" && types.iter().any(|path| names(&it.path, path));
    let shown: Vec<&GoneReport> = list.iter().filter(|it| verbose || !is_within(it)).collect();
    for it in shown.iter().take(limit(verbose)) {
        let n_within = list
            .iter()
            .filter(|inner| it.kind == "type" && is_within(inner) && names(&inner.path, &it.path));
        let within = match (it.kind, n_within.count()) {
            ("type", 0) => " (type)".to_owned(),
            ("type", n) => format!(" (type, with {n} callables)"),
            _ => String::new(),
        };
        let _ = writeln!(out, "            {}{within}", it.path);
    }
    more(out, shown.len(), verbose);
}

/// Is this path a part of the key, as a whole?
fn names(key: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    key.match_indices(path).any(|(at, _)| {
        let before = key[..at].chars().next_back();
        let after = key[at + path.len()..].chars().next();
        !before.is_some_and(|c| is_part(c) || c == ':') && !after.is_some_and(is_part)
    })
}

fn limit(verbose: bool) -> usize {
    match verbose {
        true => usize::MAX,
        false => MAX_SHOWN,
    }
}

fn more(out: &mut String, n: usize, verbose: bool) {
    if n > limit(verbose) {
        let _ = writeln!(
            out,
            "            and {} more; -v shows them all",
            n - MAX_SHOWN
        );
    }
}

/// The last lines of a test.
fn code(out: &mut String, indent: usize, code: &str, verbose: bool) {
    let n_lines = code.lines().count();
    let n_left_out = match verbose {
        true => 0,
        false => n_lines.saturating_sub(MAX_LINES),
    };
    if n_left_out > 0 {
        let _ = writeln!(out, "{:indent$}… {n_left_out} lines before", "");
    }
    for line in code.lines().skip(n_left_out) {
        let _ = writeln!(out, "{:indent$}{}", "", cut(line, verbose));
    }
}

/// The path as it is written in this directory.
fn from_here(path: &str) -> &str {
    let here = std::env::current_dir().unwrap_or_default();
    let below = Path::new(path).strip_prefix(here).ok();
    below.and_then(Path::to_str).unwrap_or(path)
}

/// On one line, and not too long.
fn cut(text: &str, verbose: bool) -> String {
    let text = text
        .split('\n')
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    match verbose || text.chars().count() <= MAX_VALUE {
        true => text,
        false => text.chars().take(MAX_VALUE).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_as_a_whole() {
        assert!(names("<a::B as std::cmp::Ord>::cmp", "a::B"));
        assert!(names("a::B::new", "a::B"));
        assert!(!names("a::Bee::new", "a::B"));
        assert!(!names("aa::B::new", "a::B"));
    }
}
