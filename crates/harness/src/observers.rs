//! Generates code that describes values: one function for each type, by the type's structure.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use testsmith_api::{
    Api, Callable, CallableKind, Field, Fields, FullNames, GenericArg, Names as _, Prim, Shape,
    Substitution, Ty, erase, last_segment,
};

use crate::identifier::raw;

/// The functions generated so far, by the text of the erased type.
pub(crate) struct Observers<'a> {
    api: &'a Api,
    by_text: BTreeMap<String, usize>,
    /// The functions by index, each with the text of its type and its body.
    pub(crate) functions: Vec<(String, String)>,
    /// Types whose structural observer rustc refused. They are described by their `Debug` text, or
    /// not at all.
    refused: &'a [String],
}

impl<'a> Observers<'a> {
    pub(crate) fn new(api: &'a Api, refused: &'a [String]) -> Self {
        Observers {
            api,
            by_text: BTreeMap::new(),
            functions: Vec::new(),
            refused,
        }
    }

    /// The name of the function that describes `&ty`.
    pub(crate) fn function(&mut self, ty: &Ty) -> String {
        let (erased, _) = erase(ty);
        let text = erased.render(&FullNames);
        if let Some(idx) = self.by_text.get(&text) {
            return format!("v{idx}");
        }
        let idx = self.functions.len();
        self.by_text.insert(text.clone(), idx);
        self.functions.push((text.clone(), String::new()));
        let body = if self.refused.contains(&text) {
            "{ Look(v).look(o); Look(v).stir(o) }".to_owned()
        } else {
            self.body(&erased)
        };
        self.functions[idx].1 = body;
        format!("v{idx}")
    }

    fn body(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Prim(prim) => match prim {
                Prim::Bool => "o.bool(*v)".to_owned(),
                Prim::Char => "o.char(*v)".to_owned(),
                Prim::F32 => "o.f32(*v)".to_owned(),
                Prim::F64 => "o.f64(*v)".to_owned(),
                Prim::Never => "match *v {}".to_owned(),
                prim => match prim.int_range() {
                    Some((_, true)) => "o.int(*v as i128)".to_owned(),
                    _ => "o.uint(*v as u128)".to_owned(),
                },
            },
            Ty::Str => "o.str(v)".to_owned(),
            Ty::Tuple(parts) if parts.is_empty() => "o.unit()".to_owned(),
            Ty::Tuple(parts) => {
                let mut out = format!("o.tuple({});", parts.len());
                for (i, part) in parts.iter().enumerate() {
                    let _ = write!(out, " {}(&v.{i}, o);", self.function(part));
                }
                out
            }
            Ty::Slice(of) | Ty::Array(of, _) => {
                format!("o.list(v.iter(), |x, o| {}(x, o))", self.function(of))
            }
            Ty::Ref { to, .. } => format!("{}(&**v, o)", self.function(to)),
            Ty::Adt { path, args } => self.adt(ty, path, args),
            Ty::RawPtr { .. } | Ty::FnPtr { .. } => "o.opaque()".to_owned(),
            _ => "{ Look(v).look(o); Look(v).stir(o) }".to_owned(),
        }
    }

    fn adt(&mut self, ty: &Ty, path: &str, args: &[GenericArg]) -> String {
        let types: Vec<&Ty> = args
            .iter()
            .filter_map(|arg| match arg {
                GenericArg::Type(ty) => Some(ty),
                _ => None,
            })
            .collect();
        match (path, &types[..]) {
            ("std::string::String", _) => "o.str(v)".to_owned(),
            ("std::option::Option", [some]) => {
                let some = self.function(some);
                format!(
                    "match v {{ Some(x) => {{ o.named(\"Some\", 1); o.field(\"0\"); {some}(x, o) }} None => o.named(\"None\", 0) }}"
                )
            }
            ("std::result::Result", [ok, err]) => {
                let (ok, err) = (self.function(ok), self.function(err));
                format!(
                    "match v {{ Ok(x) => {{ o.named(\"Ok\", 1); o.field(\"0\"); {ok}(x, o) }} Err(x) => {{ o.named(\"Err\", 1); o.field(\"0\"); {err}(x, o) }} }}"
                )
            }
            ("std::task::Poll", [ready]) => {
                let ready = self.function(ready);
                format!(
                    "match v {{ ::std::task::Poll::Ready(x) => {{ o.named(\"std::task::Poll::Ready\", 1); o.field(\"0\"); {ready}(x, o) }} ::std::task::Poll::Pending => o.named(\"std::task::Poll::Pending\", 0) }}"
                )
            }
            ("std::time::Duration", _) => {
                "{ o.named(\"std::time::Duration\", 2); o.field(\"secs\"); o.uint(v.as_secs() as u128); o.field(\"nanos\"); o.uint(v.subsec_nanos() as u128) }".to_owned()
            }
            ("std::cmp::Ordering", _) => {
                "o.named(match v { ::std::cmp::Ordering::Less => \"std::cmp::Ordering::Less\", ::std::cmp::Ordering::Equal => \"std::cmp::Ordering::Equal\", ::std::cmp::Ordering::Greater => \"std::cmp::Ordering::Greater\" }, 0)".to_owned()
            }
            ("std::ops::Range", [of @ Ty::Prim(_)]) => {
                let of = self.function(of);
                format!(
                    "{{ o.named(\"std::ops::Range\", 2); o.field(\"start\"); {of}(&v.start, o); o.field(\"end\"); {of}(&v.end, o) }}"
                )
            }
            (
                "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" | "std::borrow::Cow",
                [inner],
            ) => format!("{}(&**v, o)", self.function(inner)),
            ("std::cell::RefCell", [inner]) => format!(
                "match v.try_borrow() {{ Ok(x) => {}(&*x, o), Err(_) => o.opaque() }}",
                self.function(inner)
            ),
            ("std::cell::Cell", [inner @ Ty::Prim(_)]) => {
                format!("{}(&v.get(), o)", self.function(inner))
            }
            (
                "std::vec::Vec"
                | "std::collections::VecDeque"
                | "std::collections::BTreeSet"
                | "std::collections::LinkedList",
                [of],
            ) => format!("o.list(v.iter(), |x, o| {}(x, o))", self.function(of)),
            ("std::collections::BTreeMap", [key, value]) => {
                let (key, value) = (self.function(key), self.function(value));
                format!(
                    "o.list(v.iter(), |x, o| {{ o.tuple(2); {key}(x.0, o); {value}(x.1, o) }})"
                )
            }
            ("std::collections::HashSet", [of, ..]) => {
                format!("o.unordered(v.iter(), |x, o| {}(x, o))", self.function(of))
            }
            ("std::collections::HashMap", [key, value, ..]) => {
                let (key, value) = (self.function(key), self.function(value));
                format!(
                    "o.unordered(v.iter(), |x, o| {{ o.tuple(2); {key}(x.0, o); {value}(x.1, o) }})"
                )
            }
            _ => self.local(ty, path).unwrap_or_else(|| {
                let size = if self.has_len(path) { "; o.size(v.len())" } else { "" };
                format!("{{ Look(v).look(o); Look(v).stir(o){size} }}")
            }),
        }
    }

    /// The body for a struct with only public fields, or an enum, of the crate under test.
    fn local(&mut self, ty: &Ty, path: &str) -> Option<String> {
        let adt = self.api.adts.get(path)?;
        let substitution = bind(&adt.self_ty, ty)?;
        let full = FullNames.path(path);
        match &adt.shape {
            Shape::Struct {
                fields,
                all_public: true,
            } => Some(self.fields(path, fields, &substitution, |name| {
                format!("&v.{}", raw(name))
            })),
            Shape::Enum { variants, open } => {
                let mut arms = String::new();
                let mut is_whole = !open;
                for variant in variants {
                    if !variant.usable {
                        is_whole = false;
                        continue;
                    }
                    let pattern = pattern(&full, &variant.name, &variant.fields);
                    let described = self.fields(
                        &format!("{path}::{}", variant.name),
                        &variant.fields,
                        &substitution,
                        |name| format!("f_{}", last_segment(name)),
                    );
                    let _ = write!(arms, "{pattern} => {{ {described} }} ");
                }
                if !is_whole {
                    arms.push_str("_ => { Look(v).look(o); Look(v).stir(o) },");
                }
                Some(format!("match v {{ {arms} }}"))
            }
            _ => None,
        }
    }

    /// Does a type of the crate have a `len` like containers do?
    fn has_len(&self, path: &str) -> bool {
        let is_len = |callable: &Callable| {
            matches!(&callable.kind, CallableKind::Inherent { self_ty: Ty::Adt { path: of, .. }, name, has_self: true }
                if **of == *path && &**name == "len")
                && callable.output == Ty::Prim(Prim::Usize)
                && matches!(&callable.inputs[..], [of] if matches!(of.ty, Ty::Ref { mutable: false, .. }))
                && !callable.is_unsafe
        };
        self.api.callables.iter().any(is_len)
    }

    fn fields(
        &mut self,
        path: &str,
        fields: &Fields,
        substitution: &Substitution,
        place: impl Fn(&str) -> String,
    ) -> String {
        let list = fields.list();
        let mut out = format!("o.named({path:?}, {});", list.len());
        for field in list {
            let function = self.function(&field.ty.substitute(substitution));
            let name = &*field.name;
            let _ = write!(out, " o.field({name:?}); {function}({}, o);", place(name));
        }
        out
    }
}

fn pattern(full: &str, variant: &str, fields: &Fields) -> String {
    let variant = raw(variant);
    match fields {
        Fields::Unit => format!("{full}::{variant}"),
        Fields::Tuple(list) => {
            let names: Vec<String> = list.iter().map(|f| format!("f_{}", f.name)).collect();
            format!("{full}::{variant}({})", names.join(", "))
        }
        Fields::Named(list) => {
            let name = |field: &Field| format!("{}: f_{}", raw(&field.name), field.name);
            let names: Vec<String> = list.iter().map(name).collect();
            format!("{full}::{variant} {{ {} }}", names.join(", "))
        }
    }
}

/// What an ADT's own parameters stand for in one of its instances.
fn bind(generic: &Ty, concrete: &Ty) -> Option<Substitution> {
    let (Ty::Adt { args: params, .. }, Ty::Adt { args, .. }) = (generic, concrete) else {
        return None;
    };
    if params.len() != args.len() {
        return None;
    }
    let mut substitution = Substitution::default();
    for (param, arg) in params.iter().zip(args) {
        match (param, arg) {
            (GenericArg::Type(Ty::Param(name)), GenericArg::Type(ty)) => {
                substitution.types.insert(name.clone(), ty.clone());
            }
            (GenericArg::Const(name), GenericArg::Const(value)) => {
                substitution.consts.insert(name.clone(), value.clone());
            }
            _ => {}
        }
    }
    Some(substitution)
}
