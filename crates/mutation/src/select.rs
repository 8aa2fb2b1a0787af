//! Which mutants the user asks for.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_harness::{Copied, Mutant, MutantId};
use testsmith_record::{MutantReport, MutantsReport, Status};

/// Which mutants the user asks for: those that meet every condition that is set.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choice {
    /// Mutants on lines that a diff adds or changes.
    pub in_diff: Option<ChangedLines>,
    /// Mutants in files that match one of these patterns.
    pub files: Vec<String>,
    /// Mutants of these operators.
    pub operators: Vec<String>,
    /// Only mutants that survived in the last run?
    pub survivors: bool,
    /// With `(k, n)`, every n-th mutant, beginning with the k-th, counted from 1.
    pub shard: Option<(usize, usize)>,
    /// Names or patterns of mutants that are not judged.
    pub suppressed: Vec<String>,
}

/// Numbers of lines, by file.
pub type ChangedLines = BTreeMap<String, BTreeSet<usize>>;

impl Choice {
    /// The chosen mutants, the suppressed ones among them. `survivors` are the names of the last
    /// run's survivors.
    pub(crate) fn apply(&self, copied: &Copied, survivors: &BTreeSet<&str>) -> Vec<MutantId> {
        let ids = (1..=copied.mutants.len() as u32).map(MutantId);
        let is_meant = |id: &MutantId| {
            let mutant = copied.mutant(*id);
            let file = mutant.file.display().to_string();
            self.has(&file, mutant.line, mutant.operator)
                && (!self.survivors || survivors.contains(mutant.name.as_str()))
        };
        let meant: Vec<MutantId> = ids.filter(is_meant).collect();
        match self.shard {
            None => meant,
            Some((k, n)) => meant.into_iter().skip(k - 1).step_by(n).collect(),
        }
    }

    /// Is a mutant of this operator at this place chosen?
    fn has(&self, file: &str, line: usize, operator: &str) -> bool {
        let in_file = |pattern: &String| matches(pattern, file) || is_same_file(file, pattern);
        let in_diff = |lines: &ChangedLines| {
            let lines = lines.iter().find(|(path, _)| is_same_file(path, file));
            lines.is_some_and(|(_, lines)| lines.contains(&line))
        };
        (self.files.is_empty() || self.files.iter().any(in_file))
            && (self.operators.is_empty() || self.operators.iter().any(|it| it == operator))
            && self.in_diff.as_ref().is_none_or(in_diff)
    }

    /// Makes the same choice in a report that has all mutants: the others become its rest.
    pub(crate) fn cut(&self, report: &mut MutantsReport) {
        let is_open = |it: &MutantReport| matches!(it.status, Status::Survived | Status::Unreached);
        let mut n = 0;
        let mut is_meant = |it: &MutantReport| {
            let is_meant = self.has(&it.file, it.line, &it.operator);
            if !is_meant || self.survivors && !is_open(it) {
                return false;
            }
            n += 1;
            self.shard.is_none_or(|(k, of)| n % of == k % of)
        };
        let mutants = std::mem::take(&mut report.mutants).into_iter();
        (report.mutants, report.rest) = mutants.partition(|it| is_meant(it));
        report.not_asked = report.rest.len();
    }

    /// The patterns of files that match none of these files.
    pub fn unmatched<'c>(&'c self, files: &[&str]) -> Vec<&'c str> {
        let is_there = |pattern: &&String| {
            let mut files = files.iter();
            files.any(|file| matches(pattern, file) || is_same_file(file, pattern))
        };
        let unmatched = self.files.iter().filter(|it| !is_there(it));
        unmatched.map(String::as_str).collect()
    }

    /// What suppresses a mutant: something in the source, or a pattern in the settings.
    pub(crate) fn suppressed_by(&self, mutant: &Mutant) -> Option<String> {
        if let Some(by) = mutant.suppressed {
            return Some(by.to_owned());
        }
        let pattern = self
            .suppressed
            .iter()
            .find(|it| matches(it, &mutant.name))?;
        Some(format!("`{pattern}` in the settings"))
    }
}

/// Do both paths name the same file? A diff may name a file from the root of the workspace, above
/// the package.
fn is_same_file(named: &str, file: &str) -> bool {
    named == file || named.ends_with(&format!("/{file}"))
}

/// Does a text match a pattern in which `*` stands for anything?
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The lines that a unified diff adds or changes, by the new names of the files. Where lines are
/// only removed, these are the lines around the gap. `None` if the text is no unified diff.
pub fn changed_lines(diff: &str) -> Option<ChangedLines> {
    let mut changed = ChangedLines::new();
    let mut file: Option<String> = None;
    let mut line = 0;
    let (mut n_new, mut n_old) = (0_usize, 0_usize);
    let mut is_diff = diff.trim().is_empty();
    for text in diff.lines() {
        if n_new + n_old > 0 {
            let lines = file.clone().map(|it| changed.entry(it).or_default());
            match text.as_bytes().first() {
                Some(b'+') => {
                    if let Some(lines) = lines {
                        lines.insert(line);
                    }
                    line += 1;
                    n_new = n_new.saturating_sub(1);
                }
                Some(b'-') => {
                    if let Some(lines) = lines {
                        lines.extend([line.saturating_sub(1), line]);
                    }
                    n_old = n_old.saturating_sub(1);
                }
                Some(b'\\') => {}
                _ => {
                    line += 1;
                    n_new = n_new.saturating_sub(1);
                    n_old = n_old.saturating_sub(1);
                }
            }
            continue;
        }
        if let Some(name) = text.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name).trim();
            let name = name.strip_prefix("b/").unwrap_or(name);
            file = (name != "/dev/null").then(|| name.to_owned());
            is_diff = true;
        } else if let Some(ranges) = text.strip_prefix("@@ -") {
            let (old, new) = ranges.split_once(" +")?;
            let new = new.split(' ').next()?;
            let numbers = |range: &str| -> Option<(usize, usize)> {
                let (start, n) = range.split_once(',').unwrap_or((range, "1"));
                Some((start.parse().ok()?, n.parse().ok()?))
            };
            n_old = numbers(old)?.1;
            (line, n_new) = numbers(new)?;
            // A hunk without new lines names the line before it.
            line += usize::from(n_new == 0);
        }
    }
    is_diff.then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("src/*.rs f*", "src/lib.rs foo: literal"));
        assert!(matches("*literal*", "src/lib.rs foo: literal `1` -> `2`"));
        assert!(matches("a", "a"));
        assert!(!matches("a", "ab"));
        assert!(!matches("a*b*c", "acb"));
        assert!(matches("*ab", "abab"));
    }

    #[test]
    fn foreign_bytes_of_diffs_are_read_or_refused() {
        let diff = "diff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n\
            @@ -3,4 +3,4 @@ fn f\n a\n-b\n+B\n c\n d\n@@ -20 +20,2 @@\n-x\n+X\n+Y\n";
        testsmith_noise::throw("diffs", &[diff.as_bytes().to_vec()], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let lines =
                changed_lines(&text).map(|it| it.values().map(|it| it.len()).sum::<usize>());
            format!("{lines:?} {}", matches(&text, diff))
        });
    }

    #[test]
    fn changed_lines_are_those_of_the_new_file() {
        let diff = "diff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n\
            @@ -3,4 +3,4 @@ fn f\n a\n-b\n+B\n c\n d\n@@ -20 +20,2 @@\n-x\n+X\n+Y\n\
            --- a/gone.rs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        let changed = changed_lines(diff).expect("a diff");
        assert_eq!(changed.len(), 1);
        let lines: Vec<usize> = changed["src/lib.rs"].iter().copied().collect();
        assert_eq!(lines, [3, 4, 19, 20, 21]);
        assert_eq!(changed_lines(""), Some(ChangedLines::new()));
        assert_eq!(changed_lines("hello"), None);
        assert!(is_same_file("crates/a/src/lib.rs", "src/lib.rs"));
    }
}
