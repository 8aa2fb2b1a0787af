//! Strategies against a guest that is made up: what they propose, keep and leave alone.

use testsmith_api::{
    Catalogue, Form, Input, Operation, OperationId, Origin, Pass, Prim, Region, RegionIdx,
    Signature, Ty,
};
use testsmith_explore::{Ask, Literals, Options, Strategy, StrategyName, digest};
use testsmith_protocol::{
    Caps, Compared, Death, Effect, Execution, Fingerprint, Notion, Outcome, Realm, Touch, Trace,
    Use, Value,
};
use testsmith_sequence::{Arg, Builder, Step, World, text};

/// `n`: a literal of its own; `new(i32)`, `add(&mut Counter, i32)`, `spin(&Counter)`.
fn world() -> World {
    let mut catalogue = Catalogue::default();
    let int = catalogue.types.intern(&Ty::Prim(Prim::I32));
    let unit = catalogue.types.intern(&Ty::Tuple(Vec::new()));
    let counter = catalogue.types.intern(&Ty::Adt {
        path: "krate::Counter".into(),
        args: Vec::new(),
    });
    let region = Region::Var(RegionIdx(0));
    let input = |ty: &testsmith_api::Regioned, pass| Input {
        name: "x".into(),
        ty: ty.clone(),
        pass,
        generic: false,
    };
    let mut operation = |key: &str, form, inputs, output: &testsmith_api::Regioned| {
        catalogue.operations.push(Operation {
            key: key.into(),
            origin: Origin::Recipe,
            form,
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
    };
    let recipe = |template: &str| Form::Recipe {
        template: template.into(),
    };
    let by_value = input(&int, Pass::Value);
    operation("n", Form::Literal, vec![by_value.clone()], &int);
    operation("new", recipe("new({0})"), vec![by_value.clone()], &counter);
    let by_mut = input(&counter, Pass::Mut(region));
    operation(
        "add",
        recipe("add({0}, {1})"),
        vec![by_mut, by_value],
        &unit,
    );
    let by_ref = input(&counter, Pass::Shared(region));
    operation("spin", recipe("spin({0})"), vec![by_ref], &unit);
    let mut caps = vec![Caps::default(); catalogue.types.len()];
    caps[int.ty.0 as usize] = Caps(Caps::LITERAL.0 | Caps::COPY.0);
    World { catalogue, caps }
}

const NEW: OperationId = OperationId(1);
const ADD: OperationId = OperationId(2);
const SPIN: OperationId = OperationId(3);

fn start(world: &World, name: StrategyName, seed: u64) -> Box<dyn Strategy + '_> {
    let options = Options {
        seed,
        ..Options::default()
    };
    name.start(world, Literals::default(), &[], options)
}

/// Everything returns, and every value is what its sequence says.
fn returned(ask: &Ask) -> Execution {
    let effect = |slot: &testsmith_sequence::SlotIdx| Effect {
        slot: slot.0,
        at_end: true,
        fingerprint: Fingerprint {
            notion: Notion::Structure,
            hash: digest(&(slot.0, &ask.sequence)),
        },
        barren: false,
        value: None,
        state: None,
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

fn spin_at(ask: &Ask) -> Option<u16> {
    let is_spin = |step: &Step| matches!(step, Step::Call { op, .. } if *op == SPIN);
    ask.sequence
        .steps()
        .iter()
        .position(is_spin)
        .map(|at| at as u16)
}

#[test]
fn a_seed_means_the_same_proposals() {
    let world = world();
    for name in StrategyName::ALL {
        let proposals = |seed| -> Vec<String> {
            let mut strategy = start(&world, name, seed);
            let mut texts = Vec::new();
            for _ in 0..300 {
                let ask = strategy.propose().expect("there is always more to add");
                strategy.learn(&ask, &returned(&ask));
                texts.push(text(&world, &ask.sequence));
            }
            texts
        };
        assert_eq!(proposals(1), proposals(1), "{name}");
        assert_ne!(proposals(1), proposals(2), "{name}");
    }
}

#[test]
fn what_reached_for_the_world_is_counted_and_not_kept() {
    let world = world();
    for name in StrategyName::ALL {
        let mut strategy = start(&world, name, 3);
        for _ in 0..300 {
            // One of them exhausts what there is.
            let Some(ask) = strategy.propose() else {
                break;
            };
            let mut execution = returned(&ask);
            execution.touch = spin_at(&ask).map(|at| Touch {
                at,
                realm: Realm::Files,
            });
            strategy.learn(&ask, &execution);
        }
        let ledger = strategy.ledger();
        assert!(ledger.n_returned(SPIN) > 0, "{name}");
        assert!(ledger.stats().n_touched[&Realm::Files] > 0, "{name}");
        assert!(ledger.touches()[&SPIN].contains(&Realm::Files), "{name}");
        assert_eq!(ledger.touches().len(), 1, "{name}");
        for kept in ledger.record().executions() {
            let mut steps = kept.sequence.steps().iter();
            assert!(!steps.any(|step| matches!(step, Step::Call { op, .. } if *op == SPIN)));
        }
    }
}

#[test]
fn what_did_not_end_is_not_called_again() {
    let world = world();
    for name in StrategyName::ALL {
        let mut strategy = start(&world, name, 4);
        let mut n_spins = 0;
        for _ in 0..600 {
            let Some(ask) = strategy.propose() else {
                continue;
            };
            let mut execution = returned(&ask);
            if let Some(at) = spin_at(&ask) {
                n_spins += 1;
                execution.outcome = Outcome::Died {
                    at,
                    death: Death::TimedOut,
                };
            }
            strategy.learn(&ask, &execution);
        }
        let ledger = strategy.ledger();
        assert!((1..=4).contains(&n_spins), "{name}: {n_spins}");
        // The others don't even choose the operation any more.
        let n_refused = ledger.stats().n_quarantined;
        assert!(n_refused > 0 || name != StrategyName::RandomWalk);
        assert_eq!(ledger.quarantine().operations()[&SPIN], n_spins, "{name}");
    }
}

#[test]
fn only_directed_exploration_tells_old_values_from_new_ones() {
    let world = world();
    let n_built_on = |name| {
        let mut strategy = start(&world, name, 5);
        let mut n_long = 0;
        for _ in 0..300 {
            let ask = strategy.propose().expect("there is always more to add");
            let mut execution = returned(&ask);
            for effect in &mut execution.effects {
                effect.fingerprint.hash = 1;
            }
            n_long += u32::from(ask.watch_from.0 > 3);
            strategy.learn(&ask, &execution);
        }
        n_long
    };
    let (directed, bottom_up) = (
        n_built_on(StrategyName::Directed),
        n_built_on(StrategyName::BottomUp),
    );
    assert!(directed * 4 < bottom_up, "{directed} {bottom_up}");
}

#[test]
fn what_was_called_with_all_there_is_gets_few_calls() {
    let world = world();
    let n_spins = |n_values| {
        let mut strategy = start(&world, StrategyName::Directed, 6);
        let mut n_spins = 0;
        for _ in 0..2000 {
            let ask = strategy.propose().expect("there is always more to add");
            n_spins += usize::from(spin_at(&ask).is_some());
            let mut execution = returned(&ask);
            for effect in &mut execution.effects {
                effect.fingerprint.hash %= n_values;
            }
            strategy.learn(&ask, &execution);
        }
        n_spins
    };
    let (few, many) = (n_spins(2), n_spins(1 << 60));
    assert!(few * 2 < many && few > 10, "{few} {many}");
}

#[test]
fn directed_exploration_begins_with_its_seeds_and_builds_upon_them() {
    let world = world();
    let mut builder = Builder::new(&world);
    let literal = |n| Arg::Literal(Value::Int(n).into());
    let counter = builder.push(NEW, vec![literal(77)]).expect("it is valid");
    for _ in 0..3 {
        let args = vec![Arg::Slot(counter, Use::Mut), literal(99)];
        builder.push(ADD, args).expect("it is valid");
    }
    let seed = builder.finish();
    for name in StrategyName::ALL {
        let seeds = [seed.clone()];
        let mut strategy = name.start(&world, Literals::default(), &seeds, Options::default());
        let first = strategy.propose().expect("there is always more to add");
        let is_seeded = [StrategyName::Directed, StrategyName::StateExhaustive].contains(&name);
        assert_eq!(first.sequence == seed, is_seeded, "{name}");
        strategy.learn(&first, &returned(&first));
        let mut n_longer = 0;
        for _ in 0..2000 {
            let Some(ask) = strategy.propose() else {
                break;
            };
            let steps = ask.sequence.steps();
            n_longer += usize::from(steps.starts_with(seed.steps()) && steps.len() > 4);
            strategy.learn(&ask, &returned(&ask));
        }
        assert_eq!(n_longer > 0, is_seeded, "{name}");
    }
}

/// What the last call that adds something adds.
fn added(ask: &Ask) -> Option<i128> {
    ask.sequence
        .steps()
        .iter()
        .rev()
        .find_map(|step| match step {
            Step::Call { op, args, .. } if *op == ADD => match args.last() {
                Some(Arg::Literal(value)) => match &**value {
                    Value::Int(number) => Some(*number),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
}

#[test]
fn what_a_literal_was_compared_with_is_tried() {
    const SECRET: i128 = 0x0BAD_CAFE;
    let world = world();
    let mut strategy = start(&world, StrategyName::Directed, 6);
    let mut tried = Vec::new();
    for _ in 0..400 {
        let ask = strategy.propose().expect("there is always more to add");
        let mut execution = returned(&ask);
        execution.trace.regions = vec![testsmith_protocol::Passage(4)];
        if let Some(number) = added(&ask) {
            tried.push(number - SECRET);
            let compared = Compared {
                site: 1,
                left: Value::Int(number + 1),
                right: Value::Int(SECRET),
            };
            execution
                .noted
                .compared
                .extend(ask.watched.then_some(compared));
        }
        strategy.learn(&ask, &execution);
    }
    assert!(tried.contains(&-1), "as if one more were the secret");
}
