//! Finds the answers that a case's call left as they were.
//!
//! A getter that answers the same before a call and after it says nothing of the call: `bin_name()` of a parser
//! has nothing to do with its next argument. Whoever reads such an assertion asks what it is for. That the
//! contents of a value are as they were is another thing: it is what one expects of a call that found nothing
//! to do.

use testsmith_api::{Form, OperationId};
use testsmith_emit::{Check, Subject};
use testsmith_equip::{Executor, Setting};
use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Outcome, Value};
use testsmith_sequence::{Builder, SlotIdx, Step, World};

use super::Candidate;
use super::kill::ask_about;

/// The same questions, asked before the call.
struct Before {
    /// The position of the case.
    of: usize,
    ask: Ask,
    /// For each question its check and the slot of its answer.
    asked: Vec<(usize, SlotIdx)>,
}

/// Finds out, for the checks of all cases, which ask a getter that answers the same before the call.
pub(super) fn find(
    world: &World,
    executor: &mut Executor,
    cases: &mut [Candidate],
) -> Result<(), GuestError> {
    let numbered = cases.iter().enumerate();
    let before: Vec<Before> = numbered
        .filter_map(|(of, case)| Before::of(world, of, case))
        .collect();
    let asks = before.iter().map(|it| it.ask.clone()).collect();
    let runs = executor.run(world, Setting::USUAL, asks)?;
    for (before, (_, run)) in before.into_iter().zip(runs) {
        if run.outcome != Outcome::Returned {
            continue;
        }
        let case = &mut cases[before.of];
        let answer = |at: SlotIdx| -> Option<&Value> {
            let mut effects = run.effects.iter();
            effects
                .find(|it| it.slot == at.0 && !it.at_end)?
                .value
                .as_ref()
        };
        case.unmoved = vec![false; case.case.checks.len()];
        for (check, at) in before.asked {
            case.unmoved[check] = answer(at) == Some(&case.case.checks[check].value);
        }
    }
    Ok(())
}

impl Before {
    fn of(world: &World, of: usize, case: &Candidate) -> Option<Before> {
        let steps = case.case.sequence.steps();
        let out = case.trial.out;
        let at = steps
            .iter()
            .position(|step| matches!(step, Step::Call { out: made, .. } if *made == out))?;
        let mut builder = Builder::new(world);
        builder.append_steps(&steps[..at]).ok()?;
        let mut asked = Vec::new();
        for (check, it) in case.case.checks.iter().enumerate() {
            if let Some((op, slot)) = getter(world, it)
                && slot < out
                && let Some(at) = ask_about(world, &mut builder, op, slot)
            {
                asked.push((check, at));
            }
        }
        let first = asked.first()?.1;
        let sequence = builder.finish();
        Some(Before {
            of,
            ask: Ask {
                watch_from: first,
                watch_end: Vec::new(),
                traced: None,
                values: true,
                watched: false,
                traced_on: false,
                sequence,
            },
            asked,
        })
    }
}

/// What a check asks of which value, if that is one property and not the contents.
fn getter(world: &World, check: &Check) -> Option<(OperationId, SlotIdx)> {
    let Subject::Observer {
        op,
        slot,
        then: None,
    } = check.subject
    else {
        return None;
    };
    matches!(world.catalogue.operation(op).form, Form::Inherent { .. }).then_some((op, slot))
}
