//! A type whose values are counted: those that are alive, each dropped once.
//!
//! **What drops is counted.** A type with a `Drop` of its own gets one more instance, at a type of
//! ours that counts its values (`stand_ins/counter.rs`): after everything is dropped none may be
//! alive, and no more than there were. Tests with it are written for failures only; other instances
//! show the same with values that say something.

use std::sync::Arc;

use crate::api::Api;
use crate::api::{STAND_INS, StandIn};
use crate::callable::{Adt, Callable, CallableKind, Docs, Fields, Implementor, Param, Shape};
use crate::ty::{Prim, Region, RegionIdx, TraitRef, Ty};

const COUNTER: &str = include_str!("counter/counter.rs");
const COUNTED: &str = include_str!("counter/counted.rs");

/// What can be asked of a counted value.
const TRAITS: [&str; 7] = [
    "std::clone::Clone",
    "std::fmt::Debug",
    "std::cmp::PartialEq",
    "std::cmp::Eq",
    "std::cmp::PartialOrd",
    "std::cmp::Ord",
    "std::hash::Hash",
];

impl Api {
    /// Adds values that are counted, if the crate drops what others gave to it by itself.
    pub fn add_counter(&mut self) {
        if self.dropping.is_empty() {
            return;
        }
        let counter = self.free_name("Counter");
        let counted = self.free_name("Counted");
        let stand_in = |name: &Arc<str>, about: &str, text: &str| StandIn {
            name: name.clone(),
            about: about.into(),
            items: vec![
                text.replace("Counter", &counter)
                    .replace("Counted", &counted),
            ],
            traits: Vec::new(),
            wanted: format!("counted {name}").into(),
        };
        let of_counter = stand_in(&counter, "Knows how many of its values are alive.", COUNTER);
        let of_counted = stand_in(&counted, "A value that is counted.", COUNTED);
        let ty = |name: &str| Ty::adt(&format!("{STAND_INS}::{name}"), []);
        let (counter, counted) = (ty(&counter), ty(&counted));
        for (stand_in, self_ty, traits) in [
            (of_counter, &counter, &TRAITS[1..2]),
            (of_counted, &counted, &TRAITS[..]),
        ] {
            let impls = traits.iter().map(|path| Implementor {
                self_ty: self_ty.clone(),
                trait_: TraitRef {
                    path: (*path).into(),
                    args: Vec::new(),
                    assoc: Vec::new(),
                },
                generics: Vec::new(),
                bounds: Vec::new(),
                assoc: Vec::new(),
            });
            self.impls.extend(impls);
            let path: Arc<str> = stand_in.path().into();
            let adt = Adt {
                path: path.clone(),
                self_ty: self_ty.clone(),
                generics: Vec::new(),
                bounds: Vec::new(),
                sized: true,
                deprecated: false,
                panics: None,
                shape: Shape::Struct {
                    fields: Fields::Unit,
                    all_public: false,
                },
            };
            self.adts.insert(path, adt);
            self.stand_ins.push(stand_in);
        }
        self.name_stand_ins();
        let receiver = Param {
            name: "self".into(),
            ty: Ty::Ref {
                region: Region::Var(RegionIdx(0)),
                mutable: false,
                to: Box::new(counter.clone()),
            },
        };
        let id = Param {
            name: "id".into(),
            ty: Ty::Prim(Prim::U8),
        };
        self.beside
            .push(function(&counter, "new", Vec::new(), counter.clone()));
        self.beside.push(function(
            &counter,
            "item",
            vec![receiver, id],
            counted.clone(),
        ));
        self.counted = Some((counter, counted));
    }

    /// The type that counts values and that of the values, unless rustc refused them.
    pub(crate) fn counted(&self) -> Option<&(Ty, Ty)> {
        let is_there = |ty: &Ty| {
            let mut stand_ins = self.stand_ins.iter();
            stand_ins.any(|it| matches!(ty, Ty::Adt { path, .. } if **path == *it.path()))
        };
        let counted = self.counted.as_ref()?;
        (is_there(&counted.0) && is_there(&counted.1)).then_some(counted)
    }
}

fn function(self_ty: &Ty, name: &str, inputs: Vec<Param>, output: Ty) -> Callable {
    let has_self = !inputs.is_empty();
    Callable {
        key: format!("{}::{name}", self_ty.render(&crate::ty::KeyNames)).into(),
        kind: CallableKind::Inherent {
            self_ty: self_ty.clone(),
            name: name.into(),
            has_self,
        },
        generics: Vec::new(),
        bounds: Vec::new(),
        n_regions: u32::from(has_self),
        outlives: Vec::new(),
        inputs,
        output,
        docs: Docs::default(),
        counted: false,
        derived: false,
        is_unsafe: false,
        skip: None,
    }
}
