//! Reads what `--emit=mir` writes, item by item, without what is only a position or a number.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The items of a crate.
#[derive(Debug, Default)]
pub(super) struct Mir {
    /// The texts of items by name. Several items may have one name.
    items: BTreeMap<String, Vec<String>>,
    /// The function that each witness is in, by the witness's name.
    witnesses: BTreeMap<String, String>,
}

impl Mir {
    /// `witness` is the beginning of the names of constants that were put into functions, before
    /// all other code.
    pub(super) fn parse(text: &str, witness: &str) -> Mir {
        let columns = Columns::of(text);
        let mut mir = Mir::default();
        let mut function = String::new();
        for item in split(text) {
            let Some((kind, name)) = header(item) else {
                continue;
            };
            let name = columns.normalised(name);
            if name.starts_with(witness) {
                mir.witnesses.insert(name, function.clone());
                continue;
            }
            if kind == "fn" {
                function.clone_from(&name);
            }
            let text = numbered(&columns.normalised(item));
            mir.items.entry(name).or_default().push(text);
        }
        mir
    }

    /// The function that has this witness. `None` if it is not compiled.
    pub(super) fn function(&self, witness: &str) -> Option<&str> {
        self.witnesses.get(witness).map(String::as_str)
    }

    /// The code of a function, and of everything in it that has no name of its own.
    pub(super) fn code_of(&self, function: &str) -> BTreeMap<&str, &[String]> {
        let is_part = |name: &str| {
            let rest = name.strip_prefix(function);
            rest.is_some_and(|it| it.is_empty() || it.starts_with("::"))
        };
        let items = self.items.iter().filter(|(name, _)| is_part(name));
        items.map(|(name, it)| (name.as_str(), &**it)).collect()
    }
}

/// Divides the text into parts that begin with an item. The allocations that an item mentions
/// follow it.
fn split(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if header(line).is_some() {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(a, b)| &text[*a..b]).collect()
}

/// The kind and name of the item that begins here.
fn header(text: &str) -> Option<(&str, &str)> {
    let (kind, rest) = text.split_once(' ')?;
    let rest = match kind {
        "fn" | "const" => rest,
        "static" => rest.strip_prefix("mut ").unwrap_or(rest),
        _ => return None,
    };
    let end = if kind == "fn" { '(' } else { ':' };
    let mut depth = 0;
    for (i, c) in rest.char_indices() {
        match c {
            '<' | '{' => depth += 1,
            '>' | '}' => depth -= 1,
            '\n' => return None,
            ':' if end == ':' && depth == 0 => {
                // It is not the colon between segments of a path.
                let is_path = rest[i + 1..].starts_with(':') || rest[..i].ends_with(':');
                if !is_path {
                    return Some((kind, &rest[..i]));
                }
            }
            _ if c == end && depth == 0 => return Some((kind, &rest[..i])),
            _ => {}
        }
    }
    None
}

/// The position of something without a name, as in `{closure@src/lib.rs:5:84: 5:87}`.
struct Position<'p> {
    /// Where the numbers begin and end in the text.
    numbers: (usize, usize),
    file: &'p str,
    line: &'p str,
    /// The first column, and the position of the end.
    columns: (u32, &'p str),
}

/// The next position in a text.
fn position(text: &str, from: usize) -> Option<Position<'_>> {
    let mut from = from;
    loop {
        let middle = from + text.get(from..)?.find(": ")?;
        from = middle + 2;
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let back = |end: usize| {
            let n = text[..end].bytes().rev().take_while(u8::is_ascii_digit);
            end - n.count()
        };
        let column = back(middle);
        if column == middle || !text[..column].ends_with(':') {
            continue;
        }
        let line = back(column - 1);
        if line == column - 1 || !text[..line].ends_with(".rs:") {
            continue;
        }
        let n = digits(&text[from..]);
        let last = from + n + 1;
        if n == 0 || text.as_bytes().get(last - 1) != Some(&b':') {
            continue;
        }
        let end = last + digits(&text[last..]);
        let is_closed = matches!(text.as_bytes().get(end), Some(b'}' | b'>'));
        if end == last || !is_closed {
            continue;
        }
        let file = &text[..line - 1];
        let begin = file.rfind(['@', ' ']).map_or(0, |i| i + 1);
        return Some(Position {
            numbers: (line, end),
            file: &file[begin..],
            line: &text[line..column - 1],
            columns: (text[column..middle].parse().ok()?, &text[from..end]),
        });
    }
}

/// The positions that begin in each line, in the order of their columns. An edit moves columns, but
/// does not change their order.
struct Columns<'c>(BTreeMap<(&'c str, &'c str), BTreeSet<(u32, &'c str)>>);

impl<'c> Columns<'c> {
    fn of(text: &'c str) -> Columns<'c> {
        let mut columns = Columns(BTreeMap::new());
        let mut from = 0;
        while let Some(it) = position(text, from) {
            let line = columns.0.entry((it.file, it.line)).or_default();
            line.insert(it.columns);
            from = it.numbers.1;
        }
        columns
    }

    /// The text with numbers in each line instead of columns.
    fn normalised(&self, text: &str) -> String {
        let mut out = String::new();
        let mut from = 0;
        while let Some(it) = position(text, from) {
            let line = self.0.get(&(it.file, it.line));
            let n = line.and_then(|line| line.iter().position(|at| *at == it.columns));
            out.push_str(&text[from..it.numbers.0]);
            let _ = match n {
                Some(n) => write!(out, "{}#{n}", it.line),
                None => write!(out, "{}", &text[it.numbers.0..it.numbers.1]),
            };
            from = it.numbers.1;
        }
        out.push_str(&text[from..]);
        out
    }
}

/// The item with allocations numbered in the order of their first mention, and without names of
/// variables, because these change nothing.
fn numbered(item: &str) -> String {
    let mut numbers: Vec<&str> = Vec::new();
    let mut out = String::new();
    for line in item.lines() {
        if line.trim_start().starts_with("debug ") {
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find("alloc") {
            let (before, from) = rest.split_at(at);
            let n = from[5..].bytes().take_while(u8::is_ascii_digit).count();
            let is_word = before.ends_with(|c: char| c == '_' || c.is_alphanumeric());
            out.extend(before.chars().filter(|c| *c != '─'));
            if n == 0 || is_word {
                out.push_str("alloc");
                rest = &from[5..];
                continue;
            }
            let name = &from[..5 + n];
            let number = numbers.iter().position(|it| *it == name);
            let number = number.unwrap_or_else(|| {
                numbers.push(name);
                numbers.len() - 1
            });
            let _ = write!(out, "alloc#{number}");
            rest = &from[5 + n..];
        }
        out.extend(rest.chars().filter(|c| *c != '─'));
        out.push('\n');
    }
    // A comment on the next item may stand at the end.
    let end = out.trim_end_matches(['\n', ' ']);
    end.strip_suffix("// MIR FOR CTFE")
        .unwrap_or(end)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let (one, other) = (Mir::parse(one, "W_"), Mir::parse(other, "W_"));
        let code = |mir: &Mir| {
            let code = mir.code_of("f").into_iter();
            let code = code.map(|(name, texts)| (name.to_owned(), texts.to_vec()));
            code.collect::<Vec<_>>()
        };
        assert!(!code(&one).is_empty());
        code(&one) == code(&other)
    }

    #[test]
    fn items_have_names_and_what_follows_them() {
        let text = "\
// WARNING
fn m::<impl at src/lib.rs:7:1: 7:20>::get(_1: &S<T>) -> T {
    bb0: {
    }
}

const W_3: () = {
}

fn m::<impl at src/lib.rs:7:1: 7:20>::get::{closure#0}(_1: {closure@src/lib.rs:7:207: 7:210}) -> T {
}

// MIR FOR CTFE
fn sq(_1: usize) -> usize {
}

alloc4 (size: 1, align: 1) {
    03 │ .
}

static mut TABLE: [u8; 3] = {
}
const sq::promoted[0]: &[&str; 2] = {
}
";
        let mir = Mir::parse(text, "W_");
        let names: Vec<&str> = mir.items.keys().map(String::as_str).collect();
        let expected = [
            "TABLE",
            "m::<impl at src/lib.rs:7#0>::get",
            "m::<impl at src/lib.rs:7#0>::get::{closure#0}",
            "sq",
            "sq::promoted[0]",
        ];
        assert_eq!(names, expected);
        let function = mir.function("W_3").expect("it is there");
        assert_eq!(mir.code_of(function).len(), 2);
        assert!(mir.items["sq"][0].contains("03"));
        assert!(!mir.items[expected[2]][0].contains("CTFE"));
    }

    #[test]
    fn columns_and_numbers_of_allocations_say_nothing() {
        let text = |column: u32, n: u32| {
            let end = column + 3;
            format!(
                "fn f() -> u8 {{\n    debug x => _1;\n    _0 = g::<{{closure@a.rs:3:{column}: 3:{end}}}>(const {{alloc{n}: &u8}});\n}}\n\n\
                 alloc{n} (size: 1) {{\n    00 │ .\n}}\n"
            )
        };
        assert!(same(&text(4, 7), &text(9, 12)));
        assert!(!same(&text(4, 7), &text(4, 7).replace("00 │", "01 │")));
        assert!(!same(&text(4, 7), &text(4, 7).replace(":3:", ":4:")));
    }

    #[test]
    fn two_closures_of_one_line_are_told_apart() {
        let text = |first: &str, second: &str| {
            let closure = |it| format!("    g::<{{closure@a.rs:3:{it}}}>();\n");
            format!("fn f() {{\n{}{}}}\n", closure(first), closure(second))
        };
        let (a, b) = ("5: 3:8", "15: 3:18");
        assert!(same(&text(a, b), &text("6: 3:9", "17: 3:20")));
        assert!(!same(&text(a, b), &text(b, a)));
    }

    #[test]
    fn a_function_that_is_not_there_is_not_the_same() {
        let mir = Mir::parse("fn g() {\n}\nfn ff() {\n}\n", "W_");
        assert!(mir.code_of("f").is_empty());
        assert_eq!(mir.function("W_1"), None);
    }
}
