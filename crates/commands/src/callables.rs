//! Reports what happened to every public callable.

use std::collections::BTreeSet;

use testsmith_api::{CallableId, Catalogue, OperationId, Origin, Reason};
use testsmith_emit::{Subject, TestCase};
use testsmith_equip::Filter;
use testsmith_explore::Ledger;
use testsmith_protocol::Realm;
use testsmith_record::{CallableReport, CallableStatus, Touched};
use testsmith_sequence::{Step, World};

/// Reports for every callable how often it was called, or why it was not, and how many of the written
/// tests call it.
pub(crate) fn explored<'t>(
    world: &World,
    ledger: &Ledger,
    filter: &Filter,
    tests: impl Iterator<Item = &'t TestCase>,
) -> Vec<CallableReport> {
    let mut reports = callable_reports(&world.catalogue);
    for (i, operation) in world.catalogue.operations.iter().enumerate() {
        if let Origin::Callable(callable) = operation.origin {
            let report = &mut reports[callable.0 as usize];
            report.calls += ledger.n_returned(OperationId(i as u32));
            if report.calls > 0 {
                report.status = CallableStatus::Reached;
                report.reason = None;
            }
        }
    }
    for (operation, realms) in ledger.touches() {
        if let Origin::Callable(callable) = world.catalogue.operation(*operation).origin {
            let touches = realms.iter().map(|realm| touched(*realm));
            reports[callable.0 as usize].touches.extend(touches);
        }
    }
    for test in tests {
        for callable in called(world, test) {
            reports[callable.0 as usize].tests += 1;
        }
    }
    for report in &mut reports {
        if report.status == CallableStatus::Modelled {
            report.reason = Some("no call of it returned".to_owned());
        }
    }
    leave_out(&mut reports, filter);
    reports
}

/// The callables that a test calls, in its steps and in what it asserts.
fn called(world: &World, test: &TestCase) -> BTreeSet<CallableId> {
    let steps = test.sequence.steps().iter();
    let steps = steps.filter_map(|step| match step {
        Step::Call { op, .. } => Some(*op),
        Step::Drop(_) => None,
    });
    let checks = test.checks.iter();
    let checks = checks.filter_map(|check| match check.subject {
        Subject::Slot(_) => None,
        Subject::Observer { op, .. } | Subject::Equals { op, .. } => Some(op),
    });
    let callables = steps.chain(checks).filter_map(|op| {
        let operation = world.catalogue.operation(op);
        match operation.origin {
            Origin::Callable(callable) => Some(callable),
            _ => None,
        }
    });
    callables.collect()
}

/// A realm as records have it.
fn touched(realm: Realm) -> Touched {
    match realm {
        Realm::Files => Touched::Files,
        Realm::Network => Touched::Network,
        Realm::Processes => Touched::Processes,
        Realm::Input => Touched::StandardInput,
        Realm::System => Touched::System,
        Realm::Threads => Touched::ThreadsLeftBehind,
    }
}

/// A report for each callable, before anything was called.
pub(crate) fn callable_reports(catalogue: &Catalogue) -> Vec<CallableReport> {
    let mut reports: Vec<CallableReport> = catalogue
        .api
        .callables
        .iter()
        .map(|callable| CallableReport {
            path: callable.key.to_string(),
            status: CallableStatus::Skipped,
            calls: 0,
            reason: None,
            counted: callable.counted,
            safety: callable
                .docs
                .safety
                .as_ref()
                .filter(|_| callable.is_unsafe)
                .map(|text| text.to_string()),
            instances: Vec::new(),
            touches: Default::default(),
            tests: 0,
        })
        .collect();
    for (callable, reason) in &catalogue.skipped {
        reports[callable.0 as usize].reason = Some(reason.to_string());
    }
    for operation in &catalogue.operations {
        if let Origin::Callable(callable) = operation.origin {
            let report = &mut reports[callable.0 as usize];
            report.status = CallableStatus::Modelled;
            report.reason = None;
            report.instances.push(operation.key.to_string());
        }
    }
    reports
}

/// Marks the callables that the user did not ask for as left out.
pub(crate) fn leave_out(reports: &mut [CallableReport], filter: &Filter) {
    for (i, report) in reports.iter_mut().enumerate() {
        if !filter.wants(i) {
            report.status = CallableStatus::Skipped;
            report.reason = Some(Reason::Filtered.to_string());
        }
    }
}
