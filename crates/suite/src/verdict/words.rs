//! Finds the crate's own words in the message of a panic: what a test may expect.
//!
//! A message is made of a literal in the crate's source and of what the call was about. Only the
//! longest piece of the literal is expected: it has no numbers that depend on arguments or on the
//! width of `usize`. What the standard library says (`index out of bounds: ..`, `called
//! Option::unwrap() ..`) changes from version to version, and so is never expected.

use super::nature::Nature;

/// A shorter piece of a literal is too common to say which panic it was.
const MIN_WORDS: usize = 5;
/// A panic's statement ends within so many lines.
const STATEMENT: usize = 15;

/// The longest piece of a string literal in this source that the message has. Literals that stand
/// near the line go first. `None` if the words are the standard library's.
pub(super) fn own_words(
    source: &[String],
    line: u32,
    message: &str,
    nature: Nature,
) -> Option<String> {
    let message = without_prefix(message, nature)?;
    let literals = literals(&source.join("\n"));
    let first = line as usize;
    let is_near = |at: usize| (first..first + STATEMENT).contains(&at);
    let longest = |near: bool| {
        let wanted = literals.iter().filter(|(at, _)| is_near(*at) == near);
        let pieces = wanted.flat_map(|(_, text)| pieces(text));
        let said = pieces.filter(|piece| is_telling(piece) && message.contains(&**piece));
        said.max_by_key(|piece| piece.len())
    };
    longest(true).or_else(|| longest(false))
}

/// The first line of the message without what the standard library puts before a crate's words.
/// `None` if no words can be the crate's.
fn without_prefix(message: &str, nature: Nature) -> Option<&str> {
    let line = message.lines().next()?;
    match nature {
        Nature::Explicit | Nature::Expect => Some(line),
        Nature::Unreachable => line.split_once("entered unreachable code: ").map(|it| it.1),
        Nature::Unfinished => line.split_once("implemented: ").map(|it| it.1),
        // `assert!` without a message shows its condition, as the compiler writes it.
        Nature::Assertion => match line.split_once("` failed: ") {
            Some((_, own)) => Some(own),
            None => (!line.starts_with("assertion ")).then_some(line),
        },
        _ => None,
    }
}

fn is_telling(piece: &str) -> bool {
    piece.chars().filter(|c| c.is_alphabetic()).count() >= MIN_WORDS
}

/// The parts of a format string between its placeholders.
fn pieces(literal: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = literal.chars().peekable();
    let mut depth = 0;
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if depth == 0 && chars.peek() == Some(&c) => {
                chars.next();
                pieces.last_mut().expect("there is one").push(c);
            }
            '{' => {
                depth += 1;
                pieces.push(String::new());
            }
            '}' => depth = 0,
            // A message of several lines is expected by one of them.
            '\n' => pieces.push(String::new()),
            _ if depth == 0 => pieces.last_mut().expect("there is one").push(c),
            _ => {}
        }
    }
    pieces.iter().map(|piece| piece.trim().to_owned()).collect()
}

/// The string literals of Rust source, each with its line, counted from 1. What a test of the crate
/// expects is none of its words.
fn literals(source: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let rest = &chars[i..];
        let (length, text) = match (rest[0], rest.get(1)) {
            ('/', Some('/')) => (until(rest, '\n'), None),
            ('\'', Some('\\')) => (4 + until(rest.get(3..).unwrap_or_default(), '\''), None),
            ('\'', Some(_)) if rest.get(2) == Some(&'\'') => (3, None),
            ('"', _) => quoted(rest),
            ('r', Some('"' | '#')) if !is_word(&chars, i) => raw(rest),
            _ => (1, None),
        };
        let length = length.clamp(1, rest.len());
        if let Some(text) = text
            && !is_expected(&chars[..i])
        {
            found.push((line, text));
        }
        line += rest[..length].iter().filter(|c| **c == '\n').count();
        i += length;
    }
    found
}

/// Does a name go on at this place?
fn is_word(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

/// Does the text end in `expected =`?
fn is_expected(before: &[char]) -> bool {
    let mut before = before.iter().rev().filter(|c| !c.is_whitespace());
    let mut word = "=detcepxe".chars();
    word.all(|c| before.next() == Some(&c))
}

/// How many characters there are before this one.
fn until(chars: &[char], end: char) -> usize {
    let found = chars.iter().position(|c| *c == end);
    found.unwrap_or(chars.len())
}

/// A literal in quotes: its length in source, and what it says.
fn quoted(chars: &[char]) -> (usize, Option<String>) {
    let mut text = String::new();
    let mut i = 1;
    while i < chars.len() && chars[i] != '"' {
        if chars[i] != '\\' {
            text.push(chars[i]);
            i += 1;
            continue;
        }
        match chars.get(i + 1) {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('\n') => {
                let rest = &chars[i + 2..];
                let n_blank = rest.iter().take_while(|c| c.is_whitespace()).count();
                i += n_blank;
            }
            Some(c @ ('"' | '\'' | '\\')) => text.push(*c),
            // Another escape cuts the piece: a shorter one is expected then.
            _ => text.push('\n'),
        }
        i += 2;
    }
    (i + 1, Some(text))
}

/// A raw literal: its length in source, and what it says.
fn raw(chars: &[char]) -> (usize, Option<String>) {
    let n_hashes = chars[1..].iter().take_while(|c| **c == '#').count();
    if chars.get(1 + n_hashes) != Some(&'"') {
        return (1, None);
    }
    let first = n_hashes + 2;
    let is_end = |at: &usize| {
        let mut hashes = chars[at + 1..].iter().take(n_hashes);
        chars[*at] == '"' && hashes.clone().count() == n_hashes && hashes.all(|c| *c == '#')
    };
    let end = (first..chars.len()).find(is_end).unwrap_or(chars.len() - 1);
    (end + 1 + n_hashes, Some(chars[first..end].iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str, line: u32, message: &str) -> Option<String> {
        let source: Vec<String> = source.lines().map(str::to_owned).collect();
        own_words(&source, line, message, Nature::of(message))
    }

    #[test]
    fn the_longest_piece_without_arguments_is_expected() {
        let source = "fn at(i: usize) {\n    panic!(\n        \"at: index {i} beyond the end {}\",\n        9\n    );\n}";
        let found = words(source, 2, "at: index 7 beyond the end 9");
        assert_eq!(found.as_deref(), Some("beyond the end"));
        assert_eq!(
            words("x.expect(\"invalid key\")", 1, "invalid key").as_deref(),
            Some("invalid key")
        );
        let source = "assert_eq!(a, b, \"lengths \\\n      differ: {}\", 3);";
        let message = "assertion `left == right` failed: lengths differ: 3\n  left: 1\n right: 2";
        assert_eq!(
            words(source, 1, message).as_deref(),
            Some("lengths differ:")
        );
    }

    #[test]
    fn words_of_the_standard_library_are_not_expected() {
        for message in [
            "index out of bounds: the len is 3 but the index is 7",
            "called `Option::unwrap()` on a `None` value",
            "attempt to add with overflow",
            "assertion failed: index < len",
            "capacity overflow",
        ] {
            let source = format!("panic!(r#\"{message}\"#)");
            assert_eq!(words(&source, 1, message), None, "{message}");
        }
        assert_eq!(words("panic!()", 1, "mid > len"), None);
    }

    #[test]
    fn what_a_test_expects_and_what_is_no_literal_is_not_the_crates() {
        let source = "// \"mid > length\"\n#[should_panic(expected = \"mid > length\")]\nfn t<'a>() { let c = '\"'; split(\"other words\"); }";
        assert_eq!(words(source, 1, "mid > length"), None);
        assert_eq!(
            words(source, 1, "other words").as_deref(),
            Some("other words")
        );
    }
}
