//! Test support: from Rust source through the real rustdoc to an [`Api`], and signatures as text.

#![expect(clippy::disallowed_methods, reason = "tests ask rustdoc")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::api::Api;
use crate::callable::{Bound, Callable, GenericKind};
use crate::ty::{Names, Region, RegionIdx};

/// Document a library of one file named `krate` and read the result.
pub(crate) fn read_source(source: &str) -> Api {
    let json = document(source, Path::new("rustdoc"));
    crate::rustdoc::read(&json, &Default::default())
        .expect("the reader knows this toolchain's format")
}

/// What a rustdoc writes of a library of one file named `krate`.
pub(crate) fn document(source: &str, rustdoc: &Path) -> String {
    static N_DIRS: AtomicU32 = AtomicU32::new(0);
    let n = N_DIRS.fetch_add(1, Ordering::Relaxed);
    let dir: PathBuf =
        std::env::temp_dir().join(format!("testsmith-api-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
    let file = dir.join("lib.rs");
    std::fs::write(&file, source).expect("the temporary directory is writable");
    let output = Command::new(rustdoc)
        .args([
            "--crate-name",
            "krate",
            "--edition",
            "2021",
            "--cap-lints",
            "allow",
        ])
        .args(["-Zunstable-options", "--document-hidden-items"])
        .args(["--output-format", "json", "-o"])
        .arg(&dir)
        .arg(&file)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("rustdoc runs");
    assert!(
        output.status.success(),
        "rustdoc refused the source:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let json = std::fs::read_to_string(dir.join("krate.json")).expect("rustdoc wrote it");
    std::fs::remove_dir_all(&dir).expect("it is ours");
    json
}

/// Each rustdoc that rustup has, and those beside the compilers that `TESTSMITH_RUSTCS` names.
pub(crate) fn rustdocs() -> BTreeSet<PathBuf> {
    let named = std::env::var_os("TESTSMITH_RUSTCS").unwrap_or_default();
    let named = std::env::split_paths(&named).map(|it| it.with_file_name("rustdoc"));
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|it| it.join(".rustup")));
    let toolchains = home.and_then(|it| std::fs::read_dir(it.join("toolchains")).ok());
    let installed = toolchains.into_iter().flatten().filter_map(Result::ok);
    let installed = installed.map(|it| it.path().join("bin/rustdoc"));
    named.chain(installed).filter(|it| it.is_file()).collect()
}

/// Paths as they are, regions as `'0`, `'static`, `'b0`.
pub(crate) struct TestNames;

impl Names for TestNames {
    fn path(&self, path: &str) -> String {
        path.to_owned()
    }
    fn region(&self, region: Region) -> Option<String> {
        Some(match region {
            Region::Static => "'static".to_owned(),
            Region::Var(RegionIdx(i)) => format!("'{i}"),
            Region::Bound(i) => format!("'b{i}"),
        })
    }
}

/// One line: key, parameters, inputs, output, bounds, and why it is skipped.
pub(crate) fn render(callable: &Callable) -> String {
    let names = &TestNames;
    let mut out = callable.key.to_string();
    if !callable.generics.is_empty() {
        let params: Vec<String> = callable
            .generics
            .iter()
            .map(|param| match &param.kind {
                GenericKind::Type { .. } => param.name.to_string(),
                GenericKind::Const(ty) => format!("const {}: {}", param.name, ty.render(names)),
            })
            .collect();
        out += &format!(" [{}]", params.join(", "));
    }
    let inputs: Vec<String> = callable
        .inputs
        .iter()
        .map(|param| format!("{}: {}", param.name, param.ty.render(names)))
        .collect();
    out += &format!(" ({})", inputs.join(", "));
    if !callable.output.is_unit() {
        out += &format!(" -> {}", callable.output.render(names));
    }
    let region = |r: &Region| names.region(*r).unwrap_or_default();
    let mut wheres: Vec<String> = callable
        .bounds
        .iter()
        .map(|bound| match bound {
            Bound::Trait { on, trait_ } => {
                format!("{}: {}", on.render(names), trait_.render(names))
            }
            Bound::Outlives { on, region: r } => format!("{}: {}", on.render(names), region(r)),
        })
        .collect();
    wheres.extend(
        callable
            .outlives
            .iter()
            .map(|(a, b)| format!("{}: {}", region(a), region(b))),
    );
    if !wheres.is_empty() {
        out += &format!(" where {}", wheres.join(", "));
    }
    if !callable.counted {
        out += " (extra)";
    }
    if callable.derived {
        out += " (derived)";
    }
    if let Some(reason) = &callable.skip {
        out += &format!(" SKIPPED {reason}");
    }
    out
}
