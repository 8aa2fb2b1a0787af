//! What cannot be done is said, with what to do about it, and has its exit code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::run::{expect_refusal, package, scratch, stderr, stdout, testsmith};

const ADD: &str = "/// Adds.\npub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }";

#[test]
fn a_directory_without_a_package_is_told_so() {
    // Outside of our own workspace, or cargo would find that.
    let dir = std::env::temp_dir().join(format!("testsmith-empty-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("the temporary directory is writable");
    let output = testsmith(&dir, &[]);
    fs::remove_dir_all(&dir).expect("cleanup");
    expect_refusal(&output, 3, &["--manifest-path"]);
}

#[test]
fn a_package_without_a_library_is_told_so() {
    let dir = scratch("binary");
    package(&dir, "", None);
    fs::write(dir.join("src/main.rs"), "fn main() {}").expect("writable");
    expect_refusal(&testsmith(&dir, &[]), 3, &["`small`", "src/lib.rs"]);
}

#[test]
fn a_procedural_macro_is_told_that_only_the_compiler_can_call_it() {
    let dir = scratch("macro");
    package(&dir, "[lib]\nproc-macro = true\n", Some(""));
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 3, &["procedural macro", "help: choose a package"]);
}

#[test]
fn a_package_that_does_not_build_is_told_so() {
    let dir = scratch("broken");
    package(&dir, "", Some("pub fn f() -> u8 { missing }"));
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 4, &["missing", "help: make `cargo build`"]);
    assert!(!dir.join("tests").exists(), "nothing was written");
    assert!(!dir.join("Cargo.lock").exists(), "nothing was written");
}

#[test]
fn a_package_with_nothing_public_is_told_so() {
    let dir = scratch("nothing");
    package(&dir, "", Some("fn private() {}"));
    let output = testsmith(&dir, &[]);
    expect_refusal(&output, 5, &["nothing in it is public", "help: make what"]);
}

#[test]
fn a_type_that_nobody_can_construct_is_named() {
    let dir = scratch("unmade");
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

    // Beside something that can be called it costs only itself, and still has its reason.
    package(&dir, "", Some(&format!("{source}{ADD}")));
    let output = testsmith(&dir, &["--calls", "2000"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let reason = "2 × nothing makes a value of `small::Sealed`";
    assert!(stdout(&output).contains(reason), "{}", stdout(&output));
}

#[test]
fn a_feature_that_is_not_there_is_named_with_those_that_are() {
    let dir = scratch("features-unknown");
    package(&dir, "[features]\nfast = []\nslow = []\n", Some(ADD));
    let output = testsmith(&dir, &["--features", "fats"]);
    expect_refusal(&output, 2, &["`fats`", "fast, slow"]);
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let dir = scratch("flags");
    package(&dir, "", Some(ADD));
    for args in [
        &["--time", "5 parsecs"][..],
        &["--time", "0s"],
        &["--calls", "0"],
        &["--jobs", "0"],
        &["--max-tests", "0"],
        &["--time", "5s", "--calls", "10"],
        &["-q", "-v"],
        &["--workspace", "-p", "small"],
        &["--unheard-of"],
    ] {
        expect_refusal(&testsmith(&dir, args), 2, &[args[0]]);
    }
}

#[test]
fn a_tests_directory_that_cannot_be_is_known_before_exploring() {
    let dir = scratch("tests-file");
    package(&dir, "", Some(ADD));
    fs::write(dir.join("tests"), "a file").expect("writable");
    let output = testsmith(&dir, &["--time", "600s"]);
    expect_refusal(&output, 6, &["tests", "--out", "--dry-run"]);
    assert_eq!(
        fs::read_to_string(dir.join("tests")).expect("kept"),
        "a file"
    );

    // There is a way around it.
    let output = testsmith(&dir, &["--calls", "2000", "--out", "elsewhere"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(dir.join("elsewhere/testsmith_regression.rs").exists());
}

#[test]
fn a_read_only_tree_is_told_so() {
    use std::os::unix::fs::PermissionsExt;
    let dir = scratch("read-only");
    package(&dir, "", Some(ADD));
    let set_mode = |mode| {
        fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).expect("it is ours");
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
        .current_dir(&dir)
        .env("CARGO_TARGET_DIR", scratch("read-only-target"))
        .output();
    set_mode(0o755);
    // A root that may not mount has no read-only tree.
    let may_mount = |output: &Output| {
        output.status.code() != Some(77) && !stderr(output).starts_with("unshare")
    };
    match output {
        Ok(output) if is_bound || may_mount(&output) => {
            expect_refusal(&output, 6, &["cannot write", "--out"]);
        }
        _ => eprintln!("not tested: permissions do not bind, and mounting is not allowed"),
    }
}

#[test]
fn a_record_that_cannot_be_written_is_known_before_exploring() {
    let dir = scratch("record");
    package(&dir, "", Some(ADD));
    let output = testsmith(&dir, &["--time", "600s", "--json", "missing/record.json"]);
    expect_refusal(&output, 6, &["missing/record.json", "does not exist"]);
}

#[test]
fn a_full_disk_costs_the_record_and_not_the_tests() {
    let dir = scratch("record-full");
    package(&dir, "", Some(ADD));
    let output = testsmith(&dir, &["--calls", "2000", "--json", "/dev/full"]);
    expect_refusal(&output, 6, &["No space left", "has room"]);
    assert!(dir.join("tests/testsmith_regression.rs").exists());
    assert!(stdout(&output).contains("next"), "{}", stdout(&output));
}

#[test]
fn nobody_need_read_a_listing_to_its_end() {
    let dir = scratch("pipe");
    let functions: String = (0..2000)
        .map(|i| format!("pub fn with_a_long_name_for_a_long_listing_{i}() {{}}\n"))
        .collect();
    package(&dir, "", Some(&functions));
    let output = Command::new("sh")
        .args([
            "-c",
            "{ \"$0\" testsmith api -q; echo code $? >&2; } | head -n 1",
        ])
        .arg(env!("CARGO_BIN_EXE_cargo-testsmith"))
        .current_dir(&dir)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell starts");
    assert_eq!(stderr(&output), "code 0\n");
}

/// Runs with no file allowed to be larger than so many blocks, which is how a full disk looks to
/// whoever writes.
fn with_small_disk(dir: &Path, n_blocks: u32) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {n_blocks}; exec \"$0\" testsmith --calls 2000");
    Command::new("sh")
        .args(["-c", &script])
        .arg(env!("CARGO_BIN_EXE_cargo-testsmith"))
        .current_dir(dir)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell starts")
}

#[test]
fn a_full_disk_is_told_so_whoever_meets_it() {
    let dir = scratch("disk");
    package(&dir, "", Some(ADD));
    // At first it is we; with a little room it is the compiler.
    for n_blocks in [0, 64] {
        let output = with_small_disk(&dir, n_blocks);
        expect_refusal(&output, 6, &["disk is full", "CARGO_TARGET_DIR"]);
        assert!(!dir.join("tests").exists(), "nothing was written");
    }
}
