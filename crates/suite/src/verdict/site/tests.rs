//! Kinds of panics of real programs, by every compiler that is installed.

#![expect(
    clippy::disallowed_methods,
    reason = "a test compiles and runs small programs"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::verdict::nature::Nature;

/// Panics, each with its kind at the end of the line that raises it.
const PROGRAM: &str = r#"
use std::cell::RefCell;
use std::time::{Duration, Instant};
macro_rules! ensure { ($it:expr) => { if !$it { panic!("it is not so") } } }
macro_rules! halved { ($it:expr) => { $it / 2 } }
fn opaque<T>(it: T) -> T { std::hint::black_box(it) }
#[track_caller]
fn refuse() { panic!("the caller is to blame") }
struct Grid(Vec<u8>);
impl std::ops::Index<u8> for Grid {
    type Output = u8;
    fn index(&self, at: u8) -> &u8 {
        &self.0[usize::from(at)]
    }
}
fn cases() -> Vec<Box<dyn Fn() + std::panic::UnwindSafe + std::panic::RefUnwindSafe>> {
    vec![
        Box::new(|| { opaque(vec![1u8])[opaque(3)]; }), // Index
        Box::new(|| { opaque([1u8, 2])[opaque(3)]; }), // Index
        Box::new(|| { opaque(Grid(vec![]))[3]; }), // Index
        Box::new(|| { let _ = &opaque("text")[opaque(3)..opaque(2)]; }), // Slice
        Box::new(|| { let _ = &opaque("text")[opaque(7)..]; }), // Slice
        Box::new(|| { let _ = &opaque("é")[..opaque(1)]; }), // CharBoundary
        Box::new(|| { let _ = &opaque([1u8, 2])[opaque(3)..opaque(2)]; }), // Slice
        Box::new(|| { let _ = &opaque([1u8, 2])[..=opaque(9)]; }), // Slice
        Box::new(|| { opaque([1u8, 2]).split_at_mut(opaque(3)); }), // Slice
        Box::new(|| { opaque("é").split_at(opaque(1)); }), // CharBoundary
        Box::new(|| { opaque([1u8, 2]).copy_from_slice(&opaque(vec![])); }), // Slice
        Box::new(|| { opaque(vec![1u8]).remove(opaque(1)); }), // Index
        Box::new(|| { opaque(vec![1u8]).insert(opaque(9), 1); }), // Index
        Box::new(|| { opaque(vec![1u8]).swap_remove(opaque(9)); }), // Index
        Box::new(|| { opaque(vec![1u8]).drain(opaque(4)..); }), // Slice
        Box::new(|| { opaque(vec![1u8]).chunks(opaque(0)); }), // Refused
        Box::new(|| { opaque(255u8) + opaque(1); }), // Overflow
        Box::new(|| { let mut n = opaque(0u8); n -= opaque(1); opaque(n); }), // Overflow
        Box::new(|| { opaque(-opaque(i8::MIN)); }), // Overflow
        Box::new(|| { opaque(opaque(1u8) << opaque(9)); }), // Overflow
        Box::new(|| { opaque(opaque(1u8) / opaque(0)); }), // Division
        Box::new(|| { opaque(opaque(1u8) % opaque(0)); }), // Division
        Box::new(|| { opaque(opaque(i8::MIN) / opaque(-1)); }), // Overflow
        Box::new(|| { opaque([255u8])[opaque(0)] + opaque(1); }), // Overflow
        Box::new(|| { opaque([255u8])[opaque(2)] + opaque(1); }), // Index
        Box::new(|| { opaque(None::<u8>).unwrap(); }), // Unwrap
        Box::new(|| { opaque(Err::<u8, _>("called `Option::unwrap()`")).unwrap(); }), // Unwrap
        Box::new(|| { opaque(Ok::<u8, u8>(1)).unwrap_err(); }), // Unwrap
        Box::new(|| { opaque(None::<u8>).expect("attempt to find it"); }), // Expect
        Box::new(|| { opaque(Err::<u8, u8>(1)).expect("index out of bounds"); }), // Expect
        Box::new(|| { opaque("x").parse::<u8>().map(|it| it + 1).unwrap(); }), // Unwrap
        Box::new(|| panic!("attempt to add with overflow")), // Explicit
        Box::new(|| std::panic!("{} things", opaque(3))), // Explicit
        Box::new(|| std::panic::panic_any(3u8)), // Explicit
        Box::new(|| assert!(opaque(false))), // Assertion
        Box::new(|| assert!(opaque(false), "capacity overflow")), // Assertion
        Box::new(|| assert_eq!(opaque(1), 2, "not implemented")), // Assertion
        Box::new(|| assert!(opaque([1u8])[opaque(1)] == 3)), // Index
        Box::new(|| { format!("{} {}", 1, opaque(None::<u8>).unwrap()); }), // Unwrap
        Box::new(|| ensure!(opaque(false))), // Explicit
        Box::new(|| { ensure!(opaque([true])[opaque(1)]); }), // Index
        Box::new(|| { halved!(opaque(255u8) + opaque(1)); }), // Overflow
        Box::new(|| unreachable!("not implemented")), // Unreachable
        Box::new(|| todo!()), // Unfinished
        Box::new(|| unimplemented!("{}", 1)), // Unfinished
        Box::new(|| { let it = RefCell::new(1); let _one = it.borrow_mut(); let _ = it.borrow(); }), // Borrowed
        Box::new(|| { Vec::<u64>::with_capacity(opaque(usize::MAX)); }), // Capacity
        Box::new(|| { opaque(vec![1u64]).reserve(opaque(usize::MAX)); }), // Capacity
        Box::new(|| { vec![0u64; opaque(usize::MAX)]; }), // Capacity
        Box::new(|| refuse()), // Explicit
        Box::new(|| { opaque("wörter").split_once('r').map(|(a, _)| a[opaque(2)..].len()).unwrap(); }), // CharBoundary
        Box::new(|| {
            opaque(vec![Some(1), None])
                .into_iter()
                .map(|it| it
                    .unwrap()) // Unwrap
                .for_each(drop)
        }),
    ]
}
fn main() {
    let _ = (Duration::ZERO, Instant::now());
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().unwrap();
        let message = info.payload();
        let message = message.downcast_ref::<&str>().copied().or_else(|| message.downcast_ref::<String>().map(|it| &**it));
        println!("{}\t{}\t{}\t{:?}", at.file(), at.line(), at.column(), message.unwrap_or("no text"));
    }));
    for case in cases() {
        let _ = std::panic::catch_unwind(move || case());
    }
}
"#;

/// Compilers to try: that on the path, those that rustup has, and those that are named in
/// `TESTSMITH_RUSTCS`, separated by colons.
fn compilers() -> BTreeSet<PathBuf> {
    let named = std::env::var_os("TESTSMITH_RUSTCS").unwrap_or_default();
    let named = std::env::split_paths(&named).filter(|it| it.is_file());
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|it| it.join(".rustup")));
    let toolchains = home.and_then(|it| fs::read_dir(it.join("toolchains")).ok());
    let installed = toolchains.into_iter().flatten().filter_map(Result::ok);
    let installed = installed.map(|it| it.path().join("bin/rustc"));
    let installed = installed.filter(|it| it.is_file());
    let mut found: BTreeSet<PathBuf> = named.chain(installed).collect();
    if found.is_empty() {
        found.insert("rustc".into());
    }
    found
}

/// What the program prints; `None` if this compiler does not compile it.
fn run(compiler: &Path, dir: &Path) -> Option<String> {
    let program = dir.join("program");
    let mut rustc = Command::new(compiler);
    let rustc = rustc.args(["--edition", "2021", "-Coverflow-checks", "-Awarnings", "-o"]);
    let made = rustc.arg(&program).arg(dir.join("panics.rs")).output();
    let made = made.ok()?;
    if !made.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&made.stderr));
        return None;
    }
    let ran = Command::new(&program).output().expect("it was compiled");
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// The kinds that differ from what their lines say.
fn wrong(printed: &str, expected: &BTreeSet<(usize, &str)>) -> Vec<String> {
    let sites = Sites::of(PROGRAM);
    let mut met = BTreeSet::new();
    let (mut wrong, mut elsewhere) = (Vec::new(), Vec::new());
    for line in printed.lines() {
        let parts: Vec<&str> = line.splitn(4, '\t').collect();
        let [file, line, column, message] = parts[..] else {
            panic!("{line:?} names no place");
        };
        let (line, column): (u32, u32) = (line.parse().unwrap(), column.parse().unwrap());
        let message = message.trim_matches('"');
        if !file.ends_with("panics.rs") {
            elsewhere.push(format!("{:?}", Nature::of(message)));
            continue;
        }
        let nature = format!("{:?}", Nature::at(sites.at(line, column), message));
        let is_it = |it: &&&(usize, &str)| it.0 == line as usize && it.1 == nature;
        match expected.iter().find(|it| is_it(&it)) {
            Some(found) => drop(met.insert(*found)),
            None => wrong.push(format!("{line}:{column} is {nature}: {message}")),
        }
    }
    for (line, nature) in expected.difference(&met) {
        // A version of the standard library may raise it inside, where only words tell the kind.
        match elsewhere.iter().position(|it| it == nature) {
            Some(at) => drop(elsewhere.swap_remove(at)),
            None => wrong.push(format!("{line} is not {nature}")),
        }
    }
    wrong.extend(elsewhere.iter().map(|it| format!("elsewhere is {it}")));
    wrong
}

#[test]
fn panics_of_real_programs_have_the_kind_that_their_source_says() {
    let dir = std::env::temp_dir().join(format!("testsmith-panics-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a directory of its own");
    fs::write(dir.join("panics.rs"), PROGRAM).expect("it is writable");
    let lines = PROGRAM.lines().enumerate();
    let expected = lines.filter_map(|(i, line)| Some((i + 1, line.rsplit_once(" // ")?.1)));
    let expected: BTreeSet<(usize, &str)> = expected.collect();
    let mut n_run = 0;
    for compiler in compilers() {
        let Some(printed) = run(&compiler, &dir) else {
            eprintln!("skipped: {} does not compile it", compiler.display());
            continue;
        };
        n_run += 1;
        assert_eq!(
            wrong(&printed, &expected),
            Vec::<String>::new(),
            "{compiler:?}"
        );
    }
    let _ = fs::remove_dir_all(&dir);
    if n_run == 0 {
        eprintln!("skipped: no compiler is installed");
    }
}

#[test]
fn what_does_not_parse_has_no_sites() {
    assert_eq!(Sites::of("fn f( {").at(1, 1), []);
    let own = Sites::of("fn f() { own!(1 => x.unwrap()) }");
    assert_eq!(own.at(1, 22), [Site::Method("unwrap".to_owned())]);
}
