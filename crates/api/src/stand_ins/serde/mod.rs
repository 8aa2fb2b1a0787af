//! A data format: what is asked of a `Serializer` and a `Deserializer` is shown as text.
//!
//! serde publishes no serializer that takes everything, so there is one of ours, which writes text
//! much like JSON, and a deserializer that reads what it wrote; a function takes a value from the
//! one to the other. The deserializer takes any text: what means nothing else is a string. For
//! strings that look like something else there is serde's own. The error is ours, because how much
//! serde's says depends on features that others may switch on; it says what was expected and not
//! what was found, because every test would find something else.
//!
//! **serde's data model is text.** For `S: Serializer` and `D: Deserializer` (by where the traits
//! are defined, whatever the package calls serde) there are stand-ins (`stand_ins/serde/`) that
//! write and read something like JSON, and `written(&value)` leads from one to the other: no
//! literal would ever hit upon the fields of a struct. Whatever means nothing else is a string, so
//! that no refusal is our reader's own; messages are kept by an error of ours, since serde's loses
//! them without `std`.

use std::sync::Arc;

use super::implement::Written;
use crate::api::Api;
use crate::api::{STAND_INS, StandIn};
use crate::callable::{Bound, Callable, CallableKind, Docs, Field, Fields, Implementor, Param};
use crate::ty::{GenericArg, Region, RegionIdx, TraitRef, Ty};

const TO_TEXT: &str = include_str!("to_text.rs");
const FROM_TEXT: &str = include_str!("from_text.rs");
const REFUSAL: &str = include_str!("refusal.rs");
const WRITTEN: &str = include_str!("written.rs");

/// What the function is for that serializes.
const WAY_BACK: &str = "What is serialized, to be deserialized again.";

/// Where serde defines its traits: later versions have a crate for them alone.
const HOMES: [&str; 2] = ["serde", "serde_core"];

/// The region of what a deserializer reads from.
const LENDER: Region = Region::Var(RegionIdx(0));
/// The region of what it gives.
const GIVEN: Region = Region::Var(RegionIdx(1));

/// Names of ours, which nothing of the crate's has.
struct Names {
    to_text: Arc<str>,
    parts: Arc<str>,
    from_text: Arc<str>,
    refusal: Arc<str>,
    written: Arc<str>,
}

impl Api {
    /// Adds a serializer and deserializers, if something asks for them.
    pub fn add_data_format(&mut self) {
        let names = Names {
            to_text: self.free_name("ToText"),
            parts: self.free_name("TextParts"),
            from_text: self.free_name("FromText"),
            refusal: self.free_name("Refusal"),
            written: self.free_name("written"),
        };
        let serializer = self.asked_of_serde("ser", "Serializer");
        let deserializer = self.asked_of_serde("de", "Deserializer");
        if let Some(path) = &serializer {
            self.add_serializer(&names, path);
        }
        if let Some(path) = &deserializer {
            self.add_deserializers(&names, path);
        }
        if let (Some(path), Some(_)) = (&serializer, &deserializer) {
            self.add_way_back(&names, path);
        }
    }

    /// The name that the crate's callables have for an item of serde's.
    fn of_serde(&self, module: &str, name: &str) -> Option<Arc<str>> {
        let mut definitions = HOMES.iter().map(|home| format!("{home}::{module}::{name}"));
        definitions.find_map(|it| self.foreign.get(&*it)?.clone())
    }

    /// The trait's name, if it is among the bounds of a callable.
    fn asked_of_serde(&self, module: &str, name: &str) -> Option<Arc<str>> {
        let path = self.of_serde(module, name)?;
        let is_asked =
            |bound: &Bound| matches!(bound, Bound::Trait { trait_, .. } if trait_.path == path);
        let mut bounds = self.callables.iter().flat_map(|it| &it.bounds);
        bounds.any(is_asked).then_some(path)
    }

    fn add_serializer(&mut self, names: &Names, trait_: &Arc<str>) {
        let about = "Writes what is serialized as text, much like JSON.";
        let to_text = stand_in(names, trait_, &names.to_text, about, TO_TEXT);
        let mut to_text = type_of(to_text, Fields::Unit);
        let assoc = vec![
            ("Ok".into(), string()),
            ("Error".into(), Ty::adt("std::fmt::Error", [])),
        ];
        to_text.implements(trait_, Vec::new(), assoc);
        to_text.join(self);
    }

    fn add_deserializers(&mut self, names: &Names, trait_: &Arc<str>) {
        let about = "Why something cannot be deserialized.";
        let refusal = stand_in(names, trait_, &names.refusal, about, REFUSAL);
        let mut refusal = type_of(refusal, tuple(string()));
        for path in ["std::error::Error", "std::fmt::Display"] {
            refusal.implements(&path.into(), Vec::new(), Vec::new());
        }
        let error = refusal.self_ty.clone();
        refusal.join(self);

        let about = "Reads text, much like JSON, as what is to be deserialized.";
        let from_text = stand_in(names, trait_, &names.from_text, about, FROM_TEXT);
        let mut from_text = type_of(from_text, tuple(string()));
        let assoc = vec![("Error".into(), error.clone())];
        from_text.implements(trait_, vec![GenericArg::Region(GIVEN)], assoc);
        from_text.join(self);
        self.add_string_deserializer(trait_, &error);
    }

    /// serde's own, which `new` makes of a string.
    fn add_string_deserializer(&mut self, trait_: &Arc<str>, error: &Ty) {
        let path: Arc<str> = format!("{}::de::value::StrDeserializer", serde_of(trait_)).into();
        let ty = Ty::Adt {
            path: path.clone(),
            args: vec![GenericArg::Region(LENDER), GenericArg::Type(error.clone())],
        };
        let kind = CallableKind::Inherent {
            self_ty: ty.clone(),
            name: "new".into(),
            has_self: false,
        };
        let text = Param {
            name: "value".into(),
            ty: Ty::Ref {
                region: LENDER,
                mutable: false,
                to: Box::new(Ty::Str),
            },
        };
        self.beside.push(Callable {
            key: format!("{path}::new").into(),
            kind,
            generics: Vec::new(),
            bounds: Vec::new(),
            n_regions: 1,
            outlives: Vec::new(),
            inputs: vec![text],
            output: ty.clone(),
            docs: Docs::default(),
            counted: false,
            derived: false,
            is_unsafe: false,
            skip: None,
        });
        self.impls.push(Implementor {
            self_ty: ty,
            trait_: reference(trait_, vec![GenericArg::Region(GIVEN)]),
            generics: Vec::new(),
            bounds: Vec::new(),
            assoc: vec![("Error".into(), error.clone())],
        });
    }

    /// What can be serialized is what deserializers read.
    fn add_way_back(&mut self, names: &Names, serializer: &Arc<str>) {
        let Some(serialize) = self.of_serde("ser", "Serialize") else {
            return;
        };
        let written = stand_in(names, serializer, &names.written, WAY_BACK, WRITTEN);
        let path: Arc<str> = written.path().into();
        let output = Ty::adt(&format!("{STAND_INS}::{}", names.from_text), []);
        let is_it = |it: &&Callable| matches!(&it.kind, CallableKind::Trait { trait_, .. } if trait_.path == serialize);
        let callables = self.callables.iter().filter(is_it);
        let ways = callables.filter_map(|it| way_back(it, &path, &output));
        let ways: Vec<Callable> = ways.collect();
        self.beside.extend(ways);
        self.stand_ins.push(written);
    }
}

impl Api {
    /// The name of the function that serializes, to be deserialized again.
    pub(crate) fn way_back(&self) -> Option<&Arc<str>> {
        let found = self.stand_ins.iter().find(|it| &*it.about == WAY_BACK);
        found.map(|it| &it.name)
    }
}

/// The callable that serializes, without its serializer.
fn way_back(serialize: &Callable, path: &Arc<str>, output: &Ty) -> Option<Callable> {
    let [value, serializer] = serialize.inputs.as_slice() else {
        return None;
    };
    let is_serializer = |ty: &Ty| ty.any(&mut |node| *node == serializer.ty);
    let is_other = |bound: &&Bound| match bound {
        Bound::Trait { on, .. } | Bound::Outlives { on, .. } => !is_serializer(on),
    };
    let generics = serialize.generics.iter();
    let generics = generics.filter(|it| !is_serializer(&Ty::Param(it.name.clone())));
    Some(Callable {
        key: format!("{path} {}", serialize.key).into(),
        kind: CallableKind::Function { path: path.clone() },
        generics: generics.cloned().collect(),
        bounds: serialize.bounds.iter().filter(is_other).cloned().collect(),
        inputs: vec![value.clone()],
        output: output.clone(),
        docs: Docs::default(),
        counted: false,
        derived: false,
        ..serialize.clone()
    })
}

/// A stand-in of this text, where names stand for ours and `::serde` for the crate.
fn stand_in(names: &Names, trait_: &Arc<str>, name: &Arc<str>, about: &str, text: &str) -> StandIn {
    let by = [
        ("ToText", &names.to_text),
        ("TextParts", &names.parts),
        ("FromText", &names.from_text),
        ("Refusal", &names.refusal),
        ("fn written", &format!("fn {}", names.written).into()),
        ("::serde::", &format!("::{}::", serde_of(trait_)).into()),
    ];
    let replaced = by
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    StandIn {
        name: name.clone(),
        about: about.into(),
        items: vec![replaced],
        traits: vec![trait_.clone()],
        wanted: trait_.clone(),
    }
}

fn type_of(stand_in: StandIn, fields: Fields) -> Written {
    let mut written = Written {
        self_ty: Ty::adt(&stand_in.path(), []),
        stand_in,
        fields,
        impls: Vec::new(),
        provided: Vec::new(),
    };
    for path in [
        "std::clone::Clone",
        "std::fmt::Debug",
        "std::cmp::PartialEq",
    ] {
        written.implements(&path.into(), Vec::new(), Vec::new());
    }
    written
}

impl Written {
    fn implements(&mut self, path: &Arc<str>, args: Vec<GenericArg>, assoc: Vec<(Arc<str>, Ty)>) {
        self.impls.push(Implementor {
            self_ty: self.self_ty.clone(),
            trait_: reference(path, args),
            generics: Vec::new(),
            bounds: Vec::new(),
            assoc,
        });
    }
}

/// The crate, or what re-exports it, by the path of one of its traits: `a::Serializer` or
/// `a::ser::Serializer`.
fn serde_of(trait_: &str) -> &str {
    let module = trait_.rsplit_once("::").map_or("", |(module, _)| module);
    let whole = ["::ser", "::de"]
        .iter()
        .find_map(|it| module.strip_suffix(it));
    whole.unwrap_or(module)
}

fn reference(path: &Arc<str>, args: Vec<GenericArg>) -> TraitRef {
    TraitRef {
        path: path.clone(),
        args,
        assoc: Vec::new(),
    }
}

fn tuple(ty: Ty) -> Fields {
    let name = "0".into();
    Fields::Tuple(vec![Field { name, ty }])
}

fn string() -> Ty {
    Ty::adt("std::string::String", [])
}
