//! The `use` lines of a test file: short names for what is printed, and nothing else.
//!
//! The first path with a given last segment gets the short name; a second one is written in full.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{Names, Region, STAND_INS, identifier, last_segment, written_path};

/// Names that are in scope everywhere, by edition.
const PRELUDE: &[(&str, &str)] = &[
    ("Option", "std::option::Option"),
    ("Some", "std::option::Option::Some"),
    ("None", "std::option::Option::None"),
    ("Result", "std::result::Result"),
    ("Ok", "std::result::Result::Ok"),
    ("Err", "std::result::Result::Err"),
    ("Vec", "std::vec::Vec"),
    ("String", "std::string::String"),
    ("ToString", "std::string::ToString"),
    ("Box", "std::boxed::Box"),
    ("ToOwned", "std::borrow::ToOwned"),
    ("Clone", "std::clone::Clone"),
    ("Copy", "std::marker::Copy"),
    ("Send", "std::marker::Send"),
    ("Sized", "std::marker::Sized"),
    ("Sync", "std::marker::Sync"),
    ("Unpin", "std::marker::Unpin"),
    ("Drop", "std::ops::Drop"),
    ("Fn", "std::ops::Fn"),
    ("FnMut", "std::ops::FnMut"),
    ("FnOnce", "std::ops::FnOnce"),
    ("drop", "std::mem::drop"),
    ("PartialEq", "std::cmp::PartialEq"),
    ("PartialOrd", "std::cmp::PartialOrd"),
    ("Eq", "std::cmp::Eq"),
    ("Ord", "std::cmp::Ord"),
    ("AsRef", "std::convert::AsRef"),
    ("AsMut", "std::convert::AsMut"),
    ("Into", "std::convert::Into"),
    ("From", "std::convert::From"),
    ("Default", "std::default::Default"),
    ("Iterator", "std::iter::Iterator"),
    ("Extend", "std::iter::Extend"),
    ("IntoIterator", "std::iter::IntoIterator"),
    ("DoubleEndedIterator", "std::iter::DoubleEndedIterator"),
    ("ExactSizeIterator", "std::iter::ExactSizeIterator"),
];

/// Names that are in scope since edition 2024.
const PRELUDE_2024: &[(&str, &str)] = &[
    ("Future", "std::future::Future"),
    ("IntoFuture", "std::future::IntoFuture"),
];

/// Names that are in scope since edition 2021.
const PRELUDE_2021: &[(&str, &str)] = &[
    ("TryFrom", "std::convert::TryFrom"),
    ("TryInto", "std::convert::TryInto"),
    ("FromIterator", "std::iter::FromIterator"),
];

/// Collects the names that the printed code mentions.
#[derive(Debug)]
pub(crate) struct Imports {
    edition: u16,
    /// Paths that no `use` brings into scope: a deprecated item would warn there.
    in_full: BTreeSet<String>,
    /// A module that is declared at the root of the test binary, if this file is another one.
    at_root: Option<String>,
    named: RefCell<BTreeMap<String, String>>,
    /// Traits that are needed only for their methods, and whose names are taken by other items.
    unnamed: RefCell<BTreeSet<String>>,
}

impl Imports {
    pub(crate) fn new(edition: u16, in_full: BTreeSet<String>, at_root: Option<String>) -> Imports {
        Imports {
            edition,
            in_full,
            at_root,
            named: RefCell::default(),
            unnamed: RefCell::default(),
        }
    }

    /// Takes names for these paths, which the file imports already.
    pub(crate) fn begin_with(&self, imports: &BTreeMap<String, String>) {
        let within = self.at_root.as_ref().map(|_| "crate::");
        let own = imports.iter().map(|(name, path)| {
            let path = within.and_then(|it| path.strip_prefix(it)).unwrap_or(path);
            (name.replace("r#", ""), path.replace("r#", ""))
        });
        self.named.borrow_mut().extend(own);
    }

    /// Imports that are not printed. They serve to find out whether something can be written at
    /// all.
    pub(crate) fn scratch() -> Imports {
        Imports::new(2021, BTreeSet::new(), None)
    }

    /// Does a message of an assertion name its arguments inside, as `"{x:?}"`?
    pub(crate) fn has_inline_arguments(&self) -> bool {
        self.edition >= 2021
    }

    /// An item's name as the edition writes it.
    pub(crate) fn identifier(&self, name: &str) -> String {
        identifier(name, self.edition).into_owned()
    }

    /// A path in full as the edition writes it.
    fn written(&self, path: &str) -> String {
        self.seen_here(written_path(path, self.edition))
    }

    /// A full path as it must begin in this file.
    pub(crate) fn seen_here(&self, path: String) -> String {
        let first = path.split("::").next();
        match self.at_root.is_some() && first == self.at_root.as_deref() {
            true => format!("crate::{path}"),
            false => path,
        }
    }

    fn prelude(&self, short: &str) -> Option<&'static str> {
        let later: &[_] = if self.edition >= 2021 {
            PRELUDE_2021
        } else {
            &[]
        };
        let latest: &[_] = if self.edition >= 2024 {
            PRELUDE_2024
        } else {
            &[]
        };
        PRELUDE
            .iter()
            .chain(later)
            .chain(latest)
            .find(|(name, _)| *name == short)
            .map(|(_, path)| *path)
    }

    /// Must the path be written in full, because a `use` of it would warn?
    pub(crate) fn is_in_full(&self, path: &str) -> bool {
        self.in_full.contains(path)
    }

    /// Brings a trait into scope for its methods.
    pub(crate) fn methods_of(&self, path: &str) {
        let path = on_std(path);
        let short = last_segment(&path);
        if self.prelude(short) == Some(&*path) {
            return;
        }
        let mut named = self.named.borrow_mut();
        let taken =
            self.prelude(short).is_some() || named.get(short).is_some_and(|other| *other != path);
        if taken {
            self.unnamed.borrow_mut().insert(path);
        } else {
            named.insert(short.to_owned(), path);
        }
    }

    /// The stand-ins that the code names, which the file must define.
    pub(crate) fn stand_ins(&self) -> Vec<String> {
        let named = self.named.borrow();
        let paths = named.values().filter_map(|path| path.split_once("::"));
        let ours = paths.filter(|(krate, _)| *krate == STAND_INS);
        ours.map(|(_, name)| name.to_owned()).collect()
    }

    /// The `use` lines: the standard library's group, then the others.
    pub(crate) fn lines(&self) -> String {
        let named = self.named.borrow();
        let mut groups: [BTreeMap<String, BTreeSet<String>>; 2] = Default::default();
        let unnamed = self.unnamed.borrow();
        let anonymous = unnamed.iter().map(|path| (path, " as _"));
        for (path, suffix) in named.values().map(|path| (path, "")).chain(anonymous) {
            let Some((module, name)) = path.rsplit_once("::") else {
                continue;
            };
            if module == STAND_INS {
                continue;
            }
            let is_std = module == "std" || module.starts_with("std::");
            groups[usize::from(!is_std)]
                .entry(self.written(module))
                .or_default()
                .insert(format!("{}{suffix}", self.identifier(name)));
        }
        let mut out = String::new();
        for group in groups {
            if !out.is_empty() && !group.is_empty() {
                out.push('\n');
            }
            for (module, names) in group {
                let names: Vec<_> = names.into_iter().collect();
                match &names[..] {
                    [only] => out.push_str(&format!("use {module}::{only};\n")),
                    _ => out.push_str(&format!("use {module}::{{{}}};\n", names.join(", "))),
                }
            }
        }
        out
    }
}

impl Names for Imports {
    fn path(&self, path: &str) -> String {
        let path = on_std(path);
        let short = last_segment(&path);
        if !path.contains("::") || self.prelude(short) == Some(&*path) {
            return short.to_owned();
        }
        if self.prelude(short).is_some() || self.in_full.contains(&path) {
            return self.written(&path);
        }
        let mut named = self.named.borrow_mut();
        match named.get(short) {
            Some(other) if *other != path => self.written(&path),
            Some(_) => self.identifier(short),
            None => {
                named.insert(short.to_owned(), path.clone());
                self.identifier(short)
            }
        }
    }

    fn lasting(&self) -> Option<String> {
        Some("'static".to_owned())
    }

    fn region(&self, _: Region) -> Option<String> {
        None
    }
}

/// Replaces `core` and `alloc` in a path by `std`, which tests link.
pub(crate) fn on_std(path: &str) -> String {
    let path = path.trim_start_matches("::");
    match path.split_once("::") {
        Some(("core" | "alloc", rest)) => format!("std::{rest}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_taken_name_is_written_in_full() {
        let imports = Imports::new(2021, BTreeSet::new(), None);
        assert_eq!(imports.path("std::fmt::Error"), "Error");
        assert_eq!(imports.path("krate::Error"), "krate::Error");
        assert_eq!(imports.path("krate::Version"), "Version");
        assert_eq!(imports.path("krate::Op"), "Op");
        assert_eq!(imports.path("krate::Vec"), "krate::Vec");
        assert_eq!(imports.path("alloc::vec::Vec"), "Vec");
        imports.methods_of("krate::sub::Error");
        imports.methods_of("std::iter::Iterator");
        imports.methods_of("std::str::FromStr");
        expect![[r"
            use std::fmt::Error;
            use std::str::FromStr;

            use krate::{Op, Version};
            use krate::sub::Error as _;
        "]]
        .assert_eq(&imports.lines());
    }

    #[test]
    fn what_a_file_has_keeps_its_name() {
        let imports = Imports::new(2021, BTreeSet::new(), None);
        let before = [("Error", "krate::Error"), ("Odd", "Odd")];
        let before = before.map(|(name, path)| (name.to_owned(), path.to_owned()));
        imports.begin_with(&before.into());
        assert_eq!(imports.path("std::fmt::Error"), "std::fmt::Error");
        assert_eq!(imports.path("krate::Error"), "Error");
        assert_eq!(imports.path("krate::Odd"), "krate::Odd");
        assert_eq!(imports.lines(), "use krate::Error;\n");
    }

    #[test]
    fn names_are_used_and_written_as_the_edition_has_them() {
        let lines = |edition| {
            let imports = Imports::new(edition, BTreeSet::new(), None);
            for path in ["krate::gen", "krate::match::try"] {
                imports.path(path);
            }
            for path in ["std::convert::TryFrom", "std::iter::FromIterator"] {
                imports.methods_of(path);
            }
            imports.methods_of("std::future::IntoFuture");
            imports.lines()
        };
        expect![[r"
            use std::convert::TryFrom;
            use std::future::IntoFuture;
            use std::iter::FromIterator;

            use krate::gen;
            use krate::r#match::r#try;
        "]]
        .assert_eq(&lines(2018));
        expect![[r"
            use std::future::IntoFuture;

            use krate::gen;
            use krate::r#match::r#try;
        "]]
        .assert_eq(&lines(2021));
        expect![[r"
            use krate::r#gen;
            use krate::r#match::r#try;
        "]]
        .assert_eq(&lines(2024));
    }

    #[test]
    fn makers_are_at_the_root_of_a_module() {
        let imports = Imports::new(2021, BTreeSet::new(), Some("makers".to_owned()));
        assert_eq!(imports.path("makers::Pair"), "Pair");
        assert_eq!(imports.path("krate::sample"), "sample");
        assert_eq!(imports.path("makers::sample"), "crate::makers::sample");
        expect![[r"
            use crate::makers::Pair;
            use krate::sample;
        "]]
        .assert_eq(&imports.lines());
    }
}
