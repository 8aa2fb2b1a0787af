//! Types as trees: what a signature says, lifetimes resolved to region variables.
//!
//! A `Ty` may mention type parameters (in a callable) or not (in an operation). It does not know
//! what a slot holds: [`crate::types`] interns the erased form.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::keywords::{NEWEST_EDITION, written_path};

/// A lifetime after elision: nothing downstream of the reader knows about elision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Region {
    /// `'static`, and what an erased type has in place of every lifetime.
    Static,
    /// A region variable of the signature.
    Var(RegionIdx),
    /// Bound inside the type itself (`for<'a> fn(&'a T)`): it never escapes.
    Bound(u32),
}

/// Index of a region variable within one signature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionIdx(pub u32);

/// How a type changes when a region inside it shrinks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variance {
    /// The value may be used where a shorter region is asked for.
    Co,
    /// Exactly this region, or we don't know: loans then flow into the argument.
    In,
}

/// Primitive types that are values of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(
    missing_docs,
    reason = "each variant is the Rust primitive of that name"
)]
pub enum Prim {
    Bool,
    Char,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    F32,
    F64,
    Never,
}

impl Prim {
    /// Every primitive, for tables.
    pub const ALL: [Prim; 17] = [
        Prim::Bool,
        Prim::Char,
        Prim::I8,
        Prim::I16,
        Prim::I32,
        Prim::I64,
        Prim::I128,
        Prim::Isize,
        Prim::U8,
        Prim::U16,
        Prim::U32,
        Prim::U64,
        Prim::U128,
        Prim::Usize,
        Prim::F32,
        Prim::F64,
        Prim::Never,
    ];

    /// The Rust name.
    pub fn name(self) -> &'static str {
        match self {
            Prim::Bool => "bool",
            Prim::Char => "char",
            Prim::I8 => "i8",
            Prim::I16 => "i16",
            Prim::I32 => "i32",
            Prim::I64 => "i64",
            Prim::I128 => "i128",
            Prim::Isize => "isize",
            Prim::U8 => "u8",
            Prim::U16 => "u16",
            Prim::U32 => "u32",
            Prim::U64 => "u64",
            Prim::U128 => "u128",
            Prim::Usize => "usize",
            Prim::F32 => "f32",
            Prim::F64 => "f64",
            Prim::Never => "!",
        }
    }

    /// The primitive of this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Is it an integer, signed or not?
    pub fn is_integer(self) -> bool {
        self.int_range().is_some()
    }

    /// Is it `f32` or `f64`?
    pub fn is_float(self) -> bool {
        matches!(self, Prim::F32 | Prim::F64)
    }

    /// (bits, signed) of an integer; `usize` counts as 64.
    pub fn int_range(self) -> Option<(u32, bool)> {
        Some(match self {
            Prim::I8 => (8, true),
            Prim::I16 => (16, true),
            Prim::I32 => (32, true),
            Prim::I64 | Prim::Isize => (64, true),
            Prim::I128 => (128, true),
            Prim::U8 => (8, false),
            Prim::U16 => (16, false),
            Prim::U32 => (32, false),
            Prim::U64 | Prim::Usize => (64, false),
            Prim::U128 => (128, false),
            _ => return None,
        })
    }
}

/// A type as written in a signature.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// `bool`, `u8`, `!`, ...
    Prim(Prim),
    /// `str`: only behind a reference or a box.
    Str,
    /// `()`, `(A, B)`.
    Tuple(Vec<Ty>),
    /// `[T]`: only behind a reference or a box.
    Slice(Box<Ty>),
    /// `[T; N]`; the length is a literal or the name of a const parameter.
    Array(Box<Ty>, Arc<str>),
    /// `&'r T`, `&'r mut T`.
    Ref {
        /// How long it is borrowed.
        region: Region,
        /// `&mut`?
        mutable: bool,
        /// What it points at.
        to: Box<Ty>,
    },
    /// `*const T`, `*mut T`.
    RawPtr {
        /// `*mut`?
        mutable: bool,
        /// What it points at.
        to: Box<Ty>,
    },
    /// A struct, enum or union under the path by which anybody outside can name it
    /// (`semver::Version`, `std::vec::Vec`).
    Adt {
        /// Public path, first segment the crate's name in code.
        path: Arc<str>,
        /// Generic arguments, lifetimes first, in order of declaration.
        args: Vec<GenericArg>,
    },
    /// `fn(A) -> B`.
    FnPtr {
        /// Parameter types.
        inputs: Vec<Ty>,
        /// Return type.
        output: Box<Ty>,
    },
    /// `dyn Trait + 'r`.
    Dyn {
        /// The principal trait first, then auto traits.
        traits: Vec<TraitRef>,
        /// The object's own lifetime bound.
        bound: Region,
    },
    /// `impl Trait` in return position: it has no name, only bounds.
    Opaque {
        /// What is known of it.
        traits: Vec<TraitRef>,
    },
    /// A type parameter of the callable, by name; `Self` in a trait's own methods.
    Param(Arc<str>),
    /// `<T as Trait>::Name`, not yet normalised.
    Assoc {
        /// The self type.
        of: Box<Ty>,
        /// The trait, where it is known.
        trait_: Option<Box<TraitRef>>,
        /// The associated type's name.
        name: Arc<str>,
        /// Its own arguments, if it is generic.
        args: Vec<GenericArg>,
    },
    /// Something we cannot model; the text says what.
    Unsupported(Arc<str>),
}

/// One generic argument of a path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GenericArg {
    /// `'a`
    Region(Region),
    /// `T`
    Type(Ty),
    /// `N`, `3`
    Const(Arc<str>),
}

/// What stands for the generic parameters of a callable in one of its instances.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Substitution {
    /// By name of the type parameter.
    pub types: BTreeMap<Arc<str>, Ty>,
    /// By name of the const parameter.
    pub consts: BTreeMap<Arc<str>, Arc<str>>,
}

impl Substitution {
    fn replaces_const(&self, arg: &GenericArg) -> bool {
        matches!(arg, GenericArg::Const(n) if self.consts.contains_key(n))
    }

    /// Substitute in a list of generic arguments.
    pub fn args(&self, args: &[GenericArg]) -> Vec<GenericArg> {
        args.iter()
            .map(|arg| match arg {
                GenericArg::Region(r) => GenericArg::Region(*r),
                GenericArg::Type(ty) => GenericArg::Type(ty.substitute(self)),
                GenericArg::Const(n) => GenericArg::Const(self.consts.get(n).unwrap_or(n).clone()),
            })
            .collect()
    }
}

/// A trait with its arguments, and what is demanded of its associated types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TraitRef {
    /// Public path, as for [`Ty::Adt`].
    pub path: Arc<str>,
    /// Generic arguments.
    pub args: Vec<GenericArg>,
    /// `Item = T`.
    pub assoc: Vec<(Arc<str>, Ty)>,
}

impl TraitRef {
    /// The last segment of the path: `Iterator`.
    pub fn name(&self) -> &str {
        last_segment(&self.path)
    }
}

/// The last segment of a path.
pub fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// How names are written: the harness writes full paths and region variables, tests short names.
pub trait Names {
    /// A public path as it should stand in the code.
    fn path(&self, path: &str) -> String;
    /// A region as it should stand in the code, with its quote; `None` leaves it out.
    fn region(&self, region: Region) -> Option<String>;
    /// `'static` in what a function gives, where it would mean another lifetime if it were left out.
    fn lasting(&self) -> Option<String> {
        None
    }
    /// Did something around bind this higher-ranked region already?
    fn is_bound(&self, _: Region) -> bool {
        false
    }
}

/// Inside of what binds these regions.
struct Within<'a> {
    names: &'a dyn Names,
    bound: Vec<Region>,
}

impl Names for Within<'_> {
    fn path(&self, path: &str) -> String {
        self.names.path(path)
    }
    fn region(&self, region: Region) -> Option<String> {
        self.names.region(region)
    }
    fn lasting(&self) -> Option<String> {
        self.names.lasting()
    }
    fn is_bound(&self, region: Region) -> bool {
        self.bound.contains(&region) || self.names.is_bound(region)
    }
}

/// Full paths (`::semver::Version`) as the newest edition writes them, regions as `'static`, `'r0`, ...
pub struct FullNames;

impl Names for FullNames {
    fn path(&self, path: &str) -> String {
        format!("::{}", written_path(path, NEWEST_EDITION))
    }
    fn region(&self, region: Region) -> Option<String> {
        Some(match region {
            Region::Static => "'static".to_owned(),
            Region::Var(RegionIdx(i)) => format!("'r{i}"),
            Region::Bound(i) => format!("'b{i}"),
        })
    }
}

/// For keys and messages: paths without the leading colons, regions left out.
pub struct KeyNames;

impl Names for KeyNames {
    fn path(&self, path: &str) -> String {
        path.to_owned()
    }
    fn region(&self, _: Region) -> Option<String> {
        None
    }
}

impl Ty {
    /// `()`.
    pub fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    /// An ADT with type arguments only.
    pub fn adt(path: &str, args: impl IntoIterator<Item = Ty>) -> Ty {
        Ty::Adt {
            path: path.into(),
            args: args.into_iter().map(GenericArg::Type).collect(),
        }
    }

    /// Is this `()`?
    pub fn is_unit(&self) -> bool {
        matches!(self, Ty::Tuple(parts) if parts.is_empty())
    }

    /// Only usable behind a pointer.
    pub fn is_unsized(&self) -> bool {
        match self {
            Ty::Str | Ty::Slice(_) | Ty::Dyn { .. } => true,
            Ty::Adt { path, .. } => matches!(
                &**path,
                "std::path::Path" | "std::ffi::OsStr" | "std::ffi::CStr"
            ),
            _ => false,
        }
    }

    /// The direct component types, in order of occurrence.
    pub fn children(&self) -> Vec<&Ty> {
        let mut out = Vec::new();
        self.each_child(&mut |child| out.push(child));
        out
    }

    fn each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Ty)) {
        fn args<'a>(args: &'a [GenericArg], visit: &mut dyn FnMut(&'a Ty)) {
            for arg in args {
                if let GenericArg::Type(ty) = arg {
                    visit(ty);
                }
            }
        }
        match self {
            Ty::Prim(_) | Ty::Str | Ty::Param(_) | Ty::Unsupported(_) => {}
            Ty::Tuple(parts) => parts.iter().for_each(visit),
            Ty::Slice(to) | Ty::Array(to, _) => visit(to),
            Ty::Ref { to, .. } | Ty::RawPtr { to, .. } => visit(to),
            Ty::Adt { args: list, .. } => args(list, visit),
            Ty::FnPtr { inputs, output } => {
                inputs.iter().for_each(&mut *visit);
                visit(output);
            }
            Ty::Dyn { traits, .. } | Ty::Opaque { traits } => {
                for trait_ in traits {
                    args(&trait_.args, visit);
                    trait_.assoc.iter().for_each(|(_, ty)| visit(ty));
                }
            }
            Ty::Assoc {
                of,
                trait_,
                args: own,
                ..
            } => {
                visit(of);
                if let Some(trait_) = trait_ {
                    args(&trait_.args, visit);
                }
                args(own, visit);
            }
        }
    }

    /// Does any node satisfy the predicate?
    pub fn any(&self, predicate: &mut dyn FnMut(&Ty) -> bool) -> bool {
        if predicate(self) {
            return true;
        }
        let mut found = false;
        self.each_child(&mut |child| found = found || child.any(predicate));
        found
    }

    /// Rebuild the tree bottom-up: `types` may replace a node, `regions` every region. Regions are
    /// visited in order of occurrence in the text.
    pub fn map(
        &self,
        types: &mut dyn FnMut(&Ty) -> Option<Ty>,
        regions: &mut dyn FnMut(Region) -> Region,
    ) -> Ty {
        if let Some(replacement) = types(self) {
            return replacement;
        }
        match self {
            Ty::Prim(_) | Ty::Str | Ty::Param(_) | Ty::Unsupported(_) => self.clone(),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|t| t.map(types, regions)).collect()),
            Ty::Slice(to) => Ty::Slice(Box::new(to.map(types, regions))),
            Ty::Array(to, n) => Ty::Array(Box::new(to.map(types, regions)), n.clone()),
            Ty::Ref {
                region,
                mutable,
                to,
            } => Ty::Ref {
                region: regions(*region),
                mutable: *mutable,
                to: Box::new(to.map(types, regions)),
            },
            Ty::RawPtr { mutable, to } => Ty::RawPtr {
                mutable: *mutable,
                to: Box::new(to.map(types, regions)),
            },
            Ty::Adt { path, args } => Ty::Adt {
                path: path.clone(),
                args: map_args(args, types, regions),
            },
            Ty::FnPtr { inputs, output } => Ty::FnPtr {
                inputs: inputs.iter().map(|t| t.map(types, regions)).collect(),
                output: Box::new(output.map(types, regions)),
            },
            Ty::Dyn { traits, bound } => Ty::Dyn {
                traits: traits.iter().map(|t| t.map(types, regions)).collect(),
                bound: regions(*bound),
            },
            Ty::Opaque { traits } => Ty::Opaque {
                traits: traits.iter().map(|t| t.map(types, regions)).collect(),
            },
            Ty::Assoc {
                of,
                trait_,
                name,
                args,
            } => Ty::Assoc {
                of: Box::new(of.map(types, regions)),
                trait_: trait_.as_ref().map(|t| Box::new(t.map(types, regions))),
                name: name.clone(),
                args: map_args(args, types, regions),
            },
        }
    }

    /// Replace type and const parameters by name.
    pub fn substitute(&self, by: &Substitution) -> Ty {
        self.map(
            &mut |ty| match ty {
                Ty::Param(name) => by.types.get(name).cloned(),
                Ty::Array(to, n) => by
                    .consts
                    .get(n)
                    .map(|n| Ty::Array(Box::new(to.substitute(by)), n.clone())),
                Ty::Adt { path, args } if args.iter().any(|arg| by.replaces_const(arg)) => {
                    Some(Ty::Adt {
                        path: path.clone(),
                        args: by.args(args),
                    })
                }
                _ => None,
            },
            &mut |r| r,
        )
    }

    /// The type's text under a way of writing names.
    pub fn render(&self, names: &dyn Names) -> String {
        let mut out = String::new();
        self.write(names, &mut out);
        out
    }

    fn write(&self, names: &dyn Names, out: &mut String) {
        match self {
            Ty::Prim(prim) => out.push_str(prim.name()),
            Ty::Str => out.push_str("str"),
            Ty::Tuple(parts) => {
                out.push('(');
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    part.write(names, out);
                }
                out.push_str(if parts.len() == 1 { ",)" } else { ")" });
            }
            Ty::Slice(to) => {
                out.push('[');
                to.write(names, out);
                out.push(']');
            }
            Ty::Array(to, n) => {
                out.push('[');
                to.write(names, out);
                let _ = write!(out, "; {n}]");
            }
            Ty::Ref {
                region,
                mutable,
                to,
            } => write_ref(*region, *mutable, to, names, out),
            Ty::RawPtr { mutable, to } => {
                out.push_str(if *mutable { "*mut " } else { "*const " });
                to.write(names, out);
            }
            Ty::Adt { path, args } => {
                out.push_str(&names.path(path));
                write_args(args, &[], names, out);
            }
            Ty::FnPtr { inputs, output } => {
                let within = write_binder(self, names, out);
                out.push_str("fn");
                write_fn(inputs, output, &within, out);
            }
            Ty::Dyn { traits, bound } => {
                out.push_str("dyn ");
                let within = write_binder(self, names, out);
                write_traits(traits, &within, out);
                if let Some(bound) = names.region(*bound) {
                    out.push_str(" + ");
                    out.push_str(&bound);
                }
            }
            Ty::Opaque { traits } => {
                out.push_str(if traits.is_empty() { "impl _" } else { "impl " });
                write_traits(traits, names, out);
            }
            Ty::Param(name) => out.push_str(name),
            Ty::Assoc {
                of,
                trait_,
                name,
                args,
            } => {
                out.push('<');
                of.write(names, out);
                if let Some(trait_) = trait_ {
                    out.push_str(" as ");
                    trait_.write(names, out);
                }
                out.push_str(">::");
                out.push_str(name);
                write_args(args, &[], names, out);
            }
            Ty::Unsupported(what) => {
                let _ = write!(out, "/* {what} */");
            }
        }
    }
}

fn write_ref(region: Region, mutable: bool, to: &Ty, names: &dyn Names, out: &mut String) {
    out.push('&');
    if let Some(region) = names.region(region) {
        out.push_str(&region);
        out.push(' ');
    }
    if mutable {
        out.push_str("mut ");
    }
    let parens = matches!(to, Ty::Dyn { traits, bound } if traits.len() > 1 || names.region(*bound).is_some());
    if parens {
        out.push('(');
    }
    to.write(names, out);
    if parens {
        out.push(')');
    }
}

impl TraitRef {
    /// As [`Ty::map`].
    pub fn map(
        &self,
        types: &mut dyn FnMut(&Ty) -> Option<Ty>,
        regions: &mut dyn FnMut(Region) -> Region,
    ) -> TraitRef {
        TraitRef {
            path: self.path.clone(),
            args: map_args(&self.args, types, regions),
            assoc: self
                .assoc
                .iter()
                .map(|(name, ty)| (name.clone(), ty.map(types, regions)))
                .collect(),
        }
    }

    /// Replace type and const parameters by name.
    pub fn substitute(&self, by: &Substitution) -> TraitRef {
        TraitRef {
            path: self.path.clone(),
            args: by.args(&self.args),
            assoc: self
                .assoc
                .iter()
                .map(|(name, ty)| (name.clone(), ty.substitute(by)))
                .collect(),
        }
    }

    /// The trait's text.
    pub fn render(&self, names: &dyn Names) -> String {
        let mut out = String::new();
        self.write(names, &mut out);
        out
    }

    fn write(&self, names: &dyn Names, out: &mut String) {
        out.push_str(&names.path(&self.path));
        match self.args.as_slice() {
            [GenericArg::Type(Ty::Tuple(params))] if is_fn_trait(&self.path) => {
                let output = self.assoc.iter().find(|(name, _)| &**name == "Output");
                let output = output.map_or_else(Ty::unit, |(_, ty)| ty.clone());
                write_fn(params, &output, names, out);
            }
            args => write_args(args, &self.assoc, names, out),
        }
    }
}

/// `Fn`, `FnMut` or `FnOnce`?
pub fn is_fn_trait(path: &str) -> bool {
    matches!(
        path,
        "std::ops::Fn" | "std::ops::FnMut" | "std::ops::FnOnce"
    )
}

/// `(A, B) -> C`
fn write_fn(inputs: &[Ty], output: &Ty, names: &dyn Names, out: &mut String) {
    out.push('(');
    for (i, input) in inputs.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        input.write(names, out);
    }
    out.push(')');
    if !output.is_unit() {
        out.push_str(" -> ");
        output.write(&OfOutput(names), out);
    }
}

/// In what a function gives: left out, a lifetime would be that of an input.
struct OfOutput<'a>(&'a dyn Names);

impl Names for OfOutput<'_> {
    fn path(&self, path: &str) -> String {
        self.0.path(path)
    }
    fn region(&self, region: Region) -> Option<String> {
        let lasting = || self.0.lasting().filter(|_| region == Region::Static);
        self.0.region(region).or_else(lasting)
    }
    fn lasting(&self) -> Option<String> {
        self.0.lasting()
    }
    fn is_bound(&self, region: Region) -> bool {
        self.0.is_bound(region)
    }
}

/// `for<'b0, 'b1> `, where the type has higher-ranked regions and they are written. A region that
/// occurs only inside of another such type is bound there.
fn write_binder<'a>(ty: &Ty, names: &'a dyn Names, out: &mut String) -> Within<'a> {
    let mut bound: Vec<Region> = Vec::new();
    for child in ty.children() {
        child.map(
            &mut |node| matches!(node, Ty::Dyn { .. } | Ty::FnPtr { .. }).then(Ty::unit),
            &mut |region| {
                let is_own = matches!(region, Region::Bound(_)) && !names.is_bound(region);
                if is_own && !bound.contains(&region) {
                    bound.push(region);
                }
                region
            },
        );
    }
    let written: Vec<String> = bound.iter().filter_map(|it| names.region(*it)).collect();
    if !written.is_empty() {
        let _ = write!(out, "for<{}> ", written.join(", "));
    }
    Within { names, bound }
}

fn map_args(
    args: &[GenericArg],
    types: &mut dyn FnMut(&Ty) -> Option<Ty>,
    regions: &mut dyn FnMut(Region) -> Region,
) -> Vec<GenericArg> {
    args.iter()
        .map(|arg| match arg {
            GenericArg::Region(r) => GenericArg::Region(regions(*r)),
            GenericArg::Type(ty) => GenericArg::Type(ty.map(types, regions)),
            GenericArg::Const(n) => GenericArg::Const(n.clone()),
        })
        .collect()
}

fn write_traits(traits: &[TraitRef], names: &dyn Names, out: &mut String) {
    for (i, trait_) in traits.iter().enumerate() {
        if i > 0 {
            out.push_str(" + ");
        }
        trait_.write(names, out);
    }
}

fn write_args(args: &[GenericArg], assoc: &[(Arc<str>, Ty)], names: &dyn Names, out: &mut String) {
    let mut parts = Vec::new();
    for arg in args {
        match arg {
            GenericArg::Region(r) => parts.extend(names.region(*r)),
            GenericArg::Type(ty) => parts.push(ty.render(names)),
            GenericArg::Const(n) => parts.push(n.to_string()),
        }
    }
    for (name, ty) in assoc {
        parts.push(format!("{name} = {}", ty.render(names)));
    }
    if !parts.is_empty() {
        let _ = write!(out, "<{}>", parts.join(", "));
    }
}

#[cfg(test)]
mod tests;
