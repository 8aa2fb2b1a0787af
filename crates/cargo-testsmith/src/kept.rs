//! The last record of each command, kept below the target directory, and the page that is made of
//! them.

#![expect(
    clippy::disallowed_methods,
    reason = "records and pages are kept in files"
)]

use std::fs;
use std::path::{Path, PathBuf};

use testsmith_project::{Package, make_ours, write_whole};
use testsmith_record::Report;
use testsmith_report::Records;

use crate::exit::{self, Failure};
use crate::terminal::tell;

/// Where the records of a package are.
fn dir(package: &Package) -> PathBuf {
    let records = package.target_dir.join("testsmith/records");
    records.join(&package.name)
}

/// Where a file goes that is made of the records, unless the user names another place.
pub(crate) fn made(package: &Package, extension: &str) -> PathBuf {
    let dir = package.target_dir.join("testsmith/report");
    dir.join(format!("{}.{extension}", package.name))
}

/// Keeps a record in the place of the last of this name, and makes the page again. Returns where the
/// page is.
pub(crate) fn keep(
    package: &Package,
    name: &str,
    record: &impl serde::Serialize,
) -> Result<PathBuf, Failure> {
    let record = serde_json::to_value(record).expect("a record of plain fields is JSON");
    let path = dir(package).join(format!("{name}.json"));
    write(&path, &format!("{record}\n"))?;
    let records = read(package)?;
    let page = made(package, "html");
    write(&page, &testsmith_report::html(&records))?;
    Ok(page)
}

/// Where the record of the last run is whose failures are numbered.
fn numbered(package: &Package) -> PathBuf {
    let dir = package.target_dir.join("testsmith/failures");
    dir.join(format!("{}.json", package.name))
}

/// Keeps the record of a run, so that its failures can be told of by their numbers.
pub(crate) fn keep_failures(package: &Package, report: &Report) {
    let record = serde_json::to_value(report).expect("a record of plain fields is JSON");
    if let Err(failure) = write(&numbered(package), &format!("{record}\n")) {
        tell(&format!("warning: {}", failure.message));
    }
}

/// The last run that looked for failures.
pub(crate) fn failures(package: &Package) -> Result<Report, Failure> {
    let text = fs::read_to_string(numbered(package)).ok();
    let report = text.and_then(|text| serde_json::from_str(&text).ok());
    report.ok_or_else(|| Failure {
        message: format!(
            "nobody looked for failures of package `{}` yet",
            package.name
        ),
        advice: Some("run `cargo testsmith bugs` first: it numbers what it finds".to_owned()),
        code: exit::NOTHING,
    })
}

/// A line of a file of the package.
pub(crate) fn line(package: &Package, file: &str, line: u32) -> Option<String> {
    let text = fs::read_to_string(package.dir.join(file)).ok()?;
    let line = text.lines().nth(line.checked_sub(1)? as usize)?;
    Some(line.to_owned())
}

/// The name with `_` for every character that some file system might refuse.
pub(crate) fn plain(name: &str) -> String {
    let plain = name.chars().map(|c| match c.is_alphanumeric() {
        true => c,
        false => '_',
    });
    plain.collect()
}

/// A name that somebody wrote into a record, as the part of a file's name that it usually is: names of packages
/// stay as they are.
pub(crate) fn file_name(name: &str) -> String {
    let plain = name.chars().take(64).map(|c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
        _ => '_',
    });
    plain.collect()
}

/// Reads all records of a package. One that cannot be read was written by another version: it is passed
/// over with a warning.
pub(crate) fn read(package: &Package) -> Result<Records, Failure> {
    let mut records = Records::default();
    let is_there = fs::symlink_metadata(package.target_dir.join("testsmith")).is_ok();
    if is_there && let Err(error) = make_ours(&package.target_dir) {
        tell(&format!("warning: {}", error));
    }
    let entries = fs::read_dir(dir(package)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|it| it == "json")
            && let Err(failure) = add(&mut records, &path)
        {
            tell(&format!("warning: {}", failure.message));
        }
    }
    match records.package() {
        Some(_) => Ok(records),
        None => Err(Failure {
            message: format!("there is no record of package `{}`", package.name),
            advice: Some(
                "run `cargo testsmith` or `cargo testsmith mutants` first, or name files that \
                 --json wrote"
                    .to_owned(),
            ),
            code: exit::NOTHING,
        }),
    }
}

/// Reads a record from a file.
pub(crate) fn add(records: &mut Records, path: &Path) -> Result<(), Failure> {
    let failed = |problem: String| Failure {
        message: format!("cannot use the record {}: {problem}", path.display()),
        advice: Some("name a file that `cargo testsmith --json FILE` wrote".to_owned()),
        code: exit::USAGE,
    };
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    records
        .add(&text)
        .map_err(|error| failed(error.to_string()))
}

/// Writes a file whole, and makes the directories above it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure {
        message: format!("cannot write {}: {error}", path.display()),
        advice: Some("name a file in a directory that is writable and has room".to_owned()),
        code: exit::WRITE,
    };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    write_whole(path, text).map_err(failed)
}

/// The path as people say it: relative to the current directory, if it is below that.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_record_is_no_path() {
        assert_eq!(file_name("bit-vec_2"), "bit-vec_2");
        assert_eq!(file_name("../../evil"), "______evil");
        assert_eq!(file_name("/tmp/a\0b"), "_tmp_a_b");
        assert_eq!(file_name(&"a".repeat(300)).len(), 64);
    }
}
