//! What cannot be done is said, with what to do about it, and has its exit code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::run::{expect_refusal, package, scratch, stderr, testsmith};

const ADD: &str = "/// Adds.\npub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }";

#[test]
fn what_has_nothing_that_a_test_could_call_is_told_so() {
    // Outside of our own workspace, or cargo would find that.
    let dir = std::env::temp_dir().join(format!("testsmith-empty-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("the temporary directory is writable");
    let output = testsmith(&dir, &[]);
    fs::remove_dir_all(&dir).expect("cleanup");
    expect_refusal(&output, 3, &["--manifest-path"]);

    let dir = scratch("nothing");
    package(&dir, "", None);
    fs::write(dir.join("src/main.rs"), "fn main() {}").expect("writable");
    expect_refusal(&testsmith(&dir, &[]), 3, &["`small`", "src/lib.rs"]);

    package(&dir, "[lib]\nproc-macro = true\n", Some(""));
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 3, &["procedural macro", "help: choose a package"]);

    package(&dir, "", Some("pub fn f() -> u8 { missing }"));
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 4, &["missing", "help: make `cargo build`"]);

    package(&dir, "", Some("fn private() {}"));
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 5, &["nothing in it is public", "help: make what"]);

    let source = "pub struct Sealed { x: u8 }\nimpl Sealed {\n    \
                  pub fn get(&self) -> u8 { self.x }\n    \
                  pub fn set(&mut self, x: u8) { self.x = x; }\n}\n";
    package(&dir, "", Some(source));
    let output = testsmith(&dir, &[]);
    expect_refusal(
        &output,
        5,
        &["construct `small::Sealed`", "public constructor"],
    );
    for path in ["tests", "Cargo.lock"] {
        assert!(!dir.join(path).exists(), "{path} was written");
    }
}

#[test]
fn numbers_and_names_that_cannot_be_are_told_so() {
    let dir = scratch("cannot-be");
    package(&dir, "", Some(ADD));
    for (args, word) in [
        (&["--jobs", "2000"][..], "at most 256"),
        (&["mutants", "--jobs", "2000"], "at most 256"),
        (&["compare", "--seeds", "0"], "0 is not in 1.."),
        (&["compare", "--calls", "0"], "0 is not in 1.."),
    ] {
        expect_refusal(&testsmith(&dir, args), 2, &[word]);
    }
    let values = "[values]\n\"add.a\" = { range = \"0..=300\" }\n";
    fs::write(dir.join("testsmith.toml"), values).expect("writable");
    let output = testsmith(&dir, &["--calls", "100"]);
    expect_refusal(&output, 2, &["`add.a`", "does not have all of these"]);
    fs::remove_file(dir.join("testsmith.toml")).expect("it is ours");
    for (name, word) in [("test", "compiler's"), ("testsmith-suite", "beside it")] {
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
        let old = manifest.lines().find(|it| it.starts_with("name = "));
        let new = format!("name = {name:?}");
        let manifest = manifest.replace(old.expect("it has a name"), &new);
        fs::write(dir.join("Cargo.toml"), manifest).expect("writable");
        let output = testsmith(&dir, &["--calls", "100"]);
        expect_refusal(&output, 3, &[name, word, "another name"]);
    }
}

#[test]
fn a_read_only_tree_and_a_full_disk_are_told_apart() {
    let dir = scratch("disk");
    package(&dir, "", Some(ADD));
    if let Some(output) = with_read_only_tree(&dir) {
        expect_refusal(&output, 6, &["cannot write", "--out"]);
    } else {
        eprintln!("not tested: permissions do not bind, and mounting is not allowed");
    }
    // At first it is we who meet a full disk; with a little room it is the compiler.
    for n_blocks in [0, 64] {
        let output = with_small_disk(&dir, n_blocks);
        expect_refusal(&output, 6, &["disk is full", "CARGO_TARGET_DIR"]);
        assert!(!dir.join("tests").exists(), "nothing was written");
    }
}

/// Runs where nothing can be written beside the sources; `None` if nobody stops us from writing.
fn with_read_only_tree(dir: &Path) -> Option<Output> {
    use std::os::unix::fs::PermissionsExt;
    let set_mode = |mode| {
        fs::set_permissions(dir, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    set_mode(0o555);
    // Permission bits bind everybody but root, who can have a read-only mount instead.
    let is_bound = fs::write(dir.join("probe"), "").is_err();
    let script = match is_bound {
        true => "exec \"$0\" testsmith --time 600s",
        false => {
            "mount --bind . . && mount -o remount,bind,ro . && cd \"$PWD\" || exit 77; \
             exec \"$0\" testsmith --time 600s"
        }
    };
    let mut command = match is_bound {
        true => Command::new("sh"),
        false => Command::new("unshare"),
    };
    if !is_bound {
        command.args(["--mount", "sh"]);
    }
    let output = command
        .args(["-c", script])
        .arg(env!("CARGO_BIN_EXE_cargo-testsmith"))
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", scratch("read-only-target"))
        .output();
    set_mode(0o755);
    let _ = fs::remove_file(dir.join("probe"));
    // A root that may not mount has no read-only tree.
    let may_mount = |output: &Output| {
        output.status.code() != Some(77) && !stderr(output).starts_with("unshare")
    };
    output.ok().filter(|it| is_bound || may_mount(it))
}

#[test]
fn what_a_program_reads_is_printed_or_it_is_said_that_it_is_not() {
    let full = fs::File::options().write(true).open("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-testsmith"))
        .args(["testsmith", "completions", "bash"])
        .stdout(full.expect("Linux has it"))
        .output()
        .expect("it starts");
    expect_refusal(&output, 6, &["cannot print it", "No space left"]);
}

/// Runs with no file allowed to be larger than so many blocks, which is how a full disk looks to
/// whoever writes.
fn with_small_disk(dir: &Path, n_blocks: u32) -> Output {
    let script = format!("ulimit -f {n_blocks}; exec \"$0\" testsmith --calls 2000");
    Command::new("sh")
        .args(["-c", &script])
        .arg(env!("CARGO_BIN_EXE_cargo-testsmith"))
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell starts")
}
