//! Generates, for each type of a file, the code that writes out its values and builds them again,
//! private fields included.
//!
//! The code comes right after the type, where it may name every field.
//!
//! **State is read from inside.** Behind every struct and enum of the copy stands code that writes
//! its values out as a graph of bytes and builds them again (`instrument/snapshots.rs`,
//! `instrument/support/snapshot.rs`): only there private fields can be named. Specialisation
//! chooses when a generic parameter is known, so our wrapper lets this one crate use it; where the
//! compiler does not, generic parameters are opaque. What is shared has numbers in the order of
//! first visits, so equal graphs are equal bytes; pointers, unions and foreign types are opaque,
//! and the first byte says so. Raw pointers are never followed. The guest writes such states out
//! for whoever asks (`Batch::states`), and goes by them itself where a value has neither structure
//! nor `Debug` text to be known by; one that is not whole is never the same as another. A reference
//! has an identity only if what it leads to can change behind it (`Freeze`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use syn::punctuated::Punctuated;
use syn::{Attribute, Field, Generics, Token, Type, TypeParamBound};

use crate::cfg::Cfg;
use crate::files::SourceFile;
use crate::site::Splice;
use crate::types::{Constructor, Head, Met, Original, TypeItem, each, label, says};

/// A type whose values can be looked into.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Its path in the crate.
    pub(crate) name: String,
    /// Where it ends.
    pub(crate) end: usize,
    /// The code that is inserted there.
    pub(crate) code: String,
}

impl Definition {
    pub(crate) fn splice(&self) -> Splice<'_> {
        Splice {
            range: self.end..self.end,
            text: self.code.as_str().into(),
        }
    }
}

/// The types of one file, and how many others get no code, by reason.
#[derive(Default)]
pub(crate) struct Found {
    /// The types in the order of the file.
    pub(crate) definitions: Vec<Definition>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Finds the types of one file.
pub(crate) fn definitions(source: &SourceFile, cfg: &Cfg) -> Found {
    let mut found = Found::default();
    let text = &source.text;
    let original = Original { text, cfg };
    each(source, cfg, &mut |met| {
        let definition = match met {
            Met::Type(item) => definition(original, &item),
            Met::Inside(_) => Err("the state of a type inside a function"),
            Met::Union => Err("the state of a union"),
            Met::Macro => Err("the state of types that a macro may define"),
        };
        match definition {
            Ok(definition) => found.definitions.push(definition),
            Err(why) => *found.left_out.entry(why).or_default() += 1,
        }
    });
    found
}

fn definition(original: Original<'_>, item: &TypeItem<'_>) -> Result<Definition, &'static str> {
    if item.attributes.iter().any(says_packed) {
        return Err("the state of a packed type");
    }
    if item.has_conditional_places() {
        return Err("the state of a type with conditional fields that have no names");
    }
    let code = code(original, item);
    Ok(Definition {
        name: item.path(),
        end: item.end,
        code: code.ok_or("the state of a type that cannot be written on one line")?,
    })
}

/// The implementation, on one line.
fn code(original: Original<'_>, item: &TypeItem<'_>) -> Option<String> {
    let Head {
        parameters,
        ty,
        bounds,
    } = original.head(item)?;
    let on = original.conditions(item.attributes)?;
    let mut code =
        format!(" {on}impl{parameters} crate::__testsmith::Snapshot for {ty} {bounds} {{ ");
    code.push_str("fn snapshot(&self, __out: &mut crate::__testsmith::Out) { match *self { ");
    for (i, constructor) in item.constructors.iter().enumerate() {
        code.push_str(&written(original, i, constructor)?);
    }
    code.push_str("} } ");
    if is_sized(item) {
        code.push_str(
            "fn restore(__from: &mut crate::__testsmith::In<'_>) -> crate::__testsmith::Option<Self> { \
             let __made = match __from.begin()? { ",
        );
        for (i, constructor) in item.constructors.iter().enumerate() {
            code.push_str(&built(original, i, constructor)?);
        }
        code.push_str(
            "_ => return crate::__testsmith::Option::None }; __from.end()?; \
             crate::__testsmith::Option::Some(__made) } ",
        );
    }
    code.push('}');
    Some(code)
}

/// The arm that writes a constructor out.
fn written(original: Original<'_>, i: usize, constructor: &Constructor<'_>) -> Option<String> {
    let (mut bound, mut written) = (String::new(), String::new());
    for (j, field) in constructor.fields.iter().enumerate() {
        let on = original.conditions(&field.attrs)?;
        let label = label(j, field);
        let _ = write!(bound, "{on}{label}: ref __f{j}, ");
        let name = label.trim_start_matches("r#");
        let _ = write!(
            written,
            "{on}crate::__testsmith_field!(__out, {name:?}, __f{j}); "
        );
    }
    let Constructor { path, name, .. } = constructor;
    let on = original.conditions(constructor.attributes)?;
    Some(format!(
        "{on}{path} {{ {bound}}} => if __out.begin({i}, {name:?}) {{ {written}__out.end(); }} "
    ))
}

/// The arm that builds a constructor's value again.
fn built(original: Original<'_>, i: usize, constructor: &Constructor<'_>) -> Option<String> {
    let mut built = String::new();
    for (j, field) in constructor.fields.iter().enumerate() {
        let on = original.conditions(&field.attrs)?;
        let (label, ty) = (label(j, field), original.one_line(&field.ty)?);
        let _ = write!(
            built,
            "{on}{label}: crate::__testsmith_part!(__from, {ty})?, "
        );
    }
    let on = original.conditions(constructor.attributes)?;
    Some(format!("{on}{i} => {} {{ {built}}}, ", constructor.path))
}

/// Is the type packed? No reference to a field of a packed type is allowed.
fn says_packed(attribute: &Attribute) -> bool {
    says(attribute, "repr", "packed") || says(attribute, "cfg_attr", "packed")
}

/// Is the type sized, as far as its text shows?
fn is_sized(item: &TypeItem<'_>) -> bool {
    !asks_unsized(item.generics) && !item.fields().last().is_some_and(is_unsized)
}

/// May a generic parameter be unsized?
fn asks_unsized(generics: &Generics) -> bool {
    let is_asked = |bounds: &Punctuated<TypeParamBound, Token![+]>| {
        bounds
            .iter()
            .any(|bound| matches!(bound, TypeParamBound::Trait(it) if it.maybe.is_some()))
    };
    let in_parameters = generics.type_params().any(|it| is_asked(&it.bounds));
    let mut clauses = generics.where_clause.iter().flat_map(|it| &it.predicates);
    in_parameters
        || clauses.any(|it| matches!(it, syn::WherePredicate::Type(it) if is_asked(&it.bounds)))
}

/// Is the field unsized, as far as its text shows?
fn is_unsized(field: &Field) -> bool {
    match &field.ty {
        Type::Slice(_) | Type::TraitObject(_) => true,
        Type::Path(it) => it.path.is_ident("str"),
        _ => false,
    }
}
