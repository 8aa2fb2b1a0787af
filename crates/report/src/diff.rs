//! A mutant as a change of whole lines.

use testsmith_record::MutantReport;

/// The lines that a mutant changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diff {
    /// The first line that it changes, from 1.
    pub first_line: usize,
    /// The line before it, if there is one.
    pub before: Option<String>,
    /// What goes.
    pub removed: Vec<String>,
    /// What comes instead.
    pub added: Vec<String>,
    /// The line after it, if there is one.
    pub after: Option<String>,
}

/// What a mutant changes in a source. None if its place is not in there: the record does not say where
/// it is, or the source is another one.
pub fn diff(source: &str, mutant: &MutantReport) -> Option<Diff> {
    let lines: Vec<&str> = source.lines().collect();
    if mutant.column == 0 || mutant.line == 0 {
        return None;
    }
    let (first, last) = (mutant.line - 1, mutant.end_line.checked_sub(1)?);
    let removed = lines.get(first..=last)?;
    let head = before(lines[first], mutant.column)?;
    let tail = &lines[last][before(lines[last], mutant.end_column)?.len()..];
    let is_backwards = (first, mutant.column) > (last, mutant.end_column);
    if is_backwards {
        return None;
    }
    let added = format!("{head}{}{tail}", mutant.edit);
    let is_empty = added.trim().is_empty();
    let line = |at: usize| lines.get(at).map(|it| (*it).to_owned());
    Some(Diff {
        first_line: mutant.line,
        before: first.checked_sub(1).and_then(line),
        removed: removed.iter().map(|it| (*it).to_owned()).collect(),
        added: match is_empty {
            true => Vec::new(),
            false => added.lines().map(str::to_owned).collect(),
        },
        after: line(last + 1),
    })
}

/// The text before a column; columns are characters, from 1.
fn before(line: &str, column: usize) -> Option<&str> {
    let n_before = column.checked_sub(1)?;
    let mut ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    Some(&line[..ends.nth(n_before)?])
}

impl Diff {
    /// As text: a sign and a line.
    pub fn text(&self) -> String {
        let context = |line: &Option<String>| line.iter().map(|it| (' ', it.clone())).collect();
        let signed = |sign: char, lines: &[String]| -> Vec<(char, String)> {
            lines.iter().map(|it| (sign, it.clone())).collect()
        };
        let parts: [Vec<(char, String)>; 4] = [
            context(&self.before),
            signed('-', &self.removed),
            signed('+', &self.added),
            context(&self.after),
        ];
        let lines = parts.into_iter().flatten();
        let lines = lines.map(|(sign, line)| format!("{sign} {line}"));
        lines.map(|line| format!("{}\n", line.trim_end())).collect()
    }
}
