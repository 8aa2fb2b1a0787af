//! Says what a recorded suite executes in terms of the harness's operations: states, lists of
//! literals, and calls.
//!
//! **A suite's states are matched by their bytes.** The copy that records writes an argument as the
//! guest writes a value, so the digest of a recorded state is that of a state that exploration
//! meets . What exploration does not meet, and values of instances that the harness has not, are
//! counted and left out.

mod snapshot;

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{CallableId, OperationId, Origin, TypeIdx};
use testsmith_emit::TestCase;
use testsmith_equip::Executor;
use testsmith_explore::{Start, Stats};
use testsmith_harness::{Copied, GuestError, RegionKind};
use testsmith_protocol::{Caps, Value, digest};
use testsmith_rig::Call;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};
use testsmith_states::{Look, Sight};
use testsmith_suite::{Sights, as_run, looks};

/// What a run found out about a recorded suite, for the record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    pub(crate) private: usize,
    pub(crate) states: usize,
    pub(crate) remade: usize,
}

/// A call that a suite makes: the function, and a digest of each argument.
type Execution = (CallableId, Vec<u64>);

/// The recorded calls of a suite.
pub(crate) struct Recorded {
    /// By file and line of a function, the arguments of its calls; each argument stands alone.
    calls: BTreeMap<(String, usize), Vec<Vec<Vec<u8>>>>,
    /// The number of different calls.
    pub(crate) n_distinct: usize,
    /// How many of them have an argument that cannot be seen whole, or that shares a part with
    /// another.
    pub(crate) n_opaque: usize,
    /// How many of them are so large that only a digest of them was recorded.
    pub(crate) n_large: usize,
    pub(crate) is_cut: bool,
}

impl Recorded {
    pub(crate) fn of(copied: &Copied, calls: &[Call], is_cut: bool) -> Recorded {
        let mut recorded = Recorded {
            calls: BTreeMap::new(),
            n_distinct: 0,
            n_opaque: 0,
            n_large: 0,
            is_cut,
        };
        let mut known = FxHashSet::default();
        for call in calls {
            let Some(region) = copied.region(call.region) else {
                continue;
            };
            if !known.insert((call.region, call.state)) {
                continue;
            }
            recorded.n_distinct += 1;
            if call.is_whole && call.arguments.is_empty() {
                recorded.n_large += 1;
                continue;
            }
            let Some(arguments) = snapshot::arguments(&call.arguments) else {
                recorded.n_opaque += 1;
                continue;
            };
            let place = (region.file.display().to_string(), region.line);
            recorded.calls.entry(place).or_default().push(arguments);
        }
        recorded
    }
}

/// What a suite executes, in terms of operations.
pub(crate) struct Known {
    /// Digests of the states that its calls start from.
    pub(crate) states: FxHashSet<u64>,
    /// The literals of its calls, by operation.
    lists: Vec<(OperationId, Vec<Arg>)>,
    executions: FxHashSet<Execution>,
    /// Digests that a copy makes of literals, so that literals can be compared with recorded
    /// arguments.
    literals: FxHashMap<(TypeIdx, Value), u64>,
    /// How many calls were to functions that are no callables: private ones, and those that macros
    /// define.
    pub(crate) n_private: usize,
}

impl Known {
    /// What the run found out, with what exploration counted.
    pub(crate) fn told(&self, stats: &Stats) -> Told {
        Told {
            private: self.n_private,
            states: self.states.len(),
            remade: stats.rounds.first().map_or(0, |round| round.states) as usize,
        }
    }

    pub(crate) fn of(world: &World, copied: &Copied, recorded: &Recorded) -> Known {
        let mut known = Known {
            states: FxHashSet::default(),
            lists: Vec::new(),
            executions: FxHashSet::default(),
            literals: FxHashMap::default(),
            n_private: 0,
        };
        let places = places(world, copied);
        let mut operations: BTreeMap<CallableId, Vec<OperationId>> = BTreeMap::new();
        for (operation, id) in world.catalogue.operations.iter().zip(0..) {
            if let Origin::Callable(callable) = operation.origin {
                let of = operations.entry(callable).or_default();
                of.push(OperationId(id));
            }
        }
        for (place, calls) in &recorded.calls {
            let Some(callable) = places.get(place) else {
                known.n_private += calls.len();
                continue;
            };
            let operations = operations.get(callable).map_or(&[][..], Vec::as_slice);
            for arguments in calls {
                let digests: Vec<u64> = arguments.iter().map(|it| digest(it)).collect();
                for op in operations {
                    known.note(world, *op, arguments, &digests);
                }
                known.executions.insert((*callable, digests));
            }
        }
        known
    }

    /// Notes the literals and states of a call, as far as they are of the operation's types.
    fn note(&mut self, world: &World, op: OperationId, arguments: &[Vec<u8>], digests: &[u64]) {
        let inputs = &world.signature(op).inputs;
        if inputs.len() != arguments.len() {
            return;
        }
        let mut list = Vec::new();
        for (i, input) in inputs.iter().enumerate() {
            let ty = input.ty.ty;
            if !world.caps(ty).has(Caps::LITERAL) {
                self.states.insert(digests[i]);
                // The slot stands for any state.
                list.push(Some(Arg::Slot(SlotIdx(0), testsmith_protocol::Use::Shared)));
                continue;
            }
            let value = snapshot::literal(&world.catalogue.types.get(ty).ty, &arguments[i]);
            if let Some(value) = &value {
                self.literals.insert((ty, value.clone()), digests[i]);
            }
            list.push(value.map(|value| Arg::Literal(value.into())));
        }
        if let Some(list) = list.into_iter().collect::<Option<Vec<_>>>() {
            self.lists.push((op, list));
        }
    }

    /// What exploration starts from.
    pub(crate) fn start(&self, seeds: &[Sequence]) -> Start {
        Start {
            sequences: seeds.to_vec(),
            states: Some(self.states.clone()),
            calls: Some(self.lists.clone()),
            ..Start::default()
        }
    }

    /// For each test: does it make a call that neither the suite nor a test before it makes?
    pub(crate) fn lacks(
        &self,
        world: &World,
        executor: &mut Executor,
        tests: &[TestCase],
    ) -> Result<Vec<bool>, GuestError> {
        let runs: Vec<_> = tests.iter().map(as_run).collect();
        let sights = Sights::of(world, executor, &runs)?;
        let mut known = self.executions.clone();
        let mut lacks = Vec::new();
        for (at, test) in tests.iter().enumerate() {
            let view = sights.view(at);
            let mut is_new = false;
            let calls = test.sequence.steps().iter().enumerate();
            let calls = calls.filter_map(|(n_steps, step)| match step {
                Step::Call { op, args, .. } => Some((n_steps, *op, args.to_vec())),
                Step::Drop(_) => None,
            });
            let looks = looks(test)
                .into_iter()
                .filter_map(|(n_steps, look)| match look {
                    Look::Call(op, args) => Some((n_steps, op, args)),
                    Look::Value(_) => None,
                });
            for (n_steps, op, args) in calls.chain(looks) {
                let Origin::Callable(callable) = world.catalogue.operation(op).origin else {
                    continue;
                };
                // A call with an argument that cannot be seen whole may not be new, so it does not
                // count.
                if let Some(digests) = self.digests(world, op, &args, n_steps, &view) {
                    is_new |= known.insert((callable, digests));
                }
            }
            lacks.push(is_new);
        }
        Ok(lacks)
    }

    fn digests(
        &self,
        world: &World,
        op: OperationId,
        args: &[Arg],
        n_steps: usize,
        view: &dyn Sight,
    ) -> Option<Vec<u64>> {
        let inputs = &world.signature(op).inputs;
        let digests = args.iter().zip(inputs).map(|(arg, input)| match arg {
            Arg::Slot(slot, _) => view.seen(n_steps, *slot).state,
            Arg::Literal(value) => {
                let literal = self.literals.get(&(input.ty.ty, (**value).clone()));
                // The suite never has this literal. Any digest that differs from the recorded ones
                // will do.
                Some(
                    literal
                        .copied()
                        .unwrap_or_else(|| testsmith_explore::digest(value)),
                )
            }
        });
        digests.collect()
    }
}

/// The callables, by the places of their functions as the regions of the copy name them.
fn places(world: &World, copied: &Copied) -> BTreeMap<(String, usize), CallableId> {
    let callables = || world.catalogue.api.callables.iter().zip(0..);
    let mut places = BTreeMap::new();
    let functions = copied.regions.iter();
    for region in functions.filter(|it| it.kind == RegionKind::Function) {
        let around = callables().filter(|(callable, _)| {
            let docs = &callable.docs;
            let lines = docs.line as usize..=docs.end as usize;
            // rustdoc's path may begin further up, at the root of the workspace.
            let file = docs.file.as_deref().map(Path::new);
            lines.contains(&region.line) && file.is_some_and(|it| it.ends_with(&region.file))
        });
        // A function within the function is no callable, and has another name.
        let is_named = |key: &str| key.rsplit("::").next() == region.function.rsplit("::").next();
        let mut named = around.filter(|(callable, _)| is_named(&callable.key));
        if let Some((_, callable)) = named.next() {
            let file = region.file.display().to_string();
            places.insert((file, region.line), CallableId(callable));
        }
    }
    places
}
