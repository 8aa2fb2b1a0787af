//! A record of each kind in which nothing is empty: the check says so of what is forgotten.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use testsmith_record::{
    Alone, ApiKind, ApiReport, AugmentReport, AugmentedReport, BranchKind, BranchReport,
    CallableReport, CallableStatus, Change, ChangeKind, ChangedReport, ChangedTest, CheckReport,
    CompareReport, ContainerReport, CoverageReport, DiffReport, DifferingReport, Dropped, Duel,
    FailureKind, FailureLevel, FailureReport, FailureVerdict, FileReport, FileStatus, FixReport,
    Fixed, FunctionReport, GoneReport, HuntEnd, HuntReport, Impact, LeftOut, LinesReport,
    MinimizeReport, ModuleReport, MutantReport, MutantsReport, Noticed, Notion, NotionReport,
    OwnTestReport, OwnTestStatus, Reached, ReasonReport, ReasonedReport, RecordKind, RecordedTest,
    RecordingReport, RedundancyReport, RedundantReport, RefusedFor, Report, RoundReport, RunReport,
    SCHEMA, SeenReport, ShowingReport, SignatureReport, SourceReport, StandingReport, StateReport,
    StatesReport, Status, Stop, SuiteKind, SuiteReport, TestKind, TestReport, Timed, Touched,
    TransitionReport, TypeReport, Uncompared, UnjudgedReport, VerificationReport, Verified, Versus,
    WorthReport,
};

/// All of them, with the names of their rules.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("run", json(&augmented())),
        ("mutants", json(&mutants())),
        ("api", json(&api())),
        ("states", json(&states())),
        ("check", json(&check())),
        ("compare", json(&compare())),
        ("diff", json(&diff())),
        ("minimize", json(&minimize())),
        ("record", json(&recording())),
        ("redundancy", json(&redundancy())),
    ]
}

fn json(record: &impl Serialize) -> Value {
    serde_json::to_value(record).expect("plain fields are JSON")
}

fn word() -> String {
    "word".to_owned()
}

fn words() -> Vec<String> {
    vec![word()]
}

fn by_word<T>(value: T) -> BTreeMap<String, T> {
    [(word(), value)].into()
}

fn seconds() -> BTreeMap<Timed, f64> {
    [(Timed::Learn, 0.5)].into()
}

fn dropped() -> Vec<Dropped> {
    vec![Dropped::default()]
}

fn augmented() -> AugmentedReport {
    AugmentedReport {
        failed: words(),
        report: run(),
        ..AugmentedReport::default()
    }
}

fn run() -> Report {
    Report {
        schema: SCHEMA,
        kind: RecordKind::Run,
        rounds: vec![RoundReport::default()],
        seconds: seconds(),
        callables: vec![callable()],
        containers: vec![ContainerReport {
            largest: Some(1),
            ..ContainerReport::default()
        }],
        coverage: Some(CoverageReport {
            through: lines(),
            by_operator: by_word((1, 1)),
            survivors: words(),
            ..CoverageReport::default()
        }),
        hunt: Some(HuntReport {
            ended: HuntEnd::NothingMoves,
            ..HuntReport::default()
        }),
        branches: vec![branch()],
        mutants: vec![mutant()],
        sources: vec![SourceReport::default()],
        standing: standing(),
        tests: vec![test()],
        failures: vec![FailureReport {
            kind: FailureKind::Panic,
            verdict: FailureVerdict::Suspicious,
            level: FailureLevel::Likely,
            says_bug: vec!["it divides by zero".to_owned()],
            says_none: vec!["an operator".to_owned()],
            untested: Some("its values cannot be printed".to_owned()),
            documentation: Some("Panics on overflow.".to_owned()),
            main: Some("fn main() {}".to_owned()),
            others: words(),
            test: Some(word()),
            text: Some(word()),
            ..FailureReport::default()
        }],
        dropped: dropped(),
        files: vec![file()],
        ..Report::default()
    }
}

fn standing() -> StandingReport {
    let reasoned = || vec![ReasonedReport::default()];
    StandingReport {
        changed: vec![ChangedReport {
            call: word(),
            tests: vec![ShowingReport {
                old: Some(word()),
                new: Some(word()),
                ..ShowingReport::default()
            }],
        }],
        rewritten: words(),
        taken_out: words(),
        fixed: words(),
        flickering: words(),
        untried: reasoned(),
        added: words(),
        proposed: reasoned(),
        ..StandingReport::default()
    }
}

fn check() -> CheckReport {
    CheckReport {
        schema: SCHEMA,
        kind: RecordKind::Check,
        standing: standing(),
        seconds: seconds(),
        ..CheckReport::default()
    }
}

fn callable() -> CallableReport {
    CallableReport {
        status: CallableStatus::Reached,
        reason: Some(word()),
        safety: Some(word()),
        instances: words(),
        touches: [Touched::Files].into(),
        tests: 1,
        ..CallableReport::default()
    }
}

fn lines() -> LinesReport {
    LinesReport {
        covered: by_word(vec![1]),
        uncovered: by_word(vec![1]),
        ..LinesReport::default()
    }
}

fn branch() -> BranchReport {
    BranchReport {
        kind: BranchKind::Then,
        taken_by: words(),
        ..BranchReport::default()
    }
}

fn mutant() -> MutantReport {
    MutantReport {
        killed_by: words(),
        how: Some(Noticed::Failed),
        reached_by: words(),
        reason: Some(word()),
        refused_for: Some(RefusedFor::Itself),
        impact: Some(Impact::default()),
        stop: Some(Stop::NotSeen),
        ..MutantReport::default()
    }
}

fn file() -> FileReport {
    FileReport {
        status: FileStatus::Written,
        modules: vec![ModuleReport {
            status: FileStatus::Kept,
            ..ModuleReport::default()
        }],
        ..FileReport::default()
    }
}

fn mutants() -> MutantsReport {
    MutantsReport {
        schema: SCHEMA,
        kind: RecordKind::Mutants,
        mutants: vec![mutant()],
        counts: [(Status::Killed, 1)].into(),
        score: Some(0.5),
        rest: vec![mutant()],
        tests: vec![OwnTestReport {
            status: OwnTestStatus::Passed,
            reason: Some(word()),
            ..OwnTestReport::default()
        }],
        sources: vec![SourceReport::default()],
        branches: vec![branch()],
        coverage: Some(lines()),
        seconds: seconds(),
        opaque: by_word(word()),
        derived: by_word(word()),
        left_out: by_word(1),
        fix: Some(fix()),
        verification: VerificationReport {
            verified: vec![Verified::default()],
            alone: vec![Alone::default()],
        },
        ..MutantsReport::default()
    }
}

fn test() -> TestReport {
    TestReport {
        kind: TestKind::Regression,
        condition: Some(word()),
        ..TestReport::default()
    }
}

fn fix() -> FixReport {
    FixReport {
        killed: words(),
        tests: vec![test()],
        files: vec![file()],
        stops: [(Stop::NotSeen, 1)].into(),
        dropped: vec![Dropped::default()],
        seconds: seconds(),
        ..FixReport::default()
    }
}

fn api() -> ApiReport {
    ApiReport {
        schema: SCHEMA,
        kind: RecordKind::Api,
        callables: vec![callable()],
        reasons: vec![ReasonReport {
            callables: words(),
            ..ReasonReport::default()
        }],
        ..ApiReport::default()
    }
}

fn states() -> StatesReport {
    StatesReport {
        schema: SCHEMA,
        kind: RecordKind::States,
        other_instances: words(),
        predicates: words(),
        note: Some(word()),
        left_out: vec![LeftOut::default()],
        dropped: by_word(1),
        ends: words(),
        idle: words(),
        states: vec![StateReport {
            is: words(),
            also: words(),
            panics: words(),
            may_panic: words(),
            ..StateReport::default()
        }],
        transitions: vec![TransitionReport {
            from: Some(0),
            calls: words(),
            ..TransitionReport::default()
        }],
        seconds: seconds(),
        ..StatesReport::default()
    }
}

fn compare() -> CompareReport {
    CompareReport {
        schema: SCHEMA,
        kind: RecordKind::Compare,
        against: vec![Versus {
            mutants: Some(Duel::default()),
            ..Versus::default()
        }],
        runs: vec![RunReport {
            mutants: Some(1),
            failures: words(),
            ..RunReport::default()
        }],
        ..CompareReport::default()
    }
}

fn diff() -> DiffReport {
    let gone = |kind| GoneReport {
        kind,
        ..GoneReport::default()
    };
    DiffReport {
        schema: SCHEMA,
        kind: RecordKind::Diff,
        changed: vec![Change {
            tests: vec![ChangedTest {
                name: Some(word()),
                kind: ChangeKind::Value,
                ..ChangedTest::default()
            }],
            ..Change::default()
        }],
        fixed: vec![Fixed::default()],
        gone: vec![gone(ApiKind::Type)],
        added: vec![gone(ApiKind::Callable)],
        signatures: vec![SignatureReport::default()],
        uncompared: vec![Uncompared::default()],
        file: Some(file()),
        dropped: dropped(),
        seconds: seconds(),
        ..DiffReport::default()
    }
}

fn minimize() -> MinimizeReport {
    let worth = || WorthReport {
        seconds: Some(0.5),
        ..WorthReport::default()
    };
    MinimizeReport {
        schema: SCHEMA,
        kind: RecordKind::Minimize,
        redundant: vec![RedundantReport {
            by: words(),
            left_alone: Some(word()),
            ..RedundantReport::default()
        }],
        differing: vec![DifferingReport {
            test: word(),
            by: words(),
            assertions: words(),
            mutants: words(),
            entered: words(),
            unknown: Some(word()),
        }],
        unjudged: vec![UnjudgedReport {
            opaque: words(),
            ..UnjudgedReport::default()
        }],
        unlisted: words(),
        before: worth(),
        after: worth(),
        sampled: Some(1),
        warnings: words(),
        files: words(),
        refused: Some(word()),
        seconds: seconds(),
        ..MinimizeReport::default()
    }
}

fn recording() -> RecordingReport {
    RecordingReport {
        schema: SCHEMA,
        kind: RecordKind::Record,
        functions: vec![FunctionReport::default()],
        tests: vec![RecordedTest::default()],
        failed: words(),
        ..RecordingReport::default()
    }
}

fn redundancy() -> RedundancyReport {
    RedundancyReport {
        schema: SCHEMA,
        kind: RecordKind::Redundancy,
        unmonitored: by_word(word()),
        types: vec![TypeReport {
            path: word(),
            constructors: words(),
            methods: words(),
            suites: vec![suite()],
        }],
        seconds: seconds(),
        ..RedundancyReport::default()
    }
}

fn suite() -> SuiteReport {
    SuiteReport {
        suite: SuiteKind::JtestLike,
        notions: vec![NotionReport {
            state_by: Notion::WholeState,
            lost: words(),
            ..NotionReport::default()
        }],
        augmented: vec![AugmentReport {
            state_by: Notion::WholeState,
            rounds: vec![Reached::default()],
        }],
        without_arguments: words(),
        not_whole: by_word(1),
        seen: by_word(SeenReport {
            finer_example: Some([word(), word()]),
            coarser_example: Some([word(), word()]),
            ..SeenReport::default()
        }),
        ..SuiteReport::default()
    }
}
