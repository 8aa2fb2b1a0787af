//! A function of more than 80 lines, or a file of more than 800, has a reason to be so long. The guest's
//! source and what copies and tests contain of ours count as well: people read them, too.

#![expect(clippy::disallowed_methods, reason = "it reads the source")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Lines that a function may have, from its `fn` to its last brace.
const LINES_OF_FUNCTION: usize = 80;

/// Lines that a file may have, its tests left out.
const LINES_OF_FILE: usize = 800;

/// Longer functions, by file and name, with the reason. There are at most ten.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[];

/// Longer files, with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// What a source file holds that is no test.
#[derive(Default)]
struct Measured {
    /// Name and lines, in order.
    functions: Vec<(String, usize)>,
    /// Lines that only tests have.
    n_lines_of_tests: usize,
    /// Modules in files of their own that only tests have.
    tests: BTreeSet<String>,
}

impl Measured {
    fn of(text: &str) -> Measured {
        let mut measured = Measured::default();
        let tokens: TokenStream = text.parse().expect("it is Rust");
        measured.walk(tokens);
        measured
    }

    /// Goes through tokens rather than syntax, because functions stand in macros, too.
    fn walk(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if is_for_tests(&tokens[at..]) {
                let end = end_of_item(&tokens, at);
                self.leave_out(&tokens[at..end]);
                at = end;
                continue;
            }
            if is_word(token, "fn")
                && let Some(TokenTree::Ident(name)) = tokens.get(at + 1)
                && let Some(body) = body(&tokens[at..])
            {
                let first = token.span().start().line;
                let n_lines = body.span_close().end().line - first + 1;
                self.functions.push((name.to_string(), n_lines));
            }
            if let TokenTree::Group(group) = token {
                self.walk(group.stream());
            }
            at += 1;
        }
    }

    fn leave_out(&mut self, item: &[TokenTree]) {
        if let [first, .., last] = item {
            let lines = first.span().start().line..=last.span().end().line;
            self.n_lines_of_tests += lines.count();
        }
        if let [.., module, TokenTree::Ident(name), end] = item
            && is_word(module, "mod")
            && is_mark(end, ';')
        {
            self.tests.insert(name.to_string());
        }
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(it) if it == word)
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == mark)
}

fn as_group(token: &TokenTree, delimiter: Delimiter) -> Option<&Group> {
    match token {
        TokenTree::Group(it) if it.delimiter() == delimiter => Some(it),
        _ => None,
    }
}

/// Does `#[cfg(test)]` stand there?
fn is_for_tests(tokens: &[TokenTree]) -> bool {
    let [sign, TokenTree::Group(attribute), ..] = tokens else {
        return false;
    };
    let text = attribute.stream().to_string().replace(' ', "");
    is_mark(sign, '#') && text == "cfg(test)"
}

/// The index behind the item whose attributes begin there.
fn end_of_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while is_mark(&tokens[at], '#') {
        at += 2;
    }
    // The braces of `use a::{b, c};` do not end it.
    let is_use = tokens[at..].iter().take(3).any(|it| is_word(it, "use"));
    let ends =
        |it: &TokenTree| is_mark(it, ';') || !is_use && as_group(it, Delimiter::Brace).is_some();
    let n_tokens = tokens[at..].iter().position(ends);
    n_tokens.map_or(tokens.len(), |n| at + n + 1)
}

/// The body of the function that begins there; types of functions and declarations have none.
fn body(tokens: &[TokenTree]) -> Option<&Group> {
    let mut heads = tokens.iter().take_while(|it| !is_mark(it, ';'));
    heads.find_map(|it| as_group(it, Delimiter::Brace))
}

/// All source files below a directory, in order.
fn sources(dir: &Path, found: &mut Vec<(PathBuf, String, Measured)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)
        .expect("the directory is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).expect("it is text");
            let measured = Measured::of(&text);
            found.push((path, text, measured));
        }
    }
}

/// Where the files of a file's modules are.
fn dir_of_modules(file: &Path) -> PathBuf {
    let stem = file.file_stem().expect("files have names");
    match stem.to_str() {
        Some("lib" | "main" | "mod") => file.with_file_name(""),
        _ => file.with_extension(""),
    }
}

/// The files of all crates that are looked at, as the repository names them.
fn all() -> Vec<(String, String, Measured)> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = repository.canonicalize().expect("it is there");
    let crates = repository.join("crates");
    let mut files = Vec::new();
    sources(&crates, &mut files);
    // Tests of the command stand beside its source, and are no part of it.
    files.retain(|(path, ..)| {
        let within = path.strip_prefix(&crates).expect("it is in there");
        let room = within.components().nth(1);
        room.is_some_and(|it| it.as_os_str() == "src")
    });
    let mut tests = BTreeSet::new();
    for (path, _, measured) in &files {
        let dir = dir_of_modules(path);
        tests.extend(measured.tests.iter().map(|name| dir.join(name)));
    }
    let is_test = |path: &Path| {
        let module = path.with_extension("");
        tests.iter().any(|test| module.starts_with(test))
    };
    files.retain(|(path, ..)| !is_test(path));
    let named = files.into_iter().map(|(path, text, measured)| {
        let name = path.strip_prefix(&repository).expect("it is in there");
        (name.display().to_string(), text, measured)
    });
    named.collect()
}

#[test]
fn long_functions_have_a_reason() {
    assert!(LONG_FUNCTIONS.len() <= 10, "there are too many of them");
    let mut needed = BTreeSet::new();
    let mut unknown = Vec::new();
    for (file, _, measured) in &all() {
        for (name, n_lines) in &measured.functions {
            if *n_lines <= LINES_OF_FUNCTION {
                continue;
            }
            match LONG_FUNCTIONS
                .iter()
                .find(|it| (it.0, it.1) == (file, name))
            {
                Some(known) => drop(needed.insert((known.0, known.1))),
                None => unknown.push(format!("{file}: `{name}` has {n_lines} lines")),
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    for (file, name, reason) in LONG_FUNCTIONS {
        assert!(!reason.is_empty(), "{file}: why is `{name}` so long?");
        let is_needed = needed.contains(&(*file, *name));
        assert!(
            is_needed,
            "{file}: `{name}` is not long: take it off the list"
        );
    }
}

#[test]
fn long_files_have_a_reason() {
    let mut needed = BTreeSet::new();
    for (file, text, measured) in &all() {
        let n_lines = text.lines().count() - measured.n_lines_of_tests;
        if n_lines <= LINES_OF_FILE {
            continue;
        }
        let known = LONG_FILES.iter().find(|it| it.0 == file);
        let (known, _) = known.unwrap_or_else(|| panic!("{file} has {n_lines} lines"));
        needed.insert(*known);
    }
    for (file, reason) in LONG_FILES {
        assert!(!reason.is_empty(), "why is {file} so long?");
        assert!(
            needed.contains(file),
            "{file} is not long: take it off the list"
        );
    }
}

#[test]
fn what_is_measured_is_what_people_read() {
    let measured = Measured::of(
        "fn a() {\n}\nmacro_rules! m { () => { fn b(it: fn(u8) -> u8)\n\n-> u8 { fn c() {} } } }
#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod inner {\nfn d() {}\n}\n#[cfg(test)] use x::{y, z}; fn e();
trait T { fn f(); fn g() { 1 } }",
    );
    let functions: Vec<_> = measured.functions.iter().map(|it| (&*it.0, it.1)).collect();
    assert_eq!(functions, [("a", 2), ("b", 3), ("c", 1), ("g", 1)]);
    assert_eq!(measured.n_lines_of_tests, 7);
    assert_eq!(measured.tests, ["tests".to_owned()].into());
}
