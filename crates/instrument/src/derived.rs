//! Writes derived equality out: code that the compiler derives cannot be counted, so the copy gets
//! an `impl PartialEq` that does the same.
//!
//! The order in which fields are compared, and the bounds on generic parameters, are those of rustc
//! 1.95: scalars come first, as far as the text shows them. Patterns name all variants and all
//! fields, so that rustc refuses the code if an attribute turns the type into another one than the
//! source shows; such a type keeps its `derive`.
//!
//! **Derived equality is written out.** What `#[derive(PartialEq)]` does cannot be counted, but
//! which functions run when two values are compared says what equality looks at. So the copy has an
//! impl of ours instead (`instrument/derived.rs`), with rustc's bounds and rustc's order of fields,
//! and a region. The regions of such functions come after all others, traces and reports do without
//! them: nobody wrote that code. It takes `StructuralPartialEq`, since constants may be patterns;
//! so where everything is stable, and where rustc refuses ours, the type keeps its `derive`, with a
//! reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, GenericParam, Token, Type, UseTree};

use crate::cfg::Cfg;
use crate::files::SourceFile;
use crate::ids::RegionId;
use crate::region::Count;
use crate::site::Splice;
use crate::syntax::range;
use crate::types::{Constructor, Head, Met, Original, TypeItem, each, label, says};

/// A derived equality that can be written out.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    /// The type's path in the crate.
    pub(crate) name: String,
    /// The path of the function that is derived.
    pub(crate) function: String,
    /// The line of the `derive`, counted from 1.
    pub(crate) line: usize,
    /// The attribute that has the `derive`.
    attribute: Range<usize>,
    /// The attribute without `PartialEq`, with the same length and number of lines.
    others: String,
    /// Where the type ends.
    end: usize,
    /// The generated code up to the place where the function's entry is counted.
    before: String,
    /// The generated code after that place.
    after: String,
}

impl Derived {
    /// The changes to the text if the equality is written out.
    pub(crate) fn splices(&self, region: RegionId) -> [Splice<'_>; 2] {
        let counted = Count::Call.code(region, false);
        [
            Splice {
                range: self.attribute.clone(),
                text: self.others.as_str().into(),
            },
            Splice {
                range: self.end..self.end,
                text: format!("{}{counted}{}", self.before, self.after).into(),
            },
        ]
    }
}

/// The derived equalities of one file, and how many others the compiler derives, by reason.
#[derive(Default)]
pub(crate) struct Found {
    /// The equalities in the order of their types.
    pub(crate) derived: Vec<Derived>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Finds the derived equalities of one file.
pub(crate) fn equalities(source: &SourceFile, cfg: &Cfg) -> Found {
    let mut found = Found::default();
    let text = &source.text;
    let original = Original { text, cfg };
    let is_foreign = names_another(&source.syntax);
    each(source, cfg, &mut |met| {
        let (attributes, item) = match &met {
            Met::Type(item) => (item.attributes, Some(item)),
            Met::Inside(attributes) => (*attributes, None),
            Met::Union | Met::Macro => return,
        };
        let derived = match (request(attributes), item) {
            (Request::None, _) => return,
            (Request::Conditional, _) => Err("a derived equality under a condition"),
            (Request::Plain(_), _) if is_foreign => Err("a derived equality that may be foreign"),
            (Request::Plain(_), None) => Err("a derived equality inside a function"),
            (Request::Plain(word), Some(item)) => derived(original, item, word),
        };
        match derived {
            Ok(derived) => found.derived.push(derived),
            Err(why) => *found.left_out.entry(why).or_default() += 1,
        }
    });
    found
}

/// Whether a type derives equality.
enum Request {
    None,
    /// It depends on a condition.
    Conditional,
    Plain(Word),
}

/// The place of the word `PartialEq`.
struct Word {
    attribute: Range<usize>,
    /// The word in the list, with the comma after it.
    range: Range<usize>,
}

fn request(attributes: &[Attribute]) -> Request {
    let mut derives = attributes.iter().filter(|it| it.path().is_ident("derive"));
    match derives.find_map(word) {
        Some(word) => Request::Plain(word),
        None if attributes
            .iter()
            .any(|it| says(it, "cfg_attr", "PartialEq")) =>
        {
            Request::Conditional
        }
        None => Request::None,
    }
}

fn word(attribute: &Attribute) -> Option<Word> {
    let paths = Punctuated::<syn::Path, Token![,]>::parse_terminated;
    let list = attribute.parse_args_with(paths).ok()?;
    let pair = list.pairs().find(|it| is_equality(it.value()))?;
    let path = range(*pair.value());
    let end = pair.punct().map_or(path.end, |comma| range(*comma).end);
    Some(Word {
        attribute: range(attribute),
        range: path.start..end,
    })
}

/// Is it `PartialEq`, with or without its path?
fn is_equality(path: &syn::Path) -> bool {
    let segments = path.segments.iter().map(|it| it.ident.to_string());
    let segments: Vec<String> = segments.collect();
    let words: Vec<&str> = segments.iter().map(String::as_str).collect();
    matches!(
        words[..],
        ["PartialEq"] | ["std" | "core", "cmp", "PartialEq"]
    )
}

/// May `PartialEq` in this file stand for something else than the standard library's trait?
fn names_another(file: &syn::File) -> bool {
    #[derive(Default)]
    struct Names(bool);
    impl<'ast> Visit<'ast> for Names {
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            let is_standard = match &item.tree {
                UseTree::Path(it) => it.ident == "std" || it.ident == "core",
                _ => false,
            };
            if !is_standard {
                visit::visit_item_use(self, item);
            }
        }
        fn visit_use_name(&mut self, name: &'ast syn::UseName) {
            self.0 |= name.ident == "PartialEq";
        }
        fn visit_use_rename(&mut self, name: &'ast syn::UseRename) {
            self.0 |= name.rename == "PartialEq";
        }
    }
    let mut names = Names::default();
    names.visit_file(file);
    names.0
}

fn derived(
    original: Original<'_>,
    item: &TypeItem<'_>,
    word: Word,
) -> Result<Derived, &'static str> {
    if item.has_conditional_places() {
        return Err("the derived equality of a type with conditional fields that have no names");
    }
    if item
        .attributes
        .iter()
        .any(|it| says(it, "cfg_attr", "packed"))
    {
        return Err("the derived equality of a type that may be packed");
    }
    let printed = print(original, item);
    let (head, before, after) =
        printed.ok_or("the derived equality of a type that cannot be written on one line")?;
    let ty = head.ty.trim_end_matches("<>");
    Ok(Derived {
        name: item.path(),
        function: item.within_modules(&format!("<{ty} as PartialEq>::eq")),
        line: 1 + original.text[..word.range.start].matches('\n').count(),
        others: without(original.text, &word),
        attribute: word.attribute,
        end: item.end,
        before,
        after,
    })
}

/// The attribute with blanks in place of the word.
fn without(text: &str, word: &Word) -> String {
    let blanks = text[word.range.clone()].chars().map(|c| match c {
        '\n' => '\n',
        _ => ' ',
    });
    let before = text[word.attribute.start..word.range.start].chars();
    let after = text[word.range.end..word.attribute.end].chars();
    before.chain(blanks).chain(after).collect()
}

/// How the fields of a type are accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// As places.
    Struct,
    /// By references, as in rustc's code, because boxed trait objects need it.
    Enum,
    /// Copied out, because no reference to them is allowed.
    Packed,
}

/// The implementation on one line, as the code before and after the place where entry is counted,
/// and its head.
fn print(original: Original<'_>, item: &TypeItem<'_>) -> Option<(Head, String, String)> {
    let access = match item.is_enum {
        true => Access::Enum,
        false if item.attributes.iter().any(|it| says(it, "repr", "packed")) => Access::Packed,
        false => Access::Struct,
    };
    let head = original.head(item)?;
    let on = original.conditions(item.attributes)?;
    let Head {
        parameters,
        ty,
        bounds,
    } = &head;
    let asked = asked(original, item, access, bounds)?;
    let before = format!(
        " {on}#[automatically_derived] impl{parameters} crate::__testsmith::PartialEq for {ty} {asked} {{ \
         #[inline] fn eq(&self, __other: &Self) -> bool {{"
    );
    let arms = item.constructors.iter().map(|it| arm(original, it, access));
    let arms: String = arms.collect::<Option<_>>()?;
    // This impl lets constants of the type be patterns.
    let after = format!(
        " match *self {{ {arms}}} }} }} {on}#[automatically_derived] \
         impl{parameters} crate::__testsmith::StructuralPartialEq for {ty} {bounds} {{}}"
    );
    Some((head, before, after))
}

/// The arm that compares two values of one constructor.
fn arm(original: Original<'_>, constructor: &Constructor<'_>, access: Access) -> Option<String> {
    let (by, at) = match access {
        Access::Struct => ("ref ", "*"),
        Access::Enum => ("ref ", ""),
        Access::Packed => ("", ""),
    };
    let (mut left, mut right) = (String::new(), String::new());
    let (mut scalars, mut others) = (String::new(), String::new());
    for (i, field) in constructor.fields.iter().enumerate() {
        let on = original.conditions(&field.attrs)?;
        let label = label(i, field);
        let _ = write!(left, "{on}{label}: {by}__l{i}, ");
        let _ = write!(right, "{on}{label}: {by}__r{i}, ");
        let compared = match is_scalar(&field.ty) {
            true => &mut scalars,
            false => &mut others,
        };
        let _ = write!(
            compared,
            "{on}if !({at}__l{i} == {at}__r{i}) {{ return false; }} "
        );
    }
    let on = original.conditions(constructor.attributes)?;
    let path = &constructor.path;
    Some(format!(
        "{on}{path} {{ {left}}} => match *__other {{ {path} {{ {right}}} => {{ {scalars}{others}true }} _ => false }} "
    ))
}

/// Is the type written like one that rustc compares first?
fn is_scalar(ty: &Type) -> bool {
    const SCALARS: [&str; 16] = [
        "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "f16", "f32", "f64",
        "f128", "char", "bool",
    ];
    match ty {
        Type::Reference(it) => is_scalar(&it.elem),
        Type::Ptr(it) => is_scalar(&it.elem),
        Type::Tuple(it) => it.elems.is_empty(),
        Type::Path(it) if it.qself.is_none() => {
            let name = it.path.get_ident();
            name.is_some_and(|name| SCALARS.iter().any(|scalar| name == scalar))
        }
        _ => false,
    }
}

/// The bounds of the type itself, and those that the derive adds on its parameters and on the types
/// that fields take from them.
fn asked(
    original: Original<'_>,
    item: &TypeItem<'_>,
    access: Access,
    bounds: &str,
) -> Option<String> {
    let names = original.parameters(item).filter_map(|it| match it {
        GenericParam::Type(it) => Some(it.ident.to_string()),
        _ => None,
    });
    let mut parts = Parts {
        names: names.collect(),
        found: Vec::new(),
    };
    if parts.names.is_empty() {
        return Some(bounds.to_owned());
    }
    let fields = item.fields().filter(|it| original.cfg.allows(&it.attrs));
    fields.for_each(|field| parts.visit_type(&field.ty));
    let equal = match access {
        Access::Packed => "crate::__testsmith::PartialEq + crate::__testsmith::Copy",
        _ => "crate::__testsmith::PartialEq",
    };
    let mut asked = match bounds.trim_end() {
        "" => "where ".to_owned(),
        bounds if bounds.ends_with(',') || bounds == "where" => format!("{bounds} "),
        bounds => format!("{bounds}, "),
    };
    let texts = parts.found.into_iter().map(|ty| original.one_line(ty));
    let texts: BTreeSet<String> = texts.collect::<Option<_>>()?;
    for ty in parts.names.iter().chain(&texts) {
        let _ = write!(asked, "{ty}: {equal}, ");
    }
    Some(asked)
}

/// Collects types like `T::Item`.
struct Parts<'p> {
    /// The generic parameters.
    names: BTreeSet<String>,
    found: Vec<&'p Type>,
}

impl<'ast> Visit<'ast> for Parts<'ast> {
    fn visit_type(&mut self, ty: &'ast Type) {
        if let Type::Path(it) = ty
            && it.qself.is_none()
            && it.path.leading_colon.is_none()
            && it.path.segments.len() > 1
            && self.names.contains(&it.path.segments[0].ident.to_string())
        {
            self.found.push(ty);
        }
        visit::visit_type(self, ty);
    }
}
