//! The context of every printer: the world, the imports, and questions about types.

use std::collections::BTreeSet;

use testsmith_api::{
    Adt, Callable, GenericArg, GenericKind, Names as _, Operation, Origin, Ty, last_segment,
};
use testsmith_protocol::Caps;
use testsmith_sequence::World;

use crate::holes::Holes;
use crate::imports::Imports;

/// The printers' context.
#[derive(Clone, Copy)]
pub(crate) struct Cx<'a> {
    pub(crate) world: &'a World,
    pub(crate) imports: &'a Imports,
    /// Where the places of literals are collected, while a row of a table is printed.
    pub(crate) holes: Option<&'a Holes>,
}

impl<'a> Cx<'a> {
    /// The callable an operation comes from.
    pub(crate) fn callable(self, op: &Operation) -> Option<&'a Callable> {
        match op.origin {
            Origin::Callable(id) | Origin::Beside(id) => {
                Some(self.world.catalogue.api.callable(id))
            }
            Origin::Recipe | Origin::Law => None,
        }
    }

    /// The crate's own ADT of this path.
    pub(crate) fn adt(self, path: &str) -> Option<&'a Adt> {
        self.world.catalogue.api.adts.get(path)
    }

    /// Can values of the type be compared with `==` and shown?
    pub(crate) fn comparable(self, ty: &Ty) -> bool {
        self.can(ty, Caps::EQ) && self.can(ty, Caps::DEBUG)
    }

    /// Can values of the type do this? Measured by the guest for a type that has an index, and
    /// concluded from its parts for others.
    pub(crate) fn can(self, ty: &Ty, caps: Caps) -> bool {
        if let Some(idx) = self.world.catalogue.types.find(ty) {
            return self.world.caps(idx).has(caps);
        }
        match ty {
            Ty::Prim(_) | Ty::Str => true,
            Ty::Tuple(_) | Ty::Slice(_) | Ty::Array(..) | Ty::Ref { .. } => {
                ty.children().into_iter().all(|child| self.can(child, caps))
            }
            Ty::Adt { path, .. } if is_std_data(path) => {
                ty.children().into_iter().all(|child| self.can(child, caps))
            }
            _ => false,
        }
    }

    /// An item's name as the package's edition writes it.
    pub(crate) fn identifier(self, name: &str) -> String {
        self.imports.identifier(name)
    }

    /// The type as it stands after a colon.
    pub(crate) fn ty(self, ty: &Ty) -> String {
        self.trim(ty).render(self.imports)
    }

    /// The type as the beginning of a path in an expression: `Slab::<u8>`, `<[u8]>`.
    pub(crate) fn ty_in_expr(self, ty: &Ty) -> String {
        match ty {
            Ty::Adt { path, .. } => {
                let text = self.ty(ty);
                let head = self.imports.path(path);
                match text.strip_prefix(&*head) {
                    Some(args) if !args.is_empty() => format!("{head}::{args}"),
                    _ => text,
                }
            }
            Ty::Prim(_) | Ty::Str => self.ty(ty),
            _ => format!("<{}>", self.ty(ty)),
        }
    }

    /// The generic arguments of a call: `::<u8>`, or nothing.
    pub(crate) fn turbofish(self, args: &[GenericArg]) -> String {
        let parts: Vec<_> = args
            .iter()
            .filter_map(|arg| match arg {
                GenericArg::Region(_) => None,
                GenericArg::Type(ty) => Some(self.ty(ty)),
                GenericArg::Const(n) => Some(n.to_string()),
            })
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!("::<{}>", parts.join(", "))
        }
    }

    /// The type without arguments that are its defaults anyway.
    fn trim(self, ty: &Ty) -> Ty {
        ty.map(
            &mut |node| match node {
                Ty::Adt { path, args } => {
                    let n_kept = self.n_explicit(path, args);
                    (n_kept < args.len()).then(|| Ty::Adt {
                        path: path.clone(),
                        args: args[..n_kept]
                            .iter()
                            .map(|arg| match arg {
                                GenericArg::Type(ty) => GenericArg::Type(self.trim(ty)),
                                other => other.clone(),
                            })
                            .collect(),
                    })
                }
                _ => None,
            },
            &mut |region| region,
        )
    }

    /// How many leading arguments are not just the declared defaults.
    pub(crate) fn n_explicit(self, path: &str, args: &[GenericArg]) -> usize {
        let mut n = args.len();
        while n > 0 {
            let GenericArg::Type(arg) = &args[n - 1] else {
                break;
            };
            let is_default = match (path, arg) {
                (_, Ty::Adt { path: arg, .. }) if &**arg == "std::alloc::Global" => true,
                (
                    "std::collections::HashMap" | "std::collections::HashSet",
                    Ty::Adt { path: arg, .. },
                ) => last_segment(arg) == "RandomState",
                _ => self.adt(path).is_some_and(|adt| {
                    // Type parameters come last in the list, after the regions.
                    let from_end = args.len() - n;
                    let param = adt.generics.iter().rev().nth(from_end);
                    param.is_some_and(|param| {
                        matches!(&param.kind, GenericKind::Type { default: Some(ty), .. } if ty == arg)
                    })
                }),
            };
            if !is_default {
                break;
            }
            n -= 1;
        }
        n
    }
}

/// Standard library types that can be compared and shown if their type arguments can.
pub(crate) fn is_std_data(path: &str) -> bool {
    matches!(
        path,
        "std::option::Option"
            | "std::result::Result"
            | "std::vec::Vec"
            | "std::string::String"
            | "std::boxed::Box"
            | "std::borrow::Cow"
            | "std::cmp::Ordering"
            | "std::cmp::Reverse"
            | "std::collections::VecDeque"
            | "std::collections::BTreeMap"
            | "std::collections::BTreeSet"
            | "std::collections::HashMap"
            | "std::collections::HashSet"
            | "std::ops::Range"
            | "std::ops::RangeInclusive"
            | "std::ops::Bound"
            | "std::task::Poll"
            | "std::time::Duration"
    )
}

/// The path of an ADT, behind references.
pub(crate) fn head(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Adt { path, .. } => Some(path),
        Ty::Ref { to, .. } => head(to),
        _ => None,
    }
}

/// The type arguments of an ADT.
pub(crate) fn type_args(ty: &Ty) -> Vec<&Ty> {
    match ty {
        Ty::Adt { args, .. } => args
            .iter()
            .filter_map(|arg| match arg {
                GenericArg::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The paths that must not be imported: a deprecated item warns there, too.
pub(crate) fn deprecated_paths(world: &World) -> BTreeSet<String> {
    use testsmith_api::CallableKind as Kind;
    let api = &world.catalogue.api;
    let callables = api.callables.iter();
    let of_callables = callables
        .filter(|callable| callable.docs.deprecated)
        .filter_map(|callable| match &callable.kind {
            Kind::Function { path } | Kind::Const { path } => Some(path),
            _ => None,
        });
    let of_types = api.adts.values().filter(|adt| adt.deprecated);
    let of_traits = api.traits.values().filter(|trait_| trait_.deprecated);
    of_callables
        .chain(of_types.map(|adt| &adt.path))
        .chain(of_traits.map(|trait_| &trait_.path))
        .map(|path| path.to_string())
        .collect()
}
