//! rustc's judgement: the printed file compiles without a warning, and its tests pass.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const STACK: &str = include_str!("stack.rs");

fn dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = std::env::temp_dir().join(format!("testsmith-emit-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
        let source = dir.join("stack.rs");
        std::fs::write(&source, STACK).expect("the temporary directory is writable");
        run(Command::new("rustc")
            .args(["--edition=2021", "--crate-type=rlib", "--crate-name=stack"])
            .arg("--out-dir")
            .arg(&dir)
            .arg(&source));
        dir
    })
}

fn run(command: &mut Command) {
    let output = command.output().expect("the toolchain can be started");
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Compile the test file against `stack.rs` with warnings denied, and run it.
pub(super) fn judge(text: &str) {
    judge_in("2021", text);
}

/// Does the same in another edition.
pub(super) fn judge_in(edition: &str, text: &str) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let dir = dir();
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let source = dir.join(format!("case{n}.rs"));
    let binary = dir.join(format!("case{n}"));
    std::fs::write(&source, text).expect("the temporary directory is writable");
    run(Command::new("rustc")
        .args([
            "--edition",
            edition,
            "--test",
            "-Dwarnings",
            "--extern=stack",
        ])
        .arg("-L")
        .arg(dir)
        .arg("-o")
        .arg(&binary)
        .arg(&source));
    run(&mut Command::new(&binary));
    let _ = std::fs::remove_file(&source);
    let _ = std::fs::remove_file(&binary);
}

/// A directory for files that a judged text names.
pub(super) fn beside(name: &str) -> PathBuf {
    let dir = dir().join(name);
    std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
    dir
}

/// The text as the toolchain's rustfmt writes it.
pub(super) fn rustfmt(text: &str) -> String {
    let mut child = Command::new("rustfmt")
        .args(["--edition=2021", "--emit=stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the toolchain has rustfmt");
    let mut stdin = child.stdin.take().expect("it was piped");
    stdin
        .write_all(text.as_bytes())
        .expect("rustfmt reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt refused:\n{text}");
    String::from_utf8(output.stdout).expect("rustfmt writes UTF-8")
}
