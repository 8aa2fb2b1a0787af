//! What the methods of a stand-in do: give what its fields hold, or note what they are given.
//!
//! What is taken from a stand-in that is borrowed mutably is gone: a method that gave the same
//! for ever would make a loop of whoever reads until the end.

use std::sync::Arc;

use super::signature::identifier;
use crate::api::Api;
use crate::callable::{Bound, Field};
use crate::instantiate::{is_literal, satisfies};
use crate::traits::Method;
use crate::ty::{GenericArg, Prim, Region, TraitRef, Ty};

/// How a method can get at the fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    None,
    Shared,
    Exclusive,
    Owned,
}

/// The body of a method in the making.
pub(super) struct Body<'a> {
    pub(super) api: &'a Api,
    pub(super) method: &'a Method,
    /// The traits that the stand-in implements, by path.
    pub(super) own: &'a [Arc<str>],
    /// What every field must implement, because it is to be derived.
    pub(super) derived: &'a [&'a str],
    /// Its fields so far.
    pub(super) fields: &'a mut Vec<Field>,
    /// Parameters that are used, by position.
    pub(super) uses: Vec<usize>,
}

/// Stands for a value of the stand-in whose fields have their defaults.
pub(super) const DEFAULT_SELF: &str = "{SELF}";

fn is_self(ty: &Ty) -> bool {
    matches!(ty, Ty::Param(name) if &**name == "Self")
}

/// The path and the types of an ADT without lifetimes.
fn parts(ty: &Ty) -> Option<(&str, Vec<&Ty>)> {
    let Ty::Adt { path, args } = ty else {
        return None;
    };
    let types = args.iter().filter_map(|arg| match arg {
        GenericArg::Type(ty) => Some(ty),
        _ => None,
    });
    Some((path, types.collect()))
}

/// Does the type itself, and all it is made of, implement a trait of the standard library?
pub(super) fn holds(api: &Api, ty: &Ty, path: &str) -> bool {
    let trait_ = TraitRef {
        path: path.into(),
        args: Vec::new(),
        assoc: Vec::new(),
    };
    let all = |tys: Vec<&Ty>| tys.into_iter().all(|ty| holds(api, ty, path));
    match ty {
        Ty::Tuple(parts) => all(parts.iter().collect()),
        Ty::Array(of, _) => holds(api, of, path),
        _ => match parts(ty) {
            Some(("std::vec::Vec", of)) => trait_.name() != "Copy" && all(of),
            Some(("std::boxed::Box", of)) => trait_.name() != "Copy" && all(of),
            Some(("std::option::Option" | "std::result::Result", of)) => {
                let is_data = trait_.name() != "Default" || ty.children().len() == 1;
                is_data && all(of)
            }
            Some(("std::time::Duration" | "std::cmp::Ordering", _)) => {
                trait_.name() != "Default" || ty == &Ty::adt("std::time::Duration", [])
            }
            Some(("std::path::PathBuf", _)) => trait_.name() != "Copy",
            _ => satisfies(api, ty, &trait_) == Some(true),
        },
    }
}

/// Can a field hold it, and give it again and again?
fn is_data(api: &Api, ty: &Ty) -> bool {
    let mut is_open = false;
    ty.map(&mut |_| None, &mut |region| {
        is_open = true;
        region
    });
    let is_param = ty.any(&mut |node| matches!(node, Ty::Param(_) | Ty::Assoc { .. }));
    if is_open || is_param || ty.is_unit() {
        return false;
    }
    is_literal(ty)
        || match ty {
            Ty::Tuple(parts) => parts.iter().all(|part| is_data(api, part)),
            _ => match parts(ty) {
                Some((
                    "std::option::Option"
                    | "std::result::Result"
                    | "std::vec::Vec"
                    | "std::boxed::Box",
                    of,
                )) => of.into_iter().all(|ty| is_data(api, ty) || ty.is_unit()),
                Some(("std::time::Duration" | "std::cmp::Ordering" | "std::path::PathBuf", _)) => {
                    true
                }
                Some((path, _)) => {
                    let own = api.adts.get(path);
                    own.is_some_and(|adt| adt.sized) && holds(api, ty, "std::clone::Clone")
                }
                None => false,
            },
        }
}

impl Body<'_> {
    /// Can a field hold it, whatever is to be derived?
    fn is_held(&self, ty: &Ty) -> bool {
        let mut derived = self.derived.iter();
        is_data(self.api, ty) && derived.all(|path| holds(self.api, ty, path))
    }

    fn access(&self) -> Access {
        match self.method.receiver() {
            None => Access::None,
            Some(ty) if is_self(ty) => Access::Owned,
            Some(Ty::Ref { mutable: true, .. }) => Access::Exclusive,
            Some(_) if self.is_pinned() => Access::Exclusive,
            Some(ty) => match parts(ty) {
                Some(("std::boxed::Box", _)) => Access::Owned,
                _ => Access::Shared,
            },
        }
    }

    /// Is the receiver `Pin<&mut Self>`?
    fn is_pinned(&self) -> bool {
        let pinned = self.method.receiver().and_then(parts);
        matches!(pinned, Some(("std::pin::Pin", of))
            if matches!(of.as_slice(), [Ty::Ref { mutable: true, .. }]))
    }

    /// A field of this type; its name, unless another method has it.
    fn field(&mut self, ty: Ty) -> String {
        let wanted = &*self.method.name;
        let is_taken = |name: &str| self.fields.iter().any(|it| &*it.name == name);
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        let name = names.find(|name| !is_taken(name)).unwrap_or_default();
        self.fields.push(Field {
            name: name.as_str().into(),
            ty,
        });
        identifier(&name).into_owned()
    }

    fn used(&mut self, i: usize) -> String {
        self.uses.push(i);
        identifier(&self.method.inputs[i].name).into_owned()
    }

    /// The whole body, if one can be written.
    pub(super) fn write(&mut self) -> Option<String> {
        let output = self.method.output.clone();
        let text = match output.is_unit() {
            true => Some(self.note()),
            false => self.value(&output),
        };
        match self.is_pinned() {
            true => text.map(|it| {
                format!(
                    "let this = self.get_mut(); {}",
                    it.replace("self.", "this.")
                )
            }),
            false => text,
        }
    }

    /// Nothing is asked for: what was given is kept, or how often.
    fn note(&mut self) -> String {
        if self.access() != Access::Exclusive {
            return String::new();
        }
        if let [_, given] = self.method.inputs.as_slice() {
            let (ty, take) = match &given.ty {
                Ty::Ref {
                    mutable: false, to, ..
                } => match &**to {
                    Ty::Str => (Ty::adt("std::string::String", []), ".to_owned()"),
                    Ty::Slice(of) => (Ty::adt("std::vec::Vec", [(**of).clone()]), ".to_vec()"),
                    to => (to.clone(), ".clone()"),
                },
                ty => (ty.clone(), ""),
            };
            if self.is_held(&ty) {
                let field = self.field(Ty::adt("std::vec::Vec", [ty]));
                let given = self.used(1);
                return format!("self.{field}.push({given}{take});");
            }
        }
        let field = self.field(Ty::Prim(Prim::U32));
        format!("self.{field} = self.{field}.wrapping_add(1);")
    }

    /// An expression of this type.
    fn value(&mut self, ty: &Ty) -> Option<String> {
        let access = self.access();
        if is_self(ty) {
            return Some(match access {
                Access::None => DEFAULT_SELF.to_owned(),
                Access::Shared | Access::Exclusive => "self.clone()".to_owned(),
                Access::Owned => "self".to_owned(),
            });
        }
        if self.is_held(ty) && access != Access::None {
            return Some(self.given_by_field(ty, access));
        }
        if let Ty::Ref {
            region,
            mutable,
            to,
        } = ty
            && let Some(found) = self.reference(*region, *mutable, to)
        {
            return Some(found);
        }
        if let Some(i) = (1..self.method.inputs.len())
            .chain((access == Access::None).then_some(0))
            .find(|i| {
                let param = self.method.inputs.get(*i);
                param.is_some_and(|param| param.ty == *ty)
            })
        {
            return Some(self.used(i));
        }
        if access == Access::None
            && let Some(constant) = constant(ty)
        {
            return Some(constant);
        }
        self.composed(ty).or_else(|| constant(ty))
    }

    fn given_by_field(&mut self, ty: &Ty, access: Access) -> String {
        if access == Access::Exclusive
            && let Some(("std::option::Option", of)) = parts(ty)
        {
            let items = Ty::adt("std::vec::Vec", [of[0].clone()]);
            let field = self.field(items);
            return format!(
                "if self.{field}.is_empty() {{ None }} else {{ Some(self.{field}.remove(0)) }}"
            );
        }
        if access == Access::Exclusive
            && let Some(("std::result::Result", of)) = parts(ty)
            && matches!(parts(of[0]), Some(("std::option::Option", _)))
        {
            let inner = self.given_by_field(of[0], access);
            return format!("Ok({inner})");
        }
        let field = self.field(ty.clone());
        match access {
            Access::Exclusive if is_literal(ty) => format!("::std::mem::take(&mut self.{field})"),
            Access::Owned => format!("self.{field}"),
            _ if matches!(ty, Ty::Prim(_)) => format!("self.{field}"),
            _ => format!("self.{field}.clone()"),
        }
    }

    fn reference(&mut self, region: Region, mutable: bool, to: &Ty) -> Option<String> {
        if region == Region::Static && !mutable {
            return match to {
                Ty::Str => Some("\"sample\"".to_owned()),
                Ty::Slice(of) => Some(format!("&[{}]", constant(of)?)),
                to => Some(format!("&{}", constant(to)?)),
            };
        }
        let lent = match self.method.receiver() {
            Some(Ty::Ref {
                region: lent,
                mutable: can,
                ..
            }) => *lent == region && (*can || !mutable),
            _ => false,
        };
        if !lent {
            return None;
        }
        if is_self(to) {
            return Some("self".to_owned());
        }
        let held = match to {
            Ty::Str => Ty::adt("std::string::String", []),
            Ty::Slice(of) => Ty::adt("std::vec::Vec", [(**of).clone()]),
            to => to.clone(),
        };
        if !self.is_held(&held) {
            return None;
        }
        let field = self.field(held);
        Some(match mutable {
            true => format!("&mut self.{field}"),
            false => format!("&self.{field}"),
        })
    }

    /// A value around another one.
    fn composed(&mut self, ty: &Ty) -> Option<String> {
        match ty {
            Ty::Opaque { traits } => return self.unnamed(traits),
            Ty::Param(name) => {
                let has_default = self.method.bounds.iter().any(|bound| {
                    matches!(bound, Bound::Trait { on: Ty::Param(on), trait_ }
                        if on == name && &*trait_.path == "std::default::Default")
                });
                return has_default.then(|| format!("{name}::default()"));
            }
            _ => {}
        }
        let (path, of) = parts(ty)?;
        match (path, of.as_slice()) {
            ("std::option::Option", [of]) => Some(match self.value(of) {
                Some(value) => format!("Some({value})"),
                None => "None".to_owned(),
            }),
            ("std::result::Result", [ok, err]) => match (ok.is_unit(), self.value(ok)) {
                (true, _) => Some("Ok(())".to_owned()),
                (_, Some(value)) => Some(format!("Ok({value})")),
                (_, None) => Some(format!("Err({})", self.value(err)?)),
            },
            ("std::vec::Vec", [of]) => Some(match self.value(of) {
                Some(value) => format!("vec![{value}]"),
                None => "Vec::new()".to_owned(),
            }),
            ("std::vec::IntoIter", [of]) => {
                let items = Ty::adt("std::vec::Vec", [(*of).clone()]);
                Some(format!("{}.into_iter()", self.value(&items)?))
            }
            ("std::task::Poll", [of]) => {
                Some(format!("::std::task::Poll::Ready({})", self.value(of)?))
            }
            ("std::boxed::Box", [Ty::Dyn { traits, .. }]) => {
                let first = traits.first()?;
                if self.own.contains(&first.path) && self.access() != Access::None {
                    return Some("Box::new(self.clone())".to_owned());
                }
                Some(format!("Box::new({})", self.unnamed(traits)?))
            }
            ("std::boxed::Box", [of]) => Some(format!("Box::new({})", self.value(of)?)),
            _ => None,
        }
    }

    /// Something that implements a trait of the standard library.
    fn unnamed(&mut self, traits: &[TraitRef]) -> Option<String> {
        let of = |name: &str| {
            let mut assoc = traits.iter().flat_map(|it| &it.assoc);
            assoc.find(|(it, _)| &**it == name).map(|(_, ty)| ty)
        };
        let first = traits.first()?;
        match &*first.path {
            "std::iter::Iterator"
            | "std::iter::DoubleEndedIterator"
            | "std::iter::ExactSizeIterator" => {
                let items = Ty::adt("std::vec::Vec", [of("Item")?.clone()]);
                Some(format!("{}.into_iter()", self.value(&items)?))
            }
            "std::future::Future" => Some(format!(
                "::std::future::ready({})",
                self.value(&of("Output")?.clone())?
            )),
            "std::fmt::Debug" | "std::fmt::Display" => {
                constant(&Ty::adt("std::string::String", []))
            }
            _ => None,
        }
    }
}

/// A value of a type, the same every time.
pub(super) fn constant(ty: &Ty) -> Option<String> {
    Some(match ty {
        Ty::Prim(Prim::Bool) => "true".to_owned(),
        Ty::Prim(Prim::Char) => "'a'".to_owned(),
        Ty::Prim(Prim::Never) => return None,
        Ty::Prim(prim) if prim.is_float() => "2.0".to_owned(),
        Ty::Prim(_) => "2".to_owned(),
        Ty::Tuple(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(constant).collect();
            let parts = parts?;
            let comma = if parts.len() == 1 { "," } else { "" };
            format!("({}{comma})", parts.join(", "))
        }
        Ty::Array(of, n) => format!("[{}; {n}]", constant(of)?),
        Ty::Ref {
            region: Region::Static,
            mutable: false,
            to,
        } => match &**to {
            Ty::Str => "\"sample\"".to_owned(),
            Ty::Slice(of) => format!("&[{}]", constant(of)?),
            to => format!("&{}", constant(to)?),
        },
        _ => match parts(ty)? {
            ("std::string::String", _) => "String::from(\"sample\")".to_owned(),
            ("std::option::Option", of) => format!("Some({})", constant(of.first()?)?),
            ("std::vec::Vec", of) => format!("vec![{}]", constant(of.first()?)?),
            ("std::time::Duration", _) => "::std::time::Duration::from_secs(2)".to_owned(),
            _ => return None,
        },
    })
}
