//! Observes values while tests run: their state after every step, what `==` reads of it, and which
//! values `==` takes for the same.
//!
//! Tests that begin alike share what was seen: every beginning is run once.
//!
//! **States are seen by running beginnings.** A guest looks at values at their birth and in the
//! end, so what a value is between two calls of a test is seen at the end of a program that stops
//! there (this room). Tests that begin alike share it: all sequences of three calls need hardly
//! more programs than there are tests. Whether a suite is worth as much without some of its tests
//! is asked of the tests that are left first, then of the others .

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use testsmith_api::{KeyNames, OperationId, Ty, TypeIdx};
use testsmith_equip::{Executor, Setting};
use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Outcome, Use, Value};
use testsmith_record::SeenReport;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, World};
use testsmith_states::{Seen, Sight, equalities};

mod trial;
mod ways;

use self::ways::{Ways, has_equality};

pub use self::trial::{Test, Trials, plain, prefix, run};

/// Is the type a struct or enum of the crate under test?
pub fn is_own(world: &World, ty: &Ty) -> bool {
    let krate = &*world.catalogue.api.krate;
    matches!(ty, Ty::Adt { path, .. } if path.split("::").next() == Some(krate))
}

/// The most values of one type that are compared with each other.
const MAX_COMPARED: usize = 1_000;

/// The first steps of one or more tests.
struct Beginning {
    sequence: Sequence,
    /// The slots that can be looked at after these steps.
    watch_end: Vec<SlotIdx>,
    /// What was seen of each of these slots.
    seen: Vec<(SlotIdx, TypeIdx, Seen)>,
}

/// Everything that was seen while a suite ran.
pub struct Sights {
    beginnings: Vec<Beginning>,
    /// For each test, its beginnings, from the empty one on.
    paths: Vec<Vec<usize>>,
    /// Values that were not compared, because there were too many.
    pub n_uncompared: usize,
    ways: Ways,
}

/// What was seen while one test ran.
pub struct View<'s> {
    beginnings: &'s [Beginning],
    path: &'s [usize],
}

impl Sight for View<'_> {
    fn seen(&self, n_steps: usize, slot: SlotIdx) -> Seen {
        let beginning = self.path.get(n_steps).map(|it| &self.beginnings[*it]);
        let mut seen = beginning.into_iter().flat_map(|it| &it.seen);
        let found = seen.find(|(of, ..)| *of == slot);
        found.map(|(.., seen)| *seen).unwrap_or_default()
    }
}

impl Sights {
    /// Runs every beginning of every test, and looks at the values after it.
    pub fn of(
        world: &World,
        executor: &mut Executor,
        tests: &[Test],
    ) -> Result<Sights, GuestError> {
        let mut sights = Sights {
            beginnings: Vec::new(),
            paths: Vec::new(),
            n_uncompared: 0,
            ways: Ways::default(),
        };
        let mut known: FxHashMap<(usize, &Step), usize> = FxHashMap::default();
        sights.beginnings.push(Beginning {
            sequence: Sequence::empty(),
            watch_end: Vec::new(),
            seen: Vec::new(),
        });
        for test in tests {
            let mut path = vec![0];
            for n_steps in 1..=test.n_returned {
                let key = (path[n_steps - 1], &test.sequence.steps()[n_steps - 1]);
                let next = sights.beginnings.len();
                let at = *known.entry(key).or_insert(next);
                if at == next {
                    let (sequence, watch_end) = prefix(world, &test.sequence, n_steps);
                    sights.beginnings.push(Beginning {
                        sequence,
                        watch_end,
                        seen: Vec::new(),
                    });
                }
                path.push(at);
            }
            sights.paths.push(path);
        }
        let setting = Setting {
            states: true,
            ..Setting::USUAL
        };
        let asks = sights.beginnings[1..].iter().map(ask).collect();
        let runs = executor.run(world, setting, asks)?;
        for (beginning, (_, execution)) in sights.beginnings[1..].iter_mut().zip(runs) {
            for effect in execution.effects {
                let slot = SlotIdx(effect.slot);
                let ty = world.signature(beginning.sequence.maker(slot).0).output.ty;
                let state = effect.state.filter(|it| it.whole).map(|it| it.hash);
                let seen = Seen {
                    state,
                    ..Seen::default()
                };
                beginning.seen.push((slot, ty, seen));
            }
        }
        Ok(sights)
    }

    /// Runs every beginning once more, and sees what `==` reads. This is not done in the first run,
    /// because the crate's `==` may change a value or end the guest.
    pub fn monitor(&mut self, world: &World, executor: &mut Executor) -> Result<(), GuestError> {
        let setting = Setting {
            states: true,
            reads: true,
            ..Setting::USUAL
        };
        let asks = self.beginnings[1..].iter().map(ask).collect();
        let runs = executor.run(world, setting, asks)?;
        for (beginning, (_, execution)) in self.beginnings[1..].iter_mut().zip(runs) {
            for effect in execution.effects {
                let slot = SlotIdx(effect.slot);
                let mut seen = beginning.seen.iter_mut().filter(|(of, ..)| *of == slot);
                if let Some((_, ty, seen)) = seen.next()
                    && has_equality(world, *ty)
                {
                    let state = effect.state.filter(|it| it.whole);
                    seen.read = state.map(|it| it.hash);
                }
            }
        }
        for beginning in &self.beginnings {
            for (_, ty, seen) in &beginning.seen {
                self.ways.look(world, *ty, *seen);
            }
        }
        Ok(())
    }

    /// What was seen while this test ran.
    pub fn view(&self, test: usize) -> View<'_> {
        View {
            beginnings: &self.beginnings,
            path: &self.paths[test],
        }
    }

    /// Divides values into classes that `==` does not tell apart: each value is compared with one
    /// of every class. Values with equal states are compared only once.
    pub fn compare(&mut self, world: &World, executor: &mut Executor) -> Result<(), GuestError> {
        for (ty, equals) in equalities(world) {
            // A value whose state is not seen whole may differ from all others, so it is compared
            // for itself.
            let mut values: Vec<Vec<(usize, usize)>> = Vec::new();
            let mut by_state: FxHashMap<u64, usize> = FxHashMap::default();
            for (at, beginning) in self.beginnings.iter().enumerate() {
                for (i, (_, of, seen)) in beginning.seen.iter().enumerate() {
                    let next = values.len();
                    let value = match seen.state {
                        _ if *of != ty => continue,
                        Some(state) => *by_state.entry(state).or_insert(next),
                        None => next,
                    };
                    if value == next {
                        values.push(Vec::new());
                    }
                    values[value].push((at, i));
                }
            }
            let beyond = values.split_off(values.len().min(MAX_COMPARED));
            self.n_uncompared += beyond.len();
            let mut class = 0;
            while !values.is_empty() {
                let first = values[0][0];
                let question =
                    |it: &Vec<(usize, usize)>| self.question(world, equals, first, it[0]);
                let questions: Vec<_> = values.iter().map(question).collect();
                let asks = questions.iter().flatten().cloned().collect();
                let mut answers = executor.run(world, Setting::USUAL, asks)?.into_iter();
                let mut others = Vec::new();
                for (i, (value, question)) in values.into_iter().zip(questions).enumerate() {
                    let answer = question.and_then(|_| answers.next());
                    let is_asked = answer.is_some();
                    let is_equal = answer.is_some_and(|(_, execution)| {
                        execution.outcome == Outcome::Returned
                            && execution.effects.first().and_then(|it| it.value.as_ref())
                                == Some(&Value::Bool(true))
                    });
                    if i > 0 && is_asked {
                        let pair = [first, value[0]].map(|(at, i)| {
                            let beginning = &self.beginnings[at];
                            (beginning.seen[i].2, &beginning.sequence)
                        });
                        self.ways.pair(world, ty, pair, is_equal);
                    }
                    // A value belongs to the class that it begins, even if its `==` denies that.
                    if is_equal || i == 0 {
                        for (at, i) in value {
                            self.beginnings[at].seen[i].2.class = Some(class);
                        }
                    } else {
                        others.push(value);
                    }
                }
                values = others;
                class += 1;
            }
        }
        Ok(())
    }

    /// A sequence that makes both values and compares them.
    fn question(
        &self,
        world: &World,
        equals: OperationId,
        one: (usize, usize),
        other: (usize, usize),
    ) -> Option<Ask> {
        let mut builder = Builder::new(world);
        let mut args = Vec::new();
        for (at, i) in [one, other] {
            let beginning = &self.beginnings[at];
            let offset = builder.append(&beginning.sequence).ok()?;
            let slot = SlotIdx(beginning.seen[i].0.0 + offset);
            args.push(Arg::Slot(slot, Use::Shared));
        }
        let out = builder.push(equals, args).ok()?;
        Some(Ask {
            watch_from: out,
            values: true,
            ..plain(&builder.finish())
        })
    }

    /// How well the values of the crate's own types were seen.
    pub fn seen(&mut self, world: &World) -> BTreeMap<String, SeenReport> {
        let ways = std::mem::take(&mut self.ways);
        ways.reports(world, |ty| is_own(world, &world.catalogue.types.get(ty).ty))
    }

    /// The types of arguments whose states are not seen whole, and how many calls have such an
    /// argument. These are identified by the calls that made them.
    pub fn not_whole(&self, world: &World, tests: &[Test]) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for (test, path) in tests.iter().zip(&self.paths) {
            let view = View {
                beginnings: &self.beginnings,
                path,
            };
            for (n_steps, step) in test.sequence.steps().iter().enumerate() {
                let Step::Call { args, .. } = step else {
                    continue;
                };
                for arg in args {
                    if let Arg::Slot(slot, _) = arg
                        && view.seen(n_steps, *slot).state.is_none()
                    {
                        let ty = world.signature(test.sequence.maker(*slot).0).output.ty;
                        let path = world.catalogue.types.get(ty).ty.render(&KeyNames);
                        *found.entry(path).or_default() += 1;
                    }
                }
            }
        }
        found
    }
}

/// Asks what there is to see after a beginning.
fn ask(beginning: &Beginning) -> Ask {
    Ask {
        watch_end: beginning.watch_end.clone(),
        ..plain(&beginning.sequence)
    }
}
