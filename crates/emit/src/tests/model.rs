//! The model of the crate in `stack.rs`, built by hand.

use std::sync::Arc;

use testsmith_api::{
    Adt, Callable, CallableId, CallableKind, Docs, Field, Fields, Form, Input, Operation,
    OperationId, Origin, Param, Pass, Prim, Region, RegionIdx, Shape, Side, Signature, TraitRef,
    Ty, Variant,
};
use testsmith_protocol::{Caps, Use, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, StepIdx, World};

use crate::{Check, Subject, TestCase, TestKind};

pub(super) struct Model {
    pub(super) world: World,
}

pub(super) fn prim(prim: Prim) -> Ty {
    Ty::Prim(prim)
}
pub(super) fn stack() -> Ty {
    Ty::adt("stack::Stack", [])
}
pub(super) fn point() -> Ty {
    Ty::adt("stack::Point", [])
}
pub(super) fn figure() -> Ty {
    Ty::adt("stack::Figure", [])
}
pub(super) fn option(ty: Ty) -> Ty {
    Ty::adt("std::option::Option", [ty])
}
pub(super) fn vec(ty: Ty) -> Ty {
    Ty::adt("std::vec::Vec", [ty])
}
pub(super) fn string() -> Ty {
    Ty::adt("std::string::String", [])
}
pub(super) fn result() -> Ty {
    Ty::adt(
        "std::result::Result",
        [stack(), Ty::adt("stack::ParseError", [])],
    )
}
pub(super) fn reference(to: Ty, mutable: bool) -> Ty {
    Ty::Ref {
        region: Region::Var(RegionIdx(0)),
        mutable,
        to: Box::new(to),
    }
}

/// How an input is passed.
pub(super) enum In {
    Value(Ty),
    Shared(Ty),
    Mut(Ty),
    /// By value, to a parameter whose type is a type parameter.
    Generic(Ty),
}

fn trait_ref(path: &str, args: &[Ty]) -> TraitRef {
    TraitRef {
        path: path.into(),
        args: args
            .iter()
            .cloned()
            .map(testsmith_api::GenericArg::Type)
            .collect(),
        assoc: Vec::new(),
    }
}

pub(super) fn inherent(self_ty: Ty, name: &str, has_self: bool) -> Form {
    Form::Inherent {
        self_ty,
        name: name.into(),
        turbofish: Vec::new(),
        has_self,
    }
}

pub(super) fn in_trait(self_ty: Ty, trait_: &str, args: &[Ty], name: &str, has_self: bool) -> Form {
    Form::Trait {
        self_ty,
        trait_: trait_ref(trait_, args),
        name: name.into(),
        turbofish: Vec::new(),
        has_self,
    }
}

fn field(name: &str, ty: Ty) -> Field {
    Field {
        name: name.into(),
        ty,
    }
}

pub(super) fn point_fields() -> Fields {
    Fields::Named(vec![
        field("x", prim(Prim::I32)),
        field("y", prim(Prim::I32)),
    ])
}

pub(super) fn segment_fields() -> Fields {
    Fields::Tuple(vec![field("0", point()), field("1", point())])
}

impl Model {
    pub(super) fn new() -> Model {
        let mut model = Model {
            world: World::default(),
        };
        let api = &mut model.world.catalogue.api;
        api.krate = "stack".into();
        let adt = |ty: Ty, shape| {
            let Ty::Adt { path, .. } = &ty else {
                unreachable!("an ADT")
            };
            let path: Arc<str> = path.clone();
            (
                path.clone(),
                Adt {
                    path,
                    self_ty: ty,
                    generics: Vec::new(),
                    bounds: Vec::new(),
                    sized: true,
                    deprecated: false,
                    panics: None,
                    shape,
                },
            )
        };
        let hidden = || Shape::Struct {
            fields: Fields::Named(Vec::new()),
            all_public: false,
        };
        api.adts.extend([
            adt(stack(), hidden()),
            adt(Ty::adt("stack::Pair", [Ty::Param("T".into())]), hidden()),
            adt(
                point(),
                Shape::Struct {
                    fields: point_fields(),
                    all_public: true,
                },
            ),
            adt(
                figure(),
                Shape::Enum {
                    variants: vec![
                        Variant {
                            name: "Dot".into(),
                            fields: Fields::Unit,
                            usable: true,
                        },
                        Variant {
                            name: "Segment".into(),
                            fields: segment_fields(),
                            usable: true,
                        },
                    ],
                    open: false,
                },
            ),
        ]);
        model
    }

    /// An operation of the crate under test.
    pub(super) fn op(&mut self, form: Form, inputs: Vec<In>, output: Ty) -> OperationId {
        self.documented(form, inputs, output, Docs::default())
    }

    pub(super) fn documented(
        &mut self,
        form: Form,
        inputs: Vec<In>,
        output: Ty,
        docs: Docs,
    ) -> OperationId {
        let generic = |ty: &Ty| {
            // The one generic type of the crate is `Pair<T>`.
            match ty {
                Ty::Adt { path, .. } if &**path == "stack::Pair" => {
                    Ty::adt("stack::Pair", [Ty::Param("T".into())])
                }
                _ => ty.clone(),
            }
        };
        let kind = match form.clone() {
            Form::Function { path, .. } => CallableKind::Function { path },
            Form::Inherent {
                self_ty,
                name,
                has_self,
                ..
            } => CallableKind::Inherent {
                self_ty: generic(&self_ty),
                name,
                has_self,
            },
            Form::Trait {
                self_ty,
                trait_,
                name,
                has_self,
                ..
            } => CallableKind::Trait {
                self_ty,
                trait_,
                name,
                has_self,
            },
            Form::StructLiteral { self_ty, fields } => {
                CallableKind::StructLiteral { self_ty, fields }
            }
            Form::Variant {
                self_ty,
                name,
                fields,
            } => CallableKind::Variant {
                self_ty,
                name,
                fields,
            },
            Form::Const { path } => CallableKind::Const { path },
            Form::AssocConst { self_ty, name } => CallableKind::AssocConst { self_ty, name },
            Form::Field { name } => CallableKind::Field {
                self_ty: point(),
                name,
            },
            Form::Unwrap(_)
            | Form::Literal
            | Form::Closure { .. }
            | Form::Recipe { .. }
            | Form::Law(_) => unreachable!("not a callable"),
        };
        let callables = &mut self.world.catalogue.api.callables;
        let id = CallableId(callables.len() as u32);
        let params = inputs
            .iter()
            .map(|input| Param {
                name: "value".into(),
                ty: match input {
                    In::Generic(_) => Ty::Param("T".into()),
                    In::Value(ty) => ty.clone(),
                    In::Shared(ty) => reference(ty.clone(), false),
                    In::Mut(ty) => reference(ty.clone(), true),
                },
            })
            .collect();
        callables.push(Callable {
            key: format!("{form:?}").into(),
            kind,
            generics: Vec::new(),
            bounds: Vec::new(),
            n_regions: 1,
            outlives: Vec::new(),
            inputs: params,
            output: output.clone(),
            docs,
            counted: true,
            derived: false,
            is_unsafe: false,
            skip: None,
        });
        self.add(Origin::Callable(id), form, inputs, output)
    }

    /// A recipe.
    pub(super) fn recipe(&mut self, form: Form, inputs: Vec<In>, output: Ty) -> OperationId {
        self.add(Origin::Recipe, form, inputs, output)
    }

    fn add(&mut self, origin: Origin, form: Form, inputs: Vec<In>, output: Ty) -> OperationId {
        let types = &mut self.world.catalogue.types;
        let inputs = inputs
            .into_iter()
            .map(|input| {
                let generic = matches!(input, In::Generic(_));
                let (In::Value(ty) | In::Generic(ty) | In::Shared(ty) | In::Mut(ty)) = &input;
                let ty = types.intern(ty);
                // The region of the borrow differs from those inside the type.
                let region = Region::Var(RegionIdx(ty.regions.len() as u32));
                let pass = match input {
                    In::Value(_) | In::Generic(_) => Pass::Value,
                    In::Shared(_) => Pass::Shared(region),
                    In::Mut(_) => Pass::Mut(region),
                };
                Input {
                    name: "item".into(),
                    ty,
                    pass,
                    generic,
                }
            })
            .collect();
        let output = types.intern(&output);
        let operations = &mut self.world.catalogue.operations;
        let id = OperationId(operations.len() as u32);
        operations.push(Operation {
            key: format!("{form:?}").into(),
            origin,
            form,
            opaque: false,
            formatter: None,
            reading: None,
            signature: Signature {
                n_regions: 2,
                inputs,
                output,
                outlives: Vec::new(),
            },
        });
        self.measure();
        id
    }

    /// Sets what the guest would measure about the types of `stack.rs`.
    fn measure(&mut self) {
        let types = &self.world.catalogue.types;
        let of = |ty: &Ty| {
            let mentions = |name: &str| {
                ty.any(&mut |ty| matches!(ty, Ty::Adt { path, .. } if path.ends_with(name)))
            };
            let comparable = !mentions("Figure") && !mentions("Drain") && !mentions("ParseError");
            let shown = !mentions("Figure") && !mentions("Drain");
            let copies = match ty {
                Ty::Prim(_) | Ty::Ref { mutable: false, .. } => true,
                Ty::Adt { path, .. } => path.ends_with("Point"),
                _ => false,
            } || *ty == option(prim(Prim::U8));
            let owns = !copies && !matches!(ty, Ty::Ref { .. }) && !ty.is_unit() && ty.any(&mut |ty| {
                matches!(ty, Ty::Adt { path, .. } if ["Stack", "Vec", "String", "Drain", "Pair"].iter().any(|name| path.ends_with(name)))
            });
            let clones = comparable && !matches!(ty, Ty::Ref { mutable: true, .. });
            Caps::LITERAL
                .with(Caps::when(comparable, Caps::EQ))
                .with(Caps::when(shown, Caps::DEBUG))
                .with(Caps::when(clones, Caps::CLONE))
                .with(Caps::when(copies, Caps::COPY))
                .with(Caps::when(owns, Caps::DROP))
        };
        self.world.caps = types.indices().map(|idx| of(&types.get(idx).ty)).collect();
    }

    pub(super) fn stack_new(&mut self) -> OperationId {
        self.op(inherent(stack(), "new", false), vec![], stack())
    }
    pub(super) fn push(&mut self) -> OperationId {
        let inputs = vec![In::Mut(stack()), In::Value(prim(Prim::U8))];
        self.op(inherent(stack(), "push", true), inputs, Ty::unit())
    }
    pub(super) fn pop(&mut self) -> OperationId {
        let inputs = vec![In::Mut(stack())];
        self.op(
            inherent(stack(), "pop", true),
            inputs,
            option(prim(Prim::U8)),
        )
    }
    pub(super) fn method(&mut self, name: &str, output: Ty) -> OperationId {
        self.op(
            inherent(stack(), name, true),
            vec![In::Shared(stack())],
            output,
        )
    }
    pub(super) fn parse(&mut self) -> OperationId {
        let inputs = vec![In::Value(reference(Ty::Str, false))];
        self.op(inherent(stack(), "parse", false), inputs, result())
    }
    pub(super) fn unwrap(&mut self, side: Side, from: Ty, to: Ty) -> OperationId {
        self.recipe(Form::Unwrap(side), vec![In::Value(from)], to)
    }
    pub(super) fn point_literal(&mut self) -> OperationId {
        let form = Form::StructLiteral {
            self_ty: point(),
            fields: point_fields(),
        };
        let inputs = vec![In::Value(prim(Prim::I32)), In::Value(prim(Prim::I32))];
        self.op(form, inputs, point())
    }
    pub(super) fn field(&mut self, name: &str) -> OperationId {
        let form = Form::Field { name: name.into() };
        let output = reference(prim(Prim::I32), false);
        self.op(form, vec![In::Shared(point())], output)
    }

    /// A sequence in which every slot is used in the natural way.
    pub(super) fn sequence(&self, calls: &[(OperationId, &[A])]) -> Sequence {
        let mut builder = Builder::new(&self.world);
        for (op, args) in calls {
            let inputs = &self.world.signature(*op).inputs;
            let args = args
                .iter()
                .zip(inputs)
                .map(|(arg, input)| match arg {
                    A::S(slot) => {
                        let slot = SlotIdx(*slot);
                        let usage = self.world.usage(input, builder.ty(slot));
                        Arg::Slot(slot, usage.unwrap_or(Use::Move))
                    }
                    A::V(value) => Arg::Literal(Arc::new(value.clone())),
                })
                .collect();
            builder
                .push(*op, args)
                .unwrap_or_else(|rejected| panic!("{rejected:?} at {op:?}"));
        }
        builder.finish()
    }

    pub(super) fn case(&self, calls: &[(OperationId, &[A])], checks: Vec<Check>) -> TestCase {
        TestCase {
            sequence: self.sequence(calls),
            checks,
            kind: TestKind::Regression,
            deprecated: false,
            acts: Vec::new(),
            worth: Default::default(),
            parts: Vec::new(),
        }
    }
}

/// An argument: a slot or a value.
pub(super) enum A {
    S(u16),
    V(Value),
}

pub(super) fn int(n: i128) -> A {
    A::V(Value::Int(n))
}
pub(super) fn uint(n: u128) -> A {
    A::V(Value::UInt(n))
}
pub(super) fn text(text: &str) -> A {
    A::V(Value::Str(text.into()))
}

/// A check of the slot's value, right after the `after`-th step.
pub(super) fn is(after: u16, slot: u16, value: Value) -> Check {
    Check {
        after: StepIdx(after),
        subject: Subject::Slot(SlotIdx(slot)),
        value,
    }
}

pub(super) fn observed(after: u16, op: OperationId, slot: u16, value: Value) -> Check {
    Check {
        after: StepIdx(after),
        subject: Subject::Observer {
            op,
            slot: SlotIdx(slot),
            then: None,
        },
        value,
    }
}
