//! Makes suites like those that two tools for Java wrote: Jtest, with all sequences of up to three
//! calls and few arguments; JCrasher, with single calls and more arguments.

use std::collections::BTreeMap;

use testsmith_api::{Form, OperationId, Origin, TypeIdx};
use testsmith_record::SuiteKind;
use testsmith_sequence::{Builder, Sequence, SlotIdx, World};

use testsmith_suite::is_own;

use crate::defaults::{Defaults, Given, Rows, call, has_self};

/// A type of the crate under test: operations that make its values, and operations on them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Subject {
    pub(super) constructors: Vec<OperationId>,
    pub(super) methods: Vec<OperationId>,
}

/// A kind of suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    pub(super) kind: SuiteKind,
    numbers: &'static [i8],
    rows: Rows,
    /// The least number of calls on a value. It is 0 for JCrasher, because in table 2 of the paper
    /// its tests have constructors alone.
    from_calls: usize,
    /// The most calls on a value.
    n_calls: usize,
}

/// All kinds of suites.
pub(super) const KINDS: [Kind; 3] = [
    Kind {
        kind: SuiteKind::JtestLike,
        numbers: &[1],
        rows: Rows::Side,
        from_calls: 1,
        n_calls: 3,
    },
    // The same with more arguments to choose from, so that less of the suite is redundant and there
    // is more to lose.
    Kind {
        kind: SuiteKind::JtestLikeTwoValues,
        numbers: &[0, 1],
        rows: Rows::Side,
        from_calls: 1,
        n_calls: 3,
    },
    Kind {
        kind: SuiteKind::JcrasherLike,
        numbers: &[-1, 0, 1],
        rows: Rows::Product,
        from_calls: 0,
        n_calls: 1,
    },
];

/// The most tests of one type.
const MAX_TESTS: usize = 10_000;

/// The tests of one type, the shorter ones first.
#[derive(Clone, Debug, Default)]
pub(super) struct Suite {
    pub(super) tests: Vec<Sequence>,
    /// How many calls the borrow check rejected.
    pub(super) n_rejected: usize,
    /// How many tests were beyond the limit, and how many combinations of arguments got none.
    pub(super) n_beyond: usize,
    /// Operations for which no argument could be made.
    pub(super) without_arguments: Vec<OperationId>,
}

/// The types that have both a constructor and a method among the wanted operations.
pub(super) fn subjects(
    world: &World,
    is_wanted: impl Fn(OperationId) -> bool,
) -> BTreeMap<TypeIdx, Subject> {
    let mut found: BTreeMap<TypeIdx, Subject> = BTreeMap::new();
    let types = &world.catalogue.types;
    for (operation, id) in world.catalogue.operations.iter().zip(0..) {
        let id = OperationId(id);
        let Origin::Callable(callable) = operation.origin else {
            continue;
        };
        // Derived functions are not worth a test of their own.
        if world.catalogue.api.callable(callable).derived || !is_wanted(id) {
            continue;
        }
        let inputs = &operation.signature.inputs;
        if has_self(world, id) {
            if let Some(receiver) = inputs.first() {
                let subject = found.entry(receiver.ty.ty).or_default();
                subject.methods.push(id);
            }
            continue;
        }
        let made = operation.signature.output.ty;
        let is_constructor = !matches!(operation.form, Form::Field { .. })
            && !inputs.iter().any(|input| input.ty.ty == made);
        if is_constructor {
            found.entry(made).or_default().constructors.push(id);
        }
    }
    let counter = world.catalogue.api.counted.as_ref().map(|(ty, _)| ty);
    let counter = counter.and_then(|ty| types.find(ty));
    let counter = counter.map(|ty| types.get(ty).text.clone());
    found.retain(|ty, subject| {
        let info = types.get(*ty);
        // Values of testsmith's own counting type show nothing that others do not show.
        let counts = counter.as_ref().is_some_and(|it| info.text.contains(&**it));
        let is_whole = !subject.constructors.is_empty() && !subject.methods.is_empty();
        is_whole && is_own(world, &info.ty) && !counts
    });
    found
}

/// The steps so far, and the slot of the value that methods are called on.
type Begun<'w> = (Builder<'w>, SlotIdx);

/// Makes all tests of a kind.
pub(super) fn suite(world: &World, subject: &Subject, kind: Kind) -> Suite {
    let mut suite = Suite::default();
    let defaults = Defaults::new(world, kind.numbers);
    let mut calls_of = |operations: &[OperationId], from: usize| {
        let mut calls: Vec<(OperationId, Vec<Given>)> = Vec::new();
        for op in operations {
            let rows = defaults.rows(*op, from, kind.rows);
            if rows.is_empty() {
                suite.without_arguments.push(*op);
            }
            suite.n_beyond += defaults.n_cut(*op, from, kind.rows);
            calls.extend(rows.into_iter().map(|row| (*op, row)));
        }
        calls
    };
    let constructors = calls_of(&subject.constructors, 0);
    let methods = calls_of(&subject.methods, 1);
    let mut begun: Vec<Begun<'_>> = Vec::new();
    for (op, given) in &constructors {
        let mut builder = Builder::new(world);
        match call(world, &mut builder, *op, None, given) {
            Ok(slot) => {
                if kind.from_calls == 0 {
                    suite.tests.push(builder.clone().finish());
                }
                begun.push((builder, slot));
            }
            Err(_) => suite.n_rejected += 1,
        }
    }
    for n_calls in 1..=kind.n_calls {
        let is_last = n_calls == kind.n_calls;
        let mut longer = Vec::new();
        for (builder, slot) in &begun {
            for (op, given) in &methods {
                if suite.tests.len() == MAX_TESTS {
                    suite.n_beyond += 1;
                    continue;
                }
                let mut builder = builder.clone();
                if call(world, &mut builder, *op, Some(*slot), given).is_err() {
                    suite.n_rejected += 1;
                    continue;
                }
                suite.tests.push(builder.clone().finish());
                // A value that was moved away has no more methods.
                if !is_last && builder.is_live(*slot) {
                    longer.push((builder, *slot));
                }
            }
        }
        begun = longer;
    }
    suite
}
