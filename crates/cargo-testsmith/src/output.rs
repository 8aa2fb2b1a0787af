//! What leaves the command beside its answer: failures with their advice, and the record that `--json`
//! asks for.

use std::backtrace::Backtrace;
use std::path::Path;

use testsmith_project::write_whole;

use crate::bug;
use crate::exit::{self, Failure};
use crate::terminal::tell;

/// Prints why the command failed and what to do about it. Returns the exit code.
pub(crate) fn complain(failure: &Failure) -> u8 {
    tell(&format!("error: {}", failure.message));
    if let Some(advice) = &failure.advice {
        tell(&format!("\nhelp: {advice}"));
    }
    if failure.code == exit::INTERNAL {
        tell(&bug::leave(&failure.message, &Backtrace::force_capture()));
    }
    failure.code
}

/// Fails if the record cannot stand where `--json` wants it: that should be known before a minute of
/// exploring.
pub(crate) fn check_json(path: Option<&Path>) -> Result<(), Failure> {
    match path {
        Some(path) => check_file("record", path),
        None => Ok(()),
    }
}

/// Fails if no file can stand at this path; `what` says what the file would be.
pub(crate) fn check_file(what: &str, path: &Path) -> Result<(), Failure> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    match (path.is_dir(), dir.is_dir()) {
        (true, _) => Err(failure(what, path, "it is a directory")),
        (false, false) => Err(failure(what, path, "its directory does not exist")),
        (false, true) => Ok(()),
    }
}

/// Writes the record to where `--json` wants it, if anywhere.
pub(crate) fn write_json(
    path: Option<&Path>,
    record: &impl serde::Serialize,
) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(record).expect("a record of plain fields is JSON");
    write_whole(path, text + "\n").map_err(|error| failure("record", path, &error.to_string()))
}

fn failure(what: &str, path: &Path, problem: &str) -> Failure {
    Failure {
        message: format!("cannot write the {what} to {}: {problem}", path.display()),
        advice: Some("name a file in a directory that exists, is writable and has room".to_owned()),
        code: exit::WRITE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_stand_in_a_directorys_place_nor_in_one_that_is_missing() {
        let check = |path: &str| {
            let failure = check_file("picture", Path::new(path)).expect_err("no file can be there");
            assert_eq!(failure.code, exit::WRITE);
            failure.message
        };
        assert_eq!(
            check("src"),
            "cannot write the picture to src: it is a directory"
        );
        assert_eq!(
            check("nowhere/x.svg"),
            "cannot write the picture to nowhere/x.svg: its directory does not exist"
        );
        assert!(check_file("picture", Path::new("x.svg")).is_ok());
    }

    #[test]
    fn without_json_there_is_nothing_to_check() {
        assert!(check_json(None).is_ok());
        assert!(check_json(Some(Path::new("nowhere/record.json"))).is_err());
    }
}
