//! One file of the suite that is there: its tests, what it imports, and what else it defines.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::{Attribute, Item, UseTree};

use super::seal::{self, Seal};

/// Who wrote a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Author {
    /// Testsmith did, and nobody edited it since.
    Testsmith,
    /// A person did, or edited it.
    Person,
}

/// How a test ends if nothing changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usual {
    /// It passes.
    Passes,
    /// It is ignored: it shows a failure.
    Ignored,
}

/// A test that is there.
#[derive(Clone, Debug)]
pub struct StandingTest {
    /// The function's name.
    pub name: String,
    /// Its lines, counted from 0, with attributes and the comments right above.
    pub(crate) lines: Range<usize>,
    /// Those lines.
    pub text: String,
    /// Who wrote it.
    pub author: Author,
    /// How it ends.
    pub usual: Usual,
}

/// A file of the suite that is there.
#[derive(Clone, Debug)]
pub struct StandingFile {
    /// Where it is.
    pub path: PathBuf,
    /// The module that it is, for files that the root declares.
    pub module: Option<String>,
    /// Its text.
    pub text: String,
    /// Its tests, in order.
    pub tests: Vec<StandingTest>,
    /// What it imports: full paths by the names that they have here. A trait that is imported without
    /// a name has its path as its name.
    pub(crate) imports: BTreeMap<String, String>,
    /// Other items that it defines, by name, with their text.
    pub(crate) items: BTreeMap<String, Vec<String>>,
    /// Modules that it declares, with the paths of their files.
    pub(crate) modules: Vec<(String, PathBuf)>,
    pub(crate) seal: Seal,
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

impl StandingFile {
    /// Reads a file of tests.
    pub(crate) fn parse(
        path: &Path,
        module: Option<&str>,
        text: String,
    ) -> Result<StandingFile, NoRust> {
        let parsed = syn::parse_file(&text).map_err(|error| NoRust {
            line: error.span().start().line,
            message: error.to_string(),
        })?;
        let lines: Vec<&str> = text.lines().collect();
        let head = parsed.attrs.last().map_or(0, |it| it.span().end().line);
        let mut file = StandingFile {
            path: path.to_owned(),
            module: module.map(str::to_owned),
            tests: Vec::new(),
            imports: BTreeMap::new(),
            items: BTreeMap::new(),
            modules: Vec::new(),
            seal: Seal::of(&text),
            after_imports: head,
            text: String::new(),
        };
        for item in &parsed.items {
            file.add(item, &lines);
        }
        file.text = text;
        Ok(file)
    }

    fn add(&mut self, item: &Item, lines: &[&str]) {
        match item {
            Item::Fn(it) if it.attrs.iter().any(|it| is(it, "test")) => {
                let lines_of = place(item.span(), lines);
                let text = lines[lines_of.clone()].join("\n");
                let is_ignored = it.attrs.iter().any(|it| is(it, "ignore"));
                self.tests.push(StandingTest {
                    name: it.sig.ident.to_string(),
                    author: match self.seal.has(&text) {
                        true => Author::Testsmith,
                        false => Author::Person,
                    },
                    usual: match is_ignored {
                        true => Usual::Ignored,
                        false => Usual::Passes,
                    },
                    lines: lines_of,
                    text,
                });
            }
            Item::Use(it) => {
                leaves(&it.tree, String::new(), &mut self.imports);
                self.after_imports = self.after_imports.max(it.span().end().line);
            }
            Item::Mod(it) if it.content.is_none() => {
                if let Some(path) = path_of(&it.attrs) {
                    let beside = self.path.parent().unwrap_or(Path::new(""));
                    self.modules.push((it.ident.to_string(), beside.join(path)));
                }
            }
            item => {
                if let Some(name) = name_of(item)
                    && !matches!(item, Item::Mod(_))
                {
                    let text = lines[place(item.span(), lines)].join("\n");
                    self.items.entry(name).or_default().push(text);
                }
            }
        }
    }

    /// The test's name as `cargo test -- --exact` takes it.
    pub fn full_name(&self, test: &StandingTest) -> String {
        match &self.module {
            Some(module) => format!("{module}::{}", test.name),
            None => test.name.clone(),
        }
    }

    /// Did testsmith write all that is no test, and does the file declare no other one?
    pub(crate) fn has_items_of_ours_alone(&self) -> bool {
        let mut items = self.items.values().flatten();
        items.all(|item| self.seal.has(item)) && self.modules.is_empty()
    }

    /// Names that something new in the file must not have.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let tests = self.tests.iter().map(|it| it.name.clone());
        tests.chain(self.items.keys().cloned()).collect()
    }

    /// The text without the lines of some tests: they are empty, so that all other lines keep their
    /// numbers.
    pub(crate) fn blanked(&self, is_out: impl Fn(usize) -> bool) -> String {
        let mut lines: Vec<&str> = self.text.lines().collect();
        for (_, test) in self.tests.iter().enumerate().filter(|(i, _)| is_out(*i)) {
            lines[test.lines.clone()].fill("");
        }
        lines.join("\n") + "\n"
    }

    /// The text without some tests, and without the empty lines that parted them from others.
    pub(crate) fn without(&self, is_out: impl Fn(usize) -> bool) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut out = vec![false; lines.len()];
        for (_, test) in self.tests.iter().enumerate().filter(|(i, _)| is_out(*i)) {
            out[test.lines.clone()].fill(true);
            let behind = lines[test.lines.end..].iter();
            let n_empty = behind.take_while(|line| line.trim().is_empty()).count();
            out[test.lines.end..test.lines.end + n_empty].fill(true);
        }
        let kept = lines.iter().zip(out).filter(|(_, out)| !out);
        kept.map(|(line, _)| format!("{line}\n")).collect()
    }

    /// The text with a seal that fits it: `added` are the pieces that testsmith has just written.
    pub(crate) fn sealed(&self, text: &str, added: &[&str]) -> String {
        let mut seal = self.seal.clone();
        added.iter().for_each(|piece| seal.add(piece));
        let body = text[..seal::place(text).start].trim_end();
        let own = self.tests.iter().map(|it| &it.text);
        let own = own.chain(self.items.values().flatten()).map(|it| &**it);
        let pieces = own.chain(added.iter().copied());
        let lines = seal.lines(pieces.filter(|piece| body.contains(piece)));
        format!("{body}\n\n{lines}").trim_end().to_owned() + "\n"
    }
}

/// The lines of an item, counted from 0, with its attributes and the comments right above.
fn place(span: proc_macro2::Span, lines: &[&str]) -> Range<usize> {
    let first = span.start().line - 1;
    let above = lines[..first].iter().rev();
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

    const TEXT: &str = "//! Tests.\n\nuse a::{B, c::D};\nuse e::F as _;\n\n// Why.\n#[test]\nfn one() {\n    B::f();\n}\n\n#[test]\n#[ignore = \"fails\"]\nfn two() {}\n\n/// Ours.\nstruct Odd;\n\nimpl D for Odd {}\n";

    fn file(text: &str) -> StandingFile {
        let path = Path::new("tests/t.rs");
        StandingFile::parse(path, None, text.to_owned()).expect("it is Rust")
    }

    #[test]
    fn tests_imports_and_items_are_found() {
        let file = file(TEXT);
        let tests: Vec<_> = file.tests.iter().map(|it| (&*it.name, it.lines.clone(), it.usual));
        let tests: Vec<_> = tests.collect();
        assert_eq!(tests, [("one", 5..10, Usual::Passes), ("two", 11..14, Usual::Ignored)]);
        assert!(file.tests[0].text.starts_with("// Why.\n#[test]"));
        assert_eq!(file.imports["D"], "a::c::D");
        assert_eq!(file.imports["e::F as _"], "e::F");
        assert_eq!(file.items["Odd"].len(), 2);
        assert_eq!(file.after_imports, 4);
    }

    #[test]
    fn an_edited_test_is_its_editors_and_the_others_are_not() {
        let text = file(TEXT);
        let pieces: Vec<&str> = text.tests.iter().map(|it| &*it.text).collect();
        let sealed = text.sealed(TEXT, &pieces);
        let edited = sealed.replace("B::f();", "B::g();");
        let authors: Vec<Author> = file(&edited).tests.iter().map(|it| it.author).collect();
        assert_eq!(authors, [Author::Person, Author::Testsmith]);
        let again = file(&edited).sealed(&edited, &[]);
        let authors: Vec<Author> = file(&again).tests.iter().map(|it| it.author).collect();
        assert_eq!(authors, [Author::Person, Author::Testsmith]);
    }

    #[test]
    fn a_test_goes_with_its_comment_and_the_line_behind() {
        let file = file(TEXT);
        let text = file.without(|i| i == 0);
        assert!(text.contains("use e::F as _;\n\n#[test]\n#[ignore"), "{text}");
        assert!(!text.contains("Why"));
        assert_eq!(file.blanked(|i| i == 0).lines().count(), TEXT.lines().count());
    }

    #[test]
    fn what_is_no_rust_is_told_with_its_line() {
        let path = Path::new("t.rs");
        let error = StandingFile::parse(path, None, "fn a() {}\nfn b( {}\n".to_owned());
        assert_eq!(error.expect_err("it is broken").line, 2);
    }
}
