//! A suite lives: what holds stays byte for byte, what changed is shown and stays until it is accepted,
//! what is new is added beside it, and what a person edited is that person's.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::run::{
    command, expect_refusal, expect_tests_pass, package, record, scratch, stderr, stdout, testsmith,
};

/// A container, a function that stands alone, and one that always panics.
const BAG: &str = "
#[derive(Debug, PartialEq, Clone, Default)]
pub struct Bag { items: Vec<u8> }
impl Bag {
    pub fn new() -> Bag { Bag::default() }
    pub fn add(&mut self, item: u8) -> bool {
        if self.contains(item) { return false; }
        self.items.push(item);
        true
    }
    pub fn contains(&self, item: u8) -> bool { self.items.contains(&item) }
    pub fn len(&self) -> usize { self.items.len() }
    pub fn biggest(&self) -> Option<u8> { self.items.iter().copied().max() }
    // more
}
pub fn halved(n: u32) -> Option<u32> { if n % 2 == 0 { Some(n / 2) } else { None } }
pub fn gone(n: u8) -> u8 { n / 3 }
";

/// A method that is added later.
const REMOVE: &str = "
    pub fn remove(&mut self, item: u8) -> bool {
        match self.items.iter().position(|it| *it == item) {
            Some(i) => { self.items.remove(i); true }
            None => false,
        }
    }
    // more";

const ARGS: [&str; 4] = ["--calls", "3000", "--json", "record.json"];

fn run(dir: &Path, args: &[&str]) -> Output {
    testsmith(dir, &[&ARGS[..], args].concat())
}

/// Runs the command, which must end with this code, and gives what it said.
fn ended(dir: &Path, args: &[&str], code: i32) -> String {
    let output = run(dir, args);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    stdout(&output)
}

fn change(dir: &Path, from: &str, to: &str) {
    let path = dir.join("src/lib.rs");
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.contains(from), "{from}");
    fs::write(&path, text.replace(from, to)).expect("writable");
}

fn suite(dir: &Path) -> String {
    fs::read_to_string(dir.join("tests/testsmith_regression.rs")).expect("it was written")
}

/// The names of tests that the text has, with the text of each.
fn tests(text: &str) -> Vec<(String, String)> {
    let parts = text.split("\n#[test]\n").skip(1);
    let parts = parts.map(|part| {
        let end = part.find("\n}\n").expect("a test ends");
        let name = part.trim_start_matches("fn ").split('(').next();
        (name.unwrap_or_default().to_owned(), part[..end].to_owned())
    });
    parts.collect()
}

#[test]
fn changed_behaviour_is_reported_and_stays_until_it_is_accepted() {
    let dir = scratch("standing-changed");
    package(&dir, "", Some(BAG));
    let args = ["--no-instrument"];
    ended(&dir, &args, 0);
    let first = suite(&dir);
    let said = ended(&dir, &args, 0);
    assert!(
        said.contains("tests/testsmith_regression.rs (unchanged)"),
        "{said}"
    );
    assert_eq!(suite(&dir), first);

    // A person edits one test: it is theirs, and the others are not.
    let (mine, text) = tests(&first)
        .into_iter()
        .find(|(_, text)| text.contains("halved(") && text.contains("assert_eq!("))
        .expect("there is a test of `halved`");
    let edited = text.replacen("    assert_eq!(", "    // mine\n    assert_eq!(", 1);
    let edited = first.replace(&text, &edited);
    fs::write(dir.join("tests/testsmith_regression.rs"), &edited).expect("writable");

    change(
        &dir,
        "self.items.iter().copied().max()",
        "self.items.iter().copied().min().map(|it| it + 1)",
    );
    change(&dir, "Some(n / 2)", "Some(n / 2 + 1)");
    let said = ended(&dir, &args, 10);
    for words in [
        "biggest, likely",
        "was Some(",
        "now Some(",
        "--accept",
        "(a person's)",
    ] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    assert_eq!(suite(&dir), edited, "nothing was rewritten");
    let changed = record(&dir)["standing"]["changed"].clone();
    let shown: Vec<&str> = changed
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|it| it["tests"].as_array().expect("tests"))
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert!(shown.contains(&&*mine), "{shown:?}");

    let output = run(&dir, &["--check"]);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    assert_eq!(record(&dir)["kind"], "check");
    assert_eq!(record(&dir)["standing"]["changed"], changed);

    // What is accepted is rewritten, and what a person edited is not.
    let said = ended(&dir, &["--no-instrument", "--accept"], 10);
    assert!(said.contains("accepted"), "{said}");
    let accepted = suite(&dir);
    assert!(accepted.contains("// mine\n"), "{accepted}");
    let (_, kept) = tests(&accepted)
        .into_iter()
        .find(|(name, _)| *name == mine)
        .expect("kept");
    assert_eq!(
        kept,
        text.replacen("    assert_eq!(", "    // mine\n    assert_eq!(", 1)
    );
    let said = ended(&dir, &["--check"], 10);
    assert!(said.contains("1 show behaviour that changed"), "{said}");
    change(&dir, "Some(n / 2 + 1)", "Some(n / 2)");
    ended(&dir, &["--no-instrument", "--accept"], 0);
    ended(&dir, &["--check"], 0);
    expect_tests_pass(&dir);

    // API that is gone takes its tests and imports with it, once that is accepted.
    change(&dir, "pub fn gone(", "fn gone(");
    let said = ended(&dir, &["--check"], 10);
    assert!(said.contains("does not compile any more"), "{said}");
    ended(&dir, &["--no-instrument", "--accept"], 0);
    assert!(!suite(&dir).contains("gone"), "{}", suite(&dir));

    // What is no Rust is named with its line, and stays.
    let broken = suite(&dir).replacen("fn ", "fn fn ", 1);
    fs::write(dir.join("tests/testsmith_regression.rs"), &broken).expect("writable");
    let words = ["testsmith_regression.rs:", "nothing was written"];
    expect_refusal(&run(&dir, &["--check"]), 4, &words);
    assert_eq!(suite(&dir), broken);
    fs::remove_dir_all(dir.join("tests")).expect("writable");
    expect_refusal(&run(&dir, &["--check"]), 5, &["no suite"]);
}

#[test]
fn what_is_new_is_added_beside_the_rest_and_starting_over_keeps_what_is_a_persons() {
    let dir = scratch("standing-new");
    package(&dir, "", Some(BAG));
    ended(&dir, &[], 0);
    let first = suite(&dir);
    // Whoever writes other ends of lines keeps them.
    let path = dir.join("tests/testsmith_regression.rs");
    fs::write(&path, first.replace('\n', "\r\n")).expect("writable");
    change(&dir, "    // more", REMOVE);
    let said = ended(&dir, &[], 0);
    let second = suite(&dir);
    assert_eq!(second.matches('\n').count(), second.matches("\r\n").count());
    let second = second.replace("\r\n", "\n");
    let mut lines = second.lines();
    for line in first.lines() {
        assert!(
            lines.any(|it| it == line),
            "{line:?} is gone or elsewhere:\n{second}"
        );
    }
    let old = tests(&first);
    let added: Vec<(String, String)> = tests(&second)
        .into_iter()
        .filter(|it| !old.contains(it))
        .collect();
    assert!(!added.is_empty(), "{said}");
    for (name, text) in &added {
        assert!(
            text.contains(".remove("),
            "{name} is not about what is new:\n{text}"
        );
        assert!(said.contains(name), "{name} is not named: {said}");
    }
    expect_tests_pass(&dir);
    let before = suite(&dir);
    ended(&dir, &[], 0);
    assert_eq!(suite(&dir), before, "a second run changes nothing");
    expect_suite_elsewhere(&dir);

    let mine = "\n#[test]\nfn mine() {\n    assert_eq!(1 + 1, 2);\n}\n";
    fs::write(&path, format!("{first}{mine}")).expect("writable");
    let said = ended(&dir, &["--fresh"], 0);
    assert!(said.contains("starts over"), "{said}");
    let fresh = suite(&dir);
    assert!(fresh.contains(mine), "{fresh}");
    assert!(fresh.contains(".remove("), "{fresh}");
    expect_tests_pass(&dir);
}

/// The suite is checked in a fresh clone, and where its package was copied together with what was built.
fn expect_suite_elsewhere(dir: &Path) {
    let copied = scratch("standing-copied");
    let mut copy = std::process::Command::new("cp");
    copy.arg("-a").arg(dir.join(".")).arg(&copied);
    assert!(copy.status().expect("cp is there").success());
    ended(&copied, &["--check"], 0);
    fs::remove_dir_all(copied.join("target")).expect("it was built there");
    ended(&copied, &["--check"], 0);
}

/// The command with answers that come through a pipe, and an editor.
fn reviewed(dir: &Path, answers: &str, editor: &str) -> Output {
    let args = ["review", "--calls", "3000", "--no-instrument"];
    let mut child = command(dir, &args)
        .env_remove("VISUAL")
        .env("EDITOR", editor)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin
        .write_all(answers.as_bytes())
        .expect("it reads answers");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_review_asks_about_each_change_and_each_new_test_and_remembers_what_is_never_wanted() {
    let dir = scratch("standing-review");
    package(&dir, "", Some(BAG));
    // Nobody answers, so nothing is written.
    let output = reviewed(&dir, "", "true");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("Add it? [y]es, [n]o"),
        "{}",
        stdout(&output)
    );
    assert!(!dir.join("tests").exists());
    // The first test is never wanted again, the second is edited, the others are added.
    let editor =
        "sed -i 's|^    let|    // mine\\n    let|;s|^    assert|    // mine\\n    assert|'";
    let answers = format!("v\ne\n{}", "y\n".repeat(40));
    let output = reviewed(&dir, &answers, editor);
    assert!(output.status.success(), "{}", stderr(&output));
    let first = suite(&dir);
    assert!(first.contains("    // mine\n"), "{first}");
    let refused = fs::read_to_string(dir.join("tests/testsmith_refused.txt"));
    let refused = refused.expect("it was written");
    let never = refused
        .lines()
        .last()
        .and_then(|line| line.rsplit(' ').next());
    // Another test may have its name now, so it is known by its text, as it was offered.
    let never = format!("fn {}() {{\n", never.expect("it has a name"));
    let offered = stdout(&output);
    let offered = offered.lines().filter_map(|it| it.strip_prefix("    + "));
    let offered = offered.collect::<Vec<_>>().join("\n");
    let (_, offered) = offered.split_once(&never).expect("it was offered");
    let (body, _) = offered.split_once("\n}").expect("it ends");
    assert!(!first.contains(&format!("{never}{body}")), "{never}{body}");
    expect_tests_pass(&dir);
    let said = ended(&dir, &["--no-instrument"], 0);
    assert!(
        said.contains("tests/testsmith_regression.rs (unchanged)"),
        "{said}"
    );

    // A change is not accepted, and then it is.
    change(&dir, "n / 3", "n / 3 + 1");
    let output = reviewed(&dir, "n\n", "true");
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("`gone` changed, likely"),
        "{}",
        stdout(&output)
    );
    assert_eq!(suite(&dir), first);
    let output = reviewed(&dir, &"y\n".repeat(40), "true");
    assert!(
        output.status.success(),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    assert_ne!(suite(&dir), first);
    expect_tests_pass(&dir);
}
