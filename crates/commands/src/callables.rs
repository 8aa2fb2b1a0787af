//! Reports what happened to every public callable.

use testsmith_api::{Catalogue, OperationId, Origin, Reason};
use testsmith_equip::Filter;
use testsmith_explore::Ledger;
use testsmith_protocol::Realm;
use testsmith_record::{CallableReport, CallableStatus, Touched};
use testsmith_sequence::World;

/// Reports for every callable how often it was called, or why it was not.
pub(crate) fn explored(world: &World, ledger: &Ledger, filter: &Filter) -> Vec<CallableReport> {
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
    for report in &mut reports {
        if report.status == CallableStatus::Modelled {
            report.reason = Some("no call of it returned".to_owned());
        }
    }
    leave_out(&mut reports, filter);
    reports
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
