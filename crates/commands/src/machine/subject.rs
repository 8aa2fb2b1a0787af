//! Finds the type that the picture is of: the name that the user wrote, the instance that is drawn,
//! and what can be done with its values.

use std::sync::Arc;

use testsmith_api::{Api, Form, KeyNames, OperationId, Origin, Pass, Shape, Ty, TypeIdx};
use testsmith_sequence::World;

use super::kinds::last;

/// The name of a type as the user wrote it: a path or the end of one, with arguments or without.
pub(super) struct Wanted {
    path: String,
    args: Option<String>,
}

/// Why no single type is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Unknown {
    /// No type has this name; these have similar names.
    None(Vec<String>),
    /// Several types have it.
    Several(Vec<String>),
}

impl Wanted {
    pub(super) fn parse(text: &str) -> Wanted {
        let text = text.trim().trim_start_matches("::");
        match text.split_once('<') {
            Some((path, args)) => Wanted {
                path: path.trim().trim_end_matches("::").to_owned(),
                args: Some(plain(args)),
            },
            None => Wanted {
                path: text.to_owned(),
                args: None,
            },
        }
    }

    /// The public path of the type.
    pub(super) fn path(&self, api: &Api) -> Result<Arc<str>, Unknown> {
        if let Some((path, _)) = api.adts.get_key_value(self.path.as_str()) {
            return Ok(path.clone());
        }
        let end = format!("::{}", self.path);
        let found: Vec<&Arc<str>> = api.adts.keys().filter(|it| it.ends_with(&end)).collect();
        match &found[..] {
            [path] => Ok((*path).clone()),
            [] => Err(Unknown::None(near(&self.path, api))),
            several => {
                let several = several.iter().map(|it| it.to_string());
                Err(Unknown::Several(several.collect()))
            }
        }
    }

    /// Is this an instance that the user means?
    fn is(&self, ty: &Ty) -> bool {
        let text = ty.render(&KeyNames);
        match (&self.args, text.split_once('<')) {
            (None, _) => true,
            (Some(wanted), Some((_, args))) => plain(args) == *wanted,
            (Some(_), None) => false,
        }
    }
}

/// Arguments without blanks and modules: `u8,4>`.
fn plain(args: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut chars = args.chars().filter(|c| !c.is_whitespace()).peekable();
    while let Some(c) = chars.next() {
        if c == ':' && chars.peek() == Some(&':') {
            chars.next();
            word.clear();
        } else if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            out.push_str(&word);
            word.clear();
            out.push(c);
        }
    }
    out + &word
}

/// Types with similar names; if there are none, the ten nearest.
fn near(wanted: &str, api: &Api) -> Vec<String> {
    let wanted = last(wanted).to_lowercase();
    let mut types: Vec<(usize, &Arc<str>)> = api
        .adts
        .keys()
        .map(|path| {
            let name = last(path).to_lowercase();
            let is_part = name.contains(&wanted) || wanted.contains(&name);
            (if is_part { 1 } else { distance(&wanted, &name) }, path)
        })
        .collect();
    types.sort();
    let is_near = |it: &&(usize, &Arc<str>)| it.0 <= 1 + wanted.len() / 3;
    let n_near = types.iter().filter(is_near).count();
    let n = if n_near == 0 { 10 } else { n_near.min(5) };
    types.iter().take(n).map(|it| it.1.to_string()).collect()
}

/// The Levenshtein distance: how many letters to change, add or remove.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let change = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

/// How a method takes its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meets {
    /// By `&mut self`.
    Changes,
    /// By `self`, and it gives a value of the type back.
    Replaces,
    /// By `&self`.
    Looks,
}

/// An operation on values of the type.
#[derive(Clone, Debug)]
pub(super) struct Method {
    pub(super) op: OperationId,
    /// Its name without a path; all instances of one function share it.
    pub(super) name: String,
    pub(super) meets: Meets,
    /// Is it a method of a trait of the standard library? Others are named first.
    pub(super) is_common: bool,
}

/// An instance of the type, and what can be done with it.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) ty: TypeIdx,
    /// Is it an enum?
    pub(super) is_enum: bool,
    pub(super) methods: Vec<Method>,
    /// Methods that do nothing but answer.
    pub(super) observers: Vec<(OperationId, String)>,
    /// Operations that make values of it without taking one.
    pub(super) constructors: Vec<OperationId>,
    /// Names of methods that take the value away.
    pub(super) ends: Vec<String>,
}

/// The instances of a type that the user means, the one with most methods first, and the names of
/// all instances.
pub(super) fn instances(world: &World, path: &str, wanted: &Wanted) -> (Vec<Subject>, Vec<String>) {
    let types = &world.catalogue.types;
    // Values of testsmith's own counting type show nothing that others do not show.
    let counted = world.catalogue.api.counted.as_ref();
    let is_counted =
        |ty: &Ty| ty.any(&mut |part| counted.is_some_and(|it| *part == it.0 || *part == it.1));
    let of_path = types.indices().filter(|ty| {
        let ty = &types.get(*ty).ty;
        matches!(ty, Ty::Adt { path: of, .. } if **of == *path) && !is_counted(ty)
    });
    let mut all: Vec<Subject> = of_path.map(|ty| subject(world, ty)).collect();
    all.retain(|it| !it.methods.is_empty() || !it.constructors.is_empty());
    all.sort_by_key(|it| std::cmp::Reverse((!it.constructors.is_empty(), it.methods.len())));
    let names = all.iter().map(|it| types.render(it.ty, &KeyNames));
    let names: Vec<String> = names.collect();
    all.retain(|it| wanted.is(&types.get(it.ty).ty));
    (all, names)
}

fn subject(world: &World, ty: TypeIdx) -> Subject {
    let is_enum = match &world.catalogue.types.get(ty).ty {
        Ty::Adt { path, .. } => {
            let adt = world.catalogue.api.adts.get(path);
            adt.is_some_and(|it| matches!(it.shape, Shape::Enum { .. }))
        }
        _ => false,
    };
    let mut subject = Subject {
        ty,
        is_enum,
        methods: Vec::new(),
        observers: Vec::new(),
        constructors: Vec::new(),
        ends: Vec::new(),
    };
    for (operation, id) in world.catalogue.operations.iter().zip(0..) {
        let Origin::Callable(callable) = operation.origin else {
            continue;
        };
        let op = OperationId(id);
        let inputs = &operation.signature.inputs;
        let output = operation.signature.output.ty;
        let is_derived = world.catalogue.api.callable(callable).derived;
        let (name, is_std_trait) = match &operation.form {
            Form::Inherent { name, .. } | Form::Variant { name, .. } => (&**name, false),
            Form::AssocConst { name, .. } => (&**name, false),
            Form::Trait { name, trait_, .. } => (&**name, trait_.path.starts_with("std::")),
            Form::Function { path, .. } | Form::Const { path } => (last(path), false),
            Form::StructLiteral {
                self_ty: Ty::Adt { path, .. },
                ..
            } => (last(path), false),
            Form::Field { name } => (&**name, false),
            _ => continue,
        };
        let is_about = inputs.first().is_some_and(|it| it.ty.ty == ty);
        if !is_about {
            let is_constructor = output == ty
                && !inputs.iter().any(|it| it.ty.ty == ty)
                && !matches!(operation.form, Form::Field { .. });
            if is_constructor {
                subject.constructors.push(op);
            }
            continue;
        }
        let meets = match inputs[0].pass {
            Pass::Mut(_) => Meets::Changes,
            Pass::Value if output == ty => Meets::Replaces,
            Pass::Value => {
                subject.ends.push(name.to_owned());
                continue;
            }
            // Methods that most types have (`eq`, `fmt`, `index`) say nothing about states.
            Pass::Shared(_) if is_std_trait || is_derived => continue,
            Pass::Shared(_) => Meets::Looks,
        };
        if meets == Meets::Looks && inputs.len() == 1 && output != ty {
            let text = match operation.form {
                Form::Field { .. } => name.to_owned(),
                _ => format!("{name}()"),
            };
            subject.observers.push((op, text));
        }
        // Assignment would lead from any state to any other.
        let is_assignment = is_std_trait && name == "clone_from";
        if !matches!(operation.form, Form::Field { .. }) && !is_derived && !is_assignment {
            subject.methods.push(Method {
                op,
                name: name.to_owned(),
                meets,
                is_common: is_std_trait,
            });
        }
    }
    subject.ends.sort();
    subject.ends.dedup();
    subject
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_compared_without_blanks_and_modules() {
        assert_eq!(plain("std::vec::Vec<u8>, 4>"), "Vec<u8>,4>");
        assert_eq!(plain("&str, my::K>"), plain("&str,K>"));
    }

    #[test]
    fn a_slip_of_the_pen_is_near() {
        assert_eq!(distance("stak", "stack"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
