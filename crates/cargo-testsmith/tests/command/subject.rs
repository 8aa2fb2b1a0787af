//! A whole crate gets a suite, and the same one whatever happens meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::run::{
    copy_subject, expect_tests_pass, listed, record, scratch, stderr, testsmith_as_shipped,
};

/// Processes whose executable lies below a directory.
fn guests(below: &Path) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let exe = fs::read_link(entry.path().join("exe")).ok()?;
            let is_guest = exe.starts_with(below) && exe.ends_with("testsmith-harness");
            is_guest.then_some(Pid::from_raw(pid))
        })
        .collect()
}

/// Kills guests below a directory while something is done; how many.
fn killing_guests(below: &Path, done: impl FnOnce()) -> usize {
    let is_over = AtomicBool::new(false);
    let n_killed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for pid in guests(below) {
                    if kill(pid, Signal::SIGKILL).is_ok() {
                        n_killed.fetch_add(1, Ordering::Relaxed);
                    }
                }
                // Long enough that something gets done in between.
                std::thread::sleep(Duration::from_millis(80));
            }
        });
        done();
        is_over.store(true, Ordering::Relaxed);
    });
    n_killed.into_inner()
}

/// How often guests are killed; more are asked for by hand than on every build machine.
fn n_kills_wanted() -> usize {
    let wanted = std::env::var("TESTSMITH_KILLS").ok();
    wanted.map_or(20, |n| n.parse().expect("TESTSMITH_KILLS is a number"))
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).expect("it was written")
}

/// What a suite's root declares, by file.
fn modules(below: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(below).expect("a large suite has modules");
    let module = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, text_of(&entry.path()))
    };
    entries.map(|it| module(it.expect("readable"))).collect()
}

#[test]
fn a_subject_gets_a_suite_that_passes_and_again_with_other_jobs_and_killed_guests() {
    let dir = scratch("rostra");
    copy_subject("rostra", &dir);
    let n_wanted = n_kills_wanted();
    let calls = (n_wanted * 2000).to_string();
    let run = |more: &[&str]| {
        let args = ["--calls", &calls, "--seed", "7", "--json", "record.json"];
        let args = [&args[..], more].concat();
        let output = testsmith_as_shipped(&dir, &args);
        assert!(output.status.success(), "{}", stderr(&output));
    };
    run(&["--jobs", "1"]);
    let record = record(&dir);
    assert_eq!(record["schema"], 1);
    assert_eq!(record["seed"], 7);
    let tests = record["tests"].as_array().expect("tests are listed");
    let names: BTreeSet<String> = tests
        .iter()
        .map(|test| test["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names.len(), tests.len(), "names are unique");
    assert!(names.len() > 50, "only {} tests", names.len());
    assert!(
        tests
            .iter()
            .all(|test| test["n_assertions"].as_u64() > Some(0))
    );
    assert_eq!(listed(&dir), names);
    let callables = record["callables"].as_array();
    let callables = callables.expect("callables are listed");
    let reached = callables.iter().filter(|c| c["status"] == "reached");
    let reached = reached.count();
    assert_eq!(reached, callables.len(), "everything in it can be reached");
    expect_tests_pass(&dir);

    // The same seed and number of calls give the same files.
    let first = text_of(&dir.join("tests/testsmith_regression.rs"));
    let n_killed = killing_guests(&dir, || run(&["--jobs", "2", "--out", "again"]));
    println!("guests killed: {n_killed}");
    assert!(n_killed >= n_wanted, "only {n_killed} were killed");
    assert_eq!(text_of(&dir.join("again/testsmith_regression.rs")), first);
    let again = modules(&dir.join("again/testsmith_regression"));
    assert!(again.len() > 1, "{:?}", again.keys());
    assert_eq!(again, modules(&dir.join("tests/testsmith_regression")));
}
