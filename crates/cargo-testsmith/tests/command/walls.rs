//! A package neither opens the walls around it nor has files written elsewhere, and a test file that ends in
//! the middle is written anew.

use std::fs;
use std::os::unix::fs::symlink;

use crate::run::{
    command, expect_refusal, expect_tests_pass, package, record, scratch, stderr, stdout, tests_of,
    testsmith,
};

const ADD: &str = "pub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }";

#[test]
fn what_opens_the_walls_is_for_the_command_line_alone() {
    let dir = scratch("walls-open");
    let words = [
        "no-sandbox",
        "take",
        "give --no-sandbox",
        "docs/settings.md",
    ];
    for table in ["package", "workspace"] {
        let metadata = format!("[{table}.metadata.testsmith]\nno-sandbox = true\n");
        package(&dir, &metadata, Some(ADD));
        if table == "workspace" {
            let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("it is there");
            let manifest = manifest.replace("\n[workspace]\n", "");
            fs::write(dir.join("Cargo.toml"), manifest).expect("writable");
        }
        expect_refusal(&testsmith(&dir, &["api"]), 2, &words);
    }
    package(&dir, "", Some(ADD));
    fs::write(dir.join("testsmith.toml"), "no-sandbox = true\n").expect("writable");
    expect_refusal(&testsmith(&dir, &["api"]), 2, &words);
    for out in ["/tmp/testsmith-out", "../out"] {
        let text = format!("out = {out:?}\n");
        fs::write(dir.join("testsmith.toml"), text).expect("writable");
        let output = testsmith(&dir, &["--calls", "100"]);
        expect_refusal(&output, 2, &[out, "not within the package", "--out"]);
    }
    for makers in ["/dev/zero", "../makers.rs", "src"] {
        let text = format!("makers = {makers:?}\n");
        fs::write(dir.join("testsmith.toml"), text).expect("writable");
        let output = testsmith(&dir, &["--calls", "100"]);
        let words = [makers, "no file within the package", "--makers"];
        expect_refusal(&output, 2, &words);
    }
}

#[test]
fn links_out_of_the_package_are_not_written_through() {
    let outer = scratch("walls-links");
    let dir = outer.join("package");
    package(&dir, "", Some(ADD));
    let elsewhere = outer.join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("writable");
    let is_untouched = || {
        fs::read_dir(&elsewhere)
            .expect("it is there")
            .next()
            .is_none()
    };
    symlink(&elsewhere, dir.join("tests")).expect("writable");
    let output = testsmith(&dir, &["--calls", "100"]);
    expect_refusal(&output, 6, &["a link leads to", "elsewhere", "--out"]);
    assert!(is_untouched());
    fs::remove_file(dir.join("tests")).expect("it is ours");
    fs::create_dir_all(dir.join("tests")).expect("writable");
    let file = dir.join("tests/testsmith_regression.rs");
    symlink(elsewhere.join("new.rs"), &file).expect("writable");
    let output = testsmith(&dir, &["--calls", "100"]);
    expect_refusal(
        &output,
        6,
        &["testsmith_regression.rs is a link to nowhere"],
    );
    assert!(is_untouched());
}

#[test]
fn a_test_file_that_ends_in_the_middle_is_written_anew() {
    let dir = scratch("walls-cut");
    package(&dir, "", Some(ADD));
    let run = || {
        let output = testsmith(&dir, &["--calls", "1000"]);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    run();
    let whole = tests_of(&dir);
    let file = dir.join("tests/testsmith_regression.rs");
    for cut in [0, whole.find("assert").expect("it asserts")] {
        fs::write(&file, &whole[..cut]).expect("writable");
        let said = run();
        assert!(said.contains("ends in the middle"), "{said}");
        assert_eq!(tests_of(&dir), whole);
    }
    let kept = dir.join("target/testsmith/cut-off/small-tests-testsmith_regression.rs");
    let kept = fs::read_to_string(kept).expect("what was left is kept");
    assert!(whole.starts_with(&kept));
    let names = fs::read_dir(dir.join("tests")).expect("it is there");
    assert_eq!(names.count(), 1, "nothing is beside it");
    expect_tests_pass(&dir);
}

/// What depends on where, and by whom, it is built or run.
const PLACES: &str = r#"
pub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }
pub fn version() -> &'static str { env!("CARGO_PKG_VERSION") }
pub fn dir() -> &'static str { env!("CARGO_MANIFEST_DIR") }
pub fn dir_len(more: usize) -> usize { env!("CARGO_MANIFEST_DIR").len().wrapping_add(more) }
pub fn secret() -> Option<&'static str> { option_env!("ATTACK_SECRET") }
pub fn unset() -> bool { option_env!("ATTACK_UNSET").is_some() }
pub fn here() -> &'static str { file!() }
pub fn here_len(n: usize) -> usize { file!().len().wrapping_add(n) }
pub fn has_editor() -> bool { std::env::var_os("EDITOR").is_some() }
"#;

#[test]
fn what_depends_on_place_and_environment_is_not_asserted() {
    let dir = scratch("walls-places");
    package(&dir, "", Some(PLACES));
    let mut run = command(&dir, &["--calls", "2000"]);
    let output = run.env("ATTACK_SECRET", "hunter2").output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let tests = tests_of(&dir);
    for name in [
        "dir(",
        "dir_len(",
        "secret(",
        "unset(",
        "here(",
        "here_len(",
        "has_editor(",
    ] {
        assert!(!tests.contains(name), "{name} is in:\n{tests}");
    }
    assert!(!tests.contains("hunter2") && !tests.contains("src/lib.rs"));
    assert!(tests.contains("add(") && tests.contains("version("));
    expect_tests_pass(&dir);
}

/// What tells of a variable in other ways than by its value alone.
const SECRETS: &str = r#"
const SECRET: &str = match option_env!("ATTACK_SECRET") { Some(it) => it, None => "" };
pub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }
pub fn knows(secret: &[u8; SECRET.len()]) -> bool { secret == SECRET.as_bytes() }
pub fn refuses(x: u8) -> Result<u8, String> { if x > 100 { Err(format!("{x}: {SECRET}")) } else { Ok(x) } }
pub fn unwraps(x: u8) -> u8 { if x > 3 { Err(SECRET) } else { Ok(x) }.unwrap() }
pub fn said() -> &'static str { env!("BUILT_FOR") }
pub fn built() -> &'static str { env!("BUILT_BY") }
pub fn is_set() -> bool { option_env!("ATTACK_SECRET").is_some() }
pub fn has() -> bool { std::env::var("ATTACK_SECRET").is_ok() }
pub fn is_fast() -> bool { std::is_x86_feature_detected!("sse4.2") }
"#;
const BUILDS: &str = r#"
fn main() {
    println!("cargo::rustc-env=BUILT_FOR={}", std::env::var("ATTACK_SECRET").unwrap_or_default());
    println!("cargo::rustc-env=BUILT_BY=cargo");
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
fn values_of_variables_are_in_no_test_no_record_and_no_page() {
    let dir = scratch("walls-secrets");
    package(&dir, "", Some(SECRETS));
    fs::write(dir.join("build.rs"), BUILDS).expect("writable");
    let args = [
        "--calls",
        "2000",
        "--failures",
        "all",
        "--json",
        "record.json",
    ];
    let output = command(&dir, &args)
        .env("ATTACK_SECRET", "hunter2xyz")
        .output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let read = |path: &str| fs::read_to_string(dir.join(path)).expect(path);
    let tests = tests_of(&dir);
    let failures = read("tests/testsmith_failures.rs");
    let texts = [
        tests.clone(),
        failures.clone(),
        stdout(&output),
        stderr(&output),
        read("record.json"),
        read("target/testsmith/report/small.html"),
        read("target/testsmith/small/vet.log"),
    ];
    for text in &texts {
        assert!(!text.contains("hunter2"), "{text}");
    }
    for name in ["said(", "is_set(", "has(", "is_fast("] {
        assert!(!tests.contains(name), "{name} is in:\n{tests}");
    }
    assert!(
        tests.contains("add(") && tests.contains("built("),
        "{tests}"
    );
    assert!(failures.contains("unwraps("), "{failures}");
}

/// Code that runs before `main`, in the process that is to call the crate's code.
const BEFORE_MAIN: &str = r#"
extern "C" fn before_main() {
    if std::env::current_exe().is_ok_and(|it| it.ends_with("testsmith-harness")) {
        ACT
    }
}
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;
pub fn add(a: u8, b: u8) -> u8 { std::hint::black_box(&BEFORE_MAIN); a.wrapping_add(b) }
"#;

#[test]
fn code_that_runs_before_main_in_our_place_is_told_and_costs_no_tests() {
    let dir = scratch("walls-before");
    package(&dir, "", Some(ADD));
    let output = testsmith(&dir, &["--calls", "1000"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let before = tests_of(&dir);
    let speaks = |bytes: &str| {
        format!(
            "use std::io::Write; let mut out = std::io::stdout(); let _ = out.write_all(&[{bytes}]); let _ = out.flush();"
        )
    };
    let nonsense = "what it said makes no sense";
    for (act, word) in [
        (
            "std::process::exit(0)".to_owned(),
            "it ended (exit status: 0)",
        ),
        (speaks("255; 8"), nonsense),
        (speaks("4, 0, 0, 0, 7, 0, 0, 0"), nonsense),
    ] {
        let source = BEFORE_MAIN.replace("ACT", &act);
        fs::write(dir.join("src/lib.rs"), source).expect("writable");
        let output = testsmith(&dir, &["--calls", "1000", "--fresh"]);
        expect_refusal(&output, 5, &["did not begin", word, "before `main`"]);
        assert_eq!(tests_of(&dir), before);
    }
}

/// What a function can do to the process that calls it, so that the process itself does not notice.
const TO_ITS_PROCESS: &str = r#"
unsafe extern "C" { fn raise(signal: i32) -> i32; }
pub fn add(a: u8, b: u8) -> u8 { a.wrapping_add(b) }
/// Stops it.
pub fn stops(x: u8) -> u8 {
    if x > 3 { unsafe { raise(19); } }
    x
}
/// Writes over what lies behind the stack, which it shares with its parent.
pub fn fills(x: u8) -> u8 {
    if x > 3 {
        let thread: u64;
        unsafe { std::arch::asm!("mov {}, fs:0", out(reg) thread) };
        unsafe { std::ptr::write_bytes(((thread + 4095) & !4095) as *mut u8, 0xff, 33_587_240) };
    }
    x
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
fn what_a_function_does_to_its_process_is_noticed_from_outside() {
    let dir = scratch("walls-process");
    package(&dir, "", Some(TO_ITS_PROCESS));
    let output = testsmith(&dir, &["--calls", "3000", "--json", "record.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = record(&dir);
    let callables = record["callables"].as_array().expect("they are listed");
    for name in ["small::stops", "small::fills"] {
        let callable = callables.iter().find(|it| it["path"] == name);
        let touches = callable.map(|it| it["touches"].to_string());
        assert_eq!(touches.as_deref(), Some("[\"processes\"]"), "{name}");
    }
    assert!(tests_of(&dir).contains("add("));
    expect_tests_pass(&dir);
}
