//! Code that does harm, and somebody outside who does.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::run::{
    copy_subject, expect_tests_pass, record, root, scratch, stderr, tests_of, testsmith,
};

/// What the fixture has that must never stand in a test: it reaches for the world, or leaves
/// something running.
const HARMFUL: [&str; 18] = [
    "deletes",
    "deletes_all",
    "overwrites",
    "truncates",
    "renames",
    "locks",
    "writes",
    "makes_directory",
    "reads",
    "looks",
    "asks",
    "connects",
    "sends",
    "spawns",
    "spawns_and_leaves",
    "executes",
    "lingers",
    "now",
];

#[test]
fn hostile_code_leaves_no_trace_and_its_neighbours_are_tested() {
    let outer = scratch("hostile");
    let dir = outer.join("package");
    fs::create_dir_all(dir.join("src")).expect("writable");
    let from = root().join("fixtures/hostile");
    for file in ["Cargo.toml", "src/lib.rs", "victim.txt"] {
        fs::copy(from.join(file), dir.join(file)).expect("the fixture is there");
    }
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    tcp.set_nonblocking(true).expect("it can");
    let address = tcp.local_addr().expect("it is bound");
    let udp = UdpSocket::bind(address).expect("the same port is free");
    udp.set_nonblocking(true).expect("it can");
    fs::write(dir.join("port.txt"), address.port().to_string()).expect("writable");
    let before = fs::metadata(dir.join("victim.txt")).expect("it is there");

    let output = testsmith(&dir, &["--calls", "20000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));

    // No trace: not of what was called while exploring, and not of what was checked.
    let after = fs::metadata(dir.join("victim.txt")).expect("it is still there");
    let facts = |m: &fs::Metadata| (m.len(), m.permissions(), m.modified().ok());
    assert_eq!(facts(&after), facts(&before));
    // The program that it tries to leave behind would write after two seconds.
    std::thread::sleep(Duration::from_millis(2500));
    assert!(!dir.join("trace.txt").exists());
    assert!(!outer.join("trace.txt").exists());
    let heard = tcp.accept().map(|_| ()).map_err(|error| error.kind());
    assert_eq!(heard, Err(ErrorKind::WouldBlock));
    let heard = udp.recv(&mut [0; 8]).map_err(|error| error.kind());
    assert_eq!(heard, Err(ErrorKind::WouldBlock));

    // All harmless functions are tested, and no other.
    let tests = tests_of(&dir);
    for name in [
        "larger(",
        "is_palindrome(",
        "increment(",
        "value(",
        "waits(",
    ] {
        assert!(tests.contains(name), "{name} is not tested");
    }
    for name in HARMFUL {
        let call = format!(" {name}(");
        assert!(!tests.contains(&call), "{name} is called in a test");
    }
    let record = record(&dir);
    let failures = record["failures"].as_array().expect("failures are listed");
    for (name, kind) in [
        ("exits", "exit"),
        ("aborts", "abort"),
        ("spins", "timeout"),
        ("sleeps", "timeout"),
        ("recurses", "stack-overflow"),
        ("hoards", "out-of-memory"),
    ] {
        let is_it = |f: &&serde_json::Value| f["operation"] == format!("hostile::{name}");
        let failure = failures.iter().find(is_it);
        let failure = failure.unwrap_or_else(|| panic!("{name} is not a failure"));
        assert_eq!(failure["kind"], kind, "{name}");
        assert!(failure["test"].is_string(), "{name} has no test");
    }
    expect_tests_pass(&dir);
    // The record says what reached for what.
    let callables = record["callables"].as_array().expect("they are listed");
    let touches = |path: &str| {
        let callable = callables.iter().find(|c| c["path"] == path);
        callable.map(|c| c["touches"].to_string())
    };
    for (path, realm) in [
        ("hostile::deletes", "files"),
        ("hostile::connects", "network"),
        ("hostile::spawns", "processes"),
        ("hostile::asks", "standard input"),
    ] {
        let expected = format!("[\"{realm}\"]");
        assert_eq!(touches(path), Some(expected), "{path}");
    }
    // The thread may be fast enough to reach for a file before the call ends.
    let lingers = touches("hostile::lingers").expect("it is listed");
    assert!(lingers.contains("threads left behind"), "{lingers}");
    assert_eq!(touches("hostile::larger").as_deref(), Some("[]"));
}

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

fn suite(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut dirs = vec![dir.join("tests")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).expect("tests were written") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => dirs.push(path),
                false => {
                    let text = fs::read_to_string(&path).expect("it is text");
                    files.push((path, text));
                }
            }
        }
    }
    files.sort();
    files
}

/// How often guests are killed; more are asked for by hand than on every build machine.
fn n_kills_wanted() -> usize {
    let wanted = std::env::var("TESTSMITH_KILLS").ok();
    wanted.map_or(60, |n| n.parse().expect("TESTSMITH_KILLS is a number"))
}

#[test]
fn jobs_and_killed_guests_change_nothing() {
    let dir = scratch("killed");
    copy_subject("rostra", &dir);
    let n_wanted = n_kills_wanted();
    let calls = (n_wanted * 3000).to_string();
    let run = |jobs: &str| {
        let args = ["--calls", &calls, "--seed", "3", "--jobs", jobs];
        let output = testsmith(&dir, &args);
        assert!(output.status.success(), "{}", stderr(&output));
        suite(&dir)
    };
    let expected = run("1");
    assert!(!expected.is_empty());
    let is_over = AtomicBool::new(false);
    let n_killed = AtomicUsize::new(0);
    let disturbed = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for pid in guests(&dir) {
                    if kill(pid, Signal::SIGKILL).is_ok() {
                        n_killed.fetch_add(1, Ordering::Relaxed);
                    }
                }
                // Long enough that something gets done in between.
                std::thread::sleep(Duration::from_millis(25));
            }
        });
        let disturbed = run("2");
        is_over.store(true, Ordering::Relaxed);
        disturbed
    });
    let n_killed = n_killed.into_inner();
    println!("guests killed: {n_killed}");
    assert!(n_killed >= n_wanted, "only {n_killed} were killed");
    assert_eq!(disturbed, expected);
}
