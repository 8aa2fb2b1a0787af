//! `cargo testsmith api`: lists what can be called, and why the rest cannot.

use testsmith_equip::{Equipping, Event, Machinery, Outcome, Stage, Watch, learn};
use testsmith_record::{ApiReport, ReasonReport, RecordKind, SCHEMA};

use crate::callables::{callable_reports, leave_out};
use crate::error::CommandError;

/// Lists every public callable with its instances, or the reason why it has none. With `check`,
/// rustc judges the instances by rounds of `cargo check`, without the build that a run needs. It is
/// no error here if nothing can be called.
pub fn api(
    equipping: &Equipping,
    check: bool,
    watch: &mut Watch<'_>,
) -> Result<Outcome<ApiReport>, CommandError> {
    let report = listed(equipping, check, watch);
    watch.outcome(report)
}

fn listed(
    equipping: &Equipping,
    check: bool,
    watch: &mut Watch<'_>,
) -> Result<ApiReport, CommandError> {
    // Nothing is run, so nothing is instrumented.
    let equipping = &Equipping {
        machinery: Machinery {
            rustc_wrapper: None,
            ..equipping.machinery.clone()
        },
        ..equipping.clone()
    };
    let learnt = learn(equipping, watch)?;
    let target = learnt.target;
    let mut catalogue = learnt.catalogue;
    if check {
        watch.enter(Stage::Build);
        let progress = &mut |n, n_operations| watch.tell(Event::Round { n, n_operations });
        catalogue = testsmith_harness::check(&target.scratch, catalogue, progress)?;
    }
    let mut callables = callable_reports(&catalogue);
    leave_out(&mut callables, &target.filter);
    let counted = || callables.iter().filter(|c| c.counted && !c.is_left_out());
    let without_instance = || counted().filter(|c| c.instances.is_empty());
    Ok(ApiReport {
        schema: SCHEMA,
        kind: RecordKind::Api,
        package: target.package.name,
        version: target.package.version,
        checked: check,
        counted: counted().count(),
        with_instance: counted().count() - without_instance().count(),
        reasons: ReasonReport::ranked(without_instance()),
        callables,
    })
}
