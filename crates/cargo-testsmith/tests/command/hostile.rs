//! Code that does harm: to the machine, or to the process that calls it.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::time::Duration;

use crate::run::{
    expect_tests_pass, of_callable, record, root, scratch, stderr, tests_of, testsmith_as_shipped,
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
fn hostile_code_leaves_no_trace_every_death_has_its_name_and_neighbours_are_tested() {
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

    let output = testsmith_as_shipped(&dir, &["--calls", "10000", "--json", "record.json"]);
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
    let is_called = |name: &str| {
        let call = format!("{name}(");
        let mut calls = tests.match_indices(&call);
        // Not the end of another name.
        calls.any(|(at, _)| !tests[..at].ends_with(|c: char| c == '_' || c.is_alphanumeric()))
    };
    for name in [
        "larger",
        "is_palindrome",
        "increment",
        "value",
        "waits",
        "picky",
        "divide",
    ] {
        assert!(is_called(name), "{name} is not tested");
    }
    for name in HARMFUL {
        assert!(!is_called(name), "{name} is called in a test");
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
        ("faults", "signal"),
    ] {
        let is_it = |f: &&serde_json::Value| f["operation"] == format!("hostile::{name}");
        let failure = failures.iter().find(is_it);
        let failure = failure.unwrap_or_else(|| panic!("{name} is not a failure"));
        assert_eq!(failure["kind"], kind, "{name}");
        assert!(failure["test"].is_string(), "{name} has no test");
    }
    for (operation, verdict) in [
        ("hostile::divide", "documented"),
        ("hostile::picky", "precondition"),
    ] {
        let failure = failures.iter().find(|it| it["operation"] == operation);
        let failure = failure.unwrap_or_else(|| panic!("{operation} is not a failure"));
        assert_eq!(failure["kind"], "panic", "{operation}");
        assert_eq!(failure["verdict"], verdict, "{operation}");
    }
    let is_bomb = |it: &&serde_json::Value| it["message"] == "bang" && it["dropping"] == true;
    let bombs = failures.iter().filter(is_bomb);
    let bombs: BTreeSet<&str> = bombs.filter_map(|it| it["operation"].as_str()).collect();
    // Its documentation says so, which is no fault of the function that made it.
    assert!(bombs.contains("hostile::Bomb { .. }"), "{bombs:?}");
    for path in ["hostile::larger", "hostile::picky"] {
        assert_eq!(of_callable(&record, path, "status"), "reached");
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
