//! Computes what calling an operation is worth, as a weight for random choice.
//!
//! For every strategy, the weight depends on what happened to the operation's calls. For a guided
//! one, it also depends on what is left to see.
//!
//! **Work is counted, not timed.** The sum of the coverage counters is the same on every machine.
//! Values that are dear to make are not built upon, dear operations are called less, tests that
//! would take long are not written. A call that took all the time or memory there is counts as much
//! work, too: kinds of arguments may be endless.

use testsmith_api::{Form, OperationId, Origin, Prim, Ty, TypeIdx};
use testsmith_protocol::Caps;
use testsmith_sequence::World;

use crate::ledger::{Ledger, Tally};

/// A call may enter this many regions before it counts as dear.
const USUAL_WORK: u64 = 512;
/// The greatest dearness, so that even the dearest operations are called now and then.
const MAX_DEARNESS: u64 = 1_000;
/// An operation is known after this many times as many calls as it has different arguments.
const CALLS_PER_ARGUMENTS: u64 = 4;
/// No operation is known before this many calls.
const MIN_CALLS: u64 = 8;

/// What is known of operations before they are called.
pub(crate) struct Worth {
    profiles: Vec<Profile>,
}

struct Profile {
    base: u32,
    /// Is it derived by the compiler?
    is_derived: bool,
    /// Does it take only literals, so that only its own call costs anything?
    is_cheap: bool,
    inputs: Vec<Domain>,
}

/// How many different arguments an input can get.
enum Domain {
    /// This number.
    Finite(u64),
    /// As many as values of the type were seen.
    Digests(TypeIdx),
    /// More than can be tried.
    Endless,
}

impl Worth {
    pub(crate) fn new(world: &World) -> Worth {
        let ids = (0..world.catalogue.operations.len()).map(|i| OperationId(i as u32));
        Worth {
            profiles: ids.map(|id| profile(world, id)).collect(),
        }
    }

    /// The weight of an operation. Operations that never returned get more. Those that mostly fail,
    /// end the process, touch the world outside or lack an argument get less, and so do recipes.
    pub(crate) fn weight(&self, operation: OperationId, tally: Tally) -> u32 {
        let mut weight = self.profiles[operation.0 as usize].base;
        if weight == 0 {
            return 0;
        }
        if tally.returned == 0 && tally.failed < 50 {
            weight *= 2;
        }
        if u64::from(tally.failed) > 20 + 4 * tally.returned {
            weight = weight / 4 + 1;
        }
        if is_hopeless(tally) {
            weight = weight / 8 + 1;
        }
        if tally.fatal > 2 || tally.touched > 3 {
            weight = 1;
        }
        weight
    }

    /// The weight for a guided strategy.
    pub(crate) fn guided_weight(&self, operation: OperationId, ledger: &Ledger) -> u32 {
        let profile = &self.profiles[operation.0 as usize];
        let tally = ledger.tallies[operation.0 as usize];
        let mut weight = self.weight(operation, tally);
        if weight <= 1 {
            return weight;
        }
        // Derived code is seldom wrong.
        if profile.is_derived {
            weight = weight / 4 + 1;
        }
        let n_arguments = profile.n_arguments(ledger);
        if tally.returned
            > CALLS_PER_ARGUMENTS
                .saturating_mul(n_arguments)
                .saturating_add(MIN_CALLS)
        {
            weight = weight / 8 + 1;
        }
        if profile.is_cheap {
            weight *= 2;
        }
        // An operation that took many ways has more to show than one that took one.
        (weight * (1 + tally.ways.max(1).ilog2()) / dearness(tally)).max(1)
    }
}

impl Profile {
    /// How many different calls there can be, as far as that is known.
    fn n_arguments(&self, ledger: &Ledger) -> u64 {
        let of_input = |input: &Domain| match input {
            Domain::Finite(n) => *n,
            // Values that cannot be told apart may still all differ.
            Domain::Digests(ty) => match ledger.n_states_of(*ty) {
                0 => u64::MAX,
                n => n,
            },
            Domain::Endless => u64::MAX,
        };
        let n = self.inputs.iter().map(of_input);
        n.fold(1, u64::saturating_mul)
    }
}

fn profile(world: &World, id: OperationId) -> Profile {
    let operation = world.catalogue.operation(id);
    let is_literal = |ty: TypeIdx| world.caps(ty).has(Caps::LITERAL);
    let types = operation.signature.inputs.iter().map(|input| input.ty.ty);
    let callable = match operation.origin {
        Origin::Callable(callable) => world.catalogue.api.callables.get(callable.0 as usize),
        Origin::Beside(_) | Origin::Recipe | Origin::Law => None,
    };
    Profile {
        base: match (operation.origin, &operation.form) {
            (_, Form::Literal) => 2,
            (Origin::Callable(_), _) => 50,
            (Origin::Beside(_) | Origin::Recipe, _) => 15,
            // Laws have turns of their own.
            (Origin::Law, _) => 0,
        },
        is_derived: callable.is_some_and(|callable| callable.derived),
        is_cheap: types.len() > 0 && types.clone().all(is_literal),
        inputs: types
            .map(|ty| match &world.catalogue.types.get(ty).ty {
                Ty::Prim(Prim::Bool) => Domain::Finite(2),
                _ if is_literal(ty) => Domain::Endless,
                _ => Domain::Digests(ty),
            })
            .collect(),
    }
}

/// Did no attempt to call it ever lead to a sequence?
pub(crate) fn is_hopeless(tally: Tally) -> bool {
    tally.built == 0 && tally.returned == 0 && tally.tried >= 64
}

/// How many times as much work as usual an operation's calls take. An operation with long calls
/// leaves time for few others.
pub(crate) fn dearness(tally: Tally) -> u32 {
    let mean = tally.work / tally.traced.max(1);
    (mean / USUAL_WORK).clamp(1, MAX_DEARNESS) as u32
}
