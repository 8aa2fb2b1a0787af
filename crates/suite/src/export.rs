//! Writes kept sequences as programs: a package whose modules each do what one test does. It is for
//! tools that run programs (Miri, sanitizers), and for running them again and again.

#![expect(
    clippy::disallowed_methods,
    reason = "programs are files, and cargo says which tools run them"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testsmith_emit::{EmitOptions, TestCase, TestKind};
use testsmith_equip::Target;
use testsmith_project::{rustfmt, write_whole};
use testsmith_sequence::World;

use crate::error::SuiteError;
use crate::program::{EDITION, program};

/// The first line of a manifest that testsmith wrote. A directory with it may be written again.
const MARK: &str = "# Written by testsmith.\n";

/// Can the directory be written? It must be new, empty, or written by testsmith.
pub fn check_export(dir: &Path) -> Result<(), SuiteError> {
    let is_empty = fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
    let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap_or_default();
    match is_empty || manifest.starts_with(MARK) {
        true => Ok(()),
        false => Err(SuiteError::Export(dir.to_path_buf())),
    }
}

/// Writes a program for each of the cases, under the name of its test, and gives how many were
/// written. Cases that panic as documented are left out, because they would end the whole run.
pub fn export<'c>(
    dir: &Path,
    target: &Target,
    world: &World,
    cases: impl Iterator<Item = (String, &'c TestCase)>,
) -> Result<usize, SuiteError> {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
    let makers = target.scratch.makers();
    let module = makers.map(|it| (it.name.clone(), it.file.display().to_string()));
    let format = |text: &str| rustfmt(text, &EDITION.to_string(), &target.package.dir);
    let options = EmitOptions {
        edition: EDITION,
        module,
        format: Some(&format),
        ..EmitOptions::default()
    };
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut names = Vec::new();
    for (name, case) in cases.filter(|(_, case)| case.kind == TestKind::Regression) {
        let Some(program) = program(world, case, "pub fn main()", &options) else {
            continue;
        };
        // A test that is in a module becomes a program in a module of that name.
        let path = name.replace("::", "/");
        files.push((dir.join(format!("src/programs/{path}.rs")), program));
        names.push(name);
    }
    let mut by_module: BTreeMap<Option<&str>, String> = BTreeMap::new();
    let mut list = String::new();
    for name in &names {
        let (module, own) = match name.split_once("::") {
            Some((module, own)) => (Some(module), own),
            None => (None, &**name),
        };
        let _ = writeln!(by_module.entry(module).or_default(), "pub mod {own};");
        let _ = writeln!(list, "    ({name:?}, programs::{name}::main),");
    }
    let modules = by_module.into_iter().map(|(module, own)| match module {
        Some(module) => format!("pub mod {module} {{\n{own}}}\n"),
        None => own,
    });
    let modules: String = modules.collect();
    files.push((dir.join("src/programs/mod.rs"), modules));
    files.push((dir.join("src/main.rs"), main_of(&list)));
    let manifest = target.scratch.manifest("programs", "", "[workspace]\n");
    files.push((dir.join("Cargo.toml"), format!("{MARK}{manifest}")));
    // An earlier run may have written programs under other names.
    let _ = fs::remove_dir_all(dir.join("src/programs"));
    for (path, text) in files {
        let written = fs::create_dir_all(path.parent().unwrap_or(&dir))
            .and_then(|()| write_whole(&path, text));
        written.map_err(|source| SuiteError::Write { path, source })?;
    }
    Ok(names.len())
}

/// The commands that run what was exported under tools which see more than a test does, of those that are
/// installed; how to install them if there are none.
pub fn ways_to_check(dir: &Path) -> Vec<String> {
    let works = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        let output = command
            .args(arguments)
            .env_remove("RUSTUP_TOOLCHAIN")
            .output();
        output.is_ok_and(|it| it.status.success())
    };
    let manifest = dir.join("Cargo.toml");
    let manifest = manifest.display();
    let mut ways = Vec::new();
    if works(&["+nightly", "miri", "--version"]) {
        ways.push(format!(
            "cargo +nightly miri run --manifest-path {manifest}"
        ));
    }
    // Sanitizers are a part of nightly compilers. A target must be named, or build scripts get them, too.
    if works(&["+nightly", "--version"]) {
        // The shell asks for the name of this machine's target.
        let host = "$(rustc --print host-tuple)";
        let run = format!("cargo +nightly run --target {host} --manifest-path {manifest}");
        ways.push(format!("RUSTFLAGS=-Zsanitizer=address {run}"));
    }
    if ways.is_empty() {
        let install = "rustup toolchain install nightly --component miri --component rust-src";
        ways.push(format!("for Miri and sanitizers: {install}"));
    }
    ways
}

fn main_of(list: &str) -> String {
    format!(
        "//! Runs the programs that are named, or all; `--times N` runs them so often.

mod programs;

const PROGRAMS: &[(&str, fn())] = &[
{list}];

fn main() {{
    let mut names = Vec::new();
    let mut times = 1;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {{
        match &*argument {{
            \"--times\" => {{
                let number = arguments.next().and_then(|it| it.parse().ok());
                times = number.expect(\"--times takes a number\");
            }}
            \"--list\" => {{
                PROGRAMS.iter().for_each(|(name, _)| println!(\"{{name}}\"));
                return;
            }}
            _ => names.push(argument),
        }}
    }}
    for name in &names {{
        let is_known = PROGRAMS.iter().any(|(known, _)| known == name);
        assert!(is_known, \"there is no program `{{name}}`; --list names them all\");
    }}
    for _ in 0..times {{
        for (name, program) in PROGRAMS {{
            if names.is_empty() || names.iter().any(|it| it == name) {{
                eprintln!(\"{{name}}\");
                program();
            }}
        }}
    }}
}}
"
    )
}
