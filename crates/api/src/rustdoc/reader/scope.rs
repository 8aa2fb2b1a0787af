//! From rustdoc's types to ours, within one signature: lifetimes, `Self`, aliases, parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustdoc_types::{
    AssocItemConstraintKind, DynTrait, FunctionPointer, GenericArg as JsonArg, GenericArgs,
    GenericBound, GenericParamDef, GenericParamDefKind, Generics, ItemEnum, ItemKind, Path, Term,
    Type,
};

use super::Reader;
use crate::callable::{Bound, GenericKind, GenericParam};
use crate::rustdoc::std_paths;
use crate::ty::{GenericArg, Prim, Region, RegionIdx, TraitRef, Ty};

/// What a lifetime that isn't written stands for.
#[derive(Clone, Copy)]
pub(super) enum Elision {
    /// A new region variable.
    Fresh,
    /// This region: the output of a function.
    Fixed(Region),
    /// A higher-ranked region: within `fn(..)` and `Fn(..)`.
    Bound,
}

/// The state of reading one signature.
pub(super) struct Scope<'r> {
    reader: &'r Reader<'r>,
    free: BTreeMap<String, Region>,
    bound: Vec<(String, Region)>,
    n_bound: u32,
    frame: Option<Frame>,
    depth: u32,
    n_synthetic: u32,
    pub(super) n_regions: u32,
    pub(super) elision: Elision,
    /// The regions that the text of the inputs mentions, in order.
    pub(super) mentioned: Vec<Region>,
    pub(super) self_ty: Option<Ty>,
    /// `type Item = T;` of the impl, by the trait's path.
    pub(super) assoc: Vec<(Arc<str>, Ty)>,
    pub(super) impl_trait: Option<TraitRef>,
    pub(super) generics: Vec<GenericParam>,
    pub(super) bounds: Vec<Bound>,
    pub(super) outlives: Vec<(Region, Region)>,
    /// `impl Trait` is a parameter here, else an opaque result.
    pub(super) in_inputs: bool,
}

/// The arguments of a type alias while it is being expanded.
#[derive(Default)]
struct Frame {
    types: BTreeMap<String, Ty>,
    regions: BTreeMap<String, Region>,
    consts: BTreeMap<String, Arc<str>>,
}

impl<'r> Scope<'r> {
    pub(super) fn new(reader: &'r Reader<'r>) -> Scope<'r> {
        Scope {
            reader,
            free: BTreeMap::new(),
            bound: Vec::new(),
            n_bound: 0,
            frame: None,
            depth: 0,
            n_synthetic: 0,
            n_regions: 0,
            elision: Elision::Fresh,
            mentioned: Vec::new(),
            self_ty: None,
            assoc: Vec::new(),
            impl_trait: None,
            generics: Vec::new(),
            bounds: Vec::new(),
            outlives: Vec::new(),
            in_inputs: true,
        }
    }

    pub(super) fn fresh_region(&mut self) -> Region {
        self.n_regions += 1;
        Region::Var(RegionIdx(self.n_regions - 1))
    }

    fn elided(&mut self) -> Region {
        match self.elision {
            Elision::Fresh => self.fresh_region(),
            Elision::Fixed(region) => region,
            Elision::Bound => {
                self.n_bound += 1;
                Region::Bound(self.n_bound - 1)
            }
        }
    }

    /// The region of a lifetime as written; `None` and `'_` are elided.
    pub(super) fn region(&mut self, written: Option<&str>) -> Region {
        let region = match written {
            None | Some("'_") => self.elided(),
            Some("'static") => Region::Static,
            Some(name) => {
                let known = match &self.frame {
                    Some(frame) => frame.regions.get(name).copied(),
                    None => None,
                };
                let bound = self.bound.iter().rev().find(|(n, _)| n == name);
                match known.or(bound.map(|(_, r)| *r)) {
                    Some(region) => region,
                    None => match self.free.get(name) {
                        Some(region) => *region,
                        None => {
                            let region = self.fresh_region();
                            self.free.insert(name.to_owned(), region);
                            region
                        }
                    },
                }
            }
        };
        self.mentioned.push(region);
        region
    }

    /// Run with the lifetimes of a `for<'a>` in scope.
    pub(super) fn with_bound<T>(
        &mut self,
        params: &[GenericParamDef],
        run: impl FnOnce(&mut Scope<'r>) -> T,
    ) -> T {
        let n_before = self.bound.len();
        for param in params {
            if matches!(param.kind, GenericParamDefKind::Lifetime { .. }) {
                self.bound
                    .push((param.name.clone(), Region::Bound(self.n_bound)));
                self.n_bound += 1;
            }
        }
        let result = run(self);
        self.bound.truncate(n_before);
        result
    }

    fn with_elision<T>(&mut self, elision: Elision, run: impl FnOnce(&mut Scope<'r>) -> T) -> T {
        let before = std::mem::replace(&mut self.elision, elision);
        let result = run(self);
        self.elision = before;
        result
    }

    /// Read what follows as a trait's own text: its parameters stand for these arguments.
    pub(super) fn enter_trait(&mut self, generics: &Generics, args: &[GenericArg]) {
        let declared: Vec<_> = generics.params.iter().collect();
        self.frame = Some(Frame::of(&declared, args));
    }

    /// A trait with its arguments.
    pub(super) fn trait_ref(&mut self, path: &Path) -> TraitRef {
        let name = self.reader.names.resolve(path.id, &path.path);
        let mut trait_ = TraitRef {
            path: name.path,
            args: Vec::new(),
            assoc: Vec::new(),
        };
        match path.args.as_deref() {
            None | Some(GenericArgs::ReturnTypeNotation) => {}
            Some(GenericArgs::AngleBracketed { args, constraints }) => {
                trait_.args = args.iter().map(|arg| self.arg(arg)).collect();
                for constraint in constraints {
                    if let AssocItemConstraintKind::Equality(Term::Type(ty)) = &constraint.binding {
                        let ty = self.ty(ty);
                        trait_.assoc.push((constraint.name.as_str().into(), ty));
                    }
                }
            }
            Some(GenericArgs::Parenthesized { inputs, output }) => {
                let (inputs, output) = self.fn_sugar(inputs.iter(), output.as_ref());
                trait_.args = vec![GenericArg::Type(Ty::Tuple(inputs))];
                trait_.assoc = vec![("Output".into(), output)];
            }
        }
        if let Some(ItemEnum::Trait(def)) = name.item.map(|item| &item.inner) {
            self.fill_defaults(&def.generics, &mut trait_.args);
        }
        trait_
    }

    /// Inputs and output of `fn(..)` or `Fn(..)`: what is elided is higher-ranked.
    fn fn_sugar<'t>(
        &mut self,
        inputs: impl Iterator<Item = &'t Type>,
        output: Option<&Type>,
    ) -> (Vec<Ty>, Ty) {
        let n_mentioned = self.mentioned.len();
        let inputs: Vec<Ty> = self.with_elision(Elision::Bound, |scope| {
            inputs.map(|ty| scope.ty(ty)).collect()
        });
        let lender = self.mentioned.get(n_mentioned).copied();
        let elision = lender.map_or(Elision::Bound, Elision::Fixed);
        let output = output.map_or(Ty::unit(), |ty| {
            self.with_elision(elision, |scope| scope.ty(ty))
        });
        (inputs, output)
    }

    fn arg(&mut self, arg: &JsonArg) -> GenericArg {
        match arg {
            JsonArg::Lifetime(name) => GenericArg::Region(self.region(Some(name))),
            JsonArg::Type(ty) => GenericArg::Type(self.ty(ty)),
            JsonArg::Const(constant) => {
                let text = constant.value.as_ref().unwrap_or(&constant.expr);
                match self.length(text) {
                    Some(text) => GenericArg::Const(text),
                    None => GenericArg::Type(Ty::Unsupported(
                        format!("constant `{}`", constant.expr).into(),
                    )),
                }
            }
            JsonArg::Infer => GenericArg::Type(Ty::Unsupported("inferred argument".into())),
        }
    }

    /// A constant in a type: a literal or the name of a parameter.
    fn length(&self, text: &str) -> Option<Arc<str>> {
        let text = text.trim_start_matches('{').trim_end_matches('}').trim();
        if let Some(known) = self.frame.as_ref().and_then(|f| f.consts.get(text)) {
            return Some(known.clone());
        }
        let digits = text.trim_end_matches("usize").trim_end_matches('_');
        let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        if is_number {
            return Some(digits.into());
        }
        let is_param = self.generics.iter().any(|p| &*p.name == text);
        let is_literal = matches!(text, "true" | "false")
            || text.starts_with('\'')
            || text.starts_with('-')
            || text.starts_with(|c: char| c.is_ascii_digit());
        (is_param || is_literal).then(|| text.into())
    }

    /// Arguments that are left out where the definition has defaults.
    fn fill_defaults(&mut self, generics: &Generics, args: &mut Vec<GenericArg>) {
        let n_lifetimes = |args: &[GenericArg]| {
            args.iter()
                .filter(|arg| matches!(arg, GenericArg::Region(_)))
                .count()
        };
        let declared: Vec<_> = generics
            .params
            .iter()
            .filter(|p| {
                !matches!(&p.kind, GenericParamDefKind::Type { is_synthetic, .. } if *is_synthetic)
            })
            .collect();
        let n_declared = declared
            .iter()
            .filter(|p| matches!(p.kind, GenericParamDefKind::Lifetime { .. }))
            .count();
        while n_lifetimes(args) < n_declared {
            let region = self.region(None);
            args.insert(n_lifetimes(args), GenericArg::Region(region));
        }
        for i in args.len()..declared.len() {
            let frame = Frame::of(&declared, args);
            let outer = self.frame.replace(frame);
            let arg = match &declared[i].kind {
                GenericParamDefKind::Type {
                    default: Some(default),
                    ..
                } => {
                    // `Self` in a trait's default is the implementing type; the frame hides it.
                    Some(GenericArg::Type(self.ty(default)))
                }
                GenericParamDefKind::Const {
                    default: Some(default),
                    ..
                } => self.length(default).map(GenericArg::Const),
                _ => None,
            };
            self.frame = outer;
            match arg {
                Some(arg) => args.push(arg),
                None => return,
            }
        }
    }

    /// A type.
    pub(super) fn ty(&mut self, ty: &Type) -> Ty {
        self.ty_in(ty, Region::Static)
    }

    fn unsupported(text: impl Into<Arc<str>>) -> Ty {
        Ty::Unsupported(text.into())
    }

    /// A type where `dyn Trait` without a lifetime means `dyn Trait + object`.
    fn ty_in(&mut self, ty: &Type, object: Region) -> Ty {
        if self.depth > 64 {
            return Self::unsupported("a type nested too deeply");
        }
        self.depth += 1;
        let ty = self.ty_of(ty, object);
        self.depth -= 1;
        ty
    }

    fn ty_of(&mut self, ty: &Type, object: Region) -> Ty {
        match ty {
            Type::ResolvedPath(path) => self.path(path),
            Type::DynTrait(object_ty) => self.dyn_trait(object_ty, object),
            Type::Generic(name) => self.generic(name),
            Type::Primitive(name) => match name.as_str() {
                "str" => Ty::Str,
                "never" => Ty::Prim(Prim::Never),
                "unit" => Ty::unit(),
                name => Prim::from_name(name)
                    .map_or_else(|| Self::unsupported(format!("`{name}`")), Ty::Prim),
            },
            Type::FunctionPointer(pointer) => self.fn_pointer(pointer),
            Type::Tuple(parts) => Ty::Tuple(parts.iter().map(|ty| self.ty(ty)).collect()),
            Type::Slice(of) => Ty::Slice(Box::new(self.ty(of))),
            Type::Array { type_, len } => {
                let of = self.ty(type_);
                match self.length(len) {
                    Some(len) => Ty::Array(Box::new(of), len),
                    None => Self::unsupported(format!("array of length `{len}`")),
                }
            }
            Type::Pat { .. } => Self::unsupported("pattern type"),
            Type::ImplTrait(bounds) => self.impl_trait(bounds),
            Type::Infer => Self::unsupported("inferred type"),
            Type::RawPointer { is_mutable, type_ } => Ty::RawPtr {
                mutable: *is_mutable,
                to: Box::new(self.ty(type_)),
            },
            Type::BorrowedRef {
                lifetime,
                is_mutable,
                type_,
            } => {
                let region = self.region(lifetime.as_deref());
                Ty::Ref {
                    region,
                    mutable: *is_mutable,
                    to: Box::new(self.ty_in(type_, region)),
                }
            }
            Type::QualifiedPath {
                name,
                args,
                self_type,
                trait_,
            } => self.qualified(name, args.as_deref(), self_type, trait_.as_ref()),
        }
    }

    fn dyn_trait(&mut self, object_ty: &DynTrait, object: Region) -> Ty {
        let traits = object_ty
            .traits
            .iter()
            .map(|poly| {
                self.with_bound(&poly.generic_params, |scope| scope.trait_ref(&poly.trait_))
            })
            .collect();
        let bound = match object_ty.lifetime.as_deref() {
            None => object,
            written => self.region(written),
        };
        Ty::Dyn { traits, bound }
    }

    fn fn_pointer(&mut self, pointer: &FunctionPointer) -> Ty {
        self.with_bound(&pointer.generic_params, |scope| {
            let inputs = pointer.sig.inputs.iter().map(|(_, ty)| ty);
            let (inputs, output) = scope.fn_sugar(inputs, pointer.sig.output.as_ref());
            if pointer.header.is_unsafe || !matches!(pointer.header.abi, rustdoc_types::Abi::Rust) {
                return Self::unsupported("unsafe or foreign function pointer");
            }
            Ty::FnPtr {
                inputs,
                output: Box::new(output),
            }
        })
    }

    /// `<of as trait>::name`, or what the impl that is read says it is.
    fn qualified(
        &mut self,
        name: &str,
        args: Option<&GenericArgs>,
        of: &Type,
        trait_: Option<&Path>,
    ) -> Ty {
        let args: Vec<GenericArg> = match args {
            Some(GenericArgs::AngleBracketed { args, .. }) => {
                args.iter().map(|arg| self.arg(arg)).collect()
            }
            _ => Vec::new(),
        };
        let of_ty = self.ty(of);
        let is_self = Some(&of_ty) == self.self_ty.as_ref();
        let mut trait_ = trait_.map(|path| Box::new(self.trait_ref(path)));
        let own = self.impl_trait.as_ref();
        let of_impl = is_self
            && trait_
                .as_ref()
                .is_none_or(|t| own.is_some_and(|own| own.path == t.path));
        // `Self::Output` in `impl IndexMut<I>` is that of `Index<I>`.
        if let (Some(trait_), Some(own), true) = (&mut trait_, own, is_self)
            && trait_.args.is_empty()
            && own.name() == "IndexMut"
        {
            trait_.args = own.args.clone();
        }
        if let Some(trait_) = &mut trait_
            && trait_.args.is_empty()
        {
            trait_.args = self.stated_args(&of_ty, &trait_.path);
        }
        let known = self.assoc.iter().find(|(n, _)| **n == *name);
        match known {
            Some((_, ty)) if of_impl && args.is_empty() => ty.clone(),
            _ => Ty::Assoc {
                of: Box::new(of_ty),
                trait_,
                name: name.into(),
                args,
            },
        }
    }

    /// The arguments of a trait by the bound on this type: the short form `I::Output` leaves them to it.
    fn stated_args(&self, on_ty: &Ty, path: &str) -> Vec<GenericArg> {
        let says = |of: &TraitRef| {
            let of_mut = &*of.path == "std::ops::IndexMut";
            *of.path == *path || of_mut && path == "std::ops::Index"
        };
        let stated = self.bounds.iter().find_map(|bound| match bound {
            Bound::Trait { on, trait_: of } if on == on_ty && says(of) => Some(of.args.clone()),
            _ => None,
        });
        stated.unwrap_or_default()
    }

    fn generic(&mut self, name: &str) -> Ty {
        if let Some(ty) = self.frame.as_ref().and_then(|frame| frame.types.get(name)) {
            return ty.clone();
        }
        if name == "Self"
            && let Some(self_ty) = &self.self_ty
        {
            return self_ty.clone();
        }
        Ty::Param(name.into())
    }

    fn impl_trait(&mut self, bounds: &[GenericBound]) -> Ty {
        if self.in_inputs {
            let name: Arc<str> = format!("impl{}", self.n_synthetic).into();
            self.n_synthetic += 1;
            self.generics.push(GenericParam {
                name: name.clone(),
                kind: GenericKind::Type {
                    default: None,
                    synthetic: true,
                },
            });
            let param = Ty::Param(name);
            self.bounds_on(&param, bounds);
            return param;
        }
        let traits = bounds
            .iter()
            .filter_map(|bound| match bound {
                GenericBound::TraitBound {
                    trait_,
                    generic_params,
                    ..
                } => Some(self.with_bound(generic_params, |scope| scope.trait_ref(trait_))),
                _ => None,
            })
            .collect();
        Ty::Opaque { traits }
    }

    fn path(&mut self, path: &Path) -> Ty {
        let name = self.reader.names.resolve(path.id, &path.path);
        let mut args: Vec<GenericArg> = match path.args.as_deref() {
            Some(GenericArgs::AngleBracketed { args, .. }) => {
                args.iter().map(|arg| self.arg(arg)).collect()
            }
            _ => Vec::new(),
        };
        match name.item.map(|item| &item.inner) {
            Some(ItemEnum::TypeAlias(alias)) => {
                self.fill_defaults(&alias.generics, &mut args);
                let declared: Vec<_> = alias.generics.params.iter().collect();
                let outer = self.frame.replace(Frame::of(&declared, &args));
                let ty = self.ty(&alias.type_);
                self.frame = outer;
                return ty;
            }
            Some(ItemEnum::Struct(def)) => self.fill_defaults(&def.generics, &mut args),
            Some(ItemEnum::Enum(def)) => self.fill_defaults(&def.generics, &mut args),
            Some(ItemEnum::Union(def)) => self.fill_defaults(&def.generics, &mut args),
            Some(_) => return Self::unsupported(format!("`{}` as a type", path.path)),
            None if name.kind == Some(ItemKind::TypeAlias) && name.is_std => {
                return std_paths::alias(&name.path, &args)
                    .unwrap_or_else(|| Self::unsupported(format!("alias `{}`", name.path)));
            }
            None if name.kind == Some(ItemKind::TypeAlias) => {
                if let Some(ty) = self.reader.names.expand_alias(&name.path, &args) {
                    return ty;
                }
            }
            None => {}
        }
        Ty::Adt {
            path: name.path,
            args,
        }
    }
}

impl Frame {
    fn of(declared: &[&GenericParamDef], args: &[GenericArg]) -> Frame {
        let mut frame = Frame::default();
        for (param, arg) in declared.iter().zip(args) {
            let name = param.name.clone();
            match arg {
                GenericArg::Region(region) => {
                    frame.regions.insert(name, *region);
                }
                GenericArg::Type(ty) => {
                    frame.types.insert(name, ty.clone());
                }
                GenericArg::Const(text) => {
                    frame.consts.insert(name, text.clone());
                }
            }
        }
        frame
    }
}
