//! Ctrl-C ends the step at hand; what was found is kept, and the exit code says so.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::run::{command, expect_refusal, listed, package, record, scratch, stderr, testsmith};

const SUM: &str = "pub fn sum(xs: &[u8]) -> u32 { xs.iter().map(|x| u32::from(*x)).sum() }";

/// Runs the command as a terminal would, with Ctrl-C as soon as it says the word.
fn interrupted_at(dir: &Path, args: &[&str], word: &str) -> Output {
    interrupted_after(dir, args, word, || {})
}

/// The same once something else has happened.
fn interrupted_after(dir: &Path, args: &[&str], word: &str, happened: impl FnOnce()) -> Output {
    let mut child = command(dir, args)
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let group = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
    let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut heard = String::new();
    while !heard.contains(word) {
        let n = said.read_line(&mut heard).expect("it says text");
        assert!(n > 0, "it never said {word}: {heard}");
    }
    happened();
    killpg(group, Signal::SIGINT).expect("it runs");
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("it says text");
    Output {
        status: child.wait().expect("it ends"),
        stdout: Vec::new(),
        stderr: (heard + &rest).into_bytes(),
    }
}

#[test]
fn ctrl_c_ends_any_stage_and_loses_nothing_that_was_found() {
    let dir = scratch("ctrl-c");
    package(&dir, "", Some(SUM));
    let output = interrupted_at(&dir, &[], "Building");
    expect_refusal(
        &output,
        130,
        &["interrupted while building", "nothing was written"],
    );
    assert!(!dir.join("tests").exists());

    let args = ["--time", "600s", "--json", "record.json"];
    let output = interrupted_at(&dir, &args, "Explored");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let explored = record(&dir);
    assert_eq!(explored["interrupted"], true);
    assert!(explored["seconds"]["explore"].as_f64() < Some(300.0));
    let n_tests = explored["tests"].as_array().map_or(0, Vec::len);
    assert!(n_tests > 0, "a second of exploring found something");
    assert_eq!(listed(&dir).len(), n_tests);

    fs::remove_dir_all(dir.join("tests")).expect("they were written");
    let args = ["--calls", "2000", "--json", "record.json"];
    let output = interrupted_at(&dir, &args, "Checking");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let checked = record(&dir);
    assert_eq!(checked["interrupted"], false, "the exploring was over");
    let n_tests = checked["tests"].as_array().map_or(0, Vec::len);
    assert!(n_tests > 0, "it was checked and written");
    assert_eq!(listed(&dir).len(), n_tests);
}

/// Its test takes its time, and leaves a mark where it may write whenever it runs.
const SLOW: &str = r#"
pub fn f(a: u32, b: u32) -> u32 { if a > b { a * 2 + b } else { b * 3 + a } }

#[test]
fn slow() {
    let mark = std::env::temp_dir().join("ran");
    let file = std::fs::OpenOptions::new().append(true).create(true).open(mark);
    std::io::Write::write_all(&mut file.unwrap(), b"x").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(150));
    f(1, 2);
    f(3, 2);
}
"#;

#[test]
fn verdicts_that_were_found_until_ctrl_c_are_kept() {
    let dir = scratch("ctrl-c-mutants");
    package(&dir, "", Some(SLOW));
    let args = ["--json", "record.json", "mutants", "--jobs", "1"];
    let ran = dir.join("target/testsmith/small/run-0/ran");
    let n_ran = || fs::metadata(&ran).map_or(0, |it| it.len());
    // It has run for several of 20 mutants then, and is far from the last.
    let several_ran = || {
        let n_before = n_ran();
        let mut n_waits = 0;
        while n_ran() < n_before + 6 {
            std::thread::sleep(Duration::from_millis(10));
            n_waits += 1;
            assert!(n_waits < 10_000, "its test has run {} times", n_ran());
        }
    };
    let output = interrupted_after(&dir, &args, "Judging", several_ran);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let first = record(&dir);
    assert_eq!(first["interrupted"], true);
    let n = |record: &serde_json::Value, status: &str| record["counts"][status].as_u64();
    assert!(n(&first, "survived") >= Some(2), "{}", first["counts"]);
    assert!(n(&first, "pending") > Some(0), "{}", first["counts"]);

    // The next run goes on.
    assert!(testsmith(&dir, &args).status.success());
    let second = record(&dir);
    assert_eq!(n(&second, "pending"), None, "{}", second["counts"]);
    assert!(second["reused"].as_u64() >= n(&first, "survived"));
}
