//! What `cargo testsmith diff` prints.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use testsmith_record::{ApiKind, ChangedTest, DiffReport, GoneReport};

use crate::kept::shown;

/// Items of a list that a short text shows.
const MAX_SHOWN: usize = 10;
/// Lines of a test that a short text shows.
const MAX_LINES: usize = 5;
/// Longer values are cut.
const MAX_VALUE: usize = 160;

/// What changed, what could not be compared, and what is gone.
pub(crate) fn text(report: &DiffReport, verbose: bool) -> String {
    let mut out = String::new();
    heading(&mut out, report);
    changes(&mut out, report, verbose);
    fixed(&mut out, report, verbose);
    let gone = "API that NEW does not have";
    surface(&mut out, "gone", gone, &report.gone, verbose);
    signatures(&mut out, report, verbose);
    added(&mut out, report, verbose);
    uncompared(&mut out, report, verbose);
    if let Some(file) = &report.file {
        let _ = writeln!(
            out,
            "  tests     {} ({}): each passes on OLD and fails on NEW",
            shown(Path::new(&file.path)),
            file.status
        );
    }
    if !report.is_changed() {
        let _ = writeln!(out, "  no behaviour changed");
    }
    out
}

/// Which versions these are, and how many cases were compared.
fn heading(out: &mut String, report: &DiffReport) {
    let (old, new) = (&report.old, &report.new);
    let _ = writeln!(
        out,
        "\n{} {} ({}) -> {} ({})",
        report.package, old.version, old.origin, new.version, new.origin
    );
    if report.interrupted {
        let _ = writeln!(out, "  interrupted: this is what was learnt until then");
    }
    let n_tests: usize = report.changed.iter().map(|it| it.tests.len()).sum();
    let n_uncompared: usize = report.uncompared.iter().map(|it| it.count).sum();
    let _ = writeln!(
        out,
        "  compared  {} cases: {} end alike, {n_tests} otherwise, {} failures are gone; {n_uncompared} \
         could not be compared",
        report.compared,
        report.same,
        report.fixed.len(),
    );
}

/// Failures that are gone, with the calls that led to them.
fn fixed(out: &mut String, report: &DiffReport, verbose: bool) {
    if !report.fixed.is_empty() {
        let _ = writeln!(
            out,
            "  fixed     failures of {} that {} does not have",
            report.old.version, report.new.version
        );
    }
    for fixed in &report.fixed {
        let old = cut(&fixed.old, verbose);
        let _ = writeln!(out, "            {}: {old}", fixed.callable);
        code(out, 16, &fixed.code, verbose);
    }
}

/// Callables that are declared otherwise.
fn signatures(out: &mut String, report: &DiffReport, verbose: bool) {
    let n = report.signatures.len();
    if n > 0 {
        let _ = writeln!(out, "  resigned  {n} with another signature");
    }
    for it in report.signatures.iter().take(limit(verbose)) {
        let _ = writeln!(out, "            {}", it.path);
        let _ = writeln!(out, "                OLD  {}", cut(&it.old, verbose));
        let _ = writeln!(out, "                NEW  {}", cut(&it.new, verbose));
    }
    more(out, n, verbose);
}

/// What is new breaks nobody's code, so a short text only counts it.
fn added(out: &mut String, report: &DiffReport, verbose: bool) {
    if verbose {
        let words = "API that OLD does not have";
        return surface(out, "new", words, &report.added, verbose);
    }
    let n = report.added.len();
    if n > 0 {
        let _ = writeln!(out, "  new       {n} callables and types; -v lists them");
    }
}

/// Why cases could not be compared.
fn uncompared(out: &mut String, report: &DiffReport, verbose: bool) {
    if !report.uncompared.is_empty() {
        let _ = writeln!(out, "  not compared");
    }
    for it in report.uncompared.iter().take(limit(verbose)) {
        let _ = writeln!(out, "      {:>5} × {}", it.count, cut(&it.reason, verbose));
    }
    more(out, report.uncompared.len(), verbose);
}

/// By callable, how many tests show it and the shortest of them.
fn changes(out: &mut String, report: &DiffReport, verbose: bool) {
    if report.changed.is_empty() {
        return;
    }
    let _ = writeln!(out, "  changed   tests  callable");
    for change in &report.changed {
        let resigned = match change.resigned {
            true => " (it has another signature, too)",
            false => "",
        };
        let _ = writeln!(
            out,
            "            {:>5}  {}{resigned}",
            change.tests.len(),
            change.callable
        );
        let mut seen = BTreeSet::new();
        let distinct = change.tests.iter();
        let distinct = distinct.filter(|it| seen.insert((it.kind, &it.code, &it.new)));
        let shown: Vec<&ChangedTest> = match verbose {
            true => distinct.collect(),
            false => distinct.take(1).collect(),
        };
        for test in shown {
            code(out, 19, &test.code, verbose);
            let _ = writeln!(out, "                     OLD  {}", cut(&test.old, verbose));
            let _ = writeln!(out, "                     NEW  {}", cut(&test.new, verbose));
        }
    }
}

/// A list of API; what belongs to a type that is in it is only counted.
fn surface(out: &mut String, verb: &str, words: &str, list: &[GoneReport], verbose: bool) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(out, "  {verb:<9} {}: {words}", list.len());
    let types: Vec<&str> = list
        .iter()
        .filter(|it| it.kind == ApiKind::Type)
        .map(|it| &*it.path)
        .collect();
    let is_within = |it: &&GoneReport| {
        it.kind == ApiKind::Callable && types.iter().any(|path| names(&it.path, path))
    };
    let shown: Vec<&GoneReport> = list.iter().filter(|it| verbose || !is_within(it)).collect();
    for it in shown.iter().take(limit(verbose)) {
        let n_within = list.iter().filter(|inner| {
            it.kind == ApiKind::Type && is_within(inner) && names(&inner.path, &it.path)
        });
        let within = match (it.kind, n_within.count()) {
            (ApiKind::Type, 0) => " (type)".to_owned(),
            (ApiKind::Type, n) => format!(" (type, with {n} callables)"),
            _ => String::new(),
        };
        let _ = writeln!(out, "            {}{within}", it.path);
    }
    more(out, shown.len(), verbose);
}

/// Is this path a part of the key, as a whole?
fn names(key: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    key.match_indices(path).any(|(at, _)| {
        let before = key[..at].chars().next_back();
        let after = key[at + path.len()..].chars().next();
        !before.is_some_and(|c| is_part(c) || c == ':') && !after.is_some_and(is_part)
    })
}

fn limit(verbose: bool) -> usize {
    match verbose {
        true => usize::MAX,
        false => MAX_SHOWN,
    }
}

fn more(out: &mut String, n: usize, verbose: bool) {
    if n > limit(verbose) {
        let _ = writeln!(
            out,
            "            and {} more; -v shows them all",
            n - MAX_SHOWN
        );
    }
}

/// The last lines of a test.
fn code(out: &mut String, indent: usize, code: &str, verbose: bool) {
    let n_lines = code.lines().count();
    let n_left_out = match verbose {
        true => 0,
        false => n_lines.saturating_sub(MAX_LINES),
    };
    if n_left_out > 0 {
        let _ = writeln!(out, "{:indent$}… {n_left_out} lines before", "");
    }
    for line in code.lines().skip(n_left_out) {
        let _ = writeln!(out, "{:indent$}{}", "", cut(line, verbose));
    }
}

/// On one line, and not too long.
fn cut(text: &str, verbose: bool) -> String {
    let text = text
        .split('\n')
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    match verbose || text.chars().count() <= MAX_VALUE {
        true => text,
        false => text.chars().take(MAX_VALUE).chain(['…']).collect(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use testsmith_record::{
        Change, ChangeKind, Fixed, RecordKind, SideReport, SignatureReport, Uncompared,
    };

    use super::*;

    fn gone(path: &str, kind: ApiKind) -> GoneReport {
        GoneReport {
            path: path.to_owned(),
            kind,
            signature: String::new(),
        }
    }

    fn side(version: &str) -> SideReport {
        SideReport {
            version: version.to_owned(),
            origin: "published".to_owned(),
        }
    }

    pub(crate) fn report() -> DiffReport {
        DiffReport {
            schema: 1,
            kind: RecordKind::Diff,
            package: "small".to_owned(),
            old: side("0.1.0"),
            new: side("0.2.0"),
            seed: 1,
            calls: 100,
            compared: 9,
            same: 7,
            changed: vec![Change {
                callable: "small::half".to_owned(),
                resigned: false,
                tests: vec![ChangedTest {
                    name: None,
                    kind: ChangeKind::Value,
                    code: "let x = 1;\nlet a = 2;\nlet b = 3;\nlet c = 4;\nlet d = 5;\nhalf(x)"
                        .to_owned(),
                    old: "0".to_owned(),
                    new: "1".to_owned(),
                }],
            }],
            fixed: vec![Fixed {
                callable: "small::third".to_owned(),
                code: "third(0)".to_owned(),
                old: "panics:\n  no third".to_owned(),
            }],
            gone: vec![
                gone("small::Old", ApiKind::Type),
                gone("small::Old::new", ApiKind::Callable),
            ],
            added: vec![gone("small::New", ApiKind::Type)],
            signatures: vec![SignatureReport {
                path: "small::all".to_owned(),
                old: "fn all()".to_owned(),
                new: "fn all(x: u8)".to_owned(),
            }],
            uncompared: vec![Uncompared {
                reason: "it has another signature".to_owned(),
                count: 3,
            }],
            file: None,
            dropped: Vec::new(),
            seconds: BTreeMap::new(),
            interrupted: false,
        }
    }

    #[test]
    fn what_changed_comes_first_and_what_is_new_is_counted() {
        let expected = "
small 0.1.0 (published) -> 0.2.0 (published)
  compared  9 cases: 7 end alike, 1 otherwise, 1 failures are gone; 3 could not be compared
  changed   tests  callable
                1  small::half
                   … 1 lines before
                   let a = 2;
                   let b = 3;
                   let c = 4;
                   let d = 5;
                   half(x)
                     OLD  0
                     NEW  1
  fixed     failures of 0.1.0 that 0.2.0 does not have
            small::third: panics: no third
                third(0)
  gone      2: API that NEW does not have
            small::Old (type, with 1 callables)
  resigned  1 with another signature
            small::all
                OLD  fn all()
                NEW  fn all(x: u8)
  new       1 callables and types; -v lists them
  not compared
          3 × it has another signature
";
        assert_eq!(text(&report(), false), expected);
    }

    #[test]
    fn a_long_text_shows_whole_tests_and_what_is_new() {
        let long = text(&report(), true);
        assert!(long.contains("                   let x = 1;\n"), "{long}");
        assert!(
            long.contains("  new       1: API that OLD does not have\n"),
            "{long}"
        );
    }

    #[test]
    fn a_path_is_found_as_a_whole() {
        assert!(names("<a::B as std::cmp::Ord>::cmp", "a::B"));
        assert!(names("a::B::new", "a::B"));
        assert!(!names("a::Bee::new", "a::B"));
        assert!(!names("aa::B::new", "a::B"));
    }
}
