//! The integer stack of Xie, Marinov and Notkin, with a store that keeps what was popped.

use rustc_hash::FxHashMap;
use testsmith_api::{
    CallableId, Catalogue, Form, Input, Operation, OperationId, Origin, Pass, Prim, Region,
    RegionIdx, Regioned, Signature, Ty,
};
use testsmith_protocol::{Caps, Use, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World};

use crate::{Known, Seen, Sight, StateBy, executions};

const NEW: OperationId = OperationId(0);
const PUSH: OperationId = OperationId(1);
const POP: OperationId = OperationId(2);
const IS_EMPTY: OperationId = OperationId(3);

fn world() -> World {
    let mut catalogue = Catalogue::default();
    let int = catalogue.types.intern(&Ty::Prim(Prim::I32));
    let unit = catalogue.types.intern(&Ty::Tuple(Vec::new()));
    let stack = catalogue.types.intern(&Ty::Adt {
        path: "krate::IntStack".into(),
        args: Vec::new(),
    });
    let region = Region::Var(RegionIdx(0));
    let input = |ty: &Regioned, pass| Input {
        name: "x".into(),
        ty: ty.clone(),
        pass,
        generic: false,
    };
    let by_mut = input(&stack, Pass::Mut(region));
    let by_ref = input(&stack, Pass::Shared(region));
    let value = input(&int, Pass::Value);
    let operations = [
        ("new", vec![], &stack),
        ("push", vec![by_mut.clone(), value], &unit),
        ("pop", vec![by_mut], &int),
        ("is_empty", vec![by_ref], &unit),
    ];
    for (n, (key, inputs, output)) in operations.into_iter().enumerate() {
        catalogue.operations.push(Operation {
            key: key.into(),
            origin: Origin::Callable(CallableId(n as u32)),
            form: Form::Recipe {
                template: key.into(),
            },
            opaque: false,
            formatter: None,
            reading: None,
            signature: Signature {
                n_regions: 1,
                inputs,
                output: output.clone(),
                outlives: Vec::new(),
            },
        });
    }
    let mut caps = vec![Caps::default(); catalogue.types.len()];
    caps[int.ty.0 as usize] = Caps(Caps::LITERAL.0 | Caps::COPY.0);
    World { catalogue, caps }
}

/// Makes a stack, and then makes these calls on it.
fn test(world: &World, calls: &[Call]) -> Sequence {
    let mut builder = Builder::new(world);
    let stack = builder.push(NEW, Vec::new()).expect("it takes nothing");
    for call in calls {
        let (op, args) = match call {
            Call::Push(n) => {
                let n = Arg::Literal(Value::Int(*n).into());
                (PUSH, vec![Arg::Slot(stack, Use::Mut), n])
            }
            Call::Pop => (POP, vec![Arg::Slot(stack, Use::Mut)]),
            Call::Look => (IS_EMPTY, vec![Arg::Slot(stack, Use::Shared)]),
        };
        builder.push(op, args).expect("nobody else has it");
    }
    builder.finish()
}

#[derive(Clone, Copy)]
enum Call {
    Push(i128),
    Pop,
    Look,
}

/// What a guest would have seen of the stack.
struct Played {
    /// After each step: the store, and how many of its elements count.
    stacks: Vec<(Vec<i128>, usize)>,
}

impl Played {
    fn of(sequence: &Sequence) -> Played {
        let (mut store, mut size) = (vec![0; 10], 0);
        let mut stacks = vec![(store.clone(), size)];
        for step in sequence.steps() {
            let Step::Call { op, args, .. } = step else {
                continue;
            };
            match (*op, args.get(1)) {
                (PUSH, Some(Arg::Literal(value))) => {
                    let Value::Int(n) = **value else {
                        unreachable!("stacks are of integers");
                    };
                    store[size] = n;
                    size += 1;
                }
                (POP, _) => size = usize::saturating_sub(size, 1),
                _ => {}
            }
            stacks.push((store.clone(), size));
        }
        Played { stacks }
    }
}

impl Sight for Played {
    fn seen(&self, n_steps: usize, slot: SlotIdx) -> Seen {
        if slot != SlotIdx(0) {
            return Seen::default();
        }
        let (store, size) = &self.stacks[n_steps];
        let number = |of: &[i128]| of.iter().fold(7, |sum: i128, n| sum * 31 + n + 1) as u64;
        Seen {
            state: Some(number(store) * 16 + *size as u64),
            // The size, and that many elements of the store.
            read: Some(number(&store[..*size]) * 16 + *size as u64),
            class: Some(number(&store[..*size]) as u32),
        }
    }
}

/// Which tests are redundant after those before them.
fn redundant(by: StateBy, tests: &[Sequence], world: &World) -> Vec<bool> {
    let mut known = Known::default();
    let tests = tests.iter();
    let found = tests.map(|test| {
        let executions = executions(world, test, by, &Played::of(test));
        known.learn(&executions) == 0
    });
    found.collect()
}

#[test]
fn the_paper_s_three_tests_are_judged_as_there() {
    use Call::{Look, Pop, Push};
    let world = world();
    let tests = [
        test(&world, &[Look, Push(3), Push(2), Pop, Push(5)]),
        test(&world, &[Push(3), Push(5)]),
        test(&world, &[Push(3), Push(2), Pop]),
    ];
    let judged = StateBy::ALL.map(|by| redundant(by, &tests, &world));
    let expected = [
        // whole-seq
        [false, false, false],
        // modifying-seq
        [false, false, true],
        // whole-state: the store remembers the two
        [false, false, true],
        // monitor-eq: but `==` does not read them
        [false, true, true],
        // pairwise-eq
        [false, true, true],
    ];
    assert_eq!(judged, expected.map(|it| it.to_vec()));
}

#[test]
fn each_notion_refines_the_next() {
    let world = world();
    // All executions that are one by a finer notion must be one by the coarser notion as well.
    for pair in StateBy::ALL.windows(2) {
        let mut coarser_of = FxHashMap::default();
        let mut seed = 1u64;
        for _ in 0..2_000 {
            let calls = std::iter::repeat_with(|| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                match seed >> 33 & 7 {
                    0..=2 => Call::Push((seed >> 40 & 1) as i128),
                    3..=5 => Call::Pop,
                    _ => Call::Look,
                }
            });
            let test = test(&world, &calls.take(6).collect::<Vec<_>>());
            let sight = Played::of(&test);
            let [finer, coarser] =
                [pair[0], pair[1]].map(|by| executions(&world, &test, by, &sight));
            for (finer, coarser) in finer.into_iter().zip(coarser) {
                let known = coarser_of.entry(finer).or_insert(coarser);
                assert_eq!(*known, coarser, "{} and {}", pair[0], pair[1]);
            }
        }
    }
}
