//! Prints cases that differ in nothing but literals as a table: a loop over rows, around one body.
//!
//! Each case is printed by itself, with a mark in place of every literal and every expected value
//! ([`crate::holes`]). If the texts are the same, what differs behind the marks becomes columns. A table
//! says in one line what a case of its own says in five, and shows at a glance what depends on what.

use std::collections::BTreeSet;

use testsmith_sequence::World;

use crate::case::TestCase;
use crate::cx::Cx;
use crate::holes::{Hole, Holes, index};
use crate::imports::Imports;
use crate::names::Variables;
use crate::print::{Body, body_of, printable};

/// A table with more columns is harder to read than tests of their own.
const MAX_COLUMNS: usize = 4;
/// A cell has at most so many characters.
const MAX_CELL: usize = 60;

/// Can these cases be printed as one table?
pub fn is_table(world: &World, cases: &[&TestCase]) -> bool {
    let imports = Imports::scratch();
    let cx = Cx {
        world,
        imports: &imports,
        holes: None,
    };
    let printed: Vec<Vec<bool>> = cases.iter().map(|it| printable(cx, it)).collect();
    let rows = cases.iter().zip(&printed);
    let rows = rows.map(|(case, printed)| row(cx, case, printed, &BTreeSet::new()));
    let rows: Option<Vec<Printed>> = rows.collect();
    rows.is_some_and(|rows| columns(&rows).is_some())
}

/// One case with marks in place of literals.
struct Printed {
    body: Body,
    holes: Vec<Hole>,
    /// The holes in the order in which they stand in the text.
    order: Vec<usize>,
    /// The text with the marks numbered in this order.
    text: String,
}

/// A column of the table.
struct Column {
    /// Its positions among the marks of the text: several if a text comes out as it went in.
    at: Vec<usize>,
    is_expected: bool,
    name: String,
}

/// The body of a test that shows several cases, as a table. `None` if they are none.
pub(crate) fn table(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    reserved: &BTreeSet<String>,
) -> Option<Body> {
    let parts = case.rows(cx.world)?;
    let rows = parts.iter().map(|part| {
        let printed: Vec<bool> = part.of.iter().map(|i| printed[*i]).collect();
        row(cx, &part.case, &printed, reserved)
    });
    let rows: Vec<Printed> = rows.collect::<Option<_>>()?;
    let columns = columns(&rows)?;
    let first = &rows[0];
    let names = names(&columns, &first.body.variables)?;
    let cell = |row: &Printed, column: &Column| row.holes[row.order[column.at[0]]].text.clone();
    let tuple = |cells: Vec<String>| match &cells[..] {
        [cell] => cell.clone(),
        cells => format!("({})", cells.join(", ")),
    };
    let mut lines = vec![format!("for {} in [", tuple(names.clone()))];
    for row in &rows {
        let cells = columns.iter().map(|column| cell(row, column));
        lines.push(format!("    {},", tuple(cells.collect())));
    }
    lines.push("] {".to_owned());
    let message = message(cx, &rows, &columns, &names);
    for line in &first.body.lines {
        let line = filled(first, &columns, &names, line);
        lines.push(format!("    {}", with_message(&line, &message)));
    }
    lines.push("}".to_owned());
    Some(Body {
        lines,
        n_calls: rows.iter().map(|row| row.body.n_calls).sum(),
        checks: first.body.checks.iter().map(|i| parts[0].of[*i]).collect(),
        is_deprecated: rows.iter().any(|row| row.body.is_deprecated),
        allowed: rows.iter().flat_map(|it| it.body.allowed.clone()).collect(),
        variables: first.body.variables.clone(),
    })
}

/// Prints one case with marks.
fn row(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    reserved: &BTreeSet<String>,
) -> Option<Printed> {
    let holes = Holes::default();
    let marked = Cx {
        holes: Some(&holes),
        ..cx
    };
    let body = body_of(marked, case, printed, reserved)?;
    let holes = holes.into_list();
    let mut order = Vec::new();
    let mut text = String::new();
    for c in body.lines.join("\n").chars() {
        match index(c) {
            Some(hole) => {
                order.push(hole);
                text.push('\u{fffc}');
            }
            None => text.push(c),
        }
    }
    Some(Printed {
        body,
        holes,
        order,
        text,
    })
}

/// The columns of a table with these rows: what differs between them. Those that are expected come
/// last.
fn columns(rows: &[Printed]) -> Option<Vec<Column>> {
    let [first, others @ ..] = rows else {
        return None;
    };
    if others.is_empty() || others.iter().any(|row| row.text != first.text) {
        return None;
    }
    let mut columns: Vec<Column> = Vec::new();
    for at in 0..first.order.len() {
        let hole = |row: &'_ Printed| row.holes[row.order[at]].clone();
        let own = hole(first);
        let is_same = others.iter().all(|row| hole(row).text == own.text);
        if is_same {
            continue;
        }
        let fits = |it: Hole| it.lengths == own.lengths && it.text.chars().count() <= MAX_CELL;
        if !rows.iter().all(|row| fits(hole(row))) {
            return None;
        }
        columns.push(Column {
            at: vec![at],
            is_expected: own.is_expected,
            name: own.name,
        });
    }
    columns.sort_by_key(|it| it.is_expected);
    let columns = without_repeated(rows, columns);
    (1..=MAX_COLUMNS)
        .contains(&columns.len())
        .then_some(columns)
}

/// Texts that are expected as they were given need no column of their own.
fn without_repeated(rows: &[Printed], columns: Vec<Column>) -> Vec<Column> {
    let cells = |column: &Column| -> Vec<String> {
        let cells = rows
            .iter()
            .map(|row| row.holes[row.order[column.at[0]]].text.clone());
        cells.collect()
    };
    let mut found: Vec<Column> = Vec::new();
    for column in columns {
        let own = cells(&column);
        let is_text = column.is_expected && own.iter().all(|it| it.starts_with('"'));
        let given = found
            .iter_mut()
            .find(|it| is_text && !it.is_expected && cells(it) == own);
        match given {
            Some(given) => given.at.extend(column.at),
            None => found.push(column),
        }
    }
    found
}

/// Names of columns, none of which the body uses. `None` if a column would need a number.
fn names(columns: &[Column], variables: &Variables) -> Option<Vec<String>> {
    let n_expected = columns.iter().filter(|it| it.is_expected).count();
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        let wanted = match (column.is_expected, n_expected, &*column.name) {
            (true, 1, _) | (true, _, "") => "expected".to_owned(),
            (_, _, name) => name.to_owned(),
        };
        let prefix = match column.is_expected {
            true => "expected",
            false => "other",
        };
        let other = match &*wanted {
            // What is asked once more is seen after the first answer.
            "expected" => [wanted, "after".to_owned()],
            _ => [wanted.clone(), format!("{prefix}_{wanted}")],
        };
        let is_free = |name: &String| variables.is_free(name) && !names.contains(name);
        names.push(other.into_iter().find(is_free)?);
    }
    Some(names)
}

/// A line of the body with names and literals in place of marks.
fn filled(row: &Printed, columns: &[Column], names: &[String], line: &str) -> String {
    let column = |hole: usize| {
        let mut columns = columns.iter().zip(names);
        columns
            .find(|(column, _)| column.at.iter().any(|at| row.order[*at] == hole))
            .map(|(_, name)| name)
    };
    // An assertion that expects the same in all rows is written as it is outside of a table.
    let instead = line.chars().filter_map(index).find_map(|hole| {
        let is_constant = column(hole).is_none();
        row.holes[hole].instead.clone().filter(|_| is_constant)
    });
    let line = instead.map_or_else(|| line.to_owned(), |it| format!("{it};"));
    let mut text = String::new();
    for c in line.chars() {
        match index(c) {
            None => text.push(c),
            Some(hole) => {
                let expr = column(hole).unwrap_or(&row.holes[hole].text);
                // `Point { x: x }` is written `Point { x }`.
                let field = format!("{expr}: ");
                let head = text.strip_suffix(&field).map(str::len);
                match head.filter(|it| text[..*it].ends_with([' ', '{', '('])) {
                    Some(head) if column(hole).is_some() => {
                        text.truncate(head);
                        text.push_str(expr);
                    }
                    _ => text.push_str(expr),
                }
            }
        }
    }
    text.replace("String::from(\"\")", "String::new()")
}

/// What an assertion says if it fails: the literals of the row. Empty if there is nothing short to say.
fn message(cx: Cx<'_>, rows: &[Printed], columns: &[Column], names: &[String]) -> String {
    let is_short = |column: &Column| {
        let cells = rows
            .iter()
            .map(|row| &row.holes[row.order[column.at[0]]].text);
        let is_scalar = |text: &String| !text.contains(['(', '[', '{']) || text.starts_with('"');
        !column.is_expected && cells.clone().all(is_scalar)
    };
    let shown = columns
        .iter()
        .zip(names)
        .filter(|(column, _)| is_short(column));
    let shown: Vec<&str> = shown.map(|(_, name)| &**name).collect();
    if shown.is_empty() {
        return String::new();
    }
    // Before edition 2021 a message without arguments is no format.
    if !cx.imports.has_inline_arguments() {
        let places = vec!["{:?}"; shown.len()].join(", ");
        return format!("\"{places}\", {}", shown.join(", "));
    }
    let inline: Vec<String> = shown.iter().map(|name| format!("{{{name}:?}}")).collect();
    format!("\"{}\"", inline.join(", "))
}

/// The line with the message, if it is an assertion.
fn with_message(line: &str, message: &str) -> String {
    let is_assertion = ["assert!(", "assert_eq!(", "assert_ne!("];
    let is_assertion = is_assertion.iter().any(|start| line.starts_with(start));
    match line.strip_suffix(");") {
        Some(start) if is_assertion && !message.is_empty() => format!("{start}, {message});"),
        _ => line.to_owned(),
    }
}
