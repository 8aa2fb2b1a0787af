//! Strategies that go by states, against a guest that is made up: a counter that begins anew after
//! seven, and remembers how often somebody looked at it.

use std::sync::Arc;

use testsmith_api::{
    Callable, CallableId, CallableKind, Catalogue, Docs, Form, Input, Operation, OperationId,
    Origin, Pass, Prim, Region, RegionIdx, Regioned, Signature, Ty, TypeIdx,
};
use testsmith_explore::{
    Ask, Exhaustive, Kept, Literals, Options, Purpose, Round, Start, Strategy, Variations, digest,
    nearness,
};
use testsmith_protocol::{
    Caps, Compared, Effect, Execution, Fingerprint, Notion, Outcome, State, Trace, Use, Value,
};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World};
use testsmith_states::StateBy;

const NEW: OperationId = OperationId(0);
const ADD: OperationId = OperationId(1);
const GET: OperationId = OperationId(2);
const PEEK: OperationId = OperationId(3);

/// `new()`, `add(&mut Counter, i32)`, `get(&Counter)` and `peek(&Counter)`.
fn world() -> (World, TypeIdx) {
    let mut catalogue = Catalogue::default();
    let int = catalogue.types.intern(&Ty::Prim(Prim::I32));
    let counter = catalogue.types.intern(&Ty::Adt {
        path: "krate::Counter".into(),
        args: Vec::new(),
    });
    let region = Region::Var(RegionIdx(0));
    let input = |ty: &Regioned, pass| Input {
        name: "x".into(),
        ty: ty.clone(),
        pass,
        generic: false,
    };
    let [by_mut, by_ref] =
        [Pass::Mut(region), Pass::Shared(region)].map(|pass| input(&counter, pass));
    let by_value = input(&int, Pass::Value);
    let operations = [
        ("new", vec![], &counter),
        ("add", vec![by_mut, by_value], &int),
        ("get", vec![by_ref.clone()], &int),
        ("peek", vec![by_ref], &int),
    ];
    for (n, (key, inputs, output)) in operations.into_iter().enumerate() {
        catalogue.api.callables.push(Callable {
            key: key.into(),
            kind: CallableKind::Function { path: key.into() },
            generics: Vec::new(),
            bounds: Vec::new(),
            n_regions: 0,
            outlives: Vec::new(),
            inputs: Vec::new(),
            output: Ty::Tuple(Vec::new()),
            docs: Docs::default(),
            counted: true,
            derived: false,
            is_unsafe: false,
            skip: None,
        });
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
    (World { catalogue, caps }, counter.ty)
}

/// What a guest would answer. A peek is counted, if peeks leave a mark.
fn run(ask: &Ask, peeks_count: bool) -> Execution {
    // By slot: what it holds, and how often it was peeked at.
    let mut values: Vec<(i128, u32)> = Vec::new();
    for step in ask.sequence.steps() {
        let Step::Call { op, args, .. } = step else {
            continue;
        };
        let of = |arg: &Arg| match arg {
            Arg::Slot(slot, _) => usize::from(slot.0),
            Arg::Literal(_) => unreachable!("counters are in slots"),
        };
        let value = match (*op, &args[..]) {
            (NEW, _) => (0, 0),
            (ADD, [counter, n]) => {
                let n = match n {
                    Arg::Slot(slot, _) => values[usize::from(slot.0)].0,
                    Arg::Literal(n) => match **n {
                        Value::Int(n) => n,
                        _ => unreachable!("numbers are signed"),
                    },
                };
                let value = &mut values[of(counter)];
                value.0 = (value.0 + n).rem_euclid(8);
                (value.0, 0)
            }
            (GET, [counter]) => (values[of(counter)].0, 0),
            (PEEK, [counter]) => {
                values[of(counter)].1 += u32::from(peeks_count);
                (values[of(counter)].0, 0)
            }
            _ => unreachable!("there are four operations"),
        };
        values.push(value);
    }
    let effect = |slot: &SlotIdx| {
        let (value, peeks) = values[usize::from(slot.0)];
        Effect {
            slot: slot.0,
            at_end: true,
            fingerprint: Fingerprint {
                notion: Notion::Structure,
                hash: digest(&value),
            },
            barren: false,
            value: None,
            state: Some(State {
                hash: digest(&(value, peeks)),
                whole: true,
                bytes: Vec::new(),
            }),
        }
    };
    Execution {
        outcome: Outcome::Returned,
        n_calls: u32::from(ask.sequence.n_slots()),
        touch: None,
        trace: Trace::default(),
        fuel: 0,
        noted: Default::default(),
        effects: ask.watch_end.iter().map(effect).collect(),
    }
}

/// A new counter, and two calls that say what to add.
fn start(world: &World) -> Start {
    let mut builder = Builder::new(world);
    builder.push(NEW, Vec::new()).expect("it takes nothing");
    let add = |n| {
        let n = Arg::Literal(Value::Int(n).into());
        (ADD, vec![Arg::Slot(SlotIdx(0), Use::Mut), n])
    };
    Start {
        sequences: vec![builder.finish()],
        is_all: true,
        calls: Some(vec![add(1), add(2)]),
        ..Start::default()
    }
}

/// Explores until there is nothing left; the sequences that were run.
fn exhaust(strategy: &mut Exhaustive<'_>, peeks_count: bool) -> Vec<Sequence> {
    let mut run_so_far = Vec::new();
    while let Some(ask) = strategy.propose() {
        strategy.learn(&ask, &run(&ask, peeks_count));
        run_so_far.push(ask.sequence);
        assert!(run_so_far.len() < 10_000, "it ends");
    }
    run_so_far
}

fn by(state_by: StateBy, rounds: Option<u32>) -> Options {
    Options {
        state_by: Some(state_by),
        rounds,
        ..Options::default()
    }
}

#[test]
fn every_state_meets_every_list_of_arguments_round_by_round() {
    let (world, counter) = world();
    let options = by(StateBy::WholeState, None);
    let mut strategy = Exhaustive::starting(&world, Literals::default(), start(&world), options);
    exhaust(&mut strategy, false);
    // From nothing to 1 and 2, from there to 3 and 4, then 5 and 6, and 7; each with two numbers to
    // add, and two ways to look.
    assert_eq!(strategy.n_states(counter), 8);
    let rounds = &strategy.ledger().stats().rounds;
    let states: Vec<u64> = rounds.iter().map(|it| it.states).collect();
    assert_eq!(states, [1, 2, 2, 2, 1]);
    let is_whole = |it: &Round| it.done == it.states && it.combinations == 4 * it.states;
    assert!(rounds.iter().all(is_whole), "{rounds:?}");
}

#[test]
fn rounds_can_be_few() {
    let (world, counter) = world();
    let options = by(StateBy::WholeState, Some(2));
    let mut strategy = Exhaustive::starting(&world, Literals::default(), start(&world), options);
    exhaust(&mut strategy, false);
    assert_eq!(strategy.ledger().stats().rounds.len(), 2);
    assert_eq!(strategy.n_states(counter), 5);
}

#[test]
fn calls_that_only_look_share_what_they_look_at() {
    let (world, _) = world();
    let options = by(StateBy::WholeState, None);
    let mut strategy = Exhaustive::starting(&world, Literals::default(), start(&world), options);
    let run = exhaust(&mut strategy, false);
    let n_looks = |sequence: &Sequence| {
        let steps = sequence.steps().iter();
        let looks =
            steps.filter(|step| matches!(step, Step::Call { op, .. } if [GET, PEEK].contains(op)));
        looks.count()
    };
    assert!(run.iter().any(|it| n_looks(it) == 2));
    // What both give is new for each state, so both are called alone as well.
    assert_eq!(run.iter().filter(|it| n_looks(it) == 1).count(), 16);
}

#[test]
fn a_look_that_leaves_a_mark_is_found_out() {
    let (world, counter) = world();
    let options = by(StateBy::WholeState, Some(1));
    let mut strategy = Exhaustive::starting(&world, Literals::default(), start(&world), options);
    exhaust(&mut strategy, true);
    // Nothing, 1, 2, and nothing that was peeked at.
    assert_eq!(strategy.n_states(counter), 4);
}

#[test]
fn notions_differ_in_what_is_new() {
    let (world, counter) = world();
    let n_states = |state_by| {
        let options = by(state_by, Some(2));
        let mut strategy =
            Exhaustive::starting(&world, Literals::default(), start(&world), options);
        exhaust(&mut strategy, false);
        strategy.n_states(counter)
    };
    // After one round two ways to change it, after two four more: 1+1, 1+2, 2+1, 2+2.
    assert_eq!(n_states(StateBy::ModifyingSeq), 7);
    assert_eq!(n_states(StateBy::WholeState), 5);
    assert!(n_states(StateBy::WholeSeq) > 7);
}

#[test]
fn a_round_takes_the_states_that_it_is_given() {
    let (world, counter) = world();
    let start = Start {
        states: Some([digest(&(3_i128, 0_u32))].into_iter().collect()),
        is_all: false,
        ..start(&world)
    };
    let options = by(StateBy::WholeState, Some(1));
    let mut strategy = Exhaustive::starting(&world, Literals::default(), start, options);
    exhaust(&mut strategy, false);
    assert_eq!(strategy.ledger().stats().rounds[0].states, 1);
    // That one, and 4 and 5 if they were not met before.
    assert!((1..=3).contains(&strategy.n_states(counter)));
}

#[test]
fn a_variation_differs_in_calls_or_literals_and_calls_nothing_that_may_hang() {
    let (world, _) = world();
    let mut builder = Builder::new(&world);
    let counter = builder.push(NEW, Vec::new()).expect("it fits");
    let four = Arg::Literal(Arc::new(Value::Int(4)));
    let args = vec![Arg::Slot(counter, Use::Mut), four];
    builder.push(ADD, args).expect("it fits");
    let base = builder.finish();
    // A peek ended no execution that was kept.
    let kept = [NEW, ADD, GET].map(|operation| Kept {
        operation,
        sequence: base.clone(),
    });
    let made = |seed, purpose| {
        let mut variations = Variations::new(&world, Literals::default(), seed, &kept);
        let made = (0..300).filter_map(|_| variations.of(&base, &base, purpose));
        made.map(|it| it.sequence).collect::<Vec<_>>()
    };
    let all = made(1, Purpose::Infect);
    assert!(
        all == made(1, Purpose::Infect),
        "a seed says which they are"
    );
    assert!(all.len() > 50, "only {} were made", all.len());
    let shown = made(1, Purpose::Show);
    let (mut n_longer, mut n_shorter) = (0, 0);
    for one in &all {
        assert!(*one != base, "{one:?}");
        let is_peek = |step: &Step| matches!(step, Step::Call { op, .. } if *op == PEEK);
        assert!(!one.steps().iter().any(is_peek), "{one:?}");
        n_longer += usize::from(one.steps().len() > base.steps().len());
        n_shorter += usize::from(one.steps().len() < base.steps().len());
    }
    assert!(n_shorter > 0 && n_longer > 10, "{n_shorter} and {n_longer}");
    let share = |of: &[Sequence]| {
        let longer = of.iter().filter(|it| it.steps().len() > base.steps().len());
        longer.count() * 100 / of.len()
    };
    assert!(
        share(&shown) > share(&all),
        "what is to be shown needs more calls"
    );
}

#[test]
fn a_comparison_is_turned_by_a_literal_near_its_sides() {
    let (world, _) = world();
    let mut builder = Builder::new(&world);
    let counter = builder.push(NEW, Vec::new()).expect("it fits");
    let literal = |value| Arg::Literal(Arc::new(Value::Int(value)));
    let args = vec![Arg::Slot(counter, Use::Mut), literal(4)];
    builder.push(ADD, args).expect("it fits");
    let base = builder.finish();
    let compared = [7, 8].map(|site| Compared {
        site,
        left: Value::Int(4),
        right: Value::Int(i128::from(site) * 10),
    });
    let mut variations = Variations::new(&world, Literals::default(), 1, &[]);
    let turned = variations.towards(&base, &compared, |site| site == 7);
    let given: Vec<Arg> = turned
        .iter()
        .map(|it| match &it.sequence.steps()[1] {
            Step::Call { args, .. } => args[1].clone(),
            Step::Drop(_) => panic!("nothing is dropped"),
        })
        .collect();
    assert_eq!(given, [literal(70), literal(71)]);
    assert_eq!(nearness(&compared, |site| site == 7), 66.0 / 67.0);
    assert_eq!(nearness(&compared, |site| site == 9), 1.0);
}
