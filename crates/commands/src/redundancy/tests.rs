//! Suites of a made-up stack of integers.

use std::collections::BTreeSet;

use testsmith_api::{
    Callable, CallableId, CallableKind, Catalogue, Docs, Form, Input, Operation, OperationId,
    Origin, Pass, Prim, Region, RegionIdx, Regioned, Signature, Ty,
};
use testsmith_protocol::{Caps, Value};
use testsmith_sequence::{World, text};

use super::suites::{KINDS, Suite, subjects, suite};
use crate::defaults::{Defaults, Given, Rows};

/// A function of the crate. `has_self` says whether it has a receiver, `derived` whether the
/// compiler wrote it.
struct Function<'f> {
    name: &'static str,
    inputs: Vec<(&'f Regioned, Pass)>,
    output: &'f Regioned,
    has_self: bool,
    derived: bool,
}

fn world() -> World {
    let mut catalogue = Catalogue::default();
    catalogue.api.krate = "krate".into();
    let adt = |path: &str| Ty::Adt {
        path: path.into(),
        args: Vec::new(),
    };
    let stack_ty = adt("krate::Stack");
    let types = &mut catalogue.types;
    let int = types.intern(&Ty::Prim(Prim::I32));
    let size = types.intern(&Ty::Prim(Prim::Usize));
    let flag = types.intern(&Ty::Prim(Prim::Bool));
    let unit = types.intern(&Ty::Tuple(Vec::new()));
    let stack = types.intern(&stack_ty);
    let nobody_s = types.intern(&adt("std::thread::Thread"));
    let region = Region::Var(RegionIdx(0));
    let (by_ref, by_mut) = (Pass::Shared(region), Pass::Mut(region));
    let method = |name, inputs, output| Function {
        name,
        inputs,
        output,
        has_self: true,
        derived: false,
    };
    let functions = [
        Function {
            has_self: false,
            ..method("new", vec![], &stack)
        },
        method("push", vec![(&stack, by_mut), (&int, Pass::Value)], &unit),
        method("pop", vec![(&stack, by_mut)], &int),
        method("eq", vec![(&stack, by_ref), (&stack, by_ref)], &flag),
        method("into_len", vec![(&stack, Pass::Value)], &size),
        method("hand", vec![(&stack, by_ref), (&nobody_s, by_ref)], &unit),
        Function {
            derived: true,
            ..method("clone", vec![(&stack, by_ref)], &stack)
        },
    ];
    for (function, n) in functions.into_iter().zip(0..) {
        let input = |(ty, pass): &(&Regioned, Pass)| Input {
            name: "x".into(),
            ty: (*ty).clone(),
            pass: *pass,
            generic: false,
        };
        let signature = Signature {
            n_regions: 1,
            inputs: function.inputs.iter().map(input).collect(),
            output: function.output.clone(),
            outlives: Vec::new(),
        };
        let (key, has_self) = (function.name, function.has_self);
        catalogue.operations.push(Operation {
            key: key.into(),
            origin: Origin::Callable(CallableId(n)),
            form: Form::Inherent {
                self_ty: stack_ty.clone(),
                name: key.into(),
                turbofish: Vec::new(),
                has_self,
            },
            opaque: false,
            formatter: None,
            reading: None,
            signature,
        });
        catalogue.api.callables.push(Callable {
            key: key.into(),
            kind: CallableKind::Inherent {
                self_ty: stack_ty.clone(),
                name: key.into(),
                has_self,
            },
            generics: Vec::new(),
            bounds: Vec::new(),
            n_regions: 1,
            outlives: Vec::new(),
            inputs: Vec::new(),
            output: stack_ty.clone(),
            docs: Docs::default(),
            counted: true,
            derived: function.derived,
            is_unsafe: false,
            skip: None,
        });
    }
    let mut caps = vec![Caps::default(); catalogue.types.len()];
    for literal in [&int, &size, &flag] {
        caps[literal.ty.0 as usize] = Caps::LITERAL.with(Caps::COPY);
    }
    World { catalogue, caps }
}

fn only_suite(world: &World, kind: usize) -> Suite {
    let subjects = subjects(world, |_| true);
    let mut subjects = subjects.values();
    let (Some(subject), None) = (subjects.next(), subjects.next()) else {
        panic!("one type has a constructor and methods");
    };
    suite(world, subject, KINDS[kind])
}

#[test]
fn all_sequences_of_three_calls_are_there_once_the_shorter_ones_first() {
    let world = world();
    let suite = only_suite(&world, 1);
    // The calls are push(0), push(1), pop, eq(new()) and into_len; after the last there is no value
    // to call.
    assert_eq!(suite.tests.len(), 5 + 4 * 5 + 4 * 4 * 5);
    let distinct: BTreeSet<String> = suite.tests.iter().map(|it| text(&world, it)).collect();
    assert_eq!(distinct.len(), suite.tests.len());
    let n_methods = |at: usize| {
        let lines = text(&world, &suite.tests[at]);
        lines.lines().filter(|it| !it.contains("= new(")).count()
    };
    assert_eq!([0, 5, 25, 104].map(n_methods), [1, 2, 3, 3]);
    assert_eq!(suite.n_rejected, 0);
}

#[test]
fn single_calls_follow_constructors_alone_over_more_arguments() {
    let world = world();
    let suite = only_suite(&world, 2);
    let texts: Vec<String> = suite.tests.iter().map(|it| text(&world, it)).collect();
    let expected = [
        "s0 = new()\n",
        "s0 = new()\ns1 = push(&mut s0, Int(-1))\n",
        "s0 = new()\ns1 = push(&mut s0, Int(0))\n",
        "s0 = new()\ns1 = push(&mut s0, Int(1))\n",
        "s0 = new()\ns1 = pop(&mut s0)\n",
        "s0 = new()\ns1 = new()\ns2 = eq(&s0, &s1)\n",
        "s0 = new()\ns1 = into_len(move s0)\n",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn what_nobody_can_make_and_what_the_compiler_wrote_is_left_out() {
    let world = world();
    let suite = only_suite(&world, 0);
    let key = |id: &OperationId| &*world.catalogue.operation(*id).key;
    let left_out: Vec<&str> = suite.without_arguments.iter().map(key).collect();
    assert_eq!(left_out, ["hand"]);
    let calls_clone = |test: &_| text(&world, test).contains("clone");
    assert!(!suite.tests.iter().any(calls_clone));
}

#[test]
fn choices_stand_side_by_side_or_in_all_combinations() {
    let mut world = world();
    let flag = world.catalogue.types.find(&Ty::Prim(Prim::Bool));
    let size = world.catalogue.types.find(&Ty::Prim(Prim::Usize));
    // A constructor of two parameters, of which one cannot be negative.
    let mut operation = world.catalogue.operations[1].clone();
    for (input, ty) in operation.signature.inputs.iter_mut().zip([size, flag]) {
        input.ty.ty = ty.expect("it is there");
        input.pass = Pass::Value;
    }
    world.catalogue.operations.push(operation);
    let op = OperationId(world.catalogue.operations.len() as u32 - 1);
    let defaults = Defaults::new(&world, &[-1, 0, 1]);
    let row = |n, flag| [Value::UInt(n), Value::Bool(flag)].map(Given::Literal);
    let side = defaults.rows(op, 0, Rows::Side);
    assert_eq!(side, [row(0, false), row(1, true)]);
    let product = defaults.rows(op, 0, Rows::Product);
    let expected = [row(0, false), row(0, true), row(1, false), row(1, true)];
    assert_eq!(product, expected);
}
