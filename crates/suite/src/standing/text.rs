//! One file of the suite that is there: its tests, what it imports, and what else it defines.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::{Attribute, Item, UseTree};

use super::seal::Seal;

/// Who wrote a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Author {
    /// Testsmith did, and nobody edited it since.
    Testsmith,
    /// A person did, or edited it.
    Person,
}

/// How a test ends if nothing changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Usual {
    /// It passes.
    Passes,
    /// It is ignored: it shows a failure.
    Ignored,
}

/// A test that is there.
#[derive(Clone, Debug)]
pub(crate) struct StandingTest {
    /// The function's name, after those of the modules around it.
    pub(crate) name: String,
    /// Its lines, counted from 0, with attributes and the comments right above.
    pub(crate) lines: Range<usize>,
    /// Those lines.
    pub(crate) text: String,
    /// Who wrote it.
    pub(crate) author: Author,
    /// How it ends.
    pub(crate) usual: Usual,
}

/// Another item of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) lines: Range<usize>,
    pub(crate) text: String,
}

/// A module or a crate that a file declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) piece: Piece,
    /// The file of a module.
    pub(crate) path: Option<PathBuf>,
}

/// A file of the suite that is there.
#[derive(Clone, Debug)]
pub(crate) struct StandingFile {
    /// The name of the root that it is, or that declares it, without `.rs`.
    pub(crate) root: &'static str,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The module that it is, for files that the root declares.
    pub(crate) module: Option<String>,
    /// Its text.
    pub(crate) text: String,
    /// Its tests, in order.
    pub(crate) tests: Vec<StandingTest>,
    /// What it imports: full paths by the names that they have here. A trait that is imported without
    /// a name has its path as its name.
    pub(crate) imports: BTreeMap<String, String>,
    /// Other items that it defines, by name.
    pub(crate) items: BTreeMap<String, Vec<Piece>>,
    /// Modules in other files and crates that it declares.
    pub(crate) declared: Vec<Declared>,
    /// The `cfg` predicate that the whole file depends on, without white space.
    pub(crate) condition: Option<String>,
    pub(crate) seal: Seal,
    /// The line behind the documentation and the attributes of the file.
    pub(crate) after_head: usize,
    /// The line behind the last import, or behind the head of the file if there is none.
    pub(crate) after_imports: usize,
}

/// Why a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoRust {
    /// The line, counted from 1.
    pub line: usize,
    /// What the parser says.
    pub message: String,
}

/// Lines that are put in the place of others.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The lines that go, counted from 0; an empty range only says where.
    pub(crate) lines: Range<usize>,
    pub(crate) with: Vec<String>,
}

/// The text after edits that do not overlap. All other bytes stay as they are.
pub(crate) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // Stable: what is put in one place stays in order.
    edits.sort_by_key(|it| it.lines.start);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut edited = String::new();
    let mut next = 0;
    for Edit { lines: gone, with } in edits {
        for line in lines
            .get(next..gone.start.min(lines.len()))
            .into_iter()
            .flatten()
        {
            edited.push_str(line);
        }
        if !edited.is_empty() && !edited.ends_with('\n') && !with.is_empty() {
            edited.push_str(eol);
        }
        for line in with {
            edited.push_str(&line);
            edited.push_str(eol);
        }
        next = next.max(gone.end);
    }
    edited.extend(lines.iter().skip(next).copied());
    edited
}

impl StandingFile {
    /// Reads a file of tests.
    pub(crate) fn parse(
        root: &'static str,
        path: &Path,
        module: Option<&str>,
        text: String,
    ) -> Result<StandingFile, NoRust> {
        let parsed = parse(&text).map_err(|error| NoRust {
            line: error.span().start().line,
            message: error.to_string(),
        })?;
        let lines: Vec<&str> = text.lines().collect();
        let head = parsed.attrs.last().map_or(0, |it| it.span().end().line);
        let condition = parsed.attrs.iter().find_map(|it| match &it.meta {
            syn::Meta::List(list) if list.path.is_ident("cfg") => Some(bare(&list.tokens)),
            _ => None,
        });
        let mut file = StandingFile {
            root,
            path: path.to_owned(),
            module: module.map(str::to_owned),
            tests: Vec::new(),
            imports: BTreeMap::new(),
            items: BTreeMap::new(),
            declared: Vec::new(),
            condition,
            seal: Seal::of(&text),
            after_head: head,
            after_imports: head,
            text: String::new(),
        };
        for item in &parsed.items {
            file.add(item, "", &lines);
        }
        file.text = text;
        Ok(file)
    }

    /// Reads the same file with another text.
    pub(crate) fn again(&self, text: String) -> Result<StandingFile, NoRust> {
        StandingFile::parse(self.root, &self.path, self.module.as_deref(), text)
    }

    fn add(&mut self, item: &Item, within: &str, lines: &[&str]) {
        let lines_of = place(item.span(), lines);
        let piece = Piece {
            text: lines[lines_of.clone()].join("\n"),
            lines: lines_of,
        };
        match item {
            Item::Fn(it) if it.attrs.iter().any(|it| is(it, "test")) => {
                self.add_test(it, within, piece);
            }
            Item::Mod(it) if it.content.is_some() => {
                let within = format!("{within}{}::", it.ident);
                let items = it.content.iter().flat_map(|(_, items)| items);
                items.for_each(|item| self.add(item, &within, lines));
            }
            _ if !within.is_empty() => {}
            Item::Use(it) => {
                let mut found = BTreeMap::new();
                leaves(&it.tree, String::new(), &mut found);
                let found = found.into_iter();
                let found = found.map(|(name, path)| (as_written(&name), as_written(&path)));
                self.imports.extend(found);
                self.after_imports = self.after_imports.max(piece.lines.end);
            }
            Item::Mod(it) => {
                let beside = self.path.parent().unwrap_or(Path::new(""));
                self.declared.push(Declared {
                    name: it.ident.to_string(),
                    path: path_of(&it.attrs).map(|path| beside.join(path)),
                    piece,
                });
            }
            Item::ExternCrate(it) => self.declared.push(Declared {
                name: it.ident.to_string(),
                path: None,
                piece,
            }),
            item => {
                if let Some(name) = name_of(item) {
                    self.items.entry(name).or_default().push(piece);
                }
            }
        }
    }

    fn add_test(&mut self, function: &syn::ItemFn, within: &str, piece: Piece) {
        let is_ignored = function.attrs.iter().any(|it| is(it, "ignore"));
        self.tests.push(StandingTest {
            name: format!("{within}{}", function.sig.ident),
            author: match self.seal.has(&piece.text) {
                true => Author::Testsmith,
                false => Author::Person,
            },
            usual: match is_ignored {
                true => Usual::Ignored,
                false => Usual::Passes,
            },
            lines: piece.lines,
            text: piece.text,
        });
    }

    /// The test's name as `cargo test -- --exact` takes it.
    pub(crate) fn full_name(&self, test: &StandingTest) -> String {
        match &self.module {
            Some(module) => format!("{module}::{}", test.name),
            None => test.name.clone(),
        }
    }

    /// Is there nothing in the file but what testsmith wrote, as far as it has no tests?
    pub(crate) fn has_nothing_of_a_persons(&self) -> bool {
        let mut items = self.items.values().flatten();
        items.all(|item| self.seal.has(&item.text))
    }

    /// Names that a new test in the file must not have.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let tests = self.tests.iter().map(|it| it.name.clone());
        let declared = self.declared.iter().map(|it| it.name.clone());
        tests
            .chain(self.items.keys().cloned())
            .chain(declared)
            .collect()
    }

    /// The text without some tests, and without the empty lines that parted them from others.
    pub(crate) fn without(&self, is_out: impl Fn(usize) -> bool) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        let tests = self.tests.iter().enumerate();
        let edits = tests.filter(|(i, _)| is_out(*i)).map(|(_, test)| {
            let behind = lines[test.lines.end..].iter();
            let n_empty = behind.take_while(|line| line.trim().is_empty()).count();
            Edit {
                lines: test.lines.start..test.lines.end + n_empty,
                with: Vec::new(),
            }
        });
        edited(&self.text, edits.collect())
    }

    /// All that testsmith writes into such a file: what a seal can be about.
    pub(crate) fn pieces(&self) -> Vec<&str> {
        let tests = self.tests.iter().map(|it| &*it.text);
        let items = self.items.values().flatten().map(|it| &*it.text);
        tests.chain(items).collect()
    }

    /// The pieces that testsmith wrote and nobody edited.
    pub(crate) fn own_pieces(&self) -> Vec<&str> {
        let mut pieces = self.pieces();
        pieces.retain(|piece| self.seal.has(piece));
        pieces
    }
}

/// Words that are names in older editions, each with a name that stands for it while it is parsed.
const NAMES_ONCE: &[(&str, &str)] = &[
    ("async", "as_nc"),
    ("await", "aw_it"),
    ("dyn", "d_n"),
    ("gen", "g_n"),
    ("try", "t_y"),
];

/// Parses a file of any edition. Text of an older one may have names that are keywords by now; in what
/// is parsed others stand for them, which are as long.
pub(super) fn parse(text: &str) -> syn::Result<syn::File> {
    let error = match syn::parse_file(text) {
        Ok(file) => return Ok(file),
        Err(error) => error,
    };
    let mut known = String::with_capacity(text.len());
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|it| !is_part(it)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        let other = NAMES_ONCE.iter().find(|(once, _)| *once == word);
        known.push_str(before);
        known.push_str(other.map_or(word, |(_, other)| other));
        rest = after;
    }
    known.push_str(rest);
    syn::parse_file(&known).map_err(|_| error)
}

/// A name or a path as it stands in the text.
fn as_written(parsed: &str) -> String {
    let written = |word: &str| {
        let once = NAMES_ONCE.iter().find(|(_, other)| *other == word);
        once.map_or(word, |(once, _)| once).to_owned()
    };
    let segments: Vec<String> = parsed.split("::").map(written).collect();
    segments.join("::")
}

fn bare(tokens: &impl ToString) -> String {
    let mut text = tokens.to_string();
    text.retain(|it| !it.is_whitespace());
    text
}

/// The lines of an item, counted from 0, with its attributes and the comments right above.
fn place(span: proc_macro2::Span, lines: &[&str]) -> Range<usize> {
    let first = span.start().line - 1;
    let above = lines[..first].iter().rev().map(|line| line.trim_start());
    let n_comments = above.take_while(|line| line.starts_with("//") && !line.starts_with("//!"));
    first - n_comments.count()..span.end().line
}

fn is(attribute: &Attribute, name: &str) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|it| it.ident == name)
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Fn(it) => &it.sig.ident,
        Item::Struct(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Const(it) => &it.ident,
        Item::Static(it) => &it.ident,
        Item::Mod(it) => &it.ident,
        Item::Impl(it) => match &*it.self_ty {
            syn::Type::Path(ty) => &ty.path.segments.last()?.ident,
            _ => return None,
        },
        _ => return None,
    };
    Some(name.to_string())
}

fn path_of(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|it| match &it.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Collects what an import brings in.
fn leaves(tree: &UseTree, before: String, found: &mut BTreeMap<String, String>) {
    match tree {
        UseTree::Path(it) => leaves(&it.tree, format!("{before}{}::", it.ident), found),
        UseTree::Group(it) => {
            let trees = it.items.iter();
            trees.for_each(|tree| leaves(tree, before.clone(), found));
        }
        UseTree::Name(it) if it.ident == "self" => {
            let path = before.trim_end_matches("::");
            let name = path.rsplit("::").next().unwrap_or(path);
            found.insert(name.to_owned(), path.to_owned());
        }
        UseTree::Name(it) => {
            found.insert(it.ident.to_string(), format!("{before}{}", it.ident));
        }
        UseTree::Rename(it) => {
            let path = format!("{before}{}", it.ident);
            let name = match it.rename == "_" {
                true => format!("{path} as _"),
                false => it.rename.to_string(),
            };
            found.insert(name, path);
        }
        UseTree::Glob(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standing::seal::sealed;

    const TEXT: &str = "//! Tests.\n\nuse a::{B, c::D};\nuse e::F as _;\n\n// Why.\n#[test]\nfn one() {\n    B::f();\n}\n\n#[test]\n#[ignore = \"fails\"]\nfn two() {}\n\n/// Ours.\nstruct Odd;\n\nimpl D for Odd {}\n\nmod inner {\n    #[test]\n    fn three() {}\n}\n";

    fn file(text: &str) -> StandingFile {
        let path = Path::new("tests/t.rs");
        StandingFile::parse("t", path, None, text.to_owned()).expect("it is Rust")
    }

    #[test]
    fn foreign_bytes_of_test_files_are_read_or_refused() {
        let cut = crate::standing::cut::is_cut;
        let with_seal = sealed(TEXT, &["#[test]\nfn two() {}"], Some("seed 0"));
        let samples = [TEXT, &with_seal, include_str!("text.rs")];
        let samples = samples.map(|it| it.as_bytes().to_vec());
        testsmith_noise::throw("test-files", &samples, |bytes| {
            let Some(text) = crate::standing::cut::text_of(bytes.to_vec()) else {
                return "no text".to_owned();
            };
            let path = Path::new("tests/t.rs");
            let is_cut = [cut(&text, false), cut(&text, true)];
            let declared = crate::standing::cut::declarations("t", path, &text);
            let read = StandingFile::parse("t", path, None, text.clone());
            let read = match &read {
                Ok(file) => {
                    let edits = file.tests.iter().map(|it| Edit {
                        lines: it.lines.clone(),
                        with: vec!["fn other() {}".to_owned()],
                    });
                    let edited = edited(&file.text, edits.collect());
                    drop(file.again(edited));
                    format!(
                        "{} {} {:?}",
                        file.tests.len(),
                        file.items.len(),
                        file.names()
                    )
                }
                Err(error) => testsmith_noise::plain(&error.message),
            };
            format!("{is_cut:?} {} {read}", declared.is_some())
        });
    }

    #[test]
    fn tests_imports_and_items_are_found() {
        let file = file(TEXT);
        let tests = file.tests.iter();
        let tests: Vec<_> = tests
            .map(|it| (&*it.name, it.lines.clone(), it.usual))
            .collect();
        assert_eq!(
            tests,
            [
                ("one", 5..10, Usual::Passes),
                ("two", 11..14, Usual::Ignored),
                ("inner::three", 21..23, Usual::Passes),
            ]
        );
        assert!(file.tests[0].text.starts_with("// Why.\n#[test]"));
        assert_eq!(file.imports["D"], "a::c::D");
        assert_eq!(file.imports["e::F as _"], "e::F");
        assert_eq!(file.items["Odd"].len(), 2);
        assert_eq!((file.after_head, file.after_imports), (1, 4));
    }

    #[test]
    fn an_edited_test_is_its_editors_and_the_others_are_not() {
        let text = file(TEXT);
        let sealed = sealed(TEXT, &text.pieces(), None);
        let edited = sealed.replace("B::f();", "B::g();");
        let authors: Vec<Author> = file(&edited).tests.iter().map(|it| it.author).collect();
        assert_eq!(
            authors,
            [Author::Person, Author::Testsmith, Author::Testsmith]
        );
    }

    #[test]
    fn a_test_goes_with_its_comment_and_the_line_behind() {
        let of = file(TEXT);
        let text = of.without(|i| i == 0);
        assert!(
            text.contains("use e::F as _;\n\n#[test]\n#[ignore"),
            "{text}"
        );
        assert!(!text.contains("Why"));
        // Whoever has other ends of lines keeps them.
        let of = file(&TEXT.replace('\n', "\r\n"));
        assert_eq!(of.without(|i| i == 0), text.replace('\n', "\r\n"));
    }

    #[test]
    fn what_is_no_rust_is_told_with_its_line() {
        let path = Path::new("t.rs");
        let error = StandingFile::parse("t", path, None, "fn a() {}\nfn b( {}\n".to_owned());
        assert_eq!(error.expect_err("it is broken").line, 2);
    }

    #[test]
    fn names_that_became_keywords_are_read() {
        let file =
            file("use old::async;\nuse old::{dyn, Try};\n\n#[test]\nfn a() {\n    async();\n}\n");
        assert_eq!(file.imports["async"], "old::async");
        assert_eq!(file.imports["dyn"], "old::dyn");
        assert_eq!(file.tests[0].text, "#[test]\nfn a() {\n    async();\n}");
    }

    #[test]
    fn lines_are_put_behind_one_that_does_not_end() {
        let edit = Edit {
            lines: 1..1,
            with: vec!["b".to_owned()],
        };
        assert_eq!(edited("a", vec![edit]), "a\nb\n");
    }
}
